// SPDX-License-Identifier: MIT
// Direct quaternion blending: right about the origin, wrong about any other centre.
#include <gtest/gtest.h>

#include "deform/methods.h"

namespace dermis {
namespace {

using test::kHalf;
using test::PointCase;
using test::posed_by;
using test::turned_about;

TEST(SkinQuaternion, IsDqsWhereAllJointsTurnAboutTheOrigin) {
  for (unsigned seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    PointCase c{
        {random.rigid(), random.rigid(), random.rigid()}, test::exact_row(random, 3), random.vector(), {}, 0};
    for (Affined& joint : c.palette) joint.translation = {};
    EXPECT_LT(length(posed_by("quaternion", c) - posed_by("dqs", c)), 1e-14);
  }
}

// The worked example: the arm bent by half a turn at (2, 0, 0) comes out at (1, 2, 0), twice as far from its
// joint as it rests.
TEST(SkinQuaternion, PutsTheElbowInTheWrongPlaceAwayFromTheOrigin) {
  const PointCase c{{{}, turned_about({2, 0, 0}, {0, 0, 1}, kPi)}, kHalf, {2, 1, 0}, {}, 0};
  const Vec3d posed = posed_by("quaternion", c);
  // Rounding picks the side of the half turn: (1, 2, 0) or (3, -2, 0).
  EXPECT_LT(std::min(length(posed - Vec3d{1, 2, 0}), length(posed - Vec3d{3, -2, 0})), 1e-12);
  EXPECT_NEAR(length(posed - Vec3d{2, 0, 0}), std::sqrt(5), 1e-12);
}

}  // namespace
}  // namespace dermis
