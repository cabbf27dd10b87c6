// SPDX-License-Identifier: MIT
// Lists temporary files and children of this process, and removes them if it ends at once.
#include "io/leftovers.h"

#include <ftw.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <vector>

#include "dermis/io.h"

namespace dermis {
namespace {

// Folders that cleaning up may hold open at a time; deeper ones are opened again.
constexpr int kOpenFolders = 16;

struct Leftovers {
  std::mutex mutex;
  std::vector<std::string> paths;
  std::vector<pid_t> children;
};

// Never destroyed: objects that end with the program still use it.
Leftovers& leftovers() {
  static Leftovers& listed = *new Leftovers;
  return listed;
}

template <class Value>
void forget(std::vector<Value>& listed, const Value& value) {
  const auto found = std::find(listed.begin(), listed.end(), value);
  if (found == listed.end()) return;
  std::swap(*found, listed.back());
  listed.pop_back();
}

// A killed process runs on until the kernel ends it, and may still write. If another thread waits for the
// child, it may take its status first: then there is nothing left to wait for.
void wait_for_killed(pid_t child) {
  constexpr int kPatience = 1000;  // milliseconds: a process in the middle of a disk access is not waited for
  for (int waited = 0; waited < kPatience && ::waitpid(child, nullptr, WNOHANG) == 0; ++waited) {
    constexpr timespec kMillisecond{.tv_sec = 0, .tv_nsec = 1'000'000};
    ::nanosleep(&kMillisecond, nullptr);
  }
}

int remove_entry(const char* path, const struct stat*, int, struct FTW*) {
  ::remove(path);
  return 0;
}

}  // namespace

void remember_path(const std::string& path) {
  const std::lock_guard lock(leftovers().mutex);
  leftovers().paths.push_back(path);
}

void forget_path(const std::string& path) noexcept {
  const std::lock_guard lock(leftovers().mutex);
  forget(leftovers().paths, path);
}

pid_t start_child(const std::function<pid_t()>& start) {
  const std::lock_guard lock(leftovers().mutex);
  std::vector<pid_t>& children = leftovers().children;
  children.reserve(children.size() + 1);  // a lack of memory is noticed before there is a child
  const pid_t child = start();
  if (child > 0) children.push_back(child);
  return child;
}

void forget_child(pid_t process_group) noexcept {
  const std::lock_guard lock(leftovers().mutex);
  forget(leftovers().children, process_group);
}

void remove_tree(const std::string& path) noexcept {
  ::nftw(path.c_str(), remove_entry, kOpenFolders, FTW_DEPTH | FTW_PHYS);
}

void remove_leftovers() noexcept {
  leftovers().mutex.lock();  // for ever: nothing new may appear
  for (const pid_t child : leftovers().children) ::kill(-child, SIGKILL);
  for (const pid_t child : leftovers().children) wait_for_killed(child);
  // Twice: another thread may just have added a file to a folder that was being emptied.
  for (int pass = 0; pass < 2; ++pass) {
    for (const std::string& path : leftovers().paths) remove_tree(path);
  }
}

}  // namespace dermis
