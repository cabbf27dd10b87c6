// SPDX-License-Identifier: MIT
// Tests of logarithms of rigid and affine motions against series, closed forms and round trips.
#include <gtest/gtest.h>

#include <limits>

#include "math/support.h"

namespace dermis {
namespace {

using testing::difference;
using testing::Random;
using testing::rodrigues;

constexpr double kAngles[] = {0,      1e-200, 1e-15, 1e-9, 1e-5,       1e-3,       0.0099,
                              0.0101, 0.5,    1.0,   2.0,  kPi - 1e-3, kPi - 1e-6, kPi - 1e-9};

// Rotation by `angle` about an axis through `pivot`.
Affined about_pivot(const Vec3d& pivot, const Vec3d& axis, double angle) {
  const Mat3d turn = rodrigues(axis, angle);
  return {turn, pivot - turn * pivot};
}

// The twist as the 4x4 matrix whose exponential is the motion.
Affined generator(const Twist& twist) {
  const Vec3d& w = twist.angular;
  return {{{0, w.z, -w.y}, {-w.z, 0, w.x}, {w.y, -w.x, 0}}, twist.linear};
}

// Product of two 4x4 matrices whose last rows are zero.
Affined times(const Affined& a, const Affined& b) { return {a.linear * b.linear, a.linear * b.translation}; }

// Taylor series of the exponential after ten halvings, then ten squarings: slow and literal.
Affined exp_series(const Affined& generator_matrix) {
  const double scale = 1.0 / 1024;
  const Affined g{generator_matrix.linear * scale, generator_matrix.translation * scale};
  Affined sum = g;  // without the identity, so that small motions keep their digits
  Affined term = g;
  for (int n = 2; n <= 12; ++n) {
    term = times(g, term);
    term = {term.linear * (1.0 / n), term.translation * (1.0 / n)};
    sum = {sum.linear + term.linear, sum.translation + term.translation};
  }
  // (1 + s)^2 - 1 = 2s + s^2
  for (int i = 0; i < 10; ++i) {
    const Affined square = times(sum, sum);
    sum = {sum.linear * 2.0 + square.linear, sum.translation * 2.0 + square.translation};
  }
  return {Mat3d{} + sum.linear, sum.translation};
}

TEST(ExpRigid, IsTheExponentialSeriesOfTheTwist) {
  Random random(51);
  SCOPED_TRACE(random.label());
  for (const double angle : kAngles) {
    const Twist twist{random.direction() * angle, random.vec()};
    EXPECT_LT(difference(exp_rigid(twist), exp_series(generator(twist))), 1e-14) << angle;
  }
  const Twist many_turns{{0, 0, 20}, {1, 2, 3}};
  EXPECT_LT(difference(exp_rigid(many_turns), exp_series(generator(many_turns))), 1e-12);
}

TEST(LogRigid, IsTheTwistWhoseExponentialSeriesIsTheMotion) {
  Random random(52);
  SCOPED_TRACE(random.label());
  for (const double angle : kAngles) {
    const Twist twist{random.direction() * angle, random.vec()};
    const Twist found = log_rigid(exp_series(generator(twist)));
    EXPECT_LT(difference(found.angular, twist.angular), 2e-14) << angle;
    EXPECT_LT(difference(found.linear, twist.linear), 4e-14) << angle;
  }
}

TEST(LogRigid, OfAPureTranslationIsTheTranslation) {
  const Twist found = log_rigid({{}, {1, -2, 3}});
  EXPECT_EQ(found.angular, Vec3d{});
  EXPECT_EQ(found.linear, (Vec3d{1, -2, 3}));
}

TEST(LogRigid, OfATurnAboutAPivotScalesToThePartialTurnExactly) {
  const Vec3d pivot{3, -1, 2};
  const Vec3d axis = normalized(Vec3d{1, 2, -2});
  for (const double angle : kAngles) {
    const Twist twist = log_rigid(about_pivot(pivot, axis, angle));
    for (const double w : {0.0, 0.1, 0.25, 0.5, 0.9, 1.0}) {
      const Affined part = exp_rigid({twist.angular * w, twist.linear * w});
      EXPECT_LT(difference(part, about_pivot(pivot, axis, w * angle)), 1e-14) << angle << " " << w;
    }
  }
}

TEST(LogRigid, OfAHalfTurnAboutAPivotTakesOneOfTheTwoAxes) {
  const Vec3d pivot{2, 0, 0};
  for (const Vec3d& raw :
       {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}, Vec3d{1, 2, -2}, Vec3d{-1, 1, 1}}) {
    const Vec3d axis = normalized(raw);
    const Twist twist = log_rigid(about_pivot(pivot, axis, kPi));
    EXPECT_NEAR(length(twist.angular), kPi, 1e-15);
    const Affined half = exp_rigid({twist.angular * 0.5, twist.linear * 0.5});
    EXPECT_LT(std::min(difference(half, about_pivot(pivot, axis, kPi / 2)),
                       difference(half, about_pivot(pivot, axis, -kPi / 2))),
              4e-15);
  }
}

TEST(LogRigid, HalvedBendOfTheStraightArmGoesToTheSideOfTheJoint) {
  // Half a turn about z at joint (2, 0, 0), half weight: the point one above the joint lands one beside it.
  const Twist twist = log_rigid(about_pivot({2, 0, 0}, {0, 0, 1}, kPi));
  const Vec3d found = exp_rigid({twist.angular * 0.5, twist.linear * 0.5}) * Vec3d{2, 1, 0};
  EXPECT_NEAR(std::abs(found.x - 2), 1, 1e-15);
  EXPECT_NEAR(found.y, 0, 1e-15);
}

TEST(LogRigid, RoundTripsForRandomMotions) {
  Random random(53);
  SCOPED_TRACE(random.label());
  for (int i = 0; i < 500; ++i) {
    const Affined motion = random.rigid();
    EXPECT_LT(difference(exp_rigid(log_rigid(motion)), motion), 1e-14);
  }
}

TEST(LogRigid, ChangesCoordinatesWithTheMotion) {
  // log(A C A^-1) = A log(C) A^-1, the row "change of coordinates" of log-matrix blending.
  Random random(54);
  SCOPED_TRACE(random.label());
  for (int i = 0; i < 100; ++i) {
    const Affined a = random.rigid();
    const Affined c{rodrigues(random.direction(), random.uniform(0, 3)), random.vec()};
    const Twist moved = log_rigid(a * c * inverse(a));
    const Twist plain = log_rigid(c);
    const Vec3d angular = a.linear * plain.angular;
    EXPECT_LT(difference(moved.angular, angular), 1e-13);
    EXPECT_LT(difference(moved.linear, a.linear * plain.linear - cross(angular, a.translation)), 1e-12);
  }
}

TEST(LogAffine, OfAScaleIsTheLogarithmOfItsFactors) {
  const auto found = log_affine({diagonal(Vec3d{2, 0.5, 10}), {}});
  ASSERT_TRUE(found);
  EXPECT_LT(difference(found->linear, diagonal(Vec3d{std::log(2), std::log(0.5), std::log(10)})), 1e-14);
  EXPECT_LT(difference(found->translation, {}), 1e-15);
}

TEST(LogAffine, OfATranslationIsTheTranslation) {
  const auto found = log_affine({{}, {1, -2, 3}});
  ASSERT_TRUE(found);
  EXPECT_LT(difference(*found, {diagonal(Vec3d{}), {1, -2, 3}}), 1e-15);
}

TEST(LogAffine, AgreesWithTheClosedFormOnRigidMotions) {
  Random random(55);
  SCOPED_TRACE(random.label());
  for (const double angle : {0.0, 1e-9, 1e-3, 0.5, 2.0, 3.0, kPi - 1e-4}) {
    const Affined motion{rodrigues(random.direction(), angle), random.vec()};
    const auto found = log_affine(motion);
    ASSERT_TRUE(found) << angle;
    EXPECT_LT(difference(*found, generator(log_rigid(motion))), 1e-10) << angle;
  }
}

TEST(LogAffine, RoundTripsWithScaleShearAndTranslation) {
  Random random(56);
  SCOPED_TRACE(random.label());
  for (int i = 0; i < 100; ++i) {
    const Vec3d scale{std::exp(random.normal()), std::exp(random.normal()), std::exp(random.normal())};
    const Mat3d turn = rodrigues(random.direction(), random.uniform(0, 1.2));
    const Affined affine{turn * diagonal(scale), random.vec()};
    const auto found = log_affine(affine);
    ASSERT_TRUE(found) << i;
    EXPECT_LT(difference(exp_affine(*found), affine), 1e-11) << i;
    const Affined half = exp_affine({found->linear * 0.5, found->translation * 0.5});
    EXPECT_LT(difference(half * half, affine), 1e-11) << i;
  }
}

TEST(LogAffine, OfAShearIsTheShearWithoutTheIdentity) {
  // (I + N) with N^2 = 0 has the logarithm N.
  const auto found = log_affine({{{1, 0, 0}, {0.75, 1, 0}, {0, 0, 1}}, {}});
  ASSERT_TRUE(found);
  EXPECT_LT(difference(found->linear, {{0, 0, 0}, {0.75, 0, 0}, {0, 0, 0}}), 1e-14);
}

TEST(LogAffine, FailsOnMirrorsSingularMapsHalfTurnsAndNonFiniteEntries) {
  const Mat3d turn = rodrigues(normalized(Vec3d{1, 2, 3}), 0.7);
  const Vec3d t{1, 2, 3};
  EXPECT_FALSE(log_affine({diagonal(Vec3d{-1, 1, 1}), t}));
  EXPECT_FALSE(log_affine({turn * diagonal(Vec3d{-1, 2, 3}) * transposed(turn), t}));
  EXPECT_FALSE(log_affine({diagonal(Vec3d{-1, -1, -1}), t}));
  EXPECT_FALSE(log_affine({diagonal(Vec3d{1, 0, 1}), t}));
  EXPECT_FALSE(log_affine({diagonal(Vec3d{0, 0, 0}), t}));
  EXPECT_FALSE(log_affine({diagonal(Vec3d{-1, -1, 1}), t}));
  EXPECT_FALSE(log_affine({rodrigues(normalized(Vec3d{1, 2, 3}), kPi), t}));
  EXPECT_FALSE(log_affine({diagonal(Vec3d{1, INFINITY, 1}), t}));
  EXPECT_FALSE(log_affine({{}, {0, std::numeric_limits<double>::quiet_NaN(), 0}}));
}

TEST(LogAffine, FailsOnRandomMirrors) {
  Random random(57);
  SCOPED_TRACE(random.label());
  for (int i = 0; i < 200; ++i) {
    Mat3d m = random.mat();
    if (determinant(m) > 0) m.x = -m.x;
    // A negative determinant means a negative real eigenvalue: complex ones come in pairs.
    EXPECT_FALSE(log_affine({m, random.vec()}));
  }
}

TEST(ExpAffine, IsTheExponentialSeries) {
  Random random(58);
  SCOPED_TRACE(random.label());
  for (int i = 0; i < 50; ++i) {
    const Affined g{random.mat(), random.vec()};
    const Affined expected = exp_series(g);
    EXPECT_LT(difference(exp_affine(g), expected), 1e-12 * (1 + testing::size_of(expected.linear)));
  }
}

TEST(ExpAffine, OfANonFiniteMatrixIsNan) {
  EXPECT_TRUE(std::isnan(exp_affine({diagonal(Vec3d{1, INFINITY, 1}), {}}).linear.x.x));
}

}  // namespace
}  // namespace dermis
