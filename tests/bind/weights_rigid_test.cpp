// SPDX-License-Identifier: MIT
// Rigid shells: one joint for each, the heaviest, and nothing else changes.
#include <gtest/gtest.h>

#include "characters.h"
#include "dermis/bind.h"
#include "measure/bodies.h"

namespace dermis {
namespace {

// Two triangles that share no point; a seam doubles one point of the first.
Mesh two_shells() {
  Mesh mesh = test::mesh_of(
      {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {5, 0, 0}, {6, 0, 0}, {5, 1, 0}},
      {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}});
  mesh.weights = test::rows_of({{{0, 0.75f}, {1, 0.25f}},
                                {{1, 1}},
                                {{1, 0.5f}, {2, 0.5f}},
                                {{0, 0.75f}, {1, 0.25f}},
                                {{1, 0.5f}, {2, 0.5f}},
                                {{2, 1}},
                                {{0, 1}},
                                {{0, 0.5f}, {2, 0.5f}},
                                {{2, 1}}});
  return mesh;
}

TEST(RigidShells, FollowTheJointWithMostWeightInThem) {
  const Mesh mesh = two_shells();
  const RigidShells rigid = rigid_shells(mesh, mesh.weights);
  EXPECT_EQ(rigid.shell_count, 2u);
  // Joint 1 has 2.5 of 6 in the first, 0 and 2 have 1.5 each in the second: of equals the lower.
  for (std::size_t v = 0; v < 6; ++v) {
    ASSERT_EQ(rigid.rows.row(v).size(), 1u);
    EXPECT_EQ(rigid.rows.row(v)[0], (Influence{1, 1}));
  }
  for (std::size_t v = 6; v < 9; ++v) EXPECT_EQ(rigid.rows.row(v)[0], (Influence{0, 1}));
}

TEST(RigidShells, AreOnlyThoseChosenWhole) {
  const Mesh mesh = two_shells();
  PointChoice points(9, true);
  points[1] = false;
  const RigidShells rigid = rigid_shells(mesh, mesh.weights, {}, points);
  EXPECT_EQ(rigid.shell_count, 1u);
  for (std::size_t v = 0; v < 6; ++v)
    EXPECT_EQ(row_distance(rigid.rows.row(v), mesh.weights.row(v)), 0) << "point " << v;
  EXPECT_EQ(rigid.rows.row(7)[0], (Influence{0, 1}));
}

TEST(RigidShells, StayAsTheyAreWhereAJointIsLocked) {
  const Mesh mesh = two_shells();
  const RigidShells rigid = rigid_shells(mesh, mesh.weights, {false, true, false});
  EXPECT_EQ(rigid.shell_count, 1u);
  EXPECT_EQ(rigid.locked_count, 1u);
  EXPECT_EQ(row_distance(rigid.rows.row(0), mesh.weights.row(0)), 0);
}

}  // namespace
}  // namespace dermis
