// SPDX-License-Identifier: MIT
// Operations on weights as users run them: files in and out, only weights change, bad input is a sentence.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "characters.h"
#include "dermis/ops.h"
#include "notes.h"
#include "outside/files.h"

namespace dermis {
namespace {

using test::has_note;

using test::CliResult;
using test::run_cli;
using Json = nlohmann::json;

std::string has(const std::string& text, const std::string& words) {
  return text.find(words) == std::string::npos ? "'" + words + "' is not in: " + text : "";
}

double distance_of(const WeightRows& a, const WeightRows& b) {
  double most = 0;
  for (std::size_t v = 0; v + 1 < a.first.size(); ++v)
    most = std::max(most, row_distance(a.row(v), b.row(v)));
  return most;
}

float weight_of(std::span<const Influence> row, Index slot) {
  for (const Influence& one : row) {
    if (one.slot == slot) return one.weight;
  }
  return 0;
}

// A humanoid in a file, made once.
class Weights : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const Result<Character> made = make_character(MadeKind::humanoid, {2000});
    ASSERT_TRUE(made);
    character = new Character(*made);
  }
  static void TearDownTestSuite() {
    delete character;
    character = nullptr;
  }
  Weights() { EXPECT_TRUE(save(folder.file("hero.glb"), {*character, {}, nullptr})); }

  WeightsJob job(const std::string& output) const {
    WeightsJob asked;
    asked.input = folder.file("hero.glb");
    if (!output.empty()) asked.output = folder.file(output);
    return asked;
  }
  Character loaded(const std::string& name) const {
    const Result<Asset> asset = load(folder.file(name));
    EXPECT_TRUE(asset) << asset.error().sentence;
    return asset ? asset->character : Character{};
  }
  static Index joint_slot(const char* name) {
    const Skin& skin = character->skins[0];
    for (std::size_t s = 0; s < skin.node.size(); ++s) {
      if (character->nodes[at(skin.node[s])].name == name) return static_cast<Index>(s);
    }
    ADD_FAILURE() << name;
    return kNone;
  }
  std::string write(const char* name, const std::string& text) const {
    test::write_text(folder.path() / name, text);
    return folder.file(name);
  }

  static Character* character;
  const test::TemporaryFolder folder;
};
Character* Weights::character = nullptr;

TEST_F(Weights, ThatWereLimitedAreFewerAndNothingElseChanged) {
  const Result<WeightsReport> report = limit_weights(job("two.glb"), 2);
  ASSERT_TRUE(report) << report.error().sentence;
  const WeightsReport::Mesh& mesh = report->meshes[0];
  ASSERT_TRUE(mesh.limited);
  EXPECT_LE(mesh.longest_after, 2u);
  EXPECT_GT(mesh.limited->limited_count, 0u);
  EXPECT_LE(mesh.limited->refitted.rms, mesh.limited->cut.rms);
  const Character before = loaded("hero.glb"), after = loaded("two.glb");
  EXPECT_EQ(after.meshes[0].points, before.meshes[0].points);
  EXPECT_EQ(after.meshes[0].polygons.corners, before.meshes[0].polygons.corners);
  EXPECT_EQ(after.nodes.size(), before.nodes.size());
  EXPECT_EQ(after.clips.size(), before.clips.size());
  const Json json = Json::parse(to_json(*report));
  EXPECT_EQ(json["verb"], "weights");
  EXPECT_EQ(json["operation"], "limit");
  EXPECT_LE(json["meshes"][0]["limited"]["pose_error"]["rms"],
            json["meshes"][0]["limited"]["pose_error_cut"]["rms"]);
}

TEST_F(Weights, ThatWereExportedComeBackTheSame) {
  for (const char* table : {"hero.csv", "hero.json", "skeleton-hero.out"}) {
    SCOPED_TRACE(table);
    const Result<WeightsReport> out = export_weights(job(table));
    ASSERT_TRUE(out) << out.error().sentence;
    // Into a character whose weights are all gone to one joint.
    Character bare = *character;
    WeightRowBuilder builder;
    for (std::size_t v = 0; v < bare.meshes[0].points.size(); ++v) {
      builder.add(0, 1);
      builder.close_row(0);
    }
    bare.meshes[0].weights = builder.take();
    ASSERT_TRUE(save(folder.file("bare.glb"), {bare, {}, nullptr}));
    WeightsJob back = job("back.glb");
    back.input = folder.file("bare.glb");
    const Result<WeightsReport> in = import_weights(back, folder.file(table));
    ASSERT_TRUE(in) << in.error().sentence;
    EXPECT_EQ(in->operation, "import");
    EXPECT_LT(distance_of(loaded("back.glb").meshes[0].weights, loaded("hero.glb").meshes[0].weights), 1e-6);
  }
}

