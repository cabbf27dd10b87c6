// SPDX-License-Identifier: MIT
// Random names, locks that end with their process, and the removal of what killed runs left.
#include "io/staging.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <utility>

#include "io/fingerprint.h"
#include "io/leftovers.h"

namespace dermis {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kPrefix = ".dermis-", kFolder = ".part", kLock = ".lock";
constexpr std::size_t kDigits = 16;
// A folder is locked a moment after it is created; one this old is past that moment.
constexpr std::time_t kStaleSeconds = 60;
// How often a lock is tried whose holder is just about to remove it.
constexpr int kTries = 100;

// Processes in containers share their numbers, so those do not make a name unique.
std::uint64_t random_number() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof(number), 0) == sizeof(number)) return number;
  static std::atomic<std::uint64_t> counter{0};
  const auto now = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  return (now << 16) + (static_cast<std::uint64_t>(::getpid()) << 8) + counter++;
}

std::string hidden_name(std::uint64_t number, std::string_view ending) {
  return fmt::format("{}{:016x}{}", kPrefix, number, ending);
}

bool is_ours(std::string_view name) {
  if (name.size() != kPrefix.size() + kDigits + kFolder.size() || !name.starts_with(kPrefix)) return false;
  const std::string_view digits = name.substr(kPrefix.size(), kDigits);
  return digits.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
         (name.ends_with(kFolder) || name.ends_with(kLock));
}

// True if this process now holds the lock.
bool is_locked(int fd) { return ::flock(fd, LOCK_EX | LOCK_NB) == 0; }

void remove_if_stale(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return;
  struct stat info {};
  const bool is_old = ::fstat(fd, &info) == 0 && info.st_uid == ::geteuid() &&
                      info.st_mtime < std::time(nullptr) - kStaleSeconds;
  if (is_old && is_locked(fd)) remove_tree(path);
  ::close(fd);
}

void sweep(const std::string& folder) {
  // Frames of a sequence are saved one by one in a temporary folder; nothing in it is older than it.
  if (is_ours(fs::path(folder).filename().string())) return;
  const Result<std::vector<std::string>> names = names_in(folder);
  if (!names) return;
  for (const std::string& name : *names) {
    if (is_ours(name)) remove_if_stale((fs::path(folder) / name).string());
  }
}

// True if `path` is the file that `fd` is: its holder may have removed it before it gave up the lock.
bool is_still_there(const std::string& path, int fd) {
  struct stat named {
  }, opened{};
  return ::stat(path.c_str(), &named) == 0 && ::fstat(fd, &opened) == 0 && named.st_ino == opened.st_ino &&
         named.st_dev == opened.st_dev;
}

}  // namespace

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

// ---- Folders ------------------------------------------------------------------------------------------

std::optional<StagingFolder> StagingFolder::make(const std::string& folder) {
  sweep(folder);
  StagingFolder made;
  for (;;) {
    std::string path = (fs::path(folder) / hidden_name(random_number(), kFolder)).string();
    remember_path(path);
    if (::mkdir(path.c_str(), 0700) == 0) {
      made.path_ = std::move(path);
      break;
    }
    const int failed = errno;
    forget_path(path);
    errno = failed;
    if (failed != EEXIST) return std::nullopt;
  }
  made.locked_ = ::open(made.path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (made.locked_ >= 0) (void)is_locked(made.locked_);
  return made;
}

StagingFolder::StagingFolder(StagingFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), locked_(std::exchange(other.locked_, -1)) {}

StagingFolder::~StagingFolder() {
  if (path_.empty()) return;
  remove_tree(path_);
  forget_path(path_);
  if (locked_ >= 0) ::close(locked_);
}

// ---- Locks --------------------------------------------------------------------------------------------

Result<TargetLock> TargetLock::take(const std::string& folder, const std::string& name) {
  const std::string path = (fs::path(folder) / hidden_name(fingerprint_of(name).low, kLock)).string();
  TargetLock lock;
  lock.path_ = path;
  for (int k = 0; k < kTries; ++k) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0) return lock;
    if (!is_locked(fd)) {
      const bool is_held = errno == EWOULDBLOCK;
      ::close(fd);
      if (!is_held) return lock;
      return Error{Errc::unreadable,
                   fmt::format("{}: another run is writing it; wait until that is done, or use another name",
                               (fs::path(folder) / name).string())};
    }
    if (is_still_there(path, fd)) {
      lock.locked_ = fd;
      remember_path(path);
      return lock;
    }
    ::close(fd);
  }
  return lock;
}

TargetLock::TargetLock(TargetLock&& other) noexcept
    : path_(std::exchange(other.path_, {})), locked_(std::exchange(other.locked_, -1)) {}

TargetLock::~TargetLock() {
  if (locked_ < 0) return;
  ::unlink(path_.c_str());
  forget_path(path_);
  ::close(locked_);
}

}  // namespace dermis
