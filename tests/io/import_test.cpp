// SPDX-License-Identifier: MIT
// What comes through the pipe from dermis-import, and what is in real files.
#include <gtest/gtest.h>

#include "dermis/deform.h"
#include "dermis/io.h"
#include "dermis/motion.h"
#include "io/import/import.h"
#include "made_import.h"
#include "outside/files.h"

namespace dermis {
namespace {

namespace fs = std::filesystem;

// ---- The pipe -----------------------------------------------------------------------------------------

// A pentagon and a quad that share an edge, in two materials, with a seam, weights and a shape.
Character made_character() {
  Character character;
  character.metres_per_unit = 0.01;
  character.nodes = {{"body", kNone, {}, {}}, {"hip", kNone, {}, {}}, {"knee", 1, {}, {}}};
  character.nodes[2].rest.translation = {0, 1, 0};
  character.materials.resize(2);
  character.materials[0].name = "skin";
  character.materials[1].name = "cloth";
  character.images.push_back({"cloth.tga", "/tmp/cloth.tga", {}, {}});
  character.materials[1].base_colour_image = 0;
  Mesh mesh;
  mesh.name = "leg";
  mesh.points = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0.5f, 1.5f, 0}, {0, 1, 0}, {2, 0, 0}, {2, 1, 0}};
  mesh.polygons.corners = {0, 1, 2, 3, 4, 1, 5, 6, 2};
  mesh.polygons.first = {0, 5, 9};
  mesh.parts = {{0, 7, 0, 1, 0}, {7, 0, 1, 1, 1}};
  mesh.normals.values.assign(7, {0, 0, 1});
  mesh.uvs.resize(1);
  mesh.uvs[0].values = {{0, 0}, {1, 0}, {1, 1}, {0.5f, 1}, {0, 1}};
  mesh.uvs[0].corner_value = {0, 1, 2, 3, 4, 0, 1, 2, 4};
  mesh.shapes = {{"swell", {2, 5}, {{0, 0, 1}, {0, 0, 2}}, {}, {}}};
  WeightRowBuilder rows;
  for (int v = 0; v < 7; ++v) {
    rows.add(0, 0.25f);
    rows.add(1, 0.75f);
    rows.close_row(0);
  }
  mesh.weights = rows.take();
  mesh.weld = weld_coincident(mesh.points);
  character.meshes.push_back(std::move(mesh));
  character.skins.push_back({"", {1, 2}, {Affine{}, Affine{{}, {0, -1, 0}}}});
  character.instances.push_back({0, 0, 0, {0.5f}, true});
  return character;
}

TEST(ImportPipe, CarriesPolygonsCornersAndPartsThroughAGlb) {
  const Character sent = made_character();
  ASSERT_TRUE(validate(sent)) << validate(sent).error().sentence;
  Result<Bytes> glb = pack_import(sent, {{Note::Kind::guess, "some-id", "some words"}});
  ASSERT_TRUE(glb) << glb.error().sentence;
  const Result<Asset> asset = unpack_import(std::move(*glb), "leg.fbx", {}, {});
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_EQ(asset->source, nullptr);
  ASSERT_EQ(asset->notes.size(), 1u);
  EXPECT_EQ(asset->notes[0].id, "some-id");
  EXPECT_EQ(asset->notes[0].kind, Note::Kind::guess);
  const Character& got = asset->character;
  EXPECT_EQ(got.metres_per_unit, 0.01);
  ASSERT_EQ(got.meshes.size(), 1u);
  const Mesh &a = sent.meshes[0], &b = got.meshes[0];
  EXPECT_EQ(a.points, b.points);
  EXPECT_EQ(a.polygons.corners, b.polygons.corners);
  EXPECT_EQ(a.polygons.first, b.polygons.first);
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_EQ(a.normals.values, b.normals.values);
  EXPECT_TRUE(b.normals.is_per_point());
  ASSERT_EQ(b.uvs.size(), 1u);
  ASSERT_EQ(b.uvs[0].corner_value.size(), a.uvs[0].corner_value.size());
  for (std::size_t c = 0; c < a.polygons.corners.size(); ++c) {
    EXPECT_EQ(b.uvs[0].values[static_cast<std::size_t>(b.uvs[0].corner_value[c])],
              a.uvs[0].values[static_cast<std::size_t>(a.uvs[0].corner_value[c])]);
  }
  ASSERT_EQ(b.shapes.size(), 1u);
  EXPECT_EQ(b.shapes[0].points, a.shapes[0].points);
  EXPECT_EQ(b.shapes[0].offsets, a.shapes[0].offsets);
  ASSERT_EQ(b.parts.size(), 2u);
  EXPECT_EQ(b.parts[1].material, 1);
  EXPECT_EQ(b.parts[1].first_polygon, 1);
  ASSERT_EQ(got.images.size(), 1u);
  EXPECT_EQ(got.images[0].path, "/tmp/cloth.tga");
  EXPECT_EQ(got.materials[1].base_colour_image, 0);
  EXPECT_EQ(got.instances[0].shape_weights, std::vector<float>{0.5f});
}

TEST(ImportPipe, RefusesAGlbWithoutItsExtras) {
  const Result<Asset> asset = load_from_memory({}, "x.glb");
  EXPECT_FALSE(asset);
  const std::string text = R"({"asset": {"version": "2.0"}})";
  const auto bytes = bytes_of(text);
  const Result<Asset> plain = unpack_import(Bytes(bytes.begin(), bytes.end()), "x.fbx", {}, {});
  ASSERT_FALSE(plain);
  EXPECT_NE(plain.error().sentence.find("x.fbx: dermis-import returned broken data"), std::string::npos)
      << plain.error().sentence;
}

