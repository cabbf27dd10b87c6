// SPDX-License-Identifier: MIT
// One mesh prepared for a stack, with an entry for every normal and tangent on its corners.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "dermis/deform.h"

namespace dermis {

// What a posed corner value depends on.
struct CornerKey {
  Index point = 0, normal = kNone, tangent = kNone;
  friend bool operator==(const CornerKey&, const CornerKey&) = default;
};

// Values of the corners: corner c has entry entries[corner_value[c]].
struct CornerValues {
  std::vector<std::size_t> entries;
  std::vector<Index> corner_value;
};

// Stages work on entries: the points of the mesh, then, if normals or tangents are per corner, one more for
// each key. A file may share one normal between corners whose points move differently, so keys include the
// point. Stages refer to this struct, so it must not move.
struct PreparedMesh {
  struct Step {
    const StageRow* row = nullptr;  // null: the node's transform
    std::shared_ptr<const Stage> stage;
  };
  const Mesh* mesh = nullptr;
  bool is_skinned = false;
  std::vector<CornerKey> keys;
  std::vector<Index> corner_points;              // of the keys
  CornerValues corner_normals, corner_tangents;  // empty: they are per point, or absent
  Surface rest;                                  // of the entries, before rest stages
  std::vector<Index> used_slots;                 // of a skinned mesh
  std::vector<Step> rest_steps;
  Step skin;
  std::vector<Step> posed_steps;
  std::optional<SurfaceTurns> turns;  // if normals and tangents are measured
  Notes notes;

  std::size_t point_count() const { return mesh->points.size(); }
  std::size_t point_of(std::size_t entry) const {
    const std::size_t count = point_count();
    return entry < count ? entry : static_cast<std::size_t>(keys[entry - count].point);
  }
};

// What posing one instance needs besides its PreparedMesh.
struct InstanceState {
  std::shared_ptr<const PreparedMesh> prepared;  // whose stages made the states below
  std::vector<std::unique_ptr<StageState>> rest_states;
  std::unique_ptr<StageState> skin_state;
  std::vector<std::unique_ptr<StageState>> posed_states;
  Surface moved_rest;
  std::vector<float> scales;
  SurfaceTurnsScratch turns;
};

// Prepares mesh `mesh` for the full stack. Fails as the preparations of the stages do.
Result<std::shared_ptr<const PreparedMesh>> prepare_mesh(const Character& character, Index mesh,
                                                         bool is_skinned, const Stack& stack,
                                                         NormalMode normals, const Progress& progress);

// Poses all entries of an instance in world space; after stages that measure normals, the points of keys are
// not updated. `state` may be new or reused. Fails if a stage does, or moves a point out of the range of
// float.
Status pose_entries(const std::shared_ptr<const PreparedMesh>& ready, const Character& character,
                    const PoseFrame& frame, Index instance, InstanceState& state, Surface& posed);

// Its two halves: the rest surface of all entries in this frame, and the pose of any rest surface.
Result<const Surface*> rest_entries(const std::shared_ptr<const PreparedMesh>& ready, const PoseFrame& frame,
                                    Index instance, InstanceState& state);
Status pose_rest_entries(const PreparedMesh& prepared, const Character& character, const PoseFrame& frame,
                         Index instance, const Surface& rest, InstanceState& state, Surface& posed);
// Copies values from points to the corners of a rest surface.
void carry_to_corners(const PreparedMesh& prepared, Surface& rest);

// What moves one instance: the palette of its skin, or only its node.
std::span<const Affined> transforms_of(const PreparedMesh& prepared, const Instance& instance,
                                       const PoseFrame& frame);
// True if every joint the mesh follows mirrors: then polygons are clockwise seen from outside.
bool is_turned_inside_out(const PreparedMesh& prepared, std::span<const Affined> transforms);

}  // namespace dermis
