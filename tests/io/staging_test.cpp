// SPDX-License-Identifier: MIT
// Temporary files: never in the way of a later run, swept when their run was killed, kept while it works.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <sstream>

#include "dermis/io.h"
#include "io/process.h"
#include "outside/files.h"

namespace dermis {
namespace {

using test::TemporaryFolder;
using Names = std::vector<std::string>;

Status save_word(const TemporaryFolder& folder) {
  const std::byte word[] = {std::byte{1}};
  return save_bytes(folder.file("out"), word);
}

// Runs `work` in a process of its own. It ends with _exit, without destructors, as if it was killed.
template <class Work>
void run_and_kill(const Work& work) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) work();
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
}

// As if everything in the folder was written an hour ago.
void make_old(const TemporaryFolder& folder) {
  const auto then = test::fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (const std::string& name : folder.names()) test::fs::last_write_time(folder.file(name), then);
}

void leave_staged(const TemporaryFolder& folder) {
  run_and_kill([&] {
    const Result<StagedFiles> staged = StagedFiles::open(folder.path().string(), "walk.pc2");
    test::write_text(staged->path_of("walk.pc2"), "half");
    test::fs::create_directories(staged->path_of("textures"));
    test::write_text(staged->path_of("textures/a.png"), "half");
    ::_exit(0);
  });
}

// Process numbers start again in every container, so a killed run and the next one often have the same.
TEST(Staging, NamesDoNotDependOnTheProcessNumber) {
  const TemporaryFolder folder;
  Names left;
  for (int k = 0; k < 100; ++k) {
    left.push_back(".dermis-" + std::to_string(::getpid()) + "-" + std::to_string(k) + ".part");
    left.push_back("out." + std::to_string(::getpid()) + "-" + std::to_string(k) + ".part");
  }
  for (const std::string& name : left) test::fs::create_directories(folder.path() / name);
  EXPECT_TRUE(save_word(folder));
  EXPECT_TRUE(StagedFiles::open(folder.path().string(), "walk.pc2"));
  // Names that are not ours stay.
  EXPECT_EQ(folder.names().size(), left.size() + 1);
}

TEST(Staging, IgnoresWhatAKilledRunLeftAMomentAgo) {
  const TemporaryFolder folder;
  leave_staged(folder);
  const std::size_t left = folder.names().size();
  ASSERT_EQ(left, 2u);  // a folder and a lock
  EXPECT_TRUE(save_word(folder));
  EXPECT_EQ(folder.names().size(), left + 1);
}

TEST(Staging, SweepsWhatAKilledRunLeftLongAgo) {
  const TemporaryFolder folder;
  leave_staged(folder);
  make_old(folder);
  EXPECT_TRUE(save_word(folder));
  EXPECT_EQ(folder.names(), Names{"out"});
}

TEST(Staging, KeepsTheFolderOfARunThatStillWrites) {
  const TemporaryFolder folder;
  const Result<StagedFiles> staged = StagedFiles::open(folder.path().string(), "walk.pc2");
  ASSERT_TRUE(staged);
  test::write_text(staged->path_of("walk.pc2"), "half");
  make_old(folder);
  EXPECT_TRUE(save_word(folder));
  EXPECT_EQ(test::read_text(staged->path_of("walk.pc2")), "half");
}

TEST(Staging, ATargetIsWrittenByOneRunAtATime) {
  const TemporaryFolder folder;
  const std::string place = folder.path().string();
  {
    const Result<StagedFiles> first = StagedFiles::open(place, "walk_0000.obj");
    ASSERT_TRUE(first);
    const Result<StagedFiles> second = StagedFiles::open(place, "walk_0000.obj");
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().sentence,
              folder.file("walk_0000.obj") +
                  ": another run is writing it; wait until that is done, or use another name");
    EXPECT_TRUE(StagedFiles::open(place, "run_0000.obj"));
  }
  EXPECT_TRUE(StagedFiles::open(place, "walk_0000.obj"));
  EXPECT_TRUE(folder.names().empty());
}

TEST(Staging, ATargetOfAKilledRunIsFreeAtOnce) {
  const TemporaryFolder folder;
  leave_staged(folder);
  EXPECT_TRUE(StagedFiles::open(folder.path().string(), "walk.pc2"));
}

TEST(Staging, LeftoversAreRemovedAndChildrenEndedByAProgramThatEndsAtOnce) {
  const TemporaryFolder folder, elsewhere;
  run_and_kill([&] {
    const Result<StagedFiles> staged = StagedFiles::open(folder.path().string(), "walk.pc2");
    test::write_text(staged->path_of("walk.pc2"), "half");
    test::fs::create_directories(staged->path_of("textures"));
    test::write_text(staged->path_of("textures/a.png"), "half");
    ChildProcess child;
    const int out = ::open(elsewhere.file("numbers").c_str(), O_WRONLY | O_CREAT, 0666);
    (void)child.start({"sh", "-c", "echo $$; sleep 1000 & echo $!; wait"}, {out, out, out});
    while (std::ranges::count(test::read_text(elsewhere.path() / "numbers"), '\n') < 2) ::usleep(1000);
    remove_leftovers();
    ::_exit(0);
  });
  EXPECT_TRUE(folder.names().empty());
  std::istringstream numbers(test::read_text(elsewhere.path() / "numbers"));
  for (pid_t process = 0; numbers >> process;) EXPECT_TRUE(test::ends_soon(process)) << process;
}

}  // namespace
}  // namespace dermis
