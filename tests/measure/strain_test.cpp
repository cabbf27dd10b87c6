// SPDX-License-Identifier: MIT
// Strain of maps whose stretch, shear and area can be worked out by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "bodies.h"
#include "dermis/measure.h"

namespace dermis {
namespace {

// A flat unit square of 2 n^2 triangles.
Mesh grid(int n) {
  std::vector<Vec3> points;
  std::vector<std::vector<Index>> polygons;
  for (int y = 0; y <= n; ++y) {
    for (int x = 0; x <= n; ++x)
      points.push_back(
          {static_cast<float>(x) / static_cast<float>(n), static_cast<float>(y) / static_cast<float>(n), 0});
  }
  for (int y = 0; y < n; ++y) {
    for (int x = 0; x < n; ++x) {
      const Index v = y * (n + 1) + x;
      polygons.push_back({v, v + 1, v + n + 2, v + n + 1});
    }
  }
  return test::mesh_of(std::move(points), polygons);
}

Strain strain_under(const Mesh& mesh, const Affined& map) {
  return measure_strain(measured_surface(mesh), mesh.points, test::mapped(mesh.points, map));
}

TEST(Strain, OfARigidMotionIsNothing) {
  constexpr unsigned kSeed = 1;
  SCOPED_TRACE(kSeed);
  test::Random random(kSeed);
  const Mesh mesh = test::sphere(20);
  for (int k = 0; k < 5; ++k) {
    const Strain strain = strain_under(mesh, random.rigid());
    EXPECT_LT(strain.edges.max, 1e-5);
    EXPECT_LT(strain.shears.max, 1e-4);
    EXPECT_LT(strain.areas.max, 1e-4);
  }
}

TEST(Strain, OfAStretchIsItsFactor) {
  const Strain strain = strain_under(grid(8), test::scaled({2, 1, 1}));
  EXPECT_NEAR(strain.edges.max, 1, 1e-6);
  EXPECT_NEAR(strain.edges.p95, 1, 1e-6);
  EXPECT_NEAR(strain.areas.mean, 1, 1e-5);
  // Singular values 2 and 1.
  EXPECT_NEAR(strain.shears.max, kPi / 2 - 2 * std::atan(0.5), 1e-5);
  EXPECT_EQ(strain.edges.count, 128u);
}

TEST(Strain, OfASqueezeIsNegative) {
  const Strain strain = strain_under(grid(4), test::scaled({0.25, 0.25, 0.25}));
  EXPECT_NEAR(static_cast<double>(strain.edge[0]), -0.75, 1e-6);
  EXPECT_NEAR(static_cast<double>(strain.area[0]), -15.0 / 16, 1e-6);
  EXPECT_NEAR(strain.shears.max, 0, 1e-5);
}

// Simple shear by k has the singular values sqrt(1 + k^2 / 4) +- k / 2: area stays, right angles do not.
TEST(Strain, OfASimpleShearKeepsAreas) {
  const double k = 0.6;
  const Affined shear{Mat3d({1, 0, 0}, {k, 1, 0}, {0, 0, 1}), {}};
  const Strain strain = strain_under(grid(8), shear);
  const double s1 = std::sqrt(1 + k * k / 4) + k / 2, s2 = std::sqrt(1 + k * k / 4) - k / 2;
  EXPECT_NEAR(strain.shears.mean, kPi / 2 - 2 * std::atan(s2 / s1), 1e-5);
  EXPECT_LT(strain.areas.max, 1e-5);
}

TEST(Strain, OfACollapseIsFiniteAndWhole) {
  const Strain flat = strain_under(grid(4), test::scaled({1, 0, 1}));
  EXPECT_NEAR(flat.edges.max, 1, 1e-6);
  EXPECT_NEAR(flat.shears.max, kPi / 2, 1e-6);
  const Strain gone = strain_under(grid(4), test::scaled({0, 0, 0}));
  EXPECT_EQ(gone.edges.mean, 1);
  EXPECT_EQ(gone.areas.mean, 1);
  EXPECT_EQ(gone.shears.max, 0);
}

TEST(Strain, NamesTheWorstPlace) {
  const Mesh mesh = grid(8);
  std::vector<Vec3> posed = mesh.points;
  posed[40].z += 0.2f;  // the middle
  const MeasuredSurface surface = measured_surface(mesh);
  const Strain strain = measure_strain(surface, mesh.points, posed);
  const SurfaceMesh::Triangle worst = surface.welded.triangles[strain.edges.worst];
  EXPECT_TRUE(worst[0] == 40 || worst[1] == 40 || worst[2] == 40);
  EXPECT_NEAR(strain.edges.max, std::hypot(0.125, 0.2) / 0.125 - 1, 1e-5);
  EXPECT_EQ(static_cast<double>(strain.at_point[40]), strain.edges.max);
  EXPECT_EQ(strain.at_point[0], 0);
}

TEST(Strain, LeavesOutTrianglesTooSmallForFloats) {
  Mesh mesh = test::mesh_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1e-7f, 0}}, {{0, 1, 2}, {0, 1, 3}});
  std::vector<Vec3> posed = mesh.points;
  posed[3].y = 0.5f;
  const Strain strain = measure_strain(measured_surface(mesh), mesh.points, posed);
  EXPECT_EQ(strain.edges.count, 1u);
  EXPECT_EQ(strain.edges.max, 0);
  EXPECT_EQ(measure_strain(measured_surface(Mesh{}), {}, {}).edges.count, 0u);
}

TEST(Strain, IsTheSameOnAnyThreadCount) {
  const Mesh mesh = test::sphere(60);
  const Affined map{Mat3d({1, 0.2, 0}, {0, 1.5, 0.1}, {0.3, 0, 0.7}), {1, 2, 3}};
  const Strain many = strain_under(mesh, map);
  set_thread_count(1);
  const Strain one = strain_under(mesh, map);
  set_thread_count(0);
  EXPECT_EQ(one.edge, many.edge);
  EXPECT_EQ(one.shear, many.shear);
  EXPECT_EQ(one.edges.mean, many.edges.mean);
}

TEST(SpreadOf, RanksByTheNearestRank) {
  std::vector<float> values;
  for (int k = 1; k <= 100; ++k) values.push_back(static_cast<float>(k % 2 == 0 ? k : -k));
  const Spread spread = spread_of(values);
  EXPECT_EQ(spread.p95, 95);
  EXPECT_EQ(spread.max, 100);
  EXPECT_EQ(spread.worst, 99u);
  EXPECT_DOUBLE_EQ(spread.mean, 50.5);
  EXPECT_EQ(spread_of({}).count, 0u);
}

}  // namespace
}  // namespace dermis
