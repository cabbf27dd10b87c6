// SPDX-License-Identifier: MIT
// The closest point of a surface against every triangle, sampled densely.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "characters.h"
#include "geometry/soups.h"

namespace dermis {
namespace {

TEST(ClosestPoint, IsThatOfTryingEveryTriangle) {
  const unsigned seed = 17;
  SCOPED_TRACE(seed);
  test::Random random(seed);
  const test::Soup soup = test::rod_soup({{-0.8, -0.5, 0}, {0, 0, 0}, {0.8, -0.3, 0}}, 0.4, 12);
  const TriangleTree tree = triangle_tree(soup.points, soup.triangles);
  for (int k = 0; k < 200; ++k) {
    const Vec3d query = random.vector() * 1.5;
    const ClosestPoint closest = closest_point(tree, soup.points, soup.triangles, query);
    ASSERT_GE(closest.triangle, 0);
    double least = INFINITY;
    for (const SurfaceMesh::Triangle& t : soup.triangles) {
      // Dense samples of the triangle bound the distance from above.
      for (int i = 0; i <= 20; ++i) {
        for (int j = 0; i + j <= 20; ++j) {
          const Vec3d p = Vec3d(soup.points[t[0]]) * (i / 20.0) + Vec3d(soup.points[t[1]]) * (j / 20.0) +
                          Vec3d(soup.points[t[2]]) * ((20 - i - j) / 20.0);
          least = std::min(least, length(p - query));
        }
      }
    }
    EXPECT_LE(closest.distance, least + 1e-9);
    // The samples of a side of length 1 are 0.05 apart.
    EXPECT_GE(closest.distance, least - 0.05);
    EXPECT_NEAR(closest.shares[0] + closest.shares[1] + closest.shares[2], 1, 1e-12);
    // The shares give the point at that distance.
    const SurfaceMesh::Triangle& hit = soup.triangles[static_cast<std::size_t>(closest.triangle)];
    Vec3d point;
    for (std::size_t c = 0; c < 3; ++c) point += Vec3d(soup.points[hit[c]]) * closest.shares[c];
    EXPECT_NEAR(length(point - query), closest.distance, 1e-9);
  }
}

}  // namespace
}  // namespace dermis
