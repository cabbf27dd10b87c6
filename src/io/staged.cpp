// SPDX-License-Identifier: MIT
// Collects files in a hidden folder next to their target and moves them there together.
#include <dirent.h>
#include <fmt/format.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>

#include "dermis/io.h"
#include "io/file.h"

namespace dermis {
namespace fs = std::filesystem;
namespace {

// Folders that cleaning up may hold open at a time; deeper ones are opened again.
constexpr int kOpenFolders = 16;

// One file on its way. All that its move and its return need is put together before the first file moves:
// memory that runs out in between must not leave half of the files.
struct Move {
  std::string from, target;
  std::string kept;  // a second name for the replaced file, so that it can be restored; removed with the
                     // staging folder
};

// Undoes a move: restores the replaced file.
void take_back(const Move& move) {
  if (::rename(move.kept.c_str(), move.target.c_str()) != 0) ::remove(move.target.c_str());
}

int remove_entry(const char* path, const struct stat*, int, struct FTW*) {
  ::remove(path);
  return 0;
}

// The names in a folder, sorted. Not by std::filesystem, whose iterators end the program when memory runs
// out.
Result<std::vector<std::string>> names_in(const std::string& folder) {
  const auto unreadable = [&] {
    return Error{Errc::unreadable, fmt::format("{}: cannot be read: {}", folder, std::strerror(errno))};
  };
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), ::closedir);
  if (open == nullptr) return unreadable();
  errno = 0;
  while (const dirent* entry = ::readdir(open.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  if (errno != 0) return unreadable();
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

Result<StagedFiles> StagedFiles::open(const std::string& folder) {
  return without_throwing(folder, [&]() -> Result<StagedFiles> {
    static std::atomic<unsigned> counter{0};
    const std::string name = fmt::format(".dermis-{}-{}.part", ::getpid(), counter++);
    StagedFiles staged(folder, (fs::path(folder.empty() ? "." : folder) / name).string());
    if (::mkdir(staged.stage_.c_str(), 0777) != 0) {
      const int failed = errno;
      staged.stage_.clear();
      return Error{Errc::unreadable, fmt::format("{}: cannot create a folder in it: {}",
                                                 folder.empty() ? "." : folder, std::strerror(failed))};
    }
    return staged;
  });
}

StagedFiles::StagedFiles(StagedFiles&& other) noexcept
    : folder_(std::move(other.folder_)), stage_(std::exchange(other.stage_, {})) {}

StagedFiles::~StagedFiles() {
  // By libc, which does not throw where memory has run out.
  if (!stage_.empty()) ::nftw(stage_.c_str(), remove_entry, kOpenFolders, FTW_DEPTH | FTW_PHYS);
}

std::string StagedFiles::path_of(const std::string& name) const { return (fs::path(stage_) / name).string(); }

Result<std::vector<std::string>> StagedFiles::replaced() const {
  const Result<std::vector<std::string>> names = names_in(stage_);
  if (!names) return names.error();
  std::vector<std::string> files;
  std::error_code failed;
  for (const std::string& name : *names) {
    const fs::path target = fs::path(folder_) / name;
    if (!fs::exists(fs::symlink_status(target, failed))) continue;
    const Result<Bytes> mine = read_file(path_of(name), std::numeric_limits<std::uint64_t>::max());
    const Result<Bytes> there = mine ? read_file(target.string(), mine->size()) : mine;
    if (!there || *mine != *there) files.push_back(target.string());
  }
  return files;
}

Result<std::vector<std::string>> StagedFiles::commit() {
  return without_throwing(folder_, [&]() -> Result<std::vector<std::string>> {
    std::vector<Move> moves;
    std::vector<std::string> targets;
    const Result<std::vector<std::string>> names = names_in(stage_);
    if (!names) return names.error();
    for (const std::string& name : *names) {
      const std::string target = (fs::path(folder_) / name).string();
      moves.push_back({path_of(name), target, path_of(name + ".kept")});
      targets.push_back(target);
    }
    for (std::size_t m = 0; m < moves.size(); ++m) {
      const Move& move = moves[m];
      (void)::link(move.target.c_str(), move.kept.c_str());  // fails where nothing is replaced
      if (::rename(move.from.c_str(), move.target.c_str()) == 0) continue;
      const int failed = errno;
      while (m > 0) take_back(moves[--m]);
      return Error{Errc::unreadable, fmt::format("{}: cannot write: {}", move.target, std::strerror(failed))};
    }
    return targets;
  });
}

}  // namespace dermis
