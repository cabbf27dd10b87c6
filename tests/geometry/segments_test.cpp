// SPDX-License-Identifier: MIT
// Distances of points and segments, against places that can be worked out and a search.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "dermis/geometry.h"

namespace dermis {
namespace {

TEST(DistanceToSegment, IsToTheLineBetweenItsEndsAndToTheNearerEndBeyond) {
  const Vec3d a{0, 0, 0}, b{4, 0, 0};
  EXPECT_DOUBLE_EQ(distance_to_segment({1, 3, 4}, a, b), 5);
  EXPECT_DOUBLE_EQ(distance_to_segment({-3, 4, 0}, a, b), 5);
  EXPECT_DOUBLE_EQ(distance_to_segment({7, 0, 4}, a, b), 5);
  EXPECT_DOUBLE_EQ(distance_to_segment({2, 0, 0}, a, b), 0);
}

TEST(DistanceToSegment, OfAPointIsThatOfTwoPoints) {
  EXPECT_DOUBLE_EQ(distance_to_segment({3, 4, 0}, {}, {}), 5);
}

TEST(DistanceOfSegments, IsNoLongerThanAnyPairOfTheirPoints) {
  constexpr unsigned kSeed = 7;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> number(-1, 1);
  const auto place = [&] { return Vec3d{number(random), number(random), number(random)}; };
  for (int trial = 0; trial < 200; ++trial) {
    const Vec3d a = place(), a_end = trial % 5 == 0 ? a : place(), b = place(),
                b_end = trial % 7 == 0 ? b : place();
    double least = INFINITY;
    constexpr int kSteps = 200;
    for (int k = 0; k <= kSteps; ++k)
      least = std::min(least, distance_to_segment(a + (a_end - a) * (1.0 * k / kSteps), b, b_end));
    const double distance = distance_of_segments(a, a_end, b, b_end);
    EXPECT_LE(distance, least + 1e-12);
    EXPECT_NEAR(distance, least, 0.02);  // half a step of the search
  }
}

}  // namespace
}  // namespace dermis
