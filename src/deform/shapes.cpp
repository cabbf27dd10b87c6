// SPDX-License-Identifier: MIT
// Adds blend shapes to the rest surface.
#include <algorithm>
#include <cassert>
#include <cstdint>

#include "deform/stages.h"

namespace dermis {
namespace {

struct ShapesState final : StageState {
  std::vector<Vec3d> sums;
  std::vector<std::uint8_t> is_moved;
};

bool is_any_active(std::span<const float> weights) {
  return std::any_of(weights.begin(), weights.end(), [](float weight) { return weight != 0; });
}

Vec3 direction_of_value(const Vec3& value) { return value; }
Vec3 direction_of_value(const Vec4& value) { return value.xyz(); }
void set_direction(Vec3& value, const Vec3& direction) { value = direction; }
void set_direction(Vec4& value, const Vec3& direction) {
  value = {direction.x, direction.y, direction.z, value.w};
}

// `values` plus the weighted `offsets` of the shapes, which may be empty, summed in double and rounded once.
// Directions that were moved are normalised again.
template <class Value>
void add_offsets(const Mesh& mesh, std::span<const float> weights, std::vector<Vec3> Shape::*offsets,
                 bool is_direction, std::span<Value> values, ShapesState& state) {
  state.sums.resize(values.size());
  state.is_moved.assign(values.size(), 0);
  for (std::size_t s = 0; s < mesh.shapes.size(); ++s) {
    const Shape& shape = mesh.shapes[s];
    const std::vector<Vec3>& added = shape.*offsets;
    if (weights[s] == 0 || added.empty()) continue;
    for (std::size_t k = 0; k < shape.points.size(); ++k) {
      const std::size_t v = static_cast<std::size_t>(shape.points[k]);
      if (state.is_moved[v] == 0) state.sums[v] = Vec3d(direction_of_value(values[v]));
      state.sums[v] += Vec3d(added[k]) * static_cast<double>(weights[s]);
      state.is_moved[v] = 1;
    }
  }
  for (std::size_t v = 0; v < values.size(); ++v) {
    if (state.is_moved[v] != 0)
      set_direction(values[v], Vec3(is_direction ? normalized(state.sums[v]) : state.sums[v]));
  }
}

// Entries after the point entries are not changed.
void add_shapes(const Mesh& mesh, std::span<const float> weights, Surface& surface, ShapesState& state) {
  const std::size_t count = mesh.points.size();
  add_offsets<Vec3>(mesh, weights, &Shape::offsets, false, std::span(surface.points).first(count), state);
  if (mesh.normals.is_per_point() && !surface.normals.empty())
    add_offsets<Vec3>(mesh, weights, &Shape::normals, true, std::span(surface.normals).first(count), state);
  if (mesh.tangents.is_per_point() && !surface.tangents.empty())
    add_offsets<Vec4>(mesh, weights, &Shape::tangents, true, std::span(surface.tangents).first(count), state);
}

class ShapesStage final : public Stage {
 public:
  explicit ShapesStage(const Mesh& mesh) : mesh_(mesh) {}

  std::unique_ptr<StageState> make_state() const override { return std::make_unique<ShapesState>(); }
  bool is_idle(const PoseFrame& frame, Index instance) const override {
    return !is_any_active(frame.shape_weights[static_cast<std::size_t>(instance)]);
  }
  Status apply(const PoseFrame& frame, Surface& surface, StageState& state) const override {
    const std::vector<float>& weights = frame.shape_weights[static_cast<std::size_t>(state.instance)];
    add_shapes(mesh_, weights, surface, static_cast<ShapesState&>(state));
    return Done{};
  }

 private:
  const Mesh& mesh_;
};

}  // namespace

Result<PreparedStage> prepare_shapes(const StageInput& input, const Progress& /*progress*/) {
  return PreparedStage{std::make_shared<const ShapesStage>(mesh_of(input)), {}};
}

Surface shaped_surface(const Mesh& mesh, std::span<const float> shape_weights) {
  assert(shape_weights.size() == mesh.shapes.size());
  Surface surface;
  surface.points = mesh.points;
  if (mesh.normals.is_per_point()) surface.normals = mesh.normals.values;
  if (mesh.tangents.is_per_point()) surface.tangents = mesh.tangents.values;
  if (!is_any_active(shape_weights)) return surface;
  ShapesState state;
  add_shapes(mesh, shape_weights, surface, state);
  return surface;
}

}  // namespace dermis
