// SPDX-License-Identifier: MIT
// Weights from plain distances, in numbers worked out by hand.
#include "bind/bound.h"

namespace dermis {
namespace {

using test::chain;
using test::weight_of;

// Joints along x from 0 to 1 and from 1 to 2, points beside them.
BindSurface beside() { return bind_surface_of({{0.5f, 1, 0}, {1, 1, 0}, {2.5f, 0, 0}, {1.75f, 1, 0}}, {}); }
BindSkeleton two() { return chain({{{0, 0, 0}, {1, 0, 0}}, {{1, 0, 0}, {2, 0, 0}}}); }

TEST(BindRigid, GivesAllToTheNearestAndTiesToTheFirst) {
  const Result<BoundRows> bound = bind_rigid(beside(), two());
  ASSERT_TRUE(bound);
  EXPECT_EQ(weight_of(bound->rows, 0, 0), 1);
  EXPECT_EQ(weight_of(bound->rows, 1, 0), 1);
  EXPECT_EQ(weight_of(bound->rows, 2, 1), 1);
  EXPECT_EQ(bound->rows.influences.size(), 4u);
}

TEST(BindDistance, FallsOffWithinItsRadius) {
  const BindSurface surface = beside();
  // Points reach from (0.5, 0) to (2.5, 1): the size is sqrt(5).
  EXPECT_NEAR(surface.size, std::sqrt(5.0), 1e-6);
  DistanceOptions options;
  options.radius = 0.5 / std::sqrt(5.0);
  const Result<BoundRows> bound = bind_distance(surface, two(), options);
  ASSERT_TRUE(bound);
  EXPECT_NEAR(weight_of(bound->rows, 1, 0), 0.5, 1e-6);
  // From (1.75, 1): 1 to the second joint, 1.25 to the end of the first; (1 - 0.25 / 0.5)^2 = 1/4 beside 1.
  EXPECT_NEAR(weight_of(bound->rows, 3, 0), 0.2, 1e-6);
  // From (2.5, 0): 0.5 and 1.5, a whole unit apart: out of reach.
  EXPECT_EQ(weight_of(bound->rows, 2, 0), 0);
  options.radius = 0;
  EXPECT_EQ(bind_distance(surface, two(), options).error().code, Errc::bad_argument);
}

}  // namespace
}  // namespace dermis
