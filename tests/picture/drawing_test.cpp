// SPDX-License-Identifier: MIT
// Characters become drawings point by point, with their seams, materials and joints.
#include <gtest/gtest.h>

#include "dermis/made.h"
#include "drawings.h"

namespace dermis {
namespace {

std::shared_ptr<const std::vector<Pixels>> shared(const Pixels& texture) {
  return std::make_shared<const std::vector<Pixels>>(1, texture);
}

// A square of one polygon whose corners have coordinates and colours of their own.
Character square_character() {
  Character character;
  character.nodes.resize(1);
  Mesh mesh;
  mesh.points = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {2, 0, 0}};
  mesh.polygons.first = {0, 4, 7};
  mesh.polygons.corners = {0, 1, 2, 3, 1, 4, 2};
  mesh.parts = {{0, 5, 0, 1, 0}, {5, 0, 1, 1, kNone}};
  mesh.uvs.resize(1);
  mesh.uvs[0].values = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0.5f, 0.5f}};
  mesh.uvs[0].corner_value = {0, 1, 2, 3, 4, 4, 4};
  mesh.weld = {0, 1, 2, 3, 4};
  character.meshes.push_back(mesh);
  character.materials.resize(1);
  character.materials[0].base_colour = {1, 0.5f, 0.25f, 1};
  character.materials[0].base_colour_image = 0;
  character.materials[0].alpha = Alpha::cut;
  character.images.resize(1);
  character.images[0].name = "skin.png";
  character.instances.resize(1);
  character.instances[0].node = character.instances[0].mesh = 0;
  return character;
}

TEST(DrawCharacter, KeepsPointsCoordinatesAndSources) {
  const Character character = square_character();
  ASSERT_TRUE(validate(character)) << validate(character).error().sentence;
  const Drawing drawing = draw_character(character, shared(blank_pixels(2, 2, 1, 2, 3)));
  ASSERT_EQ(drawing.meshes.size(), 1u);
  const DrawnMesh& mesh = drawing.meshes[0];
  ASSERT_EQ(mesh.source.size(), mesh.points.size());
  ASSERT_EQ(mesh.uvs.size(), mesh.points.size());
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    EXPECT_EQ(mesh.points[v], character.meshes[0].points[at(mesh.source[v])]);
  }
  ASSERT_EQ(mesh.triangles.size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(mesh.uvs[mesh.triangles[2][k]], (Vec2{0.5f, 0.5f}));
  }
}

TEST(DrawCharacter, TakesEdgesOfPolygonsOnly) {
  const Drawing drawing = draw_character(square_character(), nullptr);
  const DrawnMesh& mesh = drawing.meshes[0];
  EXPECT_EQ(mesh.edges.size(), 7u);  // four and three; the seam has points of its own on either side
  for (const auto& [a, b] : mesh.edges) {
    EXPECT_FALSE(mesh.source[a] == 0 && mesh.source[b] == 2);
    EXPECT_FALSE(mesh.source[a] == 1 && mesh.source[b] == 3);
  }
}

TEST(DrawCharacter, TakesMaterialsWithTheirTexturesWhereThereAreAny) {
  const Drawing with = draw_character(square_character(), shared(blank_pixels(2, 2, 1, 2, 3)));
  EXPECT_EQ(with.materials[0].colour, (Vec4{1, 0.5f, 0.25f, 1}));
  EXPECT_EQ(with.materials[0].texture, 0);
  EXPECT_EQ(with.materials[0].alpha, Alpha::cut);
  EXPECT_EQ(with.meshes[0].material, (std::vector<Index>{0, 0, 1}));
  EXPECT_EQ(with.materials[1].texture, kNone);
  const Drawing without = draw_character(square_character(), shared(Pixels{}));
  EXPECT_EQ(without.materials[0].texture, kNone);
}

TEST(DrawCharacter, DropsTheGlowWhosePictureIsMissing) {
  Character character = square_character();
  character.materials[0].emission = {1, 1, 1};
  EXPECT_EQ(draw_character(character, nullptr).materials[0].emission, (Vec3{1, 1, 1}));
  character.materials[0].emission_image = 0;
  EXPECT_EQ(draw_character(character, nullptr).materials[0].emission, Vec3{});
  EXPECT_EQ(draw_character(character, shared(blank_pixels(1, 1, 9, 9, 9))).materials[0].emission_texture, 0);
}

// Both sets on points, the second one turned round.
Character two_sets() {
  Character character = square_character();
  Mesh& mesh = character.meshes[0];
  mesh.uvs.resize(2);
  mesh.uvs[0] = {{{0, 0}, {1, 0}, {1, 1}, {0, 1}, {2, 0}}, {}};
  mesh.uvs[1] = {{{1, 1}, {0, 1}, {0, 0}, {1, 0}, {-1, 1}}, {}};
  mesh.parts = {{0, 5, 0, 2, 0}};
  return character;
}

TEST(DrawCharacter, TakesTheSetThatAPictureNames) {
  Character character = two_sets();
  character.materials[0].base_colour_place.uv_set = 1;
  const DrawnMesh mesh = draw_character(character, shared(blank_pixels(2, 2, 1, 2, 3))).meshes[0];
  for (std::size_t v = 0; v < mesh.points.size(); ++v)
    EXPECT_EQ(mesh.uvs[v], character.meshes[0].uvs[1].values[at(mesh.source[v])]);
}

