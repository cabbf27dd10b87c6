// SPDX-License-Identifier: MIT
// Broken and hostile files: refused with one sentence and nothing written, or mended with a note.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dermis/deform.h"
#include "dermis/motion.h"
#include "io/made_gltf.h"
#include "outside/files.h"

namespace dermis {
namespace {

namespace fs = std::filesystem;
using test::has_note;
using test::load_text;
using test::MadeGltf;
using test::skinned_triangle;
using Json = MadeGltf::Json;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Refused with one line that holds `words`.
void expect_refused(const Result<Asset>& result, const std::string& words) {
  ASSERT_FALSE(result) << "loaded, but should be refused: " << words;
  const std::string& sentence = result.error().sentence;
  EXPECT_NE(sentence.find(words), std::string::npos) << sentence;
  EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
  EXPECT_NE(result.error().code, Errc::internal) << sentence;
}

// Loads, is valid, can be posed, and says `note`.
Result<Asset> expect_mended(const std::string& text, const std::string& note) {
  Result<Asset> asset = load_text(text);
  EXPECT_TRUE(asset) << asset.error().sentence;
  if (!asset) return asset;
  EXPECT_TRUE(has_note(asset->notes, note)) << "no note " << note;
  EXPECT_TRUE(validate(asset->character));
  const Result<PoseFrame> frame = pose_frame(asset->character, {});
  EXPECT_TRUE(frame);
  EXPECT_TRUE(frame && deform_character(asset->character, *frame, {}));
  return asset;
}

// ---- Containers ----

TEST(BadContainer, IsRefusedWhereverItIsCut) {
  const std::string whole = test::kitchen_sink().glb();
  ASSERT_TRUE(load_text(whole));
  for (std::size_t part = 1; part < 16; ++part) {
    expect_refused(load_text(whole.substr(0, whole.size() * part / 16)), "cut short");
  }
  const std::string text = test::kitchen_sink().gltf();
  for (std::size_t part = 1; part < 16; ++part) {
    expect_refused(load_text(text.substr(0, text.size() * part / 16)), "not valid JSON");
  }
}

TEST(BadContainer, IsRefusedWhenEmptyOrOfAnotherKind) {
  expect_refused(load_text(""), "is empty");
  expect_refused(load_text(" \n\t "), "is empty");
  expect_refused(load_text("PK\x03\x04 a zip archive"), "not valid JSON");
  expect_refused(load_text("[]"), "not an object");
  expect_refused(load_text("{}"), "'asset'");
  expect_refused(load_text("{\"asset\": {\"version\": \"1.0\"}}"), "only 2.0");
  expect_refused(load_text("glTF"), "cut short");
  std::string old = test::kitchen_sink().glb();
  old[4] = 1;
  expect_refused(load_text(old), "GLB version 1");
}

TEST(BadContainer, IsRefusedWhenAChunkClaimsMoreThanThereIs) {
  std::string file = test::kitchen_sink().glb();
  file.replace(12, 4, MadeGltf::word(0xFFFFFFF0));
  expect_refused(load_text(file), "claims");
}

TEST(BadContainer, IsRefusedBeforeTheJsonLibraryRecurses) {
  for (const char* bracket : {"[", "{\"a\":"}) {
    std::string text = "{\"asset\":{\"version\":\"2.0\"},\"extras\":";
    for (int k = 0; k < 100000; ++k) text += bracket;
    expect_refused(load_text(text), "nested deeper");
  }
}

TEST(BadContainer, IsRefusedWhenItsTextIsNotUtf8) {
  for (const char* bad : {"\xFF", "\xC0\xAF", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xE2\x82"}) {
    const std::string text = std::string("{\"asset\":{\"version\":\"2.0\",\"generator\":\"") + bad + "\"}}";
    expect_refused(load_text(text), "UTF-8");
  }
}

TEST(BadContainer, IsRefusedWhenANumberIsTooLargeToStore) {
  expect_refused(load_text("{\"asset\":{\"version\":\"2.0\"},\"extras\":1e999}"), "too large");
}

// ---- Indices and sizes ----

TEST(BadStructure, CountsThatOverflowAreRefused) {
  for (const std::uint64_t count : {0x7FFFFFFFull, 0x80000000ull, 0xFFFFFFFFull, 0x5555555555555556ull,
                                    0x2000000000000000ull, 0xFFFFFFFFFFFFFFFFull}) {
    MadeGltf made = skinned_triangle();
    made.json["accessors"][0]["count"] = count;
    const Result<Asset> result = load_text(made.glb());
    ASSERT_FALSE(result) << count;
    EXPECT_EQ(result.error().sentence.find('\n'), std::string::npos);
  }
}

TEST(BadStructure, AccessorsPastTheirViewAreRefused) {
  MadeGltf made = skinned_triangle();
  made.json["accessors"][0]["byteOffset"] = 4;
  expect_refused(load_text(made.glb()), "beyond its buffer view");
  made.json["accessors"][0]["byteOffset"] = 0xFFFFFFFFFFFFFFFCull;
  expect_refused(load_text(made.glb()), "beyond its buffer view");
  made = skinned_triangle();
  made.json["bufferViews"][0]["byteLength"] = 1u << 30;
  expect_refused(load_text(made.glb()), "beyond its buffer");
  made = skinned_triangle();
  made.json["bufferViews"][0]["byteStride"] = 4;
  expect_refused(load_text(made.glb()), "beyond its buffer view");
}

TEST(BadStructure, HugeDeclaredCountsStayWithinTheAllowedMemory) {
  MadeGltf made;
  const int empty =
      made.push("accessors", {{"componentType", 5126}, {"count", 2000000000}, {"type", "VEC3"}});
  made.mesh({{"POSITION", empty}});
  LoadOptions options;
  options.max_memory = std::uint64_t{64} << 20;
  const Result<Asset> result = load_text(made.gltf(), options);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::too_large) << result.error().sentence;
  EXPECT_EQ(result.error().remedies, (Remedies{{"max_memory", ""}}));
}

TEST(BadStructure, IndicesOutOfRangeAreRefused) {
  const auto broken = [](const char* pointer, const Json& value) {
    MadeGltf made = test::kitchen_sink();
    made.json[Json::json_pointer(pointer)] = value;
    return load_text(made.glb());
  };
  expect_refused(broken("/nodes/0/mesh", 7), "out of range");
  expect_refused(broken("/nodes/0/skin", 7), "out of range");
  expect_refused(broken("/nodes/1/children/0", 99), "not one of the");
  expect_refused(broken("/skins/0/joints/1", 99), "not one of the");
  expect_refused(broken("/skins/0/skeleton", 99), "out of range");
  expect_refused(broken("/meshes/0/primitives/0/attributes/POSITION", 99), "out of range");
  expect_refused(broken("/meshes/0/primitives/0/indices", 99), "out of range");
  expect_refused(broken("/meshes/0/primitives/0/material", 99), "out of range");
  expect_refused(broken("/meshes/0/primitives/0/targets/0/POSITION", 99), "out of range");
  expect_refused(broken("/accessors/0/bufferView", 99), "out of range");
  expect_refused(broken("/bufferViews/0/buffer", 99), "out of range");
  expect_refused(broken("/animations/0/channels/0/target/node", 99), "out of range");
  expect_refused(broken("/animations/0/channels/0/sampler", 99), "out of range");
  expect_refused(broken("/animations/0/samplers/0/input", 99), "out of range");
  expect_refused(broken("/scene", 3), "out of range");
  expect_refused(broken("/nodes/0/mesh", -1), "not an index");
  expect_refused(broken("/nodes/0/mesh", 0.5), "not an index");
  expect_refused(broken("/nodes/0/mesh", "body"), "not an index");
}

// Nothing that is posed needs these, but writing the file back follows them.
TEST(BadStructure, UnusedReferencesOutOfRangeAreRefusedInsteadOfCrashingTheWriter) {
  const auto broken = [](const auto& spoil) {
    MadeGltf made = test::kitchen_sink();
    spoil(made.json);
    return load_text(made.glb());
  };
  const auto push = [](const char* list, const Json& item) {
    return [list, item](Json& json) { json[list].push_back(item); };
  };
  expect_refused(broken(push("bufferViews", {{"buffer", 5}, {"byteLength", 4}})), "out of range");
  EXPECT_TRUE(broken(push("bufferViews", {{"buffer", 0}, {"byteLength", 1u << 20}})));
  expect_refused(broken(push("accessors", {{"bufferView", 99}})), "out of range");
  expect_refused(broken(push("images", {{"bufferView", 99}})), "out of range");
  expect_refused(broken(push("images", 7)), "not an object");
  expect_refused(broken([](Json& json) {
                   json["animations"][0]["samplers"].push_back({{"input", 99}, {"output", 0}});
                 }),
                 "out of range");
  expect_refused(broken([](Json& json) {
                   json["meshes"].push_back({{"primitives", {{{"attributes", {{"_X", 99}}}}}}});
                 }),
                 "out of range");
}

TEST(BadStructure, TriangleIndicesOutOfRangeAreRefused) {
  MadeGltf made = skinned_triangle();
  made.json["meshes"][0]["primitives"][0]["indices"] = made.accessor<std::uint16_t>({0, 1, 3}, "SCALAR");
  expect_refused(load_text(made.glb()), "index 3 but only 3 points");
}

TEST(BadStructure, NodesThatAreTheirOwnAncestorsAreRefused) {
  MadeGltf made = skinned_triangle();
  made.json["nodes"][2]["children"] = {1};
  expect_refused(load_text(made.glb()), "is its own ancestor");
  made = skinned_triangle();
  made.json["nodes"][0]["children"] = {0};
  expect_refused(load_text(made.glb()), "is its own ancestor");
  made.json["nodes"][0]["children"] = {2};
  expect_refused(load_text(made.glb()), "shares its child");
}

TEST(BadStructure, NumbersThatAreNotFiniteAreRefused) {
  MadeGltf made;
  made.mesh({{"POSITION", made.accessor<float>({0, 0, 0, kNaN, 0, 0, 0, 1, 0}, "VEC3")}});
  expect_refused(load_text(made.glb()), "not finite");
  made = skinned_triangle();
  std::vector<float> binds(32, 0.0f);
  binds[5] = kInfinity;
  made.json["skins"][0]["inverseBindMatrices"] = made.accessor(binds, "MAT4");
  expect_refused(load_text(made.glb()), "not finite");
  made = skinned_triangle();
  made.json["nodes"][1]["translation"] = {1e300, 0, 0};
  expect_refused(load_text(made.glb()), "finite");
}

TEST(BadStructure, SkinsThatDoNotFitAreRefused) {
  MadeGltf made = skinned_triangle();
  made.json["skins"][0]["joints"] = {1};
  expect_refused(load_text(made.glb()), "uses joint 1 of a skin with 1");
  made.json["skins"][0]["joints"] = Json::array();
  expect_refused(load_text(made.glb()), "no joints");
  made = skinned_triangle();
  made.json["skins"][0]["inverseBindMatrices"] = made.accessor(std::vector<float>(16, 1.0f), "MAT4");
  expect_refused(load_text(made.glb()), "2 joints but 1 inverse bind");
}

// ---- What can be mended ----

TEST(MendableWeights, ThatAreNotNumbersCountAsZero) {
  const auto asset =
      expect_mended(skinned_triangle({kNaN, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}).glb(), "weights-negative");
  ASSERT_TRUE(asset);
  EXPECT_EQ(asset->character.meshes[0].weights.row(0)[0], (Influence{1, 1.0f}));
}

// ---- What a file keeps ----

// Of files with one fault each: what loading says was repaired or left out is so in the file that `save`
// writes, or a note says that the file keeps it.
TEST(SavedFaults, AreGoneOrSaidToBeKept) {
  const auto moved = [](const std::vector<float>& times, const std::vector<float>& values) {
    MadeGltf made = test::kitchen_sink();
    Json& animation = made.json["animations"][0];
    const int input = made.accessor<float>(times, "SCALAR", {{"min", {0}}, {"max", {1}}});
    const int output = made.accessor<float>(values, "VEC3");
    animation["samplers"].push_back({{"input", input}, {"output", output}});
    animation["channels"].push_back(
        {{"sampler", animation["samplers"].size() - 1}, {"target", {{"node", 0}, {"path", "translation"}}}});
    return made.glb();
  };
  MadeGltf leaning = test::kitchen_sink();
  leaning.json["nodes"][0]["rotation"] = {0, 0, 0, 2};
  const std::vector<std::string> files{
      moved({0, kNaN}, {0, 0, 0, 1, 1, 1}),
      moved({0, 1}, {0, 0, 0, 1, kInfinity, 1}),
      moved({0, 0}, {0, 0, 0, 1, 1, 1}),
      leaning.glb(),
      skinned_triangle({kNaN, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}).glb(),
      skinned_triangle({1, 1, 0, 0, 0.5f, 0, 0, 0, 1, 0, 0, 0}).glb(),
      skinned_triangle(std::vector<float>(12, 0.0f)).glb(),
  };
  const test::TemporaryFolder folder;
  std::size_t kept_count = 0;
  for (std::size_t k = 0; k < files.size(); ++k) {
    SCOPED_TRACE(k);
    const Result<Asset> asset = load_text(files[k]);
    ASSERT_TRUE(asset) << asset.error().sentence;
    for (const bool is_mended : {false, true}) {
      SaveOptions options;
      options.mended_weights = is_mended;
      const std::string path = folder.file("out.glb");
      const Result<Notes> saved = save(path, *asset, options);
      ASSERT_TRUE(saved) << saved.error().sentence;
      const Result<Asset> again = load(path);
      ASSERT_TRUE(again) << again.error().sentence;
      const auto is_fault = [](const Note& note) {
        return note.kind == Note::Kind::repair || note.kind == Note::Kind::loss;
      };
      ASSERT_TRUE(std::any_of(asset->notes.begin(), asset->notes.end(), is_fault));
      for (const Note& note : asset->notes) {
        if (!is_fault(note)) continue;
        const bool is_there = has_note(again->notes, note.id);
        const bool is_said = std::any_of(saved->begin(), saved->end(), [&](const Note& one) {
          return one.id == "fault-kept" && one.sentence.find(note.sentence) != std::string::npos;
        });
        EXPECT_EQ(is_there, is_said) << note.sentence;
        kept_count += is_there ? 1 : 0;
      }
    }
  }
  EXPECT_GT(kept_count, 4u);
}

TEST(MendableWeights, BelowZeroCountAsZero) {
  const auto asset =
      expect_mended(skinned_triangle({-0.5f, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}).glb(), "weights-negative");
  ASSERT_TRUE(asset);
  EXPECT_EQ(asset->character.meshes[0].weights.row(0).size(), 1u);
}

TEST(MendableWeights, AllZeroGoToTheFirstNamedJoint) {
  const auto asset = expect_mended(skinned_triangle(std::vector<float>(12, 0.0f)).glb(), "weights-missing");
  ASSERT_TRUE(asset);
  EXPECT_EQ(asset->reading.unweighted_meshes, std::vector<Index>{0});
  EXPECT_EQ(asset->character.meshes[0].weights.row(0)[0], (Influence{0, 1.0f}));
}

TEST(MendableWeights, OfWhichMostIsMissingHaveANoteOfTheirOwn) {
  const auto asset =
      expect_mended(skinned_triangle({0.2f, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}).glb(), "weights-sum-wrong");
  ASSERT_TRUE(asset);
  EXPECT_EQ(asset->character.meshes[0].weights.row(0)[0], (Influence{0, 1.0f}));
}

TEST(MendableWeights, ThatDoNotSumToOneAreScaled) {
  const auto asset = expect_mended(skinned_triangle({1, 1, 0, 0, 0.5f, 0, 0, 0, 1, 0, 0, 0}).glb(),
                                   "weights-not-normalised");
  ASSERT_TRUE(asset);
  EXPECT_TRUE(asset->reading.unweighted_meshes.empty());
  EXPECT_EQ(asset->character.meshes[0].weights.row(0)[0], (Influence{0, 0.5f}));
  EXPECT_EQ(asset->character.meshes[0].weights.row(1)[0], (Influence{0, 1.0f}));
}

TEST(MendableWeights, ThatNameAJointTwiceAreAddedUp) {
  MadeGltf made = skinned_triangle({0.25f, 0.25f, 0.5f, 0, 1, 0, 0, 0, 1, 0, 0, 0});
  made.json["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"] =
      made.accessor<std::uint8_t>({1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0}, "VEC4");
  const auto asset = expect_mended(made.glb(), "weights-merged");
  ASSERT_TRUE(asset);
  const auto row = asset->character.meshes[0].weights.row(0);
  ASSERT_EQ(row.size(), 2u);
  EXPECT_EQ(row[0], (Influence{0, 0.5f}));
  EXPECT_EQ(row[1], (Influence{1, 0.5f}));
  EXPECT_TRUE(std::any_of(asset->notes.begin(), asset->notes.end(), [](const Note& note) {
    return note.sentence.ends_with("1 weight repeated a joint of its point and was added up");
  }));
}

TEST(MendableWeights, MissingUnderASkinGoToTheFirstJoint) {
  MadeGltf made = skinned_triangle();
  made.json["meshes"][0]["primitives"][0]["attributes"].erase("JOINTS_0");
  made.json["meshes"][0]["primitives"][0]["attributes"].erase("WEIGHTS_0");
  const auto asset = expect_mended(made.glb(), "weights-missing");
  ASSERT_TRUE(asset);
  EXPECT_EQ(asset->reading.unweighted_meshes, std::vector<Index>{0});
}

TEST(MendableNodes, MayScaleToNothing) {
  MadeGltf made = skinned_triangle();
  made.json["nodes"][1]["scale"] = {0, 0, 0};
  const Result<Asset> asset = load_text(made.glb());
  ASSERT_TRUE(asset) << asset.error().sentence;
  const Result<PoseFrame> frame = pose_frame(asset->character, {});
  ASSERT_TRUE(frame);
  const Result<Character> still = deform_character(asset->character, *frame, {});
  ASSERT_TRUE(still) << still.error().sentence;
  EXPECT_EQ(still->meshes[0].points[0], (Vec3{0, 0, 0}));
}

TEST(MendableFiles, NeedNeitherSkeletonNorMeshNorScene) {
  for (const char* text :
       {"{\"asset\":{\"version\":\"2.0\"}}", "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}]}"}) {
    EXPECT_TRUE(load_text(text)) << text;
  }
  MadeGltf made;
  made.mesh({{"POSITION", made.triangle_positions()}});
  made.push("nodes", {{"mesh", 0}});
  const Result<Asset> asset = load_text(made.glb());
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_EQ(asset->character.instances.size(), 1u);
}

// ---- Size ----

TEST(LargeFiles, ALongChainOfNodesIsPosed) {
  constexpr int kLength = 100000;
  MadeGltf made;
  made.mesh({{"POSITION", made.triangle_positions()}});
  std::string nodes = "[";
  for (int n = 0; n < kLength; ++n) {
    nodes += n + 1 < kLength ? "{\"translation\":[0.001,0,0],\"children\":[" + std::to_string(n + 1) + "]},"
                             : "{\"mesh\":0}]";
  }
  made.json["nodes"] = Json::parse(nodes);
  made.scene({0});
  const Result<Asset> asset = load_text(made.glb());
  ASSERT_TRUE(asset) << asset.error().sentence;
  const Result<PoseFrame> frame = pose_frame(asset->character, {});
  ASSERT_TRUE(frame);
  EXPECT_NEAR(frame->world_from_node.back().translation.x, 0.001 * (kLength - 1), 1e-4);
}

TEST(LargeFiles, AMeshUnderAHundredThousandNodesIsPosed) {
  constexpr int kCount = 100000;
  MadeGltf made;
  made.mesh({{"POSITION", made.triangle_positions()}});
  made.json["nodes"] = Json::array();
  Json roots = Json::array();
  for (int n = 0; n < kCount; ++n) {
    made.json["nodes"].push_back({{"mesh", 0}});
    roots.push_back(n);
  }
  made.json["scenes"] = Json::array({{{"nodes", roots}}});
  const Result<Asset> asset = load_text(made.glb());
  ASSERT_TRUE(asset) << asset.error().sentence;
  const Result<PoseFrame> frame = pose_frame(asset->character, {});
  ASSERT_TRUE(frame);
  const Result<Character> still = deform_character(asset->character, *frame, {});
  ASSERT_TRUE(still);
  EXPECT_EQ(still->meshes.size(), static_cast<std::size_t>(kCount));
}

}  // namespace
}  // namespace dermis