TEST_F(Weights, OfANodeThatIsNoJointCannotBeMerged) {
  const Character hero = loaded("hero.glb");
  const std::string node = node_label(hero, hero.instances[0].node);
  for (const JointMap& map : {JointMap{{node, "hips"}}, JointMap{{"hips", node}}}) {
    const Result<WeightsReport> report = remap_weights(job("merged.glb"), map, "merge");
    ASSERT_FALSE(report);
    EXPECT_EQ(has(report.error().sentence, "is not a joint of a skin"), "") << report.error().sentence;
  }
}

TEST_F(Weights, OfAJointThatNoPointFollowsStayWithANote) {
  ASSERT_TRUE(remap_weights(job("merged.glb"), {{"forearm_L", "upper_arm_L"}}, "merge"));
  WeightsJob again = job("again.glb");
  again.input = folder.file("merged.glb");
  const Result<WeightsReport> report = remap_weights(again, {{"forearm_L", "upper_arm_L"}}, "merge");
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_TRUE(test::has_note(report->notes, "joint-unweighted"));
}

TEST_F(Weights, OfMergedJointsAddUp) {
  const Result<WeightsReport> report =
      remap_weights(job("merged.glb"), {{"forearm_L", "upper_arm_L"}}, "merge");
  ASSERT_TRUE(report) << report.error().sentence;
  ASSERT_EQ(report->joints.size(), 2u);
  EXPECT_NEAR(report->joints[0].gained + report->joints[1].gained, 0, 1e-3);
  const Character before = loaded("hero.glb"), after = loaded("merged.glb");
  const auto slot_named = [&](const char* name) {
    const Result<Index> node = find_node(before, name);
    EXPECT_TRUE(node);
    const std::vector<Index>& nodes = before.skins[0].node;
    return static_cast<Index>(std::find(nodes.begin(), nodes.end(), *node) - nodes.begin());
  };
  const Index from = slot_named("forearm_L"), into = slot_named("upper_arm_L");
  std::size_t merged_count = 0;
  for (std::size_t v = 0; v < before.meshes[0].points.size(); ++v) {
    const std::span<const Influence> old_row = before.meshes[0].weights.row(v),
                                     new_row = after.meshes[0].weights.row(v);
    EXPECT_NEAR(weight_of(new_row, into), weight_of(old_row, from) + weight_of(old_row, into), 1e-6) << v;
    EXPECT_EQ(weight_of(new_row, from), 0) << v;
    merged_count += weight_of(old_row, from) > 0 ? 1 : 0;
  }
  EXPECT_GT(merged_count, 10u);
}

TEST_F(Weights, BlendedWithThemselvesOrByNothingStay) {
  const Result<WeightsReport> report = blend_weights(job("same.glb"), folder.file("hero.glb"), 0.5);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->meshes[0].changed_point_count, 0u);
  ASSERT_TRUE(limit_weights(job("one.glb"), 1));
  const Result<WeightsReport> nothing = blend_weights(job("same.glb"), folder.file("one.glb"), 0);
  ASSERT_TRUE(nothing) << nothing.error().sentence;
  EXPECT_EQ(nothing->meshes[0].changed_point_count, 0u);
  const Result<WeightsReport> half = blend_weights(job("half.glb"), folder.file("one.glb"), 0.5);
  ASSERT_TRUE(half) << half.error().sentence;
  EXPECT_GT(half->meshes[0].changed_point_count, 0u);
}

TEST_F(Weights, ThatDifferAreListedWorstFirst) {
  ASSERT_TRUE(limit_weights(job("one.glb"), 1));
  const Result<WeightsReport> same = diff_weights(job(""), folder.file("hero.glb"));
  ASSERT_TRUE(same) << same.error().sentence;
  EXPECT_EQ(same->meshes[0].changed_point_count, 0u);
  EXPECT_TRUE(same->worst.empty());
  const Result<WeightsReport> other = diff_weights(job(""), folder.file("one.glb"));
  ASSERT_TRUE(other) << other.error().sentence;
  ASSERT_FALSE(other->worst.empty());
  EXPECT_EQ(other->worst[0].distance, other->meshes[0].max_change);
  EXPECT_TRUE(std::is_sorted(other->worst.begin(), other->worst.end(),
                             [](const auto& a, const auto& b) { return a.distance > b.distance; }));
  EXPECT_FALSE(other->joints.empty());
}

