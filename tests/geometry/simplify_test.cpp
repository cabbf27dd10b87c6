// SPDX-License-Identifier: MIT
// Collapses and flips on meshes small enough to know what must be left.
#include "geometry/simplify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace dermis {
namespace {

using Triangle = SurfaceMesh::Triangle;
constexpr std::uint32_t kRings = 12, kAround = 32;

// The half of a unit ball with x >= 0, as rings around +x; the last ring is the seam at x = 0.
SurfaceMesh half_ball() {
  SurfaceMesh mesh;
  mesh.points.push_back({1, 0, 0});
  for (std::uint32_t r = 1; r <= kRings; ++r)
    for (std::uint32_t a = 0; a < kAround; ++a) {
      const double polar = 0.5 * kPi * r / kRings, turn = 2 * kPi * a / kAround;
      mesh.points.push_back({r == kRings ? 0.0 : std::cos(polar), std::sin(polar) * std::cos(turn),
                             std::sin(polar) * std::sin(turn)});
    }
  const auto at = [](std::uint32_t r, std::uint32_t a) { return 1 + (r - 1) * kAround + a % kAround; };
  for (std::uint32_t a = 0; a < kAround; ++a) {
    mesh.triangles.push_back({0, at(1, a), at(1, a + 1)});
    for (std::uint32_t r = 1; r < kRings; ++r) {
      mesh.triangles.push_back({at(r, a), at(r + 1, a), at(r + 1, a + 1)});
      mesh.triangles.push_back({at(r, a), at(r + 1, a + 1), at(r, a + 1)});
    }
  }
  mesh.normals = mesh.points;
  return mesh;
}

// The whole ball: the half and its mirror image, seam shared.
SurfaceMesh whole_ball() {
  SurfaceMesh mesh = half_ball();
  std::vector<std::uint32_t> image(mesh.points.size());
  const std::size_t half = mesh.points.size(), half_triangles = mesh.triangles.size();
  for (std::size_t v = 0; v < half; ++v) {
    const Vec3d p = mesh.points[v];
    image[v] = static_cast<std::uint32_t>(p.x == 0 ? v : mesh.points.size());
    if (p.x != 0) mesh.points.push_back({-p.x, p.y, p.z});
  }
  for (std::size_t t = 0; t < half_triangles; ++t) {
    const Triangle tri = mesh.triangles[t];
    mesh.triangles.push_back({image[tri[0]], image[tri[2]], image[tri[1]]});
  }
  mesh.normals = mesh.points;
  return mesh;
}

void expect_ball(const SurfaceMesh& mesh) {
  const SurfaceTopology t = measure_topology(mesh.points.size(), mesh.triangles);
  EXPECT_TRUE(t.is_closed && t.is_manifold);
  EXPECT_EQ(t.euler_characteristic, 2);
  EXPECT_EQ(t.unused_point_count, 0u);
}

std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> opposites(
    const SurfaceMesh& mesh) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> result;
  for (const Triangle& t : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k) result[std::minmax(t[k], t[(k + 1) % 3])].push_back(t[(k + 2) % 3]);
  return result;
}

TEST(Simplify, LeavesTheWantedPointsOnAClosedSurface) {
  const SurfaceMesh mesh = whole_ball();
  for (const std::size_t wanted : {300u, 101u, 50u}) {
    const SurfaceMesh simple = simplify_surface(mesh, wanted);
    EXPECT_EQ(simple.points.size(), wanted);
    expect_ball(simple);
  }
}

TEST(Simplify, LeavesSurvivingPointsWhereTheyWere) {
  const SurfaceMesh mesh = whole_ball();
  std::set<std::array<double, 3>> before;
  for (const Vec3d& p : mesh.points) before.insert({p.x, p.y, p.z});
  for (const Vec3d& p : simplify_surface(mesh, 80).points) ASSERT_TRUE(before.count({p.x, p.y, p.z}));
}

TEST(Simplify, LeavesMorePointsRatherThanFlattenABall) { expect_ball(simplify_surface(whole_ball(), 1)); }

