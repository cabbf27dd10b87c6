// SPDX-License-Identifier: MIT
// Isosurfaces of shapes whose area, volume and topology are known.
#include <gtest/gtest.h>

#include <cmath>

#include "dermis/geometry.h"
#include "geometry/fields.h"

namespace dermis {
namespace {

double volume_of(const SurfaceMesh& mesh) {
  double sum = 0;
  for (const auto& t : mesh.triangles)
    sum += dot(mesh.points[t[0]], cross(mesh.points[t[1]], mesh.points[t[2]])) / 6;
  return sum;
}

void expect_closed_manifold(const SurfaceMesh& mesh, std::int64_t euler) {
  const SurfaceTopology t = measure_topology(mesh.points.size(), mesh.triangles);
  EXPECT_TRUE(t.is_closed);
  EXPECT_TRUE(t.is_manifold);
  EXPECT_EQ(t.euler_characteristic, euler);
  EXPECT_EQ(t.unused_point_count, 0u);
}

TEST(Isosurface, BallHasItsVolumeAndItsPointsOnTheSphere) {
  const Result<SurfaceMesh> mesh = mesh_isosurface(ball(1.0), options_for(1.0, 0.05));
  ASSERT_TRUE(mesh.ok());
  expect_closed_manifold(*mesh, 2);
  EXPECT_NEAR(volume_of(*mesh), 4.0 / 3.0 * kPi, 0.01);
  for (std::size_t v = 0; v < mesh->points.size(); ++v) {
    EXPECT_NEAR(length(mesh->points[v]), 1.0, 1e-5);
    EXPECT_NEAR(dot(mesh->normals[v], mesh->points[v]), 1.0, 1e-4);
  }
}

TEST(Isosurface, TorusHasOneHandle) {
  const FunctionField torus([](const Vec3d& p) { return std::hypot(std::hypot(p.x, p.z) - 1.0, p.y) - 0.3; });
  const Result<SurfaceMesh> mesh = mesh_isosurface(torus, options_for(1.3, 0.07));
  ASSERT_TRUE(mesh.ok());
  expect_closed_manifold(*mesh, 0);
  IsosurfaceOptions few = options_for(1.3, 0.07);
  few.max_points = 300;
  const Result<SurfaceMesh> simple = mesh_isosurface(torus, few);
  ASSERT_TRUE(simple.ok());
  expect_closed_manifold(*simple, 0);
  EXPECT_LE(simple->points.size(), 300u);
}

TEST(Isosurface, MirroredHalvesFitExactly) {
  IsosurfaceOptions options = options_for(1.6, 0.06);
  options.is_mirrored = true;
  // Two overlapping balls left and right: a waist on the mirror plane.
  const FunctionField pair([](const Vec3d& p) {
    return std::min(length(p - Vec3d(0.6, 0, 0)), length(p - Vec3d(-0.6, 0, 0))) - 0.8;
  });
  for (const std::size_t max_points : {std::size_t{0}, std::size_t{400}}) {
    options.max_points = max_points;
    const Result<SurfaceMesh> mesh = mesh_isosurface(pair, options);
    ASSERT_TRUE(mesh.ok());
    expect_closed_manifold(*mesh, 2);
    Vec3d sum;
    for (const Vec3d& p : mesh->points) sum += p;
    EXPECT_NEAR(sum.x, 0.0, 1e-9);
  }
}

TEST(Isosurface, StaysManifoldWhereSurfacesTouch) {
  for (const double gap : {-0.02, 0.0, 0.004, 0.02}) {
    const Result<SurfaceMesh> mesh = mesh_isosurface(ball_pair(gap), options_for(1.1, 0.043));
    ASSERT_TRUE(mesh.ok());
    const SurfaceTopology t = measure_topology(mesh->points.size(), mesh->triangles);
    EXPECT_TRUE(t.is_closed && t.is_manifold) << "gap " << gap;
  }
}

TEST(Isosurface, SimplifiesToTheWantedCount) {
  for (const std::size_t wanted : {100u, 500u, 2000u}) {
    IsosurfaceOptions options = options_for(1.0, 0.04);
    options.max_points = wanted;
    const Result<SurfaceMesh> mesh = mesh_isosurface(ball(1.0), options);
    ASSERT_TRUE(mesh.ok());
    expect_closed_manifold(*mesh, 2);
    EXPECT_EQ(mesh->points.size(), wanted);
  }
}

TEST(Isosurface, SimplifiesAMirroredSurfaceToTheWantedCountOrOneFewer) {
  IsosurfaceOptions options = options_for(1.0, 0.05);
  options.is_mirrored = true;
  for (const std::size_t wanted : {150u, 151u, 600u, 601u}) {
    options.max_points = wanted;
    const Result<SurfaceMesh> mesh = mesh_isosurface(ball(1.0), options);
    ASSERT_TRUE(mesh.ok());
    EXPECT_LE(mesh->points.size(), wanted);
    EXPECT_GE(mesh->points.size() + 1, wanted);
  }
}

TEST(Isosurface, KeepsAThinEarWhenFewPointsAreLeft) {
  // A ball with a flat ear on top. Evening out the spacing everywhere would draw the points of the ear's rim
  // inward and wear it down.
  const FunctionField eared([](const Vec3d& p) {
    const Vec3d q = p - Vec3d(0, 1.3, 0);
    const double ear = std::hypot(q.x / 0.4, q.y / 0.7, q.z / 0.08);
    const double slope = std::hypot(q.x / 0.16, q.y / 0.49, q.z / 0.0064);
    return std::min(length(p) - 1.0, slope > 1e-9 ? ear * (ear - 1) / slope : -0.08);
  });
  IsosurfaceOptions options = options_for(2.1, 0.04);
  const auto width_of_ear = [&](std::size_t max_points) {
    options.max_points = max_points;
    const Result<SurfaceMesh> mesh = mesh_isosurface(eared, options);
    EXPECT_TRUE(mesh.ok());
    expect_closed_manifold(*mesh, 2);
    Box ear;
    for (const Vec3d& p : mesh->points)
      if (p.y > 1.1) ear.add(p);
    return ear.upper.x - ear.lower.x;
  };
  EXPECT_NEAR(width_of_ear(0), 0.8, 0.02);
  EXPECT_GT(width_of_ear(150), 0.7);
}

TEST(Isosurface, RefusesAnEmptyBoxAndAMissingSurface) {
  const Result<SurfaceMesh> no_cell = mesh_isosurface(ball(1.0), options_for(1.0, 0.0));
  ASSERT_FALSE(no_cell.ok());
  EXPECT_EQ(no_cell.error().code, Errc::bad_argument);
  const Result<SurfaceMesh> nothing = mesh_isosurface(ball(-1.0), options_for(1.0, 0.1));
  ASSERT_FALSE(nothing.ok());
  EXPECT_EQ(nothing.error().code, Errc::bad_argument);
  const Result<SurfaceMesh> cut_off = mesh_isosurface(ball(3.0), options_for(1.9, 0.1));
  ASSERT_FALSE(cut_off.ok());
  EXPECT_EQ(cut_off.error().code, Errc::bad_argument);
}

TEST(Topology, SeesOpenEdgesPinchedPointsAndFlippedTriangles) {
  using SurfaceTriangles = std::vector<SurfaceMesh::Triangle>;
  const SurfaceTriangles tetrahedron{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  const SurfaceTopology closed = measure_topology(4, tetrahedron);
  EXPECT_TRUE(closed.is_closed && closed.is_manifold);
  EXPECT_EQ(closed.euler_characteristic, 2);

  const SurfaceTopology open = measure_topology(4, SurfaceTriangles{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}});
  EXPECT_FALSE(open.is_closed);
  EXPECT_TRUE(open.is_manifold);

  EXPECT_FALSE(measure_topology(4, SurfaceTriangles{{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}).is_manifold);

  // Two tetrahedra that share one point only.
  SurfaceTriangles pinched = tetrahedron;
  for (const auto& t : tetrahedron)
    pinched.push_back({t[0] == 0 ? 0 : t[0] + 3, t[1] == 0 ? 0 : t[1] + 3, t[2] == 0 ? 0 : t[2] + 3});
  const SurfaceTopology pinch = measure_topology(7, pinched);
  EXPECT_TRUE(pinch.is_closed);
  EXPECT_FALSE(pinch.is_manifold);
  EXPECT_EQ(pinch.component_count, 1u);
}

}  // namespace
}  // namespace dermis