TEST_F(Weights, CarriedToACopyWithoutASkinMoveItAsBefore) {
  Character still = *character;
  still.skins.clear();
  still.clips.clear();
  still.meshes[0].weights = {};
  for (Instance& instance : still.instances) instance.skin = kNone;
  const Index mesh_node = character->instances[0].node;
  Character lone;
  lone.nodes = {still.nodes[at(mesh_node)]};
  lone.nodes[0].parent = kNone;
  lone.meshes = still.meshes;
  lone.instances = {{0, 0, kNone, {}, true}};
  lone.instances[0].shape_weights = still.instances[0].shape_weights;
  for (Mesh& mesh : lone.meshes) {
    for (MeshPart& part : mesh.parts) part.material = kNone;
  }
  ASSERT_TRUE(save(folder.file("lone.glb"), {lone, {}, nullptr}));
  WeightsJob asked = job("dressed.glb");
  asked.input = folder.file("lone.glb");
  const Result<WeightsReport> report = transfer_weights(asked, folder.file("hero.glb"), {}, {});
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_TRUE(has_note(report->notes, "skeleton-lent"));
  const Character dressed = loaded("dressed.glb");
  ASSERT_EQ(dressed.skins.size(), 1u);
  EXPECT_EQ(dressed.clips.size(), character->clips.size());
  // Posed by the clip, both stand in the same place.
  CompareJob both;
  both.inputs = {folder.file("hero.glb"), folder.file("dressed.glb")};
  both.pose.clip = "0";
  both.pose.time = 0.4;
  const Result<CompareReport> compared = compare(both);
  ASSERT_TRUE(compared) << compared.error().sentence;
  EXPECT_LT(compared->distance.max, 1e-3 * compared->distance.diagonal);
}

TEST(WeightsTransfer, ToARigidMeshWithRowsOfALargerSkinWroteBeyondTheReport) {
  Asset asset{test::crowded_character()};
  // Shown rigidly, the body keeps rows, which name slots of no skin.
  asset.character.instances[0].skin = kNone;
  asset.character.skins.clear();
  WeightRowBuilder rows;
  for (std::size_t v = 0; v < asset.character.meshes[0].points.size(); ++v) {
    rows.add(5000, 1);
    rows.close_row(0);
  }
  asset.character.meshes[0].weights = rows.take();
  ASSERT_TRUE(validate(asset.character));
  const Asset source{test::crowded_character()};
  const Result<WeightsReport> report = transfer_weights(asset, {}, source, {}, {});
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->meshes[0].longest_before, 0u) << "what no skin shows has no weights";
  ASSERT_EQ(asset.character.skins.size(), 2u) << "one for each mesh";
  EXPECT_TRUE(validate(asset.character));
}

TEST(WeightsTransfer, OfLockedJointsWereReplacedWithoutAWord) {
  Asset asset{test::crowded_character()}, source{test::crowded_character()};
  WeightRowBuilder rows;
  for (std::size_t v = 0; v < source.character.meshes[0].points.size(); ++v) {
    rows.add(0, 1);
    rows.close_row(0);
  }
  source.character.meshes[0].weights = rows.take();
  const WeightRows before = asset.character.meshes[0].weights;
  WeightsRequest request;
  request.locked = {"knee"};
  const Result<WeightsReport> report = transfer_weights(asset, request, source, {}, {});
  ASSERT_TRUE(report) << report.error().sentence;
  const WeightRows& after = asset.character.meshes[0].weights;
  for (std::size_t v = 0; v + 1 < before.first.size(); ++v)
    EXPECT_EQ(weight_of(before.row(v), 1), weight_of(after.row(v), 1)) << "point " << v;
}

TEST_F(Weights, OfASubdividedMeshAreWrittenWithIt) {
  const Result<WeightsReport> report = subdivide_weights(job("fine.glb"), {1, false});
  ASSERT_TRUE(report) << report.error().sentence;
  const Character fine = loaded("fine.glb");
  EXPECT_EQ(fine.meshes[0].polygons.count(), 4 * character->meshes[0].polygons.count());
  EXPECT_FALSE(has_note(report->notes, "document-rebuilt")) << "the rest of the document stays";
}

