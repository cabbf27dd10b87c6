// SPDX-License-Identifier: MIT
// Starts, watches and ends child processes.
#include "io/process.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include "io/leftovers.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX wants it declared by its user

namespace dermis {

int ChildProcess::start(std::vector<std::string> words, const Streams& streams) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, streams.in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, streams.out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, streams.err, STDERR_FILENO);
  posix_spawnattr_t group_of_its_own;
  posix_spawnattr_init(&group_of_its_own);
  posix_spawnattr_setflags(&group_of_its_own, POSIX_SPAWN_SETPGROUP);
  int failed = 0;
  pid_ = start_child([&] {
    pid_t child = -1;
    failed = posix_spawnp(&child, arguments[0], &actions, &group_of_its_own, arguments.data(), environ);
    return failed == 0 ? child : -1;
  });
  posix_spawnattr_destroy(&group_of_its_own);
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

bool ChildProcess::has_ended() {
  if (pid_ > 0 && ::waitpid(pid_, &status_, WNOHANG) == pid_) forget_child(std::exchange(pid_, -1));
  return pid_ <= 0;
}

void ChildProcess::end() {
  if (pid_ <= 0) return;
  ::kill(-pid_, SIGKILL);
  while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
  }
  forget_child(std::exchange(pid_, -1));
}

}  // namespace dermis
