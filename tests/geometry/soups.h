// SPDX-License-Identifier: MIT
// Small surfaces with known insides, for tests of solids.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "dermis/geometry.h"

namespace dermis::test {

struct Soup {
  std::vector<Vec3> points;
  std::vector<SurfaceMesh::Triangle> triangles;

  Soup& add(const Soup& other) {
    const auto shift = static_cast<std::uint32_t>(points.size());
    points.insert(points.end(), other.points.begin(), other.points.end());
    for (const auto& t : other.triangles) triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
    return *this;
  }
  Soup flipped() const {
    Soup soup = *this;
    for (auto& t : soup.triangles) std::swap(t[1], t[2]);
    return soup;
  }
};

// Closed, two triangles a side.
inline Soup box_soup(const Vec3d& lower, const Vec3d& upper) {
  Soup soup;
  for (int k = 0; k < 8; ++k) {
    soup.points.push_back(Vec3(Vec3d{(k & 1) != 0 ? upper.x : lower.x, (k & 2) != 0 ? upper.y : lower.y,
                                     (k & 4) != 0 ? upper.z : lower.z}));
  }
  soup.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return soup;
}

// A round tube along a path in the plane z = 0, closed by fans unless it is open.
inline Soup rod_soup(const std::vector<Vec3d>& path, double radius, int sides = 32, bool is_open = false) {
  Soup soup;
  const auto wide = static_cast<std::uint32_t>(sides);
  for (std::size_t k = 0; k < path.size(); ++k) {
    const Vec3d along = normalized(path[std::min(k + 1, path.size() - 1)] - path[k == 0 ? 0 : k - 1]);
    const Vec3d across = cross(Vec3d{0, 0, 1}, along);
    for (int s = 0; s < sides; ++s) {
      const double angle = 2 * kPi * s / sides;
      soup.points.push_back(
          Vec3(path[k] + across * (radius * std::cos(angle)) + Vec3d{0, 0, radius * std::sin(angle)}));
    }
  }
  const auto rows = static_cast<std::uint32_t>(path.size());
  for (std::uint32_t k = 0; k + 1 < rows; ++k) {
    for (std::uint32_t s = 0; s < wide; ++s) {
      const std::uint32_t a = k * wide + s, b = k * wide + (s + 1) % wide;
      soup.triangles.push_back({a, b, a + wide});
      soup.triangles.push_back({b, b + wide, a + wide});
    }
  }
  if (is_open) return soup;
  for (const std::uint32_t end : {0u, rows - 1}) {
    const auto middle = static_cast<std::uint32_t>(soup.points.size());
    soup.points.push_back(Vec3(path[end]));
    for (std::uint32_t s = 0; s < wide; ++s) {
      const std::uint32_t a = end * wide + s, b = end * wide + (s + 1) % wide;
      if (end == 0) {
        soup.triangles.push_back({middle, b, a});
      } else {
        soup.triangles.push_back({middle, a, b});
      }
    }
  }
  return soup;
}

inline std::vector<Vec3d> straight_path(const Vec3d& from, const Vec3d& to, int steps) {
  std::vector<Vec3d> path;
  for (int k = 0; k <= steps; ++k) path.push_back(lerp(from, to, static_cast<double>(k) / steps));
  return path;
}

// From (0, 0) to (arm, 0), half around (arm, bend) and back to (0, 2 bend).
inline std::vector<Vec3d> u_path(double arm, double bend) {
  std::vector<Vec3d> path = straight_path({0, 0, 0}, {arm, 0, 0}, 20);
  for (int k = 1; k < 48; ++k) {
    const double angle = kPi * k / 48;
    path.push_back({arm + bend * std::sin(angle), bend - bend * std::cos(angle), 0});
  }
  for (const Vec3d& p : straight_path({arm, 2 * bend, 0}, {0, 2 * bend, 0}, 20)) path.push_back(p);
  return path;
}

}  // namespace dermis::test
