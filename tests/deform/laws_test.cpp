// SPDX-License-Identifier: MIT
// The laws of linear blend skinning that hold for any joints, and the one that does not, in double.
#include <gtest/gtest.h>

#include <functional>

#include "characters.h"
#include "deform/skinning.h"
#include "dermis/deform.h"

namespace dermis {
namespace {

using test::Random;

constexpr double kExact = 1e-12;

Vec3d skinned(const std::vector<Affined>& palette, const WeightRows& rows, const Vec3d& point) {
  const Blender<double> blender(palette, NormalMode::shading, nullptr);
  return blender.at(0, point, rows.row(0)).posed_from_rest * point;
}

struct Case {
  std::vector<Affined> palette;
  WeightRows rows;
  Vec3d point;
};

// Calls `law` on 500 random cases each of one to four rigid joints, and as many of any affine ones.
void for_random_cases(const std::function<void(const Case&, Random&)>& law) {
  for (unsigned seed = 1; seed <= 4000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const int count = 1 + static_cast<int>(seed % 4);
    Case c;
    for (int j = 0; j < count; ++j) c.palette.push_back(seed % 8 < 4 ? random.rigid() : random.affine());
    c.rows = test::exact_row(random, count);
    c.point = random.vector();
    law(c, random);
  }
}

std::vector<Affined> mapped(const std::vector<Affined>& palette,
                            const std::function<Affined(const Affined&)>& f) {
  std::vector<Affined> out;
  for (const Affined& joint : palette) out.push_back(f(joint));
  return out;
}

TEST(LbsLaws, TheIdentityPoseGivesTheRestPoint) {
  for_random_cases([](const Case& c, Random&) {
    const std::vector<Affined> rest(c.palette.size());
    EXPECT_EQ(skinned(rest, c.rows, c.point), c.point);
  });
}

TEST(LbsLaws, AnAffineMapOfTheWorldMapsTheResult) {
  for_random_cases([](const Case& c, Random& random) {
    const Affined a = random.affine();
    const auto moved = mapped(c.palette, [&](const Affined& joint) { return a * joint; });
    const Vec3d expected = a * skinned(c.palette, c.rows, c.point);
    EXPECT_LT(length(skinned(moved, c.rows, c.point) - expected), kExact);
  });
}

TEST(LbsLaws, AMotionOfTheRestSpaceChangesNothing) {
  for_random_cases([](const Case& c, Random& random) {
    const Affined a = random.rigid();
    const auto moved = mapped(c.palette, [&](const Affined& joint) { return joint * a; });
    const Vec3d expected = skinned(c.palette, c.rows, c.point);
    EXPECT_LT(length(skinned(moved, c.rows, inverse(a) * c.point) - expected), kExact);
  });
}

TEST(LbsLaws, AChangeOfCoordinatesMapsTheResult) {
  for_random_cases([](const Case& c, Random& random) {
    const Affined a = random.rigid();
    const auto moved = mapped(c.palette, [&](const Affined& joint) { return a * joint * inverse(a); });
    const Vec3d expected = a * skinned(c.palette, c.rows, c.point);
    EXPECT_LT(length(skinned(moved, c.rows, a * c.point) - expected), kExact);
  });
}

TEST(LbsLaws, AShiftOfTheOriginShiftsTheResult) {
  for_random_cases([](const Case& c, Random& random) {
    const Affined a(Mat3d{}, random.vector());
    const auto moved = mapped(c.palette, [&](const Affined& joint) { return a * joint * inverse(a); });
    const Vec3d expected = a * skinned(c.palette, c.rows, c.point);
    EXPECT_LT(length(skinned(moved, c.rows, a * c.point) - expected), kExact);
  });
}

TEST(LbsLaws, TheResultIsLinearInTheMatrices) {
  for_random_cases([](const Case& c, Random& random) {
    std::vector<Affined> other, sum;
    for (const Affined& joint : c.palette) {
      other.push_back(random.affine());
      sum.emplace_back(joint.linear * 0.25 + other.back().linear * 3.0,
                       joint.translation * 0.25 + other.back().translation * 3.0);
    }
    const Vec3d expected = skinned(c.palette, c.rows, c.point) * 0.25 + skinned(other, c.rows, c.point) * 3.0;
    EXPECT_LT(length(skinned(sum, c.rows, c.point) - expected), kExact);
  });
}

TEST(LbsLaws, TheResultLiesInTheConvexHullOfTheSinglyPosedPoints) {
  for_random_cases([](const Case& c, Random& random) {
    const Vec3d posed = skinned(c.palette, c.rows, c.point);
    for (int k = 0; k < 20; ++k) {
      const Vec3d direction = random.vector();
      double furthest = -1e300;
      for (const Affined& joint : c.palette) furthest = std::max(furthest, dot(direction, joint * c.point));
      EXPECT_LE(dot(direction, posed), furthest + kExact);
    }
  });
}

TEST(LbsLaws, OneInfluenceIsItsJointToTheLastBit) {
  for_random_cases([](const Case& c, Random& random) {
    const Index slot = random.below(static_cast<int>(c.palette.size()));
    const WeightRows alone = test::rows_of({{{slot, 1.0f}}});
    EXPECT_EQ(skinned(c.palette, alone, c.point), c.palette[at(slot)] * c.point);
  });
}

// The law that linear blending breaks: candy wrappers and collapsed elbows follow from it.
TEST(LbsLaws, TheBlendOfTwoRotationsIsNotRigid) {
  const WeightRows half = test::rows_of({{{0, 0.5f}, {1, 0.5f}}});
  int shrunken = 0;
  for (unsigned seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const double angle = random.in(0.5, kPi);
    const Vec3d axis = normalized(random.vector()), across = normalized(cross(axis, random.vector()));
    const std::vector<Affined> palette{{}, test::turned_about(random.vector(), axis, angle)};
    const Vec3d a = random.vector(), b = a + across;
    const double distance = length(skinned(palette, half, a) - skinned(palette, half, b));
    EXPECT_NEAR(distance, std::cos(angle / 2), 1e-12);
    if (distance < 0.97) ++shrunken;
  }
  EXPECT_EQ(shrunken, 1000);
}

}  // namespace
}  // namespace dermis
