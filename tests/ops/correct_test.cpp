// SPDX-License-Identifier: MIT
// Correctives from posed sculpts: the operations correct and poses of the verb shapes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "dermis/deform.h"
#include "dermis/made.h"
#include "dermis/ops.h"
#include "notes.h"
#include "outside/files.h"

namespace dermis {
namespace {

double farthest_point(std::span<const Vec3> a, std::span<const Vec3> b) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0;
  for (std::size_t v = 0; v < std::min(a.size(), b.size()); ++v)
    most = std::max(most, length(Vec3d(a[v]) - Vec3d(b[v])));
  return most;
}

class CorrectedArm : public testing::Test {
 protected:
  CorrectedArm() {
    Result<Character> made = make_character(MadeKind::arm, {1500});
    EXPECT_TRUE(made);
    arm.character = std::move(*made);
    arm.name = "arm.glb";
    Box box;
    for (const Vec3& point : arm.character.meshes[0].points) box.add(Vec3d(point));
    size = box.diagonal();
  }
  static ChosenPose bent(double degrees) {
    ChosenPose pose;
    NodePose one;
    one.node = "elbow_L";
    one.turn = Quat(quat_from_axis_angle({1, 0, 0}, radians_from_degrees(degrees)));
    pose.pose.nodes = {one};
    return pose;
  }
  // The scene as deform writes it, with a bulge at the elbow.
  Asset sculpt(const Asset& of, double degrees, double height, const char* stack = "lbs") const {
    Asset made;
    made.name = "bent" + std::to_string(static_cast<int>(degrees)) + ".obj";
    DeformRequest request{bent(degrees), {deform_stack(stack)}};
    const Result<DeformReport> report = deform(of, request, made.character);
    EXPECT_TRUE(report) << report.error().sentence;
    const Vec3d elbow = pose_frame(of.character, bent(degrees).request())
                            ->world_from_node[at(*find_node(of.character, "elbow_L"))]
                            .translation;
    Mesh& mesh = made.character.meshes[0];
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
      const double far = length(Vec3d(mesh.points[v]) - elbow) / (0.12 * size);
      const double outside = std::clamp(
          (elbow.z - static_cast<double>(of.character.meshes[0].points[v].z)) / (0.04 * size), 0.0, 1.0);
      mesh.points[v] +=
          mesh.normals.values[v] * static_cast<float>(height * size * std::exp(-far * far) * outside);
    }
    return made;
  }
  static std::vector<Vec3> posed(const Asset& of, double degrees, const char* stack = "lbs") {
    Character still;
    EXPECT_TRUE(deform(of, {bent(degrees), {deform_stack(stack)}}, still));
    return still.meshes[0].points;
  }
  CorrectiveRequest at_pose(double degrees) const {
    CorrectiveRequest how;
    how.pose = bent(degrees);
    return how;
  }
  Asset arm;
  double size = 1;
};

TEST_F(CorrectedArm, ASculptComesBackInItsPoseAndNothingChangesAtRest) {
  Asset corrected = arm;
  const Asset wanted = sculpt(arm, 90, 0.03);
  const Result<ShapesReport> report = correct_shape(corrected, {}, wanted, at_pose(90));
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->doubt, "");
  ASSERT_EQ(report->pulled.size(), 1u);
  EXPECT_LT(report->pulled[0].largest_miss, 1e-5);
  EXPECT_EQ(report->pulled[0].method, "lbs");
  ASSERT_EQ(report->correctives.size(), 1u);
  EXPECT_EQ(report->correctives[0].shape, "bent90");
  EXPECT_EQ(report->correctives[0].space, "elbow_L");
  EXPECT_NEAR(report->correctives[0].weight, 1, 1e-6);
  EXPECT_NEAR(degrees_from_radians(report->correctives[0].angle), 90, 1e-3);
  EXPECT_LT(farthest_point(posed(corrected, 90), wanted.character.meshes[0].points), 1e-5 * size);
  EXPECT_EQ(posed(corrected, 0), posed(arm, 0));
}

