// SPDX-License-Identifier: MIT
// Folders for files on their way to a target, and locks on targets; both are recognised if their owner was
// killed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dermis/base.h"

namespace dermis {

// The names in a folder, sorted, without "." and "..". Not by std::filesystem, whose iterators end the
// program when memory runs out.
Result<std::vector<std::string>> names_in(const std::string& folder);

// An empty folder ".dermis-RANDOM.part" in another one, removed with all it holds by the destructor. While it
// is there it is locked, which ends with the process: one without a lock was left by a run that was killed.
class StagingFolder {
 public:
  // Nullopt if it cannot be created; errno then says why. Before that, folders and locks in `folder` that
  // killed runs of the same user left more than a minute ago are removed.
  static std::optional<StagingFolder> make(const std::string& folder);
  StagingFolder(StagingFolder&& other) noexcept;
  StagingFolder& operator=(StagingFolder&& other) = delete;
  ~StagingFolder();
  const std::string& path() const { return path_; }

 private:
  StagingFolder() = default;
  std::string path_;  // empty: moved away
  int locked_ = -1;   // the folder itself, open
};

// Makes this process the only one that writes a target, until the destructor.
class TargetLock {
 public:
  // `name` is the target's name in `folder`. An Error if another process, or another lock of this one, has
  // it. Where the file system has no locks, any number of processes get it.
  static Result<TargetLock> take(const std::string& folder, const std::string& name);
  TargetLock(TargetLock&& other) noexcept;
  TargetLock& operator=(TargetLock&& other) = delete;
  ~TargetLock();

 private:
  TargetLock() = default;
  std::string path_;
  int locked_ = -1;  // -1: moved away, or there are no locks
};

}  // namespace dermis
