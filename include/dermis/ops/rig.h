// SPDX-License-Identifier: MIT
// A skeleton for a bare mesh: the verb rig.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dermis/base.h"
#include "dermis/io.h"
#include "dermis/measure.h"
#include "dermis/motion.h"
#include "dermis/ops/bind.h"
#include "dermis/ops/run.h"
#include "dermis/rig.h"

namespace dermis {

struct RigJob {
  std::string input;
  std::string output;             // .glb or .gltf
  std::string skeleton = "auto";  // a template: auto, extract, a built-in name, or a file
  std::string motion;             // a file with a clip, or the name of a built-in motion; empty: none
  std::string clip;               // of the motion: name or number; empty: the only one
  std::string names = "dermis";   // of the joints: dermis or mixamo
  std::vector<std::string>
      markers;  // "wrist_L=0.7,1.4,0": joints that the user knows, in the units and axes of the file
  std::vector<std::string> groups;  // of an OBJ; empty: all of the file
  std::string up, front;            // of the body: x, -x, y, -y, z, -z; empty: found
  std::string method = "heat";      // of binding
  BindOptions binding;
  SaveOptions save;  // as of a BindJob
  RunOptions run;
  std::string report{};  // .html; empty: none
};
struct RigReport {
  // Findings of one rule, in the check of the output.
  struct Found {
    std::string rule;
    Severity severity = Severity::warning;
    std::size_t count = 0;
  };
  std::string input, output, motion, method;
  FoundSkeleton skeleton;  // in the space of the output
  std::size_t mesh_count = 0, point_count = 0;
  std::size_t bound_joint_count = 0;               // that get weights
  std::string clip;                                // the name of the motion's clip in the output
  RetargetFigures figures;                         // of the motion
  std::size_t error_count = 0, warning_count = 0;  // of checking the output
  std::vector<Found> findings;                     // those, by rule
  double seconds_loading = 0, seconds_rigging = 0, seconds_binding = 0, seconds_moving = 0,
         seconds_saving = 0;
  Notes notes;
};
// Finds a skeleton in what the file shows, binds it, moves it where a motion is given, checks it and writes
// it, standing on its feet, with +Y up. A skeleton that the file has is left out, with its clips and a note;
// what else a glTF holds stays. Where no skeleton is found, the report is written all the same.
Result<RigReport> rig(const RigJob& job);
// The names that RigJob::skeleton knows, for help: "auto, extract, biped, ...".
std::string rig_template_names();

}  // namespace dermis
