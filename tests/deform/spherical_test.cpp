// SPDX-License-Identifier: MIT
// Spherical blending: its centres, where they are free, and where they run away.
#include <gtest/gtest.h>

#include "deform/methods.h"
#include "deform/rotation_centres.h"

namespace dermis {
namespace {

using test::kHalf;
using test::PointCase;
using test::posed_by;
using test::turned_about;

// Literally Q (v - r) + sum w_i C_i r.
Vec3d about_centre(const PointCase& c, const Vec3d& centre) {
  const Mat3d turn = map_of("quaternion", c).posed_from_rest.linear;
  Vec3d sum = turn * (c.point - centre);
  for (const Influence& i : c.rows.row(0)) {
    sum += c.palette[at(i.slot)] * centre * static_cast<double>(i.weight);
  }
  return sum;
}

TEST(SkinSpherical, WorkedExamplesKeepTheDistanceToTheJoint) {
  const PointCase twisted{{{}, turned_about({}, {1, 0, 0}, kPi)}, kHalf, {2, 1, 0}, {}, 0};
  const Vec3d t = posed_by("spherical", twisted);
  EXPECT_LT(length(Vec3d{t.x, t.y, std::abs(t.z)} - Vec3d{2, 0, 1}), 1e-12);
  const PointCase bent{{{}, turned_about({2, 0, 0}, {0, 0, 1}, kPi)}, kHalf, {2, 1, 0}, {}, 0};
  const Vec3d b = posed_by("spherical", bent);
  EXPECT_LT(length(Vec3d{2 - std::abs(b.x - 2), b.y, b.z} - Vec3d{1, 0, 0}), 1e-12);
}

TEST(SkinSpherical, CentreOfTwoJointsIsFreeAlongTheirRelativeAxis) {
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const PointCase c{{random.rigid(), random.rigid()}, test::exact_row(random, 2), random.vector(), {}, 0};
    const std::vector<JointMotion> motions = joint_motions(c.palette);
    const std::vector<std::uint32_t> both{0, 1};
    const Vec3d centre = rotation_centre(motions, both);
    const Vec3d axis = normalized(log(conjugate(motions[0].rotation) * motions[1].rotation));
    EXPECT_NEAR(dot(centre, axis), 0, 1e-12);  // the smallest of all solutions
    for (const double shift : {-100.0, 0.0, 3.0}) {
      EXPECT_LT(length(about_centre(c, centre + axis * shift) - posed_by("spherical", c)), 1e-12);
    }
  }
}

TEST(SkinSpherical, CentreIsThePointThatJointsShare) {
  for (unsigned seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const Vec3d shared = random.vector(), posed = random.vector();
    std::vector<JointMotion> motions;
    for (int j = 0; j < 3; ++j) {
      Affined joint = random.rigid();
      joint.translation = posed - joint.linear * shared;
      motions.push_back(joint_motion(joint));
    }
    const std::vector<std::uint32_t> all{0, 1, 2};
    EXPECT_LT(length(rotation_centre(motions, all) - shared), 1e-12);
  }
}

TEST(SkinSpherical, EqualJointsMoveAsOne) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const Affined joint = random.rigid();
    const PointCase c{{joint, joint, joint}, test::exact_row(random, 3), random.vector(), {}, 0};
    EXPECT_LT(length(posed_by("spherical", c) - joint * c.point), 1e-14);
  }
}

// Joints that hardly turn against each other but stand apart have their centre out of reach.
TEST(SkinSpherical, StaysNearLinearBlendingAsTheCentreRunsToInfinity) {
  for (const double angle : {1e-3, 1e-5, 1e-7, 1e-8, 1e-9, 1e-12, 0.0}) {
    SCOPED_TRACE(angle);
    const Affined second = Affined(Mat3d{}, {1, 2, 3}) * turned_about({}, {0, 1, 1}, angle);
    const PointCase c{{{}, second}, kHalf, {2, 1, 0}, {}, 0};
    EXPECT_LT(length(posed_by("spherical", c) - posed_by("lbs", c)), angle + 3e-8);
  }
}

// Thirds of float: what their sum lacks of one was multiplied by the distance of the centre.
TEST(SkinSpherical, IsNotMovedByWhatWeightsLackOfOne) {
  const WeightRows thirds = test::rows_of({{{0, 0.4f}, {1, 0.3333333f}, {2, 0.2666665f}}});
  for (const double angle : {1e-3, 1e-5, 1e-6, 1e-7, 1e-8, 0.0}) {
    SCOPED_TRACE(angle);
    const Affined second = Affined(Mat3d{}, {1, 2, 3}) * turned_about({}, {0, 1, 1}, angle);
    const Affined third = Affined(Mat3d{}, {-3, 1, 0}) * turned_about({}, {1, 0, 0}, angle);
    const PointCase c{{{}, second, third}, thirds, {2, 1, 0}, {}, 0};
    EXPECT_LT(length(posed_by("spherical", c) - posed_by("lbs", c)), 4 * angle + 4e-6);
  }
}

TEST(SkinSpherical, JointsWithParallelAxesLeaveTheirCentreAtZeroAlongThem) {
  std::vector<JointMotion> motions;
  for (const double angle : {0.0, 0.7, 1.9}) {
    motions.push_back(joint_motion(turned_about({angle, 1, 0}, {0, 0, 1}, angle)));
  }
  const std::vector<std::uint32_t> all{0, 1, 2};
  EXPECT_NEAR(rotation_centre(motions, all).z, 0, 1e-12);
}

TEST(JointSets, AreDistinctWhateverTheOrderOfWeights) {
  const WeightRows rows = test::rows_of(
      {{{100, 0.75f}, {0, 0.25f}}, {{0, 0.5f}, {100, 0.5f}}, {{1, 0.5f}, {100, 0.5f}}, {{100, 1}}, {{0, 1}}});
  const JointSets found = joint_sets(rows);
  EXPECT_EQ(found.set_of_point, (std::vector<std::uint32_t>{0, 0, 1, 2, 3, 0, 0, 0}));  // a whole block
  EXPECT_EQ(found.sets[0], (std::vector<std::uint32_t>{0, 100}));
  EXPECT_EQ(found.sets.size(), 4u);
}

}  // namespace
}  // namespace dermis
