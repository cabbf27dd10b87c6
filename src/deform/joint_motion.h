// SPDX-License-Identifier: MIT
// A joint's motion decomposed into stretch, rotation and translation, for the methods that blend rotations.
#pragma once

#include <span>
#include <vector>

#include "dermis/math.h"

namespace dermis {

// True for a proper rotation, up to the error of chains of float rotations.
bool is_rotation(const Mat3d& m);

// affine = shift * turn * stretch: x goes to rotate(rotation, stretch * x) + translation. The rotation is
// proper; where the joint mirrors, det(stretch) < 0. Methods that blend rotations work in two phases (Kavan
// et al. 2008, section 4.2): the stretches are blended linearly first, then the rigid parts.
// Continuous in the joint except where it flattens to a line.
struct JointMotion {
  Quatd rotation;  // unit
  Vec3d translation;
  Mat3d stretch = diagonal(Vec3d{1, 1, 1});  // symmetric; exactly the identity if is_rigid
  bool is_rigid = true;
};

JointMotion joint_motion(const Affined& joint);
std::vector<JointMotion> joint_motions(std::span<const Affined> palette);

}  // namespace dermis
