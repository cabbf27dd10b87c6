// SPDX-License-Identifier: MIT
// Mirroring: symmetric characters stay, one side takes the other, and what has no pair is named.
#include <gtest/gtest.h>

#include <algorithm>

#include "bind/bound.h"
#include "characters.h"
#include "dermis/bind.h"
#include "dermis/made.h"
#include "measure/bodies.h"

namespace dermis {
namespace {

using test::node_at;
using test::rows_of;
using test::weight_of;

// A strip across x = 0 from -2 to 2 in ten points, five columns of two; joints at x = 0, 1 and -1.
Character strip() {
  std::vector<Vec3> points;
  for (int column = -2; column <= 2; ++column) {
    points.push_back({static_cast<float>(column), 0, 0});
    points.push_back({static_cast<float>(column), 1, 0});
  }
  Character character;
  character.nodes = {node_at("hip", kNone, {}), node_at("leg_L", 0, {1, 0, 0}),
                     node_at("leg_R", 0, {-1, 0, 0}), node_at("strip", kNone, {})};
  character.meshes = {test::mesh_of(points, {{0, 2, 3, 1}, {2, 4, 5, 3}, {4, 6, 7, 5}, {6, 8, 9, 7}})};
  Mesh& mesh = character.meshes[0];
  mesh.weights = rows_of({{{0, 1}},
                          {{0, 1}},
                          {{2, 0.75f}, {0, 0.25f}},
                          {{0, 1}},
                          {{0, 0.5f}, {1, 0.25f}, {2, 0.25f}},
                          {{0, 0.5f}, {1, 0.5f}},
                          {{1, 0.5f}, {0, 0.5f}},
                          {{1, 0.5f}, {0, 0.5f}},
                          {{1, 1}},
                          {{1, 0.875f}, {0, 0.125f}}});
  Skin skin;
  skin.node = {0, 1, 2};
  skin.inverse_bind = {Affine{}, Affine(Mat3{}, {-1, 0, 0}), Affine(Mat3{}, {1, 0, 0})};
  character.skins = {skin};
  character.instances = {{3, 0, 0, {}, true}};
  return character;
}

Result<MirroredWeights> mirrored_mesh(const Character& character, Index mesh,
                                      const MirrorOptions& options = {}) {
  const Result<MirrorSides> sides = prepare_mirror(character);
  if (!sides) return sides.error();
  return mirrored_weights(character, *sides, mesh, options);
}

// With every mesh mirrored, one after the other.
Character mirrored_character(const Character& character, MirrorDirection direction) {
  const Result<MirrorSides> sides = prepare_mirror(character);
  EXPECT_TRUE(sides);
  Character mirrored = character;
  for (std::size_t m = 0; m < character.meshes.size(); ++m) {
    if (character.meshes[m].weights.empty()) continue;
    Result<MirroredWeights> one =
        mirrored_weights(mirrored, *sides, static_cast<Index>(m), {direction, {}, {}});
    if (one) mirrored.meshes[m].weights = std::move(one->rows);
  }
  return mirrored;
}

void expect_same_weights(const Character& a, const Character& b) {
  for (std::size_t m = 0; m < a.meshes.size(); ++m)
    EXPECT_EQ(a.meshes[m].weights, b.meshes[m].weights) << "mesh " << m;
}

TEST(MirroredWeights, GiveTheRightWhatTheLeftHasJointForJoint) {
  const Character character = strip();
  const Result<MirroredWeights> mirrored = mirrored_mesh(character, 0);
  ASSERT_TRUE(mirrored) << mirrored.error().sentence;
  const WeightRows& before = character.meshes[0].weights;
  // Columns at x = -2 and -1 take those at 2 and 1, leg_L becoming leg_R.
  EXPECT_EQ(mirrored->rows.row(0)[0], (Influence{2, 1}));
  EXPECT_EQ(weight_of(mirrored->rows.row(1), 2), 0.875f);
  EXPECT_EQ(weight_of(mirrored->rows.row(1), 0), 0.125f);
  EXPECT_EQ(weight_of(mirrored->rows.row(2), 2), 0.5f);
  EXPECT_EQ(weight_of(mirrored->rows.row(3), 0), 0.5f);
  // The left stays to the last bit; the middle becomes even.
  for (std::size_t v = 6; v < 10; ++v) EXPECT_EQ(row_distance(mirrored->rows.row(v), before.row(v)), 0);
  EXPECT_EQ(weight_of(mirrored->rows.row(5), 1), 0.25f);
  EXPECT_EQ(weight_of(mirrored->rows.row(5), 2), 0.25f);
  EXPECT_EQ(mirrored->mirrored_count, 4u);
  EXPECT_EQ(mirrored->middle_count, 2u);
  EXPECT_TRUE(mirrored->unpaired.empty());
}

// Arms of some characters are meshes of their own, each under a skin of its own.
TEST(MirroredWeights, TakeRowsFromTheMeshOfTheOtherLimb) {
  const Character whole = strip();
  Character character = whole;
  character.meshes.clear();
  character.instances.clear();
  // The other skin lists the joints backwards, and was bound two units further up.
  Skin moved = whole.skins[0];
  std::reverse(moved.node.begin(), moved.node.end());
  std::reverse(moved.inverse_bind.begin(), moved.inverse_bind.end());
  for (Affine& inverse_bind : moved.inverse_bind) inverse_bind.translation.y -= 2;
  character.skins.push_back(moved);
  for (const int side : {-1, 1}) {
    const auto x = static_cast<float>(side), y = side > 0 ? 2.0f : 0.0f;
    Mesh limb = test::mesh_of({{x, y, 0}, {2 * x, y, 0}, {2 * x, y + 1, 0}}, {{0, 1, 2}});
    // Slots of the left limb are those of the other skin: 1 is leg_L, 2 the hip.
    limb.weights = side > 0 ? rows_of({{{2, 0.75f}, {1, 0.25f}}, {{1, 1}}, {{1, 0.5f}, {2, 0.5f}}})
                            : rows_of({{{0, 1}}, {{0, 1}}, {{0, 1}}});
    character.meshes.push_back(limb);
    character.instances.push_back({3, side > 0 ? 1 : 0, side > 0 ? 1 : 0, {}, true});
  }
  ASSERT_TRUE(validate(character));
  const Result<MirroredWeights> right = mirrored_mesh(character, 0);
  ASSERT_TRUE(right) << right.error().sentence;
  EXPECT_EQ(right->mirrored_count, 3u);
  EXPECT_EQ(right->other_mesh_count, 3u);
  EXPECT_EQ(weight_of(right->rows.row(0), 0), 0.75f);
  EXPECT_EQ(weight_of(right->rows.row(0), 2), 0.25f);
  EXPECT_EQ(right->rows.row(1)[0], (Influence{2, 1}));
  EXPECT_TRUE(right->unpaired.empty());
  const Result<MirroredWeights> left = mirrored_mesh(character, 1);
  ASSERT_TRUE(left) << left.error().sentence;
  EXPECT_EQ(left->rows, character.meshes[1].weights);
}

TEST(MirroredWeights, TheOtherWayRoundLeaveTheRight) {
  const Character character = strip();
  const Result<MirroredWeights> mirrored =
      mirrored_mesh(character, 0, {MirrorDirection::right_to_left, {}, {}});
  ASSERT_TRUE(mirrored);
  EXPECT_EQ(mirrored->rows.row(8)[0], (Influence{0, 1}));
  EXPECT_EQ(weight_of(mirrored->rows.row(6), 1), 0.75f);
  for (std::size_t v = 0; v < 4; ++v)
    EXPECT_EQ(row_distance(mirrored->rows.row(v), character.meshes[0].weights.row(v)), 0);
}

TEST(MirroredWeights, PairPointsAlongEdgesWherePlacesDiffer) {
  Character character = strip();
  Mesh& mesh = character.meshes[0];
  mesh.points[0].y = 0.12f;  // no longer the image of point 8, by more than a hundredth of the size
  const Result<MirroredWeights> mirrored = mirrored_mesh(character, 0);
  ASSERT_TRUE(mirrored) << mirrored.error().sentence;
  EXPECT_EQ(mirrored->rows.row(0)[0], (Influence{2, 1}));
  EXPECT_EQ(mirrored->walked_count, 1u);
  EXPECT_TRUE(mirrored->unpaired.empty());
}

TEST(MirroredWeights, NameThePointsAndJointsWithoutAPair) {
  Character character = strip();
  // A fourth joint far off the middle on the left, without a partner, that point 8 follows.
  character.nodes.push_back(node_at("tool", 0, {2, 0, 0}));
  character.skins[0].node.push_back(4);
  character.skins[0].inverse_bind.emplace_back(Mat3{}, Vec3{-2, 0, 0});
  Mesh& mesh = character.meshes[0];
  for (Influence& one : mesh.weights.influences) {
    if (one == Influence{1, 1}) one.slot = 3;
  }
  const Result<MirroredWeights> mirrored = mirrored_mesh(character, 0);
  ASSERT_TRUE(mirrored);
  EXPECT_EQ(mirrored->unpaired, std::vector<Index>{0});
  EXPECT_EQ(mirrored->unpaired_joints, std::vector<Index>{4});
  EXPECT_EQ(row_distance(mirrored->rows.row(0), mesh.weights.row(0)), 0);
}

TEST(MirroredWeights, KeepLockedJoints) {
  const Character character = strip();
  const Result<MirroredWeights> mirrored =
      mirrored_mesh(character, 0, {MirrorDirection::left_to_right, {false, false, true}, {}});
  ASSERT_TRUE(mirrored);
  for (std::size_t v = 0; v < 10; ++v)
    EXPECT_EQ(weight_of(mirrored->rows.row(v), 2), weight_of(character.meshes[0].weights.row(v), 2)) << v;
}

TEST(MirroredWeights, LeaveASymmetricHumanoidAsItIs) {
  const Result<Character> humanoid = make_character(MadeKind::humanoid, {1000});
  ASSERT_TRUE(humanoid);
  const Instance& shown = *std::find_if(humanoid->instances.begin(), humanoid->instances.end(),
                                        [](const Instance& one) { return one.skin != kNone; });
  const Mesh& mesh = humanoid->meshes[at(shown.mesh)];
  const Result<MirroredWeights> mirrored = mirrored_mesh(*humanoid, shown.mesh);
  ASSERT_TRUE(mirrored) << mirrored.error().sentence;
  EXPECT_TRUE(mirrored->unpaired.empty()) << mirrored->unpaired.size();
  for (std::size_t v = 0; v < mesh.points.size(); ++v)
    EXPECT_LT(row_distance(mirrored->rows.row(v), mesh.weights.row(v)), 0.02) << "point " << v;
}

// What went wrong: eyes took the weights of the lids around the other eye.
TEST(MirroredWeights, LeaveSeparateEyesAsTheyAre) {
  for (const test::Eyes kind : {test::Eyes::meshes, test::Eyes::skins, test::Eyes::shells}) {
    const Character character = test::head_with_eyes(kind);
    ASSERT_TRUE(validate(character));
    for (const MirrorDirection direction : {MirrorDirection::left_to_right, MirrorDirection::right_to_left})
      expect_same_weights(mirrored_character(character, direction), character);
  }
}

TEST(MirroredWeights, GiveAnEyeTheJointOfTheOther) {
  for (const test::Eyes kind : {test::Eyes::meshes, test::Eyes::shells}) {
    const Character right = test::head_with_eyes(kind);
    Character character = right;
    // Some tool tied the right eye to the head.
    for (Mesh& mesh : character.meshes) {
      for (Influence& one : mesh.weights.influences) one.slot = one.slot == 2 ? 0 : one.slot;
    }
    expect_same_weights(mirrored_character(character, MirrorDirection::left_to_right), right);
  }
}

// Random rows: nothing is right already.
TEST(MirroredWeights, AreTheSameMirroredTwice) {
  Result<Character> humanoid = make_character(MadeKind::humanoid, {1000});
  ASSERT_TRUE(humanoid);
  for (Character character : {strip(), test::head_with_eyes(test::Eyes::meshes), *humanoid}) {
    const unsigned seed = 5;
    SCOPED_TRACE(seed);
    test::Random random(seed);
    for (Mesh& mesh : character.meshes) {
      if (mesh.weights.empty()) continue;
      WeightRowBuilder builder;
      for (std::size_t v = 0; v < mesh.points.size(); ++v) {
        for (int k = 0; k < 3; ++k) builder.add(random.below(3), static_cast<float>(random.in(0.1, 1)));
        builder.close_row(10);
      }
      mesh.weights = builder.take();
    }
    for (const MirrorDirection direction : {MirrorDirection::left_to_right, MirrorDirection::right_to_left}) {
      const Character once = mirrored_character(character, direction);
      expect_same_weights(mirrored_character(once, direction), once);
    }
  }
}

TEST(MirroredWeights, RefuseSkinsWhoseJointsNameNoSides) {
  Character character = strip();
  for (Node& node : character.nodes) node.name = "joint";
  const Result<MirroredWeights> mirrored = mirrored_mesh(character, 0);
  ASSERT_FALSE(mirrored);
  EXPECT_NE(mirrored.error().sentence.find("left and a right"), std::string::npos);
}

}  // namespace
}  // namespace dermis
