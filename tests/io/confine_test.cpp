// SPDX-License-Identifier: MIT
// The process that reads files through assimp reads its folder and does nothing else, where the kernel can
// see to it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/import/confine.h"
#include "outside/files.h"

namespace dermis {
namespace {

using test::TemporaryFolder;

// What a confined process reports: a bit for each thing it could do.
enum Deed : int {
  kRead = 1,
  kReadElsewhere = 2,
  kWrote = 4,
  kConnected = 8,
  kStarted = 16,
  kMoved = 32,
  kHeld = 64,    // by Landlock
  kStayed = 128  // by seccomp
};

bool can_open(const std::string& path, int flags) {
  const int file = ::open(path.c_str(), flags, 0666);
  if (file >= 0) ::close(file);
  return file >= 0;
}

bool can_write(const TemporaryFolder& folder) {
  return can_open(folder.file("new"), O_WRONLY | O_CREAT) || can_open(folder.file("a"), O_RDWR) ||
         can_open(folder.file("a"), O_RDONLY | O_TRUNC) || ::mkdir(folder.file("b").c_str(), 0777) == 0 ||
         ::chmod(folder.file("a").c_str(), 0600) == 0;
}

bool can_move(const TemporaryFolder& folder) {
  return ::rename(folder.file("a").c_str(), folder.file("c").c_str()) == 0 ||
         ::link(folder.file("a").c_str(), folder.file("c").c_str()) == 0 ||
         ::symlink("a", folder.file("c").c_str()) == 0 || ::unlink(folder.file("a").c_str()) == 0;
}

bool can_connect() {
  return ::socket(AF_INET, SOCK_STREAM, 0) >= 0 || ::socket(AF_UNIX, SOCK_STREAM, 0) >= 0;
}

bool can_start() {
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl("/bin/true", "true", nullptr);
    ::_exit(1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The deeds of a process that is confined to `folder`, with a file a in it and a file in `other`.
int deeds_in(const TemporaryFolder& folder, const TemporaryFolder& other, bool is_confined) {
  for (const TemporaryFolder* place : {&folder, &other}) test::write_text(place->path() / "a", "1");
  const pid_t child = ::fork();
  if (child == 0) {
    const Confinement held =
        is_confined ? confine_self(folder.file("a"), folder.path().string()) : Confinement{};
    int done = (held.reads_only_its_folder ? kHeld : 0) | (held.changes_nothing ? kStayed : 0);
    if (can_open(folder.file("a"), O_RDONLY) && can_open(folder.path().string(), O_RDONLY | O_DIRECTORY))
      done |= kRead;
    if (can_open(other.file("a"), O_RDONLY) || can_open("/etc/passwd", O_RDONLY)) done |= kReadElsewhere;
    if (can_write(folder)) done |= kWrote;
    if (can_connect()) done |= kConnected;
    if (can_start()) done |= kStarted;
    if (can_move(folder)) done |= kMoved;
    ::_exit(done);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The test can tell the difference.
TEST(Confine, WithoutItEverythingWorks) {
  const TemporaryFolder folder, other;
  EXPECT_EQ(deeds_in(folder, other, false), kRead | kReadElsewhere | kWrote | kConnected | kStarted | kMoved);
}

TEST(Confine, ReadsItsFolderAndDoesNothingElse) {
  const TemporaryFolder folder, other;
  const int done = deeds_in(folder, other, true);
  ASSERT_GE(done, 0);
  EXPECT_TRUE(done & kRead);
  if ((done & kHeld) != 0) {
    EXPECT_FALSE(done & kReadElsewhere);
    EXPECT_FALSE(done & kWrote);
  }
  if ((done & kStayed) != 0) {
    EXPECT_FALSE(done & (kWrote | kConnected | kStarted | kMoved)) << done;
  }
  if ((done & (kHeld | kStayed)) == 0) GTEST_SKIP() << "this kernel offers neither Landlock nor seccomp";
}

}  // namespace
}  // namespace dermis
