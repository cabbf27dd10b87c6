// SPDX-License-Identifier: MIT
// Legs of a moved body: bent to where their feet are to be, to the side that they have or should have.
#include "motion/legs.h"

#include <gtest/gtest.h>

#include "dermis/made.h"

namespace dermis {
namespace {

// The skeleton of the walk at rest, and its left leg.
struct Standing {
  Character character = *make_motion(MadeMotion::walk);
  RoleMap roles = map_joints(character)->roles;
  ReferencePose reference = reference_pose(character, roles);
  MovedBody body{character, joints_of(roles), roles.first(JointRole::hips)};
  BodyFramePose frame;
  Leg leg;

  Standing() {
    frame.hips = reference.place[at(roles.first(JointRole::hips))];
    for (const Index joint : body.moved()) frame.rotation.push_back(reference.rotation[at(joint)]);
    leg = legs_of(body, leg_roles(false), roles, reference, {frame}).front();
    body.pose(frame);
  }
  void turn(Index joint, const Vec3d& axis, double degrees) {
    Quatd& rotation = frame.rotation[at(body.slot_of(joint))];
    rotation = quat_from_axis_angle(axis, radians_from_degrees(degrees)) * rotation;
    body.pose(frame);
  }
  // From the straight line between hip and ankle to the knee.
  Vec3d bend() const {
    const Vec3d hip = body.place(leg.upper), knee = body.place(leg.lower) - hip;
    const Vec3d ahead = normalized(body.place(leg.foot) - hip);
    return knee - ahead * dot(knee, ahead);
  }
  void raise(double way) {
    bend_leg(body, leg, reference, body.place(leg.foot) + Vec3d{0, way, 0}, frame);
    body.pose(frame);
  }
};

TEST(BendLeg, BringsTheAnkleToItsPlace) {
  Standing standing;
  const Vec3d wanted = standing.body.place(standing.leg.foot) + Vec3d{0, 0.1, 0};
  standing.raise(0.1);
  EXPECT_LT(length(standing.body.place(standing.leg.foot) - wanted), 1e-9);
  EXPECT_GT(standing.bend().z, 0.1);
}

TEST(BendLeg, BendsOverstretchedKneesForward) {
  Standing standing;
  standing.turn(standing.leg.upper, {1, 0, 0}, 5);
  standing.turn(standing.leg.lower, {1, 0, 0}, -5);
  ASSERT_LT(standing.bend().z, -0.005);
  standing.raise(0.05);
  EXPECT_GT(standing.bend().z, 0.05);
}

TEST(BendLeg, LeavesKneesThatPointElsewhereToTheirSide) {
  Standing standing;
  standing.turn(standing.leg.upper, {0, 0, 1}, 40);
  standing.turn(standing.leg.lower, {0, 0, 1}, -40);
  const Vec3d before = normalized(standing.bend());
  ASSERT_GT(before.x, 0.9);
  standing.raise(0.05);
  EXPECT_GT(dot(normalized(standing.bend()), before), 0.95);
}

TEST(BendLeg, ChangesNothingWhereTheAnkleIsInItsPlace) {
  Standing standing;
  standing.turn(standing.leg.upper, {0, 0.3, 1}, 6);
  const Vec3d knee = standing.body.place(standing.leg.lower);
  standing.raise(0);
  EXPECT_LT(length(standing.body.place(standing.leg.lower) - knee), 1e-9);
}

// A map of somebody's own may have two limbs carry each other's ends.
TEST(MovedBody, JointsThatCarryEachOtherHangAsTheyDid) {
  Standing standing;
  const Index foot = standing.roles.first(JointRole::foot_l), hand = standing.roles.first(JointRole::hand_l);
  MovedBody ringed(standing.character, standing.body.moved(), standing.roles.first(JointRole::hips),
                   {{foot, hand, {}, {}}, {hand, foot, {}, {}}});
  EXPECT_TRUE(ringed.carried().empty());
  ringed.pose(standing.frame);
  EXPECT_LT(length(ringed.place(foot) - standing.body.place(foot)), 1e-12);
}

}  // namespace
}  // namespace dermis
