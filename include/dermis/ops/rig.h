// SPDX-License-Identifier: MIT
// A skeleton for a bare mesh: the verb rig.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dermis/base.h"
#include "dermis/io.h"
#include "dermis/measure.h"
#include "dermis/motion.h"
#include "dermis/ops/animate.h"
#include "dermis/ops/bind.h"
#include "dermis/ops/files.h"
#include "dermis/ops/report.h"
#include "dermis/ops/run.h"
#include "dermis/rig.h"

namespace dermis {

struct RigRequest {
  RigOptions find;  // the templates to try, and what the user knows about the body
  RigNames names = RigNames::dermis;
  std::vector<std::string> groups;  // of an OBJ; empty: all of it
  const BindMethodRow* method = bind_methods().data();
  BindOptions binding;
  int max_influences = kBindInfluences;
  std::optional<StraightArms> straighten;  // the rest pose; none: as it is in the mesh
  int twist_count = 0;                     // twist joints for each bone of arms and legs (proposed_helpers)
  std::optional<MotionRequest> motion;     // none: no clip is added
};
struct RigReport : FileReport {
  static constexpr const char* kVerb = "rig";
  // The findings of one rule when checking the output.
  struct Found {
    std::string rule;
    Severity severity = Severity::warning;
    std::size_t count = 0;
  };
  // What straightening the rest pose did.
  struct Straight {
    std::string pose;          // "T-pose", "A-pose", "standing" (on four legs)
    double largest_turn = 0;   // of a joint relative to its parent, degrees
    std::string turned_joint;  // its label
    double torn = 0;           // share of the triangles with an edge that more than doubles
    double volume_change = 0;  // as a fraction of the volume before
    double crossing = 0;       // how deep the axis of a limb is inside another part, as in LimbCrossing
  };
  std::string motion, method;
  FoundSkeleton skeleton;  // in the space of the output
  RigJudgement judgement;  // a confidence below kLeastConfidence is a doubt
  std::size_t mesh_count = 0, point_count = 0;
  std::size_t bound_joint_count = 0;  // joints with weights
  std::vector<StiffPiece> stiff;
  std::optional<Straight> straight;                // none: the rest pose is that of the mesh
  std::vector<RigMarker> places;                   // the joints in the space of the input, as markers
  std::size_t twist_joint_count = 0;               // added to arms and legs
  std::string clip;                                // the name of the motion's clip in the output
  RetargetFigures figures;                         // of the motion
  std::size_t error_count = 0, warning_count = 0;  // from checking the output
  std::vector<Found> findings;                     // counted by rule
  double seconds_rigging = 0, seconds_binding = 0, seconds_straightening = 0, seconds_moving = 0;
};
void describe(ReportFields& fields, const RigReport& report);
// What a search saw that found no skeleton, to be drawn.
struct UnriggedBody {
  bool is_searched = false;  // false: no search took place
  Character body;            // what was searched
  FoundSkeleton seen;        // with an empty map: nothing to draw
  Notes notes;
};
// Finds a skeleton in the visible meshes of the asset, binds it, straightens its rest pose and moves it if
// requested, and judges and checks the result, which stands on its feet with +Y up. An existing skeleton is
// removed with its clips, with a note; everything else in a glTF stays. If no skeleton is found, the asset
// does not change, and `unrigged` (unless null) has what was seen.
Result<RigReport> rig(Asset& asset, const RigRequest& request, const Run& run = {},
                      UnriggedBody* unrigged = nullptr);

// The same from file to file, with options as text. If no skeleton is found, the report is still written.
struct RigJob : FileJob {
  std::string skeleton = "auto";     // a template: auto, extract, a built-in name, or a file
  std::string motion;                // a file with a clip, or the name of a built-in motion; empty: none
  std::string clip;                  // of the motion: name or number; empty: the only one
  std::string names = "dermis";      // of the joints: dermis or mixamo
  std::vector<std::string> markers;  // "wrist_L=0.7,1.4,0": known joints, in the units and axes of the file
  std::string marker_file;           // more of them; empty: none
  bool mirrors_markers = true;       // see RigOptions
  std::string suggested;            // a file for the joints found, to be edited as a marker_file; empty: none
  std::vector<std::string> groups;  // of an OBJ; empty: all of the file
  std::string up, front;            // of the body: x, -x, y, -y, z, -z; empty: found
  std::string method = "heat";      // for binding
  std::string straighten;           // the rest pose: t or a; empty: as in the mesh
  int twist_count = 0;              // as in RigRequest
  BindOptions binding;
  // save.max_influences becomes that of the request; 0: kBindInfluences.
};
Result<RigReport> rig(const RigJob& job);
// The request of a job, without its motion; Errc::usage names the word that cannot be read.
Result<RigRequest> rig_request(const RigJob& job);
// Markers as a text file: a joint and three numbers per line, what follows a # is a comment. Errc::bad_file
// names the line that cannot be read.
Result<std::vector<RigMarker>> parse_rig_markers(std::string_view text);
std::string rig_markers_text(std::span<const RigMarker> markers);
// The names RigJob::skeleton accepts, for help: "auto, extract, biped, ...".
std::string rig_template_names();

}  // namespace dermis
