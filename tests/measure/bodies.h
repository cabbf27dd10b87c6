// SPDX-License-Identifier: MIT
// Bodies whose volume and area can be worked out by hand.
#pragma once

#include <cmath>
#include <initializer_list>
#include <vector>

#include "characters.h"
#include "dermis/model.h"

namespace dermis::test {

inline Mesh mesh_of(std::vector<Vec3> points, const std::vector<std::vector<Index>>& polygons) {
  Mesh mesh;
  mesh.name = "body";
  mesh.points = std::move(points);
  for (const std::vector<Index>& polygon : polygons) {
    mesh.polygons.corners.insert(mesh.polygons.corners.end(), polygon.begin(), polygon.end());
    mesh.polygons.first.push_back(static_cast<std::uint32_t>(mesh.polygons.corners.size()));
  }
  mesh.parts = {{0, static_cast<Index>(mesh.points.size()), 0, static_cast<Index>(mesh.polygons.count())}};
  mesh.weld = weld_coincident(mesh.points);
  return mesh;
}

// Six quadrilaterals around the unit cube, the first one x = 0.
inline Mesh cube() {
  std::vector<Vec3> points;
  for (int k = 0; k < 8; ++k)
    points.push_back({static_cast<float>(k & 1), static_cast<float>(k >> 1 & 1), static_cast<float>(k >> 2)});
  return mesh_of(std::move(points),
                 {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}});
}

inline Mesh tetrahedron() {
  return mesh_of({{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}}, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}});
}

// Of radius one: `rings` rows of 2 * rings points between the poles.
inline Mesh sphere(int rings) {
  std::vector<Vec3> points;
  std::vector<std::vector<Index>> polygons;
  const int sides = 2 * rings;
  for (int r = 1; r <= rings; ++r) {
    const double polar = kPi * r / (rings + 1);
    for (int s = 0; s < sides; ++s) {
      const double angle = 2 * kPi * s / sides;
      points.push_back(Vec3(
          Vec3d{std::sin(polar) * std::cos(angle), std::cos(polar), -std::sin(polar) * std::sin(angle)}));
    }
  }
  const Index top = rings * sides, bottom = top + 1;
  points.push_back({0, 1, 0});
  points.push_back({0, -1, 0});
  for (int s = 0; s < sides; ++s) {
    const int next = (s + 1) % sides;
    polygons.push_back({top, s, next});
    for (int r = 0; r + 1 < rings; ++r)
      polygons.push_back({r * sides + s, (r + 1) * sides + s, (r + 1) * sides + next, r * sides + next});
    polygons.push_back({bottom, (rings - 1) * sides + next, (rings - 1) * sides + s});
  }
  return mesh_of(std::move(points), polygons);
}

// The tube without its caps; the two cap centres stay as points that no polygon uses.
inline Mesh open_tube(const TubeShape& shape) {
  Mesh mesh = tube(shape);
  const auto caps = static_cast<Index>(mesh.points.size()) - 2;
  Polygons walls;
  for (std::size_t p = 0; p < mesh.polygons.count(); ++p) {
    const std::span<const Index> polygon = mesh.polygons.polygon(p);
    if (polygon[0] >= caps) continue;
    walls.corners.insert(walls.corners.end(), polygon.begin(), polygon.end());
    walls.first.push_back(static_cast<std::uint32_t>(walls.corners.size()));
  }
  mesh.polygons = walls;
  mesh.parts[0].polygon_count = static_cast<Index>(walls.count());
  return mesh;
}

inline std::vector<Vec3> mapped(std::span<const Vec3> points, const Affined& map) {
  std::vector<Vec3> result;
  for (const Vec3& p : points) result.push_back(Vec3(map * Vec3d(p)));
  return result;
}

}  // namespace dermis::test
