// SPDX-License-Identifier: MIT
// Weights carried to other meshes: themselves, finer ones, garments around them, loose parts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bind/bound.h"
#include "characters.h"
#include "dermis/bind.h"
#include "dermis/made.h"
#include "measure/bodies.h"

namespace dermis {
namespace {

using test::weight_of;

TEST(TransferredWeights, OfAMeshToItselfAreItsOwn) {
  const Mesh mesh = test::tube({21, 12});
  const Result<TransferredWeights> moved = transferred_weights(mesh, mesh);
  ASSERT_TRUE(moved) << moved.error().sentence;
  EXPECT_EQ(moved->matched_count, mesh.points.size());
  for (std::size_t v = 0; v < mesh.points.size(); ++v)
    EXPECT_LT(row_distance(moved->rows.row(v), mesh.weights.row(v)), 2e-4) << "point " << v;
}

TEST(TransferredWeights, FollowTheLinearWeightsOfATubeOnAFinerSleeveAroundIt) {
  const Mesh body = test::tube({21, 24, 2, 1});
  const Mesh sleeve = test::open_tube({57, 40, 2, 1.05});
  const Result<TransferredWeights> moved = transferred_weights(body, sleeve);
  ASSERT_TRUE(moved) << moved.error().sentence;
  for (std::size_t v = 0; v + 2 < sleeve.points.size(); ++v) {
    // At the ends the body's normals turn to its caps and nothing matches: the slope levels out.
    if (sleeve.points[v].x < 0.15f || sleeve.points[v].x > 1.85f) continue;
    EXPECT_NEAR(weight_of(moved->rows.row(v), 1), static_cast<double>(sleeve.points[v].x) / 2, 0.01);
  }
}

// A sleeve that stands far off in its middle: matched at both ends, filled in between. Where both ends have
// the same slope the smoothest fill is linear.
TEST(TransferredWeights, FillInWhatIsTooFarAwayLinearlyAlongATube) {
  const Mesh body = test::tube({21, 24, 2, 1});
  Mesh sleeve = test::open_tube({41, 24, 2, 1.02});
  TransferOptions options;
  options.max_distance = 0.05;
  // No match in the middle, because its normals are turned away: polygons there are wound the other way.
  for (std::size_t p = 0; p < sleeve.polygons.count(); ++p) {
    const std::uint32_t begin = sleeve.polygons.first[p], end = sleeve.polygons.first[p + 1];
    double x = 0;
    for (std::uint32_t c = begin; c < end; ++c)
      x += static_cast<double>(sleeve.points[at(sleeve.polygons.corners[c])].x) / 4;
    if (x < 0.5 || x > 1.5) continue;
    std::reverse(sleeve.polygons.corners.begin() + begin, sleeve.polygons.corners.begin() + end);
  }
  const Result<TransferredWeights> moved = transferred_weights(body, sleeve, options);
  ASSERT_TRUE(moved) << moved.error().sentence;
  EXPECT_GT(moved->inpainted_count, 400u);
  EXPECT_EQ(moved->matched_count + moved->inpainted_count + moved->nearest_count, sleeve.points.size());
  for (std::size_t v = 0; v + 2 < sleeve.points.size(); ++v) {
    // At the ends the body's normals turn to its caps and nothing matches: the slope levels out.
    if (sleeve.points[v].x < 0.15f || sleeve.points[v].x > 1.85f) continue;
    EXPECT_NEAR(weight_of(moved->rows.row(v), 1), static_cast<double>(sleeve.points[v].x) / 2, 0.02) << v;
  }
}

TEST(TransferredWeights, TakeTheNearestOnIslandsWithoutAnyMatch) {
  const Mesh body = test::tube({21, 24, 2, 1});
  Mesh far = test::cube();
  for (Vec3& p : far.points) p = p + Vec3{10, 0, 0};
  const Result<TransferredWeights> moved = transferred_weights(body, far);
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->nearest_count, 8u);
  EXPECT_EQ(moved->nearest_island_count, 1u);
  for (std::size_t v = 0; v < 8; ++v) EXPECT_EQ(moved->rows.row(v)[0], (Influence{1, 1}));
}

TEST(TransferredWeights, AreTheSameOnCoincidentPoints) {
  const Mesh body = test::tube({21, 24, 2, 1});
  // Every polygon with points of its own.
  const Mesh welded = test::open_tube({31, 20, 2, 1.03});
  std::vector<Vec3> points;
  std::vector<std::vector<Index>> polygons;
  for (std::size_t p = 0; p < welded.polygons.count(); ++p) {
    polygons.emplace_back();
    for (const Index v : welded.polygons.polygon(p)) {
      polygons.back().push_back(static_cast<Index>(points.size()));
      points.push_back(welded.points[at(v)]);
    }
  }
  const Mesh split = test::mesh_of(points, polygons);
  const Result<TransferredWeights> moved = transferred_weights(body, split);
  ASSERT_TRUE(moved);
  for (std::size_t v = 0; v < points.size(); ++v)
    EXPECT_EQ(row_distance(moved->rows.row(v), moved->rows.row(at(split.weld[v]))), 0);
}

TEST(TransferredWeights, RefuseSourcesWithoutWeightsOrTrianglesAndOptionsOutOfRange) {
  Mesh body = test::tube({5, 6});
  TransferOptions options;
  options.max_distance = 0;
  EXPECT_FALSE(transferred_weights(body, body, options));
  Mesh loose = body;
  loose.polygons = {};
  EXPECT_FALSE(transferred_weights(loose, body));
  body.weights = {};
  EXPECT_FALSE(transferred_weights(body, body));
}

}  // namespace
}  // namespace dermis
