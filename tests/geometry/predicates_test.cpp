// SPDX-License-Identifier: MIT
// Signs of volumes against integers of 128 bits, at every scale that floats have.
#include "geometry/predicates.h"

#include <gtest/gtest.h>

#include <cmath>

#include "characters.h"

namespace dermis {
namespace {

__extension__ using Wide = __int128;

struct Lattice {
  long x = 0, y = 0, z = 0;
};

int sign_by_integers(const Lattice& a, const Lattice& b, const Lattice& c, const Lattice& d) {
  const Wide ux = b.x - a.x, uy = b.y - a.y, uz = b.z - a.z;
  const Wide vx = c.x - a.x, vy = c.y - a.y, vz = c.z - a.z;
  const Wide wx = d.x - a.x, wy = d.y - a.y, wz = d.z - a.z;
  const Wide volume = wx * (uy * vz - uz * vy) + wy * (uz * vx - ux * vz) + wz * (ux * vy - uy * vx);
  return volume > 0 ? 1 : volume < 0 ? -1 : 0;
}

// Numbers below 2^24 are floats, and stay so when they are scaled by a power of two.
Vec3 scaled(const Lattice& p, int exponent) {
  return {std::ldexp(static_cast<float>(p.x), exponent), std::ldexp(static_cast<float>(p.y), exponent),
          std::ldexp(static_cast<float>(p.z), exponent)};
}

TEST(Orientation, IsPositiveWhereTheTriangleRunsAnticlockwise) {
  EXPECT_EQ(orientation({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}), 1);
  EXPECT_EQ(orientation({0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}), -1);
  EXPECT_EQ(orientation({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {7, -3, 0}), 0);
}

TEST(Orientation, AgreesWithIntegersOnNearlyPlanePoints) {
  constexpr unsigned kSeed = 5;
  SCOPED_TRACE(kSeed);
  test::Random random(kSeed);
  const auto any = [&] { return static_cast<long>(random.below(1 << 24)); };
  int planes = 0;
  for (int k = 0; k < 20000; ++k) {
    // d is near a whole-numbered combination of the others: often in the plane, or off it by one step.
    const Lattice a{any() / 4, any() / 4, any() / 4}, b{any() / 4, any() / 4, any() / 4},
        c{any() / 4, any() / 4, any() / 4};
    Lattice d{b.x + c.x - a.x, b.y + c.y - a.y, b.z + c.z - a.z};
    if (k % 3 > 0) d.z += random.below(3) - 1;
    const int expected = sign_by_integers(a, b, c, d);
    planes += expected == 0 ? 1 : 0;
    const int exponent = random.below(200) - 120;  // down to what only denormal floats hold, and up
    const int lower = std::max(exponent, -100);
    EXPECT_EQ(orientation(scaled(a, lower), scaled(b, lower), scaled(c, lower), scaled(d, lower)), expected);
    EXPECT_EQ(orientation(scaled(b, lower), scaled(a, lower), scaled(c, lower), scaled(d, lower)), -expected);
  }
  EXPECT_GT(planes, 5000);
}

TEST(Orientation, SeesAPointOffThePlaneByTheSmallestFloat) {
  const Vec3 a{1e30f, 0, 0}, b{0, 1e30f, 0}, c{-1e30f, -1e30f, 0};
  const float least = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(orientation(a, b, c, {1, 1, least}), 1);
  EXPECT_EQ(orientation(a, b, c, {1, 1, -least}), -1);
  EXPECT_EQ(orientation(a, b, c, {1, 1, 0}), 0);
  // Differences of coordinates this far apart do not fit into one double.
  EXPECT_EQ(orientation({1e30f, 0, least}, {0, 1e30f, least}, {-1e30f, -1e30f, least}, {1, 1, 0}), -1);
}

TEST(IsFlat, HoldsForCornersOnALineOnly) {
  EXPECT_TRUE(is_flat({0, 0, 0}, {1, 2, 3}, {2, 4, 6}));
  EXPECT_TRUE(is_flat({0, 0, 0}, {0, 0, 0}, {2, 4, 6}));
  EXPECT_FALSE(is_flat({0, 0, 0}, {1, 2, 3}, {2, 4, std::nextafter(6.0f, 7.0f)}));
  EXPECT_FALSE(is_flat({0, 0, 0}, {1e-30f, 0, 0}, {0, 1e-30f, 0}));
}

}  // namespace
}  // namespace dermis
