// SPDX-License-Identifier: MIT
// Crossing triangles against separating axes in whole numbers, and the tree against all pairs.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "characters.h"
#include "dermis/geometry.h"

namespace dermis {
namespace {

using Triangle = SurfaceMesh::Triangle;
using Triangles = std::vector<Triangle>;
using Points = std::vector<Vec3>;

struct Whole {
  long x = 0, y = 0, z = 0;
  friend Whole operator-(const Whole& a, const Whole& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
};
Whole cross(const Whole& a, const Whole& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
long dot(const Whole& a, const Whole& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
using Polygon = std::vector<Whole>;

bool separates(const Whole& axis, const Polygon& p, const Polygon& q) {
  const auto range = [&](const Polygon& of) {
    long lower = dot(axis, of[0]), upper = lower;
    for (const Whole& corner : of) {
      lower = std::min(lower, dot(axis, corner));
      upper = std::max(upper, dot(axis, corner));
    }
    return std::array<long, 2>{lower, upper};
  };
  const auto a = range(p), b = range(q);
  return a[1] < b[0] || b[1] < a[0];
}

// Two convex plane polygons have no common point when one of these axes separates them: the normals, edge
// against edge, and in one plane the normals of the edges.
bool do_polygons_meet(const Polygon& p, const Polygon& q) {
  const auto edges = [](const Polygon& of) {
    Polygon list;
    for (std::size_t k = 0; k < of.size(); ++k) list.push_back(of[(k + 1) % of.size()] - of[k]);
    return list;
  };
  const Polygon ep = edges(p), eq = edges(q);
  const Whole np = cross(ep[0], ep[1]), nq = cross(eq[0], eq[1]);
  Polygon axes{np, nq};
  for (const Whole& a : ep) {
    axes.push_back(cross(np, a));
    for (const Whole& b : eq) axes.push_back(cross(a, b));
  }
  for (const Whole& b : eq) axes.push_back(cross(nq, b));
  return std::none_of(axes.begin(), axes.end(), [&](const Whole& axis) { return separates(axis, p, q); });
}

struct Pair {
  std::vector<Whole> places;
  Points points;
  Triangle s{0, 1, 2}, t{3, 4, 5};
};

// On a small lattice nearly every special case happens.
Pair random_pair(test::Random& random, int shared) {
  Pair pair;
  if (shared > 0) pair.t[0] = 0;
  if (shared > 1) pair.t[1] = 1;
  bool is_flat_pair = true;
  while (is_flat_pair) {
    pair.places.clear();
    pair.points.clear();
    for (int k = 0; k < 6; ++k) {
      const Whole p{random.below(4), random.below(4), random.below(4)};
      pair.places.push_back(p);
      pair.points.push_back({static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)});
    }
    is_flat_pair = is_flat(pair.points[pair.s[0]], pair.points[pair.s[1]], pair.points[pair.s[2]]) ||
                   is_flat(pair.points[pair.t[0]], pair.points[pair.t[1]], pair.points[pair.t[2]]);
  }
  return pair;
}

// The triangle with its first corner cut off, in thousandths of the lattice.
Polygon without_first_corner(const Pair& pair, const Triangle& t) {
  const Whole &a = pair.places[t[0]], &b = pair.places[t[1]], &c = pair.places[t[2]];
  const auto near = [&](const Whole& to) {
    return Whole{999 * a.x + to.x, 999 * a.y + to.y, 999 * a.z + to.z};
  };
  return {{1000 * b.x, 1000 * b.y, 1000 * b.z}, {1000 * c.x, 1000 * c.y, 1000 * c.z}, near(c), near(b)};
}
Polygon whole(const Pair& pair, const Triangle& t) {
  Polygon polygon;
  for (const std::uint32_t v : t) {
    const Whole& p = pair.places[v];
    polygon.push_back({1000 * p.x, 1000 * p.y, 1000 * p.z});
  }
  return polygon;
}

// Whatever way the corners are named.
void expect_crossing(const Pair& pair, bool expected) {
  for (std::uint32_t turn = 0; turn < 3; ++turn) {
    const Triangle s{pair.s[turn], pair.s[(turn + 1) % 3], pair.s[(turn + 2) % 3]};
    const Triangle t{pair.t[(turn + 2) % 3], pair.t[(turn + 1) % 3], pair.t[turn]};
    EXPECT_EQ(do_triangles_cross(pair.points, s, t), expected);
    EXPECT_EQ(do_triangles_cross(pair.points, t, s), expected);
  }
}

TEST(DoTrianglesCross, AgreesWithSeparatingAxesWhereNoPointIsShared) {
  constexpr unsigned kSeed = 11;
  SCOPED_TRACE(kSeed);
  test::Random random(kSeed);
  int crossing = 0;
  for (int k = 0; k < 20000; ++k) {
    const Pair pair = random_pair(random, 0);
    const bool expected = do_polygons_meet(whole(pair, pair.s), whole(pair, pair.t));
    crossing += expected ? 1 : 0;
    expect_crossing(pair, expected);
  }
  EXPECT_GT(crossing, 2000);
}

TEST(DoTrianglesCross, LooksBeyondASharedPoint) {
  constexpr unsigned kSeed = 12;
  SCOPED_TRACE(kSeed);
  test::Random random(kSeed);
  int crossing = 0;
  for (int k = 0; k < 20000; ++k) {
    const Pair pair = random_pair(random, 1);
    // What they have in common runs from the shared point for more than a thousandth on this lattice.
    const bool expected = do_polygons_meet(without_first_corner(pair, pair.s), whole(pair, pair.t));
    crossing += expected ? 1 : 0;
    expect_crossing(pair, expected);
  }
  EXPECT_GT(crossing, 2000);
}

TEST(DoTrianglesCross, NeighboursAtAnEdgeCrossOnlyWhenFoldedFlat) {
  const Points points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, -1, 0}, {0.7f, 3, 0}, {0.2f, 1, 1e-30f}};
  EXPECT_FALSE(do_triangles_cross(points, {0, 1, 2}, {1, 0, 3}));  // flat, as most of a mesh is
  EXPECT_TRUE(do_triangles_cross(points, {0, 1, 2}, {1, 0, 4}));
  EXPECT_FALSE(do_triangles_cross(points, {0, 1, 2}, {1, 0, 5}));  // closed but for a hair
  EXPECT_TRUE(do_triangles_cross(points, {0, 1, 2}, {2, 1, 0}));   // the same one twice
}

TEST(DoTrianglesCross, CountsATouchOfStrangers) {
  const Points points{{0, 0, 0}, {2, 0, 0}, {0, 2, 0},           {0.5f, 0.5f, 0},
                      {1, 1, 1}, {0, 1, 1}, {0.5f, 0.5f, 1e-38f}};
  EXPECT_TRUE(do_triangles_cross(points, {0, 1, 2}, {3, 4, 5}));
  EXPECT_FALSE(do_triangles_cross(points, {0, 1, 2}, {6, 4, 5}));
}

std::vector<TrianglePair> pairs_by_force(const Points& points, const Triangles& triangles,
                                         std::span<const std::uint8_t> group = {}) {
  const auto flat = [&](const Triangle& t) { return is_flat(points[t[0]], points[t[1]], points[t[2]]); };
  std::vector<TrianglePair> pairs;
  for (std::uint32_t s = 0; s < triangles.size(); ++s) {
    for (std::uint32_t t = s + 1; t < triangles.size(); ++t) {
      if (flat(triangles[s]) || flat(triangles[t])) continue;
      if (!group.empty() && group[s] != 0 && group[s] == group[t]) continue;
      if (do_triangles_cross(points, triangles[s], triangles[t])) pairs.push_back({s, t});
    }
  }
  return pairs;
}

// Triangles thrown at random among few points, so that all kinds of neighbours come up.
void throw_triangles(test::Random& random, int point_count, int triangle_count, Points& points,
                     Triangles& triangles) {
  for (int v = 0; v < point_count; ++v) points.push_back(Vec3(random.vector()));
  while (triangles.size() < static_cast<std::size_t>(triangle_count)) {
    const auto any = [&] { return static_cast<std::uint32_t>(random.below(point_count)); };
    const Triangle t{any(), any(), any()};
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) triangles.push_back(t);
  }
}

TEST(SelfIntersections, AreThoseOfAllPairs) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    Points points;
    Triangles triangles;
    throw_triangles(random, 10 + random.below(300), 1 + random.below(400), points, triangles);
    if (seed % 4 == 0) {  // on a lattice: coplanar, touching, flat
      for (Vec3& p : points) p = {std::round(p.x * 3), std::round(p.y * 3), std::round(p.z * 3)};
    }
    if (seed % 4 == 1) {  // slivers, all in a needle
      for (Vec3& p : points) p = {p.x, p.y * 1e-6f, p.z * 1e-6f};
    }
    const TriangleTree tree = triangle_tree(points, triangles);
    const Intersections found = self_intersections(tree, points, triangles);
    EXPECT_EQ(found.pairs, pairs_by_force(points, triangles));
    EXPECT_TRUE(found.is_complete);
    std::vector<std::uint8_t> group;
    for (std::size_t t = 0; t < triangles.size(); ++t)
      group.push_back(static_cast<std::uint8_t>(random.below(4)));
    EXPECT_EQ(self_intersections(tree, points, triangles, {group}).pairs,
              pairs_by_force(points, triangles, group));
  }
}

