// SPDX-License-Identifier: MIT
// Where the joints of a template come to lie on bodies whose limbs are known.
#include "rig/place.h"

#include "rig/bodies.h"

namespace dermis {
namespace {

using test::doll_soup;

const FoundSkeleton& doll_skeleton() {
  static const FoundSkeleton found = test::find_in(doll_soup(), test::any_template()).value();
  return found;
}
FoundJoint joint(std::string_view name) {
  const FoundJoint* found = test::joint_named(doll_skeleton(), name);
  EXPECT_NE(found, nullptr) << name;
  return found == nullptr ? FoundJoint{} : *found;
}
Vec3d place_of(std::string_view name) { return joint(name).at; }

TEST(Place, PutsTheLimbsOfADollOnTheirAxes) {
  ASSERT_EQ(doll_skeleton().name, "biped");
  const double cell = 0.01;
  for (const double side : {1.0, -1.0}) {
    const std::string mark = side > 0 ? "_L" : "_R";
    for (const char* name : {"forearm", "hand"})
      EXPECT_LT(distance_to_segment(place_of(name + mark), {side * 0.1, 1.42, 0}, {side * 0.8, 1.42, 0}),
                cell)
          << name;
    EXPECT_LT(distance_to_segment(place_of("shin" + mark), {side * 0.09, 0.95, 0}, {side * 0.11, 0.08, 0}),
              cell);
    EXPECT_LT(length(place_of("hand_end" + mark) - Vec3d{side * 0.865, 1.42, 0}), 0.045);
    EXPECT_LT(length(place_of("toe_end" + mark) - Vec3d{side * 0.11, 0.04, 0.21}), 0.045);
    // An arm has no more than proportions to tell where its elbow is.
    const double upper = length(place_of("forearm" + mark) - place_of("upper_arm" + mark));
    const double lower = length(place_of("hand" + mark) - place_of("forearm" + mark));
    EXPECT_NEAR(upper / (upper + lower), 0.5, 0.06);
  }
}

TEST(Place, FindsTheWristAtItsWaistAndTheShoulderAtTheTrunk) {
  EXPECT_NEAR(place_of("hand_L").x, 0.72, 0.03);
  EXPECT_NEAR(place_of("upper_arm_L").x, 0.13, 0.06);
  EXPECT_NEAR(place_of("head").y, 1.55, 0.05);
}

// A toy's head is half of it, and proportions would put the neck into the head.
TEST(Place, FindsTheNeckBelowALargeHead) {
  std::vector<test::Capsule> toy = test::doll();
  toy[2] = {{0, 1.85, 0}, {0, 1.95, 0}, 0.32};
  const Result<FoundSkeleton> found = test::find_in(test::capsule_soup(toy, 0.022), test::only("biped"));
  ASSERT_TRUE(found) << found.error().sentence;
  EXPECT_NEAR(test::joint_named(*found, "head")->at.y, 1.53, 0.06);
  EXPECT_GT(test::joint_named(*found, "head_end")->at.y, 2.1);
}

// Bones are as long on one side as on the other, however each is posed: the arm that bends tells where the
// elbow of the straight one is.
TEST(Place, BendsAStraightArmWhereTheOtherOneIsBent) {
  std::vector<test::Capsule> parts = test::doll();
  std::erase_if(parts, [](const test::Capsule& part) { return part.to.x > 0.5; });
  const Vec3d elbow{0.34, 1.42, 0};
  parts.push_back({{0.1, 1.42, 0}, elbow, 0.045});
  parts.push_back({elbow, {0.34, 1.42, 0.32}, 0.045});
  parts.push_back({{0.34, 1.42, 0.32}, {0.34, 1.42, 0.36}, 0.03});
  parts.push_back({{0.34, 1.42, 0.41}, {0.34, 1.42, 0.48}, 0.045});
  const Result<FoundSkeleton> found = test::find_in(test::capsule_soup(parts, 0.022), test::only("biped"));
  ASSERT_TRUE(found) << found.error().sentence;
  EXPECT_LT(length(test::joint_named(*found, "forearm_L")->at - elbow), 0.045);
  EXPECT_NEAR(test::joint_named(*found, "forearm_R")->at.x, -elbow.x, 0.03);
  EXPECT_GT(std::abs(place_of("forearm_R").x), elbow.x + 0.04) << "proportions alone say no more";
}

// A thin arm with a paw: there is no waist, and proportions would put the wrist into the paw.
TEST(Place, FindsTheWristBeforeALargeHand) {
  std::vector<test::Capsule> parts = test::doll();
  std::erase_if(parts, [](const test::Capsule& part) { return std::abs(part.to.x) > 0.5; });
  for (const double side : {1.0, -1.0}) {
    parts.push_back({{side * 0.1, 1.42, 0}, {side * 0.55, 1.42, 0}, 0.035});
    parts.push_back({{side * 0.62, 1.42, 0}, {side * 0.78, 1.42, 0}, 0.08});
  }
  const Result<FoundSkeleton> found = test::find_in(test::capsule_soup(parts, 0.022), test::only("biped"));
  ASSERT_TRUE(found) << found.error().sentence;
  EXPECT_NEAR(test::joint_named(*found, "hand_L")->at.x, 0.54, 0.035);
}

// A claw that is thin and thicker again is no hand behind a wrist.
TEST(Place, FindsTheWristBeforeTheHandNotInAClaw) {
  std::vector<test::Capsule> parts = test::doll();
  std::erase_if(parts, [](const test::Capsule& part) { return std::abs(part.to.x) > 0.5; });
  for (const double side : {1.0, -1.0}) {
    parts.push_back({{side * 0.1, 1.42, 0}, {side * 0.5, 1.42, 0}, 0.075});
    parts.push_back({{side * 0.58, 1.42, 0}, {side * 0.68, 1.42, 0}, 0.05});
    parts.push_back({{side * 0.7, 1.42, 0}, {side * 0.86, 1.42, 0}, 0.013});
    parts.push_back({{side * 0.84, 1.42, 0}, {side * 0.86, 1.42, 0}, 0.02});
  }
  const Result<FoundSkeleton> found = test::find_in(test::capsule_soup(parts, 0.013), test::only("biped"));
  ASSERT_TRUE(found) << found.error().sentence;
  EXPECT_NEAR(test::joint_named(*found, "hand_L")->at.x, 0.58, 0.08);
}

// Where an arm was cut, its end is a corner of the cut; the wrist lies in the middle of the arm.
TEST(Place, PutsTheWristOfABareHandIntoTheMiddleOfItsArm) {
  test::Soup soup = test::box_soup({-1.6, 0, -0.7}, {1.6, 5, 0.7});
  const std::vector<std::pair<Vec3d, Vec3d>> fingers{{{1.3, 4.8, 0}, {1.7, 8, 0}},
                                                     {{0.45, 4.8, 0}, {0.5, 8.6, 0}},
                                                     {{-0.45, 4.8, 0}, {-0.6, 8, 0}},
                                                     {{-1.3, 4.8, 0}, {-1.9, 6.9, 0}},
                                                     {{1.4, 2.4, 0}, {3.6, 4.8, 0}}};
  for (const auto& [from, to] : fingers) soup.add(test::capsule_soup({{from, to, 0.38}}, 0.2));
  const Result<FoundSkeleton> found = test::find_in(soup, test::only("hand"));
  ASSERT_TRUE(found) << found.error().sentence;
  const FoundJoint* wrist = test::joint_named(*found, "hand");
  EXPECT_LT(std::abs(wrist->at.x), 0.5 * 1.6);
  EXPECT_LT(std::abs(wrist->at.z), 0.5 * 0.7);
  EXPECT_GT(wrist->at.y, 0.5);
  EXPECT_LT(wrist->at.y, 2);
  EXPECT_GT(wrist->radius, 0.7);
}

// The back of a hind hoof is farther from the middle of the body than its front, where the toes are.
TEST(Place, TurnsHoovesForwards) {
  std::vector<test::Capsule> parts{{{0, 0.6, -0.3}, {0, 0.6, 0.3}, 0.13},
                                   {{0, 0.65, 0.35}, {0, 0.9, 0.55}, 0.06},
                                   {{0, 0.9, 0.55}, {0, 0.86, 0.72}, 0.07}};
  for (const double side : {0.09, -0.09}) {
    for (const double front : {0.28, -0.3}) {
      parts.push_back({{side, 0.55, front}, {side, 0.08, front}, 0.05});
      parts.push_back({{side, 0.05, front - 0.03}, {side, 0.05, front + 0.03}, 0.05});
    }
  }
  const Result<FoundSkeleton> found =
      test::find_in(test::capsule_soup(parts, 0.018), test::only("quadruped"));
  ASSERT_TRUE(found) << found.error().sentence;
  ASSERT_GT(found->front.z, 0.9);
  for (const char* leg : {"front", "hind"}) {
    for (const char* side : {"_L", "_R"}) {
      const FoundJoint* foot = test::joint_named(*found, std::string(leg) + "_foot" + side);
      const FoundJoint* end = test::joint_named(*found, std::string(leg) + "_toe_end" + side);
      EXPECT_GT(end->at.z, foot->at.z) << leg << side;
    }
  }
}

// An arm that only tapers has no waist: its joints lie where the template has them.
TEST(Place, KeepsTheTemplatesWristWhereThereIsNoWaist) {
  std::vector<test::Capsule> parts = test::doll();
  std::erase_if(parts, [](const test::Capsule& part) { return std::abs(part.from.x) > 0.5; });
  for (test::Capsule& part : parts)
    if (std::abs(part.to.x) > 0.5) part.to.x *= 0.81 / 0.66;
  const Result<FoundSkeleton> found = test::find_in(test::capsule_soup(parts, 0.022), test::only("biped"));
  ASSERT_TRUE(found) << found.error().sentence;
  const FoundJoint* hand = test::joint_named(*found, "hand_L");
  ASSERT_NE(hand, nullptr);
  const double whole =
      test::joint_named(*found, "hand_end_L")->at.x - test::joint_named(*found, "upper_arm_L")->at.x;
  EXPECT_NEAR((hand->at.x - test::joint_named(*found, "upper_arm_L")->at.x) / whole, 0.725, 0.06);
}

TEST(Place, GivesJointsTheThicknessOfTheirLimbs) {
  EXPECT_NEAR(joint("forearm_L").radius, 0.045, 0.015);
  EXPECT_NEAR(joint("shin_L").radius, 0.07, 0.015);
}

TEST(Place, MirrorsTheJointsOfASymmetricBody) {
  ASSERT_GT(doll_skeleton().symmetry, 0.97);
  const Vec3d across = place_of("hand_L") - place_of("hand_R");
  const double middle = 0.5 * dot(place_of("hand_L") + place_of("hand_R"), Vec3d{1, 0, 0});
  EXPECT_LT(std::abs(middle), 0.01);
  EXPECT_GT(across.x, 0);
  for (const FoundJoint& left : doll_skeleton().joints) {
    if (!left.name.ends_with("_L")) continue;
    const FoundJoint right = joint(left.name.substr(0, left.name.size() - 1) + "R");
    EXPECT_LT(length(Vec3d{2 * middle - left.at.x, left.at.y, left.at.z} - right.at), 1e-9) << left.name;
    EXPECT_EQ(left.radius, right.radius) << left.name;
  }
}

TEST(Place, KeepsJointsInsideTheBody) {
  const test::CapsuleField field(test::doll());
  for (const FoundJoint& found : doll_skeleton().joints) EXPECT_LT(field.value(found.at), 0.01) << found.name;
}

TEST(Place, LetsMarkersPinJointsAndTheRestFollow) {
  RigOptions options = test::only("biped");
  const Vec3d elbow{0.35, 1.42, 0.01}, chest{0.0, 1.3, 0.02};
  options.markers = {{"forearm_L", elbow}, {"chest", chest}};
  const Result<FoundSkeleton> found = test::find_in(doll_soup(), options);
  ASSERT_TRUE(found);
  EXPECT_EQ(test::joint_named(*found, "forearm_L")->at, elbow);
  EXPECT_EQ(test::joint_named(*found, "chest")->at, chest);
  EXPECT_LT(length(test::joint_named(*found, "shin_R")->at - place_of("shin_R")), 0.01);
}

// A marker that is not mirrored says nothing of the other elbow: that must not be pulled along.
TEST(Place, DoesNotMoveTheOtherSideOfAMarkerThatIsNotMirrored) {
  RigOptions options = test::only("biped");
  options.mirrors_markers = false;
  options.markers = {{"forearm_L", {0.30, 1.42, 0}}};
  const Result<FoundSkeleton> found = test::find_in(doll_soup(), options);
  ASSERT_TRUE(found);
  EXPECT_LT(length(test::joint_named(*found, "forearm_R")->at - place_of("forearm_R")), 0.02);
}

}  // namespace
}  // namespace dermis
