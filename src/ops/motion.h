// SPDX-License-Identifier: MIT
// A motion onto a character in memory: what the verbs animate and rig share.
#pragma once

#include "dermis/motion.h"
#include "ops/job.h"

namespace dermis {

struct MotionRequest {
  std::string motion;  // a file, or the name of a built-in motion
  std::string clip;    // of the motion; empty: the only one
  RetargetOptions retarget;
  std::string map, save_map;  // .json; may be empty
};
struct AppliedMotion {
  std::string source_clip;  // of the motion
  std::string clip;         // the new one's name, unique among the target's
  RetargetFigures figures;
  std::vector<MotionMapRow> map;  // what follows what
  Notes notes;
};
// Refuses a motion that is neither built in nor a file that can be read, and maps that would replace an
// input. Checked before the work, so that nobody waits for a refusal.
Status check_motion(const MotionRequest& request, std::initializer_list<std::string> inputs,
                    const RunOptions& run);
// Retargets the motion and appends it to the clips of `target`, a valid character that `target_name` stands
// for in sentences; writes the map where that is asked for.
Result<AppliedMotion> apply_motion(const MotionRequest& request, Character& target,
                                   const std::string& target_name, const RunOptions& run);
// The built-in motions for help: "walk: one stride, travelling; run: ...".
std::string motion_names();

}  // namespace dermis