TEST(SelfIntersections, AreTheSameInARefittedTree) {
  constexpr unsigned kSeed = 21;
  SCOPED_TRACE(kSeed);
  test::Random random(kSeed);
  Points points, moved;
  Triangles triangles;
  throw_triangles(random, 100, 200, points, triangles);
  for (std::size_t v = 0; v < points.size(); ++v) moved.push_back(Vec3(random.vector()));
  TriangleTree tree = triangle_tree(points, triangles);
  refit(tree, moved, triangles);
  EXPECT_EQ(self_intersections(tree, moved, triangles).pairs, pairs_by_force(moved, triangles));
}

TEST(SelfIntersections, EndAtTheLimitWithTheSamePairsOnAnyThreadCount) {
  Points points;
  Triangles triangles;
  for (std::uint32_t k = 0; k < 300; ++k) {  // all in one place: 44850 pairs
    const float shift = static_cast<float>(k) * 1e-3f;
    for (const Vec3& p : {Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}})
      points.push_back({p.x + shift, p.y, p.z});
    triangles.push_back({3 * k, 3 * k + 1, 3 * k + 2});
  }
  const TriangleTree tree = triangle_tree(points, triangles);
  EXPECT_EQ(self_intersections(tree, points, triangles).pairs.size(), 44850u);
  IntersectionOptions options;
  options.max_pairs = 1000;
  const Intersections on_many = self_intersections(tree, points, triangles, options);
  EXPECT_FALSE(on_many.is_complete);
  EXPECT_EQ(on_many.pairs.size(), 1000u);
  set_thread_count(1);
  EXPECT_EQ(self_intersections(tree, points, triangles, options).pairs, on_many.pairs);
  set_thread_count(0);
}

TEST(SelfIntersections, LeaveFlatTrianglesOutAndCountThem) {
  const Points points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0.5f}, {1, 1, 0.5f}, {0.5f, 0.5f, 0.5f}};
  const Triangles triangles{{0, 1, 2}, {3, 4, 5}};
  const Intersections found = self_intersections(triangle_tree(points, triangles), points, triangles);
  EXPECT_EQ(found.flat_count, 1u);
  EXPECT_TRUE(found.pairs.empty());
  EXPECT_TRUE(self_intersections(triangle_tree({}, {}), {}, {}).pairs.empty());
}

}  // namespace
}  // namespace dermis
