// SPDX-License-Identifier: MIT
// Links among the files of a character: those that stay in its folder work, the others are named as links.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "characters.h"
#include "io/made_gltf.h"
#include "io/made_import.h"
#include "outside/files.h"

namespace dermis {
namespace {

namespace fs = std::filesystem;

// A folder for the character, with a subfolder, and one that it may not read.
class Links : public testing::Test {
 protected:
  Links() { fs::create_directories(in.path() / "sub"); }
  // `name` in the folder becomes a link to a file with these bytes, inside or outside of it.
  std::string link(const std::string& name, const std::string& bytes, bool is_inside) const {
    const fs::path target =
        is_inside ? in.path() / "sub" / ("real_" + name) : elsewhere.path() / ("real_" + name);
    test::write_text(target, bytes);
    fs::remove(in.path() / name);
    fs::create_symlink(target, in.path() / name);
    return fs::canonical(target).string();
  }
  static void expect_words(const std::string& sentence, const std::string& target) {
    EXPECT_NE(sentence.find("link to '" + target), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("outside"), std::string::npos) << sentence;
    EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
  }
  const test::TemporaryFolder in, elsewhere;
};

TEST_F(Links, ToBuffersWorkInsideTheFolderOnly) {
  test::MadeGltf made = test::skinned_triangle();
  made.json["buffers"] =
      test::MadeGltf::Json::array({{{"byteLength", made.bin.size()}, {"uri", "data.bin"}}});
  test::write_text(in.path() / "in.gltf", made.json.dump());
  link("data.bin", made.bin, true);
  const Result<Asset> inside = load(in.file("in.gltf"));
  EXPECT_TRUE(inside) << inside.error().sentence;
  const std::string target = link("data.bin", made.bin, false);
  const Result<Asset> outside = load(in.file("in.gltf"));
  ASSERT_FALSE(outside);
  expect_words(outside.error().sentence, target);
}

TEST_F(Links, ToMaterialFilesAndPicturesWorkInsideTheFolderOnly) {
  const std::string png = "\x89PNG\r\n\x1a\n and the rest";
  test::write_text(in.path() / "in.obj", "mtllib in.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a\nf 1 2 3\n");
  link("in.mtl", "newmtl a\nKd 1 0 0\nmap_Kd skin.png\n", true);
  link("skin.png", png, true);
  const Result<Asset> inside = load(in.file("in.obj"));
  ASSERT_TRUE(inside) << inside.error().sentence;
  EXPECT_FALSE(test::has_note(inside->notes, "materials-missing"));
  EXPECT_FALSE(test::has_note(inside->notes, "image-missing"));
  const auto sentence_of = [](const Notes& notes, const char* id) {
    for (const Note& note : notes) {
      if (note.id == id) return note.sentence;
    }
    return std::string();
  };
  const std::string picture = link("skin.png", png, false);
  const Result<Asset> without_picture = load(in.file("in.obj"));
  ASSERT_TRUE(without_picture);
  expect_words(sentence_of(without_picture->notes, "image-missing"), picture);
  const std::string library = link("in.mtl", "newmtl a\nKd 1 0 0\n", false);
  const Result<Asset> without_library = load(in.file("in.obj"));
  ASSERT_TRUE(without_library);
  expect_words(sentence_of(without_library->notes, "materials-missing"), library);
}

TEST_F(Links, ToFilesOfTheImporterWorkInsideTheirFolderOnly) {
  const std::string collada = test::hinge_dae();
  link("in.dae", collada, true);
  const Result<Asset> inside = load(in.file("in.dae"));
  EXPECT_TRUE(inside) << inside.error().sentence;
  const std::string target = link("in.dae", collada, false);
  const Result<Asset> outside = load(in.file("in.dae"));
  ASSERT_FALSE(outside);
  expect_words(outside.error().sentence, target);
}

TEST_F(Links, ToTheFileItselfAreFollowedForFormatsReadHere) {
  link("in.glb", test::skinned_triangle().glb(), false);
  const Result<Asset> asset = load(in.file("in.glb"));
  EXPECT_TRUE(asset) << asset.error().sentence;
}

// A folder reached through a link is the folder of its files.
TEST_F(Links, ThatAreOutputsStayAndTheirFilesAreWritten) {
  link("out.glb", "old", true);
  const Asset asset{.character = test::tube_character({.rings = 3, .sides = 4}, {0, 1, 0})};
  ASSERT_TRUE(save(in.file("out.glb"), asset));
  EXPECT_TRUE(fs::is_symlink(in.path() / "out.glb"));
  EXPECT_TRUE(load(in.file("sub/real_out.glb")));
  EXPECT_TRUE(load(in.file("out.glb")));
  // Also to a file that is not there yet.
  fs::create_symlink("sub/new.glb", in.path() / "new.glb");
  ASSERT_TRUE(save(in.file("new.glb"), asset));
  EXPECT_TRUE(fs::is_symlink(in.path() / "new.glb"));
  EXPECT_TRUE(load(in.file("sub/new.glb")));
  fs::create_symlink("circle.glb", in.path() / "circle.glb");
  const Result<Notes> circle = save(in.file("circle.glb"), asset);
  ASSERT_FALSE(circle);
  EXPECT_NE(circle.error().sentence.find("leads nowhere"), std::string::npos) << circle.error().sentence;
}

TEST_F(Links, AndPipesThatAreOutputsAreNotReplaced) {
  ASSERT_EQ(::mkfifo(in.file("pipe.glb").c_str(), 0600), 0);
  const Asset asset{.character = test::tube_character({.rings = 3, .sides = 4}, {0, 1, 0})};
  const Result<Notes> saved = save(in.file("pipe.glb"), asset);
  ASSERT_FALSE(saved);
  EXPECT_NE(saved.error().sentence.find("is a pipe or a device"), std::string::npos)
      << saved.error().sentence;
  EXPECT_TRUE(fs::is_fifo(in.path() / "pipe.glb"));
}

TEST_F(Links, ToTheWholeFolderChangeNothing) {
  test::MadeGltf made = test::skinned_triangle();
  made.json["buffers"] =
      test::MadeGltf::Json::array({{{"byteLength", made.bin.size()}, {"uri", "sub/../data.bin"}}});
  test::write_text(in.path() / "in.gltf", made.json.dump());
  test::write_text(in.path() / "data.bin", made.bin);
  fs::create_directory_symlink(in.path(), elsewhere.path() / "way");
  const Result<Asset> asset = load((elsewhere.path() / "way" / "in.gltf").string());
  EXPECT_TRUE(asset) << asset.error().sentence;
}

}  // namespace
}  // namespace dermis
