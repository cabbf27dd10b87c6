// SPDX-License-Identifier: MIT
// Tests of the inline vectors, matrices, affine maps and boxes.
#include "dermis/math.h"

#include <gtest/gtest.h>

#include <limits>

#include "math/support.h"

namespace dermis {
namespace {

using testing::difference;
using testing::Random;

TEST(Vec3, CrossProductIsRightHanded) {
  EXPECT_EQ(cross(Vec3d{1, 0, 0}, Vec3d{0, 1, 0}), (Vec3d{0, 0, 1}));
  EXPECT_EQ(cross(Vec3d{0, 1, 0}, Vec3d{0, 0, 1}), (Vec3d{1, 0, 0}));
  EXPECT_EQ(cross(Vec3d{0, 0, 1}, Vec3d{1, 0, 0}), (Vec3d{0, 1, 0}));
}

TEST(Vec3, NormalizedLeavesZeroAndInfiniteVectorsAlone) {
  EXPECT_EQ(normalized(Vec3d{}), Vec3d{});
  EXPECT_TRUE(std::isinf(normalized(Vec3d{INFINITY, 0, 0}).x));
  EXPECT_LT(difference(normalized(Vec3d{0, 3, 4}), {0, 0.6, 0.8}), 1e-15);
}

TEST(Vec3, LerpHitsBothEnds) {
  const Vec3d a{1, 2, 3}, b{5, 7, 11};
  EXPECT_EQ(lerp(a, b, 0.0), a);
  EXPECT_EQ(lerp(a, b, 1.0), b);
  EXPECT_EQ(lerp(a, b, 0.25), (Vec3d{2, 3.25, 5}));
}

TEST(Mat3, ColumnsAreTheImagesOfTheAxes) {
  const Mat3d m{{1, 2, 3}, {4, 5, 6}, {7, 8, 10}};
  EXPECT_EQ((m * Vec3d{1, 0, 0}), m.x);
  EXPECT_EQ((m * Vec3d{0, 1, 0}), m.y);
  EXPECT_EQ((m * Vec3d{0, 0, 1}), m.z);
  EXPECT_EQ(m[1], m.y);
  EXPECT_EQ(determinant(m), -3);
  EXPECT_EQ(transposed(m).x, (Vec3d{1, 4, 7}));
}

TEST(Mat3, ProductAppliesTheRightFactorFirst) {
  const Mat3d a{{1, 2, 3}, {4, 5, 6}, {7, 8, 10}}, b{{0, 1, 1}, {2, 0, 1}, {1, 1, 0}};
  const Vec3d v{3, -1, 2};
  EXPECT_EQ((a * b) * v, a * (b * v));
}

TEST(Mat3, CofactorIsDeterminantTimesInverseTranspose) {
  Random random(11);
  SCOPED_TRACE(random.label());
  for (int i = 0; i < 100; ++i) {
    const Mat3d m = random.mat();
    EXPECT_LT(
        difference(cofactor(m) * determinant(m), transposed(inverse(m)) * determinant(m) * determinant(m)),
        1e-10);
    EXPECT_LT(difference(transposed(cofactor(m)) * m, Mat3d{} * determinant(m)), 1e-13);
  }
}

TEST(Mat3, CofactorTurnsTheNormalOfAFlattenedPlane) {
  // Everything is pressed into the plane z = 0: the one normal left is z, although no inverse exists.
  const Mat3d flat = diagonal(Vec3d{2, 3, 0});
  EXPECT_EQ((cofactor(flat) * Vec3d{0, 0, 1}), (Vec3d{0, 0, 6}));
}

TEST(Mat3, OuterProductSendsVToADotBV) {
  const Vec3d a{1, 2, 3}, b{4, 5, 6}, v{7, -8, 9};
  EXPECT_EQ(outer(a, b) * v, a * dot(b, v));
}

TEST(Affine, ProductAppliesTheRightMapFirst) {
  Random random(12);
  SCOPED_TRACE(random.label());
  const Affined a{random.mat(), random.vec()}, b{random.mat(), random.vec()};
  const Vec3d p = random.vec();
  EXPECT_LT(difference((a * b) * p, a * (b * p)), 1e-14);
}

TEST(Affine, InverseUndoesTheMapFromBothSides) {
  const Affined a{{{2, 0, 0}, {1, 4, 0}, {0, 1, 0.5}}, {3, -5, 7}};
  EXPECT_LT(difference(a * inverse(a), Affined{}), 1e-15);
  EXPECT_LT(difference(inverse(a) * a, Affined{}), 1e-15);
}

TEST(Affine, MaxDifferenceSeesEachOfTheTwelveEntries) {
  for (int entry = 0; entry < 12; ++entry) {
    Affined changed;
    Vec3d& column = entry < 9 ? changed.linear[entry / 3] : changed.translation;
    column[entry % 3] -= 0.25;
    EXPECT_EQ(max_difference(changed, Affined{}), 0.25) << entry;
    column[entry % 3] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isnan(max_difference(changed, Affined{}))) << entry;
  }
}

TEST(Affine, IsFiniteSeesEachColumn) {
  EXPECT_TRUE(is_finite(Affined{}));
  for (int column = 0; column < 4; ++column) {
    Affined a;
    (column < 3 ? a.linear[column] : a.translation).y = INFINITY;
    EXPECT_FALSE(is_finite(a)) << column;
  }
}

TEST(Box, IsEmptyUntilAPointIsAdded) {
  Box box;
  EXPECT_TRUE(box.is_empty());
  EXPECT_EQ(box.diagonal(), 0);
  EXPECT_EQ(box.centre(), Vec3d{});
  box.add({1, 2, 3});
  EXPECT_FALSE(box.is_empty());
  EXPECT_EQ(box.diagonal(), 0);
  box.add({-1, 4, 2});
  EXPECT_EQ(box.lower, (Vec3d{-1, 2, 2}));
  EXPECT_EQ(box.upper, (Vec3d{1, 4, 3}));
  EXPECT_EQ(box.diagonal(), 3);
  EXPECT_EQ(box.centre(), (Vec3d{0, 3, 2.5}));
}

TEST(Box, IgnoresACoordinateThatIsNan) {
  Box box;
  box.add({1, 2, 3});
  box.add({std::numeric_limits<double>::quiet_NaN(), 5, 6});
  EXPECT_EQ(box.lower, (Vec3d{1, 2, 3}));
  EXPECT_EQ(box.upper, (Vec3d{1, 5, 6}));
}

TEST(Angles, DegreesAndRadiansAreInverse) {
  EXPECT_EQ(radians_from_degrees(180), kPi);
  EXPECT_EQ(degrees_from_radians(kPi), 180);
}

}  // namespace
}  // namespace dermis
