// SPDX-License-Identifier: MIT
// The pose that two bodies are compared in, and which way they stand in it.
#pragma once

#include <optional>

#include "motion/body.h"

namespace dermis {

// Directions of a body in the world, orthonormal and right-handed, as +X, +Y and +Z are.
struct BodyFrame {
  Vec3d left{1, 0, 0}, up{0, 1, 0}, forward{0, 0, 1};
  Mat3d axes() const { return {left, up, forward}; }
};
// From feet over hips to shoulders is up (of four-legged bodies from feet to hips), from the right limbs to
// the left ones is left. Up within 40 degrees of an axis of the world, and left within 15, are taken to mean
// that axis. Nothing where joints do not tell.
std::optional<BodyFrame> body_frame(const RoleMap& roles, std::span<const Vec3d> places);

// Whether the body walks on its hands or its trunk lies on the legs; nothing where joints do not tell.
std::optional<bool> is_four_legged(const RoleMap& roles, std::span<const Vec3d> places);

// Where the joints of a body are in the pose that it shares with others. By node; nodes that are neither
// joints nor above any are left at rest.
struct ReferencePose {
  std::vector<Quatd> rotation;  // world
  std::vector<Vec3d> place;
  BodyFrame frame;
};
// The bind pose where the skins have all joints of `roles`, turned upright as the rest pose is; else rest.
ReferencePose reference_pose(const Character& character, const RoleMap& roles);
// A moment of a clip instead.
ReferencePose reference_at(const RoleMap& roles, const std::vector<Affined>& world);

// The lengths of the legs from hip to ankle, the mean of both; 0 without legs.
double leg_length(const RoleMap& roles, std::span<const Vec3d> places);
// Between the hip joints, or the hips without legs.
Vec3d pelvis_place(const RoleMap& roles, std::span<const Vec3d> places);
// All joints within a map, tips of chains included.
std::vector<Index> joints_of(const RoleMap& roles);

}  // namespace dermis
