// SPDX-License-Identifier: MIT
// Skeletons without a template.
#include "rig/extract.h"

#include <algorithm>
#include <set>

#include "rig/bodies.h"
#include "rig/frames.h"

namespace dermis {
namespace {

// Names are unique, parents stand before, the first is the root, ends have nothing below them.
void expect_valid(std::span<const FoundJoint> joints) {
  ASSERT_FALSE(joints.empty());
  EXPECT_EQ(joints.front().name, "root");
  std::set<std::string> names;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    EXPECT_TRUE(names.insert(joints[j].name).second) << joints[j].name;
    EXPECT_EQ(joints[j].parent == kNone, j == 0);
    EXPECT_LT(joints[j].parent, static_cast<Index>(j));
    EXPECT_TRUE(is_finite(joints[j].at));
    if (j > 0) {
      EXPECT_FALSE(joints[at(joints[j].parent)].is_end) << joints[j].name;
    }
  }
}

std::size_t end_count(std::span<const FoundJoint> joints) {
  return static_cast<std::size_t>(
      std::count_if(joints.begin(), joints.end(), [](const FoundJoint& joint) { return joint.is_end; }));
}

TEST(Extract, GivesAStarAChainToEveryTip) {
  const BodySolid body = test::body_of(test::star_soup(), 0.2);
  const std::vector<FoundJoint> joints = extract_joints(body, {});
  expect_valid(joints);
  EXPECT_EQ(end_count(joints), 5u);
  for (const Vec3d& tip : test::star_tips()) {
    EXPECT_TRUE(std::any_of(joints.begin(), joints.end(), [&](const FoundJoint& joint) {
      return joint.is_end && length(joint.at - tip) < test::kStarRadius;
    }));
  }
  for (const FoundJoint& joint : joints) {
    if (joint.is_end) continue;
    double off = INFINITY;
    for (const Vec3d& tip : test::star_tips()) off = std::min(off, distance_to_segment(joint.at, {}, tip));
    EXPECT_LT(off, 0.5 * test::kStarRadius) << joint.name;
  }
}

TEST(Extract, NamesLimbsThatMirrorEachOtherAlike) {
  std::vector<test::Capsule> arms;
  for (const double side : {1.0, -1.0}) {
    arms.push_back({{}, {side * 9, 2, 0}, 0.8});
    arms.push_back({{}, {side * 4, -6, 0}, 0.8});
  }
  arms.push_back({{}, {0, 0, 5}, 0.8});
  const BodySolid body = test::body_of(test::capsule_soup(arms, 0.3), 0.2);
  std::vector<BodyMirror> mirrors = find_mirrors(body);
  std::erase_if(mirrors, [](const BodyMirror& mirror) { return std::abs(mirror.plane.normal.x) < 0.9; });
  ASSERT_EQ(mirrors.size(), 1u);
  const std::vector<FoundJoint> joints = extract_joints(body, mirrors);
  expect_valid(joints);
  const auto end_of = [&](const std::string& name) {
    const auto found = std::find_if(joints.begin(), joints.end(),
                                    [&](const FoundJoint& joint) { return joint.name == name; });
    EXPECT_NE(found, joints.end()) << name;
    return found == joints.end() ? Vec3d{} : found->at;
  };
  EXPECT_LT(length(end_of("limb_1_end_L") - Vec3d{9.8, 2.2, 0}), 1);
  EXPECT_LT(length(end_of("limb_1_end_R") - Vec3d{-9.8, 2.2, 0}), 1);
  EXPECT_LT(length(end_of("limb_2_end_L") - Vec3d{4.4, -6.7, 0}), 1);
  EXPECT_LT(length(end_of("limb_2_end_R") - Vec3d{-4.4, -6.7, 0}), 1);
  EXPECT_LT(length(end_of("limb_3_end") - Vec3d{0, 0, 5.8}), 1);
}

TEST(Extract, MirrorsTheJointsOfASymmetricBody) {
  const BodySolid body = test::body_of(test::doll_soup(), 0.015);
  std::vector<BodyMirror> mirrors = find_mirrors(body);
  std::erase_if(mirrors, [](const BodyMirror& mirror) { return std::abs(mirror.plane.normal.x) < 0.9; });
  ASSERT_EQ(mirrors.size(), 1u);
  const std::vector<FoundJoint> joints = extract_joints(body, mirrors);
  expect_valid(joints);
  std::size_t pairs = 0;
  for (const FoundJoint& joint : joints) {
    if (!joint.name.ends_with("_L")) continue;
    const std::string right = joint.name.substr(0, joint.name.size() - 1) + "R";
    const auto other =
        std::find_if(joints.begin(), joints.end(), [&](const FoundJoint& one) { return one.name == right; });
    ASSERT_NE(other, joints.end()) << right;
    EXPECT_LT(length(mirrors[0].plane.mirrored(joint.at) - other->at), 1e-9) << right;
    EXPECT_EQ(joint.radius, other->radius) << right;
    ++pairs;
  }
  EXPECT_GE(pairs, 6u);
}

TEST(Extract, CutsARodIntoEvenPieces) {
  const BodySolid body =
      test::body_of(test::rod_soup(test::straight_path({-6, 0, 0}, {6, 0, 0}, 30), 0.7), 0.12);
  const std::vector<FoundJoint> joints = extract_joints(body, {});
  expect_valid(joints);
  EXPECT_EQ(end_count(joints), 2u);
  EXPECT_LT(std::abs(joints.front().at.x), 0.8);
  ASSERT_GE(joints.size(), 5u);
  for (const FoundJoint& joint : joints) {
    if (joint.is_end) continue;
    EXPECT_LT(std::hypot(joint.at.y, joint.at.z), 0.15) << joint.name;
  }
}

TEST(Extract, HasNothingToSayOfABall) {
  const BodySolid body = test::body_of(test::capsule_soup({{{}, {}, 1}}, 0.1), 0.06);
  // A root and one end, for all ends are one rim: less than a skeleton needs.
  EXPECT_LT(extract_joints(body, {}).size(), 3u);
}

}  // namespace
}  // namespace dermis