TEST(Simplify, CountsAHalfAsAWholeAndKeepsItsSeam) {
  const SurfaceMesh half = half_ball();
  for (const std::size_t wanted : {301u, 120u, 61u}) {
    const SurfaceMesh simple = simplify_surface(half, wanted);
    const auto seam_count = static_cast<std::size_t>(
        std::count_if(simple.points.begin(), simple.points.end(), [](const Vec3d& p) { return p.x == 0; }));
    const std::size_t whole = 2 * simple.points.size() - seam_count;
    EXPECT_LE(whole, wanted);
    EXPECT_GE(whole + 1, wanted);
    // Open edges lie on the seam and inner edges do not join two points of it, so that halves fit together.
    for (const auto& [edge, apexes] : opposites(simple)) {
      const bool is_on_seam = simple.points[edge.first].x == 0 && simple.points[edge.second].x == 0;
      ASSERT_EQ(apexes.size() == 1, is_on_seam);
    }
  }
}

TEST(Simplify, KeepsTheTipOfACone) {
  // The half ball drawn out to a spike at its pole: the tip is the last thing to go.
  SurfaceMesh mesh = whole_ball();
  mesh.points[0] = {2, 0, 0};
  const SurfaceMesh simple = simplify_surface(mesh, 60);
  EXPECT_TRUE(
      std::any_of(simple.points.begin(), simple.points.end(), [](const Vec3d& p) { return p.x == 2; }));
}

// Edges whose two opposite angles add up to more than a straight one, where flipping is allowed.
std::size_t count_unfair_edges(const SurfaceMesh& mesh) {
  std::set<std::uint32_t> seam;
  const auto edges = opposites(mesh);
  for (const auto& [edge, apexes] : edges)
    if (apexes.size() == 1) seam.insert({edge.first, edge.second});
  std::size_t count = 0;
  for (const auto& [edge, apexes] : edges) {
    if (apexes.size() != 2 || (seam.count(apexes[0]) && seam.count(apexes[1]))) continue;
    double sum = 0;
    for (const std::uint32_t apex : apexes) {
      const Vec3d u = mesh.points[edge.first] - mesh.points[apex];
      const Vec3d v = mesh.points[edge.second] - mesh.points[apex];
      sum += std::atan2(length(cross(u, v)), dot(u, v));
    }
    count += sum > kPi + 1e-6;
  }
  return count;
}

TEST(FlipToDelaunay, LeavesNoUnfairEdgeInAFlatSheet) {
  // A slanted grid, every cell cut along its longer diagonal.
  constexpr std::uint32_t kEdge = 8;
  SurfaceMesh mesh;
  for (std::uint32_t y = 0; y < kEdge; ++y)
    for (std::uint32_t x = 0; x < kEdge; ++x) mesh.points.push_back({x + 0.6 * y, 1.0 * y, 0});
  mesh.normals.assign(mesh.points.size(), {0, 0, 1});
  for (std::uint32_t y = 0; y + 1 < kEdge; ++y)
    for (std::uint32_t x = 0; x + 1 < kEdge; ++x) {
      const std::uint32_t v = y * kEdge + x;
      mesh.triangles.push_back({v, v + 1, v + kEdge + 1});
      mesh.triangles.push_back({v, v + kEdge + 1, v + kEdge});
    }
  ASSERT_GT(count_unfair_edges(mesh), 20u);
  const SurfaceTopology before = measure_topology(mesh.points.size(), mesh.triangles);
  flip_to_delaunay(mesh);
  EXPECT_EQ(count_unfair_edges(mesh), 0u);
  const SurfaceTopology after = measure_topology(mesh.points.size(), mesh.triangles);
  EXPECT_TRUE(after.is_manifold);
  EXPECT_EQ(after.euler_characteristic, before.euler_characteristic);
  for (const Triangle& t : mesh.triangles)
    ASSERT_GT(cross(mesh.points[t[1]] - mesh.points[t[0]], mesh.points[t[2]] - mesh.points[t[0]]).z, 0.0);
}

}  // namespace
}  // namespace dermis
