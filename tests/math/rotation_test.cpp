// SPDX-License-Identifier: MIT
// Tests of quaternions, slerp and rotation vectors.
#include <gtest/gtest.h>

#include <limits>

#include "math/support.h"

namespace dermis {
namespace {

using testing::difference;
using testing::half_angle_quat;
using testing::Random;
using testing::rodrigues;

// Angle of the turn from a to b, in [0, pi].
double turn_between(const Quatd& a, const Quatd& b) { return length(log(conjugate(a) * b)); }

TEST(Quat, MatrixIsRodriguesForAnyAxisAndAngle) {
  Random random(1);
  SCOPED_TRACE(random.label());
  for (int i = 0; i < 200; ++i) {
    const Vec3d axis = random.direction();
    const double angle = random.uniform(-2 * kPi, 2 * kPi);
    EXPECT_LT(difference(matrix_from_quat(half_angle_quat(axis, angle)), rodrigues(axis, angle)), 4e-15);
  }
}

TEST(Quat, ProductTurnsByTheRightFactorFirst) {
  Random random(2);
  SCOPED_TRACE(random.label());
  for (int i = 0; i < 100; ++i) {
    const Quatd a = random.rotation(), b = random.rotation();
    const Vec3d v = random.vec();
    EXPECT_LT(difference(rotate(a * b, v), rotate(a, rotate(b, v))), 1e-14);
    EXPECT_LT(difference(rotate(conjugate(a), rotate(a, v)), v), 1e-14);
  }
}

TEST(Quat, QuarterTurnAboutZTakesXToY) {
  EXPECT_LT(difference(rotate(quat_from_axis_angle({0, 0, 5}, kPi / 2), {1, 0, 0}), {0, 1, 0}), 1e-15);
}

TEST(Quat, NormalizedTurnsZeroAndNonFiniteIntoIdentity) {
  EXPECT_EQ(normalized(Quatd{0, 0, 0, 0}), Quatd{});
  EXPECT_EQ(normalized(Quatd{INFINITY, 0, 0, 1}), Quatd{});
  EXPECT_EQ(normalized(Quatd{std::numeric_limits<double>::quiet_NaN(), 0, 0, 1}), Quatd{});
}

TEST(QuatFromAxisAngle, AxisLengthDoesNotMatter) {
  const Quatd expected = half_angle_quat(normalized(Vec3d{1, 2, -2}), 0.7);
  for (const double scale : {1e-300, 1e-200, 1e-8, 1.0, 1e8, 1e200, 1e300}) {
    EXPECT_LT(difference(quat_from_axis_angle(Vec3d{1, 2, -2} * scale, 0.7), expected), 1e-15) << scale;
  }
}

TEST(QuatFromAxisAngle, ZeroAxisGivesTheIdentity) { EXPECT_EQ(quat_from_axis_angle({}, 1.0), Quatd{}); }

// The four branches: the component that is largest in the result is the one the branch divides by.
struct ShepperdCase {
  const char* name;
  Vec3d axis;
};
class QuatFromMatrixNearHalfTurn : public ::testing::TestWithParam<ShepperdCase> {};

TEST_P(QuatFromMatrixNearHalfTurn, RecoversTheRotation) {
  const Vec3d axis = normalized(GetParam().axis);
  for (const double off : {0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 0.1}) {
    for (const double angle : {kPi - off, kPi + off, -kPi + off}) {
      const Quatd q = quat_from_matrix(rodrigues(axis, angle));
      EXPECT_LT(difference(q, half_angle_quat(axis, angle)), 2e-15) << angle - kPi;
      EXPECT_NEAR(dot(q, q), 1, 1e-15);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Branches, QuatFromMatrixNearHalfTurn,
                         ::testing::Values(ShepperdCase{"x", {1, 0, 0}}, ShepperdCase{"y", {0, 1, 0}},
                                           ShepperdCase{"z", {0, 0, 1}}, ShepperdCase{"mostly_x", {3, -1, 2}},
                                           ShepperdCase{"mostly_y", {-1, 3, 2}},
                                           ShepperdCase{"mostly_z", {1, 2, -3}},
                                           ShepperdCase{"diagonal", {1, 1, 1}},
                                           ShepperdCase{"nearly_x", {1, 1e-9, -1e-9}}),
                         [](const auto& tested) { return tested.param.name; });

TEST(QuatFromMatrix, RecoversTheRotationWhereTheScalarPartIsLargest) {
  for (const double angle : {0.0, 1e-15, 1e-9, 1e-3, 1.0, 1.5, 2.0}) {
    const Vec3d axis = normalized(Vec3d{1, -2, 2});
    EXPECT_LT(difference(quat_from_matrix(rodrigues(axis, angle)), half_angle_quat(axis, angle)), 1e-15);
  }
}

TEST(QuatFromMatrix, IsExactlyAsAccurateForAllRotations) {
  Random random(3);
  SCOPED_TRACE(random.label());
  for (int i = 0; i < 1000; ++i) {
    const Quatd q = random.rotation();
    EXPECT_LT(difference(quat_from_matrix(matrix_from_quat(q)), q), 1e-15);
  }
}

TEST(QuatFromMatrix, IsUnitForAMatrixRoundedToFloat) {
  Random random(4);
  SCOPED_TRACE(random.label());
  for (int i = 0; i < 100; ++i) {
    const Quatd q = random.rotation();
    const Quatd rounded = quat_from_matrix(Mat3d(Mat3(matrix_from_quat(q))));
    EXPECT_NEAR(dot(rounded, rounded), 1, 1e-15);
    EXPECT_LT(difference(rounded, q), 1e-7);
  }
}

TEST(QuatFromMatrix, OfANonFiniteMatrixIsTheIdentity) {
  for (int column = 0; column < 3; ++column) {
    for (const double bad : {double(INFINITY), -double(INFINITY), std::numeric_limits<double>::quiet_NaN()}) {
      Mat3d m;
      m[column][column] = bad;
      EXPECT_EQ(quat_from_matrix(m), Quatd{}) << column << " " << bad;
    }
  }
}

TEST(QuatBetween, TakesOneDirectionToTheOtherAtEveryAngle) {
  Random random(5);
  SCOPED_TRACE(random.label());
  for (const double angle :
       {0.0, 1e-15, 1e-9, 1e-3, 1.0, 3.0, kPi - 1e-3, kPi - 1e-7, kPi - 1e-9, kPi - 1e-12}) {
    const Vec3d axis = random.direction();
    const Vec3d from = normalized(cross(axis, random.direction()));
    const Vec3d to = rodrigues(axis, angle) * from;
    const Quatd q = quat_between(from * 3.0, to * 0.01);
    EXPECT_LT(difference(rotate(q, from), to), 1e-15 * 4) << angle;
    EXPECT_NEAR(turn_between({}, q), angle, 1e-15 * 8);
    EXPECT_NEAR(dot(q, q), 1, 1e-15);
  }
}

TEST(QuatBetween, OppositeDirectionsAreAHalfTurnAboutAPerpendicularAxis) {
  for (const Vec3d& from :
       {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}, Vec3d{1, 2, 3}, Vec3d{-4, 1, 1}}) {
    const Quatd q = quat_between(from, -from);
    EXPECT_NEAR(q.w, 0, 1e-16);
    EXPECT_NEAR(dot(q.xyz(), normalized(from)), 0, 1e-15);
    EXPECT_LT(difference(rotate(q, from), -from), 4e-15);
  }
}

TEST(QuatBetween, DirectionsOfAnyLengthWork) {
  EXPECT_LT(difference(quat_between({1e-250, 0, 0}, {0, 1e250, 0}), half_angle_quat({0, 0, 1}, kPi / 2)),
            1e-15);
}

TEST(QuatBetween, ZeroDirectionGivesTheIdentity) {
  EXPECT_EQ(quat_between({}, {1, 0, 0}), Quatd{});
  EXPECT_EQ(quat_between({1, 0, 0}, {}), Quatd{});
}

TEST(Slerp, TurnsAtConstantSpeed) {
  Random random(6);
  SCOPED_TRACE(random.label());
  for (const double angle : {1e-9, 1e-7, 1.9e-6, 2.1e-6, 1e-3, 1.0, 2.0, 3.0, kPi - 1e-6}) {
    const Quatd a = random.rotation();
    const Quatd b = a * half_angle_quat(random.direction(), angle);
    for (int step = 0; step <= 8; ++step) {
      const double t = step / 8.0;
      EXPECT_NEAR(turn_between(a, slerp(a, b, t)), t * angle, 4e-15) << angle << " at " << t;
      EXPECT_NEAR(turn_between(slerp(a, b, t), b), (1 - t) * angle, 4e-15) << angle << " at " << t;
    }
  }
}

TEST(Slerp, IsThePowerOfTheRelativeTurn) {
  const Vec3d axis = normalized(Vec3d{2, -1, 2});
  const Quatd a = half_angle_quat(normalized(Vec3d{1, 1, 0}), 0.4);
  for (const double t : {0.0, 0.1, 0.5, 0.9, 1.0}) {
    EXPECT_LT(difference(slerp(a, half_angle_quat(axis, 2.5) * a, t), half_angle_quat(axis, 2.5 * t) * a),
              1e-15);
  }
}

TEST(Slerp, TakesTheShorterArcWhicheverSignTheEndHas) {
  // 300 degrees one way is 60 the other.
  const Quatd end = half_angle_quat({0, 0, 1}, radians_from_degrees(300));
  for (const Quatd& b : {end, -end}) {
    EXPECT_LT(difference(slerp({}, b, 0.5), half_angle_quat({0, 0, 1}, radians_from_degrees(-30))), 1e-15);
  }
}

TEST(Slerp, EqualAndOppositeSignEndsStayPut) {
  const Quatd q = half_angle_quat(normalized(Vec3d{1, 2, 3}), 1.0);
  EXPECT_LT(difference(slerp(q, q, 0.3), q), 1e-15);
  EXPECT_LT(difference(slerp(q, -q, 0.3), q), 1e-15);
}

TEST(Slerp, OfAHalfTurnPassesThroughAQuarterTurn) {
  const Quatd half = half_angle_quat({1, 0, 0}, kPi);
  EXPECT_NEAR(turn_between({}, slerp({}, half, 0.5)), kPi / 2, 1e-15);
  EXPECT_NEAR(std::abs(rotate(slerp({}, half, 0.5), {0, 1, 0}).z), 1, 1e-15);
}

TEST(RotationVector, LogOfExpIsTheSameVectorUpToPi) {
  Random random(7);
  SCOPED_TRACE(random.label());
  for (const double angle :
       {1e-300, 1e-200, 1e-160, 1e-12, 1e-9, 0.99e-4, 1.01e-4, 0.1, 1.0, 3.0, kPi - 1e-9}) {
    const Vec3d r = random.direction() * angle;
    EXPECT_LT(difference(log(exp(r)), r), 4e-15 * angle) << angle;
  }
  EXPECT_EQ(log(exp(Vec3d{})), Vec3d{});
}

TEST(RotationVector, ExpOfLogIsTheSameRotationIncludingHalfTurns) {
  Random random(8);
  SCOPED_TRACE(random.label());
  for (const double angle :
       {0.0, 1e-14, 1e-9, 1.0, 3.0, kPi - 1e-9, kPi - 1e-15, kPi, kPi + 1e-9, 6.0, 2 * kPi}) {
    const Quatd q = half_angle_quat(random.direction(), angle);
    EXPECT_LT(difference(exp(log(q)), q), 1e-15) << angle;
    EXPECT_LT(difference(exp(log(-q)), q), 1e-15) << angle;
  }
}

TEST(RotationVector, AngleIsNeverAbovePi) {
  for (const double angle : {kPi, kPi + 1e-9, 4.0, 6.0}) {
    EXPECT_LE(length(log(half_angle_quat({0, 1, 0}, angle))), kPi) << angle;
  }
  EXPECT_EQ(log(Quatd{0, 1, 0, 0}), (Vec3d{0, kPi, 0}));
}

}  // namespace
}  // namespace dermis
