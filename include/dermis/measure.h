// SPDX-License-Identifier: MIT
// Numbers that say how far two results are apart.
#pragma once

#include <span>

#include "dermis/base.h"
#include "dermis/deform.h"
#include "dermis/math.h"

namespace dermis {

// Distances between two sets of points.
struct PointDistance {
  bool in_order = false;  // true: point k against point k; false: nearest points, both ways
  double max = 0;         // in the units of the points
  double rms = 0;
  double mean = 0;
  double diagonal = 0;    // of the bounding box of the first set
  std::size_t worst = 0;  // the point of the first set (or of the second, see is_worst_in_second) at `max`
  bool is_worst_in_second = false;
};

// In order when the counts agree, nearest otherwise: then rms and mean run over the points of both sets.
// Fails when one of them is empty or has a point that is not finite. Same numbers on any thread count.
Result<PointDistance> point_distance(std::span<const Vec3> a, std::span<const Vec3> b);

}  // namespace dermis
