// SPDX-License-Identifier: MIT
// Solids of cells: which cells are filled, which hang together, on good surfaces and bad ones.
#include <gtest/gtest.h>

#include "characters.h"
#include "geometry/cell_grid.h"
#include "geometry/soups.h"

namespace dermis {
namespace {

using test::Soup;

VoxelSolid solid_of(const Soup& soup, const SolidOptions& options = {}) {
  Result<VoxelSolid> solid = voxelize_solid(soup.points, soup.triangles, options);
  EXPECT_TRUE(solid.ok()) << (solid ? "" : solid.error().sentence);
  return solid ? std::move(solid).value() : VoxelSolid{};
}

// Every cell whose centre is inside the body must be filled, none whose centre is a cell or more outside.
void expect_filled(const VoxelSolid& solid, const std::function<double(const Vec3d&)>& outside_by) {
  const CellGrid grid{solid.origin, solid.cell, solid.size};
  std::size_t missing = 0, extra = 0;
  for (std::size_t p = 0; p < grid.cell_count(); ++p) {
    const auto at = grid.coordinates(p);
    const bool is_filled = solid.find(at[0], at[1], at[2]) >= 0;
    const double out = outside_by(grid.centre(p));
    missing += out < 0 && !is_filled ? 1 : 0;
    extra += out > solid.cell && is_filled ? 1 : 0;
  }
  EXPECT_EQ(missing, 0u);
  EXPECT_EQ(extra, 0u);
}

double outside_of_box(const Vec3d& p, const Vec3d& lower, const Vec3d& upper) {
  double out = -INFINITY;
  for (int axis = 0; axis < 3; ++axis) out = std::max({out, lower[axis] - p[axis], p[axis] - upper[axis]});
  return out;
}

TEST(VoxelSolid, FillsAClosedBoxWhicheverWayItIsWound) {
  const Soup box = test::box_soup({0, 0, 0}, {1, 2, 0.5});
  for (const Soup& soup : {box, box.flipped()}) {
    const VoxelSolid solid = solid_of(soup, {.cell = 0.043});
    EXPECT_TRUE(solid.is_closed);
    EXPECT_EQ(solid.piece_count, 1u);
    EXPECT_EQ(solid.shared_cell_count, 0u);
    expect_filled(solid, [](const Vec3d& p) { return outside_of_box(p, {0, 0, 0}, {1, 2, 0.5}); });
  }
}

// Faces of a cube touched the first cell of the grid, and its inside was taken for the outside: a budget of
// filled cells was overrun sevenfold.
TEST(VoxelSolid, FillsACubeWithAsManyCellsAsTheBudgetAllows) {
  const VoxelSolid solid = solid_of(test::box_soup({-1, -1, -1}, {1, 1, 1}), {.filled_budget = 50'000});
  // 37 along each side, give or take a layer all around.
  EXPECT_GE(solid.cell_count(), 35u * 35u * 35u);
  EXPECT_LE(solid.cell_count(), 39u * 39u * 39u);
  expect_filled(solid, [](const Vec3d& p) { return outside_of_box(p, {-1, -1, -1}, {1, 1, 1}); });
}

TEST(VoxelSolid, FillsABoxThatLacksASide) {
  Soup box = test::box_soup({0, 0, 0}, {1, 1, 1});
  box.triangles.resize(10);  // without x = 1
  const VoxelSolid solid = solid_of(box, {.cell = 0.05});
  EXPECT_FALSE(solid.is_closed);
  EXPECT_GE(solid.find(Vec3d{0.5, 0.5, 0.5}), 0);
  EXPECT_GE(solid.find(Vec3d{0.2, 0.8, 0.8}), 0);
  // Just off the missing side the rest is seen under half the sphere or less.
  EXPECT_LT(solid.find(Vec3d{1.1, 0.5, 0.5}), 0);
}

TEST(VoxelSolid, FillsWhereShellsOverlapAlsoWhenOneIsInsideOut) {
  Soup two = test::box_soup({0, 0, 0}, {1, 1, 1});
  two.add(test::box_soup({0.5, 0.2, 0.2}, {2, 0.8, 0.8}).flipped());
  const VoxelSolid solid = solid_of(two, {.cell = 0.047});
  expect_filled(solid, [](const Vec3d& p) {
    return std::min(outside_of_box(p, {0, 0, 0}, {1, 1, 1}),
                    outside_of_box(p, {0.5, 0.2, 0.2}, {2, 0.8, 0.8}));
  });
  EXPECT_EQ(solid.piece_count, 1u);
}

TEST(VoxelSolid, IsTheSameForAShellTwice) {
  const Soup box = test::box_soup({0, 0, 0}, {1, 1, 1});
  Soup twice = box;
  twice.add(box);
  const VoxelSolid one = solid_of(box, {.cell = 0.05}), two = solid_of(twice, {.cell = 0.05});
  EXPECT_EQ(one.places, two.places);
  EXPECT_EQ(two.shared_cell_count, 0u);
}

TEST(VoxelSolid, KeepsACavityEmpty) {
  Soup hollow = test::box_soup({0, 0, 0}, {1, 1, 1});
  hollow.add(test::box_soup({0.3, 0.3, 0.3}, {0.7, 0.7, 0.7}).flipped());
  const VoxelSolid solid = solid_of(hollow, {.cell = 0.05});
  EXPECT_LT(solid.find(Vec3d{0.5, 0.5, 0.5}), 0);
  EXPECT_GE(solid.find(Vec3d{0.15, 0.5, 0.5}), 0);
}

TEST(VoxelSolid, HoldsEveryPointOfAThinSheet) {
  Soup sheet;
  sheet.points = {{0, 0, 0}, {1, 0, 0.3f}, {1, 1, 0.7f}, {0, 1, 0.1f}};
  sheet.triangles = {{0, 1, 2}, {0, 2, 3}};
  const VoxelSolid solid = solid_of(sheet, {.cell = 0.02});
  EXPECT_EQ(solid.piece_count, 1u);
  for (int k = 0; k <= 100; ++k) {
    const Vec3d p = lerp(Vec3d(sheet.points[0]), Vec3d(sheet.points[2]), k / 100.0);
    EXPECT_GE(solid.find(p), 0) << k;
  }
}

TEST(VoxelSolid, DoesNotFuseFingersLessThanTwoCellsApart) {
  // A gap of a cell and a bit, at any place of the grid; the palm joins them.
  for (const double gap : {0.052, 0.06, 0.075, 0.09}) {
    Soup hand = test::box_soup({0, -1, 0}, {1, -gap / 2, 0.4});
    hand.add(test::box_soup({0, gap / 2, 0}, {1, 1 + gap / 3, 0.4}));
    const VoxelSolid solid = solid_of(hand, {.cell = 0.05});
    EXPECT_EQ(solid.piece_count, 2u) << gap;
    EXPECT_EQ(solid.shared_cell_count, 0u) << gap;
  }
}

// A rod bent to a loop whose ends touch, cross or nearly touch each other, side by side.
double way_between_ends(double between, bool separates_contacts) {
  std::vector<Vec3d> path;
  const auto add_arm = [&](double side) {
    for (int k = 0; k <= 20; ++k)
      path.push_back(lerp(Vec3d{side * between / 2, 0, 0}, Vec3d{side * 2, 4, 0}, k / 20.0));
  };
  add_arm(-1);
  for (int k = 1; k < 30; ++k)
    path.push_back(Vec3d{0, 4, 0} + Vec3d{-2 * std::cos(kPi * k / 30), 2 * std::sin(kPi * k / 30), 0});
  std::vector<Vec3d> first = std::move(path);
  path.clear();
  add_arm(1);
  first.insert(first.end(), path.rbegin(), path.rend());
  const Soup loop = test::rod_soup(first, 0.5);
  const VoxelSolid solid = solid_of(loop, {.cell = 0.1, .separates_contacts = separates_contacts});
  EXPECT_EQ(solid.piece_count, 1u) << between;
  const std::int32_t from = solid.find(Vec3d{-between / 2 - 0.3, 0.4, 0}),
                     to = solid.find(Vec3d{between / 2 + 0.3, 0.4, 0});
  if (from < 0 || to < 0) return -1;
  std::vector<float> way(solid.cell_count());
  const Vec3d start = solid.centre(static_cast<std::size_t>(from));
  const Segment segment{start, start};
  march_solid(solid, {&segment, 1}, {}, way);
  return double{way[static_cast<std::size_t>(to)]};
}

TEST(VoxelSolid, KeepsPartsOfAShellThatTouchOrCrossApartOnlyIfAsked) {
  for (const double between : {0.9, 0.8, 0.7}) {
    EXPECT_LT(way_between_ends(between, false), 3) << between;
    EXPECT_GT(way_between_ends(between, true), 8) << between;
  }
  // Gaps of a cell and more part them in any case.
  EXPECT_GT(way_between_ends(1.1, true), 8);
}

TEST(VoxelSolid, CountsCellsThatTwoLimbsShare) {
  Soup hand = test::box_soup({0, -1, 0}, {1, -0.005, 0.4});
  hand.add(test::box_soup({0, 0.005, 0}, {1, 1.33, 0.4}));
  const VoxelSolid solid = solid_of(hand, {.cell = 0.05});
  EXPECT_GT(solid.shared_cell_count, 50u);
}

TEST(VoxelSolid, LeavesStrayTrianglesOutAndSaysSo) {
  Soup soup = test::rod_soup(test::straight_path({0, 0, 0}, {2, 0, 0}, 20), 0.2);
  const VoxelSolid clean = solid_of(soup);
  Soup stray = soup;
  stray.points.insert(stray.points.end(), {{1e6f, 0, 0}, {1e6f, 1, 0}, {1e6f, 0, 1}});
  const std::uint32_t n = static_cast<std::uint32_t>(soup.points.size());
  stray.triangles.push_back({n, n + 1, n + 2});
  const VoxelSolid solid = solid_of(stray);
  EXPECT_EQ(solid.far_point_count, 3u);
  EXPECT_EQ(solid.far_triangle_count, 1u);
  EXPECT_EQ(solid.places, clean.places);
}

TEST(VoxelSolid, KeepsWithinItsBudgets) {
  const Soup soup = test::rod_soup(test::u_path(3, 1), 0.3);
  const VoxelSolid fine = solid_of(soup, {.filled_budget = 50'000});
  EXPECT_LT(fine.cell_count(), 60'000u);
  EXPECT_GT(fine.cell_count(), 35'000u);
  const VoxelSolid held = solid_of(soup, {.cell = 1e-5, .grid_budget = 100'000});
  EXPECT_LE(static_cast<std::size_t>(held.size[0]) * static_cast<std::size_t>(held.size[1]) *
                static_cast<std::size_t>(held.size[2]),
            100'000u);
}

TEST(VoxelSolid, IsMadeOfOneTriangleOnePointOrPointsAlone) {
  Soup one;
  one.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  one.triangles = {{0, 1, 2}};
  EXPECT_EQ(solid_of(one).piece_count, 1u);
  one.triangles.clear();
  EXPECT_GE(solid_of(one).cell_count(), 1u);
  one.points.resize(1);
  EXPECT_EQ(solid_of(one).cell_count(), 1u);
  EXPECT_FALSE(voxelize_solid({}, {}).ok());
}

TEST(VoxelSolid, JoinsAllPiecesByBridges) {
  Soup soup = test::box_soup({0, 0, 0}, {1, 1, 1});
  soup.add(test::box_soup({1.5, 0, 0}, {2, 1, 1}));
  soup.add(test::box_soup({2.3, 0, 0}, {3, 1, 1}));
  const VoxelSolid solid = solid_of(soup, {.cell = 0.04});
  ASSERT_EQ(solid.piece_count, 3u);
  bool has_far = false;
  float shortest = INFINITY;
  for (std::size_t c = 0; c < solid.cell_count(); ++c) {
    for (std::uint32_t k = solid.bridge_first[c]; k < solid.bridge_first[c + 1]; ++k) {
      const Vec3d a = solid.centre(c), b = solid.centre(solid.bridges[k].to);
      has_far |= (a.x < 1.1 && b.x > 2.2) || (b.x < 1.1 && a.x > 2.2);
      shortest = std::min(shortest, solid.bridges[k].length);
    }
  }
  EXPECT_FALSE(has_far);
  EXPECT_NEAR(shortest, 0.3f, 0.09f);
}

TEST(VoxelSolid, IsTheSameOnAnyThreadCount) {
  Soup soup = test::rod_soup(test::u_path(3, 1), 0.3, 24, true);
  const int before = thread_count();
  set_thread_count(1);
  const VoxelSolid one = solid_of(soup, {.filled_budget = 20'000});
  set_thread_count(4);
  const VoxelSolid four = solid_of(soup, {.filled_budget = 20'000});
  set_thread_count(before);
  EXPECT_EQ(one.places, four.places);
  EXPECT_EQ(one.links, four.links);
  EXPECT_EQ(one.shared_cell_count, four.shared_cell_count);
}

TEST(VoxelSolid, CanBeStopped) {
  const Soup soup = test::box_soup({0, 0, 0}, {1, 1, 1});
  const std::atomic<bool> stop = true;
  const auto solid = voxelize_solid(soup.points, soup.triangles, {}, Progress({}, &stop));
  ASSERT_FALSE(solid.ok());
  EXPECT_EQ(solid.error().code, Errc::cancelled);
}

TEST(TouchedCells, AreThoseThatSeparatingAxesFind) {
  test::Random random(3);
  CellGrid grid;
  grid.cell = 1;
  grid.size = {12, 12, 12};
  for (int trial = 0; trial < 200; ++trial) {
    LocalTriangle t;
    const double size = trial % 2 == 0 ? 6 : 0.8;
    const Vec3d middle = random.vector() * 5;
    for (Vec3d& p : t) p = Vec3d{6, 6, 6} + middle * (trial % 2 == 0 ? 0 : 1) + random.vector() * size * 0.99;
    std::vector<int> visits(grid.cell_count());
    visit_touched_cells(
        grid, t, [&](std::int32_t x, std::int32_t y, std::int32_t z) { ++visits[grid.place(x, y, z)]; });
    for (std::size_t p = 0; p < grid.cell_count(); ++p) {
      ASSERT_EQ(visits[p], does_touch_box(t, grid.centre(p), {0.5, 0.5, 0.5}) ? 1 : 0) << trial << " seed 3";
    }
  }
}

}  // namespace
}  // namespace dermis
