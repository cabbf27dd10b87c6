// SPDX-License-Identifier: MIT
// Where a set of joints agrees best: the centres of spherical blending.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "deform/joint_motion.h"
#include "dermis/deform.h"

namespace dermis {

// Directions in which joints turn against each other by less than this, times their number, count as those in
// which they turn alike. Left out, such a direction moves points by this part of the translations at most:
// what float keeps. The squares of smaller turns would be the rounding of the sums they come from.
inline constexpr double kSmallestTurn = 3e-7;

// The point that the rigid parts of these joints carry least apart: least squares over all pairs of them of
// C_a r = C_b r (Kavan and Zara 2005). Directions in which the joints turn alike are left at zero: there
// every point is as good. Zero for a single joint.
Vec3d rotation_centre(std::span<const JointMotion> motions, std::span<const std::uint32_t> joint_set);

}  // namespace dermis
