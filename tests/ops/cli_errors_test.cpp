// SPDX-License-Identifier: MIT
// Failures as the user of the command meets them: exit codes, one line, JSON, and nothing left behind.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <chrono>
#include <thread>

#include "dermis/io.h"
#include "io/made_gltf.h"
#include "outside/files.h"

namespace dermis {
namespace {

using test::CliResult;
using test::MadeGltf;
using test::run_cli;
using test::TemporaryFolder;
using Names = std::vector<std::string>;

// Exit code 1 and one line on stderr that holds `words`.
void expect_error(const CliResult& said, const std::string& words) {
  EXPECT_EQ(said.code, 1) << said.out << said.err;
  EXPECT_NE(said.err.find(words), std::string::npos) << said.err;
  EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
  EXPECT_TRUE(said.err.starts_with("dermis ")) << said.err;
}

class CommandErrors : public testing::Test {
 protected:
  CommandErrors() { test::write_text(in.path() / "in.glb", test::kitchen_sink().glb()); }
  const TemporaryFolder in, out;
  const std::string input = in.file("in.glb");
};

TEST_F(CommandErrors, EndsWithZeroWhenAllIsFine) {
  for (const Names& words :
       {Names{"info", input}, Names{"convert", input, "-o", out.file("a.gltf")},
        Names{"deform", input, "-o", out.file("a.obj")}, Names{"compare", input, input}, Names{"methods"},
        Names{"--version"}, Names{"--help"}, Names{"deform", "--help"}}) {
    const CliResult said = run_cli(words);
    EXPECT_EQ(said.code, 0) << words[0] << said.err;
  }
}

TEST_F(CommandErrors, EndsWithOneForPathsThatCannotBeRead) {
  expect_error(run_cli({"info", in.file("missing.glb")}), "No such file");
  test::fs::create_directories(in.path() / "folder.glb");
  expect_error(run_cli({"info", in.file("folder.glb")}), "is a folder; name a file in it");
  expect_error(run_cli({"info", "/dev/zero"}), "has no extension");
  test::fs::create_symlink("/dev/zero", in.path() / "endless.glb");
  expect_error(run_cli({"info", in.file("endless.glb")}), "is not a file");
}

TEST_F(CommandErrors, NamesTheOptionThatWasProbablyMeant) {
  const CliResult render = run_cli({"render", input, "--colums", "3", "-o", out.file("a.png")});
  EXPECT_EQ(render.code, 2);
  EXPECT_NE(render.err.find("there is no option '--colums'; did you mean '--columns'?"), std::string::npos)
      << render.err;
  const CliResult normalize =
      run_cli({"weights", "normalize", input, "--mesh", "a", "-o", out.file("a.glb")});
  EXPECT_EQ(normalize.code, 2);
  EXPECT_NE(normalize.err.find("see dermis weights normalize --help"), std::string::npos) << normalize.err;
  EXPECT_NE(run_cli({"-x"}).err.find("there is no option '-x'"), std::string::npos);
}

TEST_F(CommandErrors, EndsWithOneForPathsThatCannotBeWritten) {
  expect_error(run_cli({"convert", input, "-o", out.file("no/such/folder/a.glb")}), "there is no folder");
  test::fs::create_directories(out.path() / "folder.glb");
  expect_error(run_cli({"convert", input, "-o", out.file("folder.glb")}), "is a folder");
  expect_error(run_cli({"convert", input, "-o", "/proc/a.glb"}), "cannot write");
  EXPECT_EQ(out.names(), Names{"folder.glb"});
}

TEST_F(CommandErrors, RefusesOutputsWhoseNamesBreakLines) {
  const CliResult said = run_cli({"deform", input, "-o", out.file("a\nb.obj")});
  EXPECT_EQ(said.code, 2) << said.err;
  EXPECT_NE(said.err.find("has a line break or another control character"), std::string::npos) << said.err;
  EXPECT_TRUE(test::fs::is_empty(out.path()));
}

TEST_F(CommandErrors, EndsWithTwoForRequestsThatAreWrong) {
  for (const Names& words :
       {Names{}, Names{"juggle"}, Names{"info"}, Names{"convert", input},
        Names{"info", input, "--frobnicate"},
        Names{"deform", input, "--method", "magic", "-o", out.file("a.obj")},
        Names{"deform", input, "--method", "lbs,shapes", "-o", out.file("a.obj")},
        Names{"deform", input, "--time", "1", "-o", out.file("a.obj")},
        Names{"deform", input, "--shape", "smile", "-o", out.file("a.obj")},
        Names{"convert", input, "-o", out.file("a.xyz")}, Names{"make", "dragon", "-o", out.file("a.glb")},
        Names{"make", "tube", "--points", "3", "-o", out.file("a.glb")}}) {
    const CliResult said = run_cli(words);
    EXPECT_EQ(said.code, 2) << (words.empty() ? "" : words[0]) << said.out << said.err;
    EXPECT_FALSE(said.err.empty());
  }
  EXPECT_TRUE(out.names().empty());
}

TEST_F(CommandErrors, EndsWithThreeWhenACheckFails) {
  ASSERT_EQ(run_cli({"deform", input, "-o", out.file("rest.obj")}).code, 0);
  const Names words = {"compare", out.file("rest.obj"), input, "--clip", "0", "--time", "1", "--limit",
                       "0.01"};
  EXPECT_EQ(run_cli(words).code, 3);
  EXPECT_EQ(run_cli({"compare", out.file("rest.obj"), input, "--limit", "0.01"}).code, 0);
}

TEST_F(CommandErrors, SaysErrorsAsJsonToo) {
  const CliResult said = run_cli({"info", in.file("missing.glb"), "--json"});
  expect_error(said, "No such file");
  const auto json = nlohmann::json::parse(said.out);
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["verb"], "info");
  EXPECT_EQ(json["error"]["code"], "unreadable") << said.out;
  EXPECT_NE(json["error"]["sentence"].get<std::string>().find("No such file"), std::string::npos) << said.out;
}

TEST_F(CommandErrors, RefusesOptionsWithoutEffect) {
  const std::string written = in.file("out.glb");
  const struct {
    std::vector<std::string> words;
    const char* said;
  } cases[] = {
      {{"bind", input, "--embed", "-o", written}, "--embed"},
      {{"animate", input, "--motion", "walk", "--embed", "-o", written}, "--embed"},
      {{"deform", input, "--ascii", "-o", in.file("out.obj")}, "--ascii"},
      {{"compare", input, input, "--fps", "24"}, "--fps"},
      {{"check", input, "--no-quality", "--method", "dqs"}, "--no-quality"},
      {{"make", "tube", "--up", "z", "-o", written}, "--up"},
      {{"convert", input, "--weights", "u8", "-o", in.file("out.obj")}, "remove --weights"},
  };
  for (const auto& one : cases) {
    const CliResult ran = run_cli(one.words);
    EXPECT_EQ(ran.code, 2) << one.words[0] << ": " << ran.err;
    EXPECT_NE(ran.err.find(one.said), std::string::npos) << ran.err;
  }
  EXPECT_EQ(in.names(), (Names{"in.glb"}));
}

TEST_F(CommandErrors, AreThereForTheQuietToo) {
  const CliResult apart = run_cli({"compare", input, input, "--clip", "0", "--time", "0.5", "--method", "lbs",
                                   "--method-b", "rigid", "--limit", "0", "--quiet"});
  EXPECT_EQ(apart.code, 3) << apart.err;
  EXPECT_EQ(apart.out, "");
  EXPECT_NE(apart.err.find("over the limit"), std::string::npos) << apart.err;
  const CliResult checked = run_cli({"check", input, "--quiet", "--max-shells", "0"});
  EXPECT_EQ(checked.code, 3) << checked.err;
  EXPECT_EQ(checked.out, "");
  EXPECT_NE(checked.err.find("dermis check: "), std::string::npos) << checked.err;
}

TEST_F(CommandErrors, DoesNotOverwriteItsInputUnlessForced) {
  const std::string before = test::read_text(input);
  expect_error(run_cli({"convert", input, "-o", input}), "--force");
  const std::string roundabout = (in.path() / "." / "in.glb").string();
  expect_error(run_cli({"deform", input, "-o", roundabout}), "--force");
  test::fs::create_hard_link(input, in.path() / "same.glb");
  expect_error(run_cli({"convert", input, "-o", in.file("same.glb")}), "--force");
  EXPECT_EQ(test::read_text(input), before);
  EXPECT_EQ(run_cli({"convert", input, "--weights", "u8", "-o", input, "--force"}).code, 0);
  EXPECT_NE(test::read_text(input), before);
  EXPECT_EQ(in.names(), (Names{"in.glb", "same.glb"}));
}

TEST_F(CommandErrors, LeavesNothingBehindAfterAFailure) {
  std::string cut = test::kitchen_sink().glb();
  cut.resize(cut.size() / 2);
  test::write_text(in.path() / "cut.glb", cut);
  for (const char* suffix : {".glb", ".gltf", ".obj", ".ply"}) {
    expect_error(run_cli({"convert", in.file("cut.glb"), "-o", out.file(std::string("a") + suffix)}),
                 "cut short");
    expect_error(run_cli({"deform", in.file("cut.glb"), "-o", out.file(std::string("a") + suffix)}),
                 "cut short");
    expect_error(run_cli({"deform", input, "--clip", "juggle", "-o", out.file(std::string("a") + suffix)}),
                 "juggle");
  }
  EXPECT_TRUE(out.names().empty());
}

TEST_F(CommandErrors, LeavesTheOldFileWhenTheDiskIsFull) {
  test::write_text(out.path() / "old.obj", "old");
  // A limit on file sizes stands in for a full disk.
  const std::string command = "trap '' XFSZ; ulimit -f 1; " + test::shell_quoted(DERMIS_CLI) +
                              " make tube -o " + test::shell_quoted(out.file("old.obj")) + " >/dev/null 2>" +
                              test::shell_quoted(in.file("err"));
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1) << test::read_text(in.path() / "err");
  EXPECT_EQ(test::read_text(out.path() / "old.obj"), "old");
  EXPECT_EQ(out.names(), Names{"old.obj"});
}

