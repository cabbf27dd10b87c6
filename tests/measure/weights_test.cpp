// SPDX-License-Identifier: MIT
// Slopes of weights along a tube and across a seam.
#include <gtest/gtest.h>

#include <cmath>

#include "bodies.h"
#include "dermis/measure.h"

namespace dermis {
namespace {

TEST(WeightChange, OfALinearTubeIsItsSlope) {
  const test::TubeShape shape;  // weights run from 0 to 1 over a length of 2
  const Mesh mesh = test::tube(shape);
  const WeightChange change = measure_weights(mesh, measured_surface(mesh));
  const double diagonal = std::sqrt(4.0 + 4 + 4);
  EXPECT_NEAR(change.gradient.max, diagonal / 2, 1e-3);
  EXPECT_EQ(change.seam.count, 0u);
  EXPECT_EQ(change.seam_point, kNone);
}

TEST(WeightChange, OfAHardBorderGrowsWithTheResolution) {
  Mesh mesh = test::tube({});
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    const std::uint32_t first = static_cast<std::uint32_t>(v);
    mesh.weights.first[v] = first;
    mesh.weights.first[v + 1] = first + 1;
  }
  mesh.weights.influences.resize(mesh.points.size());
  for (std::size_t v = 0; v < mesh.points.size(); ++v)
    mesh.weights.influences[v] = {mesh.points[v].x < 0.99f ? 0 : 1, 1.0f};
  const WeightChange change = measure_weights(mesh, measured_surface(mesh));
  EXPECT_NEAR(change.gradient.max, std::sqrt(12.0) / 0.02, 0.2);  // all of it within one ring
  EXPECT_NEAR(static_cast<double>(mesh.points[at(change.gradient_point)].x), 0.98, 0.03);
}

TEST(WeightChange, AcrossASeamIsTheShareThatDiffers) {
  // Two triangles side by side, with points of their own at the edge between.
  Mesh mesh = test::mesh_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}},
                            {{0, 1, 2}, {3, 4, 5}});
  mesh.weights = test::rows_of({{{0, 1}}, {{0, 1}}, {{0, 1}}, {{0, 0.75f}, {1, 0.25f}}, {{1, 1}}, {{0, 1}}});
  const WeightChange change = measure_weights(mesh, measured_surface(mesh));
  EXPECT_EQ(change.seam.count, 2u);
  EXPECT_DOUBLE_EQ(change.seam.max, 0.25);
  EXPECT_DOUBLE_EQ(change.seam.mean, 0.125);
  EXPECT_EQ(change.seam_point, 1);
}

TEST(WeightChange, WithoutWeightsIsNothing) {
  EXPECT_EQ(measure_weights(test::cube(), measured_surface(test::cube())).gradient.count, 0u);
}

}  // namespace
}  // namespace dermis
