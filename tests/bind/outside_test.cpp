// SPDX-License-Identifier: MIT
// Joints inside, outside and at the skin of bodies that are closed, open, inside out and flat, and controls.
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

// A trunk of two joints and an arm, a root on the ground, a target beside the body and one in the arm.
struct Rig {
  BindSurface body = test::surface_of(test::box_soup({-2, 0, -1}, {2, 4, 1}));
  BindSkeleton skeleton;

  Index add(Index parent, const Vec3d& place) {
    const auto joint = static_cast<Index>(skeleton.node.size());
    skeleton.node.push_back(10 + joint);
    skeleton.parent.push_back(parent);
    skeleton.segments.push_back({joint, place, place});
    return joint;
  }
  std::string controls() const {
    std::string text;
    for (const auto& idle : controls_by_place(body, skeleton, joints_outside(body, skeleton).value()))
      text += std::to_string(idle.node) + " " + name_of(idle.reason) + " ";
    return text;
  }
};

TEST(ControlsByPlace, AreARootOnTheGroundAndTargetsBelowIt) {
  Rig rig;
  const Index root = rig.add(kNone, {0, -0.5, 0});
  const Index hips = rig.add(root, {0, 1, 0});
  const Index chest = rig.add(hips, {0, 3, 0});
  rig.add(chest, {1.5, 3, 0});
  rig.add(root, {0, 1, 3});                            // a pole target
  rig.add(rig.add(root, {1.5, 2.9, 0}), {1.5, 3, 0});  // a branch that holds the target of the arm
  rig.add(root, {-1.5, 0.5, 0});                       // a foot: in the body, and where no other joint is
  EXPECT_EQ(rig.controls(), "10 root 14 control 15 control 16 control ");
}

TEST(ControlsByPlace, AreNotHipsInsideTheBodyNorAChainThatBeginsBelowIt) {
  Rig captured;
  const Index hips = captured.add(kNone, {0, 1, 0});
  captured.add(hips, {0, 3, 0});
  captured.add(hips, {0, 5, 0});  // a hat without points
  EXPECT_EQ(captured.controls(), "");
  Rig chain;
  chain.add(chain.add(chain.add(kNone, {0, -0.5, 0}), {0, 1, 0}), {0, 3, 0});
  EXPECT_EQ(chain.controls(), "");
}

}  // namespace
}  // namespace dermis
