// SPDX-License-Identifier: MIT
// The effect of rounding positions to 32 bits: far from the origin floats are far apart, and points coincide.
#pragma once

#include <span>
#include <string_view>

#include "dermis/base.h"
#include "dermis/math.h"

namespace dermis {

// Positions as stored in the file, in sequence.
class Rounding {
 public:
  void add(const Vec3d& point);
  void add(const Rounding& more);
  // Notes a loss if points moved by more than a small fraction of the overall size.
  void note(Notes& notes) const;

 private:
  Box box_;
  double worst_ = 0;  // largest distance a coordinate moved
};

// False if floats are fine enough for the overall size, whatever the file contains: then measuring, which
// means reading the positions again in double, cannot find anything.
bool may_be_rounded(std::span<const Vec3> points);

// For all lines that start with this word (given in lower case; any case in the file), followed by a
// position.
Rounding rounding_of_lines(std::string_view text, std::string_view word);

}  // namespace dermis
