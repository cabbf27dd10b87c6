// SPDX-License-Identifier: MIT
// Adds blend shapes to the rest surface.
#include <algorithm>
#include <cassert>
#include <cstdint>

#include "deform/directions.h"
#include "deform/kernels/shape_job.h"
#include "deform/sizes.h"
#include "deform/stages.h"

namespace dermis {
namespace {

using Offsets = std::vector<Vec3> Shape::*;

struct ShapesState final : StageState {
  std::vector<ShapeEntries> active;
  // Points as they came, and with those shapes that store how directions change.
  std::vector<Vec3> still_points, stored_points;
  std::vector<Vec3> turned_normals;
  std::vector<Vec4> turned_tangents;
  SurfaceTurnsScratch turns;
  std::vector<std::uint8_t> is_turned;  // by welded point
};

bool is_any_active(std::span<const float> weights) {
  return std::any_of(weights.begin(), weights.end(), [](float weight) { return weight != 0; });
}

// True for a shape that moves points and does not say how it changes their normals (or tangents).
bool lacks(const Shape& shape, Offsets directions) {
  return (shape.*directions).empty() && !shape.points.empty();
}

bool is_any_lacking(const Mesh& mesh, std::span<const float> weights, Offsets directions) {
  for (std::size_t s = 0; s < mesh.shapes.size(); ++s)
    if (weights[s] != 0 && lacks(mesh.shapes[s], directions)) return true;
  return false;
}

// Whether the same active shapes lack normals and tangents.
bool lack_both(const Mesh& mesh, std::span<const float> weights) {
  for (std::size_t s = 0; s < mesh.shapes.size(); ++s)
    if (weights[s] != 0 && lacks(mesh.shapes[s], &Shape::normals) != lacks(mesh.shapes[s], &Shape::tangents))
      return false;
  return true;
}

// Adds the offsets of the active shapes, or of those that store `needed` too, to values `stride` numbers
// apart.
void add_offsets(const ShapeRuns& runs, std::span<const float> weights, Offsets offsets, Offsets needed,
                 float* values, std::size_t stride, std::vector<ShapeEntries>& active) {
  const std::vector<Shape>& shapes = runs.mesh->shapes;
  active.clear();
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    if (weights[s] == 0 || (shapes[s].*offsets).empty() || (shapes[s].*needed).empty()) continue;
    active.push_back({static_cast<double>(weights[s]), shapes[s].points.size(), shapes[s].points.data(),
                      &(shapes[s].*offsets).data()->x, runs.first.data() + s * (runs.run_count + 1)});
  }
  const bool is_direction = offsets != &Shape::offsets;
  if (!active.empty()) run_shape_job({active, runs.mesh->points.size(), values, stride, is_direction});
}

// Makes a tangent that turned apart from its normal perpendicular to it again.
Vec4 flat_tangent(const Vec4& tangent, const Vec3& normal) {
  const Vec3d n = normalized(Vec3d(normal)), t(tangent.xyz());
  const Vec3d flat = normalized(t - n * dot(n, t));
  if (flat == Vec3d{}) return tangent;
  const Vec3 unit(flat);
  return {unit.x, unit.y, unit.z, tangent.w};
}

class ShapesStage final : public Stage {
 public:
  explicit ShapesStage(const StageInput& input) : mesh_(mesh_of(input)), runs_(prepare_shape_runs(mesh_)) {
    const auto is_without = [&](Offsets directions) {
      return std::any_of(mesh_.shapes.begin(), mesh_.shapes.end(),
                         [&](const Shape& shape) { return lacks(shape, directions); });
    };
    turns_normals_ = !mesh_.normals.empty() && is_without(&Shape::normals);
    turns_tangents_ = !mesh_.tangents.empty() && is_without(&Shape::tangents);
    if (!turns_normals_ && !turns_tangents_) return;
    turns_ = prepare_surface_turns(mesh_);
    for (const Index point : input.corner_points)
      turns_.welded.push_back(turns_.welded[static_cast<std::size_t>(point)]);
  }

  std::unique_ptr<StageState> make_state() const override { return std::make_unique<ShapesState>(); }
  bool is_idle(const PoseFrame& frame, Index instance) const override {
    return !is_any_active(frame.shape_weights[static_cast<std::size_t>(instance)]);
  }
  Status apply(const PoseFrame& frame, Surface& surface, StageState& base) const override {
    const std::vector<float>& weights = frame.shape_weights[static_cast<std::size_t>(base.instance)];
    ShapesState& state = static_cast<ShapesState&>(base);
    const bool turns_normals =
        turns_normals_ && !surface.normals.empty() && is_any_lacking(mesh_, weights, &Shape::normals);
    const bool turns_tangents =
        turns_tangents_ && !surface.tangents.empty() && is_any_lacking(mesh_, weights, &Shape::tangents);
    if (turns_normals || turns_tangents)
      state.still_points.assign(surface.points.begin(), surface.points.end());
    add_shapes(runs_, weights, {surface.points, surface.normals, surface.tangents}, state.active);
    const bool is_once = turns_normals && turns_tangents && lack_both(mesh_, weights);
    if (turns_normals) turn(weights, &Shape::normals, true, is_once, surface, state);
    if (turns_tangents && !is_once) turn(weights, &Shape::tangents, false, true, surface, state);
    return Done{};
  }

