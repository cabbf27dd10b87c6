// SPDX-License-Identifier: MIT
// Which points are the same, and shapes from sculpts.
#include <gtest/gtest.h>

#include <numeric>

#include "bodies.h"

namespace dermis {
namespace {

// A grid of 2 by 2 quads, each with its own material, so that splitting cuts it apart.
Mesh quads() {
  Mesh mesh;
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 3; ++x) mesh.points.push_back({static_cast<float>(x), static_cast<float>(y), 0});
  for (const Index corner : {0, 1, 3, 4}) {
    for (const Index v : {corner, corner + 1, corner + 4, corner + 3}) mesh.polygons.corners.push_back(v);
    mesh.polygons.first.push_back(static_cast<std::uint32_t>(mesh.polygons.corners.size()));
    MeshPart part;
    part.point_count = mesh.parts.empty() ? 9 : 0;
    part.first_point = mesh.parts.empty() ? 0 : 9;
    part.first_polygon = static_cast<Index>(mesh.parts.size());
    part.polygon_count = 1;
    part.material = static_cast<Index>(mesh.parts.size());
    mesh.parts.push_back(part);
  }
  mesh.weld.resize(9);
  std::iota(mesh.weld.begin(), mesh.weld.end(), 0);
  return mesh;
}

Mesh with_quads_cut(const Mesh& mesh) {
  Mesh cut = mesh;
  cut.polygons = {};
  for (std::size_t p = 0; p < mesh.polygons.count(); ++p) {
    const auto polygon = mesh.polygons.polygon(p);
    for (std::size_t k = 2; k < polygon.size(); ++k) {
      for (const Index v : {polygon[0], polygon[k - 1], polygon[k]}) cut.polygons.corners.push_back(v);
      cut.polygons.first.push_back(static_cast<std::uint32_t>(cut.polygons.corners.size()));
    }
  }
  cut.parts.resize(1);
  cut.parts[0].polygon_count = static_cast<Index>(cut.polygons.count());
  return cut;
}

TEST(SamePoints, AreFoundWhereOneFileSplitsPointsAtSeams) {
  const Mesh joined = quads();
  const SplitMesh split = split_corners(joined);
  ASSERT_GT(split.mesh.points.size(), joined.points.size());
  for (const auto& [mesh, other] : {std::pair(split.mesh, joined), std::pair(joined, split.mesh)}) {
    const Result<SamePoints> same = same_points(mesh, other);
    ASSERT_TRUE(same) << same.error().sentence;
    EXPECT_FALSE(same->is_by_order);
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
      EXPECT_EQ(mesh.points[v], other.points[at(same->other[v])]);
      EXPECT_EQ(other.polygons.corners[at(same->corner[v])], same->other[v]);
    }
  }
}

TEST(SamePoints, AreFoundWhereTheSculptStillHasQuads) {
  const Mesh sculpt = quads(), mesh = with_quads_cut(sculpt);
  const Result<SamePoints> same = same_points(mesh, sculpt);
  ASSERT_TRUE(same) << same.error().sentence;
  for (std::size_t v = 0; v < mesh.points.size(); ++v) EXPECT_EQ(same->other[v], static_cast<Index>(v));
}

TEST(SamePoints, NameTheFirstDifference) {
  const Mesh mesh = quads();
  Mesh turned = mesh;
  std::swap(turned.polygons.corners[9], turned.polygons.corners[10]);
  Result<SamePoints> same = same_points(mesh, turned);
  ASSERT_FALSE(same);
  EXPECT_EQ(same.error().sentence, "polygon 2 joins other points than in the mesh");
  Mesh fewer = mesh;
  fewer.polygons.first.pop_back();
  fewer.polygons.corners.resize(12);
  same = same_points(mesh, fewer);
  ASSERT_FALSE(same);
  EXPECT_EQ(same.error().sentence, "it has 3 polygons instead of 4");
  Mesh pentagon = mesh;
  pentagon.polygons.corners.insert(pentagon.polygons.corners.begin() + 8, 8);
  for (std::size_t p = 2; p < pentagon.polygons.first.size(); ++p) ++pentagon.polygons.first[p];
  same = same_points(mesh, pentagon);
  ASSERT_FALSE(same);
  EXPECT_EQ(same.error().sentence, "polygon 1 has 5 corners instead of 4");
}

TEST(ShapeOfSculpt, IsTheDifferenceAndComesBack) {
  const Mesh& mesh = test::face().meshes[0];
  for (const Shape& shape : mesh.shapes) {
    SCOPED_TRACE(shape.name);
    const std::vector<Vec3> sculpt = test::sculpted(mesh, shape);
    SculptFit fit;
    const Shape made = shape_of_sculpt(mesh, sculpt, {}, {}, &fit);
    EXPECT_LE(test::apart(test::sculpted(mesh, made), sculpt), 2e-6 * test::size_of(mesh));
    EXPECT_LE(made.points.size(), mesh.points.size() / 2);
    EXPECT_NEAR(fit.scale, 1, 0.05);
    EXPECT_NEAR(fit.largest, test::largest_offset(shape) / test::size_of(mesh), 1e-5);
    EXPECT_EQ(fit.distance, 0);
  }
}

TEST(ShapeOfSculpt, TurnsNormalsAsTheSurfaceTurns) {
  Mesh mesh = test::face().meshes[0];
  mesh.normals.values = point_normals(mesh.points, mesh.polygons.first, mesh.polygons.corners);
  const Quatd turn = quat_from_axis_angle({1, 2, 3}, 0.7);
  std::vector<Vec3> turned;
  for (const Vec3& p : mesh.points) turned.emplace_back(rotate(turn, Vec3d(p)));
  const Shape shape = shape_of_sculpt(mesh, turned, {});
  ASSERT_EQ(shape.points.size(), mesh.points.size());
  ASSERT_EQ(shape.normals.size(), mesh.points.size());
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    const Vec3d now = Vec3d(mesh.normals.values[v]) + Vec3d(shape.normals[v]);
    EXPECT_LT(length(now - rotate(turn, Vec3d(mesh.normals.values[v]))), 1e-4);
  }
}

TEST(ShapeOfSculpt, UsesTheNormalsOfTheSculptWhereItHasThem) {
  const Mesh& mesh = test::face().meshes[0];
  std::vector<Vec3> normals(mesh.points.size(), Vec3{0, 0, 2});
  const Shape shape = shape_of_sculpt(mesh, mesh.points, normals);
  for (std::size_t k = 0; k < shape.points.size(); ++k) {
    const Vec3d now = Vec3d(mesh.normals.values[at(shape.points[k])]) + Vec3d(shape.normals[k]);
    EXPECT_LT(length(now - Vec3d{0, 0, 1}), 1e-5);
    EXPECT_EQ(shape.offsets[k], Vec3{});
  }
}

TEST(CleanedShape, LeavesOutWhatHardlyMoves) {
  const Mesh& mesh = test::face().meshes[0];
  Shape shape = mesh.shapes[0];
  const double size = test::size_of(mesh);
  const Shape cleaned = cleaned_shape(mesh, shape, 1e-3);
  EXPECT_LT(cleaned.points.size(), shape.points.size());
  EXPECT_FALSE(cleaned.points.empty());
  EXPECT_LE(test::apart(test::sculpted(mesh, cleaned), test::sculpted(mesh, shape)), 1.001e-3 * size);
  EXPECT_EQ(cleaned.name, shape.name);
}

}  // namespace
}  // namespace dermis
