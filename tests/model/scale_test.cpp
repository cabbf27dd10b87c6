// SPDX-License-Identifier: MIT
// Lengths of a character in another unit.
#include <gtest/gtest.h>

#include "characters.h"
#include "dermis/model.h"

namespace dermis {
namespace {

TEST(ScaleLengths, MultipliesLengthsAndNothingElse) {
  Character character;
  character.nodes = {test::node_at("a", kNone, {1, 2, 3})};
  character.nodes[0].rest.scale = {2, 2, 2};
  character.nodes[0].rest_matrix = Affine({}, {1, 2, 3});
  Mesh mesh;
  mesh.points = {{1, 0, 0}};
  mesh.normals.values = {{0, 1, 0}};
  mesh.shapes.push_back({"smile", {0}, {{0, 0, 5}}, {{0, 0.5f, 0}}, {}});
  character.meshes.push_back(mesh);
  character.skins = {{"", {0}, {Affine({}, {-1, -2, -3})}}};
  character.clips = {{"walk",
                      {test::channel_of(ChannelPath::translation, 0, Interpolation::linear, {0}, {1, 2, 3}),
                       test::channel_of(ChannelPath::scale, 0, Interpolation::linear, {0}, {4, 5, 6})}}};
  character.metres_per_unit = 0.5;
  scale_lengths(character, 100);
  EXPECT_EQ(character.nodes[0].rest.translation, (Vec3{100, 200, 300}));
  EXPECT_EQ(character.nodes[0].rest.scale, (Vec3{2, 2, 2}));
  EXPECT_EQ(character.nodes[0].rest_matrix->translation, (Vec3{100, 200, 300}));
  EXPECT_EQ(character.meshes[0].points[0], (Vec3{100, 0, 0}));
  EXPECT_EQ(character.meshes[0].normals.values[0], (Vec3{0, 1, 0}));
  EXPECT_EQ(character.meshes[0].shapes[0].offsets[0], (Vec3{0, 0, 500}));
  EXPECT_EQ(character.meshes[0].shapes[0].normals[0], (Vec3{0, 0.5f, 0}));
  EXPECT_EQ(character.skins[0].inverse_bind[0].translation, (Vec3{-100, -200, -300}));
  EXPECT_EQ(character.clips[0].channels[0].values, (std::vector<float>{100, 200, 300}));
  EXPECT_EQ(character.clips[0].channels[1].values, (std::vector<float>{4, 5, 6}));
  EXPECT_EQ(character.metres_per_unit, 0.5);
}

}  // namespace
}  // namespace dermis
