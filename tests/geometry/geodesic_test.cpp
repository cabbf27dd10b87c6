// SPDX-License-Identifier: MIT
// Distances through solids: along rods, around bends, across gaps.
#include <gtest/gtest.h>

#include "characters.h"
#include "geometry/soups.h"

namespace dermis {
namespace {

using test::Soup;

VoxelSolid solid_of(const Soup& soup, double cell) {
  Result<VoxelSolid> solid = voxelize_solid(soup.points, soup.triangles, {.cell = cell});
  EXPECT_TRUE(solid.ok());
  return solid ? std::move(solid).value() : VoxelSolid{};
}

std::vector<float> march(const VoxelSolid& solid, const Segment& segment, const MarchLimit& limit = {}) {
  std::vector<float> distance(solid.cell_count());
  march_solid(solid, {&segment, 1}, limit, distance);
  return distance;
}

double read(const VoxelSolid& solid, const std::vector<float>& field, const Vec3d& point) {
  return read_field(solid, sample_cells(solid, point), point, field);
}

TEST(MarchSolid, IsTheStraightDistanceInAStraightRod) {
  constexpr double kRadius = 0.25;
  for (const Vec3d& end : {Vec3d{2, 1.3, 0}, Vec3d{2, 1, 0.7}, Vec3d{2.4, 0.3, 0}, Vec3d{2, 0.9, 0.2}}) {
    const Soup rod = test::rod_soup(test::straight_path({0, 0, 0}, end, 20), kRadius);
    for (const double cell : {kRadius / 3, 0.06, 0.05, 0.03}) {
      const VoxelSolid solid = solid_of(rod, cell);
      const Segment from{{0, 0, 0}, end * 0.1};
      const std::vector<float> distance = march(solid, from);
      double worst = 0;
      for (const Vec3& p : rod.points) {
        const double exact = distance_to_segment(Vec3d(p), from.from, from.to);
        if (exact > kRadius) worst = std::max(worst, std::abs(read(solid, distance, Vec3d(p)) / exact - 1));
      }
      EXPECT_LT(worst, 0.03) << "cell " << cell << ", to " << end.x << ' ' << end.y << ' ' << end.z;
    }
  }
}

TEST(MarchSolid, FollowsTheBendOfAURodAndNotTheGap) {
  // The way hugs the inner wall: two tangents from the ends to a circle, and an arc of it.
  const double arm = 3, bend = 1, radius = 0.3, inner = bend - radius, across = std::hypot(arm, bend);
  const double exact = 2 * std::sqrt(across * across - inner * inner) +
                       inner * (2 * kPi - 2 * std::atan2(bend, arm) - 2 * std::acos(inner / across));
  const Soup rod = test::rod_soup(test::u_path(arm, bend), radius, 48);
  for (const double cell : {0.05, 0.03}) {
    const VoxelSolid solid = solid_of(rod, cell);
    EXPECT_EQ(solid.piece_count, 1u);
    const std::vector<float> distance = march(solid, {{0.01, 0, 0}, {0.01, 0, 0}});
    const double found = read(solid, distance, {0.01, 2 * bend, 0}) + 0.02;
    RecordProperty("error_at_" + std::to_string(cell), std::to_string(found / exact - 1));
    EXPECT_NEAR(found / exact, 1, 0.03) << cell;
  }
}

TEST(MarchSolid, IsExactInSightAndHardlyOffBeyondInAllDirections) {
  const Soup box = test::box_soup({-1, -1, -1}, {1, 1, 1});
  const VoxelSolid solid = solid_of(box, 0.04);
  const Segment middle{{0.011, 0.007, -0.003}, {0.011, 0.007, -0.003}};
  const std::vector<float> distance = march(solid, middle);
  double worst = 0;
  for (std::size_t c = 0; c < solid.cell_count(); ++c) {
    const double exact = distance_to_segment(solid.centre(c), middle.from, middle.to);
    if (exact > 0.04) worst = std::max(worst, std::abs(static_cast<double>(distance[c]) / exact - 1));
  }
  RecordProperty("worst", std::to_string(worst));
  EXPECT_LT(worst, 0.01);
}

TEST(MarchSolid, IsMirroredWhereTheBodyIs) {
  const Soup box = test::box_soup({-1, -0.3, -0.3}, {1, 0.3, 0.3});
  const VoxelSolid solid = solid_of(box, 0.043);
  const std::vector<float> distance = march(solid, {{0, -0.2, 0}, {0, 0.2, 0}});
  for (std::size_t c = 0; c < solid.cell_count(); ++c) {
    Vec3d mirrored = solid.centre(c);
    mirrored.x = -mirrored.x;
    const std::int32_t other = solid.find(mirrored);
    ASSERT_GE(other, 0);
    EXPECT_NEAR(distance[c], distance[static_cast<std::size_t>(other)], 1e-5f);
  }
}

TEST(MarchSolid, StartsAtTheNearestCellsOfASegmentOutside) {
  const Soup box = test::box_soup({0, 0, 0}, {2, 0.5, 0.5});
  const VoxelSolid solid = solid_of(box, 0.05);
  std::vector<float> distance(solid.cell_count());
  const Segment outside[] = {{{-1, 0.25, 0.25}, {-0.5, 0.25, 0.25}}, {{0.1, 0.1, 0.1}, {0.2, 0.1, 0.1}}};
  EXPECT_EQ(march_solid(solid, outside, {}, distance), 1u);
  EXPECT_EQ(march_solid(solid, {outside, 1}, {}, distance), 1u);
  EXPECT_NEAR(read(solid, distance, {1.9, 0.25, 0.25}), 2.4, 0.05);
}

TEST(MarchSolid, TakesSegmentsBeyondTheGridAndWithoutLength) {
  const VoxelSolid solid = solid_of(test::box_soup({0, 0, 0}, {1, 1, 1}), 0.1);
  const std::vector<float> through = march(solid, {{-1e6, 0.5, 0.5}, {1e6, 0.5, 0.5}});
  EXPECT_NEAR(read(solid, through, {0.5, 0.5, 0.9}), 0.4, 0.01);
  const std::vector<float> away = march(solid, {{1e6, 0, 0}, {1e6, 0, 0}});
  for (const float d : away) EXPECT_NEAR(d, 1e6f, 10.0f);
}

TEST(MarchSolid, ReachesPiecesApartByStraightDistance) {
  Soup soup = test::box_soup({0, 0, 0}, {1, 0.4, 0.4});
  soup.add(test::box_soup({1.5, 0, 0}, {2.5, 0.4, 0.4}));
  const VoxelSolid solid = solid_of(soup, 0.04);
  ASSERT_EQ(solid.piece_count, 2u);
  const std::vector<float> distance = march(solid, {{0.1, 0.2, 0.2}, {0.1, 0.2, 0.2}});
  for (const float d : distance) EXPECT_TRUE(std::isfinite(d));
  EXPECT_NEAR(read(solid, distance, {2.4, 0.2, 0.2}), 2.3, 0.1);
}

TEST(MarchSolid, EndsWhereItsLimitSays) {
  const VoxelSolid solid = solid_of(test::box_soup({0, 0, 0}, {3, 0.4, 0.4}), 0.04);
  const Segment both[] = {{{0.1, 0.2, 0.2}, {0.1, 0.2, 0.2}}, {{2.9, 0.2, 0.2}, {2.9, 0.2, 0.2}}};
  std::vector<float> nearest(solid.cell_count()), limited(solid.cell_count());
  march_solid(solid, both, {}, nearest);
  march_solid(solid, {both, 1}, {nearest, 3, 0}, limited);
  const std::vector<float> whole = march(solid, both[0]);
  for (std::size_t c = 0; c < solid.cell_count(); ++c) {
    const bool is_within = whole[c] <= 2.9f * nearest[c];
    if (is_within) {
      EXPECT_EQ(limited[c], whole[c]);
    }
    if (whole[c] > 3.1f * nearest[c]) {
      EXPECT_TRUE(std::isinf(limited[c]));
    }
  }
}

TEST(ReadField, GivesALinearFieldBackEverywhereInTheSolid) {
  const Soup rod = test::rod_soup(test::straight_path({0, 0, 0}, {1, 0.7, 0}, 20), 0.25);
  const VoxelSolid solid = solid_of(rod, 0.05);
  const Vec3d slope{0.3, -0.7, 0.9};
  std::vector<float> field(solid.cell_count());
  for (std::size_t c = 0; c < field.size(); ++c)
    field[c] = static_cast<float>(5 + dot(slope, solid.centre(c)));
  for (const Vec3& p : rod.points) EXPECT_NEAR(read(solid, field, Vec3d(p)), 5 + dot(slope, Vec3d(p)), 1e-2);
}

TEST(SampleCells, OfAPointBesideAGapAreAllOnItsSide) {
  Soup hand = test::box_soup({0, -1, 0}, {1, -0.035, 0.4});
  hand.add(test::box_soup({0, 0.035, 0}, {1, 1.02, 0.4}));
  const VoxelSolid solid = solid_of(hand, 0.05);
  ASSERT_EQ(solid.piece_count, 2u);
  for (int k = 0; k <= 50; ++k) {
    const Vec3d below{0.02 * k, -0.036, 0.2};
    const CellSample sample = sample_cells(solid, below);
    ASSERT_GT(sample.count, 0);
    for (int i = 0; i < sample.count; ++i)
      EXPECT_LT(solid.centre(sample.cells[static_cast<std::size_t>(i)]).y, 0.02);
  }
}

}  // namespace
}  // namespace dermis
