// SPDX-License-Identifier: MIT
// Files that a hostile document names: nothing but its pictures and buffers appears next to an output.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "dermis/ops.h"
#include "io/made_gltf.h"
#include "outside/files.h"

namespace dermis {
namespace {

const std::string kPlantedPng = std::string("\x89PNG\r\n\x1a\n") + "pixels";
const std::string kPlantedScript = "#!/bin/sh\necho planted\n";
// A WebP by its first bytes, and a Python program as a whole.
const std::string kPolyglot = "RIFF=1;\nWEBP=2\nprint('planted')\n";

// Every file and folder below `folder`, with the bytes of the files.
std::map<std::string, std::string> tree_of(const test::fs::path& folder) {
  std::map<std::string, std::string> tree;
  for (const auto& entry : test::fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder).string();
    tree[name] = entry.is_directory() ? "/" : test::read_text(entry.path());
  }
  return tree;
}

// A folder `in` with the hostile file and a folder `out`; whatever else appears was planted.
class Planting : public testing::Test {
 protected:
  Planting() {
    for (const char* folder : {"in", "out", "in/tex", "in/.ssh", "in/deep/.git"})
      test::fs::create_directories(root.path() / folder);
    test::write_text(root.path() / "secret.png", kPlantedPng);
    test::fs::create_symlink(root.path() / "secret.png", in() / "link.png");
    test::fs::create_directory_symlink(root.path(), in() / "linked");
  }
  test::fs::path in() const { return root.path() / "in"; }
  test::fs::path out() const { return root.path() / "out"; }

  // A .gltf whose image is in the file `uri`.
  void write_hostile_image(const std::string& uri) const {
    test::MadeGltf made = test::kitchen_sink();
    made.json["images"][0] = {{"uri", uri}, {"mimeType", "image/png"}};
    test::write_text(in() / "in.gltf", made.gltf());
  }
  // The same for the buffer.
  void write_hostile_buffer(const std::string& uri, const std::string& file) const {
    test::MadeGltf made = test::kitchen_sink();
    made.json["buffers"] = test::MadeGltf::Json::array({{{"byteLength", made.bin.size()}, {"uri", uri}}});
    test::write_text(in() / "in.gltf", made.json.dump());
    test::write_text(in() / file, made.bin);
  }

  // Writes out/copy.gltf by each verb that writes documents; the notes of the last. Fails if anything but the
  // .gltf, its own buffer and `also` is there afterwards, or anything elsewhere changed.
  Notes expect_nothing_planted(const std::vector<std::string>& also) const {
    Notes notes;
    for (const char* verb : {"convert", "check", "deform"}) {
      SCOPED_TRACE(verb);
      test::fs::remove_all(out());
      test::fs::create_directories(out());
      const auto before = tree_of(in());
      notes = written_by(verb, (in() / "in.gltf").string(), (out() / "copy.gltf").string());
      EXPECT_EQ(tree_of(in()), before);
      for (const auto& [name, bytes] : tree_of(out())) {
        // A posed document may have a second buffer of its own.
        const bool is_expected = name == "copy.gltf" || name == "copy.bin" || name == "copy-1.bin" ||
                                 std::find(also.begin(), also.end(), name) != also.end();
        EXPECT_TRUE(is_expected) << name << " was planted";
      }
      for (const std::string& name : also) EXPECT_TRUE(test::fs::exists(out() / name)) << name;
    }
    std::vector<std::string> names = root.names();
    EXPECT_EQ(names, (std::vector<std::string>{"in", "out", "secret.png"}));
    return notes;
  }

  static Notes written_by(const std::string& verb, const std::string& input, const std::string& output) {
    if (verb == "convert") return notes_of(convert({{input, output, {}, {}}}));
    if (verb == "deform") {
      DeformJob job;
      job.input = input;
      job.output = output;
      return notes_of(deform(job));
    }
    CheckJob job;
    job.input = input;
    job.output = output;
    return notes_of(check(job));
  }
  template <class Report>
  static Notes notes_of(const Result<Report>& report) {
    EXPECT_TRUE(report) << report.error().sentence;
    return report ? report->notes : Notes{};
  }

