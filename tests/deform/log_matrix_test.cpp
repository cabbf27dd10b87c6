// SPDX-License-Identifier: MIT
// Blending of logarithms: constant speed about a pivot, and its branch at half a turn.
#include <gtest/gtest.h>

#include <cstdio>

#include "deform/methods.h"

namespace dermis {
namespace {

using test::kHalf;
using test::PointCase;
using test::posed_by;
using test::turned_about;

PointCase half_and_half(const Affined& first, const Affined& second) {
  return {{first, second}, kHalf, {2, 1, 0}, {}, 0};
}

TEST(SkinLogMatrix, BesideAJointAtRestTurnsByTheWeightTimesTheAngle) {
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const Vec3d pivot = random.vector(), axis = random.vector();
    const double angle = random.in(-3.1, 3.1);
    PointCase c{{{}, turned_about(pivot, axis, angle)}, test::exact_row(random, 2), random.vector(), {}, 0};
    double weight = 0;
    for (const Influence& i : c.rows.influences) weight += i.slot == 1 ? static_cast<double>(i.weight) : 0;
    EXPECT_LT(length(posed_by("log_matrix", c) - turned_about(pivot, axis, weight * angle) * c.point), 1e-12);
  }
}

TEST(SkinLogMatrix, BlendsPlus170AndMinus170ThroughRestAndNotThrough180) {
  const double angle = radians_from_degrees(170);
  const PointCase c = half_and_half(turned_about({}, {1, 0, 0}, angle), turned_about({}, {1, 0, 0}, -angle));
  EXPECT_LT(length(posed_by("log_matrix", c) - c.point), 1e-12);
  // Dual quaternions go the short way round, by 20 degrees through 180.
  EXPECT_LT(length(posed_by("dqs", c) - Vec3d{2, -1, 0}), 1e-12);
}

TEST(SkinLogMatrix, AtHalfATurnTakesOneOfTheTwoAxes) {
  const Vec3d twisted = posed_by("log_matrix", half_and_half({}, turned_about({}, {1, 0, 0}, kPi)));
  EXPECT_LT(length(Vec3d{twisted.x, twisted.y, std::abs(twisted.z)} - Vec3d{2, 0, 1}), 1e-12);
  const Vec3d bent = posed_by("log_matrix", half_and_half({}, turned_about({2, 0, 0}, {0, 0, 1}, kPi)));
  EXPECT_LT(length(Vec3d{2 - std::abs(bent.x - 2), bent.y, bent.z} - Vec3d{1, 0, 0}), 1e-12);
}

TEST(SkinLogMatrix, IsAccurateJustBelowHalfATurnAndForTheSmallestTurns) {
  for (const double gap : {1e-3, 1e-6, 1e-9, 1e-12}) {
    SCOPED_TRACE(gap);
    for (const double angle : {kPi - gap, gap}) {
      const Vec3d pivot{3, -1, 2}, axis{1, 2, -1};
      const PointCase c = half_and_half({}, turned_about(pivot, axis, angle));
      EXPECT_LT(length(posed_by("log_matrix", c) - turned_about(pivot, axis, angle / 2) * c.point), 1e-12);
    }
  }
}

// The whole character turned by 20 degrees takes the far joint past half a turn: its logarithm changes sides,
// and the blended point jumps. No method that keeps motions of the world does this.
TEST(SkinLogMatrix, JumpsWhenTheWholeCharacterTurns) {
  const auto posed = [](const char* method, double whole_deg) {
    const Affined whole = turned_about({}, {1, 0, 0}, radians_from_degrees(whole_deg));
    const Affined far = turned_about({}, {1, 0, 0}, radians_from_degrees(90));
    const PointCase c = half_and_half(whole, whole * far);
    return inverse(whole) * posed_by(method, c);
  };
  const double logarithms = length(posed("log_matrix", 100) - posed("log_matrix", 80));
  std::printf("turning the whole character by 20 degrees moves a point at radius 1 by %.4f\n", logarithms);
  EXPECT_NEAR(logarithms, 2, 1e-12);
  EXPECT_LT(length(posed("dqs", 100) - posed("dqs", 80)), 1e-12);
}

}  // namespace
}  // namespace dermis
