// SPDX-License-Identifier: MIT
// Files beside a .gltf: rewritten with it, never mixed up, never taken from someone else.
#include <gtest/gtest.h>

#include "io/made_gltf.h"
#include "io/same_character.h"
#include "outside/files.h"

namespace dermis {
namespace {

using test::difference_between;
using test::load_text;
using test::MadeGltf;
using test::TemporaryFolder;
using test::write_text;

Asset loaded(const std::string& path) {
  Result<Asset> asset = load(path);
  EXPECT_TRUE(asset) << (asset ? "" : asset.error().sentence);
  return asset ? std::move(*asset) : Asset{};
}

// A triangle whose first point is at x.
std::string triangle_at(float x) {
  MadeGltf made;
  made.mesh({{"POSITION", made.accessor<float>({x, 0, 0, 1, 0, 0, 0, 1, 0}, "VEC3")}});
  made.push("nodes", {{"mesh", 0}});
  made.scene({0});
  return made.glb();
}

// Stands in a folder until it goes out of scope.
class CurrentFolder {
 public:
  explicit CurrentFolder(const std::filesystem::path& folder) { std::filesystem::current_path(folder); }
  ~CurrentFolder() { std::filesystem::current_path(before_); }
  CurrentFolder(const CurrentFolder&) = delete;
  CurrentFolder& operator=(const CurrentFolder&) = delete;

