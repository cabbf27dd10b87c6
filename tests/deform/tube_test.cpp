// SPDX-License-Identifier: MIT
// The closed forms of twisted and bent tubes under linear blending.
#include <gtest/gtest.h>

#include "characters.h"
#include "dermis/deform.h"

namespace dermis {
namespace {

using test::TubeShape;
using test::volume_of;

// The tube on two joints at `far` along it, the far one turned about `axis`, through clip-free pose and skin.
std::vector<Vec3> posed_tube(const Character& character, const Vec3d& axis, double angle) {
  Pose pose;
  NodePose turned;
  turned.node = "far";
  turned.turn = Quat(quat_from_axis_angle(axis, angle));
  pose.nodes = {turned};
  PoseRequest request;
  request.pose = &pose;
  const Result<PoseFrame> frame = pose_frame(character, request);
  return deform_instance(character, *frame, 0, {})->points;
}

const double kTwists[] = {30, 45, 60, 90, 120, 135, 150, 179};

TEST(TwistedTube, ShrinksAndTurnsEachRingByTheClosedForm) {
  const TubeShape shape{.rings = 33, .sides = 8};
  const Character character = test::tube_character(shape, {2, 0, 0});
  for (const double degrees : kTwists) {
    SCOPED_TRACE(degrees);
    const double theta = radians_from_degrees(degrees);
    const std::vector<Vec3> points = posed_tube(character, {1, 0, 0}, theta);
    for (int r = 0; r < shape.rings; ++r) {
      const double w = test::tube_weight(shape, r);
      const double s = std::sin(theta / 2);
      const double radius = std::sqrt(1 - 4 * w * (1 - w) * s * s);
      const double angle = std::atan2(w * std::sin(theta), 1 - w + w * std::cos(theta));
      // Side 0 rests along +y.
      const Vec3d p(points[at(r * shape.sides)]);
      EXPECT_NEAR(p.x, 2.0 * w, 1e-6);
      EXPECT_NEAR(p.y, radius * std::cos(angle), 1e-6);
      EXPECT_NEAR(p.z, radius * std::sin(angle), 1e-6);
      for (int side = 0; side < shape.sides; ++side) {
        const Vec3d q(points[at(r * shape.sides + side)]);
        EXPECT_NEAR(std::hypot(q.y, q.z), radius, 1e-6);
      }
    }
  }
}

TEST(TwistedTube, CollapsesToTheAxisAtHalfATurn) {
  const TubeShape shape{.rings = 33, .sides = 8};
  const std::vector<Vec3> points = posed_tube(test::tube_character(shape, {2, 0, 0}), {1, 0, 0}, kPi);
  for (int side = 0; side < shape.sides; ++side) {
    EXPECT_LT(length(Vec3d(points[at(16 * shape.sides + side)]) - Vec3d{1, 0, 0}), 1e-6);
  }
}

TEST(TwistedTube, LosesTwoThirdsOfTheSquaredSineOfHalfTheTwistInVolume) {
  const TubeShape shape{.rings = 401, .sides = 64};
  const Character character = test::tube_character(shape, {2, 0, 0});
  const Mesh& mesh = character.meshes[0];
  const double rest = volume_of(mesh.points, mesh.polygons);
  for (const double degrees : {45.0, 90.0, 135.0, 180.0}) {
    SCOPED_TRACE(degrees);
    const double theta = radians_from_degrees(degrees);
    const double s = std::sin(theta / 2);
    const std::vector<Vec3> points = posed_tube(character, {1, 0, 0}, theta);
    EXPECT_NEAR(volume_of(points, mesh.polygons) / rest, 1 - 2.0 / 3.0 * s * s, 2e-4);
  }
}

TEST(BentTube, KeepsTheCosineOfHalfTheBendOfTheDistanceToTheElbow) {
  const TubeShape shape{.rings = 33, .sides = 8};
  const Character character = test::tube_character(shape, {1, 0, 0});
  const Vec3d elbow{1, 0, 0};
  for (const double degrees : kTwists) {
    SCOPED_TRACE(degrees);
    const double theta = radians_from_degrees(degrees);
    const std::vector<Vec3> points = posed_tube(character, {0, 0, 1}, theta);
    for (int side = 0; side < shape.sides; ++side) {
      const std::size_t v = at(16 * shape.sides + side);  // the ring with half of each weight, at the elbow
      const Vec3d rest = Vec3d(character.meshes[0].points[v]) - elbow;
      const Vec3d posed = Vec3d(points[v]) - elbow;
      // Across the axis the distance shrinks; along it nothing changes.
      EXPECT_NEAR(std::hypot(posed.x, posed.y), std::abs(rest.y) * std::cos(theta / 2), 1e-6);
      EXPECT_NEAR(posed.z, rest.z, 1e-6);
    }
  }
}

TEST(TwistedTube, GivesTheWorkedExampleFromAPoseFile) {
  Character character;
  character.nodes = {test::node_at("upper", kNone, {}), test::node_at("lower", 0, {2, 0, 0}),
                     test::node_at("arm", kNone, {})};
  Mesh mesh;
  mesh.points = {{2, 3, 0}};
  mesh.parts = {{0, 1, 0, 0}};
  mesh.weld = {0};
  mesh.weights = test::rows_of({{{0, 0.5f}, {1, 0.5f}}});
  character.meshes = {mesh};
  character.skins.resize(1);
  character.skins[0].node = {0, 1};
  character.skins[0].inverse_bind = {Affine{}, Affine(Mat3{}, {-2, 0, 0})};
  Instance instance;
  instance.node = 2;
  instance.mesh = 0;
  instance.skin = 0;
  character.instances = {instance};
  ASSERT_TRUE(validate(character).ok());
  Pose pose;
  NodePose turned;
  turned.node = "lower";
  turned.turn = Quat(quat_from_axis_angle({1, 0, 0}, kPi));
  pose.nodes = {turned};
  PoseRequest request;
  request.pose = &pose;
  const Result<Character> posed = deform_character(character, *pose_frame(character, request), {});
  EXPECT_LT(length(Vec3d(posed->meshes[0].points[0]) - Vec3d{2, 0, 0}), 1e-6);
}

}  // namespace
}  // namespace dermis
