// SPDX-License-Identifier: MIT
// Tests of the twelve Euler orders against products of written-out axis turns.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "math/support.h"

namespace dermis {
namespace {

using testing::difference;
using testing::rodrigues;

Mat3d turn_about_letter(char axis, double angle) {
  const Vec3d unit = axis == 'x' ? Vec3d{1, 0, 0} : axis == 'y' ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1};
  return rodrigues(unit, angle);
}

Mat3d reference_matrix(const Vec3d& angles, EulerOrder order) {
  const std::string name = name_of(order);
  return turn_about_letter(name[0], angles.x) * turn_about_letter(name[1], angles.y) *
         turn_about_letter(name[2], angles.z);
}

class Euler : public ::testing::TestWithParam<int> {
 protected:
  EulerOrder order() const { return static_cast<EulerOrder>(GetParam()); }
  bool is_proper() const { return name_of(order())[0] == name_of(order())[2]; }
  // The second angles at which the first and third turn about the same line.
  std::vector<double> poles() const {
    return is_proper() ? std::vector<double>{0, kPi} : std::vector<double>{-kPi / 2, kPi / 2};
  }
  void expect_in_range(const Vec3d& angles) const {
    EXPECT_LE(std::abs(angles.x), kPi);
    EXPECT_LE(std::abs(angles.z), kPi);
    EXPECT_GE(angles.y, is_proper() ? 0 : -kPi / 2);
    EXPECT_LE(angles.y, is_proper() ? kPi : kPi / 2);
  }
};

TEST_P(Euler, QuaternionIsTheProductNamedByTheOrder) {
  for (const Vec3d& angles : {Vec3d{0.3, -0.5, 0.7}, Vec3d{-2, 1, 3}, Vec3d{0, 0, 1}, Vec3d{5, -4, 9}}) {
    EXPECT_LT(
        difference(matrix_from_quat(quat_from_euler(angles, order())), reference_matrix(angles, order())),
        2e-15);
  }
}

TEST_P(Euler, AnglesInRangeComeBackAwayFromThePoles) {
  const double low = poles()[0];
  for (const double first : {-3.1, -1.6, -0.4, 0.0, 0.9, 2.8}) {
    for (const double third : {-2.9, -0.8, 0.0, 1.3, 3.0}) {
      for (const double above : {1e-4, 0.01, 0.5, kPi / 2, 3.0, kPi - 1e-4}) {
        const Vec3d angles{first, low + above, third};
        const Vec3d found = euler_from_quat(quat_from_euler(angles, order()), order());
        // Next to a pole the angles themselves are known to the rounding over the distance only.
        EXPECT_LT(difference(found, angles), 4e-15 / std::sin(above) * 2)
            << first << " " << above << " " << third;
      }
    }
  }
}

TEST_P(Euler, RotationComesBackForEitherSignOfTheQuaternion) {
  testing::Random random(static_cast<unsigned>(20 + GetParam()));
  SCOPED_TRACE(random.label());
  for (int i = 0; i < 500; ++i) {
    const Quatd q = random.rotation();
    for (const Quatd& same : {q, -q}) {
      const Vec3d angles = euler_from_quat(same, order());
      EXPECT_LT(difference(quat_from_euler(angles, order()), q), 4e-15);
      expect_in_range(angles);
    }
  }
}

TEST_P(Euler, GimbalLockKeepsTheRotationAndZeroesTheThirdAngle) {
  for (const double pole : poles()) {
    for (const double first : {-3.0, -1.0, 0.0, 0.5, 2.0, 3.1}) {
      for (const double third : {-2.5, -0.3, 0.0, 1.1, 3.0}) {
        const Quatd q = quat_from_euler({first, pole, third}, order());
        const Vec3d angles = euler_from_quat(q, order());
        EXPECT_EQ(angles.z, 0) << pole;
        EXPECT_NEAR(angles.y, pole, 1e-15 * 4);
        EXPECT_LT(difference(quat_from_euler(angles, order()), q), 4e-15)
            << pole << " " << first << " " << third;
        expect_in_range(angles);
      }
    }
  }
}

TEST_P(Euler, RotationIsKeptWithinTheLockWidthOnTheWayIntoGimbalLock) {
  for (const double pole : poles()) {
    for (const double off : {1e-15, 1e-12, 1e-9, 0.99e-7, 1.01e-7, 1e-6, 1e-3}) {
      const double second = pole == poles()[0] ? pole + off : pole - off;
      const Quatd q = quat_from_euler({0.8, second, -1.7}, order());
      const Vec3d angles = euler_from_quat(q, order());
      const double tolerance = off < 1e-7 ? off + 4e-15 : 4e-15;
      EXPECT_LT(difference(quat_from_euler(angles, order()), q), tolerance) << pole << " " << off;
      expect_in_range(angles);
    }
  }
}

TEST_P(Euler, IdentityAndAxisHalfTurnsComeBack) {
  for (const Quatd& q : {Quatd{}, Quatd{1, 0, 0, 0}, Quatd{0, 1, 0, 0}, Quatd{0, 0, 1, 0}}) {
    const Vec3d angles = euler_from_quat(q, order());
    EXPECT_LT(difference(quat_from_euler(angles, order()), q), 1e-15);
    expect_in_range(angles);
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, Euler, ::testing::Range(0, kEulerOrderCount), [](const auto& tested) {
  return std::string(name_of(static_cast<EulerOrder>(tested.param)));
});

TEST(EulerOrderName, MatchesTheEnumeratorAndIsUnique) {
  EXPECT_STREQ(name_of(EulerOrder::xyz), "xyz");
  EXPECT_STREQ(name_of(EulerOrder::zyx), "zyx");
  EXPECT_STREQ(name_of(EulerOrder::xyx), "xyx");
  EXPECT_STREQ(name_of(EulerOrder::zyz), "zyz");
  std::set<std::string> names;
  for (int i = 0; i < kEulerOrderCount; ++i) names.insert(name_of(static_cast<EulerOrder>(i)));
  EXPECT_EQ(names.size(), 12u);
}

TEST(EulerOrderName, YzxTurnsAboutYByTheFirstAngle) {
  EXPECT_LT(difference(rotate(quat_from_euler({kPi / 2, 0, 0}, EulerOrder::yzx), {0, 0, 1}), {1, 0, 0}),
            1e-15);
}

}  // namespace
}  // namespace dermis
