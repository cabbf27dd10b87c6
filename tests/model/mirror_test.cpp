// SPDX-License-Identifier: MIT
// Tests sides in names, the plane between joints and which joint mirrors which.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dermis/model.h"

namespace dermis {
namespace {

struct Placed {
  std::string name;
  Vec3 place;
};

// One skin whose joints were bound at these places.
Character bound_at(const std::vector<Placed>& joints) {
  Character character;
  character.skins.resize(1);
  for (const Placed& joint : joints) {
    character.skins[0].node.push_back(static_cast<Index>(character.nodes.size()));
    Affine joint_from_bind;
    joint_from_bind.translation = -joint.place;
    character.skins[0].inverse_bind.push_back(joint_from_bind);
    character.nodes.emplace_back().name = joint.name;
  }
  return character;
}

// Two metres tall, about the plane x = 1, its left at the higher x.
Character figure() {
  return bound_at({{"spine", {1, 1, 0}},
                   {"hand_R", {0, 1, 0}},
                   {"hand_L", {2, 1, 0}},
                   {"foot_L", {1.5f, 0, 0}},
                   {"foot_R", {0.5f, 0, 0}},
                   {"wing", {1.8f, 2, 0}},
                   {"fin", {0.2f, 2, 0}},
                   {"horn_L", {1.3f, 2, 0}}});
}
constexpr double kSize = 3;

std::optional<MirrorPlane> plane_of(const Character& character) {
  return plane_between_sides(character, character.skins[0], kSize);
}

TEST(NamedSides, AreWordsOfTheirOwnOrCapitals) {
  EXPECT_EQ(side_of_name("hand_L"), NamedSide::left);
  EXPECT_EQ(side_of_name("RightHand"), NamedSide::right);
  EXPECT_EQ(side_of_name("mixamorig:LeftArm_02"), NamedSide::left);
  EXPECT_EQ(side_of_name("leg.fr"), NamedSide::right);
  EXPECT_EQ(side_of_name("hairline"), NamedSide::none);
  EXPECT_EQ(side_of_name("brightness"), NamedSide::none);
}

TEST(PlaneBetweenSides, LiesHalfWayBetweenThePairsAndFacesLeft) {
  const std::optional<MirrorPlane> plane = plane_of(figure());
  ASSERT_TRUE(plane.has_value());
  EXPECT_NEAR(plane->normal.x, 1, 1e-12);
  EXPECT_NEAR(plane->offset, 1, 1e-12);
}

TEST(PlaneBetweenSides, NeedsNamesOfBothSides) {
  EXPECT_FALSE(plane_of(bound_at({{"hand_L", {1, 0, 0}}, {"arm", {-1, 0, 0}}})));
  // Left and right at one place say nothing.
  EXPECT_FALSE(plane_of(bound_at({{"hand_L", {1, 0, 0}}, {"hand_R", {1, 0, 0}}})));
}

TEST(MirrorSkin, PairsByNameThenByPlaceAndLeavesTheRest) {
  const MirroredSkin skin = mirror_skin(figure(), figure().skins[0], {{1, 0, 0}, 1}, kSize);
  EXPECT_EQ(skin.mirror, (std::vector<Index>{0, 2, 1, 4, 3, 6, 5, kNone}));
}

TEST(MirrorSkin, TurnsAPlaneThatFacesRight) {
  const MirroredSkin skin = mirror_skin(figure(), figure().skins[0], {{-1, 0, 0}, -1}, kSize);
  EXPECT_EQ(skin.plane.normal, Vec3d(1, 0, 0));
  EXPECT_EQ(skin.plane.offset, 1);
  EXPECT_EQ(skin.mirror[1], 2);
}

}  // namespace
}  // namespace dermis