TEST_F(CommandErrors, StaysWithinTheMemoryItIsAllowed) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer reserves more address space than the limit";
#endif
  MadeGltf made;
  const int empty =
      made.push("accessors", {{"componentType", 5126}, {"count", 1500000000}, {"type", "VEC3"}});
  made.mesh({{"POSITION", empty}});
  made.push("nodes", {{"mesh", 0}});
  test::write_text(in.path() / "huge.gltf", made.gltf());
  // Half a gigabyte of address space is enough for a refusal.
  const std::string command = "ulimit -v 600000; " + test::shell_quoted(DERMIS_CLI) +
                              " info --max-memory 0.1 " + test::shell_quoted(in.file("huge.gltf")) + " 2>" +
                              test::shell_quoted(in.file("err"));
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1);
  EXPECT_NE(test::read_text(in.path() / "err").find("--max-memory"), std::string::npos)
      << test::read_text(in.path() / "err");
}

// Starts the command with `path` as its PATH, and returns its process number.
pid_t start_cli(Names words, const std::string& path) {
  words.insert(words.begin(), DERMIS_CLI);
  const pid_t child = ::fork();
  if (child != 0) return child;
  (void)std::freopen("/dev/null", "w", stderr);
  ::setenv("PATH", path.c_str(), 1);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(DERMIS_CLI, arguments.data());
  ::_exit(127);
}

