// SPDX-License-Identifier: MIT
// Normals and tangents of measured deformations: rigid ones to rounding, bent and twisted ones in the limit.
#include <gtest/gtest.h>

#include "characters.h"
#include "deform/posed.h"
#include "dermis/deform.h"

namespace dermis {
namespace {

using test::moved;

// `scales` are those of turn_surface.
Surface turned(const Mesh& mesh, std::span<const Vec3> posed, std::span<const float> scales = {}) {
  Surface surface;
  surface.normals.resize(mesh.normals.values.size());
  surface.tangents.resize(mesh.tangents.values.size());
  SurfaceTurnsScratch scratch;
  turn_surface(prepare_surface_turns(mesh), {mesh.points, mesh.normals.values, mesh.tangents.values}, posed,
               scales, {{}, surface.normals, surface.tangents}, scratch);
  return surface;
}

TEST(SurfaceTurns, FollowRigidMotionsToRounding) {
  const Mesh mesh = test::tube({.rings = 9, .sides = 12});
  for (unsigned seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    const Affined motion = test::Random(seed).rigid();
    const Surface surface = turned(mesh, moved(mesh.points, motion));
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
      const Vec3d normal = motion.linear * Vec3d(mesh.normals.values[v]);
      EXPECT_LT(length(Vec3d(surface.normals[v]) - normal), 1e-6);
      EXPECT_NEAR(dot(Vec3d(surface.normals[v]), Vec3d(surface.tangents[v].xyz())), 0, 1e-6);
      EXPECT_EQ(surface.tangents[v].w, mesh.tangents.values[v].w);
      if (v >= mesh.points.size() - 2) continue;  // the tangents of the caps point along their normals
      EXPECT_LT(length(Vec3d(surface.tangents[v].xyz()) - motion.linear * Vec3d{1, 0, 0}), 1e-6);
    }
  }
}

TEST(SurfaceTurns, AreExactUnderAnyAffineMapOnAPlane) {
  Mesh mesh;
  mesh.points = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  mesh.polygons.first = {0, 4};
  mesh.polygons.corners = {0, 1, 2, 3};
  mesh.weld = {0, 1, 2, 3};
  mesh.normals.values.assign(4, {0, 0, 1});
  mesh.tangents.values.assign(4, {0.6f, 0.8f, 0, -1});
  for (unsigned seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    const Affined map = test::Random(seed).affine();
    const Surface surface = turned(mesh, moved(mesh.points, map));
    const Vec3d normal = normalized(cross(map.linear.x, map.linear.y));
    const Vec3d tangent = normalized(map.linear * Vec3d{0.6, 0.8, 0});
    for (std::size_t v = 0; v < 4; ++v) {
      EXPECT_LT(length(Vec3d(surface.normals[v]) - normal), 2e-5);
      EXPECT_LT(length(Vec3d(surface.tangents[v].xyz()) - tangent), 2e-5);
      EXPECT_EQ(surface.tangents[v].w, -1.0f);
    }
  }
}

TEST(SurfaceTurns, PointOutwardWhenToldThatThePoseMirrors) {
  const Mesh mesh = test::tube({.rings = 9, .sides = 12});
  const std::vector<float> scales(mesh.points.size(), -1.0f);
  const Surface surface = turned(mesh, moved(mesh.points, test::scaled({-1, 1, 1})), scales);
  for (std::size_t v = 12; v < 8 * 12; ++v) {
    EXPECT_LT(length(surface.normals[v] - mesh.normals.values[v]), 1e-6f);
    EXPECT_LT(length(surface.tangents[v].xyz() - Vec3{-1, 0, 0}), 1e-6f);
    EXPECT_EQ(surface.tangents[v].w, -1.0f);
  }
}

// A cube whose corners share one normal for three sides: what a mirror makes of each side must be added up
// before it is told outside from inside.
TEST(SurfaceTurns, PointOutwardAtMirroredCorners) {
  Mesh mesh;
  for (int v = 0; v < 8; ++v)
    mesh.points.push_back({v & 1 ? 1.0f : -1.0f, v & 2 ? 2.0f : -2.0f, v & 4 ? 3.0f : -3.0f});
  mesh.polygons.first = {0, 4, 8, 12, 16, 20, 24};
  mesh.polygons.corners = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
  mesh.weld = {0, 1, 2, 3, 4, 5, 6, 7};
  for (const Vec3& point : mesh.points) mesh.normals.values.push_back(normalized(point));
  const std::vector<float> scales(8, -1.0f);
  for (const Vec3d& mirror : {Vec3d{-1, 1, 1}, Vec3d{1, -1, 1}, Vec3d{1, 1, -1}, Vec3d{-1, -1, -1}}) {
    const Surface surface = turned(mesh, moved(mesh.points, test::scaled(mirror)), scales);
    for (std::size_t v = 0; v < 8; ++v) {
      const Vec3d wanted = diagonal(mirror) * Vec3d(mesh.normals.values[v]);
      EXPECT_LT(length(Vec3d(surface.normals[v]) - wanted), 1e-5) << v;
    }
  }
}

// Largest angle between turned and analytic normals away from the ends of a tube that is twisted evenly, or
// bent into a quarter of a ring.
double worst_normal(int rings, int sides, bool is_bent) {
  const Mesh mesh = test::tube({.rings = rings, .sides = sides, .length = 4, .radius = 0.5});
  std::vector<Vec3> posed;
  std::vector<Vec3d> wanted;
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    const Vec3d p(mesh.points[v]), n(mesh.normals.values[v]);
    if (is_bent) {
      const double angle = p.x / 4 * kPi / 2, radius = 8 / kPi;
      const Vec3d out{std::sin(angle), std::cos(angle), 0};
      posed.push_back(Vec3(out * (radius + p.y) + Vec3d{0, 0, p.z}));
      wanted.push_back(out * n.y + Vec3d{0, 0, n.z});
    } else {
      // The ring shrinks with x as well, so that normals lean.
      const double angle = p.x, radius = 1 - 0.1 * p.x;
      const auto spun = [&](const Vec3d& q) {
        return Vec3d{q.x, std::cos(angle) * q.y - std::sin(angle) * q.z,
                     std::sin(angle) * q.y + std::cos(angle) * q.z};
      };
      posed.push_back(Vec3(spun({p.x, p.y * radius, p.z * radius})));
      wanted.push_back(normalized(spun({0.05, n.y, n.z})));
    }
  }
  const Surface surface = turned(mesh, posed);
  double worst = 0;
  for (int v = 2 * sides; v < (rings - 2) * sides; ++v) {
    worst = std::max(worst, length(Vec3d(surface.normals[at(v)]) - wanted[at(v)]));
  }
  return worst;
}

