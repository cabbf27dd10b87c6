// SPDX-License-Identifier: MIT
// Gathers files in a hidden folder beside their target and moves them there together.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <limits>

#include "dermis/io.h"
#include "io/file.h"

namespace dermis {
namespace fs = std::filesystem;
namespace {

std::string kept_name(const std::string& stage, const std::string& target) {
  return (fs::path(stage) / (fs::path(target).filename().string() + ".kept")).string();
}

// Undoes a move: what it replaced is there again.
void take_back(const std::string& stage, const std::string& target) {
  std::error_code ignored;
  const std::string kept = kept_name(stage, target);
  if (fs::exists(kept, ignored))
    fs::rename(kept, target, ignored);
  else
    fs::remove(target, ignored);
}

}  // namespace

Result<StagedFiles> StagedFiles::open(const std::string& folder) {
  return without_throwing(folder, [&]() -> Result<StagedFiles> {
    static std::atomic<unsigned> counter{0};
    const std::string name = fmt::format(".dermis-{}-{}.part", ::getpid(), counter++);
    const std::string stage = (fs::path(folder.empty() ? "." : folder) / name).string();
    std::error_code failed;
    if (!fs::create_directory(stage, failed)) {
      return Error{Errc::unreadable,
                   fmt::format("{}: cannot make a folder in it: {}", folder.empty() ? "." : folder,
                               failed ? failed.message() : std::string("it is there already"))};
    }
    return StagedFiles(folder, stage);
  });
}

StagedFiles::StagedFiles(StagedFiles&& other) noexcept
    : folder_(std::move(other.folder_)), stage_(std::exchange(other.stage_, {})) {}

StagedFiles::~StagedFiles() {
  std::error_code ignored;
  if (!stage_.empty()) fs::remove_all(stage_, ignored);
}

std::string StagedFiles::path_of(const std::string& name) const { return (fs::path(stage_) / name).string(); }

std::vector<std::string> StagedFiles::replaced() const {
  std::vector<std::string> files;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(stage_, failed)) {
    const fs::path target = fs::path(folder_) / entry.path().filename();
    if (!fs::exists(fs::symlink_status(target, failed))) continue;
    const Result<Bytes> mine = read_file(entry.path().string(), std::numeric_limits<std::uint64_t>::max());
    const Result<Bytes> there = mine ? read_file(target.string(), mine->size()) : mine;
    if (!there || *mine != *there) files.push_back(target.string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Result<std::vector<std::string>> StagedFiles::commit() {
  return without_throwing(folder_, [&]() -> Result<std::vector<std::string>> {
    std::vector<fs::path> staged;
    for (const auto& entry : fs::directory_iterator(stage_)) staged.push_back(entry.path());
    std::sort(staged.begin(), staged.end());
    std::vector<std::string> moved;
    for (const fs::path& path : staged) {
      const std::string target = (fs::path(folder_) / path.filename()).string();
      std::error_code failed, ignored;
      // A second name for what is replaced, so that it can come back; gone with the staging folder.
      fs::create_hard_link(target, kept_name(stage_, target), ignored);
      fs::rename(path, target, failed);
      if (failed) {
        for (const std::string& done : moved) take_back(stage_, done);
        return Error{Errc::unreadable, fmt::format("{}: cannot write: {}", target, failed.message())};
      }
      moved.push_back(target);
    }
    return moved;
  });
}

}  // namespace dermis
