// SPDX-License-Identifier: MIT
// Saving by difference: every kind of edit comes back from the file, and what was not edited stays as it was.
#include <gtest/gtest.h>

#include <set>

#include "dermis/io.h"
#include "dermis/made.h"
#include "io/edits.h"
#include "io/glb_parts.h"
#include "io/made_gltf.h"
#include "io/same_character.h"

namespace dermis {
namespace {

using Json = nlohmann::ordered_json;
using test::difference_between;
using test::Edit;
using test::GlbParts;
using test::has_note;
using test::kitchen_sink;
using test::MadeGltf;
using test::Random;
using test::TemporaryFolder;
namespace fs = std::filesystem;

Asset load_or_fail(const std::string& path) {
  Result<Asset> asset = load(path);
  EXPECT_TRUE(asset) << asset.error().sentence;
  return asset ? std::move(*asset) : Asset{};
}

// A document that may be renumbered: no unknown extension. Two primitives, two meshes, two clips, shapes, a
// camera, extras everywhere, and a mesh outside the scene.
MadeGltf full_house() {
  MadeGltf made = kitchen_sink();
  made.json["extensionsUsed"] = {"KHR_materials_unlit"};
  made.json.erase("extensions");
  const int corners = made.accessor<float>({0, 0, 0, 2, 0, 0, 0, 2, 0, 2, 2, 0}, "VEC3");
  const int normals = made.accessor<float>({0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1}, "VEC3");
  const int indices = made.accessor<std::uint16_t>({0, 1, 2, 1, 3, 2}, "SCALAR");
  const int frown = made.accessor<float>({0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}, "VEC3");
  made.json["meshes"][0]["primitives"].push_back(
      {{"attributes", {{"POSITION", corners}, {"NORMAL", normals}}},
       {"indices", indices},
       {"targets", Json::array({{{"POSITION", frown}}})},
       {"extras", {{"part", "second"}}}});
  made.push(
      "meshes",
      {{"name", "prop"},
       {"primitives",
        Json::array({{{"attributes", {{"POSITION", corners}}}, {"indices", indices}, {"material", 0}}})},
       {"extras", {{"price", 3}}}});
  made.push("nodes", {{"name", "shelf"}, {"children", {5, 6}}, {"translation", {0, 0, 4}}});
  made.push("nodes", {{"name", "prop"}, {"mesh", 1}, {"extras", {{"owner", "nobody"}}}});
  made.push("nodes", {{"name", "face"}, {"mesh", 0}, {"skin", 0}, {"weights", {0.5}}});
  made.push("nodes", {{"name", "spare"}, {"mesh", 1}});  // outside the scene
  made.json["scenes"][0]["nodes"].push_back(4);
  made.push("scenes", {{"name", "other"}, {"nodes", {7}}});
  const int times = made.accessor<float>({0, 1}, "SCALAR", {{"min", {0}}, {"max", {1}}});
  const int moves = made.accessor<float>({0, 0, 0, 1, 1, 1}, "VEC3");
  const int smiles = made.accessor<float>({0, 1}, "SCALAR");
  made.push("animations",
            {{"name", "nod"},
             {"samplers", Json::array({{{"input", times}, {"output", moves}},
                                       {{"input", times}, {"output", moves}},
                                       {{"input", times}, {"output", smiles}}})},
             {"channels", Json::array({{{"sampler", 0}, {"target", {{"node", 5}, {"path", "translation"}}}},
                                       {{"sampler", 1}, {"target", {{"path", "translation"}}}},
                                       {{"sampler", 1}, {"target", {{"node", 3}, {"path", "scale"}}}},
                                       {{"sampler", 2}, {"target", {{"node", 6}, {"path", "weights"}}}}})},
             {"extras", {{"mood", "yes"}}}});
  made.push("skins", {{"joints", {2}}, {"name", "spare skin"}, {"extras", {{"kept", true}}}});
  return made;
}

// Documents of the test's own, one of a made character, and the small real ones.
std::vector<std::string> files_to_edit(const TemporaryFolder& folder) {
  test::write_text(folder.path() / "sink.glb", kitchen_sink().glb());
  test::write_text(folder.path() / "house.glb", full_house().glb());
  Result<Character> tube = make_character(MadeKind::tube, {1000});
  EXPECT_TRUE(tube);
  if (tube) {
    EXPECT_TRUE(save(folder.file("tube.glb"), {std::move(*tube), {}, nullptr}));
  }
  std::vector<std::string> files = {folder.file("sink.glb"), folder.file("house.glb"),
                                    folder.file("tube.glb")};
  constexpr std::uintmax_t kSmall = 300000;
  for (const fs::path& file : test::good_gltf_files()) {
    if (fs::file_size(file) > kSmall) continue;
    const Asset asset = load_or_fail(file.string());
    std::size_t points = 0;
    for (const Mesh& mesh : asset.character.meshes) points += mesh.points.size();
    if (points > 20000) continue;
    // All data in one file.
    const std::string copy = folder.file("real" + std::to_string(files.size()) + ".glb");
    EXPECT_TRUE(save(copy, asset)) << file;
    files.push_back(copy);
  }
  return files;
}

// glTF cannot hold a clip that moves nothing.
bool has_empty_clip(const Character& character) {
  return std::any_of(character.clips.begin(), character.clips.end(), [](const Clip& clip) {
    return std::all_of(clip.channels.begin(), clip.channels.end(),
                       [](const Channel& channel) { return channel.path == ChannelPath::control; });
  });
}

// Members that the edit does not touch are the same; of lists that it touches, most items are.
void expect_untouched(const Edit& edit, const Json& before, const Json& after) {
  std::set<std::string> keys;
  for (const auto& [key, value] : before.items()) keys.insert(key);
  for (const auto& [key, value] : after.items()) keys.insert(key);
  int changed = 0;
  bool is_longer = false;
  for (const std::string& key : keys) {
    const Json was = before.value(key, Json()), is = after.value(key, Json());
    if (std::find(edit.touches.begin(), edit.touches.end(), key) == edit.touches.end()) {
      EXPECT_EQ(was.dump(), is.dump()) << key;
      continue;
    }
    is_longer = is_longer || was.size() != is.size();
    if (!was.is_array() || was.size() != is.size()) continue;
    for (std::size_t k = 0; k < was.size(); ++k) changed += was[k].dump() == is[k].dump() ? 0 : 1;
  }
  if (edit.most >= 0 && !is_longer) {
    EXPECT_LE(changed, edit.most);
  }
}

TEST(Saving, OfEveryKindOfEditGivesItBackAndNothingElse) {
  const TemporaryFolder folder;
  const std::vector<std::string> files = files_to_edit(folder);
  std::vector<int> tries(test::edits().size(), 0);
  for (std::size_t f = 0; f < files.size(); ++f) {
    const std::string& file = files[f];
    const Asset before = load_or_fail(file);
    const Json document = resolved(test::split_glb(test::read_text(file)));
    const bool is_real = file.find("real") != std::string::npos;
    for (std::size_t e = 0; e < test::edits().size(); ++e) {
      const Edit& edit = test::edits()[e];
      // Real files share the kinds of edit among them: all on all would take minutes under the sanitizers.
      if (is_real && (e + f) % 4 != 0) continue;
      for (unsigned seed = 0; seed < (is_real ? 1u : 4u); ++seed) {
        SCOPED_TRACE(file + ": " + edit.name + ", seed " + std::to_string(seed));
        Random random(seed);
        Asset edited = before;
        if (!edit.make(edited.character, random) || has_empty_clip(edited.character)) continue;
        const Status valid = validate(edited.character);
        ASSERT_TRUE(valid) << valid.error().sentence;
        const Result<Notes> saved = save(folder.file("edited.glb"), edited);
        ASSERT_TRUE(saved) << saved.error().sentence;
        if (has_note(*saved, "document-rebuilt") || has_note(*saved, "moved-outside")) continue;
        ++tries[e];
        const Asset after = load_or_fail(folder.file("edited.glb"));
        EXPECT_EQ(difference_between(edited.character, after.character), "");
        EXPECT_EQ(has_note(after.notes, "channel-broken"), has_note(before.notes, "channel-broken"));
        expect_untouched(edit, document,
                         resolved(test::split_glb(test::read_text(folder.file("edited.glb")))));
      }
    }
  }
  for (std::size_t e = 0; e < tries.size(); ++e) EXPECT_GT(tries[e], 0) << test::edits()[e].name;
}

TEST(Saving, OfManyEditsAtOnceGivesThemAllBack) {
  const TemporaryFolder folder;
  for (const std::string& file : files_to_edit(folder)) {
    const Asset before = load_or_fail(file);
    for (unsigned seed = 10; seed < 20; ++seed) {
      SCOPED_TRACE(file + ", seed " + std::to_string(seed));
      Random random(seed);
      Asset edited = before;
      std::string names;
      for (int k = 0; k < 6; ++k) {
        const Edit& edit = test::edits()[test::some(random, test::edits())];
        Character trial = edited.character;
        if (!edit.make(trial, random) || has_empty_clip(trial) || !validate(trial)) continue;
        edited.character = std::move(trial);
        names += std::string(edit.name) + ", ";
      }
      SCOPED_TRACE(names);
      const Result<Notes> saved = save(folder.file("edited.glb"), edited);
      ASSERT_TRUE(saved) << saved.error().sentence;
      if (has_note(*saved, "document-rebuilt") || has_note(*saved, "moved-outside")) continue;
      EXPECT_EQ(difference_between(edited.character, load_or_fail(folder.file("edited.glb")).character), "");
    }
  }
}

TEST(Saving, OfAnEditThatWasTakenBackIsTheFileAsItCame) {
  const TemporaryFolder folder;
  test::write_text(folder.path() / "house.glb", full_house().glb());
  Asset asset = load_or_fail(folder.file("house.glb"));
  Character& character = asset.character;
  const Vec3 point = std::exchange(character.meshes[0].points[0], Vec3{9, 9, 9});
  const std::string name = std::exchange(character.nodes[1].name, "other");
  character.meshes[0].points[0] = point;
  character.nodes[1].name = name;
  ASSERT_TRUE(save(folder.file("same.glb"), asset));
  EXPECT_TRUE(test::read_text(folder.file("house.glb")) == test::read_text(folder.file("same.glb")));
}

TEST(Saving, RemovedNodesTakeTheirNumbersAlongWithANoteOnTheirCameras) {
  const TemporaryFolder folder;
  test::write_text(folder.path() / "house.glb", full_house().glb());
  Asset asset = load_or_fail(folder.file("house.glb"));
  ASSERT_EQ(asset.character.nodes[3].name, "eye");
  std::erase_if(asset.character.clips[1].channels,
                [](const Channel& channel) { return channel.path == ChannelPath::scale; });
  ASSERT_TRUE(test::remove_node(asset.character, 3));
  const Result<Notes> saved = save(folder.file("out.glb"), asset);
  ASSERT_TRUE(saved) << saved.error().sentence;
  EXPECT_TRUE(has_note(*saved, "nodes-removed"));
  const Json json = test::split_glb(test::read_text(folder.file("out.glb"))).json;
  EXPECT_EQ(json["nodes"][4]["extras"]["owner"], "nobody");
  EXPECT_EQ(json["scenes"][1]["nodes"].dump(), "[6]");
  // The channel that dermis does not play stays between those that it does.
  EXPECT_FALSE(json["animations"][1]["channels"][1]["target"].contains("node")) << json["animations"][1];
  EXPECT_EQ(json["animations"][1]["extras"]["mood"], "yes");
}

TEST(Saving, ADocumentWithUnknownExtensionsKeepsItsNumbersOrIsWrittenAnewWithANote) {
  const TemporaryFolder folder;
  test::write_text(folder.path() / "sink.glb", kitchen_sink().glb());
  Asset asset = load_or_fail(folder.file("sink.glb"));
  // Two nodes change places by name: renamed, not renumbered.
  std::swap(asset.character.nodes[0].name, asset.character.nodes[3].name);
  Result<Notes> saved = save(folder.file("out.glb"), asset);
  ASSERT_TRUE(saved) << saved.error().sentence;
  EXPECT_TRUE(saved->empty());
  Json json = test::split_glb(test::read_text(folder.file("out.glb"))).json;
  EXPECT_EQ(json["nodes"][3]["camera"], 0);
  EXPECT_EQ(json["nodes"][3]["name"], "body");
  ASSERT_TRUE(test::remove_node(asset.character, 3));
  saved = save(folder.file("out.glb"), asset);
  ASSERT_TRUE(saved) << saved.error().sentence;
  EXPECT_TRUE(has_note(*saved, "document-rebuilt"));
  EXPECT_EQ(load_or_fail(folder.file("out.glb")).character.nodes.size(), 3u);
}

TEST(Saving, OfOtherMaterialsWritesTheDocumentAnewWithANote) {
  const TemporaryFolder folder;
  test::write_text(folder.path() / "house.glb", full_house().glb());
  Asset asset = load_or_fail(folder.file("house.glb"));
  asset.character.materials[0].base_colour = {0.25f, 0.5f, 0.75f, 1};
  const Result<Notes> saved = save(folder.file("out.glb"), asset);
  ASSERT_TRUE(saved) << saved.error().sentence;
  EXPECT_TRUE(has_note(*saved, "document-rebuilt"));
  EXPECT_EQ(load_or_fail(folder.file("out.glb")).character.materials[0].base_colour,
            (Vec4{0.25f, 0.5f, 0.75f, 1}));
}

TEST(Saving, CopiesOfAMeshKeepWhatTheDocumentSaysOfIt) {
  const TemporaryFolder folder;
  test::write_text(folder.path() / "sink.glb", kitchen_sink().glb());
  Asset asset = load_or_fail(folder.file("sink.glb"));
  Random random(1);
  ASSERT_TRUE(test::copy_mesh(asset.character, random));
  asset.character.meshes[1].weights = test::rows_of({{{1, 1}}, {{1, 1}}, {{1, 1}}});
  ASSERT_TRUE(save(folder.file("out.glb"), asset));
  const Json json = test::split_glb(test::read_text(folder.file("out.glb"))).json;
  EXPECT_EQ(json["meshes"][1]["extras"]["mood"], "good");
  EXPECT_TRUE(json["meshes"][1]["primitives"][0]["attributes"].contains("_TEMPERATURE"));
  EXPECT_EQ(json["nodes"][0]["mesh"], 1);
  EXPECT_EQ(difference_between(asset.character, load_or_fail(folder.file("out.glb")).character), "");
}

// ---- Weights ----

// Two meshes whose weights are bytes.
Asset bytes_asset(const TemporaryFolder& folder) {
  Result<Character> tube = make_character(MadeKind::tube, {1000});
  EXPECT_TRUE(tube);
  tube->meshes.push_back(tube->meshes[0]);
  tube->nodes.emplace_back().name = "second";
  tube->instances.push_back({static_cast<Index>(tube->nodes.size()) - 1, 1, 0, {}, true});
  SaveOptions options;
  options.weights = WeightFormat::unorm8;
  EXPECT_TRUE(save(folder.file("bytes.glb"), {*tube, {}, nullptr}, options));
  return load_or_fail(folder.file("bytes.glb"));
}

int weight_type(const std::string& path, std::size_t mesh) {
  const Json json = test::split_glb(test::read_text(path)).json;
  const auto accessor = json["meshes"][mesh]["primitives"][0]["attributes"]["WEIGHTS_0"].get<std::size_t>();
  return json["accessors"][accessor]["componentType"].get<int>();
}

constexpr int kByte = 5121, kFloat = 5126;

TEST(ChangedWeights, AreWrittenInTheFormatOfTheFileWhereItHoldsThem) {
  const TemporaryFolder folder;
  Asset asset = bytes_asset(folder);
  WeightRows& rows = asset.character.meshes[0].weights;
  for (Influence& one : rows.influences) one.slot = one.slot == 0 ? 1 : one.slot == 1 ? 0 : one.slot;
  WeightRowBuilder builder;  // in order again
  for (std::size_t v = 0; v + 1 < rows.first.size(); ++v) {
    for (const Influence& one : rows.row(v)) builder.add(one.slot, one.weight);
    builder.close_row(0);
  }
  rows = builder.take();
  ASSERT_TRUE(save(folder.file("out.glb"), asset));
  EXPECT_EQ(weight_type(folder.file("out.glb"), 0), kByte);
  EXPECT_EQ(difference_between(asset.character, load_or_fail(folder.file("out.glb")).character), "");
}

TEST(ChangedWeights, AreWrittenAsFloatsWhereTheFormatOfTheFileWouldRoundThem) {
  const TemporaryFolder folder;
  Asset asset = bytes_asset(folder);
  WeightRowBuilder builder;
  for (std::size_t v = 0; v < asset.character.meshes[0].points.size(); ++v) {
    builder.add(0, 0.3f);
    builder.add(1, 0.7f);
    builder.close_row(0);
  }
  asset.character.meshes[0].weights = builder.take();
  ASSERT_TRUE(save(folder.file("out.glb"), asset));
  EXPECT_EQ(weight_type(folder.file("out.glb"), 0), kFloat);
  EXPECT_EQ(weight_type(folder.file("out.glb"), 1), kByte) << "was not changed";
  EXPECT_EQ(difference_between(asset.character, load_or_fail(folder.file("out.glb")).character), "");
}

TEST(ChangedWeights, AreAllWrittenInAFormatThatIsAskedFor) {
  const TemporaryFolder folder;
  const Asset asset = bytes_asset(folder);
  SaveOptions options;
  options.weights = WeightFormat::float32;
  ASSERT_TRUE(save(folder.file("out.glb"), asset, options));
  for (const std::size_t mesh : {0u, 1u}) EXPECT_EQ(weight_type(folder.file("out.glb"), mesh), kFloat);
}

TEST(ChangedWeights, ThatLoadingMendedAreWrittenWhenAskedForAndElseStay) {
  const TemporaryFolder folder;
  test::write_text(folder.path() / "in.glb",
                   test::skinned_triangle({2, 0, 0, 0, 0, 1, 0, 0, 0.5f, 0.5f, 0, 0}).glb());
  const Asset asset = load_or_fail(folder.file("in.glb"));
  ASSERT_TRUE(has_note(asset.notes, "weights-not-normalised"));
  ASSERT_TRUE(save(folder.file("kept.glb"), asset));
  EXPECT_TRUE(has_note(load_or_fail(folder.file("kept.glb")).notes, "weights-not-normalised"));
  SaveOptions options;
  options.mended_weights = true;
  ASSERT_TRUE(save(folder.file("mended.glb"), asset, options));
  EXPECT_FALSE(has_note(load_or_fail(folder.file("mended.glb")).notes, "weights-not-normalised"));
}

TEST(ChangedWeights, AreCutOnlyWhereRowsAreLongerThanAskedFor) {
  const TemporaryFolder folder;
  Asset asset = bytes_asset(folder);
  SaveOptions options;
  options.max_influences = 1;
  asset.character.meshes[0].weights = {};
  WeightRowBuilder builder;
  for (std::size_t v = 0; v < asset.character.meshes[0].points.size(); ++v) {
    builder.add(0, 1);
    builder.close_row(0);
  }
  asset.character.meshes[0].weights = builder.take();
  ASSERT_TRUE(save(folder.file("one.glb"), asset));
  asset = load_or_fail(folder.file("one.glb"));
  ASSERT_TRUE(save(folder.file("out.glb"), asset, options));
  EXPECT_EQ(weight_type(folder.file("out.glb"), 0), kByte) << "had one influence already";
  for (std::size_t v = 0; v < asset.character.meshes[1].points.size(); ++v)
    EXPECT_EQ(load_or_fail(folder.file("out.glb")).character.meshes[1].weights.row(v).size(), 1u);
}

// ---- The scene ----

TEST(Scene, MeshesOutsideStayOutsideWhenADocumentIsWrittenAnew) {
  const TemporaryFolder folder;
  test::write_text(folder.path() / "house.glb", full_house().glb());
  Asset asset = load_or_fail(folder.file("house.glb"));
  asset.source = nullptr;
  ASSERT_FALSE(asset.character.instances.back().in_scene);
  const Result<Notes> saved = save(folder.file("out.glb"), asset);
  ASSERT_TRUE(saved) << saved.error().sentence;
  const Character again = load_or_fail(folder.file("out.glb")).character;
  ASSERT_EQ(again.instances.size(), asset.character.instances.size());
  for (std::size_t i = 0; i < again.instances.size(); ++i)
    EXPECT_EQ(again.instances[i].in_scene, asset.character.instances[i].in_scene) << i;
}

TEST(Scene, AMeshOutsideBelowARootInsideMovesToANodeOfItsOwn) {
  const TemporaryFolder folder;
  test::write_text(folder.path() / "house.glb", full_house().glb());
  for (const bool is_new : {false, true}) {
    SCOPED_TRACE(is_new);
    Asset asset = load_or_fail(folder.file("house.glb"));
    if (is_new) asset.source = nullptr;
    ASSERT_EQ(asset.character.nodes[5].name, "prop");
    for (Instance& instance : asset.character.instances)
      if (instance.node == 5) instance.in_scene = false;
    const Result<Notes> saved = save(folder.file("out.glb"), asset);
    ASSERT_TRUE(saved) << saved.error().sentence;
    EXPECT_TRUE(has_note(*saved, "moved-outside"));
    const Character again = load_or_fail(folder.file("out.glb")).character;
    ASSERT_EQ(again.instances.size(), 4u);
    const Instance& moved = again.instances.back();
    EXPECT_FALSE(moved.in_scene);
    EXPECT_EQ(again.nodes[at(moved.node)].name, "prop_outside");
    EXPECT_EQ(again.nodes[at(moved.node)].rest.translation, (Vec3{0, 0, 4})) << "where it was";
    EXPECT_EQ(std::count_if(again.instances.begin(), again.instances.end(),
                            [](const Instance& instance) { return instance.in_scene; }),
              2);
  }
}

TEST(Scene, WithoutAnythingInItIsReadAsEmpty) {
  const TemporaryFolder folder;
  test::write_text(folder.path() / "in.glb", test::skinned_triangle().glb());
  Asset asset = load_or_fail(folder.file("in.glb"));
  asset.character.instances[0].in_scene = false;
  ASSERT_TRUE(save(folder.file("out.glb"), asset));
  EXPECT_EQ(difference_between(asset.character, load_or_fail(folder.file("out.glb")).character), "");
}

// ---- Other formats ----

TEST(Saving, AnEditedBvhWasWrittenBackAsItCame) {
  const TemporaryFolder folder;
  test::write_text(folder.path() / "in.bvh",
                   "HIERARCHY\nROOT hip\n{\n\tOFFSET 0 1 0\n\tCHANNELS 3 Zrotation Xrotation Yrotation\n"
                   "\tJOINT knee\n\t{\n\t\tOFFSET 0 -1 0\n\t\tCHANNELS 3 Zrotation Xrotation Yrotation\n"
                   "\t\tEnd Site\n\t\t{\n\t\t\tOFFSET 0 -1 0\n\t\t}\n\t}\n}\n"
                   "MOTION\nFrames: 2\nFrame Time: 0.1\n0 0 0 0 0 0\n10 0 0 20 0 0\n");
  Asset asset = load_or_fail(folder.file("in.bvh"));
  const TemporaryFolder out;  // clips are named after their file
  ASSERT_TRUE(save(out.file("in.bvh"), asset));
  EXPECT_EQ(difference_between(asset.character, load_or_fail(out.file("in.bvh")).character), "");
  asset.character.nodes[1].name = "shin";
  ASSERT_TRUE(save(folder.file("out.bvh"), asset));
  EXPECT_EQ(load_or_fail(folder.file("out.bvh")).character.nodes[1].name, "shin");
}

TEST(Saving, EditedTextureCoordinatesOfAnObjWereWrittenBackAsTheyCame) {
  const TemporaryFolder folder;
  test::write_text(folder.path() / "in.obj",
                   "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0.1 0.3\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\n");
  Asset asset = load_or_fail(folder.file("in.obj"));
  asset.character.meshes[0].uvs[0].values[1] = {0.5f, 0.25f};
  ASSERT_TRUE(save_posed(folder.file("out.obj"), asset, asset.character));
  const std::string text = test::read_text(folder.file("out.obj"));
  EXPECT_NE(text.find("vt 0.1 0.3\n"), std::string::npos) << text;
  EXPECT_NE(text.find("vt 0.5 0.75\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace dermis
