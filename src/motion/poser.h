// SPDX-License-Identifier: MIT
// The first half of posing: local poses, shape weights and controls, before kinematics.
#pragma once

#include <vector>

#include "dermis/motion.h"

namespace dermis {

// As pose(), without kinematics: sets time, local poses, shape weights and controls. For code that samples
// local poses, so that it evaluates them like pose().
Status pose_locally(const Poser& poser, const PoseRequest& request, PoseFrame& frame);

// The nodes whose local poses pose_locally changes along a clip.
std::vector<bool> moved_nodes(const Poser& poser, Index clip);

}  // namespace dermis
