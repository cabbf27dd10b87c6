// SPDX-License-Identifier: MIT
// Load and save gives the same document, the same bytes and the same character; nothing leaves the folder.
#include <gtest/gtest.h>

#include <atomic>

#include "characters.h"
#include "dermis/deform.h"
#include "dermis/io.h"
#include "dermis/made.h"
#include "io/glb_parts.h"
#include "io/made_gltf.h"
#include "io/same_character.h"
#include "notes.h"
#include "outside/files.h"

namespace dermis {
namespace {

namespace fs = std::filesystem;
using test::difference_between;
using test::kitchen_sink;
using test::MadeGltf;
using test::TemporaryFolder;
using Json = nlohmann::ordered_json;

// Ordered: members in another order are a difference.
void expect_same_json(const Json& a, const Json& b) {
  EXPECT_EQ(a.dump(), b.dump()) << Json::diff(a, b).dump(1).substr(0, 2000);
}

Asset loaded_whole(const std::string& path) {
  Result<Asset> asset = load(path);
  EXPECT_TRUE(asset) << asset.error().sentence;
  return asset ? std::move(*asset) : Asset{};
}

// Files of the test's own, and every real one at hand.
std::vector<fs::path> inputs(const TemporaryFolder& folder) {
  test::write_text(folder.path() / "sink.glb", kitchen_sink().glb());
  test::write_text(folder.path() / "sink.gltf", kitchen_sink().gltf());
  std::vector<fs::path> files = test::good_gltf_files();
  files.push_back(folder.path() / "sink.glb");
  files.push_back(folder.path() / "sink.gltf");
  for (const char* name : {"draco", "simple_skin", "cameras", "textureTransform", "glTF-Sample-Models"}) {
    for (const fs::path& file : test::gltf_files_below(test::assimp_folder() / "glTF2" / name))
      files.push_back(file);
  }
  return files;
}

TEST(RoundTrip, OfAGlbIsTheSameJsonAndTheSameBytes) {
  const TemporaryFolder folder, out;
  for (const fs::path& file : inputs(folder)) {
    if (file.extension() != ".glb") continue;
    SCOPED_TRACE(file.string());
    const std::string copy = out.file("copy.glb");
    const Result<Notes> saved = save(copy, loaded_whole(file.string()));
    ASSERT_TRUE(saved) << saved.error().sentence;
    const test::GlbParts before = test::split_glb(test::read_text(file)),
                         after = test::split_glb(test::read_text(copy));
    expect_same_json(before.json, after.json);
    EXPECT_TRUE(before.bin == after.bin) << "the BIN chunk differs";
  }
}

TEST(RoundTrip, OfAGltfIsTheSameJsonAndTheSameSideFiles) {
  const TemporaryFolder folder;
  for (const fs::path& file : inputs(folder)) {
    if (file.extension() != ".gltf") continue;
    SCOPED_TRACE(file.string());
    const TemporaryFolder out;
    const std::string copy = out.file(file.filename().string());
    const Result<Notes> saved = save(copy, loaded_whole(file.string()));
    ASSERT_TRUE(saved) << saved.error().sentence;
    const Json before = Json::parse(test::read_text(file));
    expect_same_json(before, Json::parse(test::read_text(copy)));
    for (const char* list : {"buffers", "images"}) {
      for (const Json& item : before.value(list, Json::array())) {
        const std::string uri = item.value("uri", "data:");
        if (uri.starts_with("data:") || !fs::exists(file.parent_path() / uri)) continue;
        EXPECT_TRUE(test::read_text(file.parent_path() / uri) == test::read_text(out.path() / uri)) << uri;
      }
    }
  }
}

TEST(RoundTrip, GivesTheSameCharacterThroughEveryContainer) {
  const TemporaryFolder folder;
  for (const fs::path& file : inputs(folder)) {
    SCOPED_TRACE(file.string());
    const TemporaryFolder out;
    const Asset first = loaded_whole(file.string());
    SaveOptions embed;
    embed.embed_buffers = true;
    ASSERT_TRUE(save(out.file("a.glb"), first));
    ASSERT_TRUE(save(out.file("b.gltf"), loaded_whole(out.file("a.glb"))));
    ASSERT_TRUE(save(out.file("c.gltf"), loaded_whole(out.file("b.gltf")), embed));
    ASSERT_TRUE(save(out.file("d.glb"), loaded_whole(out.file("c.gltf"))));
    for (const char* name : {"a.glb", "b.gltf", "c.gltf", "d.glb"}) {
      EXPECT_EQ(difference_between(first.character, loaded_whole(out.file(name)).character), "") << name;
    }
  }
}

TEST(Save, LeavesTheOldFileWhenItIsStopped) {
  const TemporaryFolder folder;
  const std::atomic<bool> stop = true;
  SaveOptions options;
  options.progress = Progress({}, &stop);
  Asset asset;
  asset.character = test::tube_character({.rings = 3, .sides = 4}, {0, 1, 0});
  for (const char* name : {"old.glb", "old.gltf", "old.bvh"}) {
    SCOPED_TRACE(name);
    const fs::path path = folder.path() / name;
    test::write_text(path, "old");
    const Result<Notes> saved = save(path.string(), asset, options);
    ASSERT_FALSE(saved);
    EXPECT_EQ(saved.error().code, Errc::cancelled);
    EXPECT_EQ(fs::file_size(path), 3u);
  }
  for (const char* name : {"old.obj", "old.ply"}) {
    SCOPED_TRACE(name);
    const fs::path path = folder.path() / name;
    test::write_text(path, "old");
    const Result<Notes> saved = save_posed(path.string(), asset, asset.character, options);
    ASSERT_FALSE(saved);
    EXPECT_EQ(saved.error().code, Errc::cancelled);
    EXPECT_EQ(fs::file_size(path), 3u);
  }
}

TEST(RoundTrip, OfACharacterMadeByCodeIsIdentical) {
  const TemporaryFolder out;
  std::vector<Character> characters = {test::tube_character({}, {1, 0, 0})};
  characters[0].meshes[0].polygons = {};  // glTF holds triangles only
  characters[0].meshes[0].parts[0].polygon_count = 0;
  Result<Character> made = make_character(MadeKind::tube, {1000});
  ASSERT_TRUE(made);
  characters.push_back(std::move(*made));
  for (Character& character : characters) {
    Material clay;  // parts without a material would be given one
    clay.name = "clay";
    clay.base_colour = {0.5f, 0.25f, 1, 0.75f};
    clay.emission = {0, 0.5f, 0};
    clay.metallic = 0.125f;
    clay.is_double_sided = true;
    character.materials = {clay};
    for (MeshPart& part : character.meshes[0].parts) part.material = 0;
    for (std::size_t v = 0; v < character.meshes[0].points.size(); ++v)
      character.meshes[0].dqs_share.push_back(static_cast<float>(v % 5) / 4);
    for (const char* name : {"made.glb", "made.gltf"}) {
      SaveOptions options;
      options.overwrite_side_files = true;
      const Result<Notes> saved = save(out.file(name), {character, {}, nullptr}, options);
      ASSERT_TRUE(saved) << saved.error().sentence;
      EXPECT_EQ(difference_between(character, loaded_whole(out.file(name)).character), "");
    }
  }
}

TEST(RoundTrip, KeepsSharesOfDqsWhenWeightsAreWrittenAnew) {
  const TemporaryFolder out;
  Result<Character> made = make_character(MadeKind::tube, {1000});
  ASSERT_TRUE(made);
  made->meshes[0].dqs_share.assign(made->meshes[0].points.size(), 0.25f);
  made->meshes[0].dqs_share[3] = 0.75f;
  const std::vector<float> share = made->meshes[0].dqs_share;
  ASSERT_TRUE(save(out.file("a.glb"), {std::move(*made), {}, nullptr}));
  SaveOptions options;
  options.weights = WeightFormat::unorm8;  // accessors are renumbered
  ASSERT_TRUE(save(out.file("b.glb"), loaded_whole(out.file("a.glb")), options));
  EXPECT_EQ(loaded_whole(out.file("b.glb")).character.meshes[0].dqs_share, share);
}

TEST(Saving, NamesThatAreNotUtf8WereAnErrorOfTheJsonLibrary) {
  const TemporaryFolder out;
  Asset asset{test::crowded_character()};
  asset.character.nodes[1].name =
      "h\xFC"
      "fte";
  asset.character.clips[0].name = "\xFF";
  const Result<Notes> saved = save(out.file("names.glb"), asset);
  ASSERT_TRUE(saved) << saved.error().sentence;
  EXPECT_TRUE(test::has_note(*saved, "names-not-utf8"));
  const Asset again = loaded_whole(out.file("names.glb"));
  EXPECT_EQ(again.character.nodes[1].name, "h\u00FCfte");
  EXPECT_EQ(again.character.clips[0].name, "\u00FF");
}

TEST(Saving, AMeshWithoutPointsBecameAListOfNoPrimitivesWithoutAWord) {
  const TemporaryFolder out;
  Asset asset{*make_character(MadeKind::tube, {1000})};
  Character& character = asset.character;
  Mesh empty;
  empty.name = "husk";
  empty.shapes.push_back({"smile", {}, {}, {}, {}});
  character.meshes.insert(character.meshes.begin(), empty);
  for (Instance& instance : character.instances) ++instance.mesh;
  character.instances.insert(character.instances.begin(), {0, 0, kNone, {0.5f}, true});
  character.clips[0].channels.push_back(
      {ChannelPath::shape_weights, 0, Interpolation::linear, {0, 1}, {0, 1}});
  const std::size_t channel_count = character.clips[0].channels.size();
  ASSERT_TRUE(validate(character));

  const Result<Notes> saved = save(out.file("husk.glb"), asset);
  ASSERT_TRUE(saved) << saved.error().sentence;
  EXPECT_TRUE(test::has_note(*saved, "mesh-empty"));
  const Character again = loaded_whole(out.file("husk.glb")).character;
  ASSERT_EQ(again.meshes.size(), 1u);
  EXPECT_EQ(again.meshes[0].points, character.meshes[1].points);
  ASSERT_EQ(again.instances.size(), character.instances.size() - 1);
  EXPECT_EQ(again.clips[0].channels.size(), channel_count - 1);
}

TEST(RoundTrip, KeepsRotationsThatAreUnitExceptForRounding) {
  const TemporaryFolder out;
  Asset asset{*make_character(MadeKind::tube, {1000})};
  // Normalising it gives another last digit each time.
  const Quat rotation{-0x1.f8df34p-4f, 0x1.6d5e2ap-1f, 0x1.a927cp-5f, 0x1.6014ecp-1f};
  asset.character.nodes[1].rest.rotation = rotation;
  ASSERT_TRUE(save(out.file("turned.glb"), asset));
  EXPECT_EQ(loaded_whole(out.file("turned.glb")).character.nodes[1].rest.rotation, rotation);
}

TEST(RoundTrip, KeepsControlsAndTheirKeys) {
  const TemporaryFolder out;
  Character character = test::crowded_character();
  character.meshes[0].normals.corner_value.clear();  // glTF has them on points only
  character.meshes[0].normals.values.assign(6, {0, 0, 1});
  character.meshes[0].uvs.clear();
  character.meshes[0].polygons.corners = {0, 1, 2, 3, 4, 5, 4};  // and polygons inside their part
  const Result<Notes> saved = save(out.file("crowd.glb"), {character, {}, nullptr});
  ASSERT_TRUE(saved) << saved.error().sentence;
  const Character again = loaded_whole(out.file("crowd.glb")).character;
  ASSERT_EQ(again.controls.size(), 2u);
  EXPECT_EQ(again.controls[0].name, "breath");
  EXPECT_EQ(again.controls[0].rest, 0.25f);
  ASSERT_EQ(again.clips.size(), 1u);
  EXPECT_EQ(test::clip_difference(character.clips[0], again.clips[0]), "");
}

TEST(Saving, SplitsPointsThatCornersAndMaterialsShare) {
  const TemporaryFolder out;
  const Character character = test::crowded_character();
  const Result<Notes> saved = save(out.file("crowd.glb"), {character, {}, nullptr});
  ASSERT_TRUE(saved) << saved.error().sentence;
  const Character again = loaded_whole(out.file("crowd.glb")).character;
  const Mesh &rest = character.meshes[0], &split = again.meshes[0];
  ASSERT_EQ(split.parts.size(), 2u);
  EXPECT_EQ(split.parts[0].point_count, 4);
  EXPECT_EQ(split.parts[1].point_count, 3);  // point 1 a second time, for the cloth
  EXPECT_EQ(split.points[4], rest.points[1]);
  EXPECT_EQ(again.materials[static_cast<std::size_t>(split.parts[1].material)].name, "cloth");
  EXPECT_EQ(split.normals.values[4], rest.normals.values[1]);
  EXPECT_EQ(split.uvs[0].values[4], rest.uvs[0].values[0]);
  EXPECT_EQ(split.weights.row(4)[0], rest.weights.row(1)[0]);
  EXPECT_EQ(split.shapes[0].points, (std::vector<Index>{1, 4, 5}));
}

bool says(const Notes& notes, const std::string& id, const std::string& words) {
  return std::any_of(notes.begin(), notes.end(), [&](const Note& note) {
    return note.id == id && note.sentence.find(words) != std::string::npos;
  });
}

TEST(Saving, ConcavePolygonsWereFannedAcrossTheirOutsideWithoutAWord) {
  const TemporaryFolder out;
  test::write_text(out.path() / "notch.obj",
                   "v 2 2 0\nv 1 .5 0\nv 0 2 0\nv 0 0 0\nv 2 0 0\nf 1 2 3 4 5\nf 3 4 5\n");
  const Result<Notes> saved = save(out.file("notch.glb"), loaded_whole(out.file("notch.obj")));
  ASSERT_TRUE(saved) << saved.error().sentence;
  EXPECT_TRUE(
      says(*saved, "polygons-cut", "1 polygon with more than three corners was split into 3 triangles"));
  const Asset notch = loaded_whole(out.file("notch.glb"));
  const Mesh& mesh = notch.character.meshes[0];
  ASSERT_EQ(mesh.polygons.count(), 4u);
  for (std::size_t p = 0; p < 4; ++p) {
    const std::span<const Index> t = mesh.polygons.polygon(p);
    const Vec3 a = mesh.points[static_cast<std::size_t>(t[0])];
    EXPECT_GT(cross(mesh.points[static_cast<std::size_t>(t[1])] - a,
                    mesh.points[static_cast<std::size_t>(t[2])] - a)
                  .z,
              0)
        << p;
  }
}

TEST(RoundTrip, OfAPosedFileKeepsMaterialsCamerasAndWhatIsUnknown) {
  const TemporaryFolder out;
  test::write_text(out.path() / "in.glb", kitchen_sink().glb());
  const Asset asset = loaded_whole(out.file("in.glb"));
  const Result<PoseFrame> frame = pose_frame(asset.character, {0, 0.5, nullptr});
  ASSERT_TRUE(frame);
  const Result<Character> still = deform_character(asset.character, *frame, {});
  ASSERT_TRUE(still);
  ASSERT_TRUE(save_posed(out.file("posed.glb"), asset, *still));
  const Json before = test::split_glb(kitchen_sink().glb()).json,
             after = test::split_glb(test::read_text(out.path() / "posed.glb")).json;
  for (const char* key :
       {"asset", "extensionsUsed", "extensions", "materials", "samplers", "textures", "cameras"}) {
    expect_same_json(before[key], after[key]);
  }
  EXPECT_FALSE(after.contains("skins"));
  EXPECT_FALSE(after.contains("animations"));
}

TEST(Saving, OfNewWeightsAddsNoMembersToWhatLacksThem) {
  const TemporaryFolder out;
  MadeGltf made = test::skinned_triangle();
  made.push("animations", {{"name", "still"}});
  made.push("meshes", {{"primitives", Json::array({Json::object()})}});
  const Result<Asset> asset = test::load_text(made.glb());
  ASSERT_TRUE(asset) << asset.error().sentence;
  SaveOptions options;
  options.weights = WeightFormat::unorm8;
  ASSERT_TRUE(save(out.file("a.glb"), *asset, options));
  const Json json = test::split_glb(test::read_text(out.path() / "a.glb")).json;
  EXPECT_EQ(json["animations"][0].dump(), "{\"name\":\"still\"}");
  EXPECT_EQ(json["meshes"][1]["primitives"][0].dump(), "{}");
}

TEST(Saving, KeepsABufferForViewsWithoutBytes) {
  const TemporaryFolder out;
  MadeGltf made;
  made.bin = "some";
  made.push("bufferViews", {{"buffer", 0}, {"byteLength", 0}});
  made.push("images", {{"bufferView", 0}, {"mimeType", "image/png"}});
  const Result<Asset> asset = test::load_text(made.glb());
  ASSERT_TRUE(asset) << asset.error().sentence;
  SaveOptions options;
  options.weights = WeightFormat::unorm8;
  ASSERT_TRUE(save(out.file("a.glb"), *asset, options));
  const Result<Asset> again = load(out.file("a.glb"));
  EXPECT_TRUE(again) << again.error().sentence;
}

TEST(Saving, OfAPosedFileWithoutScenesAddsOneAndKeepsItsNodes) {
  const TemporaryFolder out;
  MadeGltf made = test::skinned_triangle();
  made.json.erase("scene");
  made.json.erase("scenes");
  const Result<Asset> asset = test::load_text(made.glb());
  ASSERT_TRUE(asset) << asset.error().sentence;
  const Result<PoseFrame> frame = pose_frame(asset->character, {});
  ASSERT_TRUE(frame);
  const Result<Character> still = deform_character(asset->character, *frame, {});
  ASSERT_TRUE(still);
  const Result<Notes> saved = save_posed(out.file("posed.glb"), *asset, *still);
  ASSERT_TRUE(saved) << saved.error().sentence;
  const Character again = loaded_whole(out.file("posed.glb")).character;
  ASSERT_EQ(again.instances.size(), 1u);
  EXPECT_TRUE(again.instances[0].in_scene);
  EXPECT_EQ(again.nodes.size(), 4u);
}

// ---- Files beside a .gltf ----

// Only what starts like a picture is taken for one.
const std::string kPicture = "\x89PNG\r\n\x1a\n a picture ";

class SideFiles : public testing::Test {
 protected:
  // A .gltf with buffer and picture in files of these names.
  std::string write_gltf(const TemporaryFolder& folder, const std::string& buffer,
                         const std::string& picture) {
    MadeGltf made = kitchen_sink();
    made.json["images"][0] = {{"uri", picture}};
    made.json["buffers"] = Json::array({{{"byteLength", made.bin.size()}, {"uri", buffer}}});
    test::write_text(folder.path() / "in.gltf", made.json.dump());
    bin = made.bin;
    return folder.file("in.gltf");
  }
  std::string bin;
};

TEST_F(SideFiles, AreCopiedBesideAGltfAndEmbeddedIntoAGlb) {
  const TemporaryFolder in, out;
  const std::string file = write_gltf(in, "my%20data.bin", "textures/skin.png");
  test::write_text(in.path() / "my data.bin", bin);
  fs::create_directories(in.path() / "textures");
  test::write_text(in.path() / "textures" / "skin.png", kPicture);
  const Asset asset = loaded_whole(file);
  ASSERT_TRUE(save(out.file("copy.gltf"), asset));
  EXPECT_EQ(test::read_text(out.path() / "my data.bin"), bin);
  EXPECT_EQ(test::read_text(out.path() / "textures" / "skin.png"), kPicture);
  ASSERT_TRUE(save(out.file("copy.glb"), asset));
  const test::GlbParts parts = test::split_glb(test::read_text(out.path() / "copy.glb"));
  EXPECT_FALSE(parts.json["images"][0].contains("uri"));
  EXPECT_EQ(parts.json["images"][0]["mimeType"], "image/png");
  EXPECT_NE(parts.bin.find(kPicture), std::string::npos);
  EXPECT_EQ(difference_between(asset.character, loaded_whole(out.file("copy.glb")).character), "");
}

TEST_F(SideFiles, AreEmbeddedIntoADocumentThatHasNothingElse) {
  const TemporaryFolder in, out;
  MadeGltf made;
  for (const char* name : {"a.png", "b.jpg", "c.png"}) {
    made.push("images", {{"uri", name}});
    test::write_text(in.path() / name, kPicture + name);
  }
  test::write_text(in.path() / "in.gltf", made.gltf());
  const Result<Notes> saved = save(out.file("out.glb"), loaded_whole(in.file("in.gltf")));
  ASSERT_TRUE(saved) << saved.error().sentence;
  const test::GlbParts parts = test::split_glb(test::read_text(out.path() / "out.glb"));
  for (const char* name : {"a.png", "b.jpg", "c.png"}) EXPECT_NE(parts.bin.find(name), std::string::npos);
  EXPECT_EQ(parts.json["bufferViews"].size(), 3u);
}

TEST_F(SideFiles, OfOthersAreNotOverwritten) {
  const TemporaryFolder in, out;
  const std::string file = write_gltf(in, "data.bin", "skin.png");
  test::write_text(in.path() / "data.bin", bin);
  test::write_text(in.path() / "skin.png", kPicture);
  test::write_text(out.path() / "data.bin", "precious");
  const Result<Notes> saved = save(out.file("copy.gltf"), loaded_whole(file));
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().remedies, (Remedies{{"force", ""}})) << saved.error().sentence;
  EXPECT_EQ(test::read_text(out.path() / "data.bin"), "precious");
  EXPECT_EQ(out.names(), std::vector<std::string>{"data.bin"});
}

TEST_F(SideFiles, MayNotLieOutsideTheFolderOfTheFile) {
  const TemporaryFolder outer;
  fs::create_directories(outer.path() / "inner");
  const TemporaryFolder elsewhere;
  for (const char* uri :
       {"../data.bin", "inner/../../data.bin", "%2e%2e/data.bin", "/etc/passwd", "file:data.bin",
        "http://example.org/data.bin", "link.bin", "linked/data.bin", "."}) {
    SCOPED_TRACE(uri);
    MadeGltf made = kitchen_sink();
    made.json["buffers"] = Json::array({{{"byteLength", made.bin.size()}, {"uri", uri}}});
    test::write_text(outer.path() / "inner" / "in.gltf", made.json.dump());
    test::write_text(outer.path() / "data.bin", made.bin);
    test::write_text(elsewhere.path() / "data.bin", made.bin);
    std::error_code ignored;
    fs::create_symlink(elsewhere.path() / "data.bin", outer.path() / "inner" / "link.bin", ignored);
    fs::create_directory_symlink(elsewhere.path(), outer.path() / "inner" / "linked", ignored);
    const Result<Asset> asset = load((outer.path() / "inner" / "in.gltf").string());
    ASSERT_FALSE(asset);
    EXPECT_EQ(asset.error().sentence.find('\n'), std::string::npos);
  }
}

TEST_F(SideFiles, OfAnImageOutsideTheFolderAreNeitherReadNorWritten) {
  const TemporaryFolder outer;
  fs::create_directories(outer.path() / "inner");
  fs::create_directories(outer.path() / "out");
  MadeGltf made = kitchen_sink();
  made.json["images"][0] = {{"uri", "../secret.png"}};
  test::write_text(outer.path() / "secret.png", kPicture + "secret");
  test::write_text(outer.path() / "inner" / "in.gltf", made.gltf());
  const Asset asset = loaded_whole((outer.path() / "inner" / "in.gltf").string());
  const Result<Notes> saved = save((outer.path() / "out" / "copy.glb").string(), asset);
  ASSERT_TRUE(saved) << saved.error().sentence;
  EXPECT_TRUE(test::has_note(*saved, "image-missing"));
  EXPECT_EQ(test::read_text(outer.path() / "out" / "copy.glb").find(kPicture), std::string::npos);
}

}  // namespace
}  // namespace dermis
