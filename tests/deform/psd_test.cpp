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
  // A bulge around the inside of the elbow, as a sculptor would add it.
  std::vector<Vec3> sculpted(const Pose& pose, const char* stack) const {
    const Surface surface = posed(arm, pose, stack);
    const Vec3d centre = pose_frame(arm, {kNone, 0, &pose})->world_from_node[at(elbow)].translation;
    std::vector<Vec3> points = surface.points;
    for (std::size_t v = 0; v < points.size(); ++v) {
      const double far = length(Vec3d(points[v]) - centre) / (0.12 * size);
      const double wave = 0.03 * size * std::exp(-far * far) *
                          (1 + 0.5 * std::sin(40 * static_cast<double>(points[v].y) / size));
      points[v] = Vec3(Vec3d(points[v]) + Vec3d(surface.normals[v]) * wave);
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
    printf("%s: %g %g in %d, %g %g in %d rounds, %zu damped\n", stack, first.median, first.largest,
           first.round_count, second.median, second.largest, second.round_count, second.damped_count);
    EXPECT_LT(farthest(posed(corrected, right, stack).points, at_90), 1e-5);
    EXPECT_LT(farthest(posed(corrected, closed, stack).points, at_120), 1e-5);
    EXPECT_EQ(posed(corrected, {}, stack).points, posed(arm, {}, stack).points);
    EXPECT_LT(std::max(first.largest, second.largest), 1e-5);
  }
}

}  // namespace
}  // namespace dermis
