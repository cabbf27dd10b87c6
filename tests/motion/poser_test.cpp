// SPDX-License-Identifier: MIT
// From clips and poses to world transforms, in any order of nodes.
#include <gtest/gtest.h>

#include <limits>

#include "characters.h"
#include "counted_allocations.h"
#include "dermis/motion.h"

namespace dermis {
namespace {

using test::crowded_character;
using test::node_at;

PoseFrame posed(const Character& character, const PoseRequest& request = {}) {
  Result<PoseFrame> frame = pose_frame(character, request);
  EXPECT_TRUE(frame.ok()) << frame.error().sentence;
  return frame.ok() ? *frame : PoseFrame{};
}

PoseFrame posed(const Character& character, const Pose& pose) {
  PoseRequest request;
  request.pose = &pose;
  return posed(character, request);
}

std::string refusal(const Character& character, const Pose& pose) {
  PoseRequest request;
  request.pose = &pose;
  const Result<PoseFrame> frame = pose_frame(character, request);
  return frame.ok() ? "posed" : frame.error().sentence;
}

Quat turn(const Vec3d& axis, double degrees) {
  return Quat(quat_from_axis_angle(axis, radians_from_degrees(degrees)));
}

void expect_near(const Vec3d& a, const Vec3d& b, double tolerance = 1e-6) {
  EXPECT_LT(length(a - b), tolerance) << a.x << " " << a.y << " " << a.z;
}

TEST(PoseFrame, PutsChildrenOnParentsThatComeLaterInTheFile) {
  Character character;
  character.nodes = {node_at("hand", 1, {1, 0, 0}), node_at("elbow", 2, {1, 0, 0}),
                     node_at("shoulder", kNone, {0, 5, 0})};
  character.nodes[2].rest.rotation = turn({0, 0, 1}, 90);
  const PoseFrame frame = posed(character);
  expect_near(frame.world_from_node[0].translation, {0, 7, 0});
  expect_near(frame.world_from_node[1].translation, {0, 6, 0});
}

TEST(PoseFrame, DoesNotDependOnTheOrderOfNodes) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const int count = 1 + random.below(30);
    std::vector<Index> place(at(count));
    for (int n = 0; n < count; ++n) place[at(n)] = n;
    for (int n = count - 1; n > 0; --n) std::swap(place[at(n)], place[at(random.below(n + 1))]);
    Character sorted, shuffled;
    sorted.nodes.resize(at(count));
    shuffled.nodes.resize(at(count));
    for (int n = 0; n < count; ++n) {
      Node node;
      node.rest.translation = Vec3(random.vector());
      node.rest.rotation = Quat(random.rotation());
      node.rest.scale = Vec3(Vec3d{1, 1, 1} + random.vector() * 0.5);
      node.parent = n == 0 || random.below(6) == 0 ? kNone : random.below(n);
      sorted.nodes[at(n)] = node;
      if (node.parent != kNone) node.parent = place[at(node.parent)];
      shuffled.nodes[at(place[at(n)])] = node;
    }
    const PoseFrame a = posed(sorted), b = posed(shuffled);
    for (int n = 0; n < count; ++n) {
      EXPECT_EQ(a.world_from_node[at(n)], b.world_from_node[at(place[at(n)])]);
      const Affined local = affine_from_transform(sorted.nodes[at(n)].rest);
      const Index parent = sorted.nodes[at(n)].parent;
      EXPECT_EQ(a.world_from_node[at(n)], parent == kNone ? local : a.world_from_node[at(parent)] * local);
    }
  }
}

TEST(PoseFrame, CarriesJointsByAncestorsThatAreNoJoints) {
  Character character = test::tube_character({.rings = 3, .sides = 3}, {1, 0, 0});
  character.nodes.push_back(node_at("stage", kNone, {0, 0, 4}));
  character.nodes[0].parent = 3;
  const PoseFrame frame = posed(character);
  for (const Affined& world_from_bind : frame.palette_of(0)) {
    EXPECT_LT(max_difference(world_from_bind, Affined(Mat3d{}, {0, 0, 4})), 1e-12);
  }
}

TEST(PoseFrame, HasOnePaletteForEachSkin) {
  Character character = crowded_character();
  Skin other;
  other.node = {3};
  other.inverse_bind = {Affine(Mat3{}, {1, 2, 3})};
  character.skins.push_back(other);
  const PoseFrame frame = posed(character);
  ASSERT_EQ(frame.palette_of(0).size(), 2u);
  ASSERT_EQ(frame.palette_of(1).size(), 1u);
  EXPECT_EQ(frame.palette_of(1)[0], frame.world_from_node[3] * Affined(other.inverse_bind[0]));
  // Bound as it rests: nothing moves.
  for (const Affined& world_from_bind : frame.palette_of(0))
    EXPECT_LT(max_difference(world_from_bind, {}), 1e-12);
}

