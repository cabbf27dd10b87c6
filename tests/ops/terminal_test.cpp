// SPDX-License-Identifier: MIT
// Names that would command a terminal: whatever a file is called and contains, only text is printed.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "io/made_gltf.h"
#include "outside/files.h"

namespace dermis {
namespace {

#ifdef DERMIS_CLI

// A title, a cleared screen, a bell, an overwritten and a forged line, DEL, and CSI as one letter (U+009B).
const std::string kEvilName =
    "x\x1b]0;title\x07\x1b[2J\rover\nforged line\x7f\xc2\x9b"
    "31m";

// Every name of a file, and everything else it can name, is evil.
test::MadeGltf evil_gltf() {
  test::MadeGltf made = test::kitchen_sink();
  made.json["meshes"][0]["name"] = kEvilName;
  made.json["meshes"][0]["extras"]["targetNames"][0] = kEvilName;
  auto& attributes = made.json["meshes"][0]["primitives"][0]["attributes"];
  attributes["_" + kEvilName] = attributes["_TEMPERATURE"];
  for (auto& node : made.json["nodes"]) node["name"] = kEvilName + node["name"].get<std::string>();
  for (const char* list : {"materials", "animations", "images", "skins", "cameras"})
    made.json[list][0]["name"] = kEvilName;
  made.json["materials"][1]["name"] = kEvilName + "2";
  made.json["extensionsUsed"].push_back(kEvilName);
  made.json["images"].push_back({{"uri", kEvilName + ".png"}});
  made.json["scenes"][0]["name"] = kEvilName;
  made.json["asset"]["extras"]["dermis"] = {
      {"controls", test::MadeGltf::Json::array({{{"name", kEvilName}, {"rest", 0}}})}};
  return made;
}

// Only text: no control character but the line end, also none of two bytes, no broken UTF-8, no forged line.
void expect_plain(const std::string& printed) {
  for (std::size_t k = 0; k < printed.size(); ++k) {
    const auto byte = static_cast<unsigned char>(printed[k]);
    ASSERT_TRUE((byte >= 0x20 && byte != 0x7f) || byte == '\n' || byte == '\t') << printed;
    const bool is_c1 =
        byte == 0xc2 && k + 1 < printed.size() && static_cast<unsigned char>(printed[k + 1]) < 0xa0;
    ASSERT_FALSE(is_c1) << printed;
  }
  EXPECT_EQ(printed.find("\nforged"), std::string::npos) << printed;
}

void expect_plain(const test::CliResult& result) {
  expect_plain(result.out);
  expect_plain(result.err);
}

class Terminal : public testing::Test {
 protected:
  Terminal() {
    // A path cannot be blamed on the file, but may come from an unpacked archive.
    test::write_text(folder.path() / (kEvilFile + ".glb"), evil_gltf().glb());
  }
  std::string input() const { return folder.file(kEvilFile + ".glb"); }

  const std::string kEvilFile = "in\x1b[31m\x07\xff";
  const test::TemporaryFolder folder;
};

TEST_F(Terminal, ReceivesOnlyTextFromEveryVerb) {
  const std::string made = folder.file("made.glb");
  ASSERT_EQ(test::run_cli({"make", "tube", "--points", "1000", "-o", made}).code, 0);
  const std::vector<std::vector<std::string>> calls = {
      {"info", input()},
      {"info", "--nodes", input()},
      {"check", input()},
      {"check", "--profile", "unity", input()},
      {"check", input(), "-o", folder.file("fixed.gltf")},
      {"convert", input(), "-o", folder.file("a.glb")},
      {"convert", input(), "-o", folder.file("a\x1b[2J.gltf")},
      {"convert", input(), "-o", folder.file("a.obj")},
      {"convert", input(), "-o", folder.file("a.ply")},
      {"convert", input(), "-o", folder.file("a.bvh")},
      {"convert", input(), "-o", folder.file("skeleton.out")},
      {"deform", input(), "-o", folder.file("b.obj")},
      {"deform", input(), "--clip", "no\x1b[2Jsuch", "-o", folder.file("b.obj")},
      {"deform", input(), "--shape", "no\x1b[2Jsuch=1", "-o", folder.file("b.obj")},
      {"bake", input(), "--fps", "2", "-o", folder.file("c.glb")},
      {"bake", input(), "--fps", "2", "-o", folder.file("c.pc2")},
      {"bind", folder.file("b.obj"), "--skeleton", input(), "-o", folder.file("d.glb")},
      {"animate", made, "--motion", input(), "-o", folder.file("e.glb")},
      {"animate", input(), "--motion", "walk", "-o", folder.file("e.glb")},
      {"rig", input(), "-o", folder.file("f.glb")},
      {"compare", input(), made},
      {"compare", input(), input()},
      {"weights", "normalize", input(), "-o", folder.file("g.glb")},
      {"weights", "limit", input(), "--max-influences", "1", "-o", folder.file("g.glb")},
      {"weights", "mirror", input(), "-o", folder.file("g.glb")},
      {"weights", "export", input(), "-o", folder.file("g.csv")},
      {"render", input(), "-o", folder.file("h.png"), "--size", "64x64"},
      {"info", folder.file("absent\x1b[2J.glb")},
      {"no\x1b[2Jverb"},
      {"info", "--no\x1b[2Joption"}};
  for (std::vector<std::string> call : calls) {
    SCOPED_TRACE(call[0] + " " + call.back());
    expect_plain(test::run_cli(call));
    call.emplace_back("--json");
    call.emplace_back("--force");
    expect_plain(test::run_cli(call));
  }
}

TEST_F(Terminal, ReceivesJsonThatStillHasEveryLetter) {
  const test::CliResult result = test::run_cli({"info", input(), "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["node_list"][0]["name"].get<std::string>(), kEvilName + "body");
}

TEST_F(Terminal, ReceivesLettersOfEveryLanguage) {
  test::MadeGltf made = test::skinned_triangle();
  const std::string names[] = {"Körper", "膝", "🦴"};
  for (std::size_t n = 0; n < 3; ++n) made.json["nodes"][n]["name"] = names[n];
  test::write_text(folder.path() / "good.glb", made.glb());
  const test::CliResult result = test::run_cli({"info", "--nodes", folder.file("good.glb")});
  for (const std::string& name : names) EXPECT_NE(result.out.find(name), std::string::npos) << result.out;
}

#endif

}  // namespace
}  // namespace dermis
