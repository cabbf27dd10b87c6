// SPDX-License-Identifier: MIT
// Whatever dermis-import does, the caller gets a character or one sentence, in time, and the program is gone.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "dermis/io.h"
#include "io/import/import.h"
#include "notes.h"
#include "outside/files.h"

namespace dermis {
namespace {

using test::has_note;

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Scripts that stand in for dermis-import.
class FakeImporter : public testing::Test {
 protected:
  FakeImporter() { test::write_text(folder.path() / "hero.fbx", "not looked at"); }
  ~FakeImporter() override { ::unsetenv("DERMIS_IMPORT"); }

  void be(const std::string& script) {
    const std::string program = folder.file("fake");
    test::write_text(program, "#!/bin/sh\n" + script + "\n");
    ::chmod(program.c_str(), 0755);
    ::setenv("DERMIS_IMPORT", program.c_str(), 1);
  }

  // The one sentence, which starts with the file.
  std::string sentence(const LoadOptions& options = {}, const Progress& progress = {}) const {
    const Result<Asset> asset = load(file, options, progress);
    if (asset) return "it loaded";
    EXPECT_TRUE(asset.error().sentence.starts_with(file + ": ")) << asset.error().sentence;
    EXPECT_EQ(asset.error().sentence.find('\n'), std::string::npos) << asset.error().sentence;
    return asset.error().sentence.substr(file.size() + 2);
  }