TEST_F(CorrectedArm, ASecondCorrectiveJoinsTheSpaceAndLeavesTheFirstAsItWas) {
  Asset corrected = arm;
  const Asset at_90 = sculpt(arm, 90, 0.03);
  ASSERT_TRUE(correct_shape(corrected, {}, at_90, at_pose(90)));
  // Sculpted on what is already corrected.
  const Asset at_120 = sculpt(corrected, 120, 0.01);
  const Result<ShapesReport> report = correct_shape(corrected, {}, at_120, at_pose(120));
  ASSERT_TRUE(report) << report.error().sentence;
  ASSERT_EQ(corrected.character.pose_spaces.size(), 1u);
  EXPECT_EQ(corrected.character.pose_spaces[0].examples.size(), 2u);
  EXPECT_LT(farthest_point(posed(corrected, 90), at_90.character.meshes[0].points), 1e-5 * size);
  EXPECT_LT(farthest_point(posed(corrected, 120), at_120.character.meshes[0].points), 1e-5 * size);
  // Each is partly what the other would show in its place.
  for (const ShapesReport::Corrective& one : report->correctives) {
    EXPECT_GT(one.left_out, 1e-4);
    EXPECT_LT(one.left_out, 0.05);
  }
  const Result<ShapesReport> poses = list_correctives(corrected, {}, bent(90));
  ASSERT_TRUE(poses);
  EXPECT_NEAR(poses->correctives[0].weight, 1, 1e-6);
  EXPECT_NEAR(poses->correctives[1].weight, 0, 1e-6);
  EXPECT_NE(to_text(*poses).find("bent90: weight 1"), std::string::npos) << to_text(*poses);
}

TEST_F(CorrectedArm, TheSameNameReplacesAnotherNameAtTheSamePoseIsRefused) {
  Asset corrected = arm;
  ASSERT_TRUE(correct_shape(corrected, {}, sculpt(arm, 90, 0.03), at_pose(90)));
  const Asset again = sculpt(corrected, 90, -0.01);
  const Result<ShapesReport> report = correct_shape(corrected, {}, again, at_pose(90));
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->changed_count, 1u);
  EXPECT_EQ(corrected.character.pose_spaces[0].examples.size(), 1u);
  EXPECT_LT(farthest_point(posed(corrected, 90), again.character.meshes[0].points), 1e-5 * size);
  CorrectiveRequest other = at_pose(90);
  other.name = "crease";
  const Result<ShapesReport> refused = correct_shape(corrected, {}, again, other);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().sentence.find("examples 'bent90' and 'crease' are at the same pose"),
            std::string::npos)
      << refused.error().sentence;
  EXPECT_EQ(corrected.character.pose_spaces[0].examples.size(), 1u);
}

TEST_F(CorrectedArm, CorrectivesMadeForOtherWeightsAreNoted) {
  Asset corrected = arm;
  ASSERT_TRUE(correct_shape(corrected, {}, sculpt(arm, 90, 0.03), at_pose(90)));
  const test::TemporaryFolder folder;
  ASSERT_TRUE(save(folder.file("corrected.glb"), corrected));
  WeightsJob job;
  job.input = folder.file("corrected.glb");
  job.output = folder.file("limited.glb");
  Result<WeightsReport> report = limit_weights(job, 1);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_TRUE(test::has_note(report->notes, "correctives-outdated"));
  ASSERT_TRUE(save(folder.file("bare.glb"), arm));
  job.input = folder.file("bare.glb");
  job.output = folder.file("bare-limited.glb");
  report = limit_weights(job, 1);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_FALSE(test::has_note(report->notes, "correctives-outdated"));
}

TEST_F(CorrectedArm, AWrongUnitOrPoseIsDoubtedByHowMuch) {
  Asset large = sculpt(arm, 90, 0.03);
  scale_lengths(large.character, 100);
  Asset corrected = arm;
  Result<ShapesReport> report = correct_shape(corrected, {}, large, at_pose(90));
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_NE(report->doubt.find("times as large as the posed mesh"), std::string::npos) << report->doubt;
  corrected = arm;
  report = correct_shape(corrected, {}, sculpt(arm, 0, 0), at_pose(90));
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_NE(report->doubt, "");
}

