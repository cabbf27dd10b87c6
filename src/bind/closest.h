// SPDX-License-Identifier: MIT
// The closest point of a triangle surface.
#pragma once

#include <array>
#include <span>

#include "dermis/geometry.h"

namespace dermis {

struct ClosestPoint {
  std::int32_t triangle = -1;      // -1: there is none
  std::array<double, 3> shares{};  // of the triangle's corners; at least zero, sum one
  double distance = 0;
};
// `tree` must belong to the points. Of equally close triangles, always the same one. Logarithmic unless all
// triangles are equally far.
ClosestPoint closest_point(const TriangleTree& tree, std::span<const Vec3> points,
                           std::span<const SurfaceMesh::Triangle> triangles, const Vec3d& query);

}  // namespace dermis
