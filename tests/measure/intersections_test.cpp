// SPDX-License-Identifier: MIT
// Self-intersections of meshes where they can be told by looking.
#include <gtest/gtest.h>

#include "bodies.h"
#include "dermis/made.h"
#include "dermis/measure.h"

namespace dermis {
namespace {

std::size_t count_at(const Mesh& mesh, std::span<const Vec3> points) {
  return measure_intersections(measured_surface(mesh), points).pairs.size();
}

TEST(Intersections, OfSimpleBodiesAreNone) {
  EXPECT_EQ(count_at(test::cube(), test::cube().points), 0u);
  EXPECT_EQ(count_at(test::sphere(30), test::sphere(30).points), 0u);
  const Mesh tube = test::tube({});
  EXPECT_EQ(count_at(tube, tube.points), 0u);
}

TEST(Intersections, OfMadeCharactersAtRestAreNone) {
  for (const MadeKind kind : {MadeKind::arm, MadeKind::hand}) {
    const Result<Character> character = make_character(kind, {4000});
    ASSERT_TRUE(character);
    EXPECT_EQ(count_at(character->meshes[0], character->meshes[0].points), 0u);
  }
}

TEST(Intersections, OfACornerPushedThroughTheFarSide) {
  // The corner of a tetrahedron at the origin goes through the face opposite: the three faces that hold it
  // now stand beyond that face, with which each shares an edge.
  Mesh mesh = test::tetrahedron();
  EXPECT_EQ(count_at(mesh, mesh.points), 0u);
  mesh.points[0] = {1, 1, 1};
  EXPECT_EQ(count_at(mesh, mesh.points), 0u) << "it is a tetrahedron again, inside out";
  // Split one face, and push its middle through the body.
  Mesh split = test::mesh_of({{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}, {0.2f, 0.4f, 0}},
                             {{0, 2, 4}, {2, 1, 4}, {1, 0, 4}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}});
  const MeasuredSurface surface = measured_surface(split);
  const Intersections rest = measure_intersections(surface, split.points);
  EXPECT_TRUE(rest.pairs.empty());
  std::vector<Vec3> posed = split.points;
  posed[4] = {0.2f, 0.4f, 5};  // out through the slanted face: two of the three sides cross it
  const Intersections pushed = measure_intersections(surface, posed);
  // Triangle 1 shares the edge of face 4 and only touches it there; 0 and 2 share one point with it.
  EXPECT_EQ(new_intersections(rest, pushed), (std::vector<TrianglePair>{{0, 4}, {2, 4}}));
}

TEST(Intersections, AcrossASeamAreNotCounted) {
  Mesh mesh = test::cube();
  // Every face gets points of its own, as a file with hard edges has them.
  std::vector<Vec3> points;
  std::vector<std::vector<Index>> polygons;
  for (std::size_t p = 0; p < mesh.polygons.count(); ++p) {
    polygons.emplace_back();
    for (const Index v : mesh.polygons.polygon(p)) {
      polygons.back().push_back(static_cast<Index>(points.size()));
      points.push_back(mesh.points[at(v)]);
    }
  }
  const Mesh split = test::mesh_of(points, polygons);
  EXPECT_EQ(count_at(split, split.points), 0u);
}

TEST(Intersections, OfConcavePolygonsAreNone) {
  // A plane arrow head: fanned from its first corner, two triangles would lie on one another.
  const Mesh mesh = test::mesh_of({{0, 0, 0}, {2, 1, 0}, {0, 2, 0}, {1, 1, 0}}, {{0, 1, 2, 3}});
  EXPECT_EQ(count_at(mesh, mesh.points), 0u);
  const Mesh turned = test::mesh_of({{2, 1, 0}, {0, 2, 0}, {1, 1, 0}, {0, 0, 0}}, {{0, 1, 2, 3}});
  EXPECT_EQ(count_at(turned, turned.points), 0u);
}

TEST(Intersections, OfTheTubeTwistedBeyondHalfATurnAreNewOnes) {
  const Character character = test::tube_character({}, {2, 0, 0});
  const Mesh& mesh = character.meshes[0];
  const MeasuredSurface surface = measured_surface(mesh);
  Pose pose;
  pose.nodes.emplace_back().node = "far";
  pose.nodes.back().turn = Quat(quat_from_axis_angle({0, 0, 1}, radians_from_degrees(150)));
  const Result<PoseFrame> frame = pose_frame(character, {kNone, 0, &pose});
  const Result<Surface> bent = deform_instance(character, *frame, 0, {});
  const Intersections rest = measure_intersections(surface, mesh.points);
  const Intersections posed = measure_intersections(surface, bent->points);
  EXPECT_GT(new_intersections(rest, posed).size(), 0u);
  EXPECT_EQ(new_intersections(posed, posed).size(), 0u);
}

}  // namespace
}  // namespace dermis
