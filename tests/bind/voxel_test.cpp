// SPDX-License-Identifier: MIT
// Weights by distances through the body: where they are known, and on bodies that are hardly any.
#include <gtest/gtest.h>

#include "bind/bound.h"

namespace dermis {
namespace {

using test::Soup;

struct Bound {
  WeightRows rows;
  Notes notes;
  bool has(const std::string& id) const {
    return std::any_of(notes.begin(), notes.end(), [&](const Note& n) { return n.id == id; });
  }
};

Bound bound_of(const Soup& soup, const std::vector<Segment>& segments, const VoxelOptions& options = {}) {
  Bound bound;
  auto rows = bind_voxel(test::surface_of(soup), test::chain(segments), options);
  EXPECT_TRUE(rows.ok()) << (rows ? "" : rows.error().sentence);
  if (rows) bound = {std::move(rows->rows), std::move(rows->notes)};
  EXPECT_EQ(bound.rows.first.size(), soup.points.size() + 1);
  for (std::size_t v = 0; v < soup.points.size(); ++v) {
    double sum = 0;
    for (const Influence& i : bound.rows.row(v)) sum += static_cast<double>(i.weight);
    EXPECT_NEAR(sum, 1, kWeightSumTolerance) << v;
    EXPECT_LE(bound.rows.row(v).size(), 8u);
  }
  return bound;
}

const Soup kRod = test::rod_soup(test::straight_path({-1, 0, 0}, {1, 0, 0}, 40), 0.2);
const std::vector<Segment> kTwoBones{{{-0.95, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0.95, 0, 0}}};

TEST(BindVoxel, HalvesWeightsAtThePlaneBetweenTwoCollinearBones) {
  const Bound bound = bound_of(kRod, kTwoBones, {.cell = 0.02});
  for (std::size_t v = 0; v < kRod.points.size(); ++v) {
    const double w = test::weight_of(bound.rows, v, 0), x = static_cast<double>(kRod.points[v].x);
    if (x == 0) {
      EXPECT_NEAR(w, 0.5, 0.01);
    }
    if (x < -0.5) {
      EXPECT_GT(w, 0.95);
    }
    if (x > 0.5) {
      EXPECT_LT(w, 0.05);
    }
  }
}

TEST(BindVoxel, FollowsTheFalloffOnARod) {
  // On the surface above the second bone: the way to it is the radius, to the first one the slant.
  for (const VoxelOptions& options : {VoxelOptions{.cell = 0.02, .smoothness = 0.2, .power = 2},
                                      VoxelOptions{.cell = 0.02, .smoothness = 0.8, .power = 4}}) {
    const Bound bound = bound_of(kRod, kTwoBones, options);
    const double size = test::surface_of(kRod).size, a = options.smoothness;
    const auto raw = [&](double d) { return std::pow((1 - a) * d + a * d * d, -options.power); };
    for (std::size_t v = 0; v < kRod.points.size(); ++v) {
      const Vec3d p(kRod.points[v]);
      if (p.x < 0 || p.x > 0.5 || std::hypot(p.y, p.z) < 0.1) continue;
      const double near = raw(0.2 / size), far = raw(std::hypot(0.2, p.x) / size);
      EXPECT_NEAR(test::weight_of(bound.rows, v, 1), near / (near + far), 0.02) << p.x;
    }
  }
}

TEST(BindVoxel, GivesMirroredPointsMirroredWeights) {
  const Bound bound = bound_of(kRod, kTwoBones, {.cell = 0.027});
  const std::size_t sides = 32, rows = 41;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t s = 0; s < sides; ++s) {
      EXPECT_NEAR(test::weight_of(bound.rows, r * sides + s, 0),
                  test::weight_of(bound.rows, (rows - 1 - r) * sides + s, 1), 2e-3);
    }
  }
}

