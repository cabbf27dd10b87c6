// SPDX-License-Identifier: MIT
// Triangles of a measured surface that cross, and those that did not at rest.
#include <algorithm>
#include <iterator>

#include "measure/surface.h"

namespace dermis {

Intersections measure_intersections(const MeasuredSurface& surface, std::span<const Vec3> points) {
  const std::vector<Vec3> welded = welded_points(surface, points);
  const std::vector<SurfaceMesh::Triangle>& triangles = surface.welded.triangles;
  return self_intersections(triangle_tree(welded, triangles), welded, triangles);
}

std::vector<TrianglePair> new_intersections(const Intersections& rest, const Intersections& posed) {
  std::vector<TrianglePair> fresh;
  std::set_difference(posed.pairs.begin(), posed.pairs.end(), rest.pairs.begin(), rest.pairs.end(),
                      std::back_inserter(fresh));
  return fresh;
}

}  // namespace dermis
