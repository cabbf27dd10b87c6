// SPDX-License-Identifier: MIT
// What every verb takes: how to run a job, and where a character stands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dermis/base.h"
#include "dermis/io.h"
#include "dermis/model.h"

namespace dermis {

// A word as it can be pasted into a shell.
std::string shell_word(std::string_view word);

// How to run a job; the same for every verb.
struct RunOptions {
  LoadOptions load;
  Progress progress;
  bool force = false;   // may overwrite an input
  std::string command;  // as it was typed, for reports; may be empty
};

// Where a character stands: a clip at a time, then a pose file, then single shapes.
struct PoseChoice {
  std::string clip;  // name or number; empty: as the file rests
  double time = 0;   // seconds
  std::string pose_file;
  std::vector<NamedValue> shapes;
};

}  // namespace dermis
