// SPDX-License-Identifier: MIT
// Isosurfaces of shapes whose area, volume and topology are known.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "dermis/geometry.h"

namespace dermis {
namespace {

// Any function as a field, without pruning.
class FunctionField final : public Field {
 public:
  explicit FunctionField(std::function<double(const Vec3d&)> f) : f_(std::move(f)) {}
  double value(const Vec3d& p) const override { return f_(p); }
  std::shared_ptr<const Field> restricted(const Vec3d&, double) const override {
    return std::make_shared<FunctionField>(f_);
  }

 private:
  std::function<double(const Vec3d&)> f_;
};

FunctionField ball(double radius) {
  return FunctionField([radius](const Vec3d& p) { return length(p) - radius; });
}

IsosurfaceOptions options_for(double reach, double cell) {
  IsosurfaceOptions options;
  options.box.add({-reach, -reach, -reach});
  options.box.add({reach, reach, reach});
  options.cell = cell;
  return options;
}

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
  // Balls that touch in a point or along an edge of the grid are the ambiguous cases of surface nets.
  for (const double gap : {-0.02, 0.0, 0.004, 0.02}) {
    const FunctionField touching([gap](const Vec3d& p) {
      const double d = 0.5 * gap + 0.5;
      return std::min(length(p - Vec3d(d, d, d) * 0.577350269), length(p + Vec3d(d, d, d) * 0.577350269)) -
             0.5;
    });
    const Result<SurfaceMesh> mesh = mesh_isosurface(touching, options_for(1.1, 0.043));
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
  using Triangles = std::vector<SurfaceMesh::Triangle>;
  const Triangles tetrahedron{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  const SurfaceTopology closed = measure_topology(4, tetrahedron);
  EXPECT_TRUE(closed.is_closed && closed.is_manifold);
  EXPECT_EQ(closed.euler_characteristic, 2);

  const SurfaceTopology open = measure_topology(4, Triangles{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}});
  EXPECT_FALSE(open.is_closed);
  EXPECT_TRUE(open.is_manifold);

  EXPECT_FALSE(measure_topology(4, Triangles{{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}).is_manifold);

  // Two tetrahedra that share one point only.
  Triangles pinched = tetrahedron;
  for (const auto& t : tetrahedron)
    pinched.push_back({t[0] == 0 ? 0 : t[0] + 3, t[1] == 0 ? 0 : t[1] + 3, t[2] == 0 ? 0 : t[2] + 3});
  const SurfaceTopology pinch = measure_topology(7, pinched);
  EXPECT_TRUE(pinch.is_closed);
  EXPECT_FALSE(pinch.is_manifold);
  EXPECT_EQ(pinch.component_count, 1u);
}

}  // namespace
}  // namespace dermis