 private:
  // Turns normals, tangents or both as the surface turns when the shapes without such offsets are added to
  // the others. Where none of them moves the surface, directions stay as they are.
  void turn(std::span<const float> weights, Offsets stored, bool has_normals, bool has_tangents,
            Surface& surface, ShapesState& state) const {
    state.stored_points.assign(state.still_points.begin(), state.still_points.end());
    add_offsets(runs_, weights, &Shape::offsets, stored, &state.stored_points.data()->x, 3, state.active);
    state.turned_normals.resize(has_normals ? surface.normals.size() : 0);
    state.turned_tangents.resize(has_tangents ? surface.tangents.size() : 0);
    RestSurface before{state.stored_points, {}, {}};
    if (has_normals) before.normals = surface.normals;
    if (has_tangents) before.tangents = surface.tangents;
    turn_surface(turns_, before, surface.points, {}, {{}, state.turned_normals, state.turned_tangents},
                 state.turns);
    find_moved(state.stored_points, surface.points, state.is_turned);
    for (std::size_t v = 0; v < turns_.welded.size(); ++v) {
      if (state.is_turned[turns_.welded[v]] == 0) continue;
      if (has_normals) surface.normals[v] = state.turned_normals[v];
      if (!has_tangents) continue;
      surface.tangents[v] = state.turned_tangents[v];
      if (!has_normals && !surface.normals.empty())
        surface.tangents[v] = flat_tangent(surface.tangents[v], surface.normals[v]);
    }
  }

  // The welded points at a corner of a triangle that changed.
  void find_moved(std::span<const Vec3> before, std::span<const Vec3> after,
                  std::vector<std::uint8_t>& is_turned) const {
    is_turned.assign(turns_.around_first.size() - 1, 0);
    const std::vector<std::uint32_t>& corners = turns_.triangles;
    for (std::size_t t = 0; t < corners.size(); t += 3) {
      const auto moved = [&](std::size_t c) { return before[corners[t + c]] != after[corners[t + c]]; };
      if (!moved(0) && !moved(1) && !moved(2)) continue;
      for (std::size_t c = 0; c < 3; ++c) is_turned[turns_.welded[corners[t + c]]] = 1;
    }
  }

  const Mesh& mesh_;
  ShapeRuns runs_;
  SurfaceTurns turns_;  // of all entries; empty if nothing turns
  bool turns_normals_ = false, turns_tangents_ = false;
};

}  // namespace

ShapeRuns prepare_shape_runs(const Mesh& mesh) {
  ShapeRuns runs;
  runs.mesh = &mesh;
  runs.run_count = (mesh.points.size() + kShapeRun - 1) / kShapeRun;
  runs.first.reserve(mesh.shapes.size() * (runs.run_count + 1));
  for (const Shape& shape : mesh.shapes) {
    std::size_t k = 0;
    for (std::size_t run = 0; run <= runs.run_count; ++run) {
      while (k < shape.points.size() && static_cast<std::size_t>(shape.points[k]) < run * kShapeRun) ++k;
      runs.first.push_back(static_cast<std::uint32_t>(k));
    }
  }
  return runs;
}

void add_shapes(const ShapeRuns& runs, std::span<const float> weights, const PosedSurface& surface,
                std::vector<ShapeEntries>& scratch) {
  const Mesh& mesh = *runs.mesh;
  const std::size_t count = mesh.points.size();
  require(weights.size() == mesh.shapes.size() && surface.points.size() >= count);
  require(surface.normals.empty() || surface.normals.size() >= count);
  require(surface.tangents.empty() || surface.tangents.size() >= count);
  add_offsets(runs, weights, &Shape::offsets, &Shape::offsets, &surface.points.data()->x, 3, scratch);
  if (mesh.normals.is_per_point() && !surface.normals.empty())
    add_offsets(runs, weights, &Shape::normals, &Shape::normals, &surface.normals.data()->x, 3, scratch);
  if (mesh.tangents.is_per_point() && !surface.tangents.empty())
    add_offsets(runs, weights, &Shape::tangents, &Shape::tangents, &surface.tangents.data()->x, 4, scratch);
}

Result<PreparedStage> prepare_shapes(const StageInput& input, const Progress& /*progress*/) {
  return PreparedStage{std::make_shared<const ShapesStage>(input), {}};
}

// ---- The plain reference --------------------------------------------------------------------------------

namespace {

// `values` plus the weighted `offsets` of the shapes, which may be empty, point by point. Directions that
// change are made unit.
template <class Value>
void add_plainly(const Mesh& mesh, std::span<const float> weights, Offsets offsets,
                 std::vector<Value>& values) {
  std::vector<Vec3d> sums;
  sums.reserve(values.size());
  for (const Value& value : values) sums.emplace_back(direction_in(value));
  for (std::size_t s = 0; s < mesh.shapes.size(); ++s) {
    const std::vector<Vec3>& added = mesh.shapes[s].*offsets;
    for (std::size_t k = 0; k < added.size() && weights[s] != 0 && !values.empty(); ++k)
      sums[at(mesh.shapes[s].points[k])] += Vec3d(added[k]) * static_cast<double>(weights[s]);
  }
  for (std::size_t v = 0; v < values.size(); ++v) {
    const bool is_moved = sums[v] != Vec3d(direction_in(values[v]));
    if (is_moved)
      replace_direction(values[v], Vec3(offsets == &Shape::offsets ? sums[v] : normalized(sums[v])));
  }
}

}  // namespace

Surface shaped_surface(const Mesh& mesh, std::span<const float> shape_weights) {
  assert(shape_weights.size() == mesh.shapes.size());
  Surface surface;
  surface.points = mesh.points;
  add_plainly(mesh, shape_weights, &Shape::offsets, surface.points);
  if (mesh.normals.is_per_point()) {
    surface.normals = mesh.normals.values;
    add_plainly(mesh, shape_weights, &Shape::normals, surface.normals);
  }
  if (mesh.tangents.is_per_point()) {
    surface.tangents = mesh.tangents.values;
    add_plainly(mesh, shape_weights, &Shape::tangents, surface.tangents);
  }
  return surface;
}

}  // namespace dermis