 private:
  const std::filesystem::path before_ = std::filesystem::current_path();
};

// A buffer that did not exist yet was once called a link that leads out of the folder.
TEST(WrittenSideFiles, GoIntoTheCurrentFolderUnderEveryRelativeName) {
  const TemporaryFolder folder;
  const CurrentFolder here(folder.path());
  std::filesystem::create_directory("below");
  write_text(folder.path() / "a.glb", triangle_at(5));
  const Asset asset = loaded("a.glb");
  for (const char* name : {"out.gltf", "./dotted.gltf", "below/out.gltf", "below/../up.gltf"}) {
    const Result<Notes> saved = save(name, asset);
    ASSERT_TRUE(saved) << saved.error().sentence;
    EXPECT_EQ(loaded(name).character.meshes[0].points, asset.character.meshes[0].points) << name;
    EXPECT_TRUE(save(name, asset)) << name << " a second time";
  }
}

TEST(WrittenSideFiles, AreRewrittenWhenTheirGltfIs) {
  const TemporaryFolder folder;
  for (const float x : {5.0f, 7.0f}) {
    write_text(folder.path() / "a.glb", triangle_at(x));
    const Asset asset = loaded(folder.file("a.glb"));
    ASSERT_TRUE(save(folder.file("a.gltf"), asset));
    EXPECT_EQ(difference_between(asset.character, loaded(folder.file("a.gltf")).character), "");
  }
}

TEST(WrittenSideFiles, AreRewrittenWhenAFileIsPatchedInPlace) {
  const TemporaryFolder folder;
  write_text(folder.path() / "a.glb", test::skinned_triangle().glb());
  ASSERT_TRUE(save(folder.file("h.gltf"), loaded(folder.file("a.glb"))));
  const Asset before = loaded(folder.file("h.gltf"));
  SaveOptions options;
  options.weights = WeightFormat::unorm16;
  ASSERT_TRUE(save(folder.file("h.gltf"), before, options));
  const Asset after = loaded(folder.file("h.gltf"));
  EXPECT_EQ(before.character.meshes[0].points, after.character.meshes[0].points);
  EXPECT_NEAR(after.character.meshes[0].weights.row(2)[0].weight, 0.5f, 1e-4f);
}

TEST(WrittenSideFiles, OfTwoBuffersNeverShareAName) {
  const TemporaryFolder in, out;
  MadeGltf made = test::kitchen_sink();  // an unknown extension: buffers are not merged
  MadeGltf::Json json = made.json;
  json["buffers"] = MadeGltf::Json::array({{{"uri", "hero.bin"}, {"byteLength", made.bin.size()}}});
  write_text(in.path() / "hero.bin", made.bin);
  write_text(in.path() / "hero.gltf", json.dump());
  const Asset asset = loaded(in.file("hero.gltf"));
  SaveOptions options;
  options.weights = WeightFormat::unorm8;
  ASSERT_TRUE(save(out.file("hero.gltf"), asset, options));
  const Asset back = loaded(out.file("hero.gltf"));
  EXPECT_EQ(back.character.meshes[0].points, asset.character.meshes[0].points);
  EXPECT_NEAR(back.character.meshes[0].weights.row(2)[0].weight, 0.5f, 0.01f);
}

TEST(WrittenSideFiles, OfSomeoneElseAreLeftAlone) {
  const TemporaryFolder folder;
  write_text(folder.path() / "a.glb", triangle_at(3));
  write_text(folder.path() / "hero.bin", "mine");
  write_text(folder.path() / "hero.gltf", R"({"asset": {"version": "2.0"}})");  // refers to no hero.bin
  ASSERT_TRUE(save(folder.file("hero.gltf"), loaded(folder.file("a.glb"))));
  EXPECT_EQ(test::read_text(folder.path() / "hero.bin"), "mine");
  EXPECT_EQ(loaded(folder.file("hero.gltf")).character.meshes[0].points[0].x, 3.0f);
}

#ifdef DERMIS_CLI
TEST(ReadMeshes, AllZeroNormalsOfOnePrimitiveCanBePosedAndSaved) {
  const TemporaryFolder folder;
  MadeGltf made;
  const int positions = made.triangle_positions();
  const int zeros = made.push("accessors", {{"componentType", 5126}, {"count", 3}, {"type", "VEC3"}});
  made.mesh({{"POSITION", positions}, {"NORMAL", zeros}});
  made.json["meshes"][0]["primitives"].push_back({{"attributes", {{"POSITION", positions}}}});
  made.push("nodes", {{"mesh", 0}});
  made.scene({0});
  write_text(folder.path() / "x.glb", made.glb());
  const test::CliResult said = test::run_cli({"deform", folder.file("x.glb"), "-o", folder.file("y.glb")});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(loaded(folder.file("y.glb")).character.meshes[0].points.size(), 6u);
}
#endif

TEST(ReadMeshes, WeightSetsBehindAGapAreALossThatIsSaid) {
  MadeGltf made = test::skinned_triangle();
  MadeGltf::Json& attributes = made.json["meshes"][0]["primitives"][0]["attributes"];
  attributes["JOINTS_2"] = attributes["JOINTS_0"];
  attributes["WEIGHTS_2"] = attributes["WEIGHTS_0"];
  const Result<Asset> asset = load_text(made.gltf());
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_TRUE(test::has_note(asset->notes, "weights-unread"));
}

TEST(WriteWeights, SlotsBeyondSixteenBitsAreRefusedNotCut) {
  const TemporaryFolder folder;
  Result<Asset> asset = load_text(test::skinned_triangle().gltf());
  ASSERT_TRUE(asset);
  Skin& skin = asset->character.skins[0];
  skin.node.resize(70001, skin.node[0]);
  skin.inverse_bind.resize(70001);
  asset->character.meshes[0].weights.influences[0].slot = 70000;
  SaveOptions options;
  options.weights = WeightFormat::float32;
  const Result<Notes> saved = save(folder.file("a.glb"), *asset, options);
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code, Errc::unsupported);
  EXPECT_TRUE(folder.names().empty());
}

TEST(ReadJson, ManyMembersAreRefusedInsteadOfTakingQuadraticTime) {
  std::string text = R"({"asset": {"version": "2.0", "extras": {)";
  for (int k = 0; k < 30000; ++k) text += (k == 0 ? "\"" : ",\"") + std::to_string(k) + "\":0";
  const Result<Asset> asset = load_text(text + "}}}");
  ASSERT_FALSE(asset);
  EXPECT_NE(asset.error().sentence.find("too many members"), std::string::npos);
}

TEST(LoadPoints, ReadsPlyColumnsByNameInAnyOrder) {
  const TemporaryFolder folder;
  write_text(
      folder.path() / "a.ply",
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float y\nproperty float nx\nproperty double x\n"
      "property float z\nend_header\n2 9 1 3\n");
  const Result<std::vector<Vec3>> points = load_points(folder.file("a.ply"));
  ASSERT_TRUE(points) << points.error().sentence;
  EXPECT_EQ((*points)[0], (Vec3{1, 2, 3}));
}

TEST(LoadPoints, TakesPlyCoordinatesThatAreWholeNumbers) {
  const TemporaryFolder folder;
  write_text(folder.path() / "a.ply",
             "ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\nproperty int y\nproperty int "
             "z\nend_header\n1 2 3\n");
  const Result<std::vector<Vec3>> points = load_points(folder.file("a.ply"));
  ASSERT_TRUE(points) << points.error().sentence;
  EXPECT_EQ((*points)[0], (Vec3{1, 2, 3}));
}

#ifdef DERMIS_CLI
TEST(WriteObj, CarriesTextureCoordinatesWithVCountedFromBelow) {
  const TemporaryFolder folder;
  write_text(folder.path() / "in.glb", test::kitchen_sink().glb());
  ASSERT_EQ(test::run_cli({"convert", folder.file("in.glb"), "-o", folder.file("a.OBJ")}).code, 0);
  const std::string obj = test::read_text(folder.path() / "a.OBJ");
  EXPECT_NE(obj.find("vt 0 1\nvt 1 1\nvt 0 0\n"), std::string::npos) << obj;
  EXPECT_NE(obj.find("f 1/1 2/2 3/3\n"), std::string::npos) << obj;
}
#endif

}  // namespace
}  // namespace dermis
