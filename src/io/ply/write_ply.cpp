// SPDX-License-Identifier: MIT
// Writes still meshes as one binary PLY.
#include <fmt/format.h>

#include <algorithm>

#include "io/file.h"
#include "io/still.h"

namespace dermis {
namespace {

template <class Number>
void append(Bytes& out, Number value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  out.insert(out.end(), bytes.begin(), bytes.end());
}

struct PlySize {
  std::size_t points = 0, polygons = 0, longest_polygon = 0;
  bool has_normals = false;
};

PlySize measure(const Character& still) {
  PlySize size;
  for (const Instance& instance : still.instances) {
    const Mesh& mesh = still.meshes[static_cast<std::size_t>(instance.mesh)];
    size.points += mesh.points.size();
    size.polygons += mesh.polygons.count();
    size.has_normals = size.has_normals || (!mesh.normals.empty() && mesh.normals.is_per_point());
    for (std::size_t p = 0; p < mesh.polygons.count(); ++p) {
      size.longest_polygon = std::max(size.longest_polygon, mesh.polygons.polygon(p).size());
    }
  }
  return size;
}

}  // namespace

Result<Notes> write_ply(const std::string& path, const Character& still) {
  const PlySize size = measure(still);
  const bool is_short = size.longest_polygon < 256;  // most readers want a byte here
  Notes notes;
  std::string header = fmt::format("ply\nformat binary_little_endian 1.0\nelement vertex {}\n", size.points);
  for (const char* axis : {"x", "y", "z"}) header += fmt::format("property float {}\n", axis);
  if (size.has_normals) {
    for (const char* axis : {"nx", "ny", "nz"}) header += fmt::format("property float {}\n", axis);
  }
  header += fmt::format("element face {}\nproperty list {} int vertex_indices\nend_header\n", size.polygons,
                        is_short ? "uchar" : "uint");
  Bytes vertices, faces;
  Index base = 0;
  for (const Instance& instance : still.instances) {
    const Mesh& mesh = still.meshes[static_cast<std::size_t>(instance.mesh)];
    const bool has_normals = !mesh.normals.empty() && mesh.normals.is_per_point();
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
      append(vertices, mesh.points[v]);
      if (size.has_normals) append(vertices, has_normals ? mesh.normals.values[v] : Vec3{});
    }
    for (std::size_t p = 0; p < mesh.polygons.count(); ++p) {
      const std::span<const Index> polygon = mesh.polygons.polygon(p);
      if (is_short)
        append(faces, static_cast<std::uint8_t>(polygon.size()));
      else
        append(faces, static_cast<std::uint32_t>(polygon.size()));
      for (const Index v : polygon) append(faces, v + base);
    }
    if (!mesh.normals.is_per_point()) {
      notes.push_back({Note::Kind::loss, "corner-normals",
                       fmt::format("mesh '{}': PLY cannot hold normals on corners", mesh.name)});
    }
    base += static_cast<Index>(mesh.points.size());
  }
  FileSet files;
  const std::span<const std::byte> pieces[] = {bytes_of(header), vertices, faces};
  if (Status added = files.add(path, pieces); !added) return added.error();
  if (Status committed = files.commit(); !committed) return committed.error();
  return notes;
}

}  // namespace dermis
