// SPDX-License-Identifier: MIT
// How fast a large GLB loads, beside plainly reading the file in the same run.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "bench.h"
#include "dermis/io.h"
#include "dermis/made.h"

namespace dermis::bench {
namespace fs = std::filesystem;
namespace {

// A file of our own in the temporary folder, gone with the object.
struct TemporaryFile {
  std::string path = (fs::temp_directory_path() / fmt::format("dermis-bench-{}.glb", ::getpid())).string();
  TemporaryFile() = default;
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(path, ignored);
  }
};

// Into fresh memory, as a loader must: the pages have to be touched too.
std::size_t read_plainly(const std::string& path) {
  std::vector<char> bytes(fs::file_size(path));
  const int file = ::open(path.c_str(), O_RDONLY);
  std::size_t filled = 0;
  while (file >= 0 && filled < bytes.size()) {
    const ssize_t got = ::read(file, bytes.data() + filled, bytes.size() - filled);
    if (got <= 0) break;
    filled += static_cast<std::size_t>(got);
  }
  ::close(file);
  return filled;
}

}  // namespace

Result<std::vector<Record>> bench_load(const Options& options) {
  const TemporaryFile file;
  Result<Character> made = make_character(MadeKind::humanoid, {options.points});
  if (!made) return made.error();
  const std::size_t points = made->meshes[0].points.size();
  const Result<Notes> saved = save(file.path, Asset{std::move(*made), {}, nullptr});
  if (!saved) return saved.error();
  const double megabytes = static_cast<double>(fs::file_size(file.path)) * 1e-6;

  std::optional<Error> fault;
  std::size_t bytes_read = 0;
  const std::vector<double> seconds = best_seconds({[&] { bytes_read = read_plainly(file.path); },
                                                    [&] {
                                                      const Result<Asset> asset = load(file.path);
                                                      if (!asset) fault = asset.error();
                                                    }},
                                                   options.repetitions);
  if (fault) return *fault;
  if (bytes_read != fs::file_size(file.path))
    return Error{Errc::unreadable, fmt::format("{}: could not be read", file.path)};
  const double ratio = seconds[1] / seconds[0];
  Record record;
  record.text = fmt::format(
      "load glb   {:>8} points  {:7.1f} MB  load {:7.1f} MB/s ({:.3f} s)  read {:7.1f} MB/s  ratio {:.1f}",
      points, megabytes, megabytes / seconds[1], seconds[1], megabytes / seconds[0], ratio);
  record.json = {{"name", "load"},
                 {"format", "glb"},
                 {"points", points},
                 {"megabytes", megabytes},
                 {"threads", thread_count()},
                 {"megabytes_per_second", megabytes / seconds[1]},
                 {"read_megabytes_per_second", megabytes / seconds[0]},
                 {"ratio_to_read", ratio}};
  return std::vector<Record>{record};
}

}  // namespace dermis::bench
