// SPDX-License-Identifier: MIT
// Which points mirror each other: shells first, then points.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "dermis/geometry.h"

namespace dermis {
namespace {

struct Pieces {
  std::vector<Vec3> points;
  std::vector<std::uint32_t> first{0};
  std::vector<std::int32_t> corners;

  // A fan around `centre`: `sides` points at `radius` in the plane z = 0, and one above.
  void add(const Vec3& centre, float radius, int sides, float phase) {
    const auto base = static_cast<std::int32_t>(points.size());
    points.push_back(centre + Vec3{0, 0, radius});
    for (int s = 0; s < sides; ++s) {
      const float angle = phase + 6.2831853f * static_cast<float>(s) / static_cast<float>(sides);
      points.push_back(centre + Vec3{radius * std::cos(angle), radius * std::sin(angle), 0});
    }
    for (int s = 0; s < sides; ++s) {
      corners.insert(corners.end(), {base, base + 1 + s, base + 1 + (s + 1) % sides});
      first.push_back(static_cast<std::uint32_t>(corners.size()));
    }
  }
  MirrorPairs paired() const {
    std::vector<std::int32_t> weld(points.size());
    std::iota(weld.begin(), weld.end(), 0);
    return pair_mirror_points(points, weld, first, corners, {{1, 0, 0}, 0});
  }
};

TEST(ShellsOfPoints, AreNumberedByTheirLowestPoint) {
  // A triangle 4 5 6, a triangle 0 3 1 and one that shares a point with it; 2 is loose.
  const std::vector<std::uint32_t> first{0, 3, 6, 9};
  const std::vector<std::int32_t> corners{4, 5, 6, 0, 3, 1, 3, 7, 8};
  EXPECT_EQ(shells_of_points(9, first, corners), (std::vector<std::int32_t>{0, 0, -1, 0, 1, 1, 1, 0, 0}));
}

// Two eyes that are copies, turned against each other, between the points of a dense face.
TEST(MirrorPairs, AreFoundInTheShellThatMirrorsTheirOwn) {
  Pieces pieces;
  pieces.add({3, 0, 0}, 1, 12, 0.1f);
  pieces.add({-3, 0, 0}, 1, 12, 0.1f);
  const auto eyes = pieces.points.size();
  pieces.add({0, 0, 0.2f}, 60, 24, 0);
  for (int k = -40; k <= 40; ++k) {
    for (int j = -20; j <= 20; ++j)
      pieces.points.push_back({0.11f * static_cast<float>(k), 0.11f * static_cast<float>(j), 0.02f});
  }
  const MirrorPairs pairs = pieces.paired();
  for (std::size_t v = 0; v < eyes; ++v) {
    ASSERT_NE(pairs.image[v], -1) << "point " << v;
    EXPECT_EQ(static_cast<std::size_t>(pairs.image[v]) < eyes / 2, v >= eyes / 2) << "point " << v;
  }
}

TEST(MirrorPairs, OfOneEvenShellAreMutual) {
  Pieces pieces;
  pieces.add({0, 0, 0}, 1, 16, 0);
  const MirrorPairs pairs = pieces.paired();
  for (std::size_t v = 0; v < pieces.points.size(); ++v) {
    EXPECT_EQ(pairs.match[v], MirrorMatch::exact);
    ASSERT_NE(pairs.image[v], -1);
    EXPECT_EQ(pairs.image[static_cast<std::size_t>(pairs.image[v])], static_cast<std::int32_t>(v));
  }
  EXPECT_EQ(pairs.image[0], 0);  // the top is in the middle
}

// One pauldron: nothing mirrors it, and what it lies on is taken.
TEST(MirrorPairs, OfAShellOnOneSideOnlyAreNone) {
  Pieces pieces;
  pieces.add({0, 0, 0}, 10, 16, 0);
  const auto body = pieces.points.size();
  pieces.add({5, 0, 4}, 0.5f, 8, 0.3f);
  const MirrorPairs pairs = pieces.paired();
  for (std::size_t v = body; v < pieces.points.size(); ++v) {
    EXPECT_EQ(pairs.image[v], -1);
    EXPECT_EQ(pairs.match[v], MirrorMatch::none);
  }
}

TEST(MirrorPairs, OfNothingAndOfLoosePointsAreFoundByPosition) {
  EXPECT_TRUE(Pieces{}.paired().image.empty());
  Pieces pieces;
  pieces.points = {{1, 0, 0}, {-1, 0, 0}, {0, 2, 0}, {3, 3, 3}};
  EXPECT_EQ(pieces.paired().image, (std::vector<std::int32_t>{1, 0, 2, -1}));
}

}  // namespace
}  // namespace dermis
