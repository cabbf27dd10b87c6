// SPDX-License-Identifier: MIT
// Laplacians against hand-worked weights and linear functions, and solves against residuals.
#include <gtest/gtest.h>

#include "characters.h"
#include "dermis/geometry.h"

namespace dermis {
namespace {

using Triangles = std::vector<SurfaceMesh::Triangle>;

double weight(const Laplacian& laplacian, std::uint32_t v, std::uint32_t w) {
  for (std::uint32_t k = laplacian.first[v]; k < laplacian.first[v + 1]; ++k) {
    if (laplacian.neighbours[k] == w) return laplacian.weights[k];
  }
  return -1;
}

std::vector<double> applied(const Laplacian& laplacian, const std::vector<double>& x) {
  std::vector<double> y(x.size());
  for (std::size_t v = 0; v < x.size(); ++v) {
    y[v] = laplacian.diagonal[v] * x[v];
    for (std::uint32_t k = laplacian.first[v]; k < laplacian.first[v + 1]; ++k) {
      y[v] -= laplacian.weights[k] * x[laplacian.neighbours[k]];
    }
  }
  return y;
}

TEST(UniformLaplacian, CountsNeighbours) {
  const Laplacian laplacian = uniform_laplacian(4, Triangles{{0, 1, 2}, {0, 2, 3}});
  EXPECT_EQ(laplacian.diagonal, (std::vector<double>{3, 2, 3, 2}));
}

TEST(CotangentLaplacian, OfASquareHasNoWeightOnItsDiagonal) {
  const std::vector<Vec3> points{{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}};
  const Laplacian laplacian = cotangent_laplacian(points, Triangles{{0, 1, 2}, {0, 2, 3}});
  EXPECT_NEAR(weight(laplacian, 0, 2), 0, 1e-15);
  EXPECT_NEAR(weight(laplacian, 0, 1), 0.5, 1e-15);
  EXPECT_NEAR(weight(laplacian, 3, 0), 0.5, 1e-15);
}

TEST(CotangentLaplacian, IsBitwiseSymmetric) {
  const Mesh mesh = test::tube({.rings = 7, .sides = 5});
  const WeldedSurface surface = weld_surface(mesh.weld, mesh.polygons.first, mesh.polygons.corners);
  const Laplacian laplacian = cotangent_laplacian(mesh.points, surface.triangles);
  for (std::uint32_t v = 0; v < laplacian.point_count(); ++v) {
    for (std::uint32_t k = laplacian.first[v]; k < laplacian.first[v + 1]; ++k) {
      EXPECT_EQ(laplacian.weights[k], weight(laplacian, laplacian.neighbours[k], v));
    }
  }
}

// An irregular disc: its middle point is anywhere, and linear functions are still harmonic there.
TEST(CotangentLaplacian, KillsLinearFunctionsInsideAPlane) {
  test::Random random(3);
  std::vector<Vec3> points{{0.1f, -0.2f, 0}};
  Triangles triangles;
  for (std::uint32_t k = 0; k < 7; ++k) {
    const double angle = 2 * kPi * k / 7 + random.in(0, 0.3);
    points.push_back(Vec3(Vec3d{std::cos(angle), std::sin(angle), 0} * random.in(0.9, 1.1)));
    triangles.push_back({0, k + 1, (k + 1) % 7 + 1});
  }
  const Laplacian laplacian = cotangent_laplacian(points, triangles);
  std::vector<double> x, y;
  for (const Vec3& p : points) x.push_back(p.x), y.push_back(p.y);
  EXPECT_NEAR(applied(laplacian, x)[0], 0, 1e-12);
  EXPECT_NEAR(applied(laplacian, y)[0], 0, 1e-12);
}

TEST(CotangentLaplacian, IsClampedAtObtuseAndEmptyTriangles) {
  // Edge 0 1 is opposite to two angles of far more than a right one; triangle 0 1 4 is empty.
  const std::vector<Vec3> points{{-1, 0, 0}, {1, 0, 0}, {0, 0.1f, 0}, {0, -0.1f, 0}, {0.5f, 0, 0}};
  const Laplacian laplacian = cotangent_laplacian(points, Triangles{{0, 1, 2}, {0, 3, 1}, {0, 1, 4}});
  EXPECT_EQ(weight(laplacian, 0, 1), 0);
  for (const double w : laplacian.weights) {
    EXPECT_GE(w, 0);
    EXPECT_LE(w, 100);
  }
}

TEST(PointAreas, AreAThirdOfTheTrianglesAround) {
  // A square of area 1 cut along its diagonal, and a point that no triangle has.
  const std::vector<Vec3> points{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {5, 5, 5}};
  const std::vector<double> areas = point_areas(points, Triangles{{0, 1, 2}, {0, 2, 3}});
  const std::vector<double> expected{1.0 / 3, 1.0 / 6, 1.0 / 3, 1.0 / 6, 0};
  ASSERT_EQ(areas.size(), expected.size());
  for (std::size_t v = 0; v < areas.size(); ++v) EXPECT_NEAR(areas[v], expected[v], 1e-15) << v;
}

TEST(LaplacianSolver, LeavesNoResidualAtAnyWidth) {
  const Mesh mesh = test::tube({.rings = 11, .sides = 8});
  const WeldedSurface surface = weld_surface(mesh.weld, mesh.polygons.first, mesh.polygons.corners);
  const std::size_t count = surface.point_count();
  const Laplacian laplacian = cotangent_laplacian(mesh.points, surface.triangles);
  const double step = 5;
  const Result<LaplacianSolver> solver = factor_laplacian(laplacian, laplacian.diagonal, step);
  ASSERT_TRUE(solver.ok());
  for (const std::size_t width : {1, 2, 10, 12, 29}) {
    SCOPED_TRACE(width);
    test::Random random(11);
    std::vector<double> right(count * width);
    for (double& number : right) number = random.in(-1, 1);
    std::vector<double> solved = right;
    solver->solve(solved, width);
    for (std::size_t c = 0; c < width; ++c) {
      std::vector<double> x(count);
      for (std::size_t v = 0; v < count; ++v) x[v] = solved[v * width + c];
      const std::vector<double> stiff = applied(laplacian, x);
      for (std::size_t v = 0; v < count; ++v) {
        EXPECT_NEAR(laplacian.diagonal[v] * x[v] + step * stiff[v], right[v * width + c], 1e-12);
      }
    }
  }
}

TEST(LaplacianSolver, RefusesASingularSystem) {
  const Laplacian laplacian = uniform_laplacian(4, Triangles{{0, 1, 2}});
  const std::vector<double> mass{1, 1, 1, 0};
  const Result<LaplacianSolver> solver = factor_laplacian(laplacian, mass, 1);
  ASSERT_FALSE(solver.ok());
  EXPECT_EQ(solver.error().code, Errc::bad_argument);
}

TEST(LaplacianSolver, OfNothingSolvesNothing) {
  const Result<LaplacianSolver> solver = factor_laplacian(uniform_laplacian(0, {}), {}, 1);
  ASSERT_TRUE(solver.ok());
  solver->solve({}, 3);
}

}  // namespace
}  // namespace dermis
