// SPDX-License-Identifier: MIT
// The law of losses: every part of a rich file either arrives in another one, or a note names it.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "characters.h"
#include "dermis/ops.h"
#include "io/glb_parts.h"
#include "io/made_gltf.h"
#include "outside/files.h"

namespace dermis {
namespace {

using RichJson = test::MadeGltf::Json;

// Adds what a triangle on two joints does not have yet: see the parts below.
test::MadeGltf everything() {
  test::MadeGltf made = test::kitchen_sink();
  made.json["extensionsUsed"] = {"VENDOR_unknown", "KHR_lights_punctual", "KHR_materials_emissive_strength"};
  made.json["extensions"]["KHR_lights_punctual"] = {{"lights", RichJson::array({{{"type", "point"}}})}};
  RichJson& primitive = made.json["meshes"][0]["primitives"][0];
  primitive["attributes"]["NORMAL"] = made.accessor<float>({0, 0, 1, 0, 0, 1, 0, 0, 1}, "VEC3");
  primitive["attributes"]["TANGENT"] = made.accessor<float>({1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1}, "VEC4");
  primitive["attributes"]["TEXCOORD_1"] = made.accessor<float>({0, 0, 1, 0, 0, 1}, "VEC2");
  primitive["attributes"]["COLOR_1"] = made.accessor<float>({1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1}, "VEC4");
  made.push("images", {{"bufferView", made.view("\x89PNG\r\n\x1a\n and pixels")},
                       {"mimeType", "image/png"},
                       {"name", "shade"}});
  made.push("textures", {{"source", 1}});
  RichJson& material = made.json["materials"][1];
  material["name"] = "skin";
  material["occlusionTexture"] = {{"index", 1}};
  material["pbrMetallicRoughness"]["metallicRoughnessTexture"] = {{"index", 1}};
  material["normalTexture"] = {{"index", 1}, {"scale", 0.5}};
  material["emissiveFactor"] = {1, 1, 1};
  material["extensions"] = {{"KHR_materials_emissive_strength", {{"emissiveStrength", 4}}}};
  material["extras"] = {{"shop", 7}};
  made.json["materials"][0].erase("extensions");
  // Lines in the scene, and a mesh outside of it.
  const int lines = made.mesh({{"POSITION", made.triangle_positions()}}, {{"mode", 1}});
  made.json["meshes"][static_cast<std::size_t>(lines)]["primitives"][0].erase("indices");
  const int prop = made.mesh({{"POSITION", made.triangle_positions()}}, {{"material", 0}});
  const int line_node = made.push("nodes", {{"name", "wire"}, {"mesh", lines}});
  const int prop_node = made.push("nodes", {{"name", "spare"}, {"mesh", prop}});
  const int lamp =
      made.push("nodes", {{"name", "lamp"}, {"extensions", {{"KHR_lights_punctual", {{"light", 0}}}}}});
  made.json["scenes"][0]["nodes"].push_back(line_node);
  made.json["scenes"][0]["nodes"].push_back(lamp);
  made.json["scenes"].push_back({{"name", "store"}, {"nodes", {prop_node}}});
  // The camera moves too, and there is a second clip.
  const int times = made.accessor<float>({0, 1}, "SCALAR", {{"min", {0}}, {"max", {1}}});
  const int places = made.accessor<float>({0, 0, 5, 0, 0, 6}, "VEC3");
  const auto target = [](int node, const char* path) {
    return RichJson{{"sampler", 0}, {"target", {{"node", node}, {"path", path}}}};
  };
  made.json["animations"][0]["samplers"].push_back({{"input", times}, {"output", places}});
  made.json["animations"][0]["channels"].push_back(target(3, "translation"));
  made.json["animations"][0]["channels"][1]["sampler"] = 1;
  made.push("animations", {{"name", "second"},
                           {"samplers", RichJson::array({{{"input", times}, {"output", places}}})},
                           {"channels", RichJson::array({target(1, "translation")})}});
  return made;
}

// What a verb wrote and said.
struct Written {
  RichJson json;     // of a glTF; null for other formats
  std::string text;  // the bytes of the file
  Notes notes;
};

struct RichPart {
  const char* name;
  std::function<bool(const Written&)> arrives;
  std::vector<const char*> words;  // one of them is in a note if the part does not arrive
};

// True if some primitive, material or node satisfies `test`.
bool any_of_list(const RichJson& json, const char* list, const std::function<bool(const RichJson&)>& test) {
  if (!json.is_object() || !json.contains(list)) return false;
  return std::any_of(json[list].begin(), json[list].end(), test);
}
bool any_primitive(const Written& written, const std::function<bool(const RichJson&)>& test) {
  return any_of_list(written.json, "meshes",
                     [&](const RichJson& mesh) { return any_of_list(mesh, "primitives", test); });
}
std::function<bool(const Written&)> has_attribute(const std::string& name) {
  return [=](const Written& written) {
    return any_primitive(written,
                         [&](const RichJson& primitive) { return primitive["attributes"].contains(name); });
  };
}
// Anywhere in the JSON.
std::function<bool(const Written&)> mentions(const std::string& words) {
  return [=](const Written& written) { return written.json.dump().find(words) != std::string::npos; };
}
std::function<bool(const Written&)> has_list(const char* list, std::size_t count) {
  return [=](const Written& written) {
    return written.json.is_object() && written.json.contains(list) && written.json[list].size() >= count;
  };
}

std::vector<RichPart> scene_parts() {
  return {{"camera", has_list("cameras", 1), {"camera"}},
          {"light", mentions("\"lights\""), {"light"}},
          {"extras of a node", mentions("\"b\":1"), {"extras"}},
          {"extras of a material", mentions("\"shop\""), {"extras"}},
          {"extras of a mesh", mentions("\"mood\""), {"extras"}},
          {"extension", mentions("\"deep\""), {"VENDOR_unknown"}},
          {"copyright", mentions("\"nobody\""), {"copyright"}},
          {"second scene", has_list("scenes", 2), {"further scene"}}};
}

std::vector<RichPart> surface_parts() {
  const auto in_obj = [](const char* words) {
    return [=](const Written& written) { return written.text.find(words) != std::string::npos; };
  };
  return {
      {"custom attribute", has_attribute("_TEMPERATURE"), {"_TEMPERATURE"}},
      {"second texture coordinates", has_attribute("TEXCOORD_1"), {"texture coordinates"}},
      {"second colours", has_attribute("COLOR_1"), {"colours"}},
      {"tangents", has_attribute("TANGENT"), {"tangents"}},
      {"lines",
       [](const Written& written) {
         return any_primitive(written, [](const RichJson& one) { return one.value("mode", 4) == 1; });
       },
       {"draws lines"}},
      {"mesh outside the scene", has_list("meshes", 3), {"outside the scene", "others were left out"}},
      {"emissive strength",
       mentions("\"emissiveStrength\""),
       {"KHR_materials_emissive_strength", "2 materials"}},
      {"occlusion", mentions("\"occlusionTexture\""), {"occlusion", "2 materials"}},
      {"metallic-roughness", mentions("\"metallicRoughnessTexture\""), {"metallic-roughness", "2 materials"}},
      {"normal scale",
       mentions("\"scale\":0.5"),
       {"scale for the normal", "scale of a normal", "2 materials"}},
      {"name of a material",
       [in_obj](const Written& written) {
         return mentions("\"skin\"")(written) || in_obj("usemtl skin")(written);
       },
       {"2 materials"}},
      {"texture coordinates",
       [in_obj](const Written& written) {
         return has_attribute("TEXCOORD_0")(written) || in_obj("\nvt ")(written) ||
                in_obj("property float s")(written);
       },
       {"texture coordinates"}}};
}

std::vector<RichPart> motion_parts() {
  return {{"skin", has_list("skins", 1), {"skin"}},
          {"shape", mentions("\"smile\""), {"shape"}},
          {"second clip", has_list("animations", 2), {"clip"}}};
}

bool is_named(const Notes& notes, const RichPart& part) {
  return std::any_of(notes.begin(), notes.end(), [&](const Note& note) {
    return std::any_of(part.words.begin(), part.words.end(),
                       [&](const char* word) { return note.sentence.find(word) != std::string::npos; });
  });
}

class Losses : public testing::Test {
 protected:
  Losses() { test::write_text(folder.path() / "rich.glb", everything().glb()); }
  std::string input() const { return folder.file("rich.glb"); }

