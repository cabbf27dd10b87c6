// SPDX-License-Identifier: MIT
// The volume that joints lose over the range of motion.
#pragma once

#include <vector>

#include "dermis/motion.h"
#include "dermis/ops/run.h"

namespace dermis {

// Poses that bend, tilt and twist some joints, and the volumes of their limbs at rest.
struct RangeOfJoints {
  std::vector<Index> joints;
  std::vector<RangePose> poses;
  std::vector<double> volumes;  // by joint: of its limb, from the uppermost of the joints above it on
};
Result<RangeOfJoints> range_of_joints(const Character& character, std::vector<Index> joints);

// Of each joint, as a fraction of the volume of its limb: the largest loss when it is twisted, and when it is
// bent.
struct JointLoss {
  double twist = 0, bend = 0;
};
// `character` may have more joints than the one of the range. Linear blending.
Result<std::vector<JointLoss>> measure_losses(const Character& character, const RangeOfJoints& range,
                                              const Progress& progress);

}  // namespace dermis
