// SPDX-License-Identifier: MIT
// Tests of translation, rotation and scale from and to affine maps.
#include <gtest/gtest.h>

#include "math/support.h"

namespace dermis {
namespace {

using testing::difference;
using testing::half_angle_quat;
using testing::Random;
using testing::size_of;

// Float numbers hold the transform, so the map comes back to float rounding of its size.
constexpr double kFloatRounding = 4e-7;

void expect_round_trip(const Affined& affine) {
  const Affined back = affine_from_transform(transform_from_affine(affine));
  const double size = std::max(size_of(affine.linear), length(affine.translation));
  EXPECT_LT(difference(back, affine), kFloatRounding * size);
}

TEST(AffineFromTransform, ScalesThenRotatesThenTranslates) {
  Transform transform;
  transform.translation = {10, 20, 30};
  transform.rotation = Quat(half_angle_quat({0, 0, 1}, kPi / 2));
  transform.scale = {2, 3, 4};
  EXPECT_LT(difference(affine_from_transform(transform) * Vec3d{1, 1, 1}, {7, 22, 34}), 1e-6);
}

TEST(AffineFromTransform, IsOrthogonalToDoublePrecisionAlthoughTheQuaternionIsFloat) {
  Transform transform;
  transform.rotation = Quat(half_angle_quat(normalized(Vec3d{1, 2, 3}), 1.1));
  EXPECT_LT(testing::distance_from_proper(affine_from_transform(transform).linear), 1e-15);
}

TEST(TransformFromAffine, OfIdentityIsTheDefault) {
  EXPECT_EQ(transform_from_affine(Affined{}), Transform{});
}

TEST(TransformFromAffine, FindsTheScaleAndRotationThatMadeTheMap) {
  const Quatd rotation = half_angle_quat(normalized(Vec3d{3, -1, 2}), 2.9);
  const Transform found =
      transform_from_affine({matrix_from_quat(rotation) * diagonal(Vec3d{2, 0.5, 8}), {1, 2, 3}});
  EXPECT_LT(difference(Vec3d(found.scale), {2, 0.5, 8}), 1e-6);
  EXPECT_LT(difference(Quatd(found.rotation), rotation), 1e-7);
  EXPECT_EQ(found.translation, (Vec3{1, 2, 3}));
}

TEST(TransformFromAffine, MirroredMapsGetANegativeXScaleAndComeBack) {
  Random random(31);
  SCOPED_TRACE(random.label());
  for (const Vec3d& scale : {Vec3d{-1, 1, 1}, Vec3d{1, -1, 1}, Vec3d{1, 1, -1}, Vec3d{-1, -1, -1},
                             Vec3d{-3, 2, 0.1}, Vec3d{0.1, -2, 3}, Vec3d{5, 0.2, -1}}) {
    const Affined affine{matrix_from_quat(random.rotation()) * diagonal(scale), random.vec()};
    const Transform found = transform_from_affine(affine);
    EXPECT_LT(found.scale.x, 0);
    EXPECT_GT(found.scale.y, 0);
    EXPECT_GT(found.scale.z, 0);
    EXPECT_NEAR(std::abs(found.scale.x), std::abs(scale.x), 1e-6);
    expect_round_trip(affine);
  }
}

TEST(TransformFromAffine, EveryRotationAndScaleWithoutShearComesBack) {
  Random random(32);
  SCOPED_TRACE(random.label());
  for (int i = 0; i < 200; ++i) {
    const Vec3d scale{std::exp(2 * random.normal()), std::exp(2 * random.normal()), random.normal()};
    expect_round_trip({matrix_from_quat(random.rotation()) * diagonal(scale), random.vec()});
  }
}

TEST(TransformFromAffine, ZeroScalesComeBack) {
  Random random(33);
  SCOPED_TRACE(random.label());
  for (const Vec3d& scale : {Vec3d{0, 1, 2}, Vec3d{1, 0, 2}, Vec3d{1, 2, 0}, Vec3d{0, 0, 2}, Vec3d{0, 3, 0},
                             Vec3d{4, 0, 0}, Vec3d{0, 0, 0}, Vec3d{-1, 2, 0}}) {
    const Affined affine{matrix_from_quat(random.rotation()) * diagonal(scale), random.vec()};
    expect_round_trip(affine);
    const Quat rotation = transform_from_affine(affine).rotation;
    EXPECT_NEAR(dot(rotation, rotation), 1, 1e-6);
  }
}

TEST(TransformFromAffine, KeepsTheRotationOfAxesAMillionTimesSmallerThanTheLargest) {
  const Quatd rotation = half_angle_quat(normalized(Vec3d{1, 1, 2}), 0.9);
  const Transform found =
      transform_from_affine({matrix_from_quat(rotation) * diagonal(Vec3d{1e-6, 2e-6, 1}), {}});
  EXPECT_LT(difference(Quatd(found.rotation), rotation), 1e-7);
}

TEST(TransformFromAffine, OfAShearIsNoWorseThanAnyNeighbour) {
  Random random(34);
  SCOPED_TRACE(random.label());
  for (int i = 0; i < 10; ++i) {
    const Mat3d m = random.mat();
    const auto error = [&](const Quatd& rotation, const Vec3d& scale) {
      return size_of(matrix_from_quat(rotation) * diagonal(scale) - m);
    };
    const Transform found = transform_from_affine({m, {}});
    const Quatd rotation = normalized(Quatd(found.rotation));
    const double best = error(rotation, Vec3d(found.scale));
    for (int neighbour = 0; neighbour < 50; ++neighbour) {
      const Quatd turned = exp(random.direction() * 0.01) * rotation;
      EXPECT_GT(error(turned, Vec3d(found.scale) + random.vec() * 0.01), best - 1e-6);
    }
  }
}

TEST(TransformFromAffine, OfASymmetricShearIsThePlainDiagonal) {
  // x' = x + s y, y' = y + s x: by symmetry no turn helps, and the best scale is 1.
  const double s = 0.25;
  const Transform found = transform_from_affine({{{1, s, 0}, {s, 1, 0}, {0, 0, 1}}, {}});
  EXPECT_LT(difference(Quatd(found.rotation), Quatd{}), 1e-7);
  EXPECT_LT(difference(Vec3d(found.scale), {1, 1, 1}), 1e-7);
}

}  // namespace
}  // namespace dermis
