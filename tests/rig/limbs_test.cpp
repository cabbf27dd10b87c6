// SPDX-License-Identifier: MIT
// Tails, ears, wings and jaws on bodies whose template has none.
#include "rig/limbs.h"

#include "rig/bodies.h"

namespace dermis {
namespace {

using test::Capsule;

FoundSkeleton doll_with(const std::vector<Capsule>& more) {
  std::vector<Capsule> parts = test::doll();
  parts.insert(parts.end(), more.begin(), more.end());
  Result<FoundSkeleton> found = test::find_in(test::capsule_soup(parts, 0.018), test::only("biped"));
  EXPECT_TRUE(found) << (found ? "" : found.error().sentence);
  return found ? std::move(*found) : FoundSkeleton{};
}
std::vector<Capsule> pair_of(const Vec3d& from, const Vec3d& to, double radius) {
  return {{from, to, radius}, {{-from.x, from.y, from.z}, {-to.x, to.y, to.z}, radius}};
}
std::vector<std::string> chains_of(const FoundSkeleton& found) {
  std::vector<std::string> names;
  for (const FoundChain& chain : found.chains) names.push_back(chain.name);
  return names;
}
using Names = std::vector<std::string>;

std::string parent_of(const FoundSkeleton& found, std::string_view name) {
  const FoundJoint* joint = test::joint_named(found, name);
  return joint == nullptr || joint->parent == kNone ? "" : found.joints[at(joint->parent)].name;
}

TEST(ExtraLimbs, ATailHangsBehindTheHips) {
  const Vec3d from{0, 0.98, -0.1}, to{0, 0.75, -0.5};
  const FoundSkeleton found = doll_with({{from, to, 0.03}});
  ASSERT_EQ(chains_of(found), Names{"tail"});
  EXPECT_EQ(parent_of(found, "tail_1"), "hips");
  EXPECT_EQ(parent_of(found, "tail_2"), "tail_1");
  for (const char* name : {"tail_2", "tail_3"})
    EXPECT_LT(distance_to_segment(test::joint_named(found, name)->at, from, to), 0.02) << name;
  EXPECT_LT(length(test::joint_named(found, "tail_end")->at - to), 0.05);
}

TEST(ExtraLimbs, EarsAreAPairOnTheHead) {
  const FoundSkeleton found = doll_with(pair_of({0.06, 1.72, 0}, {0.13, 1.88, 0}, 0.04));
  ASSERT_EQ(chains_of(found), (Names{"ear_L", "ear_R"}));
  EXPECT_EQ(parent_of(found, "ear_1_L"), "head");
  EXPECT_GT(test::joint_named(found, "ear_1_L")->at.x, 0.03);
  EXPECT_LT(length(test::joint_named(found, "ear_end_R")->at - Vec3d{-0.145, 1.91, 0}), 0.04);
}

TEST(ExtraLimbs, LongRoundEarsAreHornsOfOneJoint) {
  const FoundSkeleton found = doll_with(pair_of({0.06, 1.72, 0}, {0.13, 1.92, 0}, 0.025));
  ASSERT_EQ(chains_of(found), (Names{"horn_L", "horn_R"}));
  EXPECT_EQ(found.chains.front().joint_count, 1u);
}

TEST(ExtraLimbs, WingsAreAPairBehindTheChest) {
  const FoundSkeleton found = doll_with(pair_of({0.05, 1.3, -0.1}, {0.45, 1.6, -0.45}, 0.03));
  ASSERT_EQ(chains_of(found), (Names{"wing_L", "wing_R"}));
  EXPECT_EQ(parent_of(found, "wing_1_R"), "chest");
  EXPECT_GT(test::joint_named(found, "wing_2_L")->at.x, 0.1);
}

TEST(ExtraLimbs, AJawHangsBelowAnOpenMouth) {
  const Vec3d hinge{0, 1.6, 0.05}, chin{0, 1.52, 0.27};
  const FoundSkeleton found = doll_with({{{0, 1.68, 0.05}, {0, 1.68, 0.3}, 0.035}, {hinge, chin, 0.03}});
  ASSERT_EQ(chains_of(found), Names{"jaw"});
  EXPECT_EQ(parent_of(found, "jaw_1"), "head");
  EXPECT_LT(length(test::joint_named(found, "jaw_end")->at - chin), 0.06);
  EXPECT_LT(test::joint_named(found, "jaw_1")->at.z, 0.18);
  // A closed mouth has no jaw.
  EXPECT_TRUE(doll_with({{{0, 1.65, 0.05}, {0, 1.65, 0.3}, 0.05}}).chains.empty());
}

TEST(ExtraLimbs, ATrunkHangsFromTheHead) {
  const Vec3d from{0, 1.62, 0.08}, bend{0, 1.55, 0.3}, to{0, 1.15, 0.34};
  const FoundSkeleton found = doll_with({{from, bend, 0.035}, {bend, to, 0.03}});
  ASSERT_EQ(chains_of(found), Names{"trunk"});
  EXPECT_EQ(parent_of(found, "trunk_1"), "head");
  EXPECT_LT(length(test::joint_named(found, "trunk_end")->at - to), 0.06);
  // One that points ahead is a beak or a lance.
  EXPECT_TRUE(doll_with({{from, {0, 1.62, 0.6}, 0.03}}).chains.empty());
}

TEST(ExtraLimbs, ABumpIsNoLimb) {
  EXPECT_TRUE(doll_with({{{0, 1.0, -0.12}, {0, 1.0, -0.15}, 0.06}}).chains.empty());
}

TEST(ExtraLimbs, AreSaid) {
  const FoundSkeleton found = doll_with({{{0, 0.98, -0.1}, {0, 0.75, -0.5}, 0.03}});
  EXPECT_TRUE(std::any_of(found.notes.begin(), found.notes.end(),
                          [](const Note& note) { return note.id == "chains-found"; }));
  EXPECT_FALSE(std::any_of(found.notes.begin(), found.notes.end(),
                           [](const Note& note) { return note.id == "limb-unused"; }));
}

}  // namespace
}  // namespace dermis
