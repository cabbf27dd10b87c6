// SPDX-License-Identifier: MIT
// Distances between point sets with answers worked by hand.
#include <gtest/gtest.h>

#include <limits>

#include "characters.h"
#include "dermis/measure.h"

namespace dermis {
namespace {

TEST(PointDistance, ComparesInOrderWhenCountsAgree) {
  const std::vector<Vec3> a{{0, 0, 0}, {3, 4, 0}}, b{{0, 0, 1}, {3, 4, 7}};
  const PointDistance d = *point_distance(a, b);
  EXPECT_TRUE(d.in_order);
  EXPECT_EQ(d.max, 7);
  EXPECT_EQ(d.mean, 4);
  EXPECT_EQ(d.rms, 5);
  EXPECT_EQ(d.diagonal, 5);
  EXPECT_EQ(d.worst, 1u);
  EXPECT_FALSE(d.is_worst_in_second);
}

TEST(PointDistance, ComparesNearestPointsBothWaysOtherwise) {
  const std::vector<Vec3> a{{0, 0, 0}, {1, 0, 0}}, b{{1, 0, 0}, {0, 0, 0}, {1, 0, 10}};
  const PointDistance d = *point_distance(a, b);
  EXPECT_FALSE(d.in_order);
  EXPECT_EQ(d.max, 10);
  EXPECT_EQ(d.mean, 2);
  EXPECT_NEAR(d.rms, std::sqrt(20.0), 1e-12);
  EXPECT_EQ(d.worst, 2u);
  EXPECT_TRUE(d.is_worst_in_second);
}

TEST(PointDistance, OfASetToItselfIsZero) {
  const Mesh mesh = test::tube({.rings = 50, .sides = 20});
  const PointDistance d = *point_distance(mesh.points, mesh.points);
  EXPECT_EQ(d.max, 0);
  EXPECT_EQ(d.rms, 0);
}

TEST(PointDistance, GivesTheSameNumbersOnAnyThreadCount) {
  const Mesh a = test::tube({.rings = 150, .sides = 40}), b = test::tube({.rings = 130, .sides = 41});
  set_thread_count(1);
  const PointDistance one = *point_distance(a.points, b.points);
  set_thread_count(4);
  const PointDistance many = *point_distance(a.points, b.points);
  set_thread_count(0);
  EXPECT_EQ(one.max, many.max);
  EXPECT_EQ(one.rms, many.rms);
  EXPECT_EQ(one.mean, many.mean);
  EXPECT_EQ(one.worst, many.worst);
}

TEST(PointDistance, RefusesEmptyAndNonFiniteSets) {
  const std::vector<Vec3> some{{0, 0, 0}}, none, bad{{0, std::numeric_limits<float>::quiet_NaN(), 0}};
  EXPECT_EQ(point_distance(some, none).error().sentence, "the second set has no points");
  EXPECT_EQ(point_distance(none, some).error().sentence, "the first set has no points");
  EXPECT_EQ(point_distance(bad, some).error().sentence, "point 0 of the first set is not finite");
}

}  // namespace
}  // namespace dermis
