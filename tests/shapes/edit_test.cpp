// SPDX-License-Identifier: MIT
// The list of shapes of a mesh, and their names.
#include <gtest/gtest.h>

#include "bodies.h"

namespace dermis {
namespace {

// A tube with three shapes, shown twice, with linear and cubic keys of shape weights.
Character shaped_tube() {
  Character character = test::tube_character({.rings = 3, .sides = 4}, {0, 1, 0});
  Mesh& mesh = character.meshes[0];
  for (const char* name : {"a", "b", "c"}) {
    Shape shape;
    shape.name = name;
    shape.points = {1};
    shape.offsets = {{static_cast<float>(mesh.shapes.size() + 1), 0, 0}};
    mesh.shapes.push_back(shape);
  }
  character.instances[0].shape_weights = {0.1f, 0.2f, 0.3f};
  character.instances.push_back(character.instances[0]);
  Clip clip;
  clip.name = "mixed";
  clip.channels.push_back({ChannelPath::shape_weights, 0, Interpolation::linear, {0, 1}, {1, 2, 3, 4, 5, 6}});
  clip.channels.push_back({ChannelPath::shape_weights,
                           1,
                           Interpolation::cubic_spline,
                           {0},
                           {11, 12, 13, 21, 22, 23, 31, 32, 33}});
  character.clips.push_back(clip);
  return character;
}

TEST(TakeShapes, TakesWeightsAndKeysAlong) {
  Character character = shaped_tube();
  ASSERT_TRUE(validate(character));
  const Index source[] = {2, kNone, 0};
  take_shapes(character, 0, source);
  ASSERT_TRUE(validate(character));
  const Mesh& mesh = character.meshes[0];
  ASSERT_EQ(mesh.shapes.size(), 3u);
  EXPECT_EQ(mesh.shapes[0].name, "c");
  EXPECT_EQ(mesh.shapes[1].name, "");
  EXPECT_TRUE(mesh.shapes[1].points.empty());
  EXPECT_EQ(mesh.shapes[2].name, "a");
  EXPECT_EQ(character.instances[1].shape_weights, (std::vector<float>{0.3f, 0, 0.1f}));
  const std::vector<Channel>& channels = character.clips.back().channels;
  EXPECT_EQ(channels[0].values, (std::vector<float>{3, 0, 1, 6, 0, 4}));
  EXPECT_EQ(channels[1].values, (std::vector<float>{13, 0, 11, 23, 0, 21, 33, 0, 31}));
}

TEST(TakeShapes, DropsTheChannelsOfAMeshWithoutShapes) {
  Character character = shaped_tube();
  take_shapes(character, 0, {});
  ASSERT_TRUE(validate(character));
  EXPECT_TRUE(character.clips.back().channels.empty());
  EXPECT_TRUE(character.instances[0].shape_weights.empty());
}

TEST(ShapesNamed, StarsStandForAnyLetters) {
  Mesh mesh;
  for (const char* name : {"smile_L", "smile_R", "frown", "", "eyeBlinkLeft"}) {
    mesh.shapes.emplace_back();
    mesh.shapes.back().name = name;
  }
  using Found = std::vector<Index>;
  EXPECT_EQ(shapes_named(mesh, "smile_*"), (Found{0, 1}));
  EXPECT_EQ(shapes_named(mesh, "*l*e*"), (Found{0, 1, 4}));
  EXPECT_EQ(shapes_named(mesh, "frown"), (Found{2}));
  EXPECT_EQ(shapes_named(mesh, "#3"), (Found{3}));
  EXPECT_EQ(shapes_named(mesh, "*"), (Found{0, 1, 2, 3, 4}));
  EXPECT_EQ(shapes_named(mesh, "Smile_L"), (Found{}));
  EXPECT_EQ(shapes_named(mesh, "smile"), (Found{}));
}

TEST(OtherSideOf, ExchangesTheWordsForLeftAndRightAndNothingElse) {
  const std::pair<const char*, const char*> kPairs[] = {{"smile_L", "smile_R"},
                                                        {"mouthSmileLeft", "mouthSmileRight"},
                                                        {"left_eye", "right_eye"},
                                                        {"BROW_LEFT", "BROW_RIGHT"},
                                                        {"L.lid", "R.lid"},
                                                        {"jawOpen", "jawOpen"},
                                                        {"bright_cleft", "bright_cleft"},
                                                        {"LHand", "RHand"},
                                                        {"lip2l", "lip2r"}};
  for (const auto& [name, other] : kPairs) {
    EXPECT_EQ(other_side_of(name), other);
    EXPECT_EQ(other_side_of(other), name);
  }
}

}  // namespace
}  // namespace dermis
