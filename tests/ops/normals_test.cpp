// SPDX-License-Identifier: MIT
// Normals that are missing or broken: made where a format needs them, left out where it does not, and said.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dermis/deform.h"
#include "dermis/io.h"
#include "dermis/ops.h"
#include "io/made_gltf.h"
#include "notes.h"
#include "outside/files.h"

namespace dermis {
namespace {

using test::has_note;

using test::TemporaryFolder;

Asset loaded(const std::string& path) {
  Result<Asset> asset = load(path);
  EXPECT_TRUE(asset) << asset.error().sentence;
  return asset ? std::move(*asset) : Asset{};
}

void expect_unit_normals(const std::string& path) {
  const Asset asset = loaded(path);
  EXPECT_FALSE(has_note(asset.notes, "normals-not-unit"));
  ASSERT_FALSE(asset.character.meshes[0].normals.empty());
  for (const Vec3& normal : asset.character.meshes[0].normals.values) EXPECT_NEAR(length(normal), 1, 1e-5);
}

// The triangle with one good normal, one that is not finite and one without length.
std::string broken_triangle() {
  test::MadeGltf made;
  const int normals = made.accessor<float>({0, 0, 1, NAN, 0, 0, 0, 0, 0}, "VEC3");
  const int mesh = made.mesh({{"POSITION", made.triangle_positions()}, {"NORMAL", normals}});
  made.push("nodes", {{"mesh", mesh}});
  made.json["scenes"] = {{{"nodes", {0}}}};
  return made.glb();
}

// Two triangles, of which one has normals; a normal too long; one that is not finite; a point without face.
constexpr const char* kHalfNormals =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 0 1\nv 9 9 9\nvn 0 0 2\nvn nan 0 1\nf 1//1 2//1 3//2\nf 1 2 4\n";

TEST(Normals, OfFacesWithoutOneWereWrittenToGltfWithoutLength) {
  const TemporaryFolder out;
  test::write_text(out.path() / "half.obj", kHalfNormals);
  const Result<Notes> saved = save(out.file("half.glb"), loaded(out.file("half.obj")));
  ASSERT_TRUE(saved) << saved.error().sentence;
  EXPECT_TRUE(has_note(*saved, "normals-made"));
  EXPECT_TRUE(has_note(*saved, "normals-not-unit"));
  expect_unit_normals(out.file("half.glb"));
  // The second triangle faces -y, whatever its neighbour says.
  const Asset half = loaded(out.file("half.glb"));
  const Mesh& mesh = half.character.meshes[0];
  for (const Index v : mesh.polygons.polygon(1))
    EXPECT_EQ(mesh.normals.values[static_cast<std::size_t>(v)], (Vec3{0, -1, 0}));
}

TEST(Normals, ThatAnObjLacksStayAwayFromTheObjWrittenBack) {
  const TemporaryFolder out;
  test::write_text(out.path() / "half.obj", kHalfNormals);
  const Asset asset = loaded(out.file("half.obj"));
  EXPECT_TRUE(has_note(asset.notes, "normals-not-finite"));
  ASSERT_TRUE(save_posed(out.file("again.obj"), asset, asset.character));
  const std::string text = test::read_text(out.path() / "again.obj");
  EXPECT_NE(text.find("f 1//1 2//1 3\nf 1 2 4\n"), std::string::npos) << text;
}

TEST(Normals, OfAGltfThatAreNoNumbersWereSaidToBeLeftOutAndWrittenBack) {
  const TemporaryFolder out;
  test::write_text(out.path() / "nan.glb", broken_triangle());
  ConvertJob job;
  job.input = out.file("nan.glb");
  job.output = out.file("again.glb");
  const Result<ConvertReport> report = convert(job);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_TRUE(has_note(report->notes, "fault-kept"));
}

TEST(Normals, WithoutLengthWereWrittenToObj) {
  const TemporaryFolder out;
  test::write_text(out.path() / "nan.glb", broken_triangle());
  const Asset asset = loaded(out.file("nan.glb"));
  ASSERT_TRUE(save_posed(out.file("nan.obj"), asset, asset.character));
  const std::string text = test::read_text(out.path() / "nan.obj");
  EXPECT_NE(text.find("vn 0 0 1\nf 1//1 2 3\n"), std::string::npos) << text;
}

TEST(Normals, OfAPosedGltfAreMadeWhereTheyAreBroken) {
  const TemporaryFolder out;
  test::write_text(out.path() / "nan.glb", broken_triangle());
  DeformJob job;
  job.input = out.file("nan.glb");
  job.output = out.file("posed.glb");
  const Result<DeformReport> report = deform(job);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_TRUE(has_note(report->notes, "normals-made"));
  expect_unit_normals(out.file("posed.glb"));
}

}  // namespace
}  // namespace dermis
