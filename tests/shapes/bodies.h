// SPDX-License-Identifier: MIT
// Meshes with shapes for the tests of shapes.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "characters.h"
#include "dermis/made.h"
#include "dermis/shapes.h"

namespace dermis::test {

// The made face: its character has one mesh with shapes that are local, smooth and one-sided.
inline const Character& face() {
  static const Character character = [] {
    Result<Character> made = make_character(MadeKind::face, {3000});
    EXPECT_TRUE(made);
    return std::move(*made);
  }();
  return character;
}

// The points of a mesh with one shape fully applied.
inline std::vector<Vec3> sculpted(const Mesh& mesh, const Shape& shape) {
  std::vector<Vec3> points = mesh.points;
  for (std::size_t k = 0; k < shape.points.size(); ++k) points[at(shape.points[k])] += shape.offsets[k];
  return points;
}

// The largest distance between two lists of points.
inline double apart(std::span<const Vec3> a, std::span<const Vec3> b) {
  double most = 0;
  for (std::size_t v = 0; v < a.size(); ++v) most = std::max(most, length(Vec3d(a[v]) - Vec3d(b[v])));
  return most;
}

inline double size_of(const Mesh& mesh) {
  Box box;
  for (const Vec3& p : mesh.points) box.add(Vec3d(p));
  return box.diagonal();
}

inline double largest_offset(const Shape& shape) {
  double most = 0;
  for (const Vec3& offset : shape.offsets) most = std::max(most, length(Vec3d(offset)));
  return most;
}

}  // namespace dermis::test
