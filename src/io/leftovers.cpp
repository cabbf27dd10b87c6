// SPDX-License-Identifier: MIT
// Lists temporary files and children of this process, and removes them if it ends at once.
#include "io/leftovers.h"

#include <ftw.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
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

void remember_child(pid_t process_group) {
  const std::lock_guard lock(leftovers().mutex);
  leftovers().children.push_back(process_group);
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
  // Twice: another thread may just have added a file to a folder that was being emptied.
  for (int pass = 0; pass < 2; ++pass) {
    for (const std::string& path : leftovers().paths) remove_tree(path);
  }
}

}  // namespace dermis
