// SPDX-License-Identifier: MIT
// Exact signs in a coordinate plane, for triangles that lie in one plane.
#pragma once

#include "dermis/geometry.h"

namespace dermis {

using Vec2d = Vec2T<double>;

// Without coordinate `axis`.
inline Vec2d dropped(const Vec3& p, int axis) {
  return {static_cast<double>(p[(axis + 1) % 3]), static_cast<double>(p[(axis + 2) % 3])};
}

// 1 if a b c are anticlockwise, -1 if clockwise, 0 if on a line; exact for coordinates that are floats.
int orientation(const Vec2d& a, const Vec2d& b, const Vec2d& c);

// A coordinate that can be dropped without the triangle losing its area; -1 if it is flat.
int facing_axis(const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace dermis