TEST(PoseFrame, AtRestIsRestWorldWithMatricesShearAndAll) {
  const Character character = crowded_character();
  const PoseFrame frame = posed(character);
  EXPECT_EQ(frame.world_from_node, rest_world(character));
  EXPECT_EQ(frame.parent_from_node[3], Affined(*character.nodes[3].rest_matrix));
  EXPECT_EQ(frame.shape_weights[0], (std::vector<float>{0, 0}));
  EXPECT_EQ(frame.controls, (std::vector<float>{0.25f, 0}));
}

TEST(PoseFrame, SamplesEveryPathOfAClip) {
  const PoseFrame frame = posed(crowded_character(), PoseRequest{0, 1.0, nullptr});
  EXPECT_EQ(frame.time, 1.0);
  expect_near(frame.parent_from_node[0].translation, {2, 0, 0});
  expect_near(frame.parent_from_node[1].linear.x, {0, 1, 0});     // half of half a turn about z
  expect_near(frame.parent_from_node[1].translation, {0, 1, 0});  // not animated: stays at rest
  expect_near(frame.parent_from_node[2].linear.x, {1, 0, 0});     // step: still the first key
  EXPECT_EQ(frame.shape_weights[0], (std::vector<float>{1, 0.5f}));
  EXPECT_EQ(frame.controls, (std::vector<float>{0.25f, 1}));
}

TEST(PoseFrame, HoldsTheLastKeysAfterTheClip) {
  const Character character = crowded_character();
  EXPECT_EQ(posed(character, PoseRequest{0, 2.0, nullptr}).world_from_node,
            posed(character, PoseRequest{0, 50.0, nullptr}).world_from_node);
}

TEST(PoseFrame, DropsARestMatrixOnlyWhenTranslationRotationOrScaleIsSet) {
  const Character character = crowded_character();
  const Affined matrix(*character.nodes[3].rest_matrix);
  Pose pose;
  pose.nodes = {{.node = "hat", .translation = {}, .rotation = {}, .scale = {}, .turn = turn({0, 1, 0}, 90)}};
  const Affined turned = matrix * test::turned_about({}, {0, 1, 0}, kPi / 2);
  EXPECT_LT(max_difference(posed(character, pose).parent_from_node[3], turned), 1e-6);
  pose.nodes[0].turn.reset();
  pose.nodes[0].scale = Vec3{2, 2, 2};
  const Affined expected(diagonal(Vec3d{2, 2, 2}), {0, 2, 0});
  EXPECT_LT(max_difference(posed(character, pose).parent_from_node[3], expected), 1e-12);
}

TEST(PoseFrame, ReplacesLocalValuesAndTurnsInTheJointsOwnFrame) {
  Character character = crowded_character();
  character.nodes[1].rest.rotation = turn({0, 0, 1}, 90);
  Pose pose;
  pose.nodes = {{.node = "hip",
                 .translation = Vec3{5, 6, 7},
                 .rotation = {},
                 .scale = {},
                 .turn = turn({1, 0, 0}, 90)}};
  const Affined local = posed(character, pose).parent_from_node[1];
  expect_near(local.translation, {5, 6, 7});
  // The joint's own x points along the parent's y; turning about it leaves it there, and takes y to z.
  expect_near(local.linear.x, {0, 1, 0});
  expect_near(local.linear.y, {0, 0, 1});
  pose.nodes[0].rotation = Quat{};
  expect_near(posed(character, pose).parent_from_node[1].linear.x, {1, 0, 0});
}

TEST(PoseFrame, LaysThePoseOverTheClip) {
  const Character character = crowded_character();
  Pose pose;
  pose.nodes = {{.node = "root", .translation = Vec3{0, 9, 0}, .rotation = {}, .scale = {}, .turn = {}}};
  pose.shapes = {{"#1", 0.75f}};
  pose.controls = {{"breath", 1}};
  const PoseFrame frame = posed(character, PoseRequest{0, 1.0, &pose});
  expect_near(frame.parent_from_node[0].translation, {0, 9, 0});
  expect_near(frame.parent_from_node[1].linear.x, {0, 1, 0});
  EXPECT_EQ(frame.shape_weights[0], (std::vector<float>{1, 0.75f}));
  EXPECT_EQ(frame.controls, (std::vector<float>{1, 1}));
}

TEST(PoseFrame, SetsAShapeOnEveryInstanceThatHasIt) {
  Character character = crowded_character();
  character.instances.insert(character.instances.begin() + 1, character.instances[0]);
  Pose pose;
  pose.shapes = {{"smile", 0.5f}};
  const PoseFrame frame = posed(character, pose);
  EXPECT_EQ(frame.shape_weights[0][0], 0.5f);
  EXPECT_EQ(frame.shape_weights[1][0], 0.5f);
  EXPECT_TRUE(frame.shape_weights[2].empty());
}

TEST(PoseFrame, NamesTheNearestNodeShapeOrControl) {
  const Character character = crowded_character();
  Pose pose;
  pose.nodes = {{.node = "kneee", .translation = {}, .rotation = {}, .scale = {}, .turn = {}}};
  EXPECT_EQ(refusal(character, pose), "the pose: there is no node 'kneee'; did you mean 'knee'?");
  pose = {};
  pose.shapes = {{"smlie", 1}};
  EXPECT_EQ(refusal(character, pose), "the pose: there is no shape 'smlie'; did you mean 'smile'?");
  pose = {};
  pose.controls = {{"breathe", 1}};
  EXPECT_EQ(refusal(character, pose), "the pose: there is no control 'breathe'; did you mean 'breath'?");
  EXPECT_EQ(refusal(Character{}, pose),
            "the pose: there is no control 'breathe': the character has no controls");
}