TEST(SurfaceTurns, ConvergeToTheNormalsOfABentTube) {
  const double coarse = worst_normal(17, 12, true), fine = worst_normal(65, 48, true);
  std::printf("bent tube: %.2e, four times finer %.2e\n", coarse, fine);
  EXPECT_LT(coarse, 0.05);
  EXPECT_LT(fine, coarse / 4);
}

TEST(SurfaceTurns, ConvergeToTheNormalsOfATwistedTube) {
  const double coarse = worst_normal(17, 12, false), fine = worst_normal(65, 48, false);
  std::printf("twisted tube: %.2e, four times finer %.2e\n", coarse, fine);
  EXPECT_LT(coarse, 0.2);
  EXPECT_LT(fine, coarse / 3);
}

TEST(SurfaceTurns, AreTheSameOnBothSidesOfASeamAndKeepHardEdges) {
  Mesh mesh;
  mesh.points = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 0}, {1, 1, 0}, {0, 1, 0}, {9, 9, 9}};
  mesh.polygons.first = {0, 3, 6};
  mesh.polygons.corners = {0, 1, 2, 3, 4, 5};
  mesh.weld = weld_coincident(mesh.points);
  mesh.normals.values.assign(7, {0, 0, 1});
  mesh.normals.values[3] = mesh.normals.values[4] = {0.6f, 0, 0.8f};  // hard edges split normals, not points
  std::vector<Vec3> posed = mesh.points;
  posed[1].z = 1;
  const Surface surface = turned(mesh, posed);
  EXPECT_GT(length(surface.normals[0] - surface.normals[3]), 0.3f);
  EXPECT_LT(length(surface.normals[0] - surface.normals[2]), 1e-6f);
  EXPECT_EQ(surface.normals[6], mesh.normals.values[6]);  // no triangle: stays
  for (const Vec3& normal : surface.normals) EXPECT_NEAR(length(normal), 1, 1e-6);
}

TEST(SurfaceTurns, StayAtRestWhereTheSurfaceCollapses) {
  const Mesh mesh = test::tube({.rings = 5, .sides = 6});
  const Surface surface = turned(mesh, std::vector<Vec3>(mesh.points.size(), Vec3{1, 2, 3}));
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    EXPECT_LT(length(surface.normals[v] - mesh.normals.values[v]), 1e-6f);
  }
}

}  // namespace
}  // namespace dermis
