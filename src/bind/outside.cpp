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

std::vector<Index> joints_outside(const BindSurface& surface, const BindSkeleton& skeleton) {
  const std::vector<SurfaceMesh::Triangle> triangles = outward_triangles(surface);
  const WindingTree winding = winding_tree(surface.points, triangles);
  const TriangleTree tree = triangle_tree(surface.points, triangles);
  std::vector<Index> outside;
  Index last = kNone;
  for (const JointSegment& segment : skeleton.segments) {
    if (segment.joint == last) continue;
    last = segment.joint;
    if (!triangles.empty() && winding_number(winding, segment.from) > kWindsAround) continue;
    const double distance = triangles.empty()
                                ? distance_to_points(surface.points, segment.from)
                                : closest_point(tree, surface.points, triangles, segment.from).distance;
    if (distance > kAtSkin * surface.size) outside.push_back(segment.joint);
  }
  return outside;
}

}  // namespace dermis