  template <class Report>
  Written written(const std::string& output, const Result<Report>& report) const {
    EXPECT_TRUE(report) << report.error().sentence;
    Written found;
    if (!report) return found;
    found.notes = report->notes;
    found.text = test::read_text(output);
    if (extension_of(output) == ".glb") found.json = test::split_glb(found.text).json;
    if (extension_of(output) == ".gltf") found.json = RichJson::parse(found.text);
    if (extension_of(output) == ".out") found.text = test::read_text(folder.file("mesh.obj"));
    return found;
  }
  Written converted(const std::string& name) const {
    const std::string output = folder.file(name);
    return written(output, convert({{input(), output, {}, {}}}));
  }
  static void expect_law(const Written& written, const std::vector<RichPart>& parts) {
    for (const RichPart& part : parts) {
      EXPECT_TRUE(part.arrives(written) || is_named(written.notes, part))
          << part.name << " was lost silently";
    }
  }

  const test::TemporaryFolder folder;
};

TEST_F(Losses, OfAConversionAreAllNamed) {
  for (const char* name : {"a.glb", "a.gltf", "a.obj", "a.ply", "skeleton.out"}) {
    SCOPED_TRACE(name);
    const Written result = converted(name);
    expect_law(result, scene_parts());
    expect_law(result, surface_parts());
    expect_law(result, motion_parts());
  }
}

TEST_F(Losses, OfAConversionToBvhAreAllNamed) {
  const Written result = converted("a.bvh");
  expect_law(result, scene_parts());
  expect_law(result, motion_parts());
  const auto never = [](const Written&) { return false; };
  expect_law(result, {{"meshes", never, {"3 meshes"}},
                      {"materials", never, {"2 materials"}},
                      {"channel of the camera", never, {"moves no joint"}}});
}

TEST_F(Losses, OfDriversAreNamedByFormatsWithoutThem) {
  ASSERT_TRUE(save(input(), Asset{.character = test::driven_character()}));
  for (const char* name : {"a.bvh", "a.obj", "a.ply"}) {
    const Written result = converted(name);
    for (const char* words : {"4 drivers", "2 rules of shapes", "1 pose space", "2 controls"}) {
      EXPECT_TRUE(std::any_of(result.notes.begin(), result.notes.end(),
                              [&](const Note& note) {
                                return note.id == "not-in-format" &&
                                       note.sentence.find(words) != std::string::npos;
                              }))
          << name << ": " << words;
    }
  }
}

TEST_F(Losses, OfAPosedSceneAreAllNamed) {
  for (const char* name : {"b.glb", "b.gltf", "b.obj", "b.ply"}) {
    SCOPED_TRACE(name);
    DeformJob job;
    job.input = input();
    job.output = folder.file(name);
    const Written result = written(job.output, deform(job));
    expect_law(result, scene_parts());
    expect_law(result, surface_parts());
  }
}

TEST_F(Losses, OfBakedFramesAreAllNamed) {
  for (const char* name : {"c.glb", "c.gltf", "c.pc2", "c.mdd", "c_####.obj", "c_####.ply"}) {
    SCOPED_TRACE(name);
    BakeJob job;
    job.input = input();
    job.output = folder.file(name);
    job.clip = "wave";
    job.fps = 2;
    const Result<BakeReport> report = bake(job);
    ASSERT_TRUE(report) << report.error().sentence;
    // Of caches, the mesh next to them; of sequences, the first frame.
    const std::string file = is_sequence(job.output) ? sequence_path(job.output, 0) : job.output;
    Written result = written(file, report);
    if (is_cache_file(file)) {
      for (const std::string& one : report->files) result.text += test::read_text(one);
    }
    expect_law(result, scene_parts());
    expect_law(result, surface_parts());
    expect_law(result, motion_parts());
  }
}

TEST_F(Losses, OfAMeshMovedByACacheAreAllNamed) {
  BakeJob job;
  job.input = input();
  job.output = folder.file("d.pc2");
  job.clip = "wave";
  job.fps = 2;
  // One mesh, so that there is one cache.
  test::MadeGltf made = everything();
  made.json["scenes"][0]["nodes"].erase(3);
  test::write_text(folder.path() / "rich.glb", made.glb());
  ASSERT_TRUE(bake(job));
  for (const char* name : {"e.glb", "e_####.obj"}) {
    SCOPED_TRACE(name);
    ConvertJob moved{{input(), folder.file(name), {}, {}}};
    moved.cache = job.output;
    const Result<ConvertReport> report = convert(moved);
    ASSERT_TRUE(report) << report.error().sentence;
    const std::string file = is_sequence(moved.output) ? sequence_path(moved.output, 0) : moved.output;
    const Written result = written(file, report);
    expect_law(result, scene_parts());
    expect_law(result, motion_parts());
  }
}

TEST_F(Losses, OfPicturesElsewhereAreNamedInAGlb) {
  for (const char* uri : {"http://example.org/skin.png", "file:///tmp/skin.png", "https://x/y.jpg"}) {
    SCOPED_TRACE(uri);
    test::MadeGltf made = everything();
    made.json["images"][0] = {{"uri", uri}};
    test::write_text(folder.path() / "rich.glb", made.glb());
    const Written result = converted("f.glb");
    EXPECT_TRUE(mentions(uri)(result)) << "the reference stays";
    EXPECT_TRUE(is_named(result.notes, {"picture", {}, {uri}}));
    EXPECT_TRUE(test::has_note(result.notes, "image-not-embedded"));
  }
}

}  // namespace
}  // namespace dermis