TEST_F(Weights, OfAMeshThatWouldBeTooLargeAreNotSubdivided) {
  WeightsJob asked = job("finest.glb");
  asked.run.max_memory = 30'000'000;
  ASSERT_TRUE(subdivide_weights(asked, {1}));
  asked.run.force = true;
  const Result<WeightsReport> report = subdivide_weights(asked, {4});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::too_large);
  EXPECT_EQ(has(report.error().sentence, "; use fewer"), "");
}

// Points that follow the right side alone become four and four more in the middle.
TEST_F(Weights, MirroredIntoLongerRowsSaySo) {
  Character lopsided = *character;
  Mesh& mesh = lopsided.meshes[0];
  const Skin& skin = lopsided.skins[0];
  std::vector<Index> left;
  for (std::size_t s = 0; s < skin.node.size() && left.size() < 4; ++s) {
    if (lopsided.nodes[at(skin.node[s])].name.ends_with("_L")) left.push_back(static_cast<Index>(s));
  }
  WeightRowBuilder builder;
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    for (const Index slot : left) builder.add(slot, 0.25f);
    builder.close_row(0);
  }
  mesh.weights = builder.take();
  ASSERT_TRUE(save(folder.file("hero.glb"), {lopsided, {}, nullptr}));
  const Result<WeightsReport> report = mirror_weights(job("even.glb"), MirrorDirection::left_to_right);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->meshes[0].longest_after, 8u);
  EXPECT_TRUE(has_note(report->notes, "rows-longer"));
}

TEST_F(Weights, CarriedOverNameTheGiverFirst) {
  ASSERT_TRUE(save(folder.file("coat.glb"), {*character, {}, nullptr}));
  const CliResult said = run_cli({"weights", "transfer", folder.file("hero.glb"), folder.file("coat.glb"),
                                  "-o", folder.file("carried.glb")});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(said.out.starts_with("transfer: from " + folder.file("hero.glb") + " to ")) << said.out;
}

TEST_F(Weights, CarriedOverFromElsewhereAreDoubted) {
  Character far = *character;
  for (Mesh& mesh : far.meshes)
    for (Vec3& point : mesh.points) point.x += 100;
  far.skins.clear();
  for (Instance& instance : far.instances) instance.skin = kNone;
  for (Mesh& mesh : far.meshes) mesh.weights = {};
  ASSERT_TRUE(save(folder.file("coat.glb"), {far, {}, nullptr}));
  std::vector<std::string> words = {"weights",
                                    "transfer",
                                    folder.file("hero.glb"),
                                    folder.file("coat.glb"),
                                    "-o",
                                    folder.file("carried.glb")};
  const CliResult doubtful = run_cli(words);
  EXPECT_EQ(doubtful.code, 3) << doubtful.out;
  EXPECT_TRUE(doubtful.out.starts_with(folder.file("carried.glb") + ": DOUBTFUL: 100 % of the points"))
      << doubtful.out;
  EXPECT_TRUE(std::filesystem::exists(folder.file("carried.glb")));
  words.emplace_back("--accept");
  words.emplace_back("--force");
  EXPECT_EQ(run_cli(words).code, 0);
}

TEST_F(Weights, OfALockedJointTooManySayItInTheSingular) {
  WeightsJob asked = job("one.glb");
  asked.locked = {"hips", "spine"};
  const Result<WeightsReport> report = limit_weights(asked, 1);
  ASSERT_TRUE(report) << report.error().sentence;
  const auto note = std::find_if(report->notes.begin(), report->notes.end(),
                                 [](const Note& one) { return one.id == "locks-over-limit"; });
  ASSERT_NE(note, report->notes.end());
  EXPECT_EQ(has(note->sentence, "more than 1 influence, because"), "");
}

TEST_F(Weights, StayWhenJointsAreRenamed) {
  const std::string name = character->nodes[at(character->skins[0].node[1])].name;
  const Result<WeightsReport> report = rename_joints(job("named.glb"), {{name, "renamed joint"}});
  ASSERT_TRUE(report) << report.error().sentence;
  const Character named = loaded("named.glb");
  EXPECT_EQ(named.meshes[0].weights, loaded("hero.glb").meshes[0].weights);
  EXPECT_TRUE(find_node(named, "renamed joint"));
  EXPECT_FALSE(find_node(named, name));
  const std::string other = character->nodes[at(character->skins[0].node[2])].name;
  EXPECT_FALSE(rename_joints(job("clash.glb"), {{name, other}}));
}

