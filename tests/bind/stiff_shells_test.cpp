// SPDX-License-Identifier: MIT
// Which shells follow one joint as a whole.
#include <algorithm>
#include <atomic>

#include "bind/bound.h"

namespace dermis {
namespace {

using test::box_soup;
using test::Soup;

// Two bones along x that meet at the origin, in a body from -4 to 4, as thick as it is wide.
struct Arm {
  BindSkeleton skeleton = test::chain({{{-4, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {4, 0, 0}}});
  Soup soup = box_soup({-4, -1, -1}, {4, 1, 1});
};

// The rows that each point's nearest bone gives, except that points of the last shell have this share of the
// first joint.
WeightRows nearest_rows(const BindSurface& surface, const BindSkeleton& skeleton, double share_of_last) {
  WeightRowBuilder builder;
  for (std::size_t v = 0; v < surface.points.size(); ++v) {
    if (surface.shell[v] + 1 == surface.shell_count && surface.shell_count > 1) {
      builder.add(0, static_cast<float>(share_of_last));
      if (share_of_last < 1) builder.add(1, static_cast<float>(1 - share_of_last));
    } else {
      std::vector<double> distance(skeleton.joint_count(), INFINITY);
      for (const JointSegment& segment : skeleton.segments)
        distance[at(segment.joint)] = distance_to_segment(Vec3d(surface.points[v]), segment.from, segment.to);
      builder.add(static_cast<Index>(std::min_element(distance.begin(), distance.end()) - distance.begin()),
                  1);
    }
    builder.close_row(0);
  }
  return builder.take();
}

std::vector<StiffShell> stiff_in(const Soup& soup, const BindSkeleton& skeleton, double share_of_last) {
  const BindSurface surface = test::surface_of(soup);
  const WeightRows rows = nearest_rows(surface, skeleton, share_of_last);
  const Result<std::vector<StiffShell>> stiff = find_stiff_shells(surface, skeleton, rows);
  EXPECT_TRUE(stiff);
  return stiff ? *stiff : std::vector<StiffShell>{};
}

TEST(StiffShells, DoNotExistInABodyOfOneShell) {
  const Arm arm;
  EXPECT_TRUE(stiff_in(arm.soup, arm.skeleton, 1).empty());
}

TEST(StiffShells, FollowAJointThatHoldsThemByMoreThanSevenTenths) {
  Arm arm;
  arm.soup.add(box_soup({-3, 2, -0.3}, {-1, 2.2, 0.3}));
  const std::vector<StiffShell> held = stiff_in(arm.soup, arm.skeleton, 0.75);
  ASSERT_EQ(held.size(), 1u);
  EXPECT_EQ(held[0].shell, 1u);
  EXPECT_EQ(held[0].joint, 0);
}

// A sleeve around the elbow, held by six tenths, bends there; a plate beside it does not.
TEST(StiffShells, BendAroundAJointInsideThem) {
  Arm arm;
  arm.soup.add(box_soup({-2, -1.2, -1.2}, {2, 1.2, 1.2}));
  EXPECT_TRUE(stiff_in(arm.soup, arm.skeleton, 0.6).empty());
  Arm plated;
  plated.soup.add(box_soup({-2, 2, -0.3}, {2, 2.2, 0.3}));
  EXPECT_EQ(stiff_in(plated.soup, plated.skeleton, 0.6).size(), 1u);
  EXPECT_TRUE(stiff_in(plated.soup, plated.skeleton, 0.55).empty());
}

TEST(StiffShells, OfABallAroundAPivotFollowTheJointThatTurnsThere) {
  Arm arm;
  arm.soup.add(box_soup({-1.1, -1.1, -1.1}, {1.1, 1.1, 1.1}));
  const std::vector<StiffShell> stiff = stiff_in(arm.soup, arm.skeleton, 0.6);
  ASSERT_EQ(stiff.size(), 1u);
  EXPECT_EQ(stiff[0].joint, 1);
}

// The plate lies on the first bone's half of the body. Its own weights say the second joint, whose bone is no
// nearer to the skin that the plate is fixed to.
TEST(StiffShells, WithoutABoneFollowWhatTheyTouch) {
  Arm arm;
  arm.soup.add(box_soup({-3, 0.95, -0.3}, {-1, 1.1, 0.3}));
  const std::vector<StiffShell> fixed = stiff_in(arm.soup, arm.skeleton, 0.2);
  ASSERT_EQ(fixed.size(), 1u);
  EXPECT_EQ(fixed[0].joint, 0);
}

// Two arms leave a chest and share its plate equally.
TEST(StiffShells, BetweenBranchesFollowTheJointWhereTheseMeet) {
  BindSkeleton skeleton =
      test::chain({{{0, -4, 0}, {0, 0, 0}}, {{0.5, 0, 0}, {4, 0, 0}}, {{-0.5, 0, 0}, {-4, 0, 0}}});
  skeleton.parent = {kNone, 0, 0};
  Soup soup = box_soup({-4, -4, -1}, {4, 1, 1});
  soup.add(box_soup({-1, -1, 3}, {1, 0.5, 3.2}));
  const BindSurface surface = test::surface_of(soup);
  WeightRowBuilder builder;
  for (std::size_t v = 0; v < surface.points.size(); ++v) {
    if (surface.shell[v] == 0) {
      builder.add(0, 1);
    } else {
      builder.add(0, 0.2f);
      builder.add(1, 0.4f);
      builder.add(2, 0.4f);
    }
    builder.close_row(0);
  }
  const Result<std::vector<StiffShell>> stiff = find_stiff_shells(surface, skeleton, builder.take());
  ASSERT_TRUE(stiff);
  ASSERT_EQ(stiff->size(), 1u);
  EXPECT_EQ((*stiff)[0].joint, 0);
}

// A floor under both halves is as much one joint's as the other's.
TEST(StiffShells, AreWholeIfTheyAreSaidToBe) {
  Arm arm;
  arm.soup.add(box_soup({-6, -1.2, -3}, {6, -1, 3}));
  const BindSurface surface = test::surface_of(arm.soup);
  const WeightRows rows = nearest_rows(surface, arm.skeleton, 0.5);
  const std::vector<std::uint32_t> whole{1};
  const Result<std::vector<StiffShell>> bent = find_stiff_shells(surface, arm.skeleton, rows);
  const Result<std::vector<StiffShell>> stiff = find_stiff_shells(surface, arm.skeleton, rows, whole);
  ASSERT_TRUE(bent && stiff);
  EXPECT_TRUE(bent->empty());
  ASSERT_EQ(stiff->size(), 1u);
  EXPECT_EQ((*stiff)[0].shell, 1u);
}

TEST(StiffShells, MoveAsAWholeAndLeaveTheOthers) {
  Arm arm;
  arm.soup.add(box_soup({-3, 2, -0.3}, {-1, 2.2, 0.3}));
  const BindSurface surface = test::surface_of(arm.soup);
  const WeightRows rows = nearest_rows(surface, arm.skeleton, 0.75);
  const WeightRows stiff = stiffened(surface, rows, std::vector<StiffShell>{{1, 0}});
  test::expect_complete(stiff, surface.points.size(), 2);
  for (std::size_t v = 0; v < surface.points.size(); ++v) {
    if (surface.shell[v] == 1) {
      EXPECT_EQ(test::weight_of(stiff, v, 0), 1) << v;
    } else {
      EXPECT_EQ(test::weight_of(stiff, v, 0), test::weight_of(rows, v, 0)) << v;
    }
  }
}

TEST(StiffShells, HearAStop) {
  Arm arm;
  arm.soup.add(box_soup({-3, 2, -0.3}, {-1, 2.2, 0.3}));
  const BindSurface surface = test::surface_of(arm.soup);
  const WeightRows rows = nearest_rows(surface, arm.skeleton, 1);
  const std::atomic<bool> stop = true;
  const Result<std::vector<StiffShell>> stiff =
      find_stiff_shells(surface, arm.skeleton, rows, {}, Progress({}, &stop));
  ASSERT_FALSE(stiff);
  EXPECT_EQ(stiff.error().code, Errc::cancelled);
}

}  // namespace
}  // namespace dermis
