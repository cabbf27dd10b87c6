// SPDX-License-Identifier: MIT
// Welded surfaces and neighbours where they can be counted by hand.
#include <gtest/gtest.h>

#include "characters.h"
#include "dermis/geometry.h"

namespace dermis {
namespace {

// A quad and a triangle with points of their own along the shared edge, a triangle that welding collapses,
// and a loose point.
Mesh seam() {
  Mesh mesh;
  mesh.points = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {1, 0, 0}, {2, 0, 0}, {1, 1, 0}, {9, 9, 9}};
  mesh.polygons.first = {0, 4, 7, 10};
  mesh.polygons.corners = {0, 1, 2, 3, 4, 5, 6, 1, 4, 7};
  mesh.weld = weld_coincident(mesh.points);
  return mesh;
}

WeldedSurface welded(const Mesh& mesh) {
  return weld_surface(mesh.weld, mesh.polygons.first, mesh.polygons.corners);
}

TEST(WeldSurface, JoinsSeamsAndFansPolygons) {
  const WeldedSurface surface = welded(seam());
  EXPECT_EQ(surface.source, (std::vector<std::int32_t>{0, 1, 2, 3, 5, 7}));
  EXPECT_EQ(surface.welded, (std::vector<std::int32_t>{0, 1, 2, 3, 1, 4, 2, 5}));
  EXPECT_EQ(surface.triangles, (std::vector<SurfaceMesh::Triangle>{{0, 1, 2}, {0, 2, 3}, {1, 4, 2}}));
}

TEST(ListNeighbours, CountsTheTrianglesAtEachEdge) {
  const WeldedSurface surface = welded(seam());
  const NeighbourList list = list_neighbours(surface.point_count(), surface.triangles);
  EXPECT_EQ(list.first, (std::vector<std::uint32_t>{0, 3, 6, 10, 12, 14, 14}));
  EXPECT_EQ(list.points, (std::vector<std::uint32_t>{1, 2, 3, 0, 2, 4, 0, 1, 3, 4, 0, 2, 1, 2}));
  EXPECT_EQ(list.sides, (std::vector<std::uint32_t>{1, 2, 1, 1, 2, 1, 2, 2, 1, 1, 1, 1, 1, 1}));
}

TEST(ListNeighbours, OfAClosedTubeHaveTwoSidesEach) {
  const WeldedSurface surface = welded(test::tube({.rings = 5, .sides = 7}));
  const NeighbourList list = list_neighbours(surface.point_count(), surface.triangles);
  for (const std::uint32_t sides : list.sides) EXPECT_EQ(sides, 2u);
}

TEST(WeldSurface, OfNothingIsNothing) {
  EXPECT_EQ(weld_surface({}, {}, {}).point_count(), 0u);
  EXPECT_EQ(list_neighbours(0, {}).point_count(), 0u);
}

}  // namespace
}  // namespace dermis
