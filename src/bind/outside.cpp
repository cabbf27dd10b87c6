// SPDX-License-Identifier: MIT
// Which joints lie outside the body that they move.
#include <algorithm>
#include <cmath>

#include "bind/places.h"

namespace dermis {
namespace {

// Bodies are open at the neck or the cuffs, but still wind this much around joints inside.
constexpr double kWindsAround = 0.25;
// As a fraction of the size: joints this near the skin belong to the body (toes, ears, faces of flat meshes).
constexpr double kAtSkin = 0.02;
constexpr std::size_t kJointsAtOnce = 8;

// Wound to match the normals, which point outwards on every shell.
std::vector<SurfaceMesh::Triangle> outward_triangles(const BindSurface& surface) {
  std::vector<SurfaceMesh::Triangle> triangles = surface.triangles;
  for (SurfaceMesh::Triangle& t : triangles) {
    const Vec3d a(surface.points[t[0]]), b(surface.points[t[1]]), c(surface.points[t[2]]);
    const Vec3d outwards(surface.normals[t[0]] + surface.normals[t[1]] + surface.normals[t[2]]);
    if (dot(cross(b - a, c - a), outwards) < 0) std::swap(t[1], t[2]);
  }
  return triangles;
}

double distance_to_points(std::span<const Vec3> points, const Vec3d& place) {
  double least = INFINITY;
  for (const Vec3& point : points) least = std::min(least, length(Vec3d(point) - place));
  return least;
}

}  // namespace

Result<std::vector<Index>> joints_outside(const BindSurface& surface, const BindSkeleton& skeleton,
                                          const Progress& progress) {
  return without_throwing("joints outside", [&]() -> Result<std::vector<Index>> {
    const std::vector<SurfaceMesh::Triangle> triangles = outward_triangles(surface);
    const WindingTree winding = winding_tree(surface.points, triangles);
    const TriangleTree tree = triangle_tree(surface.points, triangles);
    std::vector<Vec3d> places(skeleton.joint_count());
    for (auto segment = skeleton.segments.rbegin(); segment != skeleton.segments.rend(); ++segment)
      places[at(segment->joint)] = segment->from;
    std::vector<char> is_outside(places.size(), 0);
    parallel_for(places.size(), kJointsAtOnce, [&](std::size_t begin, std::size_t end) {
      if (progress.is_stopped()) return;
      for (std::size_t j = begin; j < end; ++j) {
        if (!triangles.empty() && winding_number(winding, places[j]) > kWindsAround) continue;
        const double distance = triangles.empty()
                                    ? distance_to_points(surface.points, places[j])
                                    : closest_point(tree, surface.points, triangles, places[j]).distance;
        is_outside[j] = distance > kAtSkin * surface.size ? 1 : 0;
      }
    });
    if (const Status go = progress.at("preparing joints", 0); !go) return go.error();
    std::vector<Index> outside;
    for (std::size_t j = 0; j < places.size(); ++j)
      if (is_outside[j] != 0) outside.push_back(static_cast<Index>(j));
    return outside;
  });
}

}  // namespace dermis
