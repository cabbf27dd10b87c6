// SPDX-License-Identifier: MIT
// Heat on several levels: as near to a factorization as its bound says, on every kind of surface.
#include "bind/heat_levels.h"

#include <algorithm>
#include <atomic>
#include <random>

#include "bind/bound.h"
#include "dermis/made.h"

namespace dermis {
namespace {

using test::chain;
using test::expect_complete;
using test::Soup;
using test::surface_of;
using test::tube;
using test::weight_of;

constexpr std::size_t kJoints = 7;

// A heat equation on a surface: each point is heated by one or two of seven joints, in patches.
struct Equation {
  Laplacian laplacian;
  std::vector<double> capacity;
  HeatSources sources;
};
Equation equation_on(const BindSurface& surface, unsigned seed, double reach) {
  std::mt19937 random(seed);
  std::vector<Vec3d> joints;
  for (std::size_t j = 0; j < kJoints; ++j)
    joints.emplace_back(surface.points[random() % surface.points.size()]);
  Equation equation;
  equation.laplacian = cotangent_laplacian(surface.points, surface.triangles);
  equation.sources.first.push_back(0);
  const std::vector<double> areas = point_areas(surface.points, surface.triangles);
  for (std::size_t v = 0; v < surface.points.size(); ++v) {
    const auto distance = [&](std::size_t j) { return length(Vec3d(surface.points[v]) - joints[j]); };
    std::size_t nearest = 0;
    for (std::size_t j = 1; j < kJoints; ++j) nearest = distance(j) < distance(nearest) ? j : nearest;
    const double share = random() % 8 == 0 ? 0.5 : 1;
    equation.sources.shares.push_back({static_cast<Index>(nearest), share});
    if (share < 1) equation.sources.shares.push_back({static_cast<Index>((nearest + 1) % kJoints), 0.5});
    equation.sources.first.push_back(equation.sources.shares.size());
    const double far = std::max(reach * surface.size, 1e-4 * surface.size);
    equation.capacity.push_back(std::max(4 * areas[v] / (far * far), 1e-12));
  }
  return equation;
}

// The largest difference from a factorization, of heat that is not negligible there or here.
double worst_difference(const Equation& equation, const HeatOnLevels& heat) {
  const std::size_t count = equation.capacity.size();
  std::vector<double> exact(count * kJoints, 0);
  for (std::size_t v = 0; v < count; ++v) {
    for (const HeatSource& source : equation.sources.of(v))
      exact[v * kJoints + at(source.joint)] += equation.capacity[v] * source.share;
  }
  factor_laplacian(equation.laplacian, equation.capacity, 1)->solve(exact, kJoints);
  double worst = 0;
  for (const std::vector<Heat>& group : heat.groups) {
    for (const Heat& one : group) {
      double& there = exact[one.point * kJoints + at(one.joint)];
      worst = std::max(worst, std::abs(double{one.weight} - there));
      there = 0;  // found
    }
  }
  for (const double lost : exact) worst = std::max(worst, lost - kNegligibleHeat);
  return worst;
}

// Surfaces that are hard on one of the steps.
std::vector<BindSurface> hard_surfaces() {
  std::vector<BindSurface> all{tube(20, 24, 200)};
  const Character human = *make_character(MadeKind::humanoid, {8000});
  const Mesh& mesh = human.meshes[0];
  Soup body{mesh.points, weld_surface(mesh.weld, mesh.polygons.first, mesh.polygons.corners).triangles};
  std::mt19937 random(3);
  Soup holes = body;  // open, and non-manifold where triangles are doubled
  std::erase_if(holes.triangles, [&](const auto&) { return random() % 20 == 0; });
  for (int k = 0; k < 100; ++k) holes.triangles.push_back(holes.triangles[random() % holes.triangles.size()]);
  all.push_back(surface_of(holes));
  Soup rough = body;  // needles and empty triangles
  for (Vec3& point : rough.points)
    point = point + Vec3{0, 0, 0.02f * static_cast<float>(random() % 100) / 100};
  for (int k = 0; k < 200; ++k) {
    const SurfaceMesh::Triangle& t = rough.triangles[random() % rough.triangles.size()];
    rough.points[t[0]] = rough.points[t[1]];
  }
  all.push_back(surface_of(rough));
  Soup pieces;  // many shells, and points without triangles
  for (int k = 0; k < 300; ++k) {
    const Vec3d lower{0.1 * (k % 20), 0.1 * static_cast<double>(k / 20), 0};
    pieces.add(test::box_soup(lower, lower + Vec3d{0.08, 0.08, 0.08}));
    pieces.points.push_back(Vec3(lower));
  }
  all.push_back(surface_of(pieces));
  return all;
}

TEST(HeatOnLevels, IsWithinItsBoundOfAFactorization) {
  unsigned seed = 0;
  for (const BindSurface& surface : hard_surfaces()) {
    for (const double reach : {1e-3, 0.03, 0.3}) {
      const Equation equation = equation_on(surface, ++seed, reach);
      const Result<HeatOnLevels> heat =
          heat_on_levels(equation.laplacian, equation.capacity, equation.sources, kJoints, {});
      ASSERT_TRUE(heat);
      // The laplacian's entries are rounded to floats.
      EXPECT_LE(worst_difference(equation, *heat), heat->difference + 1e-5) << "seed " << seed;
      EXPECT_LT(worst_difference(equation, *heat), 5e-4) << "seed " << seed;
      EXPECT_LT(heat->difference, 0.05) << "seed " << seed;
    }
  }
}

HeatOptions by_iteration() {
  HeatOptions options;
  options.most_factored = 0;
  return options;
}

TEST(HeatOnLevels, FallsAlongATubeAsTheClosedFormSays) {
  const BindSurface surface = tube(10, 64, 320);
  const BindSkeleton halves = chain({{{-10, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {10, 0, 0}}});
  const Result<BoundRows> bound = bind_heat(surface, halves, by_iteration());
  ASSERT_TRUE(bound);
  ASSERT_EQ(bound->notes.size(), 1u);
  EXPECT_EQ(bound->notes[0].id, "heat-by-iteration");
  expect_complete(bound->rows, surface.points.size(), 2);
  for (std::size_t v = 0; v < surface.points.size(); ++v) {
    const double x = double{surface.points[v].x};
    if (std::abs(x) > 5) continue;  // the ends of the tube are far enough
    EXPECT_NEAR(weight_of(bound->rows, v, x > 0 ? 0 : 1), 0.5 * std::exp(-2 * std::abs(x)), 0.01);
  }
}

TEST(HeatOnLevels, GivesTheRowsOfAFactorizationOnAHuman) {
  const Character human = *make_character(MadeKind::humanoid, {20'000});
  const BindSurface surface = *bind_surface(human);
  const BindSkeleton skeleton = *bind_skeleton(human, surface, human.skins[0].node);
  const Result<BoundRows> factored = bind_heat(surface, skeleton);
  const Result<BoundRows> iterated = bind_heat(surface, skeleton, by_iteration());
  ASSERT_TRUE(factored && iterated);
  EXPECT_TRUE(factored->notes.empty());
  double sum = 0;
  for (std::size_t v = 0; v < surface.points.size(); ++v) {
    const double apart = row_distance(factored->rows.row(v), iterated->rows.row(v));
    ASSERT_LT(apart, 0.01) << v;  // a few joints at the limit of what is negligible
    sum += apart;
  }
  EXPECT_LT(sum / static_cast<double>(surface.points.size()), 1e-4);
}

TEST(HeatOnLevels, GivesTheSameBytesOnAnyThreadCountAndHearsAStop) {
  const BindSurface surface = tube(20, 32, 200);
  std::vector<Segment> segments;
  for (int k = -10; k < 10; ++k) segments.push_back({Vec3d{2.0 * k, 0, 0}, Vec3d{2.0 * k + 2, 0, 0}});
  const BindSkeleton skeleton = chain(segments);
  const int before = thread_count();
  set_thread_count(1);
  const Result<BoundRows> one = bind_heat(surface, skeleton, by_iteration());
  set_thread_count(3);
  const Result<BoundRows> three = bind_heat(surface, skeleton, by_iteration());
  set_thread_count(before);
  ASSERT_TRUE(one && three);
  EXPECT_EQ(one->rows, three->rows);
  EXPECT_EQ(one->notes[0].sentence, three->notes[0].sentence);
  std::atomic<bool> stop{false};
  const Progress stopping(
      [&](std::string_view stage, double fraction) {
        stop = stop || (stage == "spreading heat" && fraction > 0.41);
      },
      &stop);
  EXPECT_EQ(bind_heat(surface, skeleton, by_iteration(), stopping).error().code, Errc::cancelled);
}

}  // namespace
}  // namespace dermis