// An ffmpeg that never ends, and writes its process number to in/number.
class EndlessFilm : public CommandErrors {
 protected:
  void SetUp() override {
    test::write_text(in.path() / "ffmpeg",
                     "#!/bin/sh\necho $$ >" + test::shell_quoted(in.file("number")) + "\nexec sleep 1000\n");
    test::fs::permissions(in.path() / "ffmpeg", test::fs::perms::owner_all);
  }
  // Sends the signals while ffmpeg runs, and returns the exit code.
  int interrupt_film(const std::vector<int>& signals) {
    const pid_t child = start_cli(
        {"render", input, "--turntable", "0.1", "--size", "32x32", "--samples", "1", "-o", out.file("a.mp4")},
        in.path().string() + ":/usr/bin:/bin");
    EXPECT_GT(child, 0);
    EXPECT_TRUE(test::is_true_soon([&] { return test::read_text(in.path() / "number").ends_with('\n'); }));
    for (const int signal : signals) EXPECT_EQ(::kill(child, signal), 0);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    return WEXITSTATUS(status);
  }
  bool is_film_ended() const { return test::ends_soon(std::stoi(test::read_text(in.path() / "number"))); }
};

TEST_F(EndlessFilm, EndsWithTheCommand) {
  EXPECT_EQ(interrupt_film({SIGTERM}), 1);
  EXPECT_TRUE(is_film_ended());
  EXPECT_TRUE(out.names().empty());
}

