// SPDX-License-Identifier: MIT
// The middle of limbs, their thickness, and ways through a body that keep to it.
#include "rig/centreline.h"

#include "rig/bodies.h"
#include "rig/ways.h"

namespace dermis {
namespace {

constexpr double kCell = 0.1;

TEST(CrossSections, OfARodIsADiscAroundItsAxis) {
  const test::Capsule rod{{-4, 0, 0}, {4, 0, 0}, 0.8};
  const BodySolid body = test::body_of(test::capsule_soup({rod}, 0.1), kCell);
  CrossSections sections(body);
  // The second one must not see the marks of the first.
  for (int repeat = 0; repeat < 2; ++repeat) {
    const CrossSections::Section section = sections.through({0.3, 0.4, -0.2}, {1, 0, 0}, 3);
    EXPECT_LT(length(section.centre - Vec3d{0.3, 0, 0}), kCell);
    EXPECT_NEAR(section.radius, rod.radius, 1.5 * kCell);
  }
}

TEST(Centreline, OfABentRodIsItsAxisFromEndToEnd) {
  const double arm = 5, bend = 3, radius = 0.7;
  const std::vector<Vec3d> path = test::u_path(arm, bend);
  const BodySolid body = test::body_of(test::rod_soup(path, radius), kCell);
  ASSERT_EQ(body.ends.size(), 2u);
  const DeepWays ways(body, body.ends[0].cell);
  const std::vector<Vec3d> way = ways.way_to(body.ends[1].cell);
  EXPECT_EQ(way.front(), body.solid.centre(body.ends[0].cell));
  EXPECT_EQ(way.back(), body.solid.centre(body.ends[1].cell));
  const Centreline line = trace_centreline(body, way);
  ASSERT_EQ(line.points.size(), line.along.size());
  ASSERT_EQ(line.points.size(), line.radius.size());
  // Ends lie on the rims of the rod, and the line comes from there.
  EXPECT_NEAR(line.length(), 2 * arm + kPi * bend, 2.5 * radius);
  for (std::size_t k = 0; k < line.points.size(); ++k) {
    if (k > 0) {
      EXPECT_GT(line.along[k], line.along[k - 1]);
    }
    if (line.along[k] < 3 * radius || line.along[k] > line.length() - 3 * radius) continue;
    double off = INFINITY;
    for (std::size_t p = 1; p < path.size(); ++p)
      off = std::min(off, distance_to_segment(line.points[k], path[p - 1], path[p]));
    EXPECT_LT(off, kCell);
    EXPECT_NEAR(line.radius[k], radius, 1.5 * kCell);
  }
}

// The farthest cell of a post's flat sole is on its rim; the end of the post is in the middle.
TEST(Centreline, EndsInTheMiddleOfAFlatTip) {
  const BodySolid body = test::body_of(test::box_soup({-1, 0, -1}, {1, 9, 1}), kCell);
  ASSERT_FALSE(body.ends.empty());
  const std::vector<Vec3d> way = DeepWays(body, body.middle).way_to(body.ends[0].cell);
  const Vec3d corner = trace_centreline(body, way).points.back(),
              tip = trace_centreline(body, way, true).points.back();
  EXPECT_GT(std::hypot(corner.x, corner.z), 0.8);
  EXPECT_LT(std::hypot(tip.x, tip.z), 0.35);
  EXPECT_NEAR(tip.y, corner.y, 2 * kCell);
}

TEST(Centreline, IsReadBetweenItsPlacesAndHeldBeyondItsEnds) {
  Centreline line;
  line.points = {{0, 0, 0}, {2, 0, 0}, {2, 4, 0}};
  line.along = {0, 2, 6};
  line.radius = {1, 2, 4};
  EXPECT_EQ(line.length(), 6);
  EXPECT_EQ(point_at(line, 1), (Vec3d{1, 0, 0}));
  EXPECT_EQ(point_at(line, 3), (Vec3d{2, 1, 0}));
  EXPECT_EQ(point_at(line, -1), line.points.front());
  EXPECT_EQ(point_at(line, 9), line.points.back());
  EXPECT_EQ(radius_at(line, 4), 3);
  EXPECT_EQ(radius_at(line, 60), 4);
  EXPECT_EQ(nearest_along(line, {2.5, 3, 0}), 6);
}

TEST(DeepWays, KeepToTheMiddle) {
  // Straight across, the way from corner to corner would scrape along the walls of the bend.
  const test::Soup soup = test::capsule_soup({{{0, 0, 0}, {6, 0, 0}, 1}, {{6, 0, 0}, {6, 6, 0}, 1}}, 0.2);
  const BodySolid body = test::body_of(soup, kCell);
  const auto from = static_cast<std::uint32_t>(body.solid.find(Vec3d{0, 0, 0}));
  const auto to = static_cast<std::uint32_t>(body.solid.find(Vec3d{6, 6, 0}));
  for (const Vec3d& place : DeepWays(body, from).way_to(to)) {
    const double depth = 1 - std::min(distance_to_segment(place, {0, 0, 0}, {6, 0, 0}),
                                      distance_to_segment(place, {6, 0, 0}, {6, 6, 0}));
    EXPECT_GT(depth, 0.6);
  }
}

}  // namespace
}  // namespace dermis
