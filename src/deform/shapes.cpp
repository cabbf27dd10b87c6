// SPDX-License-Identifier: MIT
// Adds blend shapes to the rest surface.
#include <algorithm>
#include <cassert>

#include "dermis/deform.h"

namespace dermis {
namespace {

// `values` plus the weighted offsets, summed in double and rounded once. `offsets_of` picks the offsets of a
// shape, which may be empty; `is_direction` values that were moved become unit again.
template <class OffsetsOf>
void add_offsets(const Mesh& mesh, std::span<const float> weights, const OffsetsOf& offsets_of,
                 bool is_direction, std::vector<Vec3>& values) {
  std::vector<Vec3d> sums(values.begin(), values.end());
  std::vector<bool> is_moved(values.size(), false);
  for (std::size_t s = 0; s < mesh.shapes.size(); ++s) {
    const Shape& shape = mesh.shapes[s];
    const std::vector<Vec3>& offsets = offsets_of(shape);
    if (weights[s] == 0 || offsets.empty()) continue;
    for (std::size_t k = 0; k < shape.points.size(); ++k) {
      const std::size_t v = static_cast<std::size_t>(shape.points[k]);
      sums[v] += Vec3d(offsets[k]) * static_cast<double>(weights[s]);
      is_moved[v] = true;
    }
  }
  for (std::size_t v = 0; v < values.size(); ++v) {
    if (is_moved[v]) values[v] = Vec3(is_direction ? normalized(sums[v]) : sums[v]);
  }
}

}  // namespace

Surface shaped_surface(const Mesh& mesh, std::span<const float> shape_weights) {
  assert(shape_weights.size() == mesh.shapes.size());
  Surface surface;
  surface.points = mesh.points;
  if (mesh.normals.is_per_point()) surface.normals = mesh.normals.values;
  if (mesh.tangents.is_per_point()) surface.tangents = mesh.tangents.values;
  const auto is_active = [](float weight) { return weight != 0; };
  if (std::none_of(shape_weights.begin(), shape_weights.end(), is_active)) return surface;

  const auto offsets_of = [](const Shape& shape) -> const std::vector<Vec3>& { return shape.offsets; };
  add_offsets(mesh, shape_weights, offsets_of, false, surface.points);
  if (!surface.normals.empty()) {
    const auto normals_of = [](const Shape& shape) -> const std::vector<Vec3>& { return shape.normals; };
    add_offsets(mesh, shape_weights, normals_of, true, surface.normals);
  }
  if (!surface.tangents.empty()) {
    std::vector<Vec3> directions;
    directions.reserve(surface.tangents.size());
    for (const Vec4& tangent : surface.tangents) directions.push_back(tangent.xyz());
    const auto tangents_of = [](const Shape& shape) -> const std::vector<Vec3>& { return shape.tangents; };
    add_offsets(mesh, shape_weights, tangents_of, true, directions);
    for (std::size_t v = 0; v < directions.size(); ++v) {
      surface.tangents[v] = {directions[v].x, directions[v].y, directions[v].z, surface.tangents[v].w};
    }
  }
  return surface;
}

}  // namespace dermis
