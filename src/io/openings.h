// SPDX-License-Identifier: MIT
// Files whose content does not match their name.
#pragma once

#include <string>
#include <string_view>

#include "dermis/base.h"

namespace dermis {

// As many first bytes of a file as recognising its format takes.
inline constexpr std::size_t kOpeningSize = 32;

// The format that a file starts like, if files with that extension (lower case, with its dot) do not; null:
// none is recognised.
const char* foreign_format(std::string_view opening, std::string_view extension);

// The error of a reader that could not make sense of a file, and what the file really is if that is known.
Error with_true_format(Error error, std::string_view opening, std::string_view extension);

}  // namespace dermis
