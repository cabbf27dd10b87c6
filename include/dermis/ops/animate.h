// SPDX-License-Identifier: MIT
// A motion onto a character: the verb animate.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dermis/base.h"
#include "dermis/io.h"
#include "dermis/motion.h"
#include "dermis/ops/run.h"

namespace dermis {

struct AnimateJob {
  std::string input;
  std::string output;  // .glb or .gltf
  std::string motion;  // a file with a clip, or the name of a built-in motion; a name with an extension is a
                       // file
  std::string clip;    // of the motion: name or number; empty: the only one
  RetargetOptions retarget;
  std::string map{}, save_map{};  // .json; empty: joints are mapped by names and structure; not saved
  bool drops_clips = false;       // the clips that the character has do not come along
  SaveOptions save;
  RunOptions run;
  std::string report{};  // .html; empty: none
};
struct AnimateReport {
  std::string input, output, motion;
  std::string source_clip, clip;  // of the motion, and the new one's name
  std::size_t clip_count = 0;     // in the output
  RetargetFigures figures;
  std::vector<MotionMapRow> map;  // what follows what
  double seconds_loading = 0, seconds_retargeting = 0, seconds_saving = 0;
  Notes notes;
};
// The character with one more clip, the motion retargeted to it. A glTF keeps everything else.
Result<AnimateReport> animate(const AnimateJob& job);

}  // namespace dermis
