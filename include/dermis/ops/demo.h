// SPDX-License-Identifier: MIT
// Characters made from nothing: the verbs make and demo.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dermis/base.h"
#include "dermis/deform.h"
#include "dermis/io.h"
#include "dermis/made.h"
#include "dermis/ops/run.h"

namespace dermis {

// ---- make ----------------------------------------------------------------------------------------------

struct MakeJob {
  MadeKind kind = MadeKind::humanoid;
  MakeOptions options;
  std::string output;
  SaveOptions save;
  RunOptions run;
};
struct MakeReport {
  std::string kind, output;
  std::size_t point_count = 0, polygon_count = 0, joint_count = 0, shape_count = 0;
  std::string clip;
  double clip_seconds = 0;
  double seconds_making = 0;
  Notes notes;
};
Result<MakeReport> make(const MakeJob& job);

// ---- demo ----------------------------------------------------------------------------------------------

struct DemoJob {
  std::string folder = "demo-out";
  std::size_t points = 20000;
  std::vector<Stack> stacks;  // each is posed once; empty: every method, and lbs with every posed stage
  RunOptions run;
};
struct DemoReport {
  // The humanoid posed by one stack.
  struct Posed {
    std::string method, file;
    double from_linear = 0;  // largest distance from lbs, in parts of the diagonal
    double seconds_preparing = 0, seconds_posing = 0;
  };
  std::vector<std::string> files;
  std::vector<Posed> posed;
  std::string skeleton;  // the template that was found in the bare mesh
  double seconds_rigging = 0, seconds_binding = 0;
  std::size_t point_count = 0, joint_count = 0;
  double clip_seconds = 0;
  double posed_at = 0;            // seconds into the clip
  std::vector<std::string> next;  // commands to try
  Notes notes;
};
Result<DemoReport> demo(const DemoJob& job);

}  // namespace dermis
