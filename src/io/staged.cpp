// SPDX-License-Identifier: MIT
// Collects files in a hidden folder next to their target and moves them there together.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>

#include "dermis/io.h"
#include "io/file.h"
#include "io/staging.h"

namespace dermis {
namespace fs = std::filesystem;
namespace {

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

}  // namespace

struct StagedFiles::Stage {
  TargetLock lock;
  StagingFolder folder;
};

Result<StagedFiles> StagedFiles::open(const std::string& folder, const std::string& name) {
  return without_throwing(folder, [&]() -> Result<StagedFiles> {
    const std::string place = folder.empty() ? "." : folder;
    Result<TargetLock> lock = TargetLock::take(folder, name);
    if (!lock) return lock.error();
    std::optional<StagingFolder> made = StagingFolder::make(place);
    if (!made) {
      return Error{Errc::unreadable,
                   fmt::format("{}: cannot create a folder in it: {}", place, std::strerror(errno))};
    }
    StagedFiles staged;
    staged.folder_ = folder;
    staged.stage_ = std::make_unique<Stage>(Stage{std::move(*lock), std::move(*made)});
    return staged;
  });
}

StagedFiles::StagedFiles() = default;
StagedFiles::StagedFiles(StagedFiles&& other) noexcept = default;
StagedFiles::~StagedFiles() = default;

std::string StagedFiles::path_of(const std::string& name) const {
  return (fs::path(stage_->folder.path()) / name).string();
}

Result<std::vector<std::string>> StagedFiles::replaced() const {
  const Result<std::vector<std::string>> names = names_in(stage_->folder.path());
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
    const Result<std::vector<std::string>> names = names_in(stage_->folder.path());
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
