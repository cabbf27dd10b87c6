// SPDX-License-Identifier: MIT
// Splitting at corners and materials loses no corner, no loose point and no order.
#include <gtest/gtest.h>

#include <chrono>

#include "characters.h"
#include "dermis/model.h"

namespace dermis {
namespace {

// Two triangles side by side with a texture seam between them, and a loose point.
Mesh seam() {
  Mesh mesh;
  mesh.points = {{0, 0, 0}, {1, 0, 0}, {5, 5, 5}, {0, 1, 0}, {1, 1, 0}};
  mesh.polygons.first = {0, 3, 6};
  mesh.polygons.corners = {0, 1, 3, 1, 4, 3};
  mesh.parts = {{0, 5, 0, 2}};
  mesh.uvs.resize(1);
  mesh.uvs[0].values = {{0, 0}, {0.5f, 0}, {0.75f, 0}, {1, 1}};
  mesh.uvs[0].corner_value = {0, 1, 1, 2, 3, 1};
  mesh.weld = weld_coincident(mesh.points);
  return mesh;
}

TEST(SplitCorners, SplitsOnlyWhereCornersDisagree) {
  const SplitMesh split = split_corners(seam());
  EXPECT_EQ(split.source, (std::vector<Index>{0, 1, 1, 2, 3, 4}));
  EXPECT_EQ(split.mesh.polygons.corners, (std::vector<Index>{0, 1, 4, 2, 5, 4}));
  EXPECT_EQ(split.mesh.uvs[0].values[2], (Vec2{0.75f, 0}));
  EXPECT_TRUE(is_split(split.mesh));
}

TEST(SplitCorners, KeepsLoosePoints) {
  const Mesh mesh = seam();
  const SplitMesh split = split_corners(mesh);
  EXPECT_EQ(split.mesh.points[3], mesh.points[2]);
}

TEST(SplitCorners, JoinsThePartsOfOneMaterialInTheOrderOfTheirFirstPolygon) {
  Mesh mesh = seam();
  mesh.polygons.first = {0, 3, 6, 9};
  mesh.polygons.corners = {0, 1, 3, 1, 4, 3, 0, 4, 3};
  mesh.uvs.clear();
  mesh.parts = {{0, 5, 0, 1, 7}, {5, 0, 1, 1, 2}, {5, 0, 2, 1, 7}};
  const SplitMesh split = split_corners(mesh);
  ASSERT_EQ(split.mesh.parts.size(), 2u);
  EXPECT_EQ(split.mesh.parts[0].material, 7);
  EXPECT_EQ(split.mesh.parts[0].polygon_count, 2);
  EXPECT_EQ(split.mesh.parts[1].material, 2);
  EXPECT_EQ(split.mesh.parts[1].first_point, 5);
}

TEST(SplitCorners, OfACrowdedMeshIsValidAndShowsEveryCornerAsItWas) {
  Character character = test::crowded_character();
  const Mesh mesh = character.meshes[0];
  const SplitMesh split = split_corners(mesh);
  character.meshes[0] = split.mesh;
  const Status valid = validate(character);
  EXPECT_TRUE(valid) << valid.error().sentence;
  for (std::size_t c = 0; c < mesh.polygons.corners.size(); ++c) {
    const auto v = static_cast<std::size_t>(split.mesh.polygons.corners[c]);
    EXPECT_EQ(split.source[v], mesh.polygons.corners[c]);
    EXPECT_EQ(split.mesh.normals.values[v],
              mesh.normals.values[static_cast<std::size_t>(mesh.normals.corner_value[c])]);
  }
}

TEST(SplitCorners, OfOnePointWithManyValuesTakesLittleTime) {
  // One polygon that comes back to one point 120,000 times, each time with another texture coordinate.
  constexpr Index kCount = 120000;
  Mesh mesh;
  mesh.points = {{0, 0, 0}};
  mesh.uvs.resize(1);
  for (Index k = 0; k < kCount; ++k) {
    mesh.polygons.corners.push_back(0);
    mesh.uvs[0].values.push_back({static_cast<float>(k), 0});
    mesh.uvs[0].corner_value.push_back(k);
  }
  mesh.polygons.first = {0, kCount};
  mesh.parts = {{0, 1, 0, 1}};
  mesh.weld = {0};
  const auto start = std::chrono::steady_clock::now();
  const SplitMesh split = split_corners(mesh);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 5);
  EXPECT_EQ(split.mesh.points.size(), static_cast<std::size_t>(kCount));
  EXPECT_EQ(split.mesh.uvs[0].values[7].x, 7);
}

TEST(SplitCorners, OfManyMaterialsTakesLittleTime) {
  // 50,000 materials of one triangle each, on 150,000 points.
  constexpr Index kCount = 50000;
  Mesh mesh;
  for (Index k = 0; k < kCount; ++k) {
    for (int c = 0; c < 3; ++c) {
      mesh.polygons.corners.push_back(static_cast<Index>(mesh.points.size()));
      mesh.points.push_back({static_cast<float>(k), static_cast<float>(c), 0});
    }
    mesh.polygons.first.push_back(static_cast<std::uint32_t>(mesh.polygons.corners.size()));
    mesh.parts.push_back({k == 0 ? 0 : 3 * kCount, k == 0 ? 3 * kCount : 0, k, 1, k});
  }
  mesh.weld = weld_coincident(mesh.points);
  const auto start = std::chrono::steady_clock::now();
  const SplitMesh split = split_corners(mesh);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 5);
  EXPECT_EQ(split.mesh.parts.size(), static_cast<std::size_t>(kCount));
  EXPECT_EQ(split.mesh.points, mesh.points);
}

TEST(SplitCorners, LeavesASplitMeshAlone) {
  const SplitMesh once = split_corners(seam()), twice = split_corners(once.mesh);
  EXPECT_EQ(twice.mesh.points, once.mesh.points);
  EXPECT_EQ(twice.mesh.polygons.corners, once.mesh.polygons.corners);
}

}  // namespace
}  // namespace dermis
