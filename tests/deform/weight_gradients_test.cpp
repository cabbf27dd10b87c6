// SPDX-License-Identifier: MIT
// Gradients of weights over surfaces where they are known.
#include <gtest/gtest.h>

#include "characters.h"
#include "dermis/deform.h"

namespace dermis {
namespace {

std::span<const WeightGradients::Entry> row(const WeightGradients& gradients, std::size_t v) {
  return std::span(gradients.entries)
      .subspan(gradients.first[v], gradients.first[v + 1] - gradients.first[v]);
}

TEST(WeightGradients, OfLinearWeightsOnATubeAreConstant) {
  const Mesh mesh = test::tube({.rings = 9, .sides = 6, .length = 4});
  const WeightGradients gradients = *prepare_weight_gradients(mesh);
  for (std::size_t v = 6; v < 8 * 6; ++v) {
    ASSERT_EQ(row(gradients, v).size(), 2u);
    EXPECT_LT(length(Vec3d(row(gradients, v)[0].gradient) - Vec3d{-0.25, 0, 0}), 1e-6);
    EXPECT_LT(length(Vec3d(row(gradients, v)[1].gradient) - Vec3d{0.25, 0, 0}), 1e-6);
  }
}

TEST(WeightGradients, AddUpToZeroAtEveryPoint) {
  Mesh mesh = test::tube({.rings = 9, .sides = 6});
  test::Random random(7);
  WeightRowBuilder builder;
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    for (int k = 0; k < 4; ++k) builder.add(random.below(9), static_cast<float>(random.in(0.1, 1)));
    builder.close_row(10);
  }
  mesh.weights = builder.take();
  const WeightGradients gradients = *prepare_weight_gradients(mesh);
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    Vec3d sum;
    Index slot = -1;
    for (const WeightGradients::Entry& entry : row(gradients, v)) {
      EXPECT_GT(entry.slot, slot);
      slot = entry.slot;
      sum += Vec3d(entry.gradient);
    }
    EXPECT_LT(length(sum), 1e-5);
  }
}

// Two triangles of a square, with their own points along the shared edge as files with seams have them.
Mesh split_square() {
  Mesh mesh;
  mesh.points = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 0}, {1, 1, 0}, {0, 1, 0}, {9, 9, 9}};
  mesh.polygons.first = {0, 3, 6};
  mesh.polygons.corners = {0, 1, 2, 3, 4, 5};
  // Slot 1 weighs x / 2, slot 2 weighs y / 2.
  mesh.weights = test::rows_of({{{0, 1}},
                                {{0, 0.5f}, {1, 0.5f}},
                                {{1, 0.5f}, {2, 0.5f}},
                                {{0, 1}},
                                {{1, 0.5f}, {2, 0.5f}},
                                {{0, 0.5f}, {2, 0.5f}},
                                {{0, 1}}});
  mesh.weld = weld_coincident(mesh.points);
  return mesh;
}

TEST(WeightGradients, CrossSeamsAndReturnToAllPoints) {
  const WeightGradients gradients = *prepare_weight_gradients(split_square());
  for (const std::size_t v : {0, 2, 3, 4}) {
    ASSERT_EQ(row(gradients, v).size(), 3u);
    EXPECT_LT(length(Vec3d(row(gradients, v)[1].gradient) - Vec3d{0.5, 0, 0}), 1e-6);
    EXPECT_LT(length(Vec3d(row(gradients, v)[2].gradient) - Vec3d{0, 0.5, 0}), 1e-6);
  }
}

TEST(WeightGradients, AreAbsentWherePointsHaveNoPolygon) {
  const WeightGradients gradients = *prepare_weight_gradients(split_square());
  EXPECT_TRUE(row(gradients, 6).empty());
}

TEST(WeightGradients, IgnorePolygonsWithoutArea) {
  Mesh mesh = split_square();
  mesh.polygons.corners.insert(mesh.polygons.corners.end(), {0, 3, 6});
  mesh.polygons.first.push_back(9);
  const WeightGradients gradients = *prepare_weight_gradients(mesh);
  EXPECT_TRUE(row(gradients, 6).empty());
  EXPECT_LT(length(Vec3d(row(gradients, 0)[1].gradient) - Vec3d{0.5, 0, 0}), 1e-6);
}

TEST(WeightGradients, NeedWeights) {
  Mesh mesh = split_square();
  mesh.name = "cloth";
  mesh.weights = {};
  const Result<WeightGradients> gradients = prepare_weight_gradients(mesh);
  ASSERT_FALSE(gradients.ok());
  EXPECT_EQ(gradients.error().sentence, "mesh 'cloth' has no weights");
}

}  // namespace
}  // namespace dermis