  const test::TemporaryFolder root;
};

TEST_F(Planting, OfFilesThatAreNotPicturesDoesNotHappen) {
  constexpr const char* kNames[] = {
      ".profile",   ".ssh/authorized_keys", "conftest.py", "tex/Makefile",     "tex/../.profile",
      "%2eprofile", "tex%2fMakefile",       "skin.png",    "deep/.git/config", "./conftest.py"};
  for (const char* uri : kNames) {
    SCOPED_TRACE(uri);
    for (const char* file :
         {".profile", ".ssh/authorized_keys", "conftest.py", "tex/Makefile", "skin.png", "deep/.git/config"})
      test::write_text(in() / file, kPlantedScript);
    write_hostile_image(uri);
    const Notes notes = expect_nothing_planted({});
    EXPECT_TRUE(test::has_note(notes, "image-not-copied"));
  }
}

TEST_F(Planting, OfPicturesUnderHiddenOrForeignNamesDoesNotHappen) {
  constexpr const char* kNames[] = {".hidden.png",     ".ssh/key.png",       "%2essh/key.png",
                                    "deep/.git/x.png", "tex/../.hidden.png", "conftest.py"};
  for (const char* file : {".hidden.png", ".ssh/key.png", "deep/.git/x.png"})
    test::write_text(in() / file, kPlantedPng);
  test::write_text(in() / "conftest.py", kPolyglot);
  for (const char* uri : kNames) {
    SCOPED_TRACE(uri);
    write_hostile_image(uri);
    EXPECT_TRUE(test::has_note(expect_nothing_planted({}), "image-not-copied"));
  }
}

TEST_F(Planting, OfPicturesFromOutsideTheFolderDoesNotHappen) {
  for (const std::string& uri :
       {std::string("../secret.png"), std::string("%2e%2e/secret.png"), std::string("tex/../../secret.png"),
        root.file("secret.png"), std::string("link.png"), std::string("linked/secret.png"),
        std::string("tex%2f..%2f..%2fsecret.png")}) {
    SCOPED_TRACE(uri);
    write_hostile_image(uri);
    EXPECT_TRUE(test::has_note(expect_nothing_planted({}), "image-missing"));
    const Result<ConvertReport> glb =
        convert({{(in() / "in.gltf").string(), (out() / "x.glb").string(), {}, {}}});
    ASSERT_TRUE(glb) << glb.error().sentence;
    EXPECT_EQ(test::read_text(out() / "x.glb").find(kPlantedPng), std::string::npos);
  }
}

TEST_F(Planting, DoesNotKeepPicturesOfTheSourceFromBeingCopied) {
  test::write_text(in() / "skin.png", kPlantedPng);
  test::write_text(in() / "tex" / "my skin.jpeg", "\xff\xd8\xff\xe0 and pixels");
  test::write_text(in() / "light.webp", std::string("RIFF\x04\0\0\0WEBP", 12));
  test::write_text(in() / "packed.ktx2", "\xabKTX 20\xbb\r\n\x1a\n pixels");
  test::write_text(in() / "old.DDS", "DDS pixels");
  test::fs::create_symlink("skin.png", in() / "inside.png");
  const std::map<std::string, std::vector<std::string>> copied = {
      {"skin.png", {"skin.png"}},
      {"./skin.png", {"skin.png"}},
      {"tex/my%20skin.jpeg", {"tex", "tex/my skin.jpeg"}},
      {"light.webp", {"light.webp"}},
      {"packed.ktx2", {"packed.ktx2"}},
      {"old.DDS", {"old.DDS"}},
      {"inside.png", {"inside.png"}}};
  for (const auto& [uri, files] : copied) {
    SCOPED_TRACE(uri);
    write_hostile_image(uri);
    EXPECT_FALSE(test::has_note(expect_nothing_planted(files), "image-not-copied"));
  }
}

TEST_F(Planting, ThroughBuffersDoesNotHappen) {
  for (const auto& [uri, file] : std::map<std::string, std::string>{
           {"conftest.py", "conftest.py"}, {"tex%2fMakefile", "tex/Makefile"}, {"a.png", "a.png"}}) {
    SCOPED_TRACE(uri);
    write_hostile_buffer(uri, file);
    EXPECT_TRUE(test::has_note(expect_nothing_planted({}), "buffer-renamed"));
    const Result<Asset> before = load((in() / "in.gltf").string()),
                        after = load((out() / "copy.gltf").string());
    ASSERT_TRUE(before && after);
  }
  write_hostile_buffer("tex/data.bin", "tex/data.bin");
  EXPECT_FALSE(test::has_note(expect_nothing_planted({"tex", "tex/data.bin"}), "buffer-renamed"));
}

TEST_F(Planting, ThroughHiddenBuffersIsRefusedInASentence) {
  for (const auto& [uri, file] : std::map<std::string, std::string>{{".ssh/id_rsa", ".ssh/id_rsa"},
                                                                    {"%2eprofile", ".profile"},
                                                                    {"deep/.git/x.bin", "deep/.git/x.bin"}}) {
    SCOPED_TRACE(uri);
    write_hostile_buffer(uri, file);
    const Result<Asset> asset = load((in() / "in.gltf").string());
    ASSERT_FALSE(asset);
    EXPECT_NE(asset.error().sentence.find("hidden file"), std::string::npos) << asset.error().sentence;
  }
}

TEST_F(Planting, InPlaceKeepsEveryPictureWhereItIs) {
  test::write_text(in() / ".hidden.png", kPlantedPng);
  write_hostile_image(".hidden.png");
  ConvertJob job{{(in() / "in.gltf").string(), (in() / "in.gltf").string(), {}, {}}};
  job.run.force = true;
  const Result<ConvertReport> report = convert(job);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_FALSE(test::has_note(report->notes, "image-not-copied"));
}

// ---- OBJ ----

TEST_F(Planting, ThroughMaterialFilesDoesNotHappen) {
  test::write_text(
      in() / "in.obj",
      "mtllib in.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl a\nf 1/1 2/2 3/3\n");
  for (const char* file : {".profile.png", "skin.png", "tex/x.dds"})
    test::write_text(in() / file, kPlantedScript);
  for (const std::string& name :
       {std::string(".profile.png"), std::string("skin.png"), std::string("tex/x.dds"),
        std::string("link.png"), std::string("../secret.png"), root.file("secret.png")}) {
    SCOPED_TRACE(name);
    test::write_text(in() / "in.mtl", "newmtl a\nmap_Kd " + name + "\n");
    test::fs::remove_all(out());
    test::fs::create_directories(out());
    const Result<ConvertReport> report =
        convert({{(in() / "in.obj").string(), (out() / "out.obj").string(), {}, {}}});
    ASSERT_TRUE(report) << report.error().sentence;
    const auto tree = tree_of(out());
    EXPECT_EQ(tree.size(), 2u) << tree.rbegin()->first;
    EXPECT_TRUE(test::has_note(report->notes, "image-missing") ||
                test::has_note(report->notes, "image-not-carried"));
  }
}

// A GLB names the pictures inside it; the names become files next to an OBJ.
TEST_F(Planting, ThroughNamesOfEmbeddedPicturesDoesNotHappen) {
  for (const std::string& bytes : {kPlantedPng, kPlantedScript}) {
    for (const char* name : {".profile", ".bashrc.png", "conftest.py", "../../x.png", "a\nb", "..", ""}) {
      SCOPED_TRACE(name);
      test::MadeGltf made = test::kitchen_sink();
      made.json["images"][0] = {{"bufferView", made.view(bytes)}, {"mimeType", "image/png"}, {"name", name}};
      test::write_text(in() / "in.glb", made.glb());
      test::fs::remove_all(out());
      test::fs::create_directories(out());
      const Result<ConvertReport> report =
          convert({{(in() / "in.glb").string(), (out() / "out.obj").string(), {}, {}}});
      ASSERT_TRUE(report) << report.error().sentence;
      for (const auto& [file, written] : tree_of(out())) {
        EXPECT_FALSE(file.starts_with('.')) << file;
        const bool is_ours = file == "out.obj" || file == "out.mtl";
        EXPECT_TRUE(is_ours || (written == kPlantedPng && file.ends_with(".png"))) << file;
      }
      EXPECT_EQ(tree_of(out()).size(), bytes == kPlantedPng ? 3u : 2u);
      EXPECT_EQ(test::has_note(report->notes, "image-not-carried"), bytes != kPlantedPng);
    }
  }
}

}  // namespace
}  // namespace dermis
