// SPDX-License-Identifier: MIT
// Runs a stack on one prepared mesh: rest stages, the skin, posed stages, measured normals.
#include <fmt/format.h>

#include <algorithm>

#include "deform/prepared_mesh.h"

namespace dermis {
namespace {

using Step = PreparedMesh::Step;

// An existing state is reused only for the mesh it was made for.
void make_states(const std::shared_ptr<const PreparedMesh>& ready, InstanceState& state) {
  if (state.prepared == ready) return;
  const PreparedMesh& prepared = *ready;
  state = {};
  for (const Step& step : prepared.rest_steps) state.rest_states.push_back(step.stage->make_state());
  state.skin_state = prepared.skin.stage->make_state();
  for (const Step& step : prepared.posed_steps) state.posed_states.push_back(step.stage->make_state());
  state.prepared = ready;
}

// `stage` names what moved the points last.
Status check_range(const PreparedMesh& prepared, std::span<const Vec3> points, std::string_view stage) {
  const auto is_bad = [](const Vec3& point) { return !is_finite(point); };
  const auto bad = std::find_if(points.begin(), points.end(), is_bad);
  if (bad == points.end()) return Done{};
  std::string words(stage);
  std::replace(words.begin(), words.end(), '_', ' ');
  return Error{Errc::bad_rig, fmt::format("mesh {}: {} moves point {} out of the range of 32-bit numbers",
                                          quoted_name(prepared.mesh->name), words,
                                          prepared.point_of(static_cast<std::size_t>(bad - points.begin())))};
}

// The rest surface after the rest stages.
Result<const Surface*> run_rest_stages(const PreparedMesh& prepared, const PoseFrame& frame, Index instance,
                                       InstanceState& state) {
  const Surface* rest = &prepared.rest;
  for (std::size_t k = 0; k < prepared.rest_steps.size(); ++k) {
    const Stage& stage = *prepared.rest_steps[k].stage;
    if (stage.is_idle(frame, instance)) continue;
    if (rest == &prepared.rest) state.moved_rest = prepared.rest;
    rest = &state.moved_rest;
    StageState& own = *state.rest_states[k];
    own.instance = instance;
    own.rest = &prepared.rest;
    if (Status s = stage.apply(frame, state.moved_rest, own); !s) return s.error();
    carry_to_corners(prepared, state.moved_rest);
  }
  return rest;
}

void tell(StageState& own, Index instance, const PreparedMesh& prepared, const Surface& rest) {
  own.instance = instance;
  own.rest = &rest;
  own.is_rest_moved = &rest != &prepared.rest;
}

}  // namespace

void carry_to_corners(const PreparedMesh& prepared, Surface& rest) {
  const std::size_t count = prepared.point_count();
  const bool has_normals = prepared.mesh->normals.is_per_point() && !rest.normals.empty();
  const bool has_tangents = prepared.mesh->tangents.is_per_point() && !rest.tangents.empty();
  for (std::size_t k = 0; k < prepared.keys.size(); ++k) {
    const CornerKey& key = prepared.keys[k];
    rest.points[count + k] = rest.points[static_cast<std::size_t>(key.point)];
    if (has_normals) rest.normals[count + k] = rest.normals[static_cast<std::size_t>(key.normal)];
    if (has_tangents) rest.tangents[count + k] = rest.tangents[static_cast<std::size_t>(key.tangent)];
  }
}

std::span<const Affined> transforms_of(const PreparedMesh& prepared, const Instance& instance,
                                       const PoseFrame& frame) {
  if (prepared.is_skinned) return frame.palette_of(instance.skin);
  return {&frame.world_from_node[static_cast<std::size_t>(instance.node)], 1};
}

bool is_turned_inside_out(const PreparedMesh& prepared, std::span<const Affined> transforms) {
  if (!prepared.is_skinned) return determinant(transforms.front().linear) < 0;
  const std::vector<Index>& slots = prepared.used_slots;
  return !slots.empty() && std::all_of(slots.begin(), slots.end(), [&](Index slot) {
    return determinant(transforms[static_cast<std::size_t>(slot)].linear) < 0;
  });
}

Result<const Surface*> rest_entries(const std::shared_ptr<const PreparedMesh>& ready, const PoseFrame& frame,
                                    Index instance, InstanceState& state) {
  make_states(ready, state);
  return run_rest_stages(*ready, frame, instance, state);
}

Status pose_entries(const std::shared_ptr<const PreparedMesh>& ready, const Character& character,
                    const PoseFrame& frame, Index instance, InstanceState& state, Surface& posed) {
  const Result<const Surface*> rest = rest_entries(ready, frame, instance, state);
  if (!rest) return rest.error();
  return pose_rest_entries(*ready, character, frame, instance, **rest, state, posed);
}

Status pose_rest_entries(const PreparedMesh& prepared, const Character& character, const PoseFrame& frame,
                         Index instance, const Surface& rest, InstanceState& state, Surface& posed) {
  posed.points.resize(rest.points.size());
  posed.normals.resize(rest.normals.size());
  posed.tangents.resize(rest.tangents.size());
  tell(*state.skin_state, instance, prepared, rest);
  if (Status s = prepared.skin.stage->apply(frame, posed, *state.skin_state); !s) return s;
  if (Status s = check_range(prepared, posed.points, "the pose"); !s) return s;
  if (prepared.turns) {
    state.scales.resize(prepared.point_count());
    const Instance& shown = character.instances[static_cast<std::size_t>(instance)];
    blended_scales(prepared.mesh->weights, transforms_of(prepared, shown, frame), state.scales);
  }
  for (std::size_t k = 0; k < prepared.posed_steps.size(); ++k) {
    const Step& step = prepared.posed_steps[k];
    StageState& own = *state.posed_states[k];
    tell(own, instance, prepared, rest);
    own.scales = state.scales;
    if (step.stage->is_idle(frame, instance)) continue;
    if (Status s = step.stage->apply(frame, posed, own); !s) return s;
    if (Status s = check_range(prepared, posed.points, step.row->name); !s) return s;
  }
  if (prepared.turns && (!posed.normals.empty() || !posed.tangents.empty())) {
    turn_surface(*prepared.turns, {rest.points, rest.normals, rest.tangents}, posed.points, state.scales,
                 {{}, posed.normals, posed.tangents}, state.turns);
  }
  return Done{};
}

}  // namespace dermis