TEST(DrawCharacter, LaysPicturesWhereTheirTransformSays) {
  Character character = two_sets();
  PicturePlace& place = character.materials[0].base_colour_place;
  place.offset = {10, 20};
  place.scale = {2, 3};
  place.turn = static_cast<float>(kPi / 2);
  place.wrap_v = Wrap::clamp;
  const Drawing drawing = draw_character(character, shared(blank_pixels(2, 2, 1, 2, 3)));
  EXPECT_EQ(drawing.materials[0].wrap, (std::array{Wrap::repeat, Wrap::clamp}));
  const DrawnMesh& mesh = drawing.meshes[0];
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    // A quarter turn takes (x, y) to (y, -x).
    const Vec2 uv = character.meshes[0].uvs[0].values[at(mesh.source[v])];
    EXPECT_NEAR(mesh.uvs[v].x, 10 + 3 * uv.y, 1e-5);
    EXPECT_NEAR(mesh.uvs[v].y, 20 - 2 * uv.x, 1e-5);
  }
}

TEST(DrawCharacter, GivesColourAndEmissionPlacesOfTheirOwn) {
  Character character = two_sets();
  character.materials[0].emission_image = 0;
  character.materials[0].emission_place.uv_set = 1;
  const DrawnMesh mesh = draw_character(character, shared(blank_pixels(2, 2, 1, 2, 3))).meshes[0];
  ASSERT_EQ(mesh.emission_uvs.size(), mesh.points.size());
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    EXPECT_EQ(mesh.uvs[v], character.meshes[0].uvs[0].values[at(mesh.source[v])]);
    EXPECT_EQ(mesh.emission_uvs[v], character.meshes[0].uvs[1].values[at(mesh.source[v])]);
  }
}

TEST(DrawCharacter, DropsThePictureThatAMeshCannotPlace) {
  Character character = two_sets();
  character.materials[0].base_colour_place.uv_set = 2;
  const Drawing drawing = draw_character(character, shared(blank_pixels(2, 2, 1, 2, 3)));
  const DrawnMaterial& shown = drawing.materials[at(drawing.meshes[0].material[0])];
  EXPECT_EQ(shown.texture, kNone);
  EXPECT_EQ(shown.colour, character.materials[0].base_colour);
}

TEST(DrawCharacter, OfAMadeOneHasUnitNormalsAndAllTriangles) {
  const Result<Character> hand = make_character(MadeKind::hand, {2000});
  ASSERT_TRUE(hand);
  const Drawing drawing = draw_character(*hand, nullptr);
  const Mesh& mesh = hand->meshes[0];
  ASSERT_EQ(drawing.meshes.size(), 1u);
  EXPECT_EQ(drawing.meshes[0].points.size(), mesh.points.size());
  EXPECT_EQ(drawing.meshes[0].triangles.size(), mesh.polygons.corners.size() - 2 * mesh.polygons.count());
  for (const Vec3& n : drawing.meshes[0].normals) EXPECT_NEAR(length(n), 1, 1e-4);
  const Box box = drawing.box();
  EXPECT_NEAR(box.lower.y, 0, 0.02);
}

// root - elbow - (a node that is no joint) - wrist, and a joint that stands alone.
TEST(DrawBones, ReachOverNodesThatAreNoJoints) {
  Character character;
  character.nodes.resize(5);
  character.nodes[1].parent = 0;
  character.nodes[2].parent = 1;
  character.nodes[3].parent = 2;
  character.skins.resize(1);
  character.skins[0].node = {0, 1, 3, 4};
  std::vector<Affined> world(5);
  for (std::size_t k = 0; k < 5; ++k) world[k].translation = {static_cast<double>(k), 0, 0};
  const std::vector<DrawnBone> bones = draw_bones(character, world);
  ASSERT_EQ(bones.size(), 3u);
  EXPECT_EQ(bones[0].head, (Vec3{0, 0, 0}));
  EXPECT_EQ(bones[0].tail, (Vec3{1, 0, 0}));
  EXPECT_EQ(bones[1].head, (Vec3{1, 0, 0}));
  EXPECT_EQ(bones[1].tail, (Vec3{3, 0, 0}));
  EXPECT_EQ(bones[2].head, (Vec3{4, 0, 0}));
  EXPECT_EQ(bones[2].tail, bones[2].head);
}

TEST(DrawBones, TakeAllNodesWithoutASkin) {
  Character character;
  character.nodes.resize(3);
  character.nodes[1].parent = 0;
  character.nodes[2].parent = 1;
  EXPECT_EQ(draw_bones(character, std::vector<Affined>(3)).size(), 2u);
}

TEST(PointsOf, AreThoseOfMeshesAndBones) {
  Drawing drawing = test::drawing_of(test::square());
  drawing.bones = {{{0, 0, 0}, {0, 5, 0}}};
  EXPECT_EQ(points_of(drawing).size(), 6u);
  EXPECT_EQ(drawing.box().upper, (Vec3d{1, 5, 0}));
}

TEST(PointsOf, LeaveOutWhatNoTriangleShows) {
  DrawnMesh mesh = test::square();
  mesh.points.push_back({1e5f, 0, 0});
  Drawing drawing = test::drawing_of(mesh);
  EXPECT_EQ(points_of(drawing).size(), 4u);
  EXPECT_EQ(drawing.box().upper, (Vec3d{1, 1, 0}));
  drawing.meshes[0].triangles.clear();
  EXPECT_EQ(points_of(drawing).size(), 5u);
}

}  // namespace
}  // namespace dermis
