// SPDX-License-Identifier: MIT
// Reads only the points of result files, for comparison.
#include <fmt/format.h>

#include "dermis/io.h"
#include "io/file.h"
#include "io/text.h"

namespace dermis {
namespace {

// Three numbers per line; blank lines are ignored.
Result<std::vector<Vec3>> parse_xyz(std::string_view text, const std::string& path) {
  std::vector<Vec3> points;
  for (std::size_t number = 1; !text.empty(); ++number) {
    std::string_view line = next_line(text);
    if (trimmed(line).empty()) continue;
    Vec3 point;
    if (!take_float(line, point.x) || !take_float(line, point.y) || !take_float(line, point.z) ||
        !is_finite(point)) {
      return Error{Errc::bad_file,
                   fmt::format("{}: line {} does not have three finite numbers", path, number)};
    }
    points.push_back(point);
  }
  if (points.empty()) return Error{Errc::bad_file, fmt::format("{}: has no points", path)};
  return points;
}

}  // namespace

Result<std::vector<Vec3>> load_points(const std::string& path) {
  return without_throwing(path, [&]() -> Result<std::vector<Vec3>> {
    if (extension_of(path) == ".xyz") {
      const Result<Bytes> bytes = read_file(path, LoadOptions{}.max_memory);
      if (!bytes) return bytes.error();
      return parse_xyz(text_of(*bytes), path);
    }
    if (!is_still_file(path)) {
      return Error{Errc::unsupported, fmt::format("{}: points can be read from .obj, .ply and .xyz", path)};
    }
    const Result<Asset> asset = load(path);
    if (!asset) return asset.error();
    std::vector<Vec3> points;
    for (const Mesh& mesh : asset->character.meshes)
      points.insert(points.end(), mesh.points.begin(), mesh.points.end());
    return points;
  });
}

}  // namespace dermis
