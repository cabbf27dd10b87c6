// SPDX-License-Identifier: MIT
// Joints inside, outside and at the skin of bodies that are closed, open, inside out and flat.
#include "bind/bound.h"

namespace dermis {
namespace {

std::vector<Index> outside(const BindSurface& surface, const std::vector<Vec3d>& joints) {
  std::vector<Segment> segments;
  for (const Vec3d& joint : joints) segments.push_back({joint, joint});
  return joints_outside(surface, test::chain(segments)).value();
}

TEST(JointsOutside, AreThoseThatTheBodyDoesNotHold) {
  const std::vector<Vec3d> joints{{0, 0, 0}, {0.99, 0, 0}, {1.01, 0, 0}, {1.5, 0, 0}, {0, -9, 0}};
  test::Soup soup = test::box_soup({-1, -1, -1}, {1, 1, 1});
  EXPECT_EQ(outside(test::surface_of(soup), joints), (std::vector<Index>{3, 4}));
  for (SurfaceMesh::Triangle& t : soup.triangles) std::swap(t[0], t[1]);
  EXPECT_EQ(outside(test::surface_of(soup), joints), (std::vector<Index>{3, 4})) << "inside out";
}

TEST(JointsOutside, AreNotThoseInAnOpenTrouserLeg) {
  EXPECT_EQ(outside(test::tube(2, 32, 16), {{0, 0, 0}, {1.9, 0, 0}, {0, 3, 0}}), (std::vector<Index>{2}));
}

TEST(JointsOutside, AreFarFromThePointsWhereThereIsNoTriangle) {
  const BindSurface dust = bind_surface_of({{0, 0, 0}, {1, 0, 0}}, {});
  EXPECT_EQ(outside(dust, {{0, 0.01, 0}, {0.5, 0, 0}}), (std::vector<Index>{1}));
}

}  // namespace
}  // namespace dermis
