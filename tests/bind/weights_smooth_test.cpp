// SPDX-License-Identifier: MIT
// Smoothing along the surface: one step by hand, constants, seams, locks.
#include <gtest/gtest.h>

#include "bind/bound.h"
#include "characters.h"
#include "dermis/bind.h"
#include "measure/bodies.h"

namespace dermis {
namespace {

using test::rows_of;
using test::weight_of;

SmoothOptions uniform(int iterations, double strength = 0.5) {
  SmoothOptions options;
  options.iterations = iterations;
  options.strength = strength;
  options.is_cotangent = false;
  return options;
}

// A square of two triangles: 0 and 2 have three neighbours, 1 and 3 two.
Mesh square() {
  Mesh mesh = test::mesh_of({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 3}});
  mesh.weights = rows_of({{{0, 1}}, {{1, 1}}, {{1, 1}}, {{0, 1}}});
  return mesh;
}

TEST(SmoothedWeights, GoOneStepToTheMeanOfTheNeighbours) {
  const Result<WeightRows> rows = smoothed_weights(square(), uniform(1));
  ASSERT_TRUE(rows) << rows.error().sentence;
  // Point 0 keeps half; of its neighbours 1, 2, 3 one follows joint 0.
  EXPECT_NEAR(weight_of(rows->row(0), 0), 0.5 + 0.5 / 3, 1e-7);
  EXPECT_NEAR(weight_of(rows->row(1), 0), 0.25, 1e-7);  // neighbours 0 and 2
  EXPECT_NEAR(weight_of(rows->row(2), 0), 0.5 * 2 / 3, 1e-7);
  EXPECT_NEAR(weight_of(rows->row(3), 0), 0.75, 1e-7);
}

TEST(SmoothedWeights, WithoutStrengthOrStepsAreTheSame) {
  const Mesh mesh = square();
  EXPECT_EQ(*smoothed_weights(mesh, uniform(0)), mesh.weights);
  EXPECT_EQ(*smoothed_weights(mesh, uniform(3, 0)), mesh.weights);
}

TEST(SmoothedWeights, LeaveEqualRowsAsTheyAre) {
  Mesh mesh = test::tube({21, 12});
  WeightRowBuilder builder;
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    builder.add(0, 0.75f);
    builder.add(1, 0.25f);
    builder.close_row(0);
  }
  mesh.weights = builder.take();
  EXPECT_EQ(*smoothed_weights(mesh, {}), mesh.weights);
}

TEST(SmoothedWeights, FlattenTheStepOfARigidTube) {
  Mesh mesh = test::tube({41, 16});
  WeightRowBuilder builder;
  for (const Vec3& p : mesh.points) {
    builder.add(p.x < 1 ? 0 : 1, 1);
    builder.close_row(0);
  }
  mesh.weights = builder.take();
  const Result<WeightRows> rows = smoothed_weights(mesh, uniform(10));
  ASSERT_TRUE(rows);
  // Falling along the tube, and within a ring the same.
  for (int ring = 0; ring + 1 < 41; ++ring) {
    const std::span<const Influence> here = rows->row(at(ring * 16));
    EXPECT_GE(weight_of(here, 0) + 1e-7, weight_of(rows->row(at((ring + 1) * 16)), 0));
    EXPECT_NEAR(weight_of(here, 0), weight_of(rows->row(at(ring * 16 + 5)), 0), 1e-6);
  }
  EXPECT_LT(weight_of(rows->row(at(19 * 16)), 0), 0.9);
  EXPECT_EQ(weight_of(rows->row(0), 0), 1);
}

TEST(SmoothedWeights, AreTheSameOnCoincidentPoints) {
  // The square with its diagonal split, as a seam of texture coordinates does.
  Mesh mesh = test::mesh_of({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 0}, {1, 1, 0}, {0, 1, 0}},
                            {{0, 1, 2}, {3, 4, 5}});
  mesh.weights = rows_of({{{0, 1}}, {{1, 1}}, {{1, 1}}, {{0, 1}}, {{1, 1}}, {{0, 1}}});
  const Result<WeightRows> split = smoothed_weights(mesh, uniform(3)),
                           whole = smoothed_weights(square(), uniform(3));
  ASSERT_TRUE(split && whole);
  const std::size_t same[] = {0, 1, 2, 0, 2, 3};
  for (std::size_t v = 0; v < 6; ++v) EXPECT_EQ(row_distance(split->row(v), whole->row(same[v])), 0) << v;
}

TEST(SmoothedWeights, KeepLockedJointsToTheLastBitAndSumsAtOne) {
  Mesh mesh = test::tube({41, 16});
  WeightRowBuilder builder;
  for (const Vec3& p : mesh.points) {
    builder.add(0, p.x < 0.7f ? 1.0f : 0.1f);
    builder.add(1, p.x > 0.5f ? p.x : 0.0f);
    builder.add(2, p.x > 1.2f ? 0.7f : 0.0f);
    builder.close_row(2);
  }
  mesh.weights = builder.take();
  SmoothOptions options;
  options.iterations = 8;
  options.locks = {false, true, false};
  const Result<WeightRows> rows = smoothed_weights(mesh, options);
  ASSERT_TRUE(rows);
  std::size_t changed = 0;
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    EXPECT_EQ(weight_of(rows->row(v), 1), weight_of(mesh.weights.row(v), 1)) << "point " << v;
    EXPECT_NEAR(weight_of(rows->row(v), 0) + weight_of(rows->row(v), 1) + weight_of(rows->row(v), 2), 1,
                1e-6);
    changed += row_distance(rows->row(v), mesh.weights.row(v)) > 0.01 ? 1 : 0;
  }
  EXPECT_GT(changed, 100u);
}

TEST(SmoothedWeights, RefuseWhatMakesNoSense) {
  Mesh mesh = square();
  EXPECT_FALSE(smoothed_weights(mesh, uniform(-1)));
  EXPECT_FALSE(smoothed_weights(mesh, uniform(1, 1.5)));
  mesh.weights = {};
  const Result<WeightRows> none = smoothed_weights(mesh, {});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().sentence.find("no weights"), std::string::npos);
}

}  // namespace
}  // namespace dermis
