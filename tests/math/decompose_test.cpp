// SPDX-License-Identifier: MIT
// Tests of singular values and polar decomposition on every kind of 3x3 matrix.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "math/support.h"

namespace dermis {
namespace {

using testing::difference;
using testing::distance_from_proper;
using testing::Random;
using testing::rodrigues;
using testing::size_of;

struct NamedMatrix {
  std::string name;
  Mat3d m;
};

// One matrix for each way a deformation gradient can be awkward, and a crowd of plain ones.
std::vector<NamedMatrix> awkward_matrices(Random& random) {
  std::vector<NamedMatrix> all = {
      {"identity", {}},
      {"zero", diagonal(Vec3d{0, 0, 0})},
      {"mirror x", diagonal(Vec3d{-1, 1, 1})},
      {"mirror y", diagonal(Vec3d{1, -1, 1})},
      {"mirror z", diagonal(Vec3d{1, 1, -1})},
      {"point mirror", diagonal(Vec3d{-2, -2, -2})},
      {"half turn", diagonal(Vec3d{-1, -1, 1})},
      {"flat", diagonal(Vec3d{1, 2, 0})},
      {"needle", diagonal(Vec3d{0, 3, 0})},
      {"all ones", {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}},
      {"huge", random.mat() * 1e150},
      {"tiny", random.mat() * 1e-150},
      {"nearly flat", diagonal(Vec3d{1, 1, 1e-17})},
      {"nearly flat mirror", diagonal(Vec3d{1, -1e-17, 1})},
  };
  for (int i = 0; i < 100; ++i) {
    const Mat3d m = random.mat();
    const Mat3d turn = matrix_from_quat(random.rotation());
    const std::string number = std::to_string(i);
    all.push_back({number + " random", m});
    all.push_back({number + " mirrored", turn * diagonal(Vec3d{1, -2, 3}) * transposed(turn)});
    all.push_back({number + " rotation", turn});
    all.push_back({number + " rank 2", {m.x, m.y, m.x * 0.5 - m.y * 2.0}});
    all.push_back({number + " rank 1", outer(m.x, m.y)});
    all.push_back({number + " double value", turn * diagonal(Vec3d{2, 2, 1}) * transposed(turn)});
  }
  return all;
}

TEST(Svd, FactorsAreProperAndOnlyTheLastValueMayBeNegative) {
  Random random(41);
  SCOPED_TRACE(random.label());
  for (const auto& [name, m] : awkward_matrices(random)) {
    const Svd s = svd(m);
    EXPECT_LT(distance_from_proper(s.u), 4e-15) << name;
    EXPECT_LT(distance_from_proper(s.v), 4e-15) << name;
    EXPECT_GE(s.sigma.x, s.sigma.y) << name;
    EXPECT_GE(s.sigma.y, std::abs(s.sigma.z)) << name;
    EXPECT_LE(difference(s.u * diagonal(s.sigma) * transposed(s.v), m), 4e-15 * size_of(m)) << name;
  }
}

TEST(Svd, LastValueCarriesTheSignOfTheDeterminant) {
  Random random(42);
  SCOPED_TRACE(random.label());
  for (int i = 0; i < 200; ++i) {
    const Mat3d m = random.mat();
    EXPECT_EQ(determinant(m) < 0, svd(m).sigma.z < 0);
  }
}

TEST(Svd, OfADiagonalMatrixSortsItAndMovesTheSignToTheEnd) {
  EXPECT_LT(difference(svd(diagonal(Vec3d{1, 3, 2})).sigma, {3, 2, 1}), 1e-15);
  EXPECT_LT(difference(svd(diagonal(Vec3d{1, -3, 2})).sigma, {3, 2, -1}), 1e-15);
  EXPECT_LT(difference(svd(diagonal(Vec3d{-1, -3, 2})).sigma, {3, 2, 1}), 1e-15);
  EXPECT_LT(difference(svd(diagonal(Vec3d{-1, -3, -2})).sigma, {3, 2, -1}), 1e-15);
}

TEST(Svd, OfARankOneMatrixHasTheProductOfTheLengthsAsItsOneValue) {
  EXPECT_LT(difference(svd(outer(Vec3d{0, 3, 4}, Vec3d{2, -2, 1})).sigma, {15, 0, 0}), 1e-14);
}

TEST(Svd, OfANonFiniteMatrixIsIdentityFactorsAndNanValues) {
  Mat3d m;
  m.y.z = std::numeric_limits<double>::infinity();
  const Svd s = svd(m);
  EXPECT_EQ(s.u, Mat3d{});
  EXPECT_EQ(s.v, Mat3d{});
  EXPECT_TRUE(std::isnan(s.sigma.x));
  EXPECT_EQ(polar(m).rotation, Mat3d{});
}

TEST(Polar, RotationIsProperStretchSymmetricAndTheirProductTheMatrix) {
  Random random(43);
  SCOPED_TRACE(random.label());
  for (const auto& [name, m] : awkward_matrices(random)) {
    const Polar p = polar(m);
    EXPECT_LT(distance_from_proper(p.rotation), 8e-15) << name;
    EXPECT_LE(difference(p.stretch, transposed(p.stretch)), 2e-15 * size_of(m)) << name;
    EXPECT_LE(difference(p.rotation * p.stretch, m), 8e-15 * size_of(m)) << name;
  }
}

TEST(Polar, FindsTheRotationAndStretchThatMadeTheMatrix) {
  const Mat3d turn = rodrigues(normalized(Vec3d{1, -2, 3}), 2.2);
  const Mat3d stretch{{2, 0.5, 0.1}, {0.5, 3, -0.2}, {0.1, -0.2, 1}};
  const Polar p = polar(turn * stretch);
  EXPECT_LT(difference(p.rotation, turn), 4e-15);
  EXPECT_LT(difference(p.stretch, stretch), 8e-15);
}

TEST(Polar, MirrorGoesAlongTheAxisThatIsStretchedLeast) {
  EXPECT_LT(difference(polar(diagonal(Vec3d{-1, 2, 3})).stretch, diagonal(Vec3d{-1, 2, 3})), 1e-15);
  EXPECT_LT(difference(polar(diagonal(Vec3d{-1, 2, 3})).rotation, Mat3d{}), 1e-15);
  // The mirror is of x but z is least: the rotation must be the half turn that trades one for the other.
  EXPECT_LT(difference(polar(diagonal(Vec3d{-3, 2, 1})).stretch, diagonal(Vec3d{3, 2, -1})), 1e-15);
  EXPECT_LT(difference(polar(diagonal(Vec3d{-3, 2, 1})).rotation, diagonal(Vec3d{-1, 1, -1})), 1e-15);
}

TEST(Polar, RotationIsTheNearestToTheMatrix) {
  Random random(44);
  SCOPED_TRACE(random.label());
  for (int i = 0; i < 50; ++i) {
    const Mat3d m = random.mat();
    const double best = size_of(polar(m).rotation - m);
    for (int other = 0; other < 50; ++other) {
      EXPECT_LE(best, size_of(matrix_from_quat(random.rotation()) - m) + 1e-14);
    }
  }
}

TEST(Polar, OfAFlattenedRotationCompletesTheFrame) {
  const Mat3d turn = rodrigues(normalized(Vec3d{2, 1, -1}), 1.3);
  EXPECT_LT(difference(polar(turn * diagonal(Vec3d{1, 1, 0})).rotation, turn), 2e-15);
}

}  // namespace
}  // namespace dermis
