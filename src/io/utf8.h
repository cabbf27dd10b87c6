// SPDX-License-Identifier: MIT
// Converts names from files of any age to UTF-8, which glTF and JSON require.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "dermis/model.h"

namespace dermis {

// Bytes in the UTF-8 sequence at `at`, 0 if it is not one (overlong, surrogate, cut off, above U+10FFFF).
std::size_t utf8_length(std::string_view text, std::size_t at);

// The text itself if it is UTF-8; otherwise each byte is read as a Latin-1 letter, which is what old tools
// wrote. Control characters become spaces.
std::string as_utf8(std::string_view text);

// True if every name of a character is UTF-8; control characters may be in them.
bool has_utf8_names(const Character& character);
// as_utf8 for every name of a character, with one note if that changed a name from the file.
void make_names_utf8(Character& character, Notes& notes);

}  // namespace dermis
