// SPDX-License-Identifier: MIT
// Points in the order in which kernels like them best.
#include <algorithm>
#include <numeric>

#include "dermis/deform.h"

namespace dermis {
namespace {

template <class Value>
void permute(std::vector<Value>& values, const std::vector<Index>& source) {
  if (values.empty()) return;
  std::vector<Value> moved;
  moved.reserve(values.size());
  for (const Index from : source) moved.push_back(values[static_cast<std::size_t>(from)]);
  values = std::move(moved);
}

template <class Value>
void permute(Attribute<Value>& attribute, const std::vector<Index>& source) {
  if (attribute.is_per_point()) permute(attribute.values, source);
}

WeightRows permuted_rows(const WeightRows& rows, const std::vector<Index>& source) {
  WeightRows moved;
  moved.first.reserve(rows.first.size());
  moved.influences.reserve(rows.influences.size());
  moved.first.push_back(0);
  for (const Index from : source) {
    const std::span<const Influence> row = rows.row(static_cast<std::size_t>(from));
    moved.influences.insert(moved.influences.end(), row.begin(), row.end());
    moved.first.push_back(static_cast<std::uint32_t>(moved.influences.size()));
  }
  return moved;
}

// Its points rise, so they are sorted anew, and their values with them.
void permute_shape(Shape& shape, const std::vector<Index>& target) {
  std::vector<Index> order(shape.points.size());
  std::iota(order.begin(), order.end(), 0);
  for (Index& point : shape.points) point = target[static_cast<std::size_t>(point)];
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    return shape.points[static_cast<std::size_t>(a)] < shape.points[static_cast<std::size_t>(b)];
  });
  permute(shape.points, order);
  permute(shape.offsets, order);
  permute(shape.normals, order);
  permute(shape.tangents, order);
}

// For each point the place of its joint set among all sets in lexicographic order.
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

  permute(mesh.points, source);
  permute(mesh.normals, source);
  permute(mesh.tangents, source);
  for (Attribute<Vec2>& uv : mesh.uvs) permute(uv, source);
  for (Attribute<Vec4>& colour : mesh.colours) permute(colour, source);
  for (Index& corner : mesh.polygons.corners) corner = target[static_cast<std::size_t>(corner)];
  for (Shape& shape : mesh.shapes) permute_shape(shape, target);
  mesh.weights = permuted_rows(mesh.weights, source);
  permute(mesh.dqs_share, source);
  mesh.weld = weld_coincident(mesh.points);
  return source;
}

}  // namespace dermis
