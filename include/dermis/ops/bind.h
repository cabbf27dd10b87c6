// SPDX-License-Identifier: MIT
// Automatic weights: the verb bind and the table of its methods.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dermis/base.h"
#include "dermis/bind.h"
#include "dermis/io.h"
#include "dermis/ops/files.h"
#include "dermis/ops/report.h"
#include "dermis/ops/run.h"
#include "dermis/ops/shells.h"

namespace dermis {

// Shells that bend although they look rigid (find_stiff_shells).
struct SoftShells {
  bool all = false;
  std::vector<ShellChoice> shells;
};
// Options of all methods; each reads its own.
struct BindOptions {
  HeatOptions heat;
  VoxelOptions voxel;
  BiharmonicOptions biharmonic;
  DistanceOptions distance;
  SoftShells soft;  // for every method
};
// A method of automatic weights. Help, documents and errors are made from this table.
struct BindMethodRow {
  const char* name;  // one spelling everywhere
  const char* idea;
  const char* suits;   // what it is good for
  const char* limits;  // what it is not good for
  const char* paper;
  Result<BoundRows> (*bind)(const BindSurface& surface, const BindSkeleton& skeleton,
                            const BindOptions& options, const Progress& progress);
};
std::span<const BindMethodRow> bind_methods();  // the default first
// By name; Errc::usage lists the known ones.
Result<const BindMethodRow*> find_bind_method(std::string_view name);
// The table as JSON.
std::string bind_methods_json();

// A shell that follows one joint as a whole, because it looks rigid.
struct StiffPiece {
  std::string mesh;  // a label
  Index shell = 0;   // as in ShellChoice
  std::string joint;
  std::size_t point_count = 0;
};
void describe(ReportFields& fields, const StiffPiece& piece);

// The most joints a point follows unless a job sets a number: every engine supports this many.
inline constexpr int kBindInfluences = 4;
struct BindRequest {
  const BindMethodRow* method = bind_methods().data();
  const Asset* skeleton = nullptr;  // whose joints to bind to; null: those of the asset itself
  JointChoice joints;
  AttachOptions attach{};  // only for the joints of another asset
  // A skeleton of another asset, half or more of whose joints lie outside the body, is fitted to it first;
  // not if a scale is given.
  bool fits = true;
  std::optional<Vec3d> up;  // of the body, if known
  BindOptions options;
  int max_influences = kBindInfluences;
};
struct BindReport : FileReport {
  static constexpr const char* kVerb = "bind";
  struct Idle {
    std::string joint;   // a node label
    std::string reason;  // of IdleReason
  };
  // How a skeleton that lay outside the body was fitted to it.
  struct Fit {
    std::string how;   // the template found in the body, or "box"
    double turn = 0;   // radians
    double scale = 1;  // from the lengths of its file to the body's: of the legs, if it has them
    std::size_t placed_count = 0, carried_count = 0;  // joints with a place in the template, and the others
    double outside_share = 0;                         // of its joints, before
    double confidence = 1;                            // in the template's joints
  };
  std::string skeleton, method;
  std::optional<Fit> fit;  // unset: not fitted
  std::size_t mesh_count = 0, point_count = 0, shell_count = 0;
  int max_influences = 0;
  std::size_t joint_count = 0;  // joints with weight somewhere
  double outside_share = 0;     // of the joints to bind to: outside the body
  std::vector<Idle> idle;       // joints without, and why
  std::vector<StiffPiece> stiff;
  std::vector<std::size_t> points_by_influences;  // entry k: points with k influences
  double seconds_binding = 0;
};
void describe(ReportFields& fields, const BindReport::Fit& fit);
void describe(ReportFields& fields, const BindReport& report);
// From this share of the joints outside the body on, a binding is doubted: skeletons that lie in their body
// have a few outside (eye targets, capes, toes), and those that lie elsewhere nearly all.
inline constexpr double kDoubtedOutside = 0.5;
// Binds all skinned meshes as one body; rigid ones stay rigid. With its own skeleton, an asset keeps
// everything except joints and weights. With another's, every mesh is bound where it rests; joints that lie
// elsewhere are fitted first (docs/binding.md), with a note.
Result<BindReport> bind(Asset& asset, const BindRequest& request, const Run& run = {});

// The same from file to file.
struct BindJob : FileJob {
  std::string skeleton;  // a file with joints; empty or the input: its own joints
  std::string method = "heat";
  JointChoice joints;
  AttachOptions attach{};
  bool fits = true;
  BindOptions options;
  // save.max_influences becomes that of the request; 0: kBindInfluences.
};
Result<BindReport> bind(const BindJob& job);

}  // namespace dermis
