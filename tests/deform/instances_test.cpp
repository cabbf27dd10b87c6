// SPDX-License-Identifier: MIT
// Whole scenes in world space: rigid and skinned instances, corners, mirrors and refusals.
#include <gtest/gtest.h>

#include <atomic>
#include <limits>

#include "characters.h"
#include "dermis/deform.h"
#include "dermis/geometry.h"

namespace dermis {
namespace {

using test::crowded_character;
using test::volume_of;

PoseFrame frame_of(const Character& character, const PoseRequest& request = {}) {
  const Result<PoseFrame> frame = pose_frame(character, request);
  EXPECT_TRUE(frame.ok());
  return *frame;
}

Character posed(const Character& character, const PoseFrame& frame, const DeformOptions& options = {}) {
  EXPECT_TRUE(validate(character).ok()) << validate(character).error().sentence;
  Result<Character> still = deform_character(character, frame, options);
  EXPECT_TRUE(still.ok()) << still.error().sentence;
  const Status status = validate(*still);
  EXPECT_TRUE(status.ok()) << status.error().sentence;
  return *still;
}

Vec3d corner_normal(const Mesh& mesh, std::size_t c) {
  return Vec3d(mesh.normals.is_per_point() ? mesh.normals.values[at(mesh.polygons.corners[c])]
                                           : mesh.normals.values[at(mesh.normals.corner_value[c])]);
}

TEST(DeformCharacter, PutsEachInstanceOfTheSceneUnderItsOwnNode) {
  Character character = crowded_character();
  character.instances.push_back(character.instances[1]);
  character.instances[1].in_scene = false;
  character.metres_per_unit = 0.01;
  const Character still = posed(character, frame_of(character));
  ASSERT_EQ(still.instances.size(), 2u);
  EXPECT_EQ(still.meshes[0].name, "body");
  EXPECT_EQ(still.meshes[1].name, "hat");
  EXPECT_EQ(still.nodes[1].name, "hat");
  EXPECT_EQ(still.metres_per_unit, 0.01);
  EXPECT_EQ(rest_world(still)[1], Affined{});
  EXPECT_TRUE(still.skins.empty() && still.clips.empty() && still.meshes[0].shapes.empty());
}

TEST(DeformCharacter, KeepsPartsTextureCoordinatesAndColours) {
  const Character character = crowded_character();
  const Character still = posed(character, frame_of(character));
  const Mesh &before = character.meshes[0], &after = still.meshes[0];
  EXPECT_EQ(after.points, before.points);  // bound as it rests
  EXPECT_EQ(after.polygons.corners, before.polygons.corners);
  EXPECT_EQ(after.parts[1].material, 1);
  EXPECT_EQ(after.uvs[0].values, before.uvs[0].values);
  EXPECT_EQ(after.uvs[0].corner_value, before.uvs[0].corner_value);
  EXPECT_EQ(after.colours[0].values, before.colours[0].values);
  EXPECT_EQ(after.weld, before.weld);
}

TEST(DeformCharacter, TakesRigidInstancesWithTheirNodeAndTheirNormalsByCofactor) {
  const Character character = crowded_character();
  const PoseFrame frame = frame_of(character);
  const Mesh hat = posed(character, frame).meshes[1];
  // The hat's node shears x by half of y, above the hip.
  EXPECT_LT(length(Vec3d(hat.points[2]) - Vec3d{0.5, 4, 0}), 1e-6);
  Character tilted = character;
  tilted.meshes[1].normals.values.assign(3, {1, 0, 0});
  const Vec3d expected = normalized(Vec3d{1, -0.5, 0});
  EXPECT_LT(length(Vec3d(posed(tilted, frame).meshes[1].normals.values[0]) - expected), 1e-6);
}

TEST(DeformCharacter, IgnoresTheOwnTransformOfASkinnedNode) {
  Character character = test::tube_character({.rings = 3, .sides = 4}, {2, 0, 0});
  character.nodes[2].rest.translation = {100, 0, 0};
  EXPECT_EQ(posed(character, frame_of(character)).meshes[0].points, character.meshes[0].points);
}

TEST(DeformCharacter, FlipsTheWindingOfAMirroredRigidInstance) {
  Character character = crowded_character();
  Mesh cube = test::tube({.rings = 4, .sides = 5});
  cube.weights = {};
  cube.uvs.resize(1);
  for (const Index corner : cube.polygons.corners) cube.uvs[0].corner_value.push_back(corner);
  cube.uvs[0].values.resize(cube.points.size());
  character.meshes[1] = cube;
  character.nodes[3].rest_matrix->linear.x = {-1, 0, 0};
  const Mesh still = posed(character, frame_of(character)).meshes[1];
  EXPECT_NEAR(volume_of(still.points, still.polygons), volume_of(cube.points, cube.polygons), 1e-5);
  EXPECT_EQ(still.uvs[0].corner_value, still.polygons.corners);  // they turned together
  EXPECT_EQ(still.polygons.corners[0], cube.polygons.corners[0]);
  const std::vector<Vec3> outward = point_normals(still.points, still.polygons.first, still.polygons.corners);
  for (std::size_t v = 0; v < outward.size(); ++v) {
    EXPECT_GT(dot(Vec3d(outward[v]), Vec3d(still.normals.values[v])), 0.3);
    EXPECT_EQ(still.tangents.values[v].w, -1);
  }
}

TEST(DeformCharacter, FlipsTheWindingOfASkinWhoseJointsAllMirror) {
  Character character = test::tube_character({.rings = 5, .sides = 6}, {2, 0, 0});
  character.nodes[0].rest.scale = {1, 1, -1};
  const Mesh mirrored = posed(character, frame_of(character)).meshes[0];
  const Mesh& rest = character.meshes[0];
  EXPECT_NEAR(volume_of(mirrored.points, mirrored.polygons), volume_of(rest.points, rest.polygons), 1e-5);
}

TEST(DeformCharacter, PosesCornerNormalsWithThePointOfEachCorner) {
  Character character = test::tube_character({.rings = 5, .sides = 6}, {2, 0, 0});
  Mesh& mesh = character.meshes[0];
  Pose pose;
  NodePose turned;
  turned.node = "far";
  turned.turn = Quat(quat_from_axis_angle({1, 1, 0}, 1.0));
  pose.nodes = {turned};
  PoseRequest request;
  request.pose = &pose;
  for (const NormalMode mode : {NormalMode::shading, NormalMode::inverse_transpose, NormalMode::exact}) {
    const DeformOptions options{{}, mode};
    const Character by_point = posed(character, frame_of(character, request), options);
    // The same normals, told per corner.
    Character cornered = character;
    cornered.meshes[0].normals.corner_value = mesh.polygons.corners;
    const Character by_corner = posed(cornered, frame_of(cornered, request), options);
    const Mesh &a = by_point.meshes[0], &b = by_corner.meshes[0];
    EXPECT_EQ(a.points, b.points);
    EXPECT_EQ(b.normals.values.size(), mesh.points.size());
    for (std::size_t c = 0; c < mesh.polygons.corners.size(); ++c) {
      EXPECT_EQ(corner_normal(a, c), corner_normal(b, c));
      EXPECT_EQ(a.tangents.values[at(mesh.polygons.corners[c])],
                b.tangents.values[at(b.tangents.corner_value[c])]);
    }
  }
}

TEST(DeformCharacter, SplitsANormalThatPointsShareWhenTheyMoveApart) {
  Character character = test::tube_character({.rings = 3, .sides = 4}, {2, 0, 0});
  Mesh& mesh = character.meshes[0];
  mesh.tangents = {};
  mesh.normals.values = {{0, 1, 0}};
  mesh.normals.corner_value.assign(mesh.polygons.corners.size(), 0);
  Pose pose;
  NodePose turned;
  turned.node = "far";
  turned.turn = Quat(quat_from_axis_angle({1, 0, 0}, kPi / 2));
  pose.nodes = {turned};
  PoseRequest request;
  request.pose = &pose;
  const Mesh still = posed(character, frame_of(character, request)).meshes[0];
  for (std::size_t c = 0; c < mesh.polygons.corners.size(); ++c) {
    const double x = static_cast<double>(mesh.points[at(mesh.polygons.corners[c])].x);
    const Vec3d expected = normalized(Vec3d{0, 2 - x, x});
    EXPECT_LT(length(corner_normal(still, c) - expected), 1e-6);
  }
}

TEST(DeformCharacter, AppliesShapesBeforeTheSkin) {
  Character character = crowded_character();
  Pose pose;
  pose.shapes = {{"smile", 1}};
  NodePose turned;
  turned.node = "hip";
  turned.turn = Quat(quat_from_axis_angle({0, 1, 0}, kPi));
  pose.nodes = {turned};
  PoseRequest request;
  request.pose = &pose;
  // Point 4 follows the hip alone, rests at the origin and smiles up by one; the hip turns about y at x = z =
  // 0.
  const Mesh still = posed(character, frame_of(character, request)).meshes[0];
  EXPECT_LT(length(Vec3d(still.points[4]) - Vec3d{0, 1, 0}), 1e-6);
  EXPECT_NE(still.weld[4], 0);  // no longer where point 0 is
}

TEST(DeformInstance, RigidMethodFollowsTheHeaviestJoint) {
  const Character character = crowded_character();
  PoseFrame frame = frame_of(character);
  frame.palette[1].translation += Vec3d{0, 0, 8};
  const Result<Surface> surface =
      deform_instance(character, frame, 0, {deform_stack("rigid"), NormalMode::exact});
  EXPECT_EQ(surface->points[1].z, 8.0f);  // three quarters of slot 1
  EXPECT_EQ(surface->points[2].z, 0.0f);  // a tie: the lower slot
  EXPECT_TRUE(surface->normals.empty());  // corner normals are not per point
}

TEST(DeformInstance, RefusesAPoseOutOfTheRangeOfNumbers) {
  const Character character = crowded_character();
  PoseFrame frame = frame_of(character);
  frame.palette[0].linear = frame.palette[0].linear * 1e300;
  const Result<Surface> surface = deform_instance(character, frame, 0, {});
  ASSERT_FALSE(surface.ok());
  EXPECT_EQ(surface.error().sentence,
            "mesh 'body': the pose moves point 1 out of the range of 32-bit numbers");
}

TEST(DeformCharacter, TangentsOverflowedOnKernelsWhereSquaresExceedFloat) {
  Character character = crowded_character();
  character.meshes[0].normals = {};
  for (const char* stack : {"lbs", "dqs", "quaternion", "spherical", "lbs_dqs", "direct_delta_mush"}) {
    for (const double scale : {1e-25, 1e22, 1e30}) {
      SCOPED_TRACE(testing::Message() << stack << " scaled by " << scale);
      PoseFrame frame = frame_of(character);
      for (Affined& joint : frame.palette) joint.linear = joint.linear * scale;
      DeformOptions options;
      options.stack = deform_stack(stack);
      const Character still = posed(character, frame, options);
      for (const Vec4& tangent : still.meshes[0].tangents.values) EXPECT_TRUE(is_finite(tangent.xyz()));
    }
  }
}

TEST(PrepareDeformer, TellsItsProgressOverAllMeshesAndStages) {
  Character character = crowded_character();
  character.meshes.push_back(character.meshes[0]);
  Instance twin = character.instances[0];
  twin.mesh = static_cast<Index>(character.meshes.size() - 1);
  character.instances.push_back(twin);
  std::vector<double> heard;
  const Progress progress([&](std::string_view, double fraction) { heard.push_back(fraction); }, nullptr);
  DeformOptions options;
  options.stack = *read_stack("direct_delta_mush,delta_mush", deform_stages());
  ASSERT_TRUE(prepare_deformer(character, options, progress));
  ASSERT_GT(heard.size(), 2u);
  EXPECT_TRUE(std::is_sorted(heard.begin(), heard.end()));
  EXPECT_LE(heard.back(), 1);
}

TEST(DeformCharacter, StopsWhenAsked) {
  const Character character = crowded_character();
  const std::atomic<bool> stop{true};
  const Result<Character> still = deform_character(character, frame_of(character), {}, Progress({}, &stop));
  ASSERT_FALSE(still.ok());
  EXPECT_EQ(still.error().code, Errc::cancelled);
}

}  // namespace
}  // namespace dermis
