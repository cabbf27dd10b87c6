// SPDX-License-Identifier: MIT
// Copies points of a mesh with everything that belongs to them, in any order and any number of times.
#include "dermis/model.h"

namespace dermis {
namespace {

WeightRows taken_rows(const WeightRows& rows, std::span<const Index> source) {
  WeightRows taken;
  if (rows.empty()) return taken;
  taken.first.reserve(source.size() + 1);
  taken.influences.reserve(rows.influences.size());
  taken.first.push_back(0);
  for (const Index from : source) {
    const std::span<const Influence> row = rows.row(at(from));
    taken.influences.insert(taken.influences.end(), row.begin(), row.end());
    taken.first.push_back(static_cast<std::uint32_t>(taken.influences.size()));
  }
  return taken;
}

// `entry_of` is kNone for all points, before and after.
Shape taken_shape(const Shape& shape, std::span<const Index> source, std::vector<Index>& entry_of) {
  const auto& [name, points, offsets, normals, tangents] = shape;
  for (std::size_t k = 0; k < points.size(); ++k) entry_of[at(points[k])] = static_cast<Index>(k);
  Shape taken;
  taken.name = name;
  for (std::size_t v = 0; v < source.size(); ++v) {
    const Index entry = entry_of[at(source[v])];
    if (entry == kNone) continue;
    taken.points.push_back(static_cast<Index>(v));
    taken.offsets.push_back(offsets[at(entry)]);
    if (!normals.empty()) taken.normals.push_back(normals[at(entry)]);
    if (!tangents.empty()) taken.tangents.push_back(tangents[at(entry)]);
  }
  for (const Index point : points) entry_of[at(point)] = kNone;
  return taken;
}

}  // namespace

Mesh take_points(const Mesh& mesh, std::span<const Index> source) {
  Mesh taken;
  taken.name = mesh.name;
  taken.points = mesh.points;
  taken.normals = mesh.normals;
  taken.tangents = mesh.tangents;
  taken.uvs = mesh.uvs;
  taken.colours = mesh.colours;
  taken.dqs_share = mesh.dqs_share;
  for_each_point_array(taken, [&]<class Value>(std::vector<Value>& values) {
    if (values.empty()) return;
    std::vector<Value> moved;
    moved.reserve(source.size());
    for (const Index from : source) moved.push_back(values[at(from)]);
    values = std::move(moved);
  });
  taken.weights = taken_rows(mesh.weights, source);
  std::vector<Index> entry_of(mesh.points.size(), kNone);
  for (const Shape& shape : mesh.shapes) taken.shapes.push_back(taken_shape(shape, source, entry_of));
  taken.weld = weld_coincident(taken.points);
  return taken;
}

}  // namespace dermis
