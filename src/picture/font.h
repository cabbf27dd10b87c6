// SPDX-License-Identifier: MIT
// A small stroke font: printable ASCII as lines and arcs.
#pragma once

#include <span>
#include <vector>

#include "dermis/math.h"

namespace dermis {

// Heights in the units of the table: capitals 20, small letters 14, below the base line 6.
inline constexpr double kCapital = 20;

struct Stroke {
  std::vector<Vec2> points;  // one alone is a dot
};
struct Glyph {
  double advance = 0;  // to the next letter
  std::vector<Stroke> strokes;
};
// Of a byte; what is not printable ASCII shows as a box.
const Glyph& glyph_of(unsigned char letter);

}  // namespace dermis
