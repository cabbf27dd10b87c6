// SPDX-License-Identifier: MIT
// Nearest points against looking at all of them.
#include <gtest/gtest.h>

#include "characters.h"
#include "dermis/geometry.h"

namespace dermis {
namespace {

TEST(NearestPoints, AgreeWithBruteForceAndTakeTheLowestOfEquals) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    // Half of the cases lie on a coarse grid, where many points are equally near.
    const auto any_point = [&] {
      const Vec3d p = random.vector() * 3;
      return seed % 2 == 0 ? Vec3(p) : Vec3(Vec3d{std::round(p.x), std::round(p.y), std::round(p.z)});
    };
    std::vector<Vec3> queries, points;
    for (int k = 0; k < 200; ++k) queries.push_back(any_point());
    for (int k = 0; k < 1 + random.below(400); ++k) points.push_back(any_point());
    const std::vector<Nearest> nearest = nearest_points(queries, points);
    for (std::size_t q = 0; q < queries.size(); ++q) {
      std::size_t best = 0;
      const auto distance = [&](std::size_t v) { return length(Vec3d(points[v]) - Vec3d(queries[q])); };
      for (std::size_t v = 1; v < points.size(); ++v) {
        if (distance(v) < distance(best)) best = v;
      }
      EXPECT_EQ(nearest[q].distance, distance(best));
      EXPECT_EQ(nearest[q].point, best);
    }
  }
}

TEST(NearestPoints, CopeWithAThousandCoincidentPoints) {
  const std::vector<Vec3> points(1000, {1, 2, 3});
  const std::vector<Vec3> queries{{1, 2, 5}};
  EXPECT_EQ(nearest_points(queries, points)[0].point, 0u);
  EXPECT_EQ(nearest_points(queries, points)[0].distance, 2);
}

TEST(NearestPoints, OfNoQueriesAreNone) { EXPECT_TRUE(nearest_points({}, {}).empty()); }

}  // namespace
}  // namespace dermis
