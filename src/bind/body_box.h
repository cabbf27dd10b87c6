// SPDX-License-Identifier: MIT
// Which points of a body are far off from the others.
#pragma once

#include <span>

#include "dermis/geometry.h"
#include "dermis/math.h"

namespace dermis {

struct BodyBox {
  Box near;  // around the points that are not far off
  Box most;  // points outside are far off
  std::size_t far_count = 0;

  bool holds(const Vec3& point) const;
};
// Of at least one point. Of fewer than twenty none is far off.
BodyBox body_box(std::span<const Vec3> points);

}  // namespace dermis
