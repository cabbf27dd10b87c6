// SPDX-License-Identifier: MIT
// The pose spaces of a character, as part of posing it.
#pragma once

#include <utility>
#include <vector>

#include "dermis/motion.h"

namespace dermis {

struct PoseSpacePlan {
  std::vector<PreparedPoseSpace> spaces;
  std::vector<std::pair<std::size_t, std::size_t>> correctives;  // instance and shape of each
};
// Fails as prepare_pose_space does.
Result<PoseSpacePlan> plan_pose_spaces(const Character& character);
// Sets frame.example_weights, which has an entry for each space, from the local poses, and the weights of the correctives to zero. Does not
// allocate if the frame was posed by the same plan before.
void evaluate_pose_spaces(const PoseSpacePlan& plan, PoseFrame& frame);

}  // namespace dermis
