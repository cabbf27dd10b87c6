// SPDX-License-Identifier: MIT
// The common pose for comparing two bodies, and their directions in it.
#pragma once

#include <optional>

#include "motion/body.h"

namespace dermis {

// Directions of a body in the world, orthonormal and right-handed, as +X, +Y and +Z are.
struct BodyAxes {
  Vec3d left{1, 0, 0}, up{0, 1, 0}, forward{0, 0, 1};
  Mat3d axes() const { return {left, up, forward}; }
};
// Up is from feet over hips to shoulders (for four-legged bodies from feet to hips); left is from the right
// limbs to the left ones. Up within 40 degrees of a world axis, and left within 15, are snapped to that axis.
// Nullopt if the joints do not determine it.
std::optional<BodyAxes> body_frame(const RoleMap& roles, std::span<const Vec3d> places);

// True if the body walks on its hands or its trunk is level over the legs; nullopt if joints do not determine
// it.
std::optional<bool> is_four_legged(const RoleMap& roles, std::span<const Vec3d> places);

// The joint transforms of a body in the common pose. By node; nodes that are neither joints nor their
// ancestors stay at rest.
struct ReferencePose {
  std::vector<Quatd> rotation;  // world
  std::vector<Vec3d> place;
  BodyAxes frame;
};
// The bind pose if the skins have all joints of `roles`, rotated upright like the rest pose; else rest.
ReferencePose reference_pose(const Character& character, const RoleMap& roles);
// A moment of a clip instead.
ReferencePose reference_at(const RoleMap& roles, const std::vector<Affined>& world);

// The mean leg length from hip to ankle; 0 without legs.
double leg_length(const RoleMap& roles, std::span<const Vec3d> places);
// The midpoint of the hip joints, or the hips if there are no legs.
Vec3d pelvis_place(const RoleMap& roles, std::span<const Vec3d> places);
// All joints of a map, including the tips of chains.
std::vector<Index> joints_of(const RoleMap& roles);

}  // namespace dermis
