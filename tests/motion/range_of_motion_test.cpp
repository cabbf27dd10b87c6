// SPDX-License-Identifier: MIT
// The standard poses on skeletons whose turns can be told by looking.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "characters.h"
#include "dermis/motion.h"

namespace dermis {
namespace {

const RangePose* find_pose(const std::vector<RangePose>& poses, const std::string& name) {
  for (const RangePose& pose : poses) {
    if (pose.name == name) return &pose;
  }
  return nullptr;
}

// Where node `node` stands in the pose.
Vec3d place_in(const Character& character, const RangePose& pose, Index node) {
  const Result<PoseFrame> frame = pose_frame(character, {kNone, 0, &pose.pose});
  EXPECT_TRUE(frame);
  return frame->world_from_node[at(node)].translation;
}

// A tube along x whose second joint is in the middle.
Character arm() { return test::tube_character({}, {1, 0, 0}); }

TEST(RangeOfMotion, HasSixPosesForEachJointThatMovesAPoint) {
  Character character = arm();
  character.nodes.push_back(test::node_at("tip", 1, {1, 0, 0}));  // named by the skin, followed by nobody
  character.skins[0].node.push_back(3);
  character.skins[0].inverse_bind.push_back({});
  const std::vector<RangePose> poses = range_of_motion(character);
  ASSERT_EQ(poses.size(), 12u);
  std::set<std::string> names;
  for (const RangePose& pose : poses) names.insert(pose.name);
  EXPECT_EQ(names.size(), 12u);
  EXPECT_TRUE(find_pose(poses, "far bend +60"));
  EXPECT_TRUE(find_pose(poses, "near twist -45"));
}

TEST(RangeOfMotion, OutstretchedArmsBendForwardAndLegsToo) {
  Character character = arm();
  const std::vector<RangePose> poses = range_of_motion(character);
  // The arm lies along x: it bends about y, in the level plane, and goes up and down sideways.
  const double s = std::sin(kPi / 3), c = std::cos(kPi / 3);
  EXPECT_LT(length(place_in(character, *find_pose(poses, "near bend -60"), 1) - Vec3d{c, 0, s}), 1e-6);
  EXPECT_NEAR(std::abs(place_in(character, *find_pose(poses, "near side +30"), 1).y), 0.5, 1e-6);
  EXPECT_LT(length(place_in(character, *find_pose(poses, "near twist +45"), 1) - Vec3d{1, 0, 0}), 1e-6);
  // A leg, hanging: it bends about x.
  character.nodes[1].rest.translation = {0, -1, 0};
  EXPECT_LT(length(place_in(character, *find_pose(range_of_motion(character), "near bend -60"), 1) -
                   Vec3d{0, -c, s}),
            1e-6);
}

TEST(RangeOfMotion, DoesNotDependOnTheJointsOwnFrames) {
  constexpr unsigned kSeed = 8;
  SCOPED_TRACE(kSeed);
  test::Random random(kSeed);
  const Character plain = arm();
  const std::vector<RangePose> expected = range_of_motion(plain);
  for (int k = 0; k < 10; ++k) {
    Character turned = plain;
    const Quatd frame = random.rotation();
    turned.nodes[0].rest.rotation = Quat(frame);
    turned.nodes[0].rest.scale = {3, 3, 3};
    turned.nodes[1].rest.translation = Vec3(rotate(conjugate(frame), Vec3d{1.0 / 3, 0, 0}));
    const std::vector<RangePose> poses = range_of_motion(turned);
    ASSERT_EQ(poses.size(), expected.size());
    for (std::size_t p = 0; p < poses.size(); ++p) {
      EXPECT_EQ(poses[p].name, expected[p].name);
      EXPECT_LT(length(place_in(turned, poses[p], 1) - place_in(plain, expected[p], 1)), 1e-5)
          << poses[p].name;
    }
  }
}

TEST(RangeOfMotion, TipsGoOnFromTheJointAboveThem) {
  const Character character = arm();
  const std::vector<RangePose> poses = range_of_motion(character);
  const Vec3d axis = find_pose(poses, "far twist +45")->axis;
  EXPECT_LT(length(axis - Vec3d{1, 0, 0}), 1e-9);
}

TEST(RangeOfMotion, JointsWithBranchesOnAllSidesPointUp) {
  Character character = arm();
  character.nodes.push_back(test::node_at("other", 0, {-1, 0, 0}));
  character.skins[0].node.push_back(3);
  character.skins[0].inverse_bind.push_back({});
  const std::vector<RangePose> poses = range_of_motion(character);
  EXPECT_LT(length(find_pose(poses, "near twist +45")->axis - Vec3d{0, 1, 0}), 1e-9);
}

TEST(RangeOfMotion, IsFiniteForFlatJointsAndJointsInOnePlace) {
  Character character = arm();
  character.nodes[0].rest.scale = {0, 0, 0};
  character.nodes[1].rest.translation = {};
  for (const RangePose& pose : range_of_motion(character)) {
    EXPECT_TRUE(is_finite(pose.axis)) << pose.name;
    EXPECT_NEAR(length(pose.axis), 1, 1e-9) << pose.name;
  }
}

TEST(RangeOfMotion, OfACharacterWithoutASkinIsEmpty) {
  Character character = arm();
  character.instances[0].skin = kNone;
  EXPECT_TRUE(range_of_motion(character).empty());
  EXPECT_TRUE(range_of_motion(Character{}).empty());
}

}  // namespace
}  // namespace dermis
