// SPDX-License-Identifier: MIT
// Subdivision: counts, rules worked out by hand, seams that stay closed, and all that meshes carry.
#include <gtest/gtest.h>

#include <cmath>

#include "bind/bound.h"
#include "characters.h"
#include "dermis/bind.h"
#include "dermis/made.h"
#include "measure/bodies.h"

namespace dermis {
namespace {

using test::rows_of;
using test::weight_of;

TEST(SubdividedMesh, FlatKeepsOldPointsAndHalvesEdges) {
  Mesh mesh = test::mesh_of({{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{0, 1, 2}});
  mesh.weights = rows_of({{{0, 1}}, {{1, 1}}, {{1, 0.5f}, {2, 0.5f}}});
  const Result<Mesh> fine = subdivided_mesh(mesh, {1, true});
  ASSERT_TRUE(fine) << fine.error().sentence;
  ASSERT_EQ(fine->points.size(), 6u);
  EXPECT_EQ(fine->polygons.count(), 4u);
  EXPECT_EQ(fine->points[3], (Vec3{2, 0, 0}));
  EXPECT_EQ(fine->points[4], (Vec3{2, 2, 0}));
  EXPECT_EQ(fine->points[5], (Vec3{0, 2, 0}));
  EXPECT_EQ(weight_of(fine->weights.row(3), 0), 0.5);
  EXPECT_EQ(weight_of(fine->weights.row(4), 1), 0.75);
  EXPECT_EQ(weight_of(fine->weights.row(4), 2), 0.25);
  for (std::size_t v = 0; v < 3; ++v) EXPECT_EQ(row_distance(fine->weights.row(v), mesh.weights.row(v)), 0);
}

TEST(SubdividedMesh, OfACubeHasTheCornersAndMiddlesOfCatmullAndClark) {
  const Result<Mesh> fine = subdivided_mesh(test::cube());
  ASSERT_TRUE(fine);
  EXPECT_EQ(fine->points.size(), 26u);
  EXPECT_EQ(fine->polygons.count(), 24u);
  // Corner: n = 3, so (F + 2 R) / 3 with F = 1/3 and R = 1/6 in each coordinate: 2/9.
  EXPECT_NEAR(static_cast<double>(fine->points[0].x), 2.0 / 9, 1e-6);
  // The middle of the edge from (0,0,0) to (1,0,0): half of the edge, half of the two faces' middles.
  bool is_found = false;
  for (const Vec3& p : fine->points) is_found = is_found || length(p - Vec3{0.5f, 0.125f, 0.125f}) < 1e-6f;
  EXPECT_TRUE(is_found);
}

TEST(SubdividedMesh, OfATetrahedronHasTheCornersOfLoop) {
  const Mesh mesh = test::tetrahedron();
  const Result<Mesh> fine = subdivided_mesh(mesh);
  ASSERT_TRUE(fine);
  EXPECT_EQ(fine->points.size(), 10u);
  EXPECT_EQ(fine->polygons.count(), 16u);
  // n = 3: beta = (5/8 - (3/8 - 1/8)^2) / 3 = 3/16; point 0 lies at the origin.
  EXPECT_NEAR(static_cast<double>(fine->points[0].x), 3.0 / 16 * 1, 1e-6);
  EXPECT_NEAR(static_cast<double>(fine->points[0].z), 3.0 / 16 * 3, 1e-6);
}

TEST(SubdividedMesh, KeepsBordersStraightAndTheirCorners) {
  const Mesh mesh = test::mesh_of({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 1, 0}},
                                  {{0, 1, 4, 3}, {1, 2, 5, 4}});
  const Result<Mesh> fine = subdivided_mesh(mesh, {2, false});
  ASSERT_TRUE(fine);
  for (const Vec3& p : fine->points) {
    EXPECT_GE(p.y, 0);
    EXPECT_LE(p.y, 1);
  }
  EXPECT_EQ(fine->points[0], (Vec3{0, 0, 0}));
}

TEST(SubdividedMesh, KeepsSeamsClosedAndTheirRowsTheSame) {
  const Result<Character> arm = make_character(MadeKind::arm, {1500});
  ASSERT_TRUE(arm);
  const Mesh& whole = arm->meshes[0];
  // Split along one plane as a seam of texture coordinates would.
  Mesh split = whole;
  std::vector<Index> twin(whole.points.size(), kNone);
  for (std::size_t p = 0; p < split.polygons.count(); ++p) {
    double x = 0;
    for (const Index v : whole.polygons.polygon(p)) x += static_cast<double>(whole.points[at(v)].x);
    if (x < 0) continue;
    for (std::uint32_t c = split.polygons.first[p]; c < split.polygons.first[p + 1]; ++c) {
      Index& v = split.polygons.corners[c];
      if (twin[at(v)] == kNone) {
        twin[at(v)] = static_cast<Index>(split.points.size());
        split.points.push_back(whole.points[at(v)]);
        split.normals.values.push_back(whole.normals.values[at(v)]);
      }
      v = twin[at(v)];
    }
  }
  WeightRowBuilder builder;
  for (std::size_t v = 0; v < split.points.size(); ++v) {
    std::size_t source = v;
    for (std::size_t k = 0; v >= whole.points.size() && k < twin.size(); ++k)
      if (twin[k] == static_cast<Index>(v)) source = k;
    for (const Influence& one : whole.weights.row(source)) builder.add(one.slot, one.weight);
    builder.close_row(1);
  }
  split.weights = builder.take();
  split.parts[0].point_count = static_cast<Index>(split.points.size());
  split.weld = weld_coincident(split.points);
  split.dqs_share.clear();
  split.uvs.clear();
  split.shapes.clear();
  const Result<Mesh> fine = subdivided_mesh(split), reference = subdivided_mesh(whole);
  ASSERT_TRUE(fine && reference) << fine.error().sentence;
  const auto places = [](const Mesh& mesh) {
    std::size_t count = 0;
    for (std::size_t v = 0; v < mesh.points.size(); ++v) count += at(mesh.weld[v]) == v ? 1 : 0;
    return count;
  };
  EXPECT_EQ(places(*fine), places(*reference));
  for (std::size_t v = 0; v < fine->points.size(); ++v)
    EXPECT_EQ(row_distance(fine->weights.row(v), fine->weights.row(at(fine->weld[v]))), 0) << "point " << v;
}

TEST(SubdividedMesh, CarriesEverythingAndStaysValid) {
  Character crowd = test::crowded_character();
  for (const bool is_flat : {false, true}) {
    Result<Mesh> fine = subdivided_mesh(crowd.meshes[0], {2, is_flat});
    ASSERT_TRUE(fine) << fine.error().sentence;
    EXPECT_EQ(fine->parts.size(), 2u);
    EXPECT_EQ(fine->parts[1].material, 1);
    EXPECT_EQ(fine->shapes.size(), 2u);
    EXPECT_FALSE(fine->uvs[0].is_per_point());
    Character after = crowd;
    after.meshes[0] = std::move(*fine);
    const Status valid = validate(after);
    EXPECT_TRUE(valid) << valid.error().sentence;
  }
}

TEST(SubdividedMesh, MovesShapesByTheSameRuleAsPoints) {
  Mesh mesh = test::cube();
  Shape shape;
  shape.name = "grown";
  for (Index v = 0; v < 8; ++v) {
    shape.points.push_back(v);
    shape.offsets.push_back(mesh.points[at(v)]);
  }
  mesh.shapes = {shape};
  const Result<Mesh> fine = subdivided_mesh(mesh);
  ASSERT_TRUE(fine);
  for (std::size_t k = 0; k < fine->shapes[0].points.size(); ++k) {
    const Vec3 offset = fine->shapes[0].offsets[k], point = fine->points[at(fine->shapes[0].points[k])];
    EXPECT_LT(length(offset - point), 1e-6f);
  }
}

TEST(SubdividedMesh, KeepsAMadeCharacterClosedAndItsSumsAtOne) {
  const Result<Character> hand = make_character(MadeKind::hand, {1500});
  ASSERT_TRUE(hand);
  const Result<Mesh> fine = subdivided_mesh(hand->meshes[0], {2, false});
  ASSERT_TRUE(fine);
  const WeldedSurface surface = weld_surface(fine->weld, fine->polygons.first, fine->polygons.corners);
  const SurfaceTopology topology = measure_topology(surface.point_count(), surface.triangles);
  EXPECT_TRUE(topology.is_closed);
  EXPECT_TRUE(topology.is_manifold);
  EXPECT_EQ(topology.euler_characteristic, 2);
  for (std::size_t v = 0; v < fine->points.size(); ++v) {
    double sum = 0;
    for (const Influence& one : fine->weights.row(v)) sum += static_cast<double>(one.weight);
    EXPECT_NEAR(sum, 1, 1e-6);
  }
}

TEST(SubdividedMesh, RefusesTooManyLevelsAndMeshesWithoutPolygons) {
  EXPECT_FALSE(subdivided_mesh(test::cube(), {9, false}));
  Mesh mesh = test::cube();
  mesh.polygons = {};
  EXPECT_FALSE(subdivided_mesh(mesh));
}

}  // namespace
}  // namespace dermis
