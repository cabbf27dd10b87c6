// SPDX-License-Identifier: MIT
// The command as its users meet it: streams that fail, help, numbers, limits, and words that fit.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "dermis/ops.h"
#include "io/made_gltf.h"
#include "outside/files.h"

namespace dermis {
namespace {

using test::CliResult;
using test::run_cli;
using test::shell_quoted;
using test::TemporaryFolder;
using Json = nlohmann::json;
using Names = std::vector<std::string>;

std::size_t count_of(const std::string& text, const std::string& words) {
  std::size_t count = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++count;
  return count;
}

class User : public testing::Test {
 protected:
  std::string write(const char* name, const std::string& text) const {
    test::write_text(folder.path() / name, text);
    return folder.file(name);
  }
  // The exit code of `dermis WORDS` at the front of a shell's line; what goes to err is read from "err".
  int shell(const std::string& before, const std::string& words, const std::string& behind) const {
    const std::string command = before + shell_quoted(DERMIS_CLI) + " " + words + "; echo $? >" +
                                shell_quoted(folder.file("code")) + behind;
    EXPECT_EQ(std::system(command.c_str()), 0);
    return std::stoi(test::read_text(folder.path() / "code"));
  }
  const TemporaryFolder folder;
};

// ---- Streams ----

TEST_F(User, WhoseStderrIsFullGetsTheExitCodeAndNoCrash) {
  EXPECT_EQ(shell("", "info nofile.glb 2>/dev/full", ""), 1);
  EXPECT_EQ(shell("", "info nofile.glb 2>&-", ""), 1);
  const std::string mesh = write("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2\n");
  const std::string words =
      "check " + shell_quoted(mesh) + " --fix -o " + shell_quoted(folder.file("b.obj")) + " 2>&1";
  EXPECT_EQ(shell("{ sleep 0.1; ", words, "; } | true"), 0);
}

TEST_F(User, WhoReadsOnlyTheStartGetsNoError) {
  const std::string err = shell_quoted(folder.file("err"));
  EXPECT_EQ(shell("{ sleep 0.1; ", "formats 2>" + err, "; } | true"), 0);
  EXPECT_EQ(test::read_text(folder.path() / "err"), "");
}

TEST_F(User, WhoseDiskIsFullIsTold) {
  EXPECT_EQ(shell("", "formats >/dev/full 2>" + shell_quoted(folder.file("err")), ""), 1);
  EXPECT_EQ(test::read_text(folder.path() / "err"), "dermis: cannot write to the output\n");
  EXPECT_EQ(shell("", "formats >&- 2>" + shell_quoted(folder.file("err")), ""), 1);
}

// ---- Words ----

TEST_F(User, WhoAsksForHelpOnAVerbGetsThatOfTheVerb) {
  const CliResult said = run_cli({"help", "convert"});
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(said.out, run_cli({"convert", "--help"}).out);
  EXPECT_EQ(run_cli({"help"}).out, run_cli({"--help"}).out);
  const CliResult unknown = run_cli({"help", "convrt"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("did you mean 'convert'"), std::string::npos) << unknown.err;
}

TEST_F(User, WhoTypesAnUnknownVerbIsToldTheRightOneOrNone) {
  const struct {
    const char *typed, *said;
  } cases[] = {{"retarget", "did you mean 'animate'?"},
               {"autorig", "did you mean 'rig'?"},
               {"mirror", "did you mean 'weights mirror'?"},
               {"chekc", "did you mean 'check'?"},
               {"undo", "there is no verb 'undo'; 'dermis --help' lists the verbs"}};
  for (const auto& one : cases) {
    const CliResult said = run_cli({one.typed});
    EXPECT_EQ(said.code, 2);
    EXPECT_NE(said.err.find(one.said), std::string::npos) << said.err;
  }
}

// Dots in help mean several values after one flag; a repeatable option takes one at a time.
TEST_F(User, WhoReadsHelpSeesDotsOnlyWhereSeveralValuesFit) {
  std::size_t repeatable = 0;
  for (const Names& words :
       {Names{"deform"}, Names{"bake"}, Names{"render"}, Names{"compare"}, Names{"rig"}, Names{"bind"},
        Names{"weights", "merge"}, Names{"weights", "smooth"}, Names{"weights", "transfer"}}) {
    Names asked = words;
    asked.emplace_back("--help");
    std::istringstream lines(run_cli(asked).out);
    for (std::string line; std::getline(lines, line);) {
      const bool is_repeatable = line.find("repeatable") != std::string::npos;
      repeatable += is_repeatable ? 1 : 0;
      EXPECT_FALSE(is_repeatable && line.find(" ...") != std::string::npos) << line;
    }
  }
  EXPECT_GT(repeatable, 5u);
  EXPECT_NE(run_cli({"deform", "--help"}).out.find("--shape NAME=WEIGHT "), std::string::npos);
  // One value each time, as the help says.
  const std::string mesh = write("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), out = folder.file("b.obj");
  const CliResult two = run_cli({"deform", mesh, "--shape", "a=1", "b=1", "-o", out});
  EXPECT_EQ(two.code, 2) << two.err;
  const CliResult bare = run_cli({"deform", mesh, "--shape", "smile", "-o", out});
  EXPECT_EQ(bare.code, 2);
  EXPECT_NE(bare.err.find("write it as NAME=WEIGHT"), std::string::npos) << bare.err;
}

TEST_F(User, WhoTypesABadNumberReadsWhatItMustBe) {
  const std::string mesh = write("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), out = folder.file("a.pc2");
  const auto said = [](const Names& words) {
    const CliResult result = run_cli(words);
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_LT(result.err.size(), 200u) << result.err;
    return result.err;
  };
  EXPECT_NE(said({"bake", mesh, "--fps", "0", "-o", out}).find("must be above 0"), std::string::npos);
  EXPECT_NE(said({"bake", mesh, "--fps", "abc", "-o", out}).find("'abc' is not a number"), std::string::npos);
  EXPECT_NE(said({"compare", mesh, mesh, "--limit", "-1"}).find("must be 0 or more"), std::string::npos);
  EXPECT_NE(said({"info", mesh, "-j", "0"}).find("must be 1 to 1024"), std::string::npos);
  EXPECT_NE(said({"check", mesh, "--max-shells", "-1"}).find("must be 0 or more"), std::string::npos);
}

TEST_F(User, WhoNamesNoFileThatCanBeReadIsToldWhatItIs) {
  const auto error = [](const Names& words) {
    const CliResult result = run_cli(words);
    EXPECT_EQ(result.code, 1) << result.err;
    return result.err;
  };
  EXPECT_NE(error({"info", folder.path().string()}).find("is a folder"), std::string::npos);
  EXPECT_NE(error({"info", write("plain", "x")}).find("has no extension"), std::string::npos);
  EXPECT_NE(error({"info", write("a.foo", "x")}).find("'dermis formats' lists"), std::string::npos);
  EXPECT_NE(error({"check", write("a.pc2", "x")}).find("--cache"), std::string::npos);
  EXPECT_NE(error({"check", folder.file("a_##.obj")}).find("sequence"), std::string::npos);
}

TEST_F(User, WhoHasOneOfAThingReadsNoPlural) {
  const std::string mesh = write("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2\nfoo\n");
  const CliResult said = run_cli({"check", mesh});
  EXPECT_NE(said.out.find("1 face with fewer than three corners was left out"), std::string::npos)
      << said.out;
  EXPECT_NE(said.out.find("1 line starts with a word"), std::string::npos) << said.out;
}

TEST_F(User, WhoAsksForFormatsSeesAllThatAreRead) {
  const CliResult said = run_cli({"formats"});
  for (const char* extension : {".glb", ".fbx", ".pc2", ".xyz"})
    EXPECT_NE(said.out.find(extension), std::string::npos) << extension;
}

TEST_F(User, WhoseFileHasTheSameFaultOftenReadsItAFewTimes) {
  std::string text = "v 0 0 0\n";
  for (int k = 0; k < 40; ++k) text += "usemtl m\nmtllib m" + std::to_string(k) + ".mtl\n";
  const std::string mesh = write("a.obj", text + "v 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const CliResult check = run_cli({"check", mesh});
  EXPECT_EQ(count_of(check.out, "[materials-missing]"), 1u) << check.out;
  EXPECT_NE(check.out.find("; 39 more like this [materials-missing]"), std::string::npos) << check.out;
  const CliResult info = run_cli({"info", mesh});
  EXPECT_EQ(count_of(info.out + info.err, ".mtl"), 1u) << info.out << info.err;
  const Json json = Json::parse(run_cli({"check", mesh, "--json"}).out);
  EXPECT_GE(json["findings"].size(), 40u);
}

// ---- Sizes and names ----

TEST_F(User, WhoConvertsToGltfIsToldTheSizeOfItsBuffersToo) {
  MakeJob make_job;
  make_job.kind = MadeKind::tube;
  make_job.options.points = 1000;
  make_job.output = folder.file("tube.glb");
  ASSERT_TRUE(make(make_job));
  ConvertJob job;
  job.input = make_job.output;
  job.output = folder.file("tube.gltf");
  const Result<ConvertReport> report = convert(job);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->output_bytes, test::fs::file_size(folder.path() / "tube.gltf") +
                                      test::fs::file_size(folder.path() / "tube.bin"));
  EXPECT_EQ(run_cli({"convert", job.output, "-o", job.input, "--force"}).out.find("0.00 MB"),
            std::string::npos);
}

TEST_F(User, WhoPutsNoCacheOnAMeshIsToldWhichFileIsNone) {
  const std::string mesh = write("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const CliResult no_cache = run_cli({"convert", mesh, "--cache", "hero.glb", "-o", folder.file("b.glb")});
  EXPECT_EQ(no_cache.code, 2);
  EXPECT_NE(no_cache.err.find("hero.glb: is not a vertex cache"), std::string::npos) << no_cache.err;
  const CliResult to_cache = run_cli({"convert", mesh, "-o", folder.file("b.pc2")});
  EXPECT_EQ(to_cache.code, 2);
  EXPECT_NE(to_cache.err.find("bake " + mesh), std::string::npos) << to_cache.err;
}

}  // namespace
}  // namespace dermis
