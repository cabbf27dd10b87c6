// SPDX-License-Identifier: MIT
// Where a set of joints agrees best: the centres of spherical blending.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "deform/joint_motion.h"
#include "dermis/deform.h"

namespace dermis {

// Directions in which joints rotate relative to each other by less than this, times their number, count as
// rotating alike. Leaving such a direction out moves points by at most this fraction of the translations:
// float precision. The squares of smaller rotations would be lost in the rounding of the sums.
inline constexpr double kSmallestTurn = 3e-7;

// The point that the rigid parts of these joints move apart least: least squares of C_a r = C_b r over all
// pairs (Kavan and Zara 2005). Components along directions in which the joints rotate alike are zero: any
// value is equally good. Zero for a single joint.
Vec3d rotation_centre(std::span<const JointMotion> motions, std::span<const std::uint32_t> joint_set);

}  // namespace dermis
