// SPDX-License-Identifier: MIT
// Computes missing normals from polygons in meshes where other points or corners have normals.
#include "io/normals.h"

#include <fmt/format.h>

#include <algorithm>

#include "dermis/geometry.h"

namespace dermis {
namespace {

constexpr Vec3 kUp{0, 1, 0};
// gltf-validator complains from 0.0067 on.
constexpr float kGltfTolerance = 0.006f;

bool is_missing(const Vec3& normal) {
  const float size = length(normal);
  return !(size > 0) || !std::isfinite(size);
}
bool is_faulty(const Vec3& normal) { return !(std::abs(length(normal) - 1.0f) <= kGltfTolerance); }

std::size_t fill_points(Mesh& mesh) {
  const std::vector<Vec3> made = point_normals(mesh.points, mesh.polygons.first, mesh.polygons.corners);
  std::size_t count = 0;
  for (std::size_t v = 0; v < made.size(); ++v) {
    Vec3& normal = mesh.normals.values[v];
    if (!is_missing(normal)) continue;
    normal = is_missing(made[v]) ? kUp : made[v];
    ++count;
  }
  return count;
}

// One new value for each polygon with a missing normal.
std::size_t fill_corners(Mesh& mesh) {
  std::size_t count = 0;
  for (std::size_t p = 0; p < mesh.polygons.count(); ++p) {
    Index made = kNone;
    for (std::size_t c = mesh.polygons.first[p]; c < mesh.polygons.first[p + 1]; ++c) {
      Index& value = mesh.normals.corner_value[c];
      if (!is_missing(mesh.normals.values[static_cast<std::size_t>(value)])) continue;
      if (made == kNone) {
        const Vec3 normal(normalized(area_vector(mesh.points, mesh.polygons.polygon(p))));
        made = static_cast<Index>(mesh.normals.values.size());
        mesh.normals.values.push_back(is_missing(normal) ? kUp : normal);
      }
      value = made;
      ++count;
    }
  }
  return count;
}

}  // namespace

bool has_faulty_normals(const Mesh& mesh) {
  const std::vector<Vec3>& values = mesh.normals.values;
  if (mesh.normals.is_per_point()) return std::any_of(values.begin(), values.end(), is_faulty);
  return std::any_of(mesh.normals.corner_value.begin(), mesh.normals.corner_value.end(),
                     [&](Index value) { return is_faulty(values[static_cast<std::size_t>(value)]); });
}

void mend_normals(Mesh& mesh, Notes& notes) {
  if (mesh.normals.empty()) return;
  const std::size_t made = mesh.normals.is_per_point() ? fill_points(mesh) : fill_corners(mesh);
  std::size_t stretched = 0;
  for (Vec3& normal : mesh.normals.values) {
    if (is_missing(normal) || !is_faulty(normal)) continue;
    normal = normalized(normal);
    ++stretched;
  }
  if (made > 0) {
    notes.push_back(
        {Note::Kind::repair, "normals-made",
         fmt::format(
             "mesh {}: {} {} had no usable normal although others have one; computed from the polygons there",
             quoted_name(mesh.name), made, mesh.normals.is_per_point() ? "points" : "corners")});
  }
  if (stretched > 0) {
    notes.push_back({Note::Kind::repair, "normals-not-unit",
                     fmt::format("mesh {}: {} normals were not of unit length; normalised",
                                 quoted_name(mesh.name), stretched)});
  }
}

}  // namespace dermis
