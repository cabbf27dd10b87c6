// SPDX-License-Identifier: MIT
// Sorts points into the order that is fastest for kernels.
#include <algorithm>
#include <numeric>

#include "dermis/deform.h"

namespace dermis {
namespace {

// For each point, the rank of its joint set among all sets in lexicographic order.
std::vector<Index> set_ranks(const WeightRows& rows) {
  const JointSets found = joint_sets(rows);
  std::vector<Index> order(found.sets.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    return found.sets[static_cast<std::size_t>(a)] < found.sets[static_cast<std::size_t>(b)];
  });
  std::vector<Index> rank(found.sets.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    rank[static_cast<std::size_t>(order[k])] = static_cast<Index>(k);
  std::vector<Index> ranks;
  for (std::size_t v = 0; v + 1 < rows.first.size(); ++v) ranks.push_back(rank[found.set_of_point[v]]);
  return ranks;
}

}  // namespace

std::vector<Index> reorder_for_skinning(Mesh& mesh) {
  std::vector<Index> source(mesh.points.size());
  std::iota(source.begin(), source.end(), 0);
  if (mesh.weights.empty()) return source;
  const std::vector<Index> ranks = set_ranks(mesh.weights);
  const auto key = [&](Index v) {
    const std::size_t at = static_cast<std::size_t>(v);
    return std::pair(ranks[at], mesh.weights.row(at).front().slot);
  };
  for (const MeshPart& part : mesh.parts) {
    const auto first = source.begin() + part.first_point;
    std::stable_sort(first, first + part.point_count, [&](Index a, Index b) { return key(a) < key(b); });
  }
  std::vector<Index> target(source.size());
  for (std::size_t v = 0; v < source.size(); ++v)
    target[static_cast<std::size_t>(source[v])] = static_cast<Index>(v);

  Mesh moved = take_points(mesh, source);
  moved.polygons = std::move(mesh.polygons);
  moved.parts = std::move(mesh.parts);
  for (Index& corner : moved.polygons.corners) corner = target[static_cast<std::size_t>(corner)];
  mesh = std::move(moved);
  return source;
}

}  // namespace dermis
