// SPDX-License-Identifier: MIT
// Normals of points from their polygons.
#include <gtest/gtest.h>

#include "characters.h"
#include "dermis/geometry.h"

namespace dermis {
namespace {

TEST(PointNormals, PointAwayFromTheAxisOfATube) {
  const Mesh mesh = test::tube({.rings = 9, .sides = 16});
  const std::vector<Vec3> normals = point_normals(mesh.points, mesh.polygons.first, mesh.polygons.corners);
  for (std::size_t v = 16; v < 8 * 16; ++v) {
    EXPECT_LT(length(normals[v] - mesh.normals.values[v]), 1e-6f);
  }
}

TEST(PointNormals, WeighPolygonsByArea) {
  // A small triangle facing +z and one of three times its area facing +x, at one point.
  const std::vector<Vec3> points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {0, 0, 3}, {5, 5, 5}};
  const std::vector<std::uint32_t> first{0, 3, 6};
  const std::vector<std::int32_t> corners{0, 1, 2, 0, 3, 4};
  const std::vector<Vec3> normals = point_normals(points, first, corners);
  const Vec3d expected = normalized(Vec3d{3, 0, 1});
  EXPECT_LT(length(Vec3d(normals[0]) - expected), 1e-6);
  EXPECT_EQ(normals[1], (Vec3{0, 0, 1}));
  EXPECT_EQ(normals[5], (Vec3{0, 0, 0}));
}

TEST(PointNormals, OfAPolygonDoNotDependOnItsFirstCorner) {
  const std::vector<Vec3> points{{0, 0, 0}, {2, 0, 0.5f}, {2, 1, 0}, {1, 0.2f, 0.1f}, {0, 1, -0.5f}};
  const std::vector<std::uint32_t> first{0, 5};
  const std::vector<std::int32_t> corners{0, 1, 2, 3, 4}, turned{3, 4, 0, 1, 2};
  EXPECT_LT(length(point_normals(points, first, corners)[0] - point_normals(points, first, turned)[0]),
            1e-6f);
}

TEST(PointNormals, KeepTheirDigitsFarFromTheOrigin) {
  const std::vector<Vec3> points{{4096, 4096, 4096}, {4097, 4096, 4096}, {4096, 4097, 4096}};
  const std::vector<std::uint32_t> first{0, 3};
  const std::vector<std::int32_t> corners{0, 1, 2};
  EXPECT_EQ(point_normals(points, first, corners)[0], (Vec3{0, 0, 1}));
}

}  // namespace
}  // namespace dermis
