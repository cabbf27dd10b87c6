// SPDX-License-Identifier: MIT
// Two-bone limbs by the law of cosines, poles, limits of reach; heads that look at things.
#include <gtest/gtest.h>

#include "characters.h"

namespace dermis {
namespace {

using test::Random;

TwoBoneLimb posed(const TwoBoneLimb& limb, const TwoBoneTurns& turns) {
  const Vec3d middle = limb.root + rotate(turns.upper, limb.middle - limb.root);
  return {limb.root, middle, middle + rotate(turns.lower, limb.end - limb.middle)};
}

double bend_of(const TwoBoneLimb& limb) {
  const Vec3d a = normalized(limb.root - limb.middle), b = normalized(limb.end - limb.middle);
  return std::acos(std::clamp(dot(a, b), -1.0, 1.0));
}

TEST(TwoBone, BendsByTheLawOfCosines) {
  const TwoBoneLimb limb{{0, 0, 0}, {3, 0, 0}, {7, 0, 0}};
  // Sides 3, 4 and 5: a right angle at the middle joint.
  const TwoBoneLimb right = posed(limb, solve_two_bone(limb, {5, 0, 0}, {0, 1, 0}));
  EXPECT_NEAR(bend_of(right), kPi / 2, 1e-12);
  EXPECT_NEAR(right.middle.x, 9.0 / 5, 1e-12);
  EXPECT_NEAR(right.middle.y, 12.0 / 5, 1e-12);
  // Sides 3, 4 and sqrt(37): 120 degrees.
  const TwoBoneLimb wide = posed(limb, solve_two_bone(limb, {0, 0, std::sqrt(37.0)}, {0, 1, 0}));
  EXPECT_NEAR(bend_of(wide), 2 * kPi / 3, 1e-12);
}

TEST(TwoBone, ReachesEveryTargetWithinItsLengthsAndKeepsThem) {
  Random random(7);
  for (int k = 0; k < 500; ++k) {
    const TwoBoneLimb limb{random.vector(), random.vector(), random.vector()};
    const double a = length(limb.middle - limb.root), b = length(limb.end - limb.middle);
    const double far = random.in(std::abs(a - b), a + b);
    const Vec3d target = limb.root + normalized(random.vector()) * far, pole = random.vector();
    const TwoBoneLimb now = posed(limb, solve_two_bone(limb, target, pole));
    EXPECT_LT(length(now.end - target), 1e-9) << "seed 7, round " << k;
    const Vec3d along = normalized(target - limb.root), side = now.middle - limb.root;
    const Vec3d off = side - along * dot(side, along);
    EXPECT_GE(dot(off, pole), -1e-9);
    EXPECT_LT(std::abs(dot(cross(along, pole), off)), 1e-9)
        << "the middle joint is off the plane of the pole";
  }
}

TEST(TwoBone, StretchesTowardsWhatItCannotReachAndFoldsBeforeWhatIsTooNear) {
  const TwoBoneLimb limb{{0, 0, 0}, {0, -2, 0.1}, {0, -3, 0}};
  const TwoBoneLimb far = posed(limb, solve_two_bone(limb, {10, 0, 0}));
  EXPECT_LT(length(normalized(far.end) - Vec3d(1, 0, 0)), 1e-9);
  EXPECT_NEAR(bend_of(far), kPi, 1e-6);
  const TwoBoneLimb near = posed(limb, solve_two_bone(limb, {0.1, 0, 0}));
  EXPECT_NEAR(length(near.end), length(limb.middle) - length(limb.end - limb.middle), 1e-9);
}

TEST(TwoBone, KeepsItsSideWithoutAPoleAndDoesNothingAtItsTarget) {
  const TwoBoneLimb limb{{0, 2, 0}, {0.1, 1, 0.3}, {0, 0, 0}};
  const TwoBoneTurns still = solve_two_bone(limb, limb.end);
  EXPECT_LT(length(log(still.upper)) + length(log(still.lower)), 1e-9);
  const TwoBoneLimb lifted = posed(limb, solve_two_bone(limb, {0, 0.5, 0}));
  const Vec3d before{0.1, 0, 0.3}, after{lifted.middle.x, 0, lifted.middle.z};
  EXPECT_LT(length(cross(normalized(before), normalized(after))), 1e-9);
  EXPECT_GT(dot(before, after), 0);
}

TEST(TwoBone, BendsAStraightLimbToThePoleWithoutTwistingIt) {
  const TwoBoneLimb leg{{0, 2, 0}, {0, 1, 0}, {0, 0, 0}};
  const TwoBoneTurns turns = solve_two_bone(leg, {0, 0.4, 0}, {0, 0, 1});
  const TwoBoneLimb bent = posed(leg, turns);
  EXPECT_GT(bent.middle.z, 0.1);
  EXPECT_NEAR(bent.middle.x, 0, 1e-12);
  // A turn about x alone: what points sideways still does.
  EXPECT_LT(length(rotate(turns.upper, Vec3d(1, 0, 0)) - Vec3d(1, 0, 0)), 1e-12);
}

TEST(TwoBone, BendsAnAlmostStraightLimbAcrossInsteadOfTwistingItToThePole) {
  // Bent back by a hair, the pole ahead.
  const TwoBoneLimb leg{{0, 2, 0}, {0, 1, -0.001}, {0, 0, 0}};
  const TwoBoneTurns turns = solve_two_bone(leg, {0, 0.4, 0}, {0, 0, 1});
  EXPECT_GT(posed(leg, turns).middle.z, 0.1);
  for (const Quatd& turn : {turns.upper, turns.lower})
    EXPECT_GT(dot(rotate(turn, Vec3d(1, 0, 0)), Vec3d(1, 0, 0)), 0.99);
}

TEST(LookAt, PointsAtTheTargetByTheShortestTurnWithinItsLimit) {
  const Vec3d ahead{0, 0, 1}, up{0, 1, 0};
  const Quatd whole = look_at({0, 1, 0}, ahead, up, {3, 1, 0});
  EXPECT_LT(length(rotate(whole, ahead) - Vec3d(1, 0, 0)), 1e-12);
  const Quatd half = look_at({0, 1, 0}, ahead, up, {3, 1, 0}, kPi / 4);
  EXPECT_LT(length(rotate(half, ahead) - normalized(Vec3d(1, 0, 1))), 1e-12);
  const Quatd back = look_at({}, ahead, up, {0, 0, -2});
  EXPECT_LT(length(rotate(back, up) - up), 1e-9) << "turns about its own axis, not over its head";
  EXPECT_LT(length(rotate(back, ahead) + ahead), 1e-9);
  EXPECT_LT(length(log(look_at({}, ahead, up, {}))), 1e-12) << "itself is no direction";
}

}  // namespace
}  // namespace dermis
