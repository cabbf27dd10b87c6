// SPDX-License-Identifier: MIT
// How the surface of a mesh turns when its points move.
#include "shapes/surface.h"

namespace dermis {

std::vector<Quatd> surface_turns(const Mesh& mesh, std::span<const Vec3> moved) {
  std::vector<Index> welded;
  welded.reserve(mesh.polygons.corners.size());
  for (const Index v : mesh.polygons.corners) welded.push_back(mesh.weld[at(v)]);
  const std::vector<Vec3> before = point_normals(mesh.points, mesh.polygons.first, welded);
  const std::vector<Vec3> after = point_normals(moved, mesh.polygons.first, welded);
  std::vector<Quatd> turns(mesh.points.size());
  for (std::size_t v = 0; v < turns.size(); ++v) {
    const std::size_t w = at(mesh.weld[v]);
    if (before[w] == Vec3{} || after[w] == Vec3{} || before[w] == after[w]) continue;
    turns[v] = quat_between(Vec3d(before[w]), Vec3d(after[w]));
  }
  return turns;
}

double diagonal_of(std::span<const Vec3> points) {
  Box box;
  for (const Vec3& point : points) box.add(Vec3d(point));
  return box.diagonal();
}

}  // namespace dermis