TEST_F(Weights, KeepTheirLockedJoints) {
  WeightsJob asked = job("locked.glb");
  const Index slot = 1;
  asked.locked = {character->nodes[at(character->skins[0].node[at(slot)])].name};
  const Result<WeightsReport> report = smooth_weights(asked, {});
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_GT(report->meshes[0].changed_point_count, 0u);
  const WeightRows before = loaded("hero.glb").meshes[0].weights,
                   after = loaded("locked.glb").meshes[0].weights;
  for (std::size_t v = 0; v + 1 < before.first.size(); ++v)
    EXPECT_EQ(weight_of(before.row(v), slot), weight_of(after.row(v), slot)) << "point " << v;
}

// Two bodies, "one" and "two", with a skin of their own each.
Character two_bodies(const Character& made) {
  Character both = made;
  both.meshes[0].name = "one";
  both.meshes.push_back(both.meshes[0]);
  both.meshes[1].name = "two";
  both.skins.push_back(both.skins[0]);
  Instance second = both.instances[0];
  second.mesh = 1;
  second.skin = 1;
  Node node;
  node.name = "second body";
  second.node = static_cast<Index>(both.nodes.size());
  both.nodes.push_back(node);
  both.instances.push_back(second);
  return both;
}

// The accessor of an attribute of the first primitive of a mesh in a GLB, and its bytes.
std::pair<Json, std::string> attribute_of(const std::string& path, std::size_t mesh, const char* name) {
  const std::string glb = test::read_text(path);
  const auto number = [&](std::size_t place) {
    std::uint32_t value = 0;
    std::copy_n(glb.data() + place, 4, reinterpret_cast<char*>(&value));
    return std::size_t{value};
  };
  const std::size_t json_size = number(12), bin = 20 + json_size + 8;
  const Json document = Json::parse(glb.substr(20, json_size));
  const Json& attributes = document["meshes"][mesh]["primitives"][0]["attributes"];
  Json accessor = document["accessors"][attributes[name].get<std::size_t>()];
  const Json& view = document["bufferViews"][accessor["bufferView"].get<std::size_t>()];
  const std::size_t first = bin + view.value("byteOffset", std::size_t{0});
  accessor.erase("bufferView");
  return {accessor, glb.substr(first, view["byteLength"].get<std::size_t>())};
}

TEST_F(Weights, OfMeshesThatWereNotMeantKeepTheirBytes) {
  SaveOptions small;
  small.weights = WeightFormat::unorm8;
  ASSERT_TRUE(save(folder.file("both.glb"), {two_bodies(*character), {}, nullptr}, small));
  WeightsJob asked = job("pruned.glb");
  asked.input = folder.file("both.glb");
  asked.meshes = {"one"};
  const Result<WeightsReport> report = prune_weights(asked, 0.2);
  ASSERT_TRUE(report) << report.error().sentence;
  ASSERT_EQ(report->meshes.size(), 1u);
  EXPECT_GT(report->meshes[0].changed_point_count, 0u);
  for (const char* name : {"JOINTS_0", "WEIGHTS_0"}) {
    EXPECT_EQ(attribute_of(asked.input, 1, name), attribute_of(asked.output, 1, name)) << name;
    EXPECT_NE(attribute_of(asked.input, 0, name), attribute_of(asked.output, 0, name)) << name;
  }
  EXPECT_EQ(attribute_of(asked.output, 1, "WEIGHTS_0").first["componentType"], 5121);
}

TEST_F(Weights, OfAMeshUnderSeveralSkinsAreThoseOfTheFirstAndItIsSaid) {
  Character both = two_bodies(*character);
  both.instances[1].mesh = 0;
  both.meshes.pop_back();
  ASSERT_TRUE(save(folder.file("shared.glb"), {both, {}, nullptr}));
  WeightsJob asked = job("out.glb");
  asked.input = folder.file("shared.glb");
  const Result<WeightsReport> report = limit_weights(asked, 2);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->meshes.size(), 1u);
  EXPECT_TRUE(has_note(report->notes, "mesh-with-several-skins"));
  const Result<WeightsReport> plain = limit_weights(job("plain.glb"), 2);
  ASSERT_TRUE(plain) << plain.error().sentence;
  EXPECT_FALSE(has_note(plain->notes, "mesh-with-several-skins"));
}

// ---- Selections ----

