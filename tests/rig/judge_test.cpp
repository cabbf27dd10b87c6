// SPDX-License-Identifier: MIT
// Judging skeletons: a right one is trusted, and each kind of damage to it is doubted.
#include <functional>

#include "rig/bodies.h"
#include "rig/fit.h"

namespace dermis {
namespace {

// The skeleton of a doll of capsules, damaged, and measured again in the same body.
class JudgedDoll : public testing::Test {
 protected:
  static const FoundSkeleton& whole() {
    static const Result<FoundSkeleton> found = test::find_in(test::doll_soup(), test::only("biped"));
    EXPECT_TRUE(found) << (found ? "" : found.error().sentence);
    return *found;
  }
  static RigJudgement judged(FoundSkeleton found) {
    static const BodySolid body = test::body_of(test::doll_soup(), 0.02);
    found.fit = measure_fit(body, found, &rig_templates()[0]);
    return judge_skeleton(found);
  }
  static FoundJoint& joint(FoundSkeleton& found, const std::string& name) {
    for (FoundJoint& one : found.joints)
      if (one.name == name) return one;
    ADD_FAILURE() << name;
    return found.joints[0];
  }
  static void swap_places(FoundSkeleton& found, const std::string& a, const std::string& b) {
    std::swap(joint(found, a).at, joint(found, b).at);
  }
  static bool has(const RigJudgement& judgement, const std::string& id) {
    return std::any_of(judgement.doubts.begin(), judgement.doubts.end(),
                       [&](const RigDoubt& doubt) { return doubt.id == id; });
  }
};

TEST_F(JudgedDoll, WholeIsTrusted) {
  const RigJudgement judgement = judged(whole());
  EXPECT_GE(judgement.confidence, 0.8);
}

TEST_F(JudgedDoll, WithLegsSwappedIsDoubted) {
  FoundSkeleton found = whole();
  for (const char* name : {"thigh", "shin", "foot"})
    swap_places(found, std::string(name) + "_L", std::string(name) + "_R");
  const RigJudgement judgement = judged(found);
  EXPECT_LT(judgement.confidence, kLeastConfidence);
  EXPECT_TRUE(has(judgement, "sides-turned"));
}

TEST_F(JudgedDoll, WithAnArmFromItsHipsIsDoubted) {
  FoundSkeleton found = whole();
  joint(found, "upper_arm_L").at = joint(found, "hips").at + Vec3d{0.1, 0.02, 0};
  const RigJudgement judgement = judged(found);
  EXPECT_LT(judgement.confidence, kLeastConfidence);
  EXPECT_TRUE(has(judgement, "arms-low"));
}

TEST_F(JudgedDoll, WithItsHeadAsAHandIsDoubted) {
  FoundSkeleton found = whole();
  swap_places(found, "head", "hand_L");
  swap_places(found, "head_end", "hand_end_L");
  const RigJudgement judgement = judged(found);
  EXPECT_LT(judgement.confidence, kLeastConfidence);
  EXPECT_TRUE(has(judgement, "hands-thick"));
}

TEST_F(JudgedDoll, UpsideDownIsDoubted) {
  FoundSkeleton found = whole();
  for (FoundJoint& one : found.joints) one.at.y = 1.75 - one.at.y;
  const RigJudgement judgement = judged(found);
  EXPECT_LT(judgement.confidence, kLeastConfidence);
  EXPECT_TRUE(has(judgement, "upside-down"));
}

TEST_F(JudgedDoll, BesideItsBodyIsDoubted) {
  FoundSkeleton found = whole();
  for (FoundJoint& one : found.joints) one.at.z += 0.4;
  const RigJudgement judgement = judged(found);
  EXPECT_LT(judgement.confidence, kLeastConfidence);
  EXPECT_TRUE(has(judgement, "bones-outside"));
  EXPECT_TRUE(has(judgement, "joints-off-middle"));
}

TEST_F(JudgedDoll, WithOneShortArmIsDoubted) {
  FoundSkeleton found = whole();
  const Vec3d root = joint(found, "upper_arm_L").at;
  for (const char* name : {"forearm_L", "hand_L", "hand_end_L"})
    joint(found, name).at = root + (joint(found, name).at - root) * 0.4;
  const RigJudgement judgement = judged(found);
  EXPECT_LT(judgement.confidence, kLeastConfidence);
  EXPECT_TRUE(has(judgement, "sides-differ"));
}

TEST(JudgeSkeleton, DerivedFromLimbsIsDoubtedUnlessRequested) {
  RigOptions options = test::any_template();
  const Result<FoundSkeleton> any = test::find_in(test::star_soup(), options);
  ASSERT_TRUE(any) << any.error().sentence;
  ASSERT_EQ(any->name, "extract");
  EXPECT_LT(judge_skeleton(*any).confidence, kLeastConfidence);
  options.templates.clear();
  const Result<FoundSkeleton> requested = test::find_in(test::star_soup(), options);
  ASSERT_TRUE(requested) << requested.error().sentence;
  EXPECT_GE(judge_skeleton(*requested).confidence, kLeastConfidence);
}

TEST(JudgeSkeleton, ConfidenceIsTheProductOfItsDoubtsGravestFirst) {
  FoundSkeleton found;
  found.name = "biped";
  found.scores = {{"biped", true, 0.7, {{"direction", 0.7}}}};
  found.fit.limb_left = 0.3;
  const RigJudgement judgement = judge_skeleton(found, {0.2, 0.3});
  ASSERT_EQ(judgement.doubts.size(), 4u);
  double product = 1;
  for (std::size_t k = 0; k < judgement.doubts.size(); ++k) {
    product *= judgement.doubts[k].trust;
    EXPECT_GE(judgement.doubts[k].trust, judgement.doubts[k > 0 ? k - 1 : 0].trust);
  }
  EXPECT_NEAR(judgement.confidence, product, 1e-12);
}

}  // namespace
}  // namespace dermis
