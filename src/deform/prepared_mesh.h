// SPDX-License-Identifier: MIT
// One mesh made ready for a stack, with a place for every normal and tangent that its corners show.
#pragma once

#include <optional>
#include <vector>

#include "dermis/deform.h"

namespace dermis {

// What a posed corner value depends on.
struct CornerKey {
  Index point = 0, normal = kNone, tangent = kNone;
  friend bool operator==(const CornerKey&, const CornerKey&) = default;
};

// Values of the corners: corner c shows entry entries[corner_value[c]].
struct CornerValues {
  std::vector<std::size_t> entries;
  std::vector<Index> corner_value;
};

// Deformers work on entries: the points of the mesh, then, where normals or tangents are on corners, one more
// for each key. A file may share one normal between corners whose points move apart, so keys name the point.
// Everything a method needs has a value for each entry; the first of them are those of the points.
struct PreparedMesh {
  const Mesh* mesh = nullptr;
  bool is_skinned = false;
  std::vector<CornerKey> keys;
  CornerValues corner_normals, corner_tangents;  // empty: they are per point, or absent
  Surface rest;                                  // of the entries, without shapes

  // Of a skinned mesh:
  std::vector<Index> used_slots;
  bool is_on_kernel = false;
  SkinBlocks blocks;                         // on a kernel
  RestBlocks rest_blocks;                    // on a kernel; of the points alone in direct_delta_mush
  JointSets sets;                            // spherical on its kernel
  std::vector<float> dqs_share;              // lbs_dqs
  std::vector<Vec3> centres;                 // cor, and dqs with bulge correction
  std::size_t centreless_count = 0;          // blended points without a centre of their own
  RestBlocks centre_blocks;                  // cor on its kernel
  std::optional<WeightGradients> gradients;  // mode exact; of the points, without shapes
  std::vector<Mat3> centre_gradients;        // mode exact of cor; of the points, without shapes
  DirectDeltaMush direct_delta_mush;
  DirectDeltaMushBlocks direct_blocks;  // of the same
  std::vector<DeltaMush> posed;         // one for each posed stage
  std::optional<SurfaceTurns> turns;    // where normals and tangents are measured

  std::span<const Vec3> point_centres() const { return std::span(centres).first(point_count()); }
  std::size_t point_count() const { return mesh->points.size(); }
  std::size_t entry_count() const { return mesh->points.size() + keys.size(); }
  std::size_t point_of(std::size_t entry) const {
    const std::size_t count = point_count();
    return entry < count ? entry : static_cast<std::size_t>(keys[entry - count].point);
  }
};

// Fails as the preparations of the stages do.
Result<PreparedMesh> prepare_mesh(const Mesh& mesh, bool is_skinned, const DeformOptions& options,
                                  const Progress& progress);

// The rest surface of the entries, when that of the points is `shaped`.
Surface entry_surface(const PreparedMesh& prepared, Surface shaped);

// Poses all entries in world space; after posed stages the points of keys are not kept up. `palette` is that
// of the skin, or the node's transform alone. Fails when a stage takes a point out of the range of float.
Result<Surface> pose_entries(const PreparedMesh& prepared, const DeformOptions& options,
                             std::span<const Affined> palette, std::span<const float> shape_weights);

// True when every joint the mesh follows mirrors: then outside is where the corners turn clockwise.
bool is_turned_inside_out(const PreparedMesh& prepared, std::span<const Affined> palette);

}  // namespace dermis
