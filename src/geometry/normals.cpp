// SPDX-License-Identifier: MIT
// Normals of points from the polygons around them.
#include "dermis/geometry.h"

namespace dermis {

std::vector<Vec3> point_normals(std::span<const Vec3> points, std::span<const std::uint32_t> first,
                                std::span<const std::int32_t> corners) {
  std::vector<Vec3d> sums(points.size());
  const auto point_of = [&](std::size_t corner) { return static_cast<std::size_t>(corners[corner]); };
  for (std::size_t p = 0; p + 1 < first.size(); ++p) {
    // Twice the vector area, relative to the first corner: small polygons far from the origin keep their
    // precision.
    const Vec3d apex(points[point_of(first[p])]);
    Vec3d area;
    for (std::size_t c = first[p] + 1; c + 1 < first[p + 1]; ++c) {
      area += cross(Vec3d(points[point_of(c)]) - apex, Vec3d(points[point_of(c + 1)]) - apex);
    }
    for (std::size_t c = first[p]; c < first[p + 1]; ++c) sums[point_of(c)] += area;
  }
  std::vector<Vec3> normals;
  normals.reserve(points.size());
  for (const Vec3d& sum : sums) normals.push_back(Vec3(normalized(sum)));
  return normals;
}

}  // namespace dermis
