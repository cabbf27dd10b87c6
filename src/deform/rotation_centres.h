// SPDX-License-Identifier: MIT
// Where a set of joints agrees best: the centres of spherical blending.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "deform/joint_motion.h"
#include "dermis/deform.h"

namespace dermis {

// The point that the rigid parts of these joints carry least apart: least squares over all pairs of them of
// C_a r = C_b r (Kavan and Zara 2005). Directions in which the joints turn alike to 1e-8 are left at zero:
// there every point is as good, or the best one lies so far off that only rounding would come back. Zero for
// a single joint.
Vec3d rotation_centre(std::span<const JointMotion> motions, std::span<const std::uint32_t> joint_set);

}  // namespace dermis