// ---- Real files ---------------------------------------------------------------------------------------

TEST(ImportedCollada, KeepsPolygonsSeamsWeightsUnitAndClip) {
  const std::string text = test::hinge_dae();
  const Result<Asset> asset = load_from_memory(bytes_of(text), "hinge.dae");
  ASSERT_TRUE(asset) << asset.error().sentence;
  const Character& character = asset->character;
  EXPECT_EQ(character.metres_per_unit, 0.0254);
  ASSERT_EQ(character.meshes.size(), 1u);
  const Mesh& mesh = character.meshes[0];
  EXPECT_EQ(mesh.points.size(), 6u);
  ASSERT_EQ(mesh.polygons.count(), 2u);
  EXPECT_EQ(mesh.polygons.polygon(0).size(), 4u);
  ASSERT_EQ(mesh.uvs.size(), 1u);
  EXPECT_FALSE(mesh.uvs[0].is_per_point());
  EXPECT_EQ(mesh.uvs[0].values.size(), 4u);
  ASSERT_EQ(mesh.weights.first.size(), 7u);
  EXPECT_EQ(mesh.weights.row(1).size(), 2u);
  ASSERT_EQ(character.clips.size(), 1u);
  EXPECT_FLOAT_EQ(character.clips[0].end(), 1.0f);
}

TEST(ImportedCollada, TurnsZUpAndPosesItsClip) {
  const std::string text = test::hinge_dae();
  const Result<Asset> asset = load_from_memory(bytes_of(text), "hinge.dae");
  ASSERT_TRUE(asset) << asset.error().sentence;
  const Result<PoseFrame> frame = pose_frame(asset->character, {0, 1.0, nullptr});
  ASSERT_TRUE(frame);
  const Result<Character> still = deform_character(asset->character, *frame, {});
  ASSERT_TRUE(still);
  // Point (2, 0, 0) turns about (1, 0, 0) to (1, 1, 0); Z up to Y up makes that (1, 0, -1).
  bool is_found = false;
  for (const Vec3& point : still->meshes[0].points)
    is_found = is_found || length(point - Vec3{1, 0, -1}) < 1e-6f;
  EXPECT_TRUE(is_found);
}

TEST(ImportedCollada, BecomesAGlbThatLoadsAgain) {
  const test::TemporaryFolder folder;
  const std::string text = test::hinge_dae();
  const Result<Asset> asset = load_from_memory(bytes_of(text), "hinge.dae");
  ASSERT_TRUE(asset);
  ASSERT_TRUE(save(folder.file("hinge.glb"), *asset));
  const Result<Asset> again = load(folder.file("hinge.glb"));
  ASSERT_TRUE(again) << again.error().sentence;
  EXPECT_EQ(again->character.meshes[0].points.size(), 8u);  // split at the seam
  EXPECT_EQ(again->character.clips.size(), 1u);
  // glTF is in metres: two inches.
  Box box;
  for (const Vec3& point : again->character.meshes[0].points) box.add(Vec3d(point));
  EXPECT_NEAR(box.upper.x - box.lower.x, 0.0508, 1e-8);
}

TEST(ImportedFbx, JoinsTheCornersOfACubeToEightPoints) {
  if (test::assimp_folder().empty()) GTEST_SKIP() << "assimp-testmodels is not installed";
  const Result<Asset> asset = load((test::assimp_folder() / "FBX" / "phong_cube.fbx").string());
  ASSERT_TRUE(asset) << asset.error().sentence;
  ASSERT_EQ(asset->character.meshes.size(), 1u);
  const Mesh& mesh = asset->character.meshes[0];
  EXPECT_EQ(mesh.points.size(), 8u);
  EXPECT_EQ(mesh.polygons.count(), 6u);
  EXPECT_EQ(mesh.polygons.corners.size(), 24u);
  EXPECT_EQ(mesh.normals.values.size(), 6u);
  EXPECT_DOUBLE_EQ(asset->character.metres_per_unit, 0.01);
}

TEST(ImportedFbx, OpensNoFileOutsideItsFolder) {
  if (test::assimp_folder().empty()) GTEST_SKIP() << "assimp-testmodels is not installed";
  // A scene that loads its object from another folder.
  const test::TemporaryFolder folder;
  fs::create_directory(folder.file("inside"));
  fs::copy(test::assimp_folder() / "LWS" / "simple_cube.lwo", folder.file("simple_cube.lwo"));
  const auto with_object = [](const std::string& path) {
    return "LWSC\n3\n\nFirstFrame 1\nLastFrame 2\nFrameStep 1\nFramesPerSecond 25\nLoadObjectLayer 1 " +
           path + "\nShowObject 7 3\n";
  };
  test::write_text(folder.file("inside/scene.lws"), with_object("../simple_cube.lwo"));
  test::write_text(folder.file("scene.lws"), with_object("simple_cube.lwo"));
  const Result<Asset> outside = load(folder.file("inside/scene.lws")),
                      inside = load(folder.file("scene.lws"));
  ASSERT_TRUE(inside) << inside.error().sentence;
  EXPECT_FALSE(inside->character.meshes.empty());
  EXPECT_TRUE(!outside || outside->character.meshes.empty());
}

}  // namespace
}  // namespace dermis
