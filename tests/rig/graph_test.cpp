// SPDX-License-Identifier: MIT
// Spheres in bodies, the graph between them, and the shortest ways through it.
#include "rig/graph.h"

#include "rig/bodies.h"
#include "rig/frames.h"

namespace dermis {
namespace {

std::vector<test::Capsule> star_arms() {
  std::vector<test::Capsule> arms;
  for (const Vec3d& tip : test::star_tips())
    arms.push_back({{}, tip - normalized(tip) * test::kStarRadius, test::kStarRadius});
  return arms;
}

void expect_packed(const BodyGraph& graph) {
  for (std::size_t b = 0; b < graph.sphere_count; ++b) {
    EXPECT_GT(graph.nodes[b].radius, 0);
    for (std::size_t a = 0; a < b; ++a) {
      EXPECT_GE(graph.nodes[a].radius, graph.nodes[b].radius);
      EXPECT_GE(length(graph.nodes[a].centre - graph.nodes[b].centre), graph.nodes[a].radius);
    }
  }
}

void expect_connected(const BodyGraph& graph) {
  const std::uint32_t start = 0;
  const Ways ways = shortest_ways(graph, {&start, 1});
  for (const double way : ways.length) EXPECT_TRUE(std::isfinite(way));
  for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
    for (const GraphEdge& edge : graph.edges[n]) {
      EXPECT_NE(edge.to, n);
      EXPECT_NEAR(edge.length, length(graph.nodes[n].centre - graph.nodes[edge.to].centre), 1e-9);
      EXPECT_EQ(std::count_if(graph.edges[edge.to].begin(), graph.edges[edge.to].end(),
                              [&](const GraphEdge& back) { return back.to == n; }),
                1);
    }
  }
}

TEST(Spheres, LieInsideWithNoCentreInAFatterOne) {
  const BodySolid body = test::body_of(test::star_soup(), 0.2);
  const BodyGraph graph = pack_spheres(body, {});
  ASSERT_GT(graph.sphere_count, 10u);
  expect_packed(graph);
  const test::CapsuleField field(star_arms());
  for (std::size_t n = 0; n < graph.sphere_count; ++n) {
    EXPECT_LT(field.value(graph.nodes[n].centre), 0);
    EXPECT_FALSE(graph.nodes[n].is_end());
  }
  EXPECT_EQ(graph.nodes.size(), graph.sphere_count + 5);
  for (std::size_t n = graph.sphere_count; n < graph.nodes.size(); ++n) EXPECT_TRUE(graph.nodes[n].is_end());
}

TEST(Graph, OfAStarIsConnectedAndKeepsToItsArms) {
  const BodySolid body = test::body_of(test::star_soup(), 0.2);
  const BodyGraph graph = pack_spheres(body, {});
  expect_connected(graph);
  // From tip to tip the way is that of both arms: nothing cuts across outside.
  for (std::uint32_t a = 0; a < 5; ++a) {
    const auto from = static_cast<std::uint32_t>(graph.sphere_count + a);
    const Ways ways = shortest_ways(graph, {&from, 1});
    for (std::size_t b = graph.sphere_count; b < graph.nodes.size(); ++b) {
      if (b == from) continue;
      const double both = length(graph.nodes[from].centre) + length(graph.nodes[b].centre);
      EXPECT_NEAR(ways.length[b], both, 0.1 * both);
    }
  }
}

TEST(Graph, OfABodyInPiecesIsConnected) {
  test::Soup soup = test::capsule_soup({{{0, 0, 0}, {4, 0, 0}, 0.6}}, 0.2);
  soup.add(test::capsule_soup({{{6, 0, 0}, {9, 0, 0}, 0.6}}, 0.2));
  soup.add(test::capsule_soup({{{0, 2.5, 0}, {0, 5, 0}, 0.5}}, 0.2));
  const BodySolid body = test::body_of(soup, 0.12);
  ASSERT_EQ(body.solid.piece_count, 3u);
  const BodyGraph graph = pack_spheres(body, find_mirrors(body));
  expect_packed(graph);
  expect_connected(graph);
}

TEST(Graph, KnowsTheEndsThatLieInAMirrorPlaneAlone) {
  // Two ears farther up than the crown between them.
  const test::Soup head = test::capsule_soup(
      {{{0, -4, 0}, {0, 0, 0}, 1}, {{0, 0, 0}, {2.5, 3, 0}, 0.5}, {{0, 0, 0}, {-2.5, 3, 0}, 0.5}}, 0.2);
  const BodySolid body = test::body_of(head, 0.12);
  const std::vector<BodyMirror> mirrors = find_mirrors(body);
  const auto across = std::find_if(mirrors.begin(), mirrors.end(), [](const BodyMirror& mirror) {
    return std::abs(mirror.plane.normal.x) > 0.9;
  });
  ASSERT_NE(across, mirrors.end());
  const auto plane = static_cast<std::int32_t>(across - mirrors.begin());
  const BodyGraph graph = pack_spheres(body, mirrors);
  std::size_t in_plane = 0;
  for (std::size_t n = graph.sphere_count; n < graph.nodes.size(); ++n) {
    if (graph.nodes[n].plane != plane) continue;
    ++in_plane;
    EXPECT_LE(std::abs(graph.nodes[n].centre.x), 0.15);
  }
  EXPECT_GE(in_plane, 1u);
}

TEST(Survey, FindsTheMiddleOfABentRodHalfwayAlongIt) {
  const double arm = 8, bend = 3, radius = 0.4;
  const BodySolid body = test::body_of(test::rod_soup(test::u_path(arm, bend), radius), 0.1);
  // Ways cut the bend at its inner side, and run from rim to rim.
  EXPECT_GT(body.span, 2 * arm + kPi * (bend - radius) - 0.2);
  EXPECT_LT(body.span, 2 * arm + kPi * bend + 4 * radius);
  const Vec3d middle = body.solid.centre(body.middle);
  EXPECT_LT(length(middle - Vec3d{arm + bend, bend, 0}), 2 * radius);
  ASSERT_EQ(body.ends.size(), 2u);
  for (const LimbEnd& end : body.ends) EXPECT_LT(body.solid.centre(end.cell).x, 0.2);
}

BodyGraph random_graph(test::Random& random, std::size_t count) {
  BodyGraph graph;
  graph.edges.resize(count);
  for (std::size_t n = 0; n < count; ++n) graph.nodes.push_back({random.vector(), 1});
  const auto join = [&](std::size_t a, std::size_t b) {
    const double way = random.in(0.1, 2);
    graph.edges[a].push_back({static_cast<std::uint32_t>(b), way});
    graph.edges[b].push_back({static_cast<std::uint32_t>(a), way});
  };
  for (std::size_t n = 1; n < count; ++n)
    join(n, static_cast<std::size_t>(random.below(static_cast<int>(n))));
  for (std::size_t k = 0; k < count; ++k) {
    const int a = random.below(static_cast<int>(count)), b = random.below(static_cast<int>(count));
    if (a != b) join(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
  }
  return graph;
}

// Floyd and Warshall's, the plain way.
std::vector<std::vector<double>> all_ways(const BodyGraph& graph) {
  const std::size_t count = graph.nodes.size();
  std::vector<std::vector<double>> way(count, std::vector<double>(count, INFINITY));
  for (std::size_t a = 0; a < count; ++a) {
    way[a][a] = 0;
    for (const GraphEdge& edge : graph.edges[a]) way[a][edge.to] = std::min(way[a][edge.to], edge.length);
  }
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t a = 0; a < count; ++a)
      for (std::size_t b = 0; b < count; ++b) way[a][b] = std::min(way[a][b], way[a][k] + way[k][b]);
  return way;
}

TEST(ShortestWays, AreThoseOfFloydAndWarshall) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const BodyGraph graph = random_graph(random, 25);
    const std::vector<std::vector<double>> expected = all_ways(graph);
    const std::uint32_t from[] = {3, 11};
    const double start[] = {0.7, 0};
    const Ways ways = shortest_ways(graph, from, start);
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      EXPECT_NEAR(ways.length[n], std::min(0.7 + expected[3][n], expected[11][n]), 1e-12);
      const std::uint32_t before = ways.before[n];
      if (before == n) {
        EXPECT_TRUE(n == 3 || n == 11);
      } else {
        EXPECT_NEAR(ways.length[n] - ways.length[before], expected[before][n], 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace dermis
