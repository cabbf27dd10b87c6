// SPDX-License-Identifier: MIT
// Limbs that pass through the body, and skins that tear.
#include <gtest/gtest.h>

#include "dermis/made.h"
#include "dermis/measure.h"

namespace dermis {
namespace {

const Character& whole_humanoid() {
  static const Character character = *make_character(MadeKind::humanoid, {3000}, {});
  return character;
}

// A clip that holds one joint turned.
Character with_turn(Character character, const std::string& joint, const Quatd& turn) {
  const Quat q(turn);
  Clip clip;
  clip.name = "turn";
  clip.channels.push_back({ChannelPath::rotation,
                           *find_node(character, joint),
                           Interpolation::linear,
                           {0.0f, 1.0f},
                           {0, 0, 0, 1, q.x, q.y, q.z, q.w}});
  character.clips = {clip};
  return character;
}

TEST(LimbCrossing, AnArmTurnedThroughTheTrunkCrossesIt) {
  const Character& still = whole_humanoid();
  const std::vector<Affined> rest = rest_world(still);
  const Vec3d shoulder = rest[at(*find_node(still, "upper_arm_L"))].translation;
  const Vec3d elbow = rest[at(*find_node(still, "forearm_L"))].translation;
  const Vec3d hips = rest[at(*find_node(still, "hips"))].translation;
  const Character moved = with_turn(still, "upper_arm_L", quat_between(elbow - shoulder, hips - shoulder));
  const Result<LimbCrossing> crossing = measure_crossing(moved, 0);
  ASSERT_TRUE(crossing) << crossing.error().sentence;
  EXPECT_GT(crossing->depth, 0.05);
  EXPECT_NE(crossing->limb, kNone);
  EXPECT_NEAR(crossing->time, 1, 0.2);
}

TEST(LimbCrossing, AnArmRaisedAsideCrossesNothing) {
  const Character moved =
      with_turn(whole_humanoid(), "upper_arm_L", quat_from_axis_angle(Vec3d{0, 0, 1}, 0.5));
  const Result<LimbCrossing> crossing = measure_crossing(moved, 0);
  ASSERT_TRUE(crossing) << crossing.error().sentence;
  EXPECT_LT(crossing->depth, 0.01);
}

TEST(SkinInMotion, TearsWherePointsFollowAJointFarAway) {
  const Result<SkinInMotion> good = measure_skin_in_motion(whole_humanoid());
  ASSERT_TRUE(good) << good.error().sentence;
  EXPECT_LT(good->bleeding, 0.05);
  EXPECT_LT(good->torn, 0.1);
  // The skin of each hand follows the hand of the other side.
  Character swapped = whole_humanoid();
  const Instance& instance = swapped.instances[0];
  const Skin& skin = swapped.skins[at(instance.skin)];
  const auto slot_of = [&](const char* name) {
    const Index node = *find_node(swapped, name);
    return static_cast<Index>(std::find(skin.node.begin(), skin.node.end(), node) - skin.node.begin());
  };
  const Index left = slot_of("forearm_L"), right = slot_of("shin_R");
  for (Influence& one : swapped.meshes[at(instance.mesh)].weights.influences)
    one.slot = one.slot == left ? right : one.slot == right ? left : one.slot;
  const Result<SkinInMotion> bad = measure_skin_in_motion(swapped);
  ASSERT_TRUE(bad) << bad.error().sentence;
  EXPECT_GT(bad->bleeding + bad->torn, 2 * (good->bleeding + good->torn));
}

}  // namespace
}  // namespace dermis
