// SPDX-License-Identifier: MIT
// Which points of a body are far from the others.
#pragma once

#include <span>

#include "dermis/geometry.h"
#include "dermis/math.h"

namespace dermis {

struct BodyBox {
  Box near;  // of the points that are not far away
  Box most;  // points outside are far away
  std::size_t far_count = 0;

  bool holds(const Vec3& point) const;
};
// Needs at least one point. Of fewer than twenty, none is far away.
BodyBox body_box(std::span<const Vec3> points);

}  // namespace dermis