// Every kind of selection with every operation that takes one: outside, all stays to the last bit.
TEST_F(Weights, OutsideTheSelectionStayToTheLastBit) {
  const WeightRows before = character->meshes[0].weights;
  const auto follows = [&](std::size_t v) { return weight_of(before.row(v), joint_slot("forearm_L")) > 0; };
  const auto is_low = [&](std::size_t v) { return character->meshes[0].points[v].y <= 0.5f; };
  const Vec3 top = *std::max_element(character->meshes[0].points.begin(), character->meshes[0].points.end(),
                                     [](const Vec3& a, const Vec3& b) { return a.y < b.y; });
  const auto is_near = [&](std::size_t v) {
    return length(Vec3d(character->meshes[0].points[v]) - Vec3d(top)) <= 0.3;
  };
  struct Case {
    WeightsSelection selection;
    std::function<bool(std::size_t)> may_change;
    bool is_exact = true;  // else a region along the surface is within the sphere
  };
  const std::vector<Case> cases{
      {{{}, {"forearm_L"}, {}, {}}, follows},
      {{{}, {}, {}, {BoxRegion{{9, 0.5, 9}, {-9, -9, -9}}}}, is_low},
      {{{}, {}, {}, {SphereRegion{Vec3d(top), 0.3}}}, is_near},
      {{{}, {}, {}, {GeodesicRegion{Vec3d(top), 0.3}}}, is_near, false},
      {{{}, {"forearm_L"}, {}, {BoxRegion{{9, 0.5, 9}, {-9, -9, -9}}, SphereRegion{Vec3d{0, 1, 0}, 9}}},
       follows},
  };
  for (std::size_t c = 0; c < cases.size(); ++c) {
    for (const char* operation : {"limit", "prune", "smooth", "mirror", "merge"}) {
      SCOPED_TRACE(testing::Message() << operation << ", selection " << c);
      Asset asset{*character, {}, nullptr};
      WeightsRequest request{cases[c].selection, {}, false};
      const std::string name = operation;
      const Result<WeightsReport> report =
          name == "limit"    ? limit_weights(asset, request, 1)
          : name == "prune"  ? prune_weights(asset, request, 0.4)
          : name == "smooth" ? smooth_weights(asset, request, {})
          : name == "mirror" ? mirror_weights(asset, request, MirrorDirection::right_to_left)
                             : remap_weights(asset, request, {{"forearm_L", "hips"}, {"head", "hips"}});
      ASSERT_TRUE(report) << report.error().sentence;
      const WeightRows& after = asset.character.meshes[0].weights;
      std::size_t selected = 0, changed = 0;
      for (std::size_t v = 0; v < character->meshes[0].points.size(); ++v) {
        const bool is_same = std::ranges::equal(before.row(v), after.row(v));
        selected += cases[c].may_change(v) ? 1 : 0;
        changed += is_same ? 0 : 1;
        ASSERT_TRUE(is_same || cases[c].may_change(v)) << "point " << v;
      }
      ASSERT_TRUE(report->meshes[0].selected_point_count);
      EXPECT_EQ(report->meshes[0].changed_point_count, changed);
      if (cases[c].is_exact) {
        EXPECT_EQ(*report->meshes[0].selected_point_count, selected);
      }
      EXPECT_LE(*report->meshes[0].selected_point_count, selected);
      EXPECT_GT(*report->meshes[0].selected_point_count, 0u);
    }
  }
}

