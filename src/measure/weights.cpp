// SPDX-License-Identifier: MIT
// How weights change along a surface and across its seams.
#include <algorithm>
#include <cmath>

#include "measure/check.h"
#include "measure/surface.h"

namespace dermis {
namespace {

constexpr std::size_t kEdgeGrain = 1024;
// As a fraction of the diagonal: shorter edges have no reliable length in float.
constexpr double kLeastEdge = 1e-5;

struct Edge {
  std::uint32_t a, b;
};

std::vector<Edge> edges_of(const MeasuredSurface& surface) {
  const NeighbourList neighbours = list_neighbours(surface.welded.point_count(), surface.welded.triangles);
  std::vector<Edge> edges;
  for (std::uint32_t v = 0; v < neighbours.point_count(); ++v) {
    for (std::uint32_t k = neighbours.first[v]; k < neighbours.first[v + 1]; ++k) {
      if (v < neighbours.points[k]) edges.push_back({v, neighbours.points[k]});
    }
  }
  return edges;
}

void measure_gradient(const Mesh& mesh, const MeasuredSurface& surface, WeightChange& change) {
  const std::vector<Edge> edges = edges_of(surface);
  Box box;
  for (const Vec3& p : mesh.points) box.add(Vec3d(p));
  const double size = box.diagonal();
  std::vector<float> rates(edges.size(), 0.0f);
  std::vector<std::uint8_t> is_measured(edges.size(), 0);
  parallel_for(edges.size(), kEdgeGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e) {
      const std::size_t a = at(surface.welded.source[edges[e].a]), b = at(surface.welded.source[edges[e].b]);
      const double distance = length(Vec3d(mesh.points[b]) - Vec3d(mesh.points[a]));
      if (distance < kLeastEdge * size) continue;
      is_measured[e] = 1;
      rates[e] =
          static_cast<float>(weight_difference(mesh.weights.row(a), mesh.weights.row(b)) * size / distance);
    }
  });
  change.gradient = spread_of(rates, std::vector<bool>(is_measured.begin(), is_measured.end()));
  if (change.gradient.count > 0)
    change.gradient_point = surface.welded.source[edges[change.gradient.worst].a];
}

void measure_seams(const Mesh& mesh, WeightChange& change) {
  const std::vector<Index> corners = surface_corners(mesh);
  const EdgeList edges = list_edges(mesh.points.size(), mesh.polygons.first, corners);
  const std::vector<std::vector<Index>> groups = seam_groups(mesh, edges);
  std::vector<float> differences;
  for (const std::vector<Index>& group : groups) {
    double largest = 0;
    for (const Index v : group)
      largest = std::max(largest, weight_difference(mesh.weights.row(at(group[0])), mesh.weights.row(at(v))));
    differences.push_back(static_cast<float>(largest));
  }
  change.seam = spread_of(differences);
  if (!groups.empty()) change.seam_point = groups[change.seam.worst][0];
}

}  // namespace

WeightChange measure_weights(const Mesh& mesh, const MeasuredSurface& surface) {
  WeightChange change;
  if (mesh.weights.empty() || mesh.polygons.count() == 0) return change;
  measure_gradient(mesh, surface, change);
  measure_seams(mesh, change);
  return change;
}

}  // namespace dermis
