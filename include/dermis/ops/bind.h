// SPDX-License-Identifier: MIT
// Automatic weights: the verb bind and the table of its methods.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dermis/base.h"
#include "dermis/bind.h"
#include "dermis/io.h"
#include "dermis/ops/run.h"

namespace dermis {

// Options of all methods; each reads its own.
struct BindOptions {
  HeatOptions heat;
  VoxelOptions voxel;
  BiharmonicOptions biharmonic;
  DistanceOptions distance;
};
// One way to automatic weights. Help, documents and errors come from this table.
struct BindMethodRow {
  const char* name;  // one spelling everywhere
  const char* idea;
  const char* suits;   // what it is good for
  const char* limits;  // where it is not
  const char* paper;
  Result<BoundRows> (*bind)(const BindSurface& surface, const BindSkeleton& skeleton,
                            const BindOptions& options, const Progress& progress);
};
std::span<const BindMethodRow> bind_methods();  // the default first
// By name; Errc::usage lists the known ones.
Result<const BindMethodRow*> find_bind_method(std::string_view name);

// Joints that a point follows at most unless a job says otherwise: what every engine takes.
inline constexpr int kBindInfluences = 4;
struct BindJob {
  std::string input;
  std::string output;    // .glb or .gltf
  std::string skeleton;  // a file with joints; empty, or the input: its own
  std::string method = "heat";
  JointChoice joints;
  AttachOptions attach{};  // for the joints of another file alone
  BindOptions options;
  SaveOptions save;  // max_influences 0: kBindInfluences
  RunOptions run;
  std::string report{};  // .html; empty: none
};
struct BindReport {
  struct Idle {
    std::string joint;   // a node label
    std::string reason;  // of IdleReason
  };
  std::string input, output, skeleton, method;
  std::size_t mesh_count = 0, point_count = 0, shell_count = 0;
  int max_influences = 0;
  std::size_t joint_count = 0;                    // that have weight somewhere
  std::vector<Idle> idle;                         // joints that do not, and why
  std::vector<std::size_t> points_by_influences;  // entry k: points with k influences
  double seconds_loading = 0, seconds_binding = 0, seconds_saving = 0;
  Notes notes;
};
// All skinned meshes as one body; rigid ones stay rigid. With its own skeleton a glTF keeps everything but
// joints and weights. With another file's, every mesh is bound where it rests.
Result<BindReport> bind(const BindJob& job);

}  // namespace dermis
