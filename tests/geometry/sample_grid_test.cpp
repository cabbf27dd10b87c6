// SPDX-License-Identifier: MIT
// What surface nets rely on: right signs everywhere, no ambiguous cell, points that can be put on the
// surface.
#include "geometry/sample_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "geometry/fields.h"

namespace dermis {
namespace {

SampleGrid build_grid(const Field& field, const IsosurfaceOptions& options) {
  Result<SampleGrid> grid = SampleGrid::build(field, options, {});
  EXPECT_TRUE(grid.ok());
  return std::move(grid).value();
}

// Calls visit(sample) for every sample of the box that was asked for.
template <class Visit>
void for_each_sample(const SampleGrid& grid, const IsosurfaceOptions& options, Visit visit) {
  const Vec3d first = grid.position({0, 0, 0});
  const auto count = [&](double from, double to) { return static_cast<int>((to - from) / grid.cell()); };
  for (int z = 0; z < count(first.z, options.box.upper.z); ++z)
    for (int y = 0; y < count(first.y, options.box.upper.y); ++y)
      for (int x = 0; x < count(first.x, options.box.upper.x); ++x) visit(GridPlace{x, y, z});
}

TEST(SampleGrid, HasTheSignOfTheFieldAtEverySample) {
  const FunctionField field = ball(1.0);
  const IsosurfaceOptions options = options_for(1.0, 0.03);
  const SampleGrid grid = build_grid(field, options);
  for_each_sample(grid, options, [&](const GridPlace& s) {
    const double wanted = field.value(grid.position(s));
    ASSERT_EQ(grid.value(s) < 0, wanted < 0);
    if (grid.active_block(s) >= 0) {
      ASSERT_EQ(grid.value(s), static_cast<float>(wanted));
    }
  });
}

TEST(SampleGrid, SamplesOnlyAShellAroundTheSurface) {
  const SampleGrid grid = build_grid(ball(1.0), options_for(1.0, 0.01));
  const double block = kBlockEdge * grid.cell();
  const double sampled = static_cast<double>(grid.blocks().size()) * block * block * block;
  // The surface within a block's diagonal on both sides.
  EXPECT_LT(sampled, 4 * kPi * 2 * std::sqrt(3.0) * block);
  EXPECT_EQ(grid.active_block({-1, 0, 0}), -1);
  EXPECT_GT(grid.value({-1, 0, 0}), 0.0f);
}

TEST(SampleGrid, FindsBlocksThatASteepFieldHidesFromTheDescent) {
  // Twice the distance: blocks that the surface crosses look further from it than they are.
  const FunctionField steep([](const Vec3d& p) { return 2 * (length(p) - 1.0); });
  const IsosurfaceOptions options = options_for(1.0, 0.03);
  const SampleGrid grid = build_grid(steep, options);
  for_each_sample(grid, options, [&](const GridPlace& s) {
    ASSERT_EQ(grid.value(s) < 0, steep.value(grid.position(s)) < 0);
  });
}

// Whether the inside corners of the cell, and the outside ones, are each joined by edges of the cell: the
// literal form of what the grid promises.
bool has_joined_corners(const SampleGrid& grid, const GridPlace& cell, bool is_inside) {
  unsigned own = 0;
  for (int c = 0; c < 8; ++c)
    if ((grid.value({cell.x + (c & 1), cell.y + ((c >> 1) & 1), cell.z + (c >> 2)}) < 0) == is_inside)
      own |= 1u << c;
  if (own == 0) return true;
  unsigned reached = own & (~own + 1);
  for (int round = 0; round < 8; ++round)
    for (unsigned c = 0; c < 8; ++c)
      for (const unsigned axis : {1u, 2u, 4u})
        if ((reached >> c) & 1u) reached |= own & (1u << (c ^ axis));
  return reached == own;
}

TEST(SampleGrid, LeavesNoCellWithTwoPiecesOfSurface) {
  for (const double gap : {-0.02, 0.0, 0.004, 0.02}) {
    const FunctionField field = ball_pair(gap);
    const IsosurfaceOptions options = options_for(1.1, 0.043);
    const SampleGrid grid = build_grid(field, options);
    for_each_sample(grid, options, [&](const GridPlace& s) {
      ASSERT_TRUE(has_joined_corners(grid, s, true)) << "gap " << gap;
      ASSERT_TRUE(has_joined_corners(grid, s, false)) << "gap " << gap;
    });
  }
}

TEST(SampleGrid, ClosesGapsAndNeverOpensThem) {
  const FunctionField field = ball_pair(0.0);
  const IsosurfaceOptions options = options_for(1.1, 0.043);
  const SampleGrid grid = build_grid(field, options);
  for_each_sample(grid, options, [&](const GridPlace& s) {
    if (field.value(grid.position(s)) < 0) {
      ASSERT_LT(grid.value(s), 0.0f);
    }
  });
}

TEST(SampleGrid, HasEqualSamplesOnBothSidesOfTheMirrorPlane) {
  IsosurfaceOptions options = options_for(1.1, 0.043);
  options.is_mirrored = true;
  const FunctionField waist([](const Vec3d& p) {
    return std::min(length(p - Vec3d(0.5, 0, 0)), length(p + Vec3d(0.5, 0, 0))) - 0.502;
  });
  const SampleGrid grid = build_grid(waist, options);
  EXPECT_EQ(grid.position({0, 0, 0}).x, -grid.position({1, 0, 0}).x);
  for_each_sample(grid, options, [&](const GridPlace& s) {
    ASSERT_EQ(grid.value({0, s.y, s.z}), grid.value({1, s.y, s.z}));
  });
}

TEST(SampleGrid, ProjectsOntoTheSurfaceAlongAUnitGradient) {
  const double cell = 0.05;
  const SampleGrid grid = build_grid(ball(1.0), options_for(1.0, cell));
  const Vec3d direction = normalized(Vec3d(0.3, -0.5, 0.8));
  for (const double off : {-0.9, -0.3, 0.4, 1.0}) {
    const Vec3d start = direction * (1.0 + off * cell);
    // Good to first order in the step of the differences, a fiftieth of a cell.
    EXPECT_LT(length(grid.gradient(start).direction - direction), 0.02 * cell);
    const Vec3d end = grid.projected(start, cell);
    EXPECT_NEAR(length(end), 1.0, 1e-5);
    EXPECT_LT(length(end - direction), 0.02 * cell * cell);
  }
}

TEST(SampleGrid, ProjectsNoFurtherThanAllowed) {
  const SampleGrid grid = build_grid(ball(1.0), options_for(1.0, 0.05));
  const Vec3d start{0, 1.04, 0};
  EXPECT_NEAR(length(grid.projected(start, 0.01) - start), 0.01, 1e-9);
}

}  // namespace
}  // namespace dermis
