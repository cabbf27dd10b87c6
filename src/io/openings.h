// SPDX-License-Identifier: MIT
// Files whose content does not match their name.
#pragma once

#include <string>
#include <string_view>

#include "dermis/base.h"

namespace dermis {

// The number of first bytes that determine the format of a file.
inline constexpr std::size_t kOpeningSize = 32;

// The format of a file with these first bytes, or null if it is unknown or is one of those that the extension
// (lower case, with its dot) stands for.
const char* foreign_format(std::string_view opening, std::string_view extension);

// The error of a reader that could not make sense of a file, with what the file really is, if that is known,
// and what to do.
Error with_true_format(Error error, std::string_view opening, std::string_view extension);

}  // namespace dermis
