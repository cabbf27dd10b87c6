// SPDX-License-Identifier: MIT
// Names from files of any age as UTF-8, which glTF and JSON insist on.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "dermis/model.h"

namespace dermis {

// Bytes in the UTF-8 sequence at `at`, 0 when it is not one (overlong, surrogate, cut off, above U+10FFFF).
std::size_t utf8_length(std::string_view text, std::size_t at);

// The text itself when it is UTF-8; otherwise each byte taken as a Latin-1 letter, which is what old tools
// wrote. Control characters become blanks.
std::string as_utf8(std::string_view text);

// as_utf8 for every name of a character, with one note when that changed a name the file gave.
void make_names_utf8(Character& character, Notes& notes);

}  // namespace dermis