TEST(PoseFrame, RefusesNumbersThatAreNotFinite) {
  const Character character = crowded_character();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Pose pose;
  pose.nodes = {{.node = "hip", .translation = Vec3{nan, 0, 0}, .rotation = {}, .scale = {}, .turn = {}}};
  EXPECT_EQ(refusal(character, pose), "the pose: a number of node 'hip' is not finite");
  pose = {};
  pose.shapes = {{"smile", nan}};
  EXPECT_EQ(refusal(character, pose), "the pose: the value of shape 'smile' is not finite");
  EXPECT_FALSE(pose_frame(character, {0, static_cast<double>(nan), nullptr}).ok());
}

TEST(PoseFrame, RefusesAClipThatIsNotThere) {
  const Result<PoseFrame> frame = pose_frame(crowded_character(), {3, 0, nullptr});
  ASSERT_FALSE(frame.ok());
  EXPECT_EQ(frame.error().sentence, "there is no clip 3: the character has 1 clip, from 0");
}

void expect_same(const PoseFrame& a, const PoseFrame& b) {
  EXPECT_EQ(a.time, b.time);
  EXPECT_EQ(a.palette_first, b.palette_first);
  EXPECT_EQ(a.shape_weights, b.shape_weights);
  EXPECT_EQ(a.controls, b.controls);
  ASSERT_EQ(a.palette.size(), b.palette.size());
  ASSERT_EQ(a.world_from_node.size(), b.world_from_node.size());
  for (std::size_t n = 0; n < a.world_from_node.size(); ++n) {
    EXPECT_EQ(a.local[n].is_replaced, b.local[n].is_replaced);
    EXPECT_EQ(a.parent_from_node[n].translation, b.parent_from_node[n].translation);
    EXPECT_EQ(a.world_from_node[n].translation, b.world_from_node[n].translation);
    EXPECT_EQ(a.world_from_node[n].linear.x, b.world_from_node[n].linear.x);
  }
  for (std::size_t s = 0; s < a.palette.size(); ++s)
    EXPECT_EQ(a.palette[s].translation, b.palette[s].translation);
}

Pose everything_posed() {
  Pose pose;
  pose.nodes = {{.node = "hip", .translation = Vec3{1, 2, 3}, .rotation = {}, .scale = {}, .turn = {}},
                {.node = "#3", .translation = {}, .rotation = {}, .scale = {}, .turn = turn({1, 0, 0}, 30)}};
  pose.shapes = {{"smile", 0.5f}, {"#1", 0.25f}};
  pose.controls = {{"breath", 0.75f}};
  return pose;
}

TEST(Poser, PosesAFrameAgainWithoutATraceOfTheLastOne) {
  const Character character = crowded_character();
  const Poser poser = prepare_poser(character).value();
  const Pose over = everything_posed();
  PoseFrame frame;
  for (const PoseRequest& request : {PoseRequest{0, 0.7, &over}, PoseRequest{}, PoseRequest{0, 0.2, nullptr},
                                     PoseRequest{kNone, 0, &over}}) {
    ASSERT_TRUE(pose(poser, request, frame));
    expect_same(frame, posed(character, request));
  }
}

TEST(Poser, PosesASecondFrameWithoutAllocating) {
  const Character character = crowded_character();
  const Poser poser = prepare_poser(character).value();
  const Pose over = everything_posed();
  PoseFrame frame;
  ASSERT_TRUE(pose(poser, {0, 0.2, &over}, frame));
  bool is_posed = false;
  EXPECT_EQ(test::allocations_of([&] { is_posed = pose(poser, {0, 0.7, &over}, frame).ok(); }), 0u);
  EXPECT_TRUE(is_posed);
  // A frame that is new is allocated, so the count counts.
  EXPECT_GT(test::allocations_of([&] { (void)posed(character); }), 0u);
}

TEST(PoseFrame, PosesAChainOfAHundredThousandNodes) {
  Character character;
  for (Index n = 0; n < 100000; ++n) character.nodes.push_back(node_at("", n - 1, {1, 0, 0}));
  expect_near(posed(character).world_from_node.back().translation, {100000, 0, 0}, 1e-9);
}

TEST(Drivers, EvaluateWithoutAllocating) {
  const Character character = test::driven_character();
  const Result<Poser> poser = prepare_poser(character);
  ASSERT_TRUE(poser);
  PoseFrame frame;
  ASSERT_TRUE(pose(*poser, {0, 0.5, nullptr}, frame));
  EXPECT_EQ(test::allocations_of([&] { EXPECT_TRUE(pose(*poser, {0, 0.7, nullptr}, frame)); }), 0u);
}

}  // namespace
}  // namespace dermis