  const test::TemporaryFolder folder;
  const std::string file = folder.file("hero.fbx");
};

TEST_F(FakeImporter, ThatIsMissingIsNamed) {
  ::setenv("DERMIS_IMPORT", folder.file("nowhere").c_str(), 1);
  EXPECT_EQ(sentence(), "DERMIS_IMPORT names '" + folder.file("nowhere") + "', which is not a program");
}

TEST_F(FakeImporter, ThatIsNoProgramIsNamed) {
  be("");
  test::write_text(folder.path() / "fake", "\x01\x02");
  EXPECT_TRUE(sentence().starts_with("cannot start '" + folder.file("fake"))) << sentence();
}

TEST_F(FakeImporter, ThatCrashesIsOneSentenceWithTheSignal) {
  be("echo a secret of the heap >&2; kill -SEGV $$");
  EXPECT_EQ(sentence(),
            "dermis-import crashed on it (Segmentation fault); the file is broken, or assimp is: export it "
            "again, or convert it to glTF elsewhere");
}

TEST_F(FakeImporter, ThatAbortsIsOneSentenceToo) {
  be("kill -ABRT $$");
  EXPECT_TRUE(sentence().starts_with("dermis-import crashed on it (Aborted)")) << sentence();
}

TEST_F(FakeImporter, ThatHangsIsEndedInTime) {
  be("exec sleep 1000");
  LoadOptions options;
  options.import_seconds = 0.3;
  const auto start = Clock::now();
  EXPECT_TRUE(sentence(options).starts_with("dermis-import was stopped after "));
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(5));
}

TEST_F(FakeImporter, ThatLeavesAChildOnThePipeIsEndedWithIt) {
  be("sleep 1000 & echo $! >" + folder.file("pid") + "; exit 0");
  LoadOptions options;
  options.import_seconds = 0.3;
  EXPECT_TRUE(sentence(options).starts_with("dermis-import was stopped after "));
  const std::string pid = test::read_text(folder.file("pid"));
  // Gone, or waiting for init to look at it.
  for (int wait = 0; wait < 100; ++wait) {
    const std::string stat = test::read_text("/proc/" + pid.substr(0, pid.find('\n')) + "/stat");
    if (stat.empty() || stat.find(") Z") != std::string::npos) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ADD_FAILURE() << "process " << pid << " is still there";
}

TEST_F(FakeImporter, ThatHangsStopsWithItsCaller) {
  be("exec sleep 1000");
  std::atomic<bool> stop = true;
  const Result<Asset> asset = load(file, {}, Progress({}, &stop));
  ASSERT_FALSE(asset);
  EXPECT_EQ(asset.error().code, Errc::cancelled);
}

TEST_F(FakeImporter, ThatNeverStopsTalkingIsCutOff) {
  be("exec cat /dev/zero");
  LoadOptions options;
  options.max_memory = 1 << 20;
  EXPECT_EQ(sentence(options), "dermis-import returned more than 1048576 bytes");
}

TEST_F(FakeImporter, ThatNeverStopsComplainingIsCutOff) {
  be("yes complaint | head -c 3000000 >&2; exit 1");
  EXPECT_EQ(sentence(), "complaint");
}

TEST_F(FakeImporter, ThatRefusesIsQuotedOnOneLine) {
  be("printf 'assimp: no\\tsuch thing.\\nand more\\n' >&2; exit 1");
  EXPECT_EQ(sentence(), "assimp: no such thing");
}

TEST_F(FakeImporter, ThatRefusesWithoutAWordIsSaid) {
  be("exit 1");
  EXPECT_EQ(sentence(), "dermis-import cannot read it and gives no reason");
}

TEST_F(FakeImporter, ThatRunsOutOfMemoryNamesTheLimit) {
  be("exit 3");
  LoadOptions options;
  options.max_memory = 12345;
  EXPECT_EQ(sentence(options), "dermis-import needs more than 12345 bytes of memory for it");
}

TEST_F(FakeImporter, ThatDoubtsTheMemoryIsQuotedWithTheRemedy) {
  be("echo 'cut short' >&2; exit 4");
  const Result<Asset> asset = load(file);
  ASSERT_FALSE(asset);
  EXPECT_TRUE(asset.error().sentence.ends_with("cut short; or it needs more memory than allowed"))
      << asset.error().sentence;
  EXPECT_EQ(asset.error().remedies, (Remedies{{"max_memory", ""}}));
}

TEST_F(FakeImporter, ThatSaysNothingIsBroken) {
  be("exit 0");
  EXPECT_EQ(sentence(), "dermis-import returned broken data: nothing at all");
}

TEST_F(FakeImporter, ThatWritesGarbageIsBroken) {
  be("echo hello");
  EXPECT_TRUE(sentence().starts_with("dermis-import returned broken data: ")) << sentence();
}

TEST_F(FakeImporter, ThatWritesHalfAGlbIsBroken) {
  Character character;
  character.nodes.resize(3);
  const Result<Bytes> glb = pack_import(character, {});
  ASSERT_TRUE(glb) << glb.error().sentence;
  const std::string_view whole = text_of(*glb);
  test::write_text(folder.file("whole"), std::string(whole));
  be("exec cat " + folder.file("whole"));
  const Result<Asset> asset = load(file);
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_EQ(asset->character.nodes.size(), 3u);
  EXPECT_EQ(asset->source, nullptr);

  be("exec head -c " + std::to_string(whole.size() / 2) + " " + folder.file("whole"));
  EXPECT_TRUE(sentence().starts_with("dermis-import returned broken data: ")) << sentence();
}

TEST_F(FakeImporter, ThatWritesAGlbOfAnotherKindIsBroken) {
  test::write_text(folder.file("other"), R"({"asset": {"version": "2.0"}})");
  be("exec cat " + folder.file("other"));
  EXPECT_EQ(sentence(), "dermis-import returned broken data: a glTF without the extras of an import");
}

#ifdef DERMIS_CLI
TEST_F(FakeImporter, LeavesNoOutputBehind) {
  be("kill -SEGV $$");
  const test::CliResult said = test::run_cli({"convert", file, "-o", folder.file("out.glb")});
  EXPECT_EQ(said.code, 1);
  EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
  EXPECT_FALSE(fs::exists(folder.file("out.glb")));
}
#endif

TEST_F(FakeImporter, GetsItsWordsWithoutAShell) {
  be("for word; do echo \"$word\"; done >" + folder.file("words") + "; exit 1");
  const std::string odd = folder.file("a b;$(touch x) 'c'.fbx");
  test::write_text(odd, "");
  EXPECT_FALSE(load(odd));
  EXPECT_NE(test::read_text(folder.file("words")).find(odd + "\n"), std::string::npos);
}

// ---- The real one -------------------------------------------------------------------------------------

std::string refusal_of(const std::string& name, const std::string& bytes, const LoadOptions& options = {}) {
  const Result<Asset> asset = load_from_memory(std::as_bytes(std::span(bytes)), name, options);
  return asset ? "it loaded" : asset.error().sentence;
}

constexpr const char* kCollada =
    R"(<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">)"
    R"(<asset>AXIS</asset><library_visual_scenes><visual_scene id="s"><node id="n"/></visual_scene>)"
    R"(</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>)";
std::string collada_up(const std::string& axis) {
  std::string text = kCollada;
  return text.replace(text.find("AXIS"), 4, axis);
}

TEST(Importer, FilesThatAreNoFbxWereRefusedInAssimpsWordsAlone) {
  EXPECT_TRUE(refusal_of("none.fbx", "").starts_with("none.fbx: is empty")) << refusal_of("none.fbx", "");
  const std::string glb = refusal_of("hero.fbx", "glTF\x02 and more of it");
  EXPECT_NE(glb.find("its first bytes are those of GLB"), std::string::npos) << glb;
  EXPECT_NE(glb.find("(assimp: "), std::string::npos) << glb;
  EXPECT_NE(refusal_of("hero.fbx", "hello").find("is it whole"), std::string::npos);
  EXPECT_EQ(refusal_of("hero.fbx", "hello").find("first bytes"), std::string::npos);
}

TEST(Importer, UpWasIgnoredWithoutAWordWhereTheFileDecides) {
  LoadOptions options;
  options.up = UpAxis::z;
  const auto notes_of = [&](const std::string& text) {
    const Result<Asset> asset = load_from_memory(std::as_bytes(std::span(text)), "tree.dae", options);
    EXPECT_TRUE(asset) << asset.error().sentence;
    return asset ? asset->notes : Notes{};
  };
  const Notes stated = notes_of(collada_up("<up_axis>Y_UP</up_axis>")), unstated = notes_of(collada_up(""));
  EXPECT_TRUE(has_note(stated, "up-not-used"));
  EXPECT_FALSE(has_note(stated, "axes-turned"));
  EXPECT_FALSE(has_note(unstated, "up-not-used"));
  EXPECT_TRUE(has_note(unstated, "axes-turned"));
}

TEST(Importer, SmallFilesWereNotBoundByTheMemoryAllowed) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer's own memory is larger than any limit";
#endif
  // Some 300 kB of text, which cannot become a scene in one megabyte.
  std::string many;
  for (int k = 0; k < 20000; ++k) many += "<node id=\"n" + std::to_string(k) + "\"/>";
  std::string text = collada_up("");
  text.replace(text.find("<node id=\"n\"/>"), 14, many);
  LoadOptions options;
  options.max_memory = 1 << 20;
  const std::string said = refusal_of("many.dae", text, options);
  EXPECT_NE(said.find("memory"), std::string::npos) << said;
  EXPECT_EQ(refusal_of("many.dae", text), "it loaded");
}

}  // namespace
}  // namespace dermis
