// SPDX-License-Identifier: MIT
// Every verb that loads, changes and saves keeps what it was not asked to change, from every format.
//
// The law: what a verb writes is what `convert` writes of the same file, except for what the verb is there
// for. A verb is a row of verbs() below: how it runs, and what it may change.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "dermis/ops.h"
#include "io/glb_parts.h"
#include "io/made_gltf.h"
#include "io/same_character.h"

namespace dermis {
namespace {

using OrderedJson = nlohmann::ordered_json;
using test::TemporaryFolder;
namespace fs = std::filesystem;

// ---- The verbs ----

// What a file must have for a verb to run on it at all.
enum class Needs { nothing, mesh, skin, biped };

struct VerbRow {
  const char* name;
  Needs needs;
  std::function<Status(const std::string& input, const std::string& output)> run;
  // Takes out of both what the verb may change; all that is left must be the same.
  std::function<void(Character& before, Character& after)> forget;
};

template <class Report>
Status outcome(const Result<Report>& report) {
  if (!report) return report.error();
  return Done{};
}

WeightsJob weights_job(const std::string& input, const std::string& output) {
  WeightsJob job;
  job.input = input;
  job.output = output;
  return job;
}

// ---- What verbs may change ----

void forget_nothing(Character&, Character&) {}

void forget_weights(Character& before, Character& after) {
  for (Character* one : {&before, &after})
    for (Mesh& mesh : one->meshes) mesh.weights = {};
}

void forget_names(Character& before, Character& after) {
  for (Character* one : {&before, &after})
    for (Node& node : one->nodes) node.name.clear();
}

// Clips that came after those of the file.
void forget_new_clips(Character& before, Character& after) {
  if (after.clips.size() > before.clips.size()) after.clips.resize(before.clips.size());
}

// Points and all that belongs to them; which meshes there are, with which materials and shapes, stays.
void forget_points(Character& before, Character& after) {
  for (Character* one : {&before, &after}) {
    for (Mesh& mesh : one->meshes) {
      Mesh rest;
      rest.name = mesh.name;
      for (const MeshPart& part : mesh.parts) rest.parts.push_back({0, 0, 0, 0, part.material});
      for (const Shape& shape : mesh.shapes) rest.shapes.emplace_back().name = shape.name;
      mesh = std::move(rest);
    }
  }
}

// Polygons that collapsed or were inside out.
void forget_mended(Character& before, Character& after) {
  forget_names(before, after);
  forget_weights(before, after);
  for (Character* one : {&before, &after}) {
    for (Mesh& mesh : one->meshes) {
      mesh.polygons = {};
      mesh.normals = {};
      mesh.tangents = {};
      for (MeshPart& part : mesh.parts) part.first_polygon = part.polygon_count = 0;
    }
  }
}

// All that makes it move: joints, skins, clips, weights, where meshes hang, and copies of meshes that are
// shown at several places.
void forget_skeleton(Character& before, Character& after) {
  forget_weights(before, after);
  if (after.meshes.size() > before.meshes.size()) after.meshes.resize(before.meshes.size());
  for (Character* one : {&before, &after}) {
    one->nodes.clear();
    one->skins.clear();
    one->clips.clear();
    one->instances.clear();
  }
}

// A skeleton found anew: skinned meshes are taken as they rest, without their shapes.
void forget_body(Character& before, Character& after) {
  const bool was_skinned = !before.skins.empty();
  forget_skeleton(before, after);
  if (!was_skinned) return;
  before.meshes.clear();
  after.meshes.clear();
}

// ---- The table ----

// Another skeleton, the same for all.
const std::string& other_skeleton() {
  static const TemporaryFolder folder;
  static const std::string path = [] {
    const Result<Character> made = make_character(MadeKind::humanoid, {1000});
    EXPECT_TRUE(made && save(folder.file("other.glb"), {*made, {}, nullptr}));
    return folder.file("other.glb");
  }();
  return path;
}

// The first joint of a skin, by its label.
std::string first_joint(const std::string& input) {
  const Result<Asset> asset = load(input);
  if (!asset || asset->character.skins.empty()) return "";
  return node_labels(asset->character)[static_cast<std::size_t>(asset->character.skins[0].node[0])];
}

const std::vector<VerbRow>& verbs() {
  using Path = const std::string&;
  static const std::vector<VerbRow> kVerbs = {
      {"convert", Needs::nothing,
       [](Path in, Path out) {
         return outcome(convert({{in, out, {}, {}}}));
       },
       forget_nothing},
      {"convert --weights unorm16", Needs::nothing,
       [](Path in, Path out) {
         ConvertJob job{{in, out, {}, {}}};
         job.save.weights = WeightFormat::unorm16;
         return outcome(convert(job));
       },
       forget_weights},
      {"check --fix", Needs::nothing,
       [](Path in, Path out) {
         CheckJob job;
         job.input = in;
         job.output = out;
         job.limits.profile = &check_profiles()[0];
         job.has_quality = false;
         return outcome(check(job));
       },
       forget_mended},
      {"weights normalize", Needs::skin,
       [](Path in, Path out) { return outcome(normalize_weights(weights_job(in, out))); }, forget_weights},
      {"weights limit", Needs::skin,
       [](Path in, Path out) { return outcome(limit_weights(weights_job(in, out), 2)); }, forget_weights},
      {"weights prune", Needs::skin,
       [](Path in, Path out) { return outcome(prune_weights(weights_job(in, out), 0.05)); }, forget_weights},
      {"weights smooth", Needs::skin,
       [](Path in, Path out) { return outcome(smooth_weights(weights_job(in, out), {})); }, forget_weights},
      {"weights blend", Needs::skin,
       [](Path in, Path out) { return outcome(blend_weights(weights_job(in, out), in, 0.5)); },
       forget_weights},
      {"weights rename", Needs::skin,
       [](Path in, Path out) {
         return outcome(rename_joints(weights_job(in, out), {{first_joint(in), "another name"}}));
       },
       forget_names},
      {"weights subdivide", Needs::skin,
       [](Path in, Path out) {
         return outcome(subdivide_weights(weights_job(in, out), {1, false}));
       },
       forget_points},
      {"weights transfer", Needs::biped,
       [](Path in, Path out) {
         return outcome(transfer_weights(weights_job(in, out), other_skeleton(), {}, {}));
       },
       forget_weights},
      {"bind", Needs::skin,
       [](Path in, Path out) {
         BindJob job;
         job.input = in;
         job.output = out;
         job.method = "distance";
         return outcome(bind(job));
       },
       forget_weights},
      {"bind --skeleton", Needs::mesh,
       [](Path in, Path out) {
         BindJob job;
         job.input = in;
         job.output = out;
         job.skeleton = other_skeleton();
         job.method = "distance";
         return outcome(bind(job));
       },
       forget_skeleton},
      {"animate", Needs::biped,
       [](Path in, Path out) {
         AnimateJob job;
         job.input = in;
         job.output = out;
         job.motion = "wave";
         return outcome(animate(job));
       },
       forget_new_clips},
      {"rig", Needs::biped,
       [](Path in, Path out) {
         RigJob job;
         job.input = in;
         job.output = out;
         job.skeleton = "biped";
         return outcome(rig(job));
       },
       forget_body},
  };
  return kVerbs;
}

// ---- The files ----

struct InputFile {
  std::string path;
  Needs has = Needs::nothing;  // and what stands before it in Needs
};

// The humanoid with what dermis does not model: a camera, extras on everything, a second scene.
OrderedJson with_more(OrderedJson json) {
  json["asset"]["extras"]["studio"] = "nowhere";
  json["cameras"] =
      OrderedJson::array({{{"type", "perspective"}, {"perspective", {{"yfov", 0.7}, {"znear", 0.01}}}}});
  json["nodes"].push_back({{"name", "eye"}, {"camera", 0}, {"extras", {{"lens", "old"}}}});
  json["scenes"][0]["nodes"].push_back(json["nodes"].size() - 1);
  json["scenes"].push_back({{"name", "empty"}});
  for (const char* list : {"meshes", "materials", "skins", "animations"}) {
    for (OrderedJson& item : json[list]) item["extras"]["keep"] = list;
  }
  json["meshes"][0]["primitives"][0]["extras"]["keep"] = "primitive";
  return json;
}

void write_hero(const OrderedJson& json, const std::string& bin, const std::string& path) {
  std::string text = json.dump();
  text.resize((text.size() + 3) / 4 * 4, ' ');
  const auto word = test::MadeGltf::word;
  test::write_text(path, "glTF" + word(2) + word(28 + text.size() + bin.size()) + word(text.size()) + "JSON" +
                             text + word(bin.size()) + std::string("BIN\0", 4) + bin);
}

std::vector<InputFile> files_to_change(const TemporaryFolder& folder) {
  const Result<Character> human = make_character(MadeKind::humanoid, {2500});
  EXPECT_TRUE(human);
  EXPECT_TRUE(save(folder.file("plain.glb"), {*human, {}, nullptr}));
  const test::GlbParts plain = test::split_glb(test::read_text(folder.file("plain.glb")));
  write_hero(with_more(plain.json), plain.bin, folder.file("hero.glb"));
  std::vector<InputFile> files = {{folder.file("hero.glb"), Needs::biped}};
  const auto convert_to = [&](const char* name, Needs has) {
    const Result<ConvertReport> made = convert({{folder.file("hero.glb"), folder.file(name), {}, {}}});
    EXPECT_TRUE(made) << made.error().sentence;
    files.push_back({folder.file(name), has});
  };
  convert_to("hero.gltf", Needs::biped);
  convert_to("hero.obj", Needs::mesh);
  convert_to("hero.ply", Needs::mesh);
  convert_to("hero.bvh", Needs::nothing);
  convert_to("skeleton.out", Needs::skin);
  test::write_text(folder.path() / "corner.off",
                   "OFF\n4 2 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n");
  test::write_text(
      folder.path() / "corner.stl",
      "solid a\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"
      "endfacet\nendsolid a\n");
  files.push_back({folder.file("corner.off"), Needs::mesh});
  files.push_back({folder.file("corner.stl"), Needs::mesh});
  // Real ones, as far as they are small.
  constexpr std::uintmax_t kSmall = 250000;
  constexpr std::size_t kFewPoints = 6000;
  for (const fs::path& file : test::good_gltf_files()) {
    if (fs::file_size(file) > kSmall) continue;
    const Result<Asset> asset = load(file.string());
    if (!asset) continue;
    std::size_t points = 0;
    bool is_skinned = false;
    for (const Instance& instance : asset->character.instances) {
      points += asset->character.meshes[static_cast<std::size_t>(instance.mesh)].points.size();
      is_skinned = is_skinned || (instance.skin != kNone && instance.in_scene);
    }
    if (points > kFewPoints) continue;
    files.push_back({file.string(), is_skinned ? Needs::skin : points > 0 ? Needs::mesh : Needs::nothing});
  }
  return files;
}

// ---- The law ----

// What a document says that no verb here is about.
void expect_same_rest(const OrderedJson& before, const OrderedJson& after) {
  for (const char* key : {"asset", "extensionsUsed", "extensionsRequired", "extensions", "materials",
                          "textures", "samplers", "images", "cameras"}) {
    EXPECT_EQ(before.value(key, OrderedJson()).dump(), after.value(key, OrderedJson()).dump()) << key;
  }
  const OrderedJson none = OrderedJson::array();
  const OrderedJson was = before.value("meshes", none), is = after.value("meshes", none);
  for (std::size_t m = 0; m < std::min(was.size(), is.size()); ++m)
    EXPECT_EQ(was[m].value("extras", OrderedJson()).dump(), is[m].value("extras", OrderedJson()).dump()) << m;
}

class Keeps : public testing::TestWithParam<std::size_t> {};

TEST_P(Keeps, WhatIsNotAskedFor) {
  const VerbRow& verb = verbs()[GetParam()];
  const TemporaryFolder folder, out;
  std::size_t count = 0;
  for (const InputFile& input : files_to_change(folder)) {
    if (input.has < verb.needs) continue;
    SCOPED_TRACE(input.path);
    const std::string base = out.file("base.glb"), changed = out.file("changed.glb");
    fs::remove(base);
    fs::remove(changed);
    const Result<ConvertReport> converted = convert({{input.path, base, {}, {}}});
    ASSERT_TRUE(converted) << converted.error().sentence;
    const Status done = verb.run(input.path, changed);
    const bool is_real = input.path.find(folder.path().string()) == std::string::npos;
    if (!done && is_real) continue;  // a verb may refuse a file with a reason, which other tests are about
    ASSERT_TRUE(done) << done.error().sentence;
    Result<Asset> before = load(base), after = load(changed);
    ASSERT_TRUE(before) << before.error().sentence;
    ASSERT_TRUE(after) << after.error().sentence;
    verb.forget(before->character, after->character);
    EXPECT_EQ(test::difference_between(before->character, after->character), "");
    expect_same_rest(resolved(test::split_glb(test::read_text(base))),
                     resolved(test::split_glb(test::read_text(changed))));
    ++count;
  }
  EXPECT_GT(count, 0u);
}

INSTANTIATE_TEST_SUITE_P(Verbs, Keeps, testing::Range(std::size_t{0}, verbs().size()),
                         [](const testing::TestParamInfo<std::size_t>& row) {
                           std::string name;
                           bool is_start = true;
                           for (const char c : std::string(verbs()[row.param].name)) {
                             if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
                               name += is_start ? static_cast<char>(std::toupper(c)) : c;
                               is_start = false;
                             } else {
                               is_start = true;
                             }
                           }
                           return name;
                         });

}  // namespace
}  // namespace dermis
