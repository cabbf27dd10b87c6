// SPDX-License-Identifier: MIT
// Polygons cut into triangles: each covered once, whatever its outline.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "dermis/geometry.h"

namespace dermis {
namespace {

std::vector<std::int32_t> all_of(const std::vector<Vec3>& points) {
  std::vector<std::int32_t> polygon(points.size());
  std::iota(polygon.begin(), polygon.end(), 0);
  return polygon;
}

struct Cut {
  bool is_covered = false;
  std::vector<std::uint32_t> triangles;
  double least = 0;  // area of a triangle beside that of the polygon, negative when it is turned over
};

Cut cut(const std::vector<Vec3>& points) {
  const std::vector<std::int32_t> polygon = all_of(points);
  Cut result;
  result.is_covered = triangulate_polygon(points, polygon, result.triangles);
  EXPECT_EQ(result.triangles.size(), 3 * (points.size() - 2));
  const Vec3d whole = area_vector(points, polygon);
  result.least = 1;
  for (std::size_t t = 0; t + 2 < result.triangles.size(); t += 3) {
    const Vec3d a(points[result.triangles[t]]), b(points[result.triangles[t + 1]]),
        c(points[result.triangles[t + 2]]);
    result.least = std::min(result.least, dot(cross(b - a, c - a), whole) / dot(whole, whole));
  }
  return result;
}

TEST(TriangulatePolygon, ConcavePolygonsWereFannedAcrossTheirOutside) {
  const Cut notched = cut({{2, 2, 0}, {1, 0.5f, 0}, {0, 2, 0}, {0, 0, 0}, {2, 0, 0}});
  EXPECT_TRUE(notched.is_covered);
  EXPECT_GT(notched.least, 0);
}

TEST(TriangulatePolygon, FansConvexPolygonsFromTheirFirstCorner) {
  const Cut square = cut({{0, 0, 0}, {0, 0, 1}, {1, 0, 1}, {1, 0, 0}});
  EXPECT_TRUE(square.is_covered);
  EXPECT_EQ(square.triangles, (std::vector<std::uint32_t>{0, 1, 2, 0, 2, 3}));
}

TEST(TriangulatePolygon, CutsAnArrowheadAlongTheDiagonalInsideIt) {
  const std::vector<Vec3> arrow{{1, 0, 5}, {0, 3, 5}, {-1, 0, 5}, {0, 1, 5}};
  for (std::size_t start = 0; start < 4; ++start) {
    std::vector<Vec3> turned = arrow;
    std::rotate(turned.begin(), turned.begin() + static_cast<std::ptrdiff_t>(start), turned.end());
    const Cut found = cut(turned);
    EXPECT_TRUE(found.is_covered) << start;
    EXPECT_GT(found.least, 0) << start;
  }
}

TEST(TriangulatePolygon, KeepsEveryCornerOnAStraightLine) {
  const Cut found = cut({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {3, 2, 0}, {1.5f, 0.5f, 0}, {0, 2, 0}});
  EXPECT_TRUE(found.is_covered);
  EXPECT_GE(found.least, -1e-6);
}

TEST(TriangulatePolygon, CoversARingWithASeamToItsHole) {
  const Cut ring = cut({{0, 0, 0},
                        {4, 0, 0},
                        {4, 4, 0},
                        {0, 4, 0},
                        {0, 0, 0},
                        {1, 1, 0},
                        {1, 3, 0},
                        {3, 3, 0},
                        {3, 1, 0},
                        {1, 1, 0}});
  EXPECT_TRUE(ring.is_covered);
  EXPECT_GE(ring.least, -1e-6);
}

TEST(TriangulatePolygon, SaysWhenAPolygonCrossesItselfOrHasNoArea) {
  const Cut bow_tie = cut({{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1.5f, 0}});
  EXPECT_FALSE(bow_tie.is_covered);
  EXPECT_EQ(bow_tie.triangles, (std::vector<std::uint32_t>{0, 1, 2, 0, 2, 3}));
  std::vector<std::uint32_t> triangles;
  const std::vector<Vec3> line{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}};
  EXPECT_FALSE(triangulate_polygon(line, all_of(line), triangles));
  EXPECT_EQ(triangles.size(), 6u);
}

// A corridor wound three times around itself: no corner sees far.
TEST(TriangulatePolygon, CoversASpiral) {
  std::vector<Vec3> points;
  constexpr int kSteps = 150;
  for (const float width : {0.0f, 0.6f}) {
    for (int k = 0; k <= kSteps; ++k) {
      const float angle = 0.125f * static_cast<float>(width > 0 ? kSteps - k : k);
      const float radius = 1 + angle * 0.2f - width;
      points.push_back({radius * std::cos(angle), 0, -radius * std::sin(angle)});
    }
  }
  const Cut spiral = cut(points);
  EXPECT_TRUE(spiral.is_covered);
  EXPECT_GE(spiral.least, -1e-6);
}

// Outlines that go once around the origin do not cross themselves.
TEST(TriangulatePolygon, CoversRandomOutlinesInAnyPlane) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(0, 1);
    const Vec3d axis{number(random) - 0.5, number(random) - 0.5, number(random) + 0.1};
    const Quatd turned = quat_from_axis_angle(normalized(axis), 6 * number(random));
    const auto size = 4 + static_cast<std::size_t>(seed % 60);
    std::vector<Vec3> points;
    for (std::size_t k = 0; k < size; ++k) {
      const double radius = 0.1 + number(random);
      const double angle = 2 * kPi * static_cast<double>(k) / static_cast<double>(size);
      const Vec3d flat{radius * std::cos(angle), radius * std::sin(angle), 0};
      points.push_back(Vec3(rotate(turned, flat) + Vec3d{10, 20, 30}));
    }
    const Cut found = cut(points);
    EXPECT_TRUE(found.is_covered) << "seed " << seed;
    EXPECT_GE(found.least, -1e-5) << "seed " << seed;
  }
}

}  // namespace
}  // namespace dermis
