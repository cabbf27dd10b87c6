// SPDX-License-Identifier: MIT
// Compares the sides that elbows and knees bend to before and after retargeting.
#include <cmath>

#include "motion/moved_body.h"

namespace dermis {
namespace {

using enum JointRole;

// A hinge bent by less has no clear side.
constexpr double kLeastBend = 10;  // degrees

// The three joints of a limb, in one world.
struct Hinge {
  Vec3d root, middle, end;
};

// The axis it bends about; nullopt for an almost straight one.
std::optional<Vec3d> axis_of(const Hinge& hinge) {
  const Vec3d axis = cross(normalized(hinge.middle - hinge.root), normalized(hinge.end - hinge.middle));
  if (length(axis) < std::sin(radians_from_degrees(kLeastBend))) return std::nullopt;
  return normalized(axis);
}

}  // namespace

HingeCount count_hinges(const BodySamples& samples, const RoleMap& source, MovedBody& body,
                        const RoleMap& target, const Quatd& turn, const std::vector<BodyFramePose>& frames) {
  constexpr JointRole kHinges[][3] = {{upper_arm_l, forearm_l, hand_l},
                                      {thigh_l, shin_l, foot_l},
                                      {upper_arm_r, forearm_r, hand_r},
                                      {thigh_r, shin_r, foot_r}};
  HingeCount count;
  for (std::size_t frame = 0; frame < frames.size(); ++frame) {
    body.pose(frames[frame]);
    for (const auto& [root, middle, end] : kHinges) {
      const Index from[] = {source.first(root), source.first(middle), source.first(end)};
      const Index to[] = {target.first(root), target.first(middle), target.first(end)};
      if (from[0] == kNone || from[1] == kNone || from[2] == kNone || to[0] == kNone || to[1] == kNone ||
          to[2] == kNone)
        continue;
      const auto there = axis_of({samples.place_at(frame, from[0]), samples.place_at(frame, from[1]),
                                  samples.place_at(frame, from[2])});
      const auto here = axis_of({body.place(to[0]), body.place(to[1]), body.place(to[2])});
      if (!there || !here) continue;
      ++count.bent;
      count.flipped += dot(rotate(turn, *there), *here) < 0 ? 1 : 0;
    }
  }
  return count;
}

}  // namespace dermis
