// SPDX-License-Identifier: MIT
// Errors of normals on bodies whose normals are known.
#include <gtest/gtest.h>

#include <cmath>

#include "bodies.h"
#include "dermis/made.h"
#include "dermis/measure.h"

namespace dermis {
namespace {

TEST(NormalError, OfASphereGoesToNothingWithItsResolution) {
  const auto error_at = [](int rings) {
    const Mesh mesh = test::sphere(rings);
    return normal_error(mesh, {mesh.points, mesh.points, {}});  // on the unit sphere, points are normals
  };
  EXPECT_LT(error_at(40).max, error_at(20).max * 0.6);
  EXPECT_LT(error_at(40).mean, 0.01);
}

TEST(NormalError, OfATurnedNormalIsTheAngle) {
  const Mesh mesh = test::mesh_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}});
  Surface posed{mesh.points, {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}}, {}};
  posed.normals[1] = {std::sin(0.3f), 0, std::cos(0.3f)};
  const Spread error = normal_error(mesh, posed);
  EXPECT_NEAR(error.max, 0.3, 1e-6);
  EXPECT_EQ(error.worst, 1u);
  EXPECT_NEAR(error.mean, 0.1, 1e-6);
  posed.normals[1] = {0, 0, -1};
  EXPECT_NEAR(normal_error(mesh, posed).max, kPi, 1e-6);
}

TEST(NormalError, KeepsHardEdgesHardAndSeamsSmooth) {
  // Two faces at a right angle, with points of their own at the edge between them.
  const std::vector<Vec3> points{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                 {0, 0, 0}, {0, 1, 0}, {0, 1, 1}, {0, 0, 1}};
  const Mesh mesh = test::mesh_of(points, {{0, 1, 2, 3}, {4, 5, 6, 7}});
  std::vector<Vec3> hard(4, Vec3{0, 0, 1});
  hard.insert(hard.end(), 4, Vec3{1, 0, 0});
  EXPECT_LT(normal_error(mesh, {points, hard, {}}).max, 1e-6);
  std::vector<Vec3> smooth = hard;
  for (const std::size_t v : {0, 3, 4, 5}) smooth[v] = normalized(Vec3{1, 0, 1});
  EXPECT_LT(normal_error(mesh, {points, smooth, {}}).max, 1e-6);
}

TEST(NormalError, OfNothingIsEmpty) {
  EXPECT_EQ(normal_error(test::cube(), {test::cube().points, {}, {}}).count, 0u);
  const Mesh flat = test::mesh_of({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{0, 1, 2}});
  EXPECT_EQ(normal_error(flat, {flat.points, {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}}, {}}).count, 0u);
}

}  // namespace
}  // namespace dermis
