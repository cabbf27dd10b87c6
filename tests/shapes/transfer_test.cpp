// SPDX-License-Identifier: MIT
// Shapes carried to other meshes.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "bodies.h"

namespace dermis {
namespace {

// The largest distance between a shape of `mesh` and what was carried to it, in fractions of the shape's
// largest offset.
double off_by(const Mesh& mesh, const Shape& carried, const Shape& wanted) {
  return test::apart(test::sculpted(mesh, carried), test::sculpted(mesh, wanted)) /
         test::largest_offset(wanted);
}

TEST(TransferShapes, ToTheMeshItselfGivesTheShapesBack) {
  const Mesh& mesh = test::face().meshes[0];
  Mesh bare = mesh;
  bare.shapes.clear();
  const Result<ShapeTransfer> carried = transfer_shapes(mesh, bare);
  ASSERT_TRUE(carried) << carried.error().sentence;
  EXPECT_LT(carried->farthest, 1e-6);
  ASSERT_EQ(carried->shapes.size(), mesh.shapes.size());
  for (std::size_t s = 0; s < mesh.shapes.size(); ++s) {
    EXPECT_EQ(carried->shapes[s].name, mesh.shapes[s].name);
    EXPECT_LT(off_by(mesh, carried->shapes[s], mesh.shapes[s]), 1e-3) << mesh.shapes[s].name;
  }
}

// The same in the mean over all points (root of the mean square), in fractions of that of the shape's
// offsets.
double off_in_mean(const Mesh& mesh, std::span<const Vec3> points, const Shape& wanted) {
  const std::vector<Vec3> own = test::sculpted(mesh, wanted);
  double off = 0, whole = 0;
  for (std::size_t v = 0; v < points.size(); ++v) {
    const Vec3d difference = Vec3d(points[v]) - Vec3d(own[v]), offset = Vec3d(own[v]) - Vec3d(mesh.points[v]);
    off += dot(difference, difference);
    whole += dot(offset, offset);
  }
  return std::sqrt(off / whole);
}

// A target that was turned, moved and doubled gets shapes that are turned and doubled.
TEST(TransferShapes, FollowsATargetOfAnotherSizeAndPlace) {
  const Mesh& mesh = test::face().meshes[0];
  for (const double angle : {0.2, 1.0, kPi}) {
    SCOPED_TRACE(angle);
    const Mat3d turn = matrix_from_quat(quat_from_axis_angle({0.2, 1, 0.1}, angle)) * 2.0;
    Mesh target = mesh, wanted = mesh;
    for (Vec3& p : target.points) p = Vec3(turn * Vec3d(p) + Vec3d{0.3, 0.1, 0.2});
    wanted.points = target.points;
    for (Shape& shape : wanted.shapes)
      for (Vec3& offset : shape.offsets) offset = Vec3(turn * Vec3d(offset));
    target.shapes.clear();
    const Result<ShapeTransfer> carried = transfer_shapes(mesh, target);
    ASSERT_TRUE(carried) << carried.error().sentence;
    for (std::size_t s = 0; s < wanted.shapes.size(); ++s)
      EXPECT_LT(off_by(wanted, carried->shapes[s], wanted.shapes[s]), 0.02) << wanted.shapes[s].name;
  }
}

// What the nearest places of the source do, read off directly.
std::vector<Vec3> read_off(const Mesh& source, const Shape& shape, const Mesh& target) {
  const WeldedSurface surface = weld_surface(source.weld, source.polygons.first, source.polygons.corners);
  const std::vector<Vec3> moved = test::sculpted(source, shape);
  std::vector<Vec3> rest;
  for (const Index v : surface.source) rest.push_back(source.points[at(v)]);
  const TriangleTree tree = triangle_tree(rest, surface.triangles);
  std::vector<Vec3> points;
  for (const Vec3& point : target.points) {
    const ClosestPoint on = closest_point(tree, rest, surface.triangles, Vec3d(point));
    Vec3d place(point);
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t w = surface.triangles[at(on.triangle)][k];
      place += (Vec3d(moved[at(surface.source[w])]) - Vec3d(rest[w])) * on.shares[k];
    }
    points.emplace_back(place);
  }
  return points;
}

// The longest edge at each point.
std::vector<double> longest_edges(const Mesh& mesh) {
  std::vector<double> longest(mesh.points.size());
  for (std::size_t p = 0; p < mesh.polygons.count(); ++p) {
    const std::span<const Index> corners = mesh.polygons.polygon(p);
    for (std::size_t k = 0; k < corners.size(); ++k) {
      const std::size_t a = at(corners[k]), b = at(corners[(k + 1) % corners.size()]);
      const double edge = length(Vec3d(mesh.points[a]) - Vec3d(mesh.points[b]));
      for (const std::size_t v : {a, b}) longest[v] = std::max(longest[v], edge);
    }
  }
  return longest;
}

// Between two resolutions of one face it is as near to the face's own shapes as reading off is: no
// difference of gradients adds up across the face. Where lips part that lie on each other, it is a little
// further.
TEST(TransferShapes, ToACoarserFaceAreAsNearToItsOwnAsThoseReadOff) {
  const Result<Character> coarse = make_character(MadeKind::face, {1000});
  ASSERT_TRUE(coarse);
  const Mesh& mesh = test::face().meshes[0];
  const Mesh& own = coarse->meshes[0];
  Mesh bare = own;
  bare.shapes.clear();
  const Result<ShapeTransfer> carried = transfer_shapes(mesh, bare);
  ASSERT_TRUE(carried) << carried.error().sentence;
  ASSERT_EQ(carried->shapes.size(), own.shapes.size());
  const std::vector<double> target_edges = longest_edges(own), source_edges = longest_edges(mesh);
  const double source_edge = *std::max_element(source_edges.begin(), source_edges.end());
  for (std::size_t s = 0; s < own.shapes.size(); ++s) {
    const double off = off_in_mean(own, test::sculpted(own, carried->shapes[s]), own.shapes[s]);
    const double read = off_in_mean(own, read_off(mesh, mesh.shapes[s], own), own.shapes[s]);
    EXPECT_LT(off, (own.shapes[s].name == "mouth_open" ? 1.1 : 1.02) * read) << own.shapes[s].name;
    // Only what is within an edge of a place that the source moves does move.
    std::vector<Vec3> moved, carried_places;
    for (const Index v : mesh.shapes[s].points) moved.push_back(mesh.points[at(v)]);
    for (const Index v : carried->shapes[s].points) carried_places.push_back(own.points[at(v)]);
    const std::vector<Nearest> nearest = nearest_points(carried_places, moved);
    for (std::size_t k = 0; k < nearest.size(); ++k)
      EXPECT_LT(nearest[k].distance, target_edges[at(carried->shapes[s].points[k])] + source_edge)
          << own.shapes[s].name;
  }
}

// The target is wider: with pairs, shapes follow what is warped.
TEST(TransferShapes, MeetsThePairsThatAreGiven) {
  const Mesh& mesh = test::face().meshes[0];
  Mesh target = mesh;
  target.shapes.clear();
  for (Vec3& p : target.points) p.x *= 1.4f, p.z *= 0.8f;
  ShapeTransferOptions options;
  for (std::size_t v = 0; v < mesh.points.size(); v += 150)
    options.pairs.push_back({Vec3d(mesh.points[v]), Vec3d(target.points[v])});
  const Result<ShapeTransfer> carried = transfer_shapes(mesh, target, options);
  ASSERT_TRUE(carried) << carried.error().sentence;
  EXPECT_LT(carried->farthest, 1e-3);
  for (std::size_t s = 0; s < mesh.shapes.size(); ++s) {
    Shape wanted = mesh.shapes[s];
    for (Vec3& offset : wanted.offsets) offset.x *= 1.4f, offset.z *= 0.8f;
    EXPECT_LT(off_by(target, carried->shapes[s], wanted), 0.02) << wanted.name;
  }
}

TEST(TransferShapes, RefusesPairsThatLieInAPlane) {
  const Mesh& mesh = test::face().meshes[0];
  ShapeTransferOptions options;
  for (const auto& [x, y] :
       {std::pair(0, 0), std::pair(1, 0), std::pair(0, 1), std::pair(1, 1), std::pair(2, 5)})
    options.pairs.push_back({Vec3d{static_cast<double>(x), static_cast<double>(y), 0}, {}});
  const Result<ShapeTransfer> carried = transfer_shapes(mesh, mesh, options);
  ASSERT_FALSE(carried);
  EXPECT_NE(carried.error().sentence.find("lie in a plane"), std::string::npos) << carried.error().sentence;
  options.pairs.resize(3);
  EXPECT_FALSE(transfer_shapes(mesh, mesh, options));
}

TEST(TransferShapes, HearsAStop) {
  const Mesh& mesh = test::face().meshes[0];
  const std::atomic<bool> stop = true;
  const Result<ShapeTransfer> carried = transfer_shapes(mesh, mesh, {}, Progress({}, &stop));
  ASSERT_FALSE(carried);
  EXPECT_EQ(carried.error().code, Errc::cancelled);
}

}  // namespace
}  // namespace dermis
