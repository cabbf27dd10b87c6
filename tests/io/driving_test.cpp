// SPDX-License-Identifier: MIT
// Drivers, rules of shapes and pose spaces come back from glTF; what is wrong in a file is said.
#include <gtest/gtest.h>

#include <algorithm>

#include "characters.h"
#include "dermis/io.h"
#include "io/glb_parts.h"
#include "io/made_gltf.h"
#include "notes.h"
#include "outside/files.h"

namespace dermis {
namespace {

using test::TemporaryFolder;
using Json = nlohmann::ordered_json;

// In a form that glTF can hold as it is.
Character driven_for_gltf() {
  Character character = test::driven_character();
  character.meshes[0].normals.corner_value.clear();
  character.meshes[0].normals.values.assign(6, {0, 0, 1});
  character.meshes[0].uvs.clear();
  character.meshes[0].polygons.corners = {0, 1, 2, 3, 4, 5, 4};
  character.controls[0].low = -1;
  character.controls[0].high = 3;
  return character;
}

Asset loaded_from(const std::string& path) {
  Result<Asset> asset = load(path);
  EXPECT_TRUE(asset) << asset.error().sentence;
  return asset ? std::move(*asset) : Asset{};
}

void expect_same_driving(const Character& a, const Character& b) {
  EXPECT_EQ(a.controls, b.controls);
  EXPECT_EQ(a.drivers, b.drivers);
  EXPECT_EQ(a.shape_rules, b.shape_rules);
  EXPECT_EQ(a.pose_spaces, b.pose_spaces);
}

TEST(DrivenRoundTrip, KeepsEveryKindToTheLastBit) {
  const TemporaryFolder out;
  const Character character = driven_for_gltf();
  for (const char* name : {"driven.glb", "driven.gltf"}) {
    ASSERT_TRUE(save(out.file(name), {character, {}, nullptr}));
    const Asset again = loaded_from(out.file(name));
    EXPECT_FALSE(test::has_note(again.notes, "driving-dropped"));
    expect_same_driving(character, again.character);
    // And again, by difference.
    ASSERT_TRUE(save(out.file("again.glb"), again));
    expect_same_driving(character, loaded_from(out.file("again.glb")).character);
  }
}

TEST(DrivenRoundTrip, WritesChangesIntoTheDocument) {
  const TemporaryFolder out;
  ASSERT_TRUE(save(out.file("driven.glb"), {driven_for_gltf(), {}, nullptr}));
  Asset asset = loaded_from(out.file("driven.glb"));
  Character& character = asset.character;
  // Node 0 gets a parent in front of it: every number changes.
  for (Node& node : character.nodes) node.parent += node.parent == kNone ? 0 : 1;
  character.nodes[0].parent = 0;
  character.nodes.insert(character.nodes.begin(), test::node_at("first", kNone, {}));
  for (Skin& skin : character.skins)
    for (Index& node : skin.node) ++node;
  for (Instance& instance : character.instances) ++instance.node;
  for (Clip& clip : character.clips) {
    for (Channel& channel : clip.channels) {
      const bool is_of_node =
          channel.path != ChannelPath::shape_weights && channel.path != ChannelPath::control;
      channel.target += is_of_node ? 1 : 0;
    }
  }
  const std::vector<Index> new_node = {1, 2, 3, 4};
  renumber_driven(character, new_node, {});
  character.shape_rules.pop_back();
  ASSERT_TRUE(validate(character)) << validate(character).error().sentence;
  ASSERT_TRUE(save(out.file("changed.glb"), asset));
  expect_same_driving(character, loaded_from(out.file("changed.glb")).character);
  character.drivers.clear();
  character.shape_rules.clear();
  character.pose_spaces.clear();
  character.controls.clear();
  for (Clip& clip : character.clips)
    std::erase_if(clip.channels, [](const Channel& c) { return c.path == ChannelPath::control; });
  ASSERT_TRUE(save(out.file("none.glb"), asset));
  const Json json = test::split_glb(test::read_text(out.path() / "none.glb")).json;
  EXPECT_FALSE(json["asset"].contains("extras")) << json["asset"].dump();
}

const Note* dropped_note(const Notes& notes) {
  const auto found =
      std::find_if(notes.begin(), notes.end(), [](const Note& note) { return note.id == "driving-dropped"; });
  return found == notes.end() ? nullptr : &*found;
}

// A document of two nodes with these extras of the asset.
Result<Asset> loaded_with(const TemporaryFolder& folder, const Json& ours) {
  test::MadeGltf made;
  made.push("nodes", {{"name", "a"}});
  made.push("nodes", {{"name", "b"}});
  made.scene({0, 1});
  made.json["asset"]["extras"] = {{"dermis", ours}};
  test::write_text(folder.path() / "made.gltf", made.gltf());
  return load(folder.file("made.gltf"));
}

Json follower_json(const char* name, int node, int source) {
  return {{"name", name}, {"kind", "rotation"}, {"node", node}, {"source", source}};
}

TEST(DrivenReading, LeavesOutWhatRefersToNothing) {
  const TemporaryFolder folder;
  const Json smile = {{"name", "smile"},
                      {"kind", "value"},
                      {"output", "shape"},
                      {"shape", "smile"},
                      {"factors", Json::array({{{"input", "control"}, {"control", "no"}}})}};
  Json odd = smile;
  odd["name"] = "odd", odd["output"] = "colour";
  const Json rules = Json::array({{{"shape", "none"}, {"low", 0}}});
  const Json space = {{"name", "elbow"}, {"joints", Json::array({{{"node", 7}}})}};
  const Result<Asset> asset = loaded_with(
      folder,
      {{"drivers", Json::array({follower_json("good", 1, 0), follower_json("missing", 9, 0), smile, odd})},
       {"shape_rules", rules},
       {"pose_spaces", Json::array({space})}});
  ASSERT_TRUE(asset) << asset.error().sentence;
  ASSERT_EQ(asset->character.drivers.size(), 1u);
  EXPECT_EQ(asset->character.drivers[0].name, "good");
  EXPECT_TRUE(asset->character.shape_rules.empty());
  EXPECT_TRUE(asset->character.pose_spaces.empty());
  const Note* note = dropped_note(asset->notes);
  ASSERT_NE(note, nullptr);
  for (const char* words : {"'missing'", "writes node 9 of 2", "'smile'", "'odd'", "'elbow'"})
    EXPECT_NE(note->sentence.find(words), std::string::npos) << note->sentence;
}

TEST(DrivenReading, NamesTheDriversOfACycleAndLeavesThemOut) {
  const TemporaryFolder folder;
  const Result<Asset> asset = loaded_with(
      folder, {{"drivers", Json::array({follower_json("hen", 1, 0), follower_json("egg", 0, 1)})}});
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_TRUE(asset->character.drivers.empty());
  const Note* note = dropped_note(asset->notes);
  ASSERT_NE(note, nullptr);
  EXPECT_NE(note->sentence.find("'hen' -> 'egg' -> 'hen'"), std::string::npos) << note->sentence;
}

TEST(DrivenReading, RefusesWhatIsNotInTheFormat) {
  const TemporaryFolder folder;
  const auto refusal = [&](const Json& driver) {
    const Result<Asset> asset = loaded_with(folder, {{"drivers", Json::array({driver})}});
    return asset ? std::string("loaded") : asset.error().sentence;
  };
  EXPECT_NE(refusal(7).find("driver 0 is not an object"), std::string::npos) << refusal(7);
  Json driver = follower_json("a", 1, 0);
  driver["kind"] = "magic";
  EXPECT_NE(refusal(driver).find("'magic'"), std::string::npos) << refusal(driver);
  driver = follower_json("a", 1, 0);
  driver["share"] = "half";
  EXPECT_NE(refusal(driver).find("'share' that is not a finite number"), std::string::npos)
      << refusal(driver);
  driver["share"] = 1e300;
  EXPECT_NE(refusal(driver).find("'share' that is not a finite number"), std::string::npos);
  driver = follower_json("a", -1, 0);
  EXPECT_NE(refusal(driver).find("'node' that is not an index"), std::string::npos) << refusal(driver);
  driver = {{"name", "a"},
            {"kind", "value"},
            {"factors", Json::array({{{"keys", Json::array({Json::array({1})})}}})}};
  EXPECT_NE(refusal(driver).find("two or three finite numbers"), std::string::npos) << refusal(driver);
  driver["factors"] = {{"x", 1}};
  EXPECT_NE(refusal(driver).find("'factors' that is not an array"), std::string::npos) << refusal(driver);
}

}  // namespace
}  // namespace dermis