TEST_F(CorrectedArm, WhatCannotBeCorrectedIsOneSentence) {
  const auto sentence_of = [&](const Asset& sculpted, const CorrectiveRequest& how) {
    Asset copy = arm;
    const Result<ShapesReport> report = correct_shape(copy, {}, sculpted, how);
    EXPECT_FALSE(report);
    return report ? std::string() : report.error().sentence;
  };
  Asset other = sculpt(arm, 90, 0.03);
  std::swap(other.character.meshes[0].polygons.corners[3], other.character.meshes[0].polygons.corners[4]);
  EXPECT_NE(sentence_of(other, at_pose(90)).find("is another topology: polygon"), std::string::npos);
  EXPECT_NE(sentence_of(sculpt(arm, 90, 0.03), {}).find("the pose turns no joint"), std::string::npos);
  CorrectiveRequest unknown = at_pose(90);
  unknown.joints = {"elbow_K"};
  EXPECT_NE(sentence_of(sculpt(arm, 90, 0.03), unknown).find("elbow_L"), std::string::npos);
  // The space measures a joint that the pose does not turn.
  unknown.joints = {"wrist_L"};
  EXPECT_NE(sentence_of(sculpt(arm, 90, 0.03), unknown).find("is at the rest pose"), std::string::npos);
}

TEST_F(CorrectedArm, ACorrectiveIsPulledBackThroughTheChosenStack) {
  for (const char* stack : {"dqs", "dqs,delta_mush"}) {
    SCOPED_TRACE(stack);
    Asset corrected = arm;
    const Asset wanted = sculpt(arm, 100, 0.03, stack);
    CorrectiveRequest how = at_pose(100);
    how.deform.stack = deform_stack(stack);
    const Result<ShapesReport> report = correct_shape(corrected, {}, wanted, how);
    ASSERT_TRUE(report) << report.error().sentence;
    EXPECT_LT(farthest_point(posed(corrected, 100, stack), wanted.character.meshes[0].points), 1e-5 * size);
  }
}

// The path of a sculptor, with the surface of another stack as the sculpt.
TEST_F(CorrectedArm, FromFileToFileACorrectiveAndItsSpaceSurvive) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(save(folder.file("arm.glb"), arm));
  {
    std::ofstream pose(folder.file("bent.json"));
    pose << R"({"nodes": {"elbow_L": {"turn_deg": [1, 0, 0, 100]}}})";
  }
  for (const char* sculpt : {"bent.obj", "bent.glb", "bent.ply"}) {
    SCOPED_TRACE(sculpt);
    DeformJob posing;
    posing.input = folder.file("arm.glb");
    posing.output = folder.file(sculpt);
    posing.pose.pose_file = folder.file("bent.json");
    posing.deform.stack = deform_stack("cor");
    ASSERT_TRUE(deform(posing));
    ShapesJob job;
    job.input = posing.input;
    job.output = folder.file("corrected.glb");
    const Result<ShapesReport> report = correct_shape(job, posing.output, posing.pose, {});
    ASSERT_TRUE(report) << report.error().sentence;
    EXPECT_EQ(report->doubt, "");
    const Result<Asset> back = load(job.output);
    ASSERT_TRUE(back) << back.error().sentence;
    ASSERT_EQ(back->character.pose_spaces.size(), 1u);
    EXPECT_EQ(back->character.pose_spaces[0].examples[0].shape, "bent");
    EXPECT_LT(farthest_point(posed(*back, 100), posed(arm, 100, "cor")), 1e-5 * size);
    EXPECT_LT(farthest_point(posed(*back, 0), posed(arm, 0)), 1e-6 * size);
    ShapesJob listing;
    listing.input = job.output;
    const Result<ShapesReport> poses = list_correctives(listing, posing.pose);
    ASSERT_TRUE(poses) << poses.error().sentence;
    ASSERT_EQ(poses->correctives.size(), 1u);
    EXPECT_NEAR(poses->correctives[0].weight, 1, 1e-5);
  }
}

