// SPDX-License-Identifier: MIT
// Characters made from scratch: the verbs make and demo.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "dermis/base.h"
#include "dermis/deform.h"
#include "dermis/io.h"
#include "dermis/made.h"
#include "dermis/ops/files.h"
#include "dermis/ops/report.h"
#include "dermis/ops/run.h"

namespace dermis {

// ---- make ----------------------------------------------------------------------------------------------

struct MakeRequest {
  MadeKind kind = MadeKind::humanoid;
  MakeOptions options;
};
struct MakeReport : FileReport {
  static constexpr const char* kVerb = "make";
  std::string kind;
  std::size_t point_count = 0, polygon_count = 0, joint_count = 0, shape_count = 0;
  std::string clip;
  double clip_seconds = 0;
  double seconds_making = 0;
};
void describe(ReportFields& fields, const MakeReport& report);
// `asset` becomes the new character.
Result<MakeReport> make(const MakeRequest& request, Asset& asset, const Run& run = {});
// The same, to a file.
struct MakeJob : MakeRequest {
  std::string output;
  SaveOptions save;
  RunOptions run;
};
Result<MakeReport> make(const MakeJob& job);

// ---- demo ----------------------------------------------------------------------------------------------

struct DemoJob {
  std::string folder = "demo-out";
  std::size_t points = 20000;
  std::vector<Stack> stacks;  // each is posed once; empty: every method, and lbs with every posed stage
  RunOptions run;
  std::string part = "main";  // see demo_parts
};
struct DemoReport : FileReport {
  static constexpr const char* kVerb = "demo";
  // The humanoid posed by one stack.
  struct Posed {
    std::string method, file;
    double from_linear = 0;  // largest distance from lbs, as a fraction of the diagonal
    double seconds_preparing = 0, seconds_posing = 0;
  };
  // The humanoid bound to its own skeleton by one method of `bind`.
  struct Bound {
    std::string method, file;
    double seconds = 0;
    // Over the standard range of motion: the largest change of an edge, as a fraction of its length, and the
    // largest loss of volume around a joint, as a fraction of that volume.
    double max_strain = 0, max_volume_loss = 0;
    double max_bleed = 0;  // largest share of a point's weight on distant joints
  };
  // A fault that the part `shapes` mends.
  struct Shown {
    std::string what, measure;  // "twist of hand_L", "volume lost, of the limb"
    double without = 0, with = 0;
  };
  std::string part;
  std::vector<std::string> files;
  std::vector<Posed> posed;
  std::vector<Bound> bound;
  std::vector<Shown> shown;
  std::string skeleton;  // the template found in the bare mesh
  double seconds_rigging = 0, seconds_binding = 0;
  std::size_t point_count = 0, joint_count = 0;
  double clip_seconds = 0;
  double posed_at = 0;            // seconds into the clip
  std::vector<std::string> next;  // commands to try
};
void describe(ReportFields& fields, const DemoReport& report);
// A part of the demo. The main part comes first; the others run on request.
struct DemoPart {
  const char* name;
  const char* summary;
  Result<DemoReport> (*work)(const DemoJob& job, const FileRun& run);
};
std::span<const DemoPart> demo_parts();
// Runs the part that the job names; Errc::usage lists the known ones.
Result<DemoReport> demo(const DemoJob& job);

}  // namespace dermis