// Two different signals, because two of the same kind may arrive as one.
TEST_F(EndlessFilm, EndsWithTheCommandThatIsInterruptedTwice) {
  EXPECT_NE(interrupt_film({SIGINT, SIGTERM}), 0);
  EXPECT_TRUE(is_film_ended());
  EXPECT_TRUE(out.names().empty());
}

TEST_F(CommandErrors, RefusesToBakeWhatAnotherRunBakes) {
  const Result<StagedFiles> other = StagedFiles::open(out.path().string(), "walk_0000.ply");
  ASSERT_TRUE(other);
  expect_error(run_cli({"bake", input, "--quiet", "--clip", "0", "-o", out.file("walk_####.ply")}),
               "another run is writing it");
  EXPECT_EQ(run_cli({"bake", input, "--quiet", "--clip", "0", "-o", out.file("run_####.ply")}).code, 0);
}

TEST_F(CommandErrors, SaysWhatIsWrittenWhenTheReportCannotBe) {
  ASSERT_EQ(run_cli({"make", "tube", "--points", "1000", "-o", in.file("tube.glb")}).code, 0);
  const CliResult said =
      run_cli({"bind", in.file("tube.glb"), "--quiet", "--report", "/proc/a.html", "-o", out.file("a.glb")});
  expect_error(said, "/proc/a.html: cannot write");
  EXPECT_NE(said.err.find(out.file("a.glb") + " is written, and complete"), std::string::npos) << said.err;
  EXPECT_EQ(run_cli({"info", out.file("a.glb")}).code, 0);
}

TEST_F(CommandErrors, WritesNothingWhenTheReportIsAFolder) {
  test::fs::create_directories(out.path() / "a.html");
  expect_error(run_cli({"bind", input, "--report", out.file("a.html"), "-o", out.file("a.glb")}),
               "is a folder; name a file in it");
  EXPECT_EQ(out.names(), Names{"a.html"});
}

TEST_F(CommandErrors, LeavesNoFileWhenInterrupted) {
  for (const int interrupt : {SIGINT, SIGTERM}) {
    const std::string output = out.file("humanoid.glb");
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      (void)std::freopen("/dev/null", "w", stderr);
      ::execl(DERMIS_CLI, DERMIS_CLI, "make", "humanoid", "--points", "1000000", "-o", output.c_str(),
              nullptr);
      ::_exit(127);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    ASSERT_EQ(::kill(child, interrupt), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_NE(WEXITSTATUS(status), 0);
    EXPECT_TRUE(out.names().empty());
  }
}

}  // namespace
}  // namespace dermis