TEST(MirroredCorrectives, MoveTheOtherSideAsTheyMoveTheirs) {
  Asset body;
  body.name = "body.glb";
  body.character = make_character(MadeKind::humanoid, {2500}).value();
  const auto bend = [&](const char* joint, double degrees) {
    ChosenPose pose;
    pose.pose.nodes.emplace_back().node = joint;
    pose.pose.nodes[0].turn = Quat(quat_from_axis_angle({1, 0, 0}, radians_from_degrees(degrees)));
    return pose;
  };
  CorrectiveRequest how;
  how.pose = bend("forearm_L", 80);
  how.name = "elbow_L";
  how.adds_mirror_image = true;
  Asset sculpt;
  sculpt.name = "elbow_L.obj";
  ASSERT_TRUE(deform(body, {how.pose, {deform_stack("cor")}}, sculpt.character));
  const Result<ShapesReport> report = correct_shape(body, {}, sculpt, how);
  ASSERT_TRUE(report) << report.error().sentence;
  ASSERT_EQ(body.character.pose_spaces.size(), 2u);
  EXPECT_EQ(body.character.pose_spaces[1].name, "forearm_R");
  const PoseExample& image = body.character.pose_spaces[1].examples.at(0);
  EXPECT_EQ(image.shape, "elbow_R");
  // At its pose the other arm is as cor poses it, because the body is symmetric.
  ChosenPose other = how.pose;
  other.pose.nodes[0].node = "forearm_R";
  other.pose.nodes[0].turn = image.rotation[0];
  Character still, wanted, plain;
  ASSERT_TRUE(deform(body, {other, {deform_stack("lbs")}}, still));
  ASSERT_TRUE(deform(body, {other, {deform_stack("cor"), NormalMode::shading, {}, false}}, wanted));
  ASSERT_TRUE(deform(body, {other, {deform_stack("lbs"), NormalMode::shading, {}, false}}, plain));
  double far = 0, before = 0;
  for (std::size_t m = 0; m < still.meshes.size(); ++m) {
    far = std::max(far, farthest_point(still.meshes[m].points, wanted.meshes[m].points));
    before = std::max(before, farthest_point(plain.meshes[m].points, wanted.meshes[m].points));
  }
  EXPECT_GT(before, 0.003);
  EXPECT_LT(far, 0.15 * before);
}

TEST(MirroredCorrectives, AShapeOfTheOtherSideThatIsNoCorrectiveIsNotReplaced) {
  Asset body;
  body.name = "body.glb";
  body.character = make_character(MadeKind::humanoid, {1500}).value();
  body.character.meshes[0].shapes.push_back({"elbow_R", {0}, {{0, 0.01f, 0}}, {}, {}});
  for (Instance& instance : body.character.instances)
    if (instance.mesh == 0) instance.shape_weights.push_back(0);
  CorrectiveRequest how;
  how.pose.pose.nodes.emplace_back().node = "forearm_L";
  how.pose.pose.nodes[0].turn = Quat(quat_from_axis_angle({1, 0, 0}, 1.4));
  how.name = "elbow_L";
  how.adds_mirror_image = true;
  Asset sculpt;
  sculpt.name = "elbow_L.obj";
  ASSERT_TRUE(deform(body, {how.pose, {deform_stack("cor")}}, sculpt.character));
  const Result<ShapesReport> report = correct_shape(body, {}, sculpt, how);
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().sentence.find("already a shape 'elbow_R', which is no corrective"),
            std::string::npos)
      << report.error().sentence;
  EXPECT_EQ(body.character.meshes[0].shapes.back().points, std::vector<Index>{0});
  EXPECT_TRUE(body.character.pose_spaces.empty());
}

}  // namespace
}  // namespace dermis
