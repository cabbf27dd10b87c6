// SPDX-License-Identifier: MIT
// Posed points as tests keep and compare them.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "dermis/deform.h"

namespace dermis::test {

// What the joints of a random palette do.
enum class Joints { rigid, scaled, mirrored };

struct Posed {
  std::vector<Vec3> points, normals;
  std::vector<Vec4> tangents;
  explicit Posed(std::size_t count) : points(count), normals(count), tangents(count) {}
  PosedSurface surface() { return {points, normals, tangents}; }
  bool operator==(const Posed&) const = default;
};

inline double furthest(std::span<const Vec3> a, std::span<const Vec3> b) {
  double most = 0;
  for (std::size_t v = 0; v < a.size(); ++v) most = std::max(most, length(Vec3d(a[v]) - Vec3d(b[v])));
  return most;
}

inline std::vector<Vec3> moved(std::vector<Vec3> points, const Affined& by) {
  for (Vec3& point : points) point = Vec3(by * Vec3d(point));
  return points;
}

}  // namespace dermis::test
