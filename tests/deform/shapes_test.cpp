// SPDX-License-Identifier: MIT
// Blend shapes on the rest surface.
#include <gtest/gtest.h>

#include "characters.h"
#include "dermis/deform.h"

namespace dermis {
namespace {

// Two points with normals along z and tangents along x; shape 0 moves point 1, shape 1 both.
Mesh shaped_mesh() {
  Mesh mesh;
  mesh.points = {{0, 0, 0}, {1, 0, 0}};
  mesh.normals.values.assign(2, {0, 0, 1});
  mesh.tangents.values = {{1, 0, 0, 1}, {1, 0, 0, -1}};
  Shape one, both;
  one.points = {1};
  one.offsets = {{0, 2, 0}};
  one.normals = {{1, 0, 0}};
  one.tangents = {{0, 0, -1}};
  both.points = {0, 1};
  both.offsets = {{0, 0, 1}, {0, 0, 3}};
  mesh.shapes = {one, both};
  return mesh;
}

TEST(ShapedSurface, AddsWeightedOffsetsWhereAShapeMovesSomething) {
  const std::vector<float> weights{0.5f, -1};
  const Surface surface = shaped_surface(shaped_mesh(), weights);
  EXPECT_EQ(surface.points, (std::vector<Vec3>{{0, 0, -1}, {1, 1, -3}}));
}

TEST(ShapedSurface, MakesMovedNormalsAndTangentsUnitAndKeepsHandedness) {
  const std::vector<float> weights{1, 1};
  const Surface surface = shaped_surface(shaped_mesh(), weights);
  const float half = static_cast<float>(std::sqrt(0.5));
  EXPECT_EQ(surface.normals[0], (Vec3{0, 0, 1}));
  EXPECT_LT(length(surface.normals[1] - Vec3{half, 0, half}), 1e-6f);
  EXPECT_EQ(surface.tangents[0], (Vec4{1, 0, 0, 1}));
  EXPECT_LT(length(surface.tangents[1].xyz() - Vec3{half, 0, -half}), 1e-6f);
  EXPECT_EQ(surface.tangents[1].w, -1);
}

TEST(ShapedSurface, WithoutWeightIsTheMeshItself) {
  const std::vector<float> weights{0, 0};
  const Mesh mesh = shaped_mesh();
  const Surface surface = shaped_surface(mesh, weights);
  EXPECT_EQ(surface.points, mesh.points);
  EXPECT_EQ(surface.normals, mesh.normals.values);
  EXPECT_EQ(surface.tangents, mesh.tangents.values);
}

TEST(ShapedSurface, LeavesCornerNormalsToTheCaller) {
  Mesh mesh = shaped_mesh();
  mesh.normals.corner_value = {0, 1, 0};
  mesh.tangents = {};
  const std::vector<float> weights{1, 1};
  const Surface surface = shaped_surface(mesh, weights);
  EXPECT_TRUE(surface.normals.empty());
  EXPECT_TRUE(surface.tangents.empty());
  EXPECT_EQ(surface.points[1], (Vec3{1, 2, 3}));
}

}  // namespace
}  // namespace dermis
