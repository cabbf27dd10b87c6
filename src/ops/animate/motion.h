// SPDX-License-Identifier: MIT
// Puts a motion onto a character in memory: what the verbs animate and rig share.
#pragma once

#include "dermis/ops/animate.h"
#include "ops/job.h"

namespace dermis {

struct AppliedMotion {
  std::string source_clip;  // of the motion
  std::string clip;         // the name of the new one, unique in the target
  RetargetFigures figures;
  LimbCrossing crossing;
  std::string crossing_limb, crossing_other;  // labels of its joints
  std::string doubt;                          // why the motion may look wrong; empty: no doubt
  std::vector<MotionMapRow> map;              // which joint follows which
  Notes notes;
};
// Retargets the motion and appends it to the clips of `target`, a valid character. `target_name` is its name
// in messages. A failure leaves `target` as it was.
Result<AppliedMotion> apply_motion(const MotionRequest& request, Character& target,
                                   const std::string& target_name, const Run& run);

// ---- Motions from files and by name ----

// Refuses a motion that is not built in and has no file extension. Checked before the work, so that nobody
// waits for a refusal.
Status check_motion(const std::string& motion);
// A file, or a built-in motion by name.
struct OpenedMotion {
  Asset asset;
  Index clip = 0;
};
// `clip` by name or number; empty: the only one.
Result<OpenedMotion> open_motion(const std::string& motion, const std::string& clip, const FileRun& run);

}  // namespace dermis