// A button on the belly, half on the hips and half on the spine.
TEST_F(Weights, OfAShellBecomeRigidAndThoseOfTheBodyStay) {
  Character buttoned = *character;
  Mesh button;
  button.name = "button";
  button.points = {{0, 1, 1}, {0.1f, 1, 1}, {0, 1.1f, 1}, {1, 1, 1}, {1.1f, 1, 1}, {1, 1.1f, 1}};
  button.polygons.first = {0, 3, 6};
  button.polygons.corners = {0, 1, 2, 3, 4, 5};
  button.parts = {{0, 6, 0, 2}};
  button.weld = weld_coincident(button.points);
  button.weights = test::rows_of({{{1, 0.75f}, {0, 0.25f}},
                                  {{0, 0.5f}, {1, 0.5f}},
                                  {{0, 0.5f}, {1, 0.5f}},
                                  {{1, 0.75f}, {0, 0.25f}},
                                  {{0, 1}},
                                  {{0, 1}}});
  buttoned.meshes.push_back(button);
  buttoned.nodes.push_back(test::node_at("button", kNone, {}));
  buttoned.instances.push_back({static_cast<Index>(buttoned.nodes.size()) - 1, 1, 0, {}, true});
  ASSERT_TRUE(validate(buttoned)) << validate(buttoned).error().sentence;
  ASSERT_TRUE(save(folder.file("buttoned.glb"), {buttoned, {}, nullptr}));
  const CliResult said = run_cli({"weights", "rigid", folder.file("buttoned.glb"), "--shell", "button:0",
                                  "-o", folder.file("stiff.glb")});
  ASSERT_EQ(said.code, 0) << said.err;
  const Character stiff = loaded("stiff.glb"), was = loaded("buttoned.glb");
  EXPECT_EQ(stiff.meshes[0].weights, was.meshes[0].weights);
  for (std::size_t v = 0; v < 3; ++v) {
    ASSERT_EQ(stiff.meshes[1].weights.row(v).size(), 1u);
    EXPECT_EQ(stiff.meshes[1].weights.row(v)[0], (Influence{1, 1}));  // 1.75 of 3
  }
  for (std::size_t v = 3; v < 6; ++v)
    EXPECT_TRUE(std::ranges::equal(stiff.meshes[1].weights.row(v), was.meshes[1].weights.row(v)));
  // Wholly inside a region, with another operation before.
  const CliResult both = run_cli({"weights", "smooth", folder.file("buttoned.glb"), "--rigid", "--region",
                                  "box:-0.5,0.5,0.9,0.5,1.5,1.5", "-o", folder.file("both.glb")});
  ASSERT_EQ(both.code, 0) << both.err;
  EXPECT_EQ(loaded("both.glb").meshes[1].weights.row(2).size(), 1u);
  EXPECT_EQ(has(both.out, "1 shell made rigid"), "");
}

TEST_F(Weights, OfASelectionThatIsWrongAreASentence) {
  const std::string hero = folder.file("hero.glb"), out = folder.file("out.glb");
  const struct {
    std::vector<std::string> words;
    int code;
    const char* said;
  } cases[] = {
      {{"smooth", hero, "--region", "box:1,2,3", "-o", out}, 2, "box:X,Y,Z,X,Y,Z"},
      {{"smooth", hero, "--region", "cube:1,2,3,4", "-o", out}, 2, "sphere:X,Y,Z,RADIUS"},
      {{"smooth", hero, "--region", "sphere:0,0,0,-1", "-o", out}, 2, "sphere:X,Y,Z,RADIUS"},
      {{"smooth", hero, "--region", "sphere:0,0,0,nan", "-o", out}, 2, "sphere:X,Y,Z,RADIUS"},
      {{"smooth", hero, "--region", "sphere:99,99,99,1", "-o", out}, 1, "no point is in the selection"},
      {{"smooth", hero, "--shell", "x", "-o", out}, 2, "MESH:NUMBER"},
      {{"smooth", hero, "--shell", "9", "-o", out}, 1, "has no shell 9; it has 1 shell"},
      {{"smooth", hero, "--shell", "nobody:0", "-o", out}, 1, "has no mesh 'nobody'"},
      {{"smooth", hero, "--joint", "left_wrist", "-o", out}, 1, "did you mean 'hand_L'?"},
      {{"limit", hero, "--rigid", "-o", out}, 2, "only selected shells become rigid"},
      {{"rigid", hero, "-o", out}, 2, "only selected shells become rigid"},
  };
  for (const auto& one : cases) {
    std::vector<std::string> words = one.words;
    words.insert(words.begin(), "weights");
    const CliResult result = run_cli(words);
    SCOPED_TRACE(result.err);
    EXPECT_EQ(result.code, one.code);
    EXPECT_EQ(has(result.err, one.said), "");
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1);
  }
  EXPECT_FALSE(test::fs::exists(out));
}

// ---- Bad input ----

