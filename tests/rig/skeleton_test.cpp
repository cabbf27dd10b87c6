// SPDX-License-Identifier: MIT
// A found skeleton as a character, and its names in other programs.
#include "rig/bodies.h"

namespace dermis {
namespace {

TEST(MixamoNames, AreThoseThatMixamoWrites) {
  EXPECT_EQ(mixamo_name("hips"), "mixamorig:Hips");
  EXPECT_EQ(mixamo_name("chest"), "mixamorig:Spine2");
  EXPECT_EQ(mixamo_name("head_end"), "mixamorig:HeadTop_End");
  EXPECT_EQ(mixamo_name("forearm_L"), "mixamorig:LeftForeArm");
  EXPECT_EQ(mixamo_name("thigh_R"), "mixamorig:RightUpLeg");
  EXPECT_EQ(mixamo_name("toe_L"), "mixamorig:LeftToeBase");
  for (const char* other : {"", "_L", "tail_1", "front_foot_L", "hips_L", "forearm", "limb_1_end"})
    EXPECT_EQ(mixamo_name(other), other);
}

TEST(MixamoNames, DifferForAllJointsOfABiped) {
  std::map<std::string, int> names;
  for (const RigTemplate::Joint& joint : rig_templates()[0].joints) {
    const std::string name = mixamo_name(joint.name);
    EXPECT_TRUE(name.starts_with("mixamorig:")) << joint.name;
    EXPECT_EQ(++names[name], 1) << name;
  }
}

TEST(SkeletonCharacter, HasItsJointsWhereTheyWereFound) {
  FoundSkeleton found;
  found.joints = {{"hips", kNone, {1, 2, 3}, 0.1, false},
                  {"thigh_L", 0, {2, 2, 4}, 0.1, false},
                  {"shin_L", 1, {2, 0.5, 4}, 0.1, true}};
  const Character character = skeleton_character(found, RigNames::mixamo);
  ASSERT_TRUE(validate(character));
  const std::vector<Affined> world = rest_world(character);
  ASSERT_EQ(world.size(), 3u);
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_LT(length(world[j].translation - found.joints[j].at), 1e-6);
    EXPECT_LT(max_difference(Affined{world[j].linear, {}}, Affined{}), 1e-9);
  }
  EXPECT_EQ(character.nodes[2].name, "mixamorig:LeftLeg");
  EXPECT_EQ(skeleton_character(found).nodes[2].name, "shin_L");
}

}  // namespace
}  // namespace dermis
