// SPDX-License-Identifier: MIT
// The legs that a body stands on, two or four, and how they bend.
#pragma once

#include "motion/moved_body.h"

namespace dermis {

// A leg of the moved body; all joints except `toe` are present. Front legs of animals have no toe.
struct Leg {
  LegRoles roles;
  Index upper = kNone, lower = kNone, foot = kNone, toe = kNone;
  Vec3d side;         // that it bends to from straight, in the reference pose
  double length = 0;  // of its two segments
};
// The complete legs of `roles`. Knees of people bend forward; legs of animals have elbow or wrist, knee or
// hock in the middle, and bend as they do for most of `frames`.
std::vector<Leg> legs_of(MovedBody& body, std::span<const LegRoles> legs, const RoleMap& roles,
                         const ReferencePose& reference, const std::vector<BodyFramePose>& frames);

// Bends a leg of `frame`, in which `body` is posed, so that its ankle reaches a position. It keeps its side;
// an almost straight leg bends to `leg.side`. The body is not posed again.
void bend_leg(const MovedBody& body, const Leg& leg, const ReferencePose& reference, const Vec3d& ankle,
              BodyFramePose& frame);

}  // namespace dermis