TEST(BindVoxel, GoesAroundTheBendAndNotAcrossTheGap) {
  const Soup rod = test::rod_soup(test::u_path(3, 0.5), 0.4, 48);
  const Bound bound = bound_of(rod, {{{0, 0, 0}, {1, 0, 0}}, {{2, 1, 0}, {3, 1, 0}}}, {.cell = 0.04});
  for (std::size_t v = 0; v < rod.points.size(); ++v) {
    // The other arm over against the first bone is 0.2 away from its arm, but 5 along the rod.
    if (rod.points[v].y > 0.55f && rod.points[v].x < 1) {
      EXPECT_LT(test::weight_of(bound.rows, v, 0), 0.05);
    }
  }
}

TEST(BindVoxel, KeepsTwoFingersACellApartToTheirOwnBones) {
  Soup hand = test::rod_soup(test::straight_path({0, -0.26, 0}, {2, -0.26, 0}, 40), 0.23);
  hand.add(test::rod_soup(test::straight_path({0, 0.26, 0}, {2, 0.26, 0}, 40), 0.23));
  hand.add(test::box_soup({-0.5, -0.6, -0.3}, {0.1, 0.6, 0.3}));
  const Bound bound =
      bound_of(hand, {{{0.3, -0.26, 0}, {1.9, -0.26, 0}}, {{0.3, 0.26, 0}, {1.9, 0.26, 0}}}, {.cell = 0.05});
  for (std::size_t v = 0; v < hand.points.size(); ++v) {
    const Vec3& p = hand.points[v];
    if (p.x > 1) {
      EXPECT_GT(test::weight_of(bound.rows, v, p.y < 0 ? 0 : 1), 0.9) << p.x << ' ' << p.y;
    }
  }
}

TEST(BindVoxel, WarnsWhenLimbsShareCells) {
  Soup hand = test::box_soup({0, -1, 0}, {1, -0.005, 0.4});
  hand.add(test::box_soup({0, 0.005, 0}, {1, 1.33, 0.4}));
  EXPECT_TRUE(bound_of(hand, kTwoBones, {.cell = 0.05}).has("bind-shared-cells"));
}

TEST(BindVoxel, BearsOpenFlippedAndDoubledShells) {
  const Bound clean = bound_of(kRod, kTwoBones, {.cell = 0.03});
  Soup twice = kRod;
  twice.add(kRod);
  const Soup open = test::rod_soup(test::straight_path({-1, 0, 0}, {1, 0, 0}, 40), 0.2, 32, true);
  for (const Soup& soup : {kRod.flipped(), twice, open}) {
    const Bound bound = bound_of(soup, kTwoBones, {.cell = 0.03});
    for (std::size_t v = 0; v < open.points.size(); ++v) {
      EXPECT_NEAR(test::weight_of(bound.rows, v, 0), test::weight_of(clean.rows, v, 0), 0.02);
    }
  }
}

TEST(BindVoxel, BearsAStrayTriangleFarOff) {
  Soup stray = kRod;
  stray.points.insert(stray.points.end(), {{1e6f, 0, 0}, {1e6f, 1, 0}, {1e6f, 0, 1}});
  const auto n = static_cast<std::uint32_t>(kRod.points.size());
  stray.triangles.push_back({n, n + 1, n + 2});
  const BindSurface surface = test::surface_of(stray);
  EXPECT_EQ(surface.size, test::surface_of(kRod).size);
  const auto rows = bind_voxel(surface, test::chain(kTwoBones), {.cell = 0.03});
  ASSERT_TRUE(rows.ok());
  const Bound clean = bound_of(kRod, kTwoBones, {.cell = 0.03});
  for (std::size_t v = 0; v < n; ++v) EXPECT_EQ(rows->rows.row(v)[0], clean.rows.row(v)[0]) << v;
  EXPECT_FALSE(rows->rows.row(n).empty());
  EXPECT_TRUE(std::any_of(rows->notes.begin(), rows->notes.end(),
                          [](const Note& k) { return k.id == "bind-far-points"; }));
}

