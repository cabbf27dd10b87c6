// SPDX-License-Identifier: MIT
// Edges and shells of meshes whose counts can be told by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "dermis/geometry.h"

namespace dermis {
namespace {

struct Faces {
  std::vector<Vec3> points;
  std::vector<std::uint32_t> first{0};
  std::vector<std::int32_t> corners;

  void face(std::initializer_list<std::int32_t> polygon) {
    corners.insert(corners.end(), polygon);
    first.push_back(static_cast<std::uint32_t>(corners.size()));
  }
  // A cube from `low` to `high` of six quads, anticlockwise seen from outside, or from inside.
  void cube(float low, float high, bool is_flipped = false) {
    const auto base = static_cast<std::int32_t>(points.size());
    for (int k = 0; k < 8; ++k)
      points.push_back({(k & 1) != 0 ? high : low, (k & 2) != 0 ? high : low, (k & 4) != 0 ? high : low});
    constexpr std::int32_t kQuads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                           {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (const auto& q : kQuads) {
      if (is_flipped)
        face({base + q[0], base + q[3], base + q[2], base + q[1]});
      else
        face({base + q[0], base + q[1], base + q[2], base + q[3]});
    }
  }
  void drop_last() {
    first.pop_back();
    corners.resize(first.back());
  }
  EdgeList edges() const { return list_edges(points.size(), first, corners); }
  SurfaceReport report() const { return measure_surface(points, first, corners, edges()); }
};

TEST(Shells, ACubeIsOneClosedShellOfTwelveEdgesAndItsVolume) {
  Faces faces;
  faces.cube(1, 3);
  EXPECT_EQ(faces.edges().count(), 12u);
  const SurfaceReport report = faces.report();
  EXPECT_EQ(report.shell_count, 1u);
  EXPECT_TRUE(report.is_closed);
  ASSERT_EQ(report.patches.size(), 1u);
  EXPECT_DOUBLE_EQ(report.patches[0].volume, 8);
  EXPECT_FALSE(report.patches[0].is_flipped);
}

TEST(Shells, ACubeWithoutALidHasFourOpenEdges) {
  Faces faces;
  faces.cube(0, 1);
  faces.drop_last();
  const SurfaceReport report = faces.report();
  EXPECT_EQ(report.open_edge_count, 4u);
  EXPECT_FALSE(report.is_closed);
  EXPECT_GE(report.first_open, 0);
}

TEST(Shells, AFinOnAnEdgeMakesItNonManifold) {
  Faces faces;
  faces.cube(0, 1);
  faces.points.push_back({2, 2, 2});
  faces.face({0, 1, 8});
  const SurfaceReport report = faces.report();
  EXPECT_EQ(report.nonmanifold_edge_count, 1u);
  EXPECT_EQ(report.open_edge_count, 2u);
  EXPECT_EQ(report.shell_count, 1u);
}

TEST(Shells, AnInsideOutCubeBesideAnotherIsFlippedAndTurnsWhole) {
  Faces faces;
  faces.cube(0, 1);
  faces.cube(5, 6, true);
  const SurfaceReport report = faces.report();
  EXPECT_EQ(report.shell_count, 2u);
  ASSERT_EQ(report.patches.size(), 2u);
  EXPECT_FALSE(report.patches[0].is_flipped);
  EXPECT_TRUE(report.patches[1].is_flipped);
  for (std::size_t p = 0; p < 12; ++p) EXPECT_EQ(report.is_to_be_turned[p], p >= 6) << p;
}

TEST(Shells, TheInnerWallOfAHollowBodyIsNotFlipped) {
  Faces faces;
  faces.cube(0, 10);
  faces.cube(4, 5, true);
  EXPECT_FALSE(faces.report().patches[1].is_flipped);
}

TEST(Shells, OneQuadWoundAgainstTheOthersHasFourMiswoundEdgesAndAloneTurns) {
  Faces faces;
  faces.cube(0, 1);
  std::swap(faces.corners[1], faces.corners[3]);
  const SurfaceReport report = faces.report();
  EXPECT_EQ(report.miswound_edge_count, 4u);
  EXPECT_EQ(report.first_miswound, 0);
  for (std::size_t p = 0; p < 6; ++p) EXPECT_EQ(report.is_to_be_turned[p], p == 0) << p;
}

TEST(Shells, AMoebiusStripCannotBeTurnedRight) {
  Faces faces;
  constexpr std::int32_t kSteps = 5;
  for (std::int32_t k = 0; k < kSteps; ++k) {
    const auto angle = static_cast<float>(k);
    faces.points.push_back({std::cos(angle), std::sin(angle), 0.1f * angle});
    faces.points.push_back({2 * std::cos(angle), 2 * std::sin(angle), -0.1f * angle});
  }
  for (std::int32_t k = 0; k + 1 < kSteps; ++k) faces.face({2 * k, 2 * k + 1, 2 * k + 3, 2 * k + 2});
  faces.face({2 * kSteps - 2, 2 * kSteps - 1, 0, 1});  // joined with a half turn
  const SurfaceReport report = faces.report();
  ASSERT_EQ(report.patches.size(), 1u);
  EXPECT_FALSE(report.patches[0].is_orientable);
  EXPECT_EQ(std::count(report.is_to_be_turned.begin(), report.is_to_be_turned.end(), true), 0);
}

TEST(Shells, TrianglesThatMeetInAPointAreOneShellOfTwoPatches) {
  Faces faces;
  for (const float x : {0.0f, 1.0f, 2.0f, 3.0f, 4.0f}) faces.points.push_back({x, x * x, 1});
  faces.face({0, 1, 2});
  faces.face({2, 3, 4});
  const SurfaceReport report = faces.report();
  EXPECT_EQ(report.shell_count, 1u);
  EXPECT_EQ(report.patches.size(), 2u);
}

using Corners = std::vector<std::uint32_t>;
Corners essential(std::vector<std::int32_t> polygon) { return essential_corners(polygon); }

TEST(EssentialCorners, LeavesOutRepeatsAndSpursAlsoAcrossTheEnd) {
  EXPECT_EQ(essential({7, 8, 9}), (Corners{0, 1, 2}));
  EXPECT_EQ(essential({7, 7, 8, 9}).size(), 3u);
  EXPECT_EQ(essential({7, 8, 9, 7}).size(), 3u);
  EXPECT_EQ(essential({7, 8, 7, 9}), Corners{});     // a line there and back twice
  EXPECT_EQ(essential({7, 8, 9, 5, 9}).size(), 3u);  // a spur to 5
  EXPECT_EQ(essential({5, 9, 7, 8, 9}).size(), 3u);  // the same, begun at its tip
  EXPECT_EQ(essential({7, 7, 8}), Corners{});
  EXPECT_EQ(essential({7, 7, 7, 7}), Corners{});
}

TEST(EssentialCorners, TakeLinearTimeOnAHugePolygon) {
  std::vector<std::int32_t> polygon(2'000'000, 3);
  EXPECT_EQ(essential(polygon), Corners{});
}

TEST(Shells, CollapsedTrianglesHaveNoEdgesAndAreListed) {
  Faces faces;
  faces.cube(0, 1);
  faces.face({0, 0, 1});
  const EdgeList edges = faces.edges();
  EXPECT_EQ(edges.repeating, std::vector<std::uint32_t>{6});
  EXPECT_TRUE(faces.report().is_closed);
}

TEST(Shells, ManyInsideOutBesideManyRightOnesAreTurnedInLittleTime) {
  // 75,000 of each kind side by side: 5.6e9 pairs, if each were held against each.
  constexpr int kCount = 75000;
  Faces faces;
  for (int k = 0; k < 2 * kCount; ++k) {
    const auto base = static_cast<std::int32_t>(faces.points.size());
    const Vec3 at{static_cast<float>(3 * (k % 400)), static_cast<float>(3 * (k / 400)), 0};
    for (const Vec3& p : {Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}})
      faces.points.push_back(at + p);
    const bool is_flipped = k % 2 == 1;
    for (const auto& t : {std::array{0, 2, 1}, std::array{0, 1, 3}, std::array{0, 3, 2}, std::array{1, 2, 3}})
      faces.face({base + t[0], base + t[is_flipped ? 2 : 1], base + t[is_flipped ? 1 : 2]});
  }
  const auto start = std::chrono::steady_clock::now();
  const SurfaceReport report = faces.report();
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 20);
  EXPECT_EQ(std::count_if(report.patches.begin(), report.patches.end(),
                          [](const Patch& patch) { return patch.is_flipped; }),
            kCount);
}

}  // namespace
}  // namespace dermis
