// SPDX-License-Identifier: MIT
// Correctives of the made arm: sculpts pulled back through a stack, and what the stage psd shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dermis/deform.h"
#include "dermis/made.h"

namespace dermis {
namespace {

class ElbowOfAnArm : public testing::Test {
 protected:
  ElbowOfAnArm() {
    Result<Character> made = make_character(MadeKind::arm, {3000});
    EXPECT_TRUE(made);
    arm = std::move(*made);
    Box box;
    for (const Vec3& point : arm.meshes[0].points) box.add(Vec3d(point));
    size = box.diagonal();
    elbow = *find_node(arm, "elbow_L");
    PoseSpace space;
    space.name = "elbow";
    space.joints = {{.node = elbow}};
    arm.pose_spaces = {space};
  }

  static Pose bent(double degrees, double wrist = 0) {
    Pose pose;
    for (const auto& [node, angle] : {std::pair{"elbow_L", degrees}, std::pair{"wrist_L", wrist}}) {
      NodePose one;
      one.node = node;
      one.turn = Quat(quat_from_axis_angle({1, 0, 0}, radians_from_degrees(angle)));
      pose.nodes.push_back(one);
    }
    return pose;
  }
  static Surface posed(const Character& character, const Pose& pose, const char* stack) {
    const Result<PoseFrame> frame = pose_frame(character, {kNone, 0, &pose});
    EXPECT_TRUE(frame) << (frame ? "" : frame.error().sentence);
    return *deform_instance(character, *frame, 0, {deform_stack(stack)});
  }
  // A bulge that restores the outside of the elbow, as a sculptor would add it; the crease only if asked.
  std::vector<Vec3> sculpted(const Pose& pose, const char* stack, bool has_crease = false) const {
    const Surface surface = posed(arm, pose, stack);
    const Vec3d centre = pose_frame(arm, {kNone, 0, &pose})->world_from_node[at(elbow)].translation;
    std::vector<Vec3> points = surface.points;
    for (std::size_t v = 0; v < points.size(); ++v) {
      const double far = length(Vec3d(points[v]) - centre) / (0.12 * size);
      const double outside =
          std::clamp((centre.z - static_cast<double>(arm.meshes[0].points[v].z)) / (0.04 * size), 0.0, 1.0);
      const double detail = 1 + 0.5 * std::sin(40 * static_cast<double>(points[v].y) / size);
      const double height = 0.03 * size * std::exp(-far * far) * detail * (has_crease ? 1 : outside);
      points[v] = Vec3(Vec3d(points[v]) + Vec3d(surface.normals[v]) * height);
    }
    return points;
  }
  // Adds an example at a pose, and pulls a sculpt back into its shape.
  PulledBack correct(Character& character, const char* name, const Pose& pose, std::span<const Vec3> sculpt,
                     const char* stack) const {
    Shape shape;
    shape.name = name;
    character.meshes[0].shapes.push_back(shape);
    for (Instance& instance : character.instances)
      if (instance.mesh == 0) instance.shape_weights.push_back(0);
    PoseSpace& space = character.pose_spaces[0];
    PoseExample example{name, {}, 0, 1};
    for (const PoseJoint& joint : space.joints)
      for (const NodePose& node : pose.nodes)
        if (*find_node(character, node.node) == joint.node) example.rotation.push_back(*node.turn);
    space.examples.push_back(example);
    const Result<PoseFrame> frame = pose_frame(character, {kNone, 0, &pose});
    EXPECT_TRUE(frame) << (frame ? "" : frame.error().sentence);
    const Result<Deformer> deformer = prepare_deformer(character, {deform_stack(stack)});
    EXPECT_TRUE(deformer);
    const Result<PulledBack> pulled = pull_back(*deformer, *frame, 0, sculpt);
    EXPECT_TRUE(pulled) << (pulled ? "" : pulled.error().sentence);
    Shape& made = character.meshes[0].shapes.back();
    for (std::size_t v = 0; v < sculpt.size(); ++v) {
      if (pulled->offsets[v] == Vec3{}) continue;
      made.points.push_back(static_cast<Index>(v));
      made.offsets.push_back(pulled->offsets[v]);
    }
    return *pulled;
  }
  // As a fraction of the size.
  double farthest(std::span<const Vec3> a, std::span<const Vec3> b) const {
    EXPECT_EQ(a.size(), b.size());
    double most = 0;
    for (std::size_t v = 0; v < a.size(); ++v) most = std::max(most, length(Vec3d(a[v]) - Vec3d(b[v])));
    return most / size;
  }
  Character arm;
  double size = 1;
  Index elbow = kNone;
};

TEST_F(ElbowOfAnArm, SculptsAtTwoAnglesComeBackThroughEveryStack) {
  for (const char* stack :
       {"lbs", "dqs", "cor", "lbs_dqs", "quaternion", "log_matrix", "spherical", "rigid", "direct_delta_mush",
        "dqs:bulge_correction=0.7", "lbs,delta_mush", "dqs,delta_mush"}) {
    SCOPED_TRACE(stack);
    Character corrected = arm;
    const Pose right = bent(90), closed = bent(120);
    const std::vector<Vec3> at_90 = sculpted(right, stack), at_120 = sculpted(closed, stack);
    const PulledBack first = correct(corrected, "elbow90", right, at_90, stack);
    const PulledBack second = correct(corrected, "elbow120", closed, at_120, stack);
    EXPECT_LT(farthest(posed(corrected, right, stack).points, at_90), 1e-5);
    EXPECT_LT(farthest(posed(corrected, closed, stack).points, at_120), 1e-5);
    EXPECT_EQ(posed(corrected, {}, stack).points, posed(arm, {}, stack).points);
    EXPECT_LT(std::max(first.largest, second.largest), 1e-5);
  }
}

// Through skinning alone the crease is exact too. Delta mush turns folds over: there what is missing is said.
TEST_F(ElbowOfAnArm, InTheCreaseSkinningIsExactAndDeltaMushSaysWhatItMisses) {
  const Pose closed = bent(120);
  for (const char* stack : {"lbs", "dqs", "cor"}) {
    Character corrected = arm;
    const std::vector<Vec3> wanted = sculpted(closed, stack, true);
    (void)correct(corrected, "elbow120", closed, wanted, stack);
    EXPECT_LT(farthest(posed(corrected, closed, stack).points, wanted), 1e-5) << stack;
  }
  Character corrected = arm;
  const std::vector<Vec3> wanted = sculpted(closed, "dqs,delta_mush", true);
  const double before = farthest(posed(arm, closed, "dqs,delta_mush").points, wanted);
  const PulledBack pulled = correct(corrected, "elbow120", closed, wanted, "dqs,delta_mush");
  EXPECT_LT(pulled.median, 1e-4);
  EXPECT_GT(pulled.largest, 1e-4);
  const double after = farthest(posed(corrected, closed, "dqs,delta_mush").points, wanted);
  EXPECT_NEAR(after, pulled.largest, 1e-5);
  EXPECT_LT(after, 2 * before);
}

TEST_F(ElbowOfAnArm, FarFromTheExamplesTheArmIsAsWithoutThem) {
  Character corrected = arm;
  (void)correct(corrected, "elbow60", bent(60), sculpted(bent(60), "lbs"), "lbs");
  corrected.pose_spaces[0].examples[0].radius = static_cast<float>(radians_from_degrees(10));
  for (const double angle : {-60.0, 170.0})
    EXPECT_EQ(posed(corrected, bent(angle), "lbs").points, posed(arm, bent(angle), "lbs").points) << angle;
  EXPECT_NE(posed(corrected, bent(55), "lbs").points, posed(arm, bent(55), "lbs").points);
}

TEST_F(ElbowOfAnArm, OneExampleWithASmallRadiusIsItsOffsetsTimesABell) {
  Character corrected = arm;
  (void)correct(corrected, "elbow100", bent(100), sculpted(bent(100), "lbs"), "lbs");
  corrected.pose_spaces[0].examples[0].radius = static_cast<float>(radians_from_degrees(15));
  Character shaped = arm;
  shaped.meshes[0].shapes = corrected.meshes[0].shapes;
  for (Instance& instance : shaped.instances)
    if (instance.mesh == 0) instance.shape_weights.push_back(static_cast<float>(std::exp(-0.5 * 400 / 225)));
  EXPECT_LT(farthest(posed(corrected, bent(80), "lbs").points, posed(shaped, bent(80), "lbs").points), 1e-6);
}

TEST_F(ElbowOfAnArm, PerPointItAgreesAtTheExamplesAndLeavesOtherJointsAlone) {
  Character corrected = arm;
  corrected.pose_spaces[0].joints.push_back({.node = *find_node(arm, "wrist_L")});
  const Pose right = bent(90), both = bent(90, 60);
  const std::vector<Vec3> at_right = sculpted(right, "lbs"), at_both = sculpted(both, "lbs");
  (void)correct(corrected, "elbow90", right, at_right, "lbs");
  corrected.pose_spaces[0].is_per_point = true;
  EXPECT_LT(farthest(posed(corrected, right, "lbs").points, at_right), 1e-5);
  EXPECT_EQ(posed(corrected, {}, "lbs").points, posed(arm, {}, "lbs").points);
  // The wrist matters less to the elbow than in the plain space.
  Character plain = corrected;
  plain.pose_spaces[0].is_per_point = false;
  const double far = farthest(posed(corrected, both, "lbs").points, at_both);
  EXPECT_LT(far, 0.5 * farthest(posed(plain, both, "lbs").points, at_both));
}

TEST_F(ElbowOfAnArm, TheStageJoinsEveryStackOfACharacterWithCorrectives) {
  EXPECT_EQ(name_of(full_stack(arm, {})), "lbs");
  Character corrected = arm;
  (void)correct(corrected, "elbow90", bent(90), sculpted(bent(90), "dqs"), "dqs");
  EXPECT_EQ(name_of(full_stack(corrected, {deform_stack("dqs")})), "shapes,psd,dqs");
  const Pose pose = bent(90);
  const PoseFrame frame = *pose_frame(corrected, {kNone, 0, &pose});
  EXPECT_EQ(frame.shape_weights[0], std::vector<float>{0});
  EXPECT_EQ(frame.example_weights, std::vector<std::vector<float>>{{1}});
}

TEST_F(ElbowOfAnArm, WhereLinearBlendingCollapsesOffsetsStaySmall) {
  Pose twisted;
  NodePose twist;
  twist.node = "forearm_twist_L";
  twist.turn = Quat(quat_from_axis_angle({0, 1, 0}, kPi));
  twisted.nodes = {twist};
  Character corrected = arm;
  corrected.pose_spaces[0].joints = {{.node = *find_node(arm, "forearm_twist_L")}};
  const std::vector<Vec3> wanted = posed(arm, twisted, "dqs").points;
  const double asked = farthest(wanted, posed(arm, twisted, "lbs").points) * size;
  const PulledBack pulled = correct(corrected, "twist180", twisted, wanted, "lbs");
  EXPECT_GT(pulled.damped_count, 0u);
  EXPECT_GT(pulled.largest, 1e-4);  // said, because no offset reaches it
  double longest = 0;
  for (const Vec3& offset : pulled.offsets) longest = std::max(longest, length(Vec3d(offset)));
  EXPECT_LT(longest, 20 * asked);
  EXPECT_LT(farthest(posed(corrected, twisted, "lbs").points, wanted), asked / size);
}

TEST_F(ElbowOfAnArm, CorrectivesOfOtherSpacesCountWhenASculptIsPulledBack) {
  Character corrected = arm;
  const Pose both = bent(90, 50);
  (void)correct(corrected, "elbow90", bent(90), sculpted(bent(90), "lbs"), "lbs");
  PoseSpace wrist;
  wrist.name = "wrist";
  wrist.joints = {{.node = *find_node(arm, "wrist_L")}};
  std::vector<Vec3> wanted = posed(corrected, both, "lbs").points;
  for (Vec3& point : wanted) point.z += 0.01f * static_cast<float>(size) * std::sin(10 * point.y);
  std::swap(corrected.pose_spaces[0], wrist);
  corrected.pose_spaces.push_back(wrist);
  (void)correct(corrected, "wrist50", both, wanted, "lbs");
  EXPECT_LT(farthest(posed(corrected, both, "lbs").points, wanted), 1e-5);
}

TEST_F(ElbowOfAnArm, ATargetOfAnotherSizeOrWithoutNumbersIsRefused) {
  const PoseFrame frame = *pose_frame(arm, {});
  const Deformer deformer = *prepare_deformer(arm, {});
  std::vector<Vec3> target = arm.meshes[0].points;
  target[7].x = NAN;
  Result<PulledBack> pulled = pull_back(deformer, frame, 0, target);
  ASSERT_FALSE(pulled);
  EXPECT_NE(pulled.error().sentence.find("point 7"), std::string::npos) << pulled.error().sentence;
  target.pop_back();
  pulled = pull_back(deformer, frame, 0, target);
  ASSERT_FALSE(pulled);
  EXPECT_NE(pulled.error().sentence.find("the sculpt has"), std::string::npos) << pulled.error().sentence;
}

TEST(PullBack, OfAMeshWithoutExtentReachesItsTarget) {
  Character character;
  character.nodes.resize(1);
  Mesh& mesh = character.meshes.emplace_back();
  mesh.points = {{1, 0, 0}};
  mesh.weld = {0};
  mesh.parts = {{0, 1, 0, 0}};
  character.instances = {{0, 0, kNone, {}, true}};
  ASSERT_TRUE(validate(character)) << validate(character).error().sentence;
  const Result<Deformer> deformer = prepare_deformer(character, {});
  ASSERT_TRUE(deformer) << deformer.error().sentence;
  const std::vector<Vec3> target{{1, 2, 0}};
  const Result<PulledBack> back = pull_back(*deformer, *pose_frame(character, {}), 0, target);
  ASSERT_TRUE(back) << back.error().sentence;
  EXPECT_NEAR(back->offsets[0].y, 2, 1e-5);
  EXPECT_LT(back->largest, 1e-5);
}

}  // namespace
}  // namespace dermis