TEST(BindVoxel, BearsOneTrianglePointsAloneAndASinglePoint) {
  Soup one;
  one.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  one.triangles = {{0, 1, 2}};
  test::expect_complete(bound_of(one, kTwoBones).rows, 3, 2);
  one.triangles.clear();
  test::expect_complete(bound_of(one, kTwoBones).rows, 3, 2);
  one.points.resize(1);
  test::expect_complete(bound_of(one, kTwoBones).rows, 1, 2);
}

TEST(BindVoxel, BearsJointsOutsideAndWithoutLength) {
  const std::vector<Segment> outside{{{-5, 3, 0}, {-5, 3, 0}}, {{5, 3, 0}, {5, 3, 0}}};
  const Bound bound = bound_of(kRod, outside, {.cell = 0.03});
  EXPECT_TRUE(bound.has("bind-joints-outside"));
  for (std::size_t v = 0; v < kRod.points.size(); ++v) {
    if (kRod.points[v].x < -0.5f) {
      EXPECT_EQ(bound.rows.row(v)[0].slot, 0);
    }
    if (kRod.points[v].x > 0.5f) {
      EXPECT_EQ(bound.rows.row(v)[0].slot, 1);
    }
  }
}

// Every joint of a small skeleton in a large body reached every cell: that took twenty times as long.
TEST(BindVoxel, TakesFewerCellsWhereAllJointsReachAllOfThem) {
  const auto cell_count = [](const Bound& bound) {
    for (const Note& note : bound.notes) {
      if (note.id == "bind-cells") return std::stod(note.sentence.substr(std::string("the body is ").size()));
    }
    return 0.0;
  };
  const Soup box = test::box_soup({-1, -1, -1}, {1, 1, 1});
  std::vector<Segment> small;
  for (int k = 0; k < 48; ++k) small.push_back({{1e-3 * k, 0, 0}, {1e-3 * (k + 1), 0, 0}});
  // Of twelve joints or fewer all may reach all; with 48 a quarter of the cells takes as long.
  const double many = cell_count(bound_of(box, {small.begin(), small.begin() + 2}));
  EXPECT_NEAR(many, 4e5, 0.1 * 4e5);
  EXPECT_NEAR(cell_count(bound_of(box, small)), many / 4, 0.1 * many / 4);
  // Cells that were asked for are taken.
  EXPECT_NEAR(cell_count(bound_of(box, small, {.cell = 0.05})), 42 * 42 * 42, 0.1 * 42 * 42 * 42);
}

TEST(BindVoxel, SaysWhenCellsWouldBeTooManyAndRefusesOnesLargerThanTheBody) {
  EXPECT_TRUE(bound_of(kRod, kTwoBones, {.cell = 1e-9}).has("bind-cell-enlarged"));
  EXPECT_FALSE(bound_of(kRod, kTwoBones, {.cell = 0.03}).has("bind-cell-enlarged"));
  const auto huge = bind_voxel(test::surface_of(kRod), test::chain(kTwoBones), {.cell = 1e9});
  ASSERT_FALSE(huge.ok());
  EXPECT_EQ(huge.error().code, Errc::bad_argument);
  EXPECT_NE(huge.error().sentence.find("larger than the whole body"), std::string::npos);
}

TEST(BindVoxel, RefusesNoJointsNoPointsAndStops) {
  EXPECT_FALSE(bind_voxel(test::surface_of(kRod), {}).ok());
  EXPECT_FALSE(bind_voxel({}, test::chain(kTwoBones)).ok());
  const std::atomic<bool> stop = true;
  const auto stopped = bind_voxel(test::surface_of(kRod), test::chain(kTwoBones), {}, Progress({}, &stop));
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, Errc::cancelled);
}

TEST(BindVoxel, IsTheSameOnAnyThreadCount) {
  const int before = thread_count();
  set_thread_count(1);
  const Bound one = bound_of(kRod, kTwoBones, {.cell = 0.03});
  set_thread_count(4);
  const Bound four = bound_of(kRod, kTwoBones, {.cell = 0.03});
  set_thread_count(before);
  EXPECT_EQ(one.rows, four.rows);
}

}  // namespace
}  // namespace dermis
