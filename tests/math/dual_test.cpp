// SPDX-License-Identifier: MIT
// Tests of dual numbers against 2x2 matrices and of dual quaternions against affine maps.
#include <gtest/gtest.h>

#include "math/support.h"

namespace dermis {
namespace {

using testing::difference;
using testing::half_angle_quat;
using testing::Random;
using testing::rodrigues;

// a + eps b as the matrix [[a, b], [0, a]]; only plain matrix rules are used on it.
struct Mat2 {
  double a, b, c, d;  // [[a, b], [c, d]]
  friend bool operator==(const Mat2&, const Mat2&) = default;
};
Mat2 matrix_form(Dual x) { return {x.real, x.dual, 0, x.real}; }
Mat2 operator+(const Mat2& p, const Mat2& q) { return {p.a + q.a, p.b + q.b, p.c + q.c, p.d + q.d}; }
Mat2 operator-(const Mat2& p, const Mat2& q) { return {p.a - q.a, p.b - q.b, p.c - q.c, p.d - q.d}; }
Mat2 operator*(const Mat2& p, const Mat2& q) {
  return {p.a * q.a + p.b * q.c, p.a * q.b + p.b * q.d, p.c * q.a + p.d * q.c, p.c * q.b + p.d * q.d};
}
Mat2 inverse(const Mat2& p) {
  const double determinant = p.a * p.d - p.b * p.c;
  return {p.d / determinant, -p.b / determinant, -p.c / determinant, p.a / determinant};
}

// Small dyadic numbers, on which all of this arithmetic is exact.
constexpr Dual kExact[] = {{1, 0}, {0, 1}, {2, -3}, {-0.5, 4}, {8, 0.25}, {-4, -1.5}};

TEST(Dual, SumDifferenceAndProductAreThoseOfTheMatrixForm) {
  for (const Dual x : kExact) {
    for (const Dual y : kExact) {
      EXPECT_EQ(matrix_form(x + y), matrix_form(x) + matrix_form(y));
      EXPECT_EQ(matrix_form(x - y), matrix_form(x) - matrix_form(y));
      EXPECT_EQ(matrix_form(x * y), matrix_form(x) * matrix_form(y));
      EXPECT_EQ(x + -y, x - y);
    }
  }
}

TEST(Dual, QuotientIsTheProductWithTheInverseMatrix) {
  for (const Dual x : kExact) {
    for (const Dual y : kExact) {
      if (y.real == 0) continue;
      EXPECT_EQ(matrix_form(x / y), matrix_form(x) * inverse(matrix_form(y)));
    }
  }
}

TEST(Dual, EpsilonSquaredIsZero) { EXPECT_EQ((Dual{0, 1} * Dual{0, 1}), (Dual{0, 0})); }

TEST(Dual, SquareOfTheRootIsTheNumberInMatrixForm) {
  for (const Dual x : {Dual{4, 12}, Dual{0.25, -3}, Dual{9, 0}}) {
    const Mat2 root = matrix_form(sqrt(x));
    EXPECT_EQ(root * root, matrix_form(x));
  }
  EXPECT_EQ(sqrt(Dual{4, 12}), (Dual{2, 3}));
}

TEST(Dual, CarriesTheDerivativeOfAFormula) {
  // f(x) = sqrt(x^2 + 1) / x, f'(x) = -1 / (x^2 sqrt(x^2 + 1))
  for (const double at : {0.5, 1.0, 3.0}) {
    const Dual x{at, 1};
    const Dual f = sqrt(x * x + Dual{1, 0}) / x;
    EXPECT_NEAR(f.real, std::sqrt(at * at + 1) / at, 1e-15);
    EXPECT_NEAR(f.dual, -1 / (at * at * std::sqrt(at * at + 1)), 1e-14);
  }
}

struct Motion {
  Affined affine;
  DualQuatd dual;
};
Motion random_motion(Random& random) {
  const Quatd q = random.rotation();
  const Vec3d t = random.vec();
  return {{matrix_from_quat(q), t}, dual_quat_from_rigid(q, t)};
}

TEST(DualQuat, OfARigidMotionMovesPointsAsTheAffineMapDoes) {
  Random random(61);
  SCOPED_TRACE(random.label());
  for (int i = 0; i < 200; ++i) {
    const Motion m = random_motion(random);
    const Vec3d p = random.vec();
    EXPECT_LT(difference(transform_point(m.dual, p), m.affine * p), 1e-14);
    EXPECT_LT(difference(affine_from_dual_quat(m.dual), m.affine), 2e-15);
    EXPECT_LT(difference(translation_of(m.dual), m.affine.translation), 2e-15);
  }
}

TEST(DualQuat, ProductIsTheProductOfTheAffineMaps) {
  Random random(62);
  SCOPED_TRACE(random.label());
  for (int i = 0; i < 200; ++i) {
    const Motion a = random_motion(random), b = random_motion(random);
    EXPECT_LT(difference(affine_from_dual_quat(a.dual * b.dual), a.affine * b.affine), 1e-14);
  }
}

TEST(DualQuat, ConjugateIsTheInverseMotion) {
  Random random(63);
  SCOPED_TRACE(random.label());
  for (int i = 0; i < 100; ++i) {
    const Motion m = random_motion(random);
    EXPECT_LT(difference(affine_from_dual_quat(conjugate(m.dual)), inverse(m.affine)), 1e-14);
    EXPECT_LT(difference(affine_from_dual_quat(m.dual * conjugate(m.dual)), Affined{}), 2e-15);
  }
}

TEST(DualQuat, BothSignsAreTheSameMotion) {
  Random random(64);
  SCOPED_TRACE(random.label());
  const Motion m = random_motion(random);
  EXPECT_LT(difference(affine_from_dual_quat(m.dual * -1.0), m.affine), 2e-15);
}

TEST(DualQuat, OfARigidMotionHasTheDualNormOne) {
  Random random(65);
  SCOPED_TRACE(random.label());
  for (int i = 0; i < 100; ++i) {
    const Dual size = norm(random_motion(random).dual);
    EXPECT_NEAR(size.real, 1, 1e-15);
    EXPECT_NEAR(size.dual, 0, 1e-15);
  }
}

// A sum of rigid motions, as blending makes it: not unit, and real . dual is not zero.
DualQuatd random_blend(Random& random) {
  return random_motion(random).dual * 0.7 + random_motion(random).dual * 0.3;
}

TEST(DualQuat, NormIsMultiplicativeInDualArithmetic) {
  Random random(66);
  SCOPED_TRACE(random.label());
  for (int i = 0; i < 100; ++i) {
    const DualQuatd a = random_blend(random), b = random_blend(random);
    const Dual product = norm(a) * norm(b);
    EXPECT_NEAR(norm(a * b).real, product.real, 1e-14);
    EXPECT_NEAR(norm(a * b).dual, product.dual, 1e-12);
  }
}

TEST(DualQuat, NormalizedIsUnitInDualArithmetic) {
  Random random(67);
  SCOPED_TRACE(random.label());
  for (int i = 0; i < 200; ++i) {
    const DualQuatd blend = random_blend(random);
    const DualQuatd unit = normalized(blend);
    EXPECT_NEAR(norm(unit).real, 1, 1e-15);
    EXPECT_NEAR(norm(unit).dual, 0, 1e-13);
    // And it is the blend divided by its dual norm: unit * |blend| = blend.
    const Dual size = norm(blend);
    EXPECT_LT(difference(unit.real * size.real, blend.real), 1e-14);
    EXPECT_LT(difference(unit.real * size.dual + unit.dual * size.real, blend.dual), 1e-12);
  }
}

TEST(DualQuat, NormalizedBlendMovesPointsLikeTheBlendDividedByItsRealNormAlone) {
  Random random(68);
  SCOPED_TRACE(random.label());
  for (int i = 0; i < 100; ++i) {
    const DualQuatd blend = random_blend(random);
    const DualQuatd scaled = blend * (1 / std::sqrt(dot(blend.real, blend.real)));
    const Vec3d p = random.vec();
    EXPECT_LT(difference(transform_point(normalized(blend), p), transform_point(scaled, p)), 1e-12);
  }
}

TEST(DualQuat, NormalizedWithoutARealPartIsTheIdentity) {
  EXPECT_EQ(normalized(DualQuatd{{0, 0, 0, 0}, {1, 2, 3, 4}}), DualQuatd{});
}

TEST(DualQuat, EvenBlendOfATurnAboutAPivotIsHalfTheTurnAboutThePivot) {
  const Vec3d pivot{2, -1, 3};
  const Vec3d axis = normalized(Vec3d{1, 2, 2});
  const auto turned = [&](double angle) {
    const Quatd q = half_angle_quat(axis, angle);
    return dual_quat_from_rigid(q, pivot - rotate(q, pivot));
  };
  for (const double angle : {0.1, 1.0, 2.0, radians_from_degrees(179)}) {
    const DualQuatd blend = normalized(turned(0) * 0.5 + turned(angle) * 0.5);
    EXPECT_LT(difference(affine_from_dual_quat(blend), affine_from_dual_quat(turned(angle / 2))), 1e-13);
  }
}

TEST(DualQuat, UnevenBlendOfATwistTurnsByTheClosedFormAngle) {
  // 2 atan2(w sin(theta / 2), 1 - w + w cos(theta / 2)): close to w theta, but not equal to it.
  const double theta = radians_from_degrees(120);
  for (const double w : {0.1, 0.25, 0.5, 0.8}) {
    const DualQuatd end = dual_quat_from_rigid(half_angle_quat({1, 0, 0}, theta), {});
    const DualQuatd blend = normalized(DualQuatd{} * (1 - w) + end * w);
    const double angle = 2 * std::atan2(w * std::sin(theta / 2), 1 - w + w * std::cos(theta / 2));
    EXPECT_LT(difference(affine_from_dual_quat(blend).linear, rodrigues({1, 0, 0}, angle)), 2e-15);
  }
}

}  // namespace
}  // namespace dermis
