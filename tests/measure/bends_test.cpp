// SPDX-License-Identifier: MIT
// Joints by what they carry, and bends by the volume they lose.
#include <gtest/gtest.h>

#include <algorithm>

#include "dermis/made.h"
#include "dermis/measure.h"
#include "forests.h"

namespace dermis {
namespace {

Character measured_arm() {
  MakeOptions options;
  options.points = 1000;
  return std::move(*make_character(MadeKind::arm, options));
}

TEST(HeaviestJoints, ComeByTheSumOfTheirWeightsWithoutIdleOnes) {
  const Character character = measured_arm();
  const std::vector<Index> joints = heaviest_joints(character);
  std::vector<double> sums(character.nodes.size(), 0.0);
  const Instance& instance = character.instances[0];
  for (const Influence& influence : character.meshes[at(instance.mesh)].weights.influences)
    sums[at(character.skins[at(instance.skin)].node[at(influence.slot)])] +=
        static_cast<double>(influence.weight);
  EXPECT_EQ(joints.size(), sums.size() - static_cast<std::size_t>(std::count(sums.begin(), sums.end(), 0.0)));
  for (std::size_t k = 0; k + 1 < joints.size(); ++k) EXPECT_GE(sums[at(joints[k])], sums[at(joints[k + 1])]);
}

TEST(HeaviestJoints, OfWhatIsNotInTheSceneDoNotCount) {
  Character character = measured_arm();
  for (Instance& instance : character.instances) instance.in_scene = false;
  EXPECT_TRUE(heaviest_joints(character).empty());
}

TEST(HeldBends, AreThoseOfJointsWithAnotherAboveThem) {
  const Character character = measured_arm();
  const std::vector<RangePose> bends = held_bends(character);
  EXPECT_FALSE(bends.empty());
  for (const RangePose& bend : bends) {
    EXPECT_EQ(bend.movement, Movement::bend);
    EXPECT_NE(character.nodes[at(bend.node)].parent, kNone) << bend.name;
  }
}

TEST(HeldBends, AreThoseFoundJointByJointOnRandomForests) {
  std::size_t bend_count = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const Character character = test::random_skinned(random);
    const std::vector<Index>& joints = character.skins[0].node;
    const std::vector<RangePose> range = range_of_motion(character);
    std::vector<std::pair<Index, double>> expected, found;
    for (const Index joint : heaviest_joints(character)) {
      const bool is_held = std::any_of(joints.begin(), joints.end(), [&](Index other) {
        return other != joint && test::climbs_to(character.nodes, joint, other);
      });
      for (const RangePose& pose : range) {
        if (is_held && pose.node == joint && pose.movement == Movement::bend)
          expected.emplace_back(joint, pose.angle);
      }
    }
    for (const RangePose& bend : held_bends(character)) {
      EXPECT_EQ(bend.movement, Movement::bend);
      found.emplace_back(bend.node, bend.angle);
    }
    EXPECT_EQ(found, expected);
    bend_count += found.size();
  }
  EXPECT_GT(bend_count, 100u);
}

TEST(WorstBends, LoseMoreVolumeThanAllOthers) {
  const Character character = measured_arm();
  const Result<Deformer> deformer = prepare_deformer(character, {});
  ASSERT_TRUE(deformer);
  const Result<std::vector<RangePose>> worst = worst_bends(*deformer, 1);
  ASSERT_TRUE(worst);
  ASSERT_EQ(worst->size(), 1u);
  const auto volume = [&](const RangePose& bend) {
    const std::vector<PoseFrame> frames = {*pose_frame(character, {kNone, 0, &bend.pose})};
    return volume_curve(*deformer, frames)->front();
  };
  for (const RangePose& bend : held_bends(character))
    EXPECT_LE(volume(worst->front()), volume(bend)) << bend.name;
}

TEST(WorstBends, HaveEachJointOnceAndNotItsMirrorImage) {
  MakeOptions options;
  options.points = 1000;
  const Result<Character> character = make_character(MadeKind::humanoid, options);
  ASSERT_TRUE(character);
  const Result<Deformer> deformer = prepare_deformer(*character, {});
  ASSERT_TRUE(deformer);
  const Result<std::vector<RangePose>> worst = worst_bends(*deformer, 4);
  ASSERT_TRUE(worst);
  ASSERT_EQ(worst->size(), 4u);
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b < a; ++b)
      EXPECT_NE(without_side(node_label(*character, (*worst)[a].node)),
                without_side(node_label(*character, (*worst)[b].node)));
  }
}

}  // namespace
}  // namespace dermis
