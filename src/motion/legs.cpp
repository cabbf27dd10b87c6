// SPDX-License-Identifier: MIT
// Finds legs and the sides they bend to, and bends them.
#include "motion/legs.h"

#include <algorithm>
#include <cmath>

namespace dermis {
namespace {

using enum JointRole;

// Additional bending goes to the leg's side, but by no more than this fraction of its length: captured knees
// may be overstretched by a few degrees, and knees that point elsewhere by more are not changed.
constexpr double kMostToSide = 0.05;

Quatd since_reference(const MovedBody& body, const Leg& leg, const ReferencePose& reference) {
  return body.rotation(leg.upper) * conjugate(reference.rotation[at(leg.upper)]);
}

// The vector from the straight line between its ends to the middle joint.
Vec3d bend_of(const MovedBody& body, const Leg& leg) {
  const Vec3d hip = body.place(leg.upper), knee = body.place(leg.lower) - hip;
  const Vec3d ahead = normalized(body.place(leg.foot) - hip);
  return knee - ahead * dot(knee, ahead);
}

// The distance of the middle joint from the straight line for a given distance of the ends (law of cosines).
double bend_at(const TwoBoneLimb& limb, double distance) {
  const double a = length(limb.middle - limb.root), b = length(limb.end - limb.middle);
  const double reach = std::clamp(distance, std::abs(a - b), a + b);
  const double along = reach > 0 ? (a * a - b * b + reach * reach) / (2 * reach) : 0;
  return std::sqrt(std::max(0.0, a * a - along * along));
}

}  // namespace

std::span<const LegRoles> leg_roles(bool has_four) {
  static constexpr LegRoles kLegs[] = {{thigh_l, shin_l, foot_l, toe_l},
                                       {thigh_r, shin_r, foot_r, toe_r},
                                       {upper_arm_l, forearm_l, hand_l, hand_l},
                                       {upper_arm_r, forearm_r, hand_r, hand_r}};
  return std::span(kLegs).first(has_four ? 4 : 2);
}

std::vector<Leg> legs_of(MovedBody& body, std::span<const LegRoles> legs, const RoleMap& roles,
                         const ReferencePose& reference, const std::vector<BodyFramePose>& frames) {
  const bool is_animal = legs.size() == leg_roles(true).size();
  std::vector<Leg> found;
  for (const LegRoles& of : legs) {
    Leg leg;
    leg.roles = of;
    leg.upper = roles.first(of.upper);
    leg.lower = roles.first(of.lower);
    leg.foot = roles.first(of.foot);
    if (leg.upper == kNone || leg.lower == kNone || leg.foot == kNone) continue;
    if (!of.is_front()) leg.toe = roles.first(of.toe);
    const std::vector<Vec3d>& places = reference.place;
    leg.length = length(places[at(leg.lower)] - places[at(leg.upper)]) +
                 length(places[at(leg.foot)] - places[at(leg.lower)]);
    if (!is_animal) leg.side = reference.frame.forward;
    for (const BodyFramePose& frame : frames) {
      if (!is_animal) break;
      body.pose(frame);
      leg.side += rotate(conjugate(since_reference(body, leg, reference)), bend_of(body, leg));
    }
    leg.side = normalized(leg.side);
    found.push_back(leg);
  }
  return found;
}

void bend_leg(const MovedBody& body, const Leg& leg, const ReferencePose& reference, const Vec3d& ankle,
              BodyFramePose& frame) {
  const Index upper = body.slot_of(leg.upper), lower = body.slot_of(leg.lower);
  if (upper == kNone || lower == kNone) return;
  const TwoBoneLimb limb{body.place(leg.upper), body.place(leg.lower), body.place(leg.foot)};
  const Vec3d bend = bend_of(body, leg);
  const double further = bend_at(limb, length(ankle - limb.root)) - length(bend);
  const Vec3d side = rotate(since_reference(body, leg, reference), leg.side);
  const Vec3d pole = bend + side * std::clamp(further, 0.0, kMostToSide * leg.length);
  const TwoBoneTurns turns = solve_two_bone(limb, ankle, pole);
  frame.rotation[at(upper)] = normalized(turns.upper * frame.rotation[at(upper)]);
  frame.rotation[at(lower)] = normalized(turns.lower * frame.rotation[at(lower)]);
}

}  // namespace dermis