TEST_F(Weights, OfBadInputAreOneSentenceAndExitCodeOne) {
  const std::string hero = folder.file("hero.glb"), out = folder.file("out.glb");
  const std::string bare = write("bare.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const std::string short_table = write("short.csv", "mesh,point,joint,weight\nm,0,hips,1\n");
  const std::string cut = write("cut.json", "{\"dermis_weights\": 1, \"meshes\": [{\"mesh\"");
  const std::string empty = write("empty.csv", "");
  const std::string nan = write("nan.csv", "mesh,point,joint,weight\nm,0,hips,nan\n");
  const struct {
    std::vector<std::string> words;
    const char* said;
  } cases[] = {
      {{"limit", bare, "-o", out}, "has a skin"},
      {{"limit", folder.file("none.glb"), "-o", out}, "none.glb"},
      {{"smooth", hero, "--lock", "hipps", "-o", out}, "did you mean"},
      {{"prune", hero, "--mesh", "humanoit", "-o", out}, "did you mean"},
      {{"remap", hero, "--map", "nobody=hips", "-o", out}, "nobody"},
      {{"import", hero, short_table, "-o", out}, "1 point"},
      {{"import", hero, cut, "-o", out}, "cut.json"},
      {{"import", hero, empty, "-o", out}, "is empty"},
      {{"import", hero, nan, "-o", out}, "'nan' is not a finite weight"},
      {{"transfer", bare, hero, "-o", out}, "has a skin"},
      {{"diff", hero, bare}, "has a skin"},
  };
  for (const auto& one : cases) {
    std::vector<std::string> words = one.words;
    words.insert(words.begin(), "weights");
    const CliResult result = run_cli(words);
    SCOPED_TRACE(result.err);
    EXPECT_EQ(result.code, 1) << one.words[0];
    EXPECT_EQ(has(result.err, one.said), "");
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1);
  }
  EXPECT_FALSE(test::fs::exists(out));
}

TEST_F(Weights, AskedForWronglyAreExitCodeTwo) {
  const std::string hero = folder.file("hero.glb"), out = folder.file("out.glb");
  const std::vector<std::vector<std::string>> calls = {
      {"weights"},
      {"weights", "limt", hero, "-o", out},
      {"weights", "limit", hero},
      {"weights", "limit", hero, "--max-influences", "0", "-o", out},
      {"weights", "remap", hero, "-o", out},
      {"weights", "remap", hero, "--map", "hips", "-o", out},
      {"weights", "prune", hero, "-o", folder.file("out.obj")},
      {"weights", "transfer", hero, hero, "-o", out}};
  for (const std::vector<std::string>& words : calls) {
    const CliResult result = run_cli(words);
    EXPECT_EQ(result.code, 2) << result.err;
  }
  EXPECT_EQ(has(run_cli(calls[1]).err, "there is no operation 'limt'; did you mean 'limit'?"), "");
  EXPECT_EQ(has(run_cli({"weights", "limt", "--json"}).out, "did you mean 'limit'"), "");
}

TEST_F(Weights, HaveHelpWithAnExampleForEveryOperation) {
  for (const char* operation :
       {"normalize", "limit", "prune", "smooth", "rigid", "mirror", "transfer", "subdivide", "merge", "remap",
        "rename", "blend", "export", "import", "diff"}) {
    const CliResult help = run_cli({"weights", operation, "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_EQ(has(help.out, std::string("dermis weights ") + operation), "");
    EXPECT_EQ(has(help.out, "--json"), "");
  }
}

// ---- Real files ----

TEST_F(Weights, OfRealCharactersSurviveEveryOperation) {
  if (test::data_folder().empty()) GTEST_SKIP() << "no data at hand";
  const test::fs::path gltf = test::data_folder() / "gltf";
  for (const char* name : {"khronos/CesiumMan.glb", "khronos/Fox.glb", "kaykit/Mage.glb",
                           "three/RobotExpressive.glb", "momentum/test_24fps.glb"}) {
    if (!test::fs::exists(gltf / name)) continue;
    SCOPED_TRACE(name);
    WeightsJob asked = job("real.glb");
    asked.input = (gltf / name).string();
    const std::vector<Result<WeightsReport>> reports = {normalize_weights(asked), limit_weights(asked, 2),
                                                        prune_weights(asked, 0.05), smooth_weights(asked, {}),
                                                        subdivide_weights(asked, {1, false})};
    for (const Result<WeightsReport>& report : reports) {
      ASSERT_TRUE(report) << report.error().sentence;
      for (const WeightsReport::Mesh& mesh : report->meshes) {
        const LimitedWeights none, &limited = mesh.limited ? *mesh.limited : none;
        EXPECT_LE(limited.refitted.rms, limited.cut.rms);
      }
    }
    const Result<Asset> written = load(asked.output);
    ASSERT_TRUE(written) << written.error().sentence;
    EXPECT_FALSE(has_note(written->notes, "weights-not-normalised"));
  }
}

}  // namespace
}  // namespace dermis
