// SPDX-License-Identifier: MIT
// Winding numbers against solid angles added up one by one, and against what is known of closed surfaces.
#include <gtest/gtest.h>

#include "characters.h"
#include "geometry/soups.h"

namespace dermis {
namespace {

using test::Soup;

double winding(const Soup& soup, const Vec3d& place) {
  return winding_number(winding_tree(soup.points, soup.triangles), place);
}

// The sum over all triangles of the angle by the three face angles (Girard): another formula than the tree's.
double plain_winding(const Soup& soup, const Vec3d& place) {
  double sum = 0;
  for (const auto& t : soup.triangles) {
    Vec3d d[3];
    for (std::size_t k = 0; k < 3; ++k) d[k] = normalized(Vec3d(soup.points[t[k]]) - place);
    double excess = -kPi;
    for (int k = 0; k < 3; ++k) {
      const Vec3d &a = d[k], &b = d[(k + 1) % 3], &c = d[(k + 2) % 3];
      const Vec3d u = normalized(b - a * dot(a, b)), v = normalized(c - a * dot(a, c));
      excess += std::acos(std::clamp(dot(u, v), -1.0, 1.0));
    }
    sum += (dot(d[0], cross(d[1], d[2])) > 0 ? excess : -excess) / (4 * kPi);
  }
  return sum;
}

TEST(WindingNumber, IsOneInsideAClosedBoxAndZeroOutside) {
  const Soup box = test::box_soup({-1, -2, -3}, {1, 2, 3});
  EXPECT_NEAR(winding(box, {0.3, -1.2, 2.4}), 1, 1e-9);
  EXPECT_NEAR(winding(box, {0.999, 1.999, 2.999}), 1, 1e-9);
  EXPECT_NEAR(winding(box, {1.3, 0, 0}), 0, 1e-9);
  EXPECT_NEAR(winding(box, {100, 30, -7}), 0, 1e-3);
  EXPECT_NEAR(winding(box.flipped(), {0.3, -1.2, 2.4}), -1, 1e-9);
}

TEST(WindingNumber, AddsUpWhereShellsOverlap) {
  Soup two = test::box_soup({-1, -1, -1}, {1, 1, 1});
  two.add(test::box_soup({0, -1, -1}, {2, 1, 1}));
  EXPECT_NEAR(winding(two, {0.5, 0, 0}), 2, 1e-9);
  EXPECT_NEAR(winding(two, {-0.5, 0, 0}), 1, 1e-9);
  EXPECT_NEAR(winding(two, {1.5, 0, 0}), 1, 1e-9);
}

TEST(WindingNumber, IsAHalfInTheMiddleOfAnOpenHemisphere) {
  // A tube around half a circle of latitude: rings of a sphere from the equator to the pole.
  Soup half;
  constexpr std::uint32_t kBallRings = 40, kSides = 80;
  for (std::uint32_t r = 0; r <= kBallRings; ++r) {
    const double up = 0.5 * kPi * r / kBallRings;
    for (std::uint32_t s = 0; s < kSides; ++s) {
      const double around = 2 * kPi * s / kSides;
      half.points.push_back(
          Vec3(Vec3d{std::cos(up) * std::cos(around), std::sin(up), -std::cos(up) * std::sin(around)}));
      const std::uint32_t a = r * kSides + s, b = r * kSides + (s + 1) % kSides;
      if (r < kBallRings)
        half.triangles.insert(half.triangles.end(), {{a, b, a + kSides}, {b, b + kSides, a + kSides}});
    }
  }
  EXPECT_NEAR(winding(half, {0, 0, 0}), 0.5, 0.02);
  // On the axis a distance h below the rim a sphere's cap covers (1 - h / sqrt(1 + h^2)) / 2.
  EXPECT_NEAR(winding(half, {0, -1, 0}), (1 - std::sqrt(0.5)) / 2, 0.01);
  EXPECT_GT(winding(half, {0, 0.9, 0}), 0.8);
}

TEST(WindingNumber, StaysWithinTwoHundredthsOfTheSumOverAllTriangles) {
  test::Random random(5);
  Soup soup = test::rod_soup(test::u_path(3, 1), 0.3, 24);
  Soup open = test::rod_soup(test::straight_path({-1, 1, 0}, {2, 3, 0}, 60), 0.5, 40, true);
  soup.add(open.flipped());
  const WindingTree tree = winding_tree(soup.points, soup.triangles);
  double worst = 0;
  for (int k = 0; k < 500; ++k) {
    const Vec3d place{random.in(-2, 5), random.in(-1, 4), random.in(-0.6, 0.6)};
    worst = std::max(worst, std::abs(winding_number(tree, place) - plain_winding(soup, place)));
  }
  RecordProperty("worst", std::to_string(worst));
  EXPECT_LT(worst, 0.02) << "seed 5";
}

TEST(WindingNumber, OfNothingIsZero) { EXPECT_EQ(winding(Soup{}, {1, 2, 3}), 0); }

}  // namespace
}  // namespace dermis
