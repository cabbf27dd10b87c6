// SPDX-License-Identifier: MIT
// Skinning about given centres of rotation.
#include <gtest/gtest.h>

#include "deform/methods.h"

namespace dermis {
namespace {

using test::PointCase;
using test::posed_by;
using test::Random;
using test::TubeShape;
using test::turned_about;

PointCase random_case(Random& random) {
  PointCase c;
  for (int j = 0; j < 3; ++j) {
    c.palette.push_back(random.rigid() * test::scaled(Vec3d{1, 1, 1} + random.vector() * 0.5));
  }
  c.rows = test::exact_row(random, 3);
  // In sixteenths, so that a centre in float can be the point itself.
  for (int axis = 0; axis < 3; ++axis) c.point[axis] = (random.below(33) - 16) / 16.0;
  return c;
}

TEST(SkinCor, IsLinearBlendingWhereTheCentreIsThePointItself) {
  for (unsigned seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    PointCase c = random_case(random);
    c.centre = Vec3(c.point);
    EXPECT_LT(length(posed_by("cor", c) - posed_by("lbs", c)), 1e-12);
  }
}

TEST(SkinCor, TakesTheCentreWhereLinearBlendingDoesAndTurnsThePointAboutIt) {
  for (unsigned seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    PointCase c = random_case(random);
    c.centre = Vec3(random.vector());
    // Literally R_q S (v - p) + sum w_j C_j p.
    PointCase of_centre = c;
    of_centre.point = Vec3d(c.centre);
    const Mat3d turned_stretch = map_of("quaternion", c).posed_from_rest.linear;
    const Vec3d expected = turned_stretch * (c.point - of_centre.point) + posed_by("lbs", of_centre);
    EXPECT_LT(length(posed_by("cor", c) - expected), 1e-12);
  }
}

TEST(SkinCor, KeepsTheRadiusOfATwistedTubeAboutCentresOnItsAxis) {
  const TubeShape shape{.rings = 33, .sides = 8};
  const Mesh mesh = test::tube(shape);
  std::vector<Vec3> centres, posed(mesh.points.size());
  for (const Vec3& point : mesh.points) centres.push_back({point.x, 0, 0});
  for (const double degrees : {30.0, 90.0, 150.0, 179.0}) {
    SCOPED_TRACE(degrees);
    const std::vector<Affined> palette{{}, turned_about({2, 0, 0}, {1, 0, 0}, radians_from_degrees(degrees))};
    skin_cor_reference(mesh.weights, palette, centres, {mesh.points, {}, {}}, {posed, {}, {}});
    for (std::size_t v = 0; v < at(shape.rings * shape.sides); ++v) {
      EXPECT_NEAR(std::hypot(posed[v].y, posed[v].z), 1, 1e-6);
    }
  }
}

TEST(SkinCorDeathTest, EndsTheProgramWithoutACentreForEachPoint) {
  const std::vector<Affined> palette(1);
  const std::vector<Vec3> rest(1);
  std::vector<Vec3> posed(1);
  EXPECT_DEATH(skin_cor_reference(test::rows_of({{{0, 1}}}), palette, {}, {rest, {}, {}}, {posed, {}, {}}),
               "");
}

}  // namespace
}  // namespace dermis
