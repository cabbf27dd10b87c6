// SPDX-License-Identifier: MIT
// What verbs share: how they run, and the pose of a character.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dermis/base.h"
#include "dermis/io.h"
#include "dermis/model.h"
#include "dermis/motion.h"

namespace dermis {

// A word quoted so that it can be pasted into a shell, on one line.
std::string shell_word(std::string_view word);

// How a verb runs in memory; the same for every verb.
struct Run {
  Progress progress;
  std::uint64_t max_memory = LoadOptions{}.max_memory;  // bytes that files and posed scenes may take
};
// How a verb runs on files.
struct RunOptions : Run {
  UpAxis up = UpAxis::guess;   // for files that do not state it
  double metres_per_unit = 0;  // of the input, as in LoadOptions; 0: stated by the file, or guessed
  bool force = false;          // may overwrite an input
  std::string command;         // as it was typed, for report.html; may be empty

  LoadOptions load() const {
    return {.max_memory = max_memory, .up = up, .metres_per_unit = metres_per_unit};
  }
};

// The pose of one character: a clip at a time, then single nodes, shapes and controls.
struct ChosenPose {
  Index clip = kNone;  // kNone: the rest pose
  double time = 0;     // seconds
  Pose pose;
  std::string name{};  // of `pose`, for labels; empty: none

  PoseRequest request() const { return {clip, time, &pose}; }
};
// The same in words, for verbs that read files: a clip at a time, then a pose file, then single shapes.
struct PoseChoice {
  std::string clip;  // name or number; empty: the file's rest pose
  double time = 0;   // seconds
  std::string pose_file;
  std::vector<NamedValue> shapes;
  std::vector<NamedValue> controls{};

  bool is_rest() const { return clip.empty() && pose_file.empty() && shapes.empty() && controls.empty(); }
};

}  // namespace dermis
