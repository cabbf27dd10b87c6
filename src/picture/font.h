// SPDX-License-Identifier: MIT
// A small stroke font: printable ASCII and the letters of Latin-1 as lines and arcs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dermis/math.h"

namespace dermis {

// Heights in the units of the table: capitals 20, small letters 14, below the baseline 6.
inline constexpr double kCapital = 20;

struct Stroke {
  std::vector<Vec2> points;  // one alone is a dot
};
struct Glyph {
  double advance = 0;  // to the next letter
  std::vector<Stroke> strokes;
};
// Whether a letter has strokes; others show as a box.
bool has_glyph(char32_t letter);
const Glyph& glyph_of(char32_t letter);
// The letters of a text in UTF-8; invalid bytes become U+FFFD, and stray continuation bytes nothing.
std::u32string letters_of(std::string_view text);

}  // namespace dermis
