// SPDX-License-Identifier: MIT
// The corners of a box: where affine maps differ most inside it.
#pragma once

#include <array>

#include "dermis/math.h"

namespace dermis {

inline std::array<Vec3d, 8> corners_of(const Box& box) {
  std::array<Vec3d, 8> corners;
  for (std::size_t k = 0; k < corners.size(); ++k) {
    corners[k] = {(k & 1) != 0 ? box.upper.x : box.lower.x, (k & 2) != 0 ? box.upper.y : box.lower.y,
                  (k & 4) != 0 ? box.upper.z : box.lower.z};
  }
  return corners;
}

}  // namespace dermis
