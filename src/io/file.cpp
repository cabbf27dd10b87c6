// SPDX-License-Identifier: MIT
// Reads whole files and writes sets of files atomically, with the system's reason in every error sentence.
#include "io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "dermis/io.h"

namespace dermis {
namespace fs = std::filesystem;
namespace {

// Where a path leads, links followed as far as it exists. Absolute first: weakly_canonical leaves a relative
// path relative if not even its first part exists, as that of a file about to be written to the current
// folder.
fs::path followed(const std::string& path, std::error_code& failed) {
  const fs::path absolute = fs::absolute(path, failed);
  return failed ? absolute : fs::weakly_canonical(absolute, failed);
}

// The path itself, or where links lead from it; still a link if they lead in a circle.
std::string behind_links(const std::string& path) {
  constexpr int kMostLinks = 40;  // as in Linux
  std::error_code failed;
  fs::path target = path;
  for (int k = 0; k < kMostLinks && fs::is_symlink(target, failed); ++k)
    target = target.parent_path() / fs::read_symlink(target, failed);  // absolute ones replace it
  return target.string();
}

Error system_error(const std::string& path, const char* what) {
  return {Errc::unreadable, fmt::format("{}: {}: {}", path, what, std::strerror(errno))};
}

// Closes on every path out of a scope.
struct Descriptor {
  int fd = -1;
  explicit Descriptor(int fd_) : fd(fd_) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

Status write_all(int fd, std::span<const std::byte> bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_error(path, "cannot write");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return Done{};
}

}  // namespace

Error over_memory(std::string sentence) {
  return Error{Errc::too_large, std::move(sentence)}.with_remedy("max_memory");
}

Result<Bytes> read_file(const std::string& path, std::uint64_t max_bytes) {
  // O_NONBLOCK: opening a named pipe must not hang before we can refuse it.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.fd < 0) return system_error(path, "cannot open");
  struct stat info {};
  if (::fstat(file.fd, &info) != 0) return system_error(path, "cannot read");
  if (S_ISDIR(info.st_mode))
    return Error{Errc::unreadable, fmt::format("{}: is a folder; name a file in it", path)};
  if (!S_ISREG(info.st_mode)) return Error{Errc::unreadable, fmt::format("{}: is not a file", path)};
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (size > max_bytes) {
    return over_memory(fmt::format("{}: has {} bytes, more than the allowed {}", path, size, max_bytes));
  }
  Bytes bytes(size);
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = ::read(file.fd, bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error(path, "cannot read");
    if (got == 0) return Error{Errc::unreadable, fmt::format("{}: became shorter while it was read", path)};
    filled += static_cast<std::size_t>(got);
  }
  return bytes;
}

std::string extension_of(const std::string& path) {
  std::string extension = fs::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string stem_of(const std::string& path) { return fs::path(path).stem().string(); }

bool is_inside(const std::string& folder, const std::string& path) {
  std::error_code failed, also_failed;
  const fs::path root = followed(folder, failed);
  const fs::path relative = followed(path, also_failed).lexically_relative(root);
  return !failed && !also_failed && !relative.empty() && *relative.begin() != "..";
}

std::string link_out_of(const std::string& folder, const std::string& path) {
  if (folder.empty() || is_inside(folder, path)) return {};
  const fs::path relative =
      fs::path(path).lexically_normal().lexically_relative(fs::path(folder).lexically_normal());
  if (relative.empty() || *relative.begin() == "..") return {};
  std::error_code ignored;
  return followed(path, ignored).string();
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return fs::equivalent(a, b, ignored);
}

// In the same folder, because a file can only be renamed within one file system. Null if it cannot be
// created; errno then says why.
const StagingFolder* FileSet::stage_for(const std::string& folder) {
  const auto is_for = [&](const Stage& stage) { return stage.target == folder; };
  const auto found = std::find_if(stages_.begin(), stages_.end(), is_for);
  if (found != stages_.end()) return &found->folder;
  std::optional<StagingFolder> made = StagingFolder::make(folder);
  if (!made) return nullptr;
  stages_.push_back({folder, std::move(*made)});
  return &stages_.back().folder;
}

Status FileSet::add(const std::string& path, std::span<const std::byte> bytes) {
  const std::span<const std::byte> pieces[] = {bytes};
  return add(path, pieces);
}

Status FileSet::add(const std::string& path, std::span<const std::span<const std::byte>> pieces) {
  std::error_code failed;
  if (fs::is_directory(path, failed))
    return Error{Errc::unreadable, fmt::format("{}: is a folder; name a file in it", path)};
  if (fs::exists(path, failed) && !fs::is_regular_file(path, failed))
    return Error{
        Errc::unreadable,
        fmt::format("{}: is a pipe or a device, which is written at once or not at all; name a file", path)};
  // A link stays, and the file that it names is written, also one that is not there yet. Side files, which
  // the user did not name, replace links.
  const std::string target = entries_.empty() ? behind_links(path) : path;
  if (entries_.empty() && fs::is_symlink(target, failed))
    return Error{Errc::unreadable, fmt::format("{}: is a link that leads nowhere; name a file", path)};
  if (!entries_.empty())
    fs::create_directories(folder_of(target), failed);  // textures/ next to the main file
  const StagingFolder* const stage = stage_for(folder_of(target));
  if (stage == nullptr) return system_error(path, "cannot write");
  const std::string temporary = fmt::format("{}/{}", stage->path(), entries_.size());
  const Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file.fd < 0) return system_error(path, "cannot write");
  for (const auto& piece : pieces) {
    if (Status written = write_all(file.fd, piece, path); !written) return written;
  }
  // Full disks and quotas of network folders are reported only here.
  if (::fsync(file.fd) != 0 && errno != EINVAL) return system_error(path, "cannot write");
  entries_.push_back({temporary, target});
  return Done{};
}

Status FileSet::commit() {
  // Side files first: once the main file, which was added first, is visible, the files it refers to exist.
  while (!entries_.empty()) {
    const Entry& entry = entries_.back();
    if (::rename(entry.temporary.c_str(), entry.path.c_str()) != 0)
      return system_error(entry.path, "cannot write");
    entries_.pop_back();
  }
  return Done{};
}

Result<Bytes> load_bytes(const std::string& path, std::uint64_t max_bytes) {
  return without_throwing(path, [&] { return read_file(path, max_bytes); });
}

Status save_bytes(const std::string& path, std::span<const std::byte> bytes) {
  return without_throwing(path, [&]() -> Status {
    FileSet files;
    if (Status added = files.add(path, bytes); !added) return added;
    return files.commit();
  });
}

}  // namespace dermis
