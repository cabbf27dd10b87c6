// SPDX-License-Identifier: MIT
// Limbs that pass through the body, and skins that tear.
#include <gtest/gtest.h>

#include <algorithm>

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

// The humanoid with a belly as wide as its arms swing.
Character stout() {
  Character character = whole_humanoid();
  Mesh& mesh = character.meshes[0];
  const Skin& skin = character.skins[0];
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    double trunk = 0;
    for (const Influence& influence : mesh.weights.row(v)) {
      const std::string& joint = character.nodes[at(skin.node[at(influence.slot)])].name;
      if (joint == "hips" || joint == "spine" || joint == "chest")
        trunk += static_cast<double>(influence.weight);
    }
    mesh.points[v].x *= static_cast<float>(1 + 0.9 * trunk);
    mesh.points[v].z *= static_cast<float>(1 + 0.9 * trunk);
  }
  mesh.weld = weld_coincident(mesh.points);
  return character;
}

TEST(LimbCrossing, AStoutBodyHoldsItsArmsOutsideUnlessTheMotionIsLeftAsItIs) {
  const Character walk = *make_motion(MadeMotion::walk);
  double depths[2] = {};
  for (const bool locks_feet : {false, true}) {
    Character body = stout();
    body.clips.clear();
    const Result<MappedMotion> map = map_motion(walk, body);
    RetargetOptions options;
    options.locks_feet = locks_feet;
    Result<RetargetedClip> clip = retarget_clip(walk, 0, body, map->map, options);
    ASSERT_TRUE(clip) << clip.error().sentence;
    const bool is_noted = std::any_of(clip->notes.begin(), clip->notes.end(),
                                      [](const Note& note) { return note.id == "arms-kept-off"; });
    EXPECT_EQ(is_noted, locks_feet);
    body.clips.push_back(std::move(clip->clip));
    depths[locks_feet ? 1 : 0] = measure_crossing(body, 0)->depth;
  }
  EXPECT_GT(depths[0], 0.02);
  EXPECT_LT(depths[1], 0.003);
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
