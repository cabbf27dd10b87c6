// SPDX-License-Identifier: MIT
// Everything that belongs to a point goes where the point goes.
#include <gtest/gtest.h>

#include "characters.h"

namespace dermis {
namespace {

using test::Random;

// A mesh with every array that points can have, and normals on corners.
Mesh full_mesh(Random& random, std::size_t count) {
  Mesh mesh;
  mesh.name = "full";
  WeightRowBuilder rows;
  for (std::size_t v = 0; v < count; ++v) {
    mesh.points.push_back(Vec3(random.vector()));
    mesh.tangents.values.push_back({1, 0, static_cast<float>(v), 1});
    mesh.dqs_share.push_back(static_cast<float>(v) / static_cast<float>(count));
    rows.add(static_cast<Index>(v % 3), 0.75f);
    rows.add(3, 0.25f);
    rows.close_row(0);
  }
  mesh.weights = rows.take();
  mesh.uvs.resize(2);
  mesh.colours.resize(1);
  for (std::size_t v = 0; v < count; ++v) {
    for (auto& uvs : mesh.uvs) uvs.values.push_back({static_cast<float>(v), 0});
    mesh.colours[0].values.push_back({static_cast<float>(v), 0, 0, 1});
  }
  mesh.normals = {{{0, 0, 1}, {0, 1, 0}}, {0, 1, 0}};
  mesh.polygons = {{0, 3}, {0, 1, 2}};
  mesh.parts = {{0, static_cast<Index>(count), 0, 1}};
  Shape shape;
  shape.name = "smile";
  for (std::size_t v = 0; v < count; v += 2) {
    shape.points.push_back(static_cast<Index>(v));
    shape.offsets.push_back({static_cast<float>(v + 1), 0, 0});
    shape.tangents.push_back({0, static_cast<float>(v + 1), 0});
  }
  mesh.shapes = {std::move(shape)};
  mesh.weld = weld_coincident(mesh.points);
  return mesh;
}

TEST(TakePoints, OfPointsInAnyOrderTakesAllThatBelongsToThem) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Mesh mesh = full_mesh(random, 12);
    std::vector<Index> source;
    for (int k = 0; k < 20; ++k) source.push_back(random.below(12));
    const Mesh taken = take_points(mesh, source);
    EXPECT_EQ(taken.name, mesh.name);
    ASSERT_EQ(taken.points.size(), source.size());
    for (std::size_t v = 0; v < source.size(); ++v) {
      const std::size_t from = at(source[v]);
      EXPECT_EQ(taken.points[v], mesh.points[from]);
      EXPECT_EQ(taken.tangents.values[v], mesh.tangents.values[from]);
      EXPECT_EQ(taken.uvs[1].values[v], mesh.uvs[1].values[from]);
      EXPECT_EQ(taken.colours[0].values[v], mesh.colours[0].values[from]);
      EXPECT_EQ(taken.dqs_share[v], mesh.dqs_share[from]);
      EXPECT_EQ(taken.weights.row(v)[0], mesh.weights.row(from)[0]);
      EXPECT_EQ(taken.weld[v], std::find(source.begin(), source.end(), source[v]) - source.begin());
    }
    EXPECT_EQ(taken.normals.values, mesh.normals.values) << "they belong to corners";
    EXPECT_EQ(taken.normals.corner_value, mesh.normals.corner_value);
    const Shape& shape = taken.shapes[0];
    EXPECT_EQ(shape.name, "smile");
    EXPECT_TRUE(std::is_sorted(shape.points.begin(), shape.points.end()));
    std::size_t moved = 0;
    for (std::size_t v = 0; v < source.size(); ++v) {
      if (source[v] % 2 != 0) continue;
      ASSERT_LT(moved, shape.points.size());
      EXPECT_EQ(at(shape.points[moved]), v);
      EXPECT_EQ(shape.offsets[moved].x, static_cast<float>(source[v] + 1));
      EXPECT_EQ(shape.tangents[moved].y, static_cast<float>(source[v] + 1));
      ++moved;
    }
    EXPECT_EQ(moved, shape.points.size());
    EXPECT_TRUE(shape.normals.empty());
  }
}

TEST(TakePoints, WithoutWeightsSharesAndAttributesMakesNone) {
  Mesh mesh;
  mesh.points = {{0, 0, 0}, {1, 0, 0}};
  const Mesh taken = take_points(mesh, std::vector<Index>{1, 0, 1});
  EXPECT_EQ(taken.points.size(), 3u);
  EXPECT_TRUE(taken.weights.empty());
  EXPECT_TRUE(taken.dqs_share.empty());
  EXPECT_TRUE(taken.normals.empty());
  EXPECT_EQ(taken.weld, (std::vector<Index>{0, 1, 0}));
}

TEST(PointArrays, HaveAnEntryForEachPointOrNone) {
  Random random(1);
  const Mesh mesh = full_mesh(random, 9);
  std::size_t count = 0;
  for_each_point_array(mesh, [&](const auto& values) {
    EXPECT_EQ(values.size(), 9u);
    ++count;
  });
  EXPECT_EQ(count, 6u) << "points, tangents, two sets of texture coordinates, colours, shares";
}

}  // namespace
}  // namespace dermis
