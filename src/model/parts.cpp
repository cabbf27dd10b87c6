// SPDX-License-Identifier: MIT
// Extracts some parts of a mesh, with the points they use and everything that belongs to those.
#include <span>

#include "dermis/model.h"

namespace dermis {
namespace {

// Keeps the values that the given corners use; per-point values are unchanged.
template <class Value>
void keep_corners(Attribute<Value>& attribute, std::span<const std::uint32_t> corners) {
  if (attribute.is_per_point()) return;
  Attribute<Value> kept;
  std::vector<Index> place(attribute.values.size(), kNone);
  for (const std::uint32_t c : corners) {
    Index& own = place[at(attribute.corner_value[c])];
    if (own == kNone) {
      own = static_cast<Index>(kept.values.size());
      kept.values.push_back(attribute.values[at(attribute.corner_value[c])]);
    }
    kept.corner_value.push_back(own);
  }
  attribute = std::move(kept);
}

}  // namespace

Mesh keep_parts(const Mesh& mesh, const std::vector<bool>& takes) {
  Polygons polygons;
  std::vector<MeshPart> parts;
  std::vector<std::uint32_t> corners;  // of the old mesh
  for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
    if (!takes[p]) continue;
    MeshPart part = mesh.parts[p];
    part.first_polygon = static_cast<Index>(polygons.count());
    for (Index k = 0; k < part.polygon_count; ++k) {
      const std::size_t polygon = at(mesh.parts[p].first_polygon + k);
      for (std::uint32_t c = mesh.polygons.first[polygon]; c < mesh.polygons.first[polygon + 1]; ++c) {
        corners.push_back(c);
        polygons.corners.push_back(mesh.polygons.corners[c]);
      }
      polygons.first.push_back(static_cast<std::uint32_t>(polygons.corners.size()));
    }
    parts.push_back(std::move(part));
  }
  std::vector<Index> place(mesh.points.size(), kNone), points;
  for (const Index v : polygons.corners) place[at(v)] = 0;
  for (std::size_t v = 0; v < place.size(); ++v) {
    if (place[v] == kNone) continue;
    place[v] = static_cast<Index>(points.size());
    points.push_back(static_cast<Index>(v));
  }
  for (Index& v : polygons.corners) v = place[at(v)];
  for (MeshPart& part : parts) {
    // As in an OBJ: the first part owns all points.
    part.first_point = &part == parts.data() ? 0 : static_cast<Index>(points.size());
    part.point_count = &part == parts.data() ? static_cast<Index>(points.size()) : 0;
  }
  Mesh kept = take_points(mesh, points);
  kept.polygons = std::move(polygons);
  kept.parts = std::move(parts);
  for_each_attribute(kept, [&](auto& attribute) { keep_corners(attribute, corners); });
  return kept;
}

}  // namespace dermis
