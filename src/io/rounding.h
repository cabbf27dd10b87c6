// SPDX-License-Identifier: MIT
// What rounding positions to 32 bits did: far from the origin floats lie far apart, and points fall together.
#pragma once

#include <span>
#include <string_view>

#include "dermis/base.h"
#include "dermis/math.h"

namespace dermis {

// Positions as the file has them, one after another.
class Rounding {
 public:
  void add(const Vec3d& point);
  void add(const Rounding& more);
  // A loss when points moved by more than a small part of the whole.
  void note(Notes& notes) const;

 private:
  Box box_;
  double worst_ = 0;  // that a coordinate moved
};

// False when floats are fine enough for the size of the whole, whatever the file has: measuring, which means
// reading positions once more in double, cannot find anything.
bool may_be_rounded(std::span<const Vec3> points);

// Of all lines that start with this word (in lower case; the file may have any), followed by a position.
Rounding rounding_of_lines(std::string_view text, std::string_view word);

}  // namespace dermis
