// SPDX-License-Identifier: MIT
// Another rest pose: the surface is the posed one, shapes turn with it, and clips show what they showed.
#include "dermis/deform.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "characters.h"
#include "dermis/made.h"

namespace dermis {
namespace {

const Character& humanoid_at_rest() {
  static const Character character = *make_character(MadeKind::humanoid, {1500}, {});
  return character;
}

std::vector<Node> nodes_in_clip(const Character& character, double time) {
  const Result<PoseFrame> frame = pose_frame(character, {0, time, nullptr});
  std::vector<Node> nodes = character.nodes;
  for (std::size_t n = 0; n < nodes.size(); ++n) nodes[n].rest = frame->local[n].transform;
  return nodes;
}

double largest_distance(const Mesh& a, const Mesh& b) {
  EXPECT_EQ(a.points.size(), b.points.size());
  double most = 0;
  for (std::size_t v = 0; v < a.points.size(); ++v)
    most = std::max(most, length(Vec3d(a.points[v]) - Vec3d(b.points[v])));
  return most;
}

// Every point follows one joint, so that nothing is blended.
Character rigid_rows(Character character) {
  for (Mesh& mesh : character.meshes) {
    WeightRowBuilder builder;
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
      builder.add(mesh.weights.row(v).front().slot, 1);
      builder.close_row(0);
    }
    mesh.weights = builder.take();
  }
  return character;
}

TEST(RestInPose, RestIsThePosedSurface) {
  const Character& from = humanoid_at_rest();
  const Result<Character> posed = deform_character(from, *pose_frame(from, {0, 0.4, nullptr}), {});
  const Result<Character> changed = rest_in_pose(from, nodes_in_clip(from, 0.4), {});
  ASSERT_TRUE(changed) << changed.error().sentence;
  const Result<Character> rest = deform_character(*changed, *pose_frame(*changed, {}), {});
  EXPECT_LT(largest_distance(posed->meshes[0], rest->meshes[0]), 1e-5);
  for (std::size_t c = 0; c < posed->meshes[0].normals.values.size(); ++c)
    ASSERT_LT(length(Vec3d(posed->meshes[0].normals.values[c] - rest->meshes[0].normals.values[c])), 1e-3);
}

TEST(RestInPose, ClipsOfUnblendedSkinsShowTheSame) {
  const Character from = rigid_rows(humanoid_at_rest());
  const Result<Character> changed = rest_in_pose(from, nodes_in_clip(from, 0.4), {});
  ASSERT_TRUE(changed) << changed.error().sentence;
  for (const double time : {0.0, 0.5, 1.1}) {
    const Result<Character> a = deform_character(from, *pose_frame(from, {0, time, nullptr}), {}),
                            b = deform_character(*changed, *pose_frame(*changed, {0, time, nullptr}), {});
    EXPECT_LT(largest_distance(a->meshes[0], b->meshes[0]), 2e-5) << time;
  }
}

TEST(RestInPose, JointsThatAClipLeavesAloneKeepTheirOldPoseInIt) {
  Character from = rigid_rows(humanoid_at_rest());
  Clip& clip = from.clips[0];
  const std::vector<Node> nodes = nodes_in_clip(from, 0.4);
  clip.channels.erase(clip.channels.begin() + 1, clip.channels.end());
  const Result<Character> before = deform_character(from, *pose_frame(from, {0, 0.3, nullptr}), {});
  const Result<Character> changed = rest_in_pose(from, nodes, {});
  ASSERT_TRUE(changed) << changed.error().sentence;
  EXPECT_GT(changed->clips[0].channels.size(), 10u);
  const Result<Character> after = deform_character(*changed, *pose_frame(*changed, {0, 0.3, nullptr}), {});
  EXPECT_LT(largest_distance(before->meshes[0], after->meshes[0]), 2e-5);
}

TEST(RestInPose, ShapesTurnWithTheirPoints) {
  Character from = rigid_rows(humanoid_at_rest());
  Mesh& mesh = from.meshes[0];
  Shape shape;
  shape.name = "swollen";
  for (std::size_t v = 0; v < mesh.points.size(); v += 3) {
    shape.points.push_back(static_cast<Index>(v));
    shape.offsets.push_back({0.01f, 0.02f, -0.03f});
  }
  mesh.shapes = {shape};
  for (Instance& instance : from.instances) instance.shape_weights = {0.25f};
  const std::vector<Node> nodes = nodes_in_clip(from, 0.4);
  const Result<Character> changed = rest_in_pose(from, nodes, {});
  ASSERT_TRUE(changed) << changed.error().sentence;
  for (const std::size_t e : {std::size_t{0}, shape.points.size() / 2})
    EXPECT_NEAR(length(changed->meshes[0].shapes[0].offsets[e]), length(shape.offsets[e]), 1e-5);
  for (const double time : {0.2, 0.9}) {
    const Result<Character> a = deform_character(from, *pose_frame(from, {0, time, nullptr}), {}),
                            b = deform_character(*changed, *pose_frame(*changed, {0, time, nullptr}), {});
    EXPECT_LT(largest_distance(a->meshes[0], b->meshes[0]), 2e-5) << time;
  }
}

TEST(RestInPose, SameRestChangesNothing) {
  const Character& from = humanoid_at_rest();
  const Result<Character> changed = rest_in_pose(from, from.nodes, {});
  ASSERT_TRUE(changed) << changed.error().sentence;
  EXPECT_EQ(changed->meshes[0].points, from.meshes[0].points);
  EXPECT_EQ(changed->skins[0].inverse_bind, from.skins[0].inverse_bind);
  EXPECT_EQ(changed->clips[0].channels.size(), from.clips[0].channels.size());
}

TEST(RestInPose, MeshesOfTwoSkinsAndOtherSpacesAreSetApart) {
  // A second copy of the body, bound in another space under a skin of its own.
  Character from = rigid_rows(humanoid_at_rest());
  from.clips.resize(1);
  Skin other = from.skins[0];
  const Affined elsewhere(diagonal(Vec3d{2, 2, 2}), {3, 0, 0});
  for (Affine& bind : other.inverse_bind) bind = Affine(Affined(bind) * elsewhere);
  from.skins.push_back(other);
  Instance copy = from.instances[0];
  copy.skin = 1;
  from.instances.push_back(copy);
  ASSERT_TRUE(validate(from)) << validate(from).error().sentence;
  const Result<Character> changed = rest_in_pose(from, nodes_in_clip(from, 0.4), {});
  ASSERT_TRUE(changed) << changed.error().sentence;
  EXPECT_EQ(changed->meshes.size(), from.meshes.size() + 1);
  const Result<Character> a = deform_character(from, *pose_frame(from, {0, 0.7, nullptr}), {}),
                          b = deform_character(*changed, *pose_frame(*changed, {0, 0.7, nullptr}), {});
  ASSERT_EQ(a->meshes.size(), b->meshes.size());
  for (std::size_t m = 0; m < a->meshes.size(); ++m)
    EXPECT_LT(largest_distance(a->meshes[m], b->meshes[m]), 1e-4) << m;
}

TEST(RestInPose, NodesOfAnotherCharacterAreRefused) {
  const Result<Character> none = rest_in_pose(humanoid_at_rest(), {}, {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::bad_argument);
}

TEST(RestInPose, HearsAStop) {
  const std::atomic<bool> stop = true;
  const Result<Character> stopped =
      rest_in_pose(humanoid_at_rest(), nodes_in_clip(humanoid_at_rest(), 0.4), {}, Progress({}, &stop));
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Errc::cancelled);
}

}  // namespace
}  // namespace dermis
