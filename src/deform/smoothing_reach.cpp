// SPDX-License-Identifier: MIT
// The reach of smoothing, counted in edges.
#include "deform/smoothing_reach.h"

#include <limits>

namespace dermis {
namespace {

// About the length of a finger or the width of a knee: only where limbs meet.
constexpr double kReach = 0.03;

// The mean length of polygon edges; 0 without polygons.
double mean_edge(const Mesh& mesh) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t p = 0; p < mesh.polygons.count(); ++p) {
    const std::span<const Index> corners = mesh.polygons.polygon(p);
    for (std::size_t k = 0; k < corners.size(); ++k) {
      const Vec3& a = mesh.points[static_cast<std::size_t>(corners[k])];
      const Vec3& b = mesh.points[static_cast<std::size_t>(corners[(k + 1) % corners.size()])];
      sum += length(Vec3d(a) - Vec3d(b));
      ++count;
    }
  }
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

}  // namespace

double edges_in_reach(const Mesh& mesh) {
  const double edge = mean_edge(mesh);
  if (!(edge > 0)) return std::numeric_limits<double>::infinity();
  Box box;
  for (const Vec3& point : mesh.points) box.add(Vec3d(point));
  return kReach * box.diagonal() / edge;
}

}  // namespace dermis
