// SPDX-License-Identifier: MIT
// How fast large files load, compared with plain reading in the same run.
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

// A file in the temporary folder, removed with the object together with its material file.
struct TemporaryFile {
  std::string path;
  explicit TemporaryFile(const char* extension)
      : path((fs::temp_directory_path() / fmt::format("dermis-bench-{}{}", ::getpid(), extension)).string()) {
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(path, ignored);
    fs::remove(fs::path(path).replace_extension(".mtl"), ignored);
  }
};

// Into fresh memory, as in a loader: the pages must be touched too.
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

// The humanoid as a still OBJ has texture coordinates and normals on its corners, like files from other
// programs.
Character with_texture_coordinates(Character character) {
  Mesh& mesh = character.meshes[0];
  mesh.uvs.resize(1);
  for (const Vec3& p : mesh.points) mesh.uvs[0].values.push_back({p.x, p.y});
  return character;
}

// An ascii PLY, which dermis itself does not write.
std::string ascii_ply(const Mesh& mesh) {
  std::string text = fmt::format(
      "ply\nformat ascii 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n"
      "element face {}\nproperty list uchar int vertex_indices\nend_header\n",
      mesh.points.size(), mesh.polygons.count());
  for (const Vec3& p : mesh.points) text += fmt::format("{} {} {}\n", p.x, p.y, p.z);
  for (std::size_t p = 0; p < mesh.polygons.count(); ++p) {
    const std::span<const Index> polygon = mesh.polygons.polygon(p);
    text += fmt::format("{} {}\n", polygon.size(), fmt::join(polygon, " "));
  }
  return text;
}

Status write_text(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return Error{Errc::unreadable, fmt::format("{}: cannot be written", path)};
  const bool is_written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && is_written
             ? Status(Done{})
             : Error{Errc::unreadable, fmt::format("{}: cannot be written", path)};
}

Result<Record> bench_file(const std::string& path, const char* format, std::size_t points,
                          const Options& options) {
  const double megabytes = static_cast<double>(fs::file_size(path)) * 1e-6;
  std::optional<Error> fault;
  std::size_t bytes_read = 0;
  const std::vector<double> seconds = best_seconds({[&] { bytes_read = read_plainly(path); },
                                                    [&] {
                                                      const Result<Asset> asset = load(path);
                                                      if (!asset) fault = asset.error();
                                                    }},
                                                   options.repetitions);
  if (fault) return *fault;
  if (bytes_read != fs::file_size(path))
    return Error{Errc::unreadable, fmt::format("{}: could not be read", path)};
  const double ratio = seconds[1] / seconds[0];
  Record record;
  record.text = fmt::format(
      "load {:<9} {:>8} points  {:7.1f} MB  load {:7.1f} MB/s ({:.3f} s)  read {:7.1f} MB/s  ratio {:.1f}",
      format, points, megabytes, megabytes / seconds[1], seconds[1], megabytes / seconds[0], ratio);
  record.json = {{"name", "load"},
                 {"format", format},
                 {"points", points},
                 {"megabytes", megabytes},
                 {"threads", thread_count()},
                 {"megabytes_per_second", megabytes / seconds[1]},
                 {"read_megabytes_per_second", megabytes / seconds[0]},
                 {"ratio_to_read", ratio}};
  return record;
}

}  // namespace

Result<std::vector<Record>> bench_load(const Options& options) {
  Result<Character> made = make_character(MadeKind::humanoid, {options.points});
  if (!made) return made.error();
  const std::size_t points = made->meshes[0].points.size();
  const Asset asset{std::move(*made), {}, nullptr};
  Character still = with_texture_coordinates(asset.character);
  still.skins.clear();
  still.instances[0].skin = kNone;
  const TemporaryFile glb(".glb"), obj(".obj"), ply(".ply"), text_ply(".text.ply");
  if (const Result<Notes> saved = save(glb.path, asset); !saved) return saved.error();
  if (const Result<Notes> saved = save_posed(obj.path, asset, still); !saved) return saved.error();
  if (const Result<Notes> saved = save_posed(ply.path, asset, still); !saved) return saved.error();
  if (const Status written = write_text(text_ply.path, ascii_ply(still.meshes[0])); !written)
    return written.error();
  std::vector<Record> records;
  const std::pair<const TemporaryFile*, const char*> files[] = {
      {&glb, "glb"}, {&obj, "obj"}, {&ply, "ply"}, {&text_ply, "ascii ply"}};
  for (const auto& [file, format] : files) {
    Result<Record> record = bench_file(file->path, format, points, options);
    if (!record) return record.error();
    records.push_back(std::move(*record));
  }
  return records;
}

}  // namespace dermis::bench
