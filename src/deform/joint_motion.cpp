// SPDX-License-Identifier: MIT
// Polar decomposition of joints, with the common rigid ones recognised first.
#include "deform/joint_motion.h"

#include <cmath>

namespace dermis {
namespace {

// Far above the error of chains of float rotations (about 1e-7 per joint), far below any intended scale.
constexpr double kRigidTolerance = 1e-5;

}  // namespace

bool is_rotation(const Mat3d& m) {
  const auto is_near = [](double value, double wanted) {
    return std::abs(value - wanted) <= kRigidTolerance;
  };
  return is_near(dot(m.x, m.x), 1) && is_near(dot(m.y, m.y), 1) && is_near(dot(m.z, m.z), 1) &&
         is_near(dot(m.x, m.y), 0) && is_near(dot(m.y, m.z), 0) && is_near(dot(m.z, m.x), 0) &&
         determinant(m) > 0;
}

JointMotion joint_motion(const Affined& joint) {
  JointMotion motion;
  motion.translation = joint.translation;
  if (is_rotation(joint.linear)) {
    motion.rotation = normalized(quat_from_matrix(joint.linear));
    return motion;
  }
  motion.is_rigid = false;
  // A mirror is treated as the rotation of its negative, with all three stretches negative: which single axis
  // mirrors is arbitrary where stretches are equal, and neighbouring joints would choose different ones.
  const double sign = determinant(joint.linear) < 0 ? -1 : 1;
  const Polar parts = polar(joint.linear * sign);
  motion.rotation = normalized(quat_from_matrix(parts.rotation));
  motion.stretch = parts.stretch * sign;
  return motion;
}

std::vector<JointMotion> joint_motions(std::span<const Affined> palette) {
  std::vector<JointMotion> motions;
  motions.reserve(palette.size());
  for (const Affined& joint : palette) motions.push_back(joint_motion(joint));
  return motions;
}

}  // namespace dermis
