// SPDX-License-Identifier: MIT
// Built-in motions: valid, closed cycles, knees that bend forward, feet that stand where they stand.
#include <gtest/gtest.h>

#include <cmath>

#include "dermis/made.h"
#include "dermis/motion.h"

namespace dermis {
namespace {

Vec3d place(const Character& character, const char* joint, double time) {
  return pose_frame(character, {0, time, nullptr})
      ->world_from_node[at(*find_node(character, joint))]
      .translation;
}

TEST(MadeMotions, AreValidSkeletonsWithOneClipOfTheirName) {
  for (const MadeMotionRow& row : made_motions()) {
    const Result<Character> motion = make_motion(row.motion);
    ASSERT_TRUE(motion) << motion.error().sentence;
    ASSERT_EQ(motion->clips.size(), 1u);
    EXPECT_EQ(motion->clips[0].name, row.name);
    EXPECT_TRUE(motion->skins.empty() && motion->meshes.empty());
    EXPECT_TRUE(map_joints(*motion)) << row.name;
  }
}

TEST(MadeMotions, EndAsTheyStartButForTheWay) {
  for (const MadeMotionRow& row : made_motions()) {
    const Result<Character> motion = make_motion(row.motion);
    ASSERT_TRUE(motion);
    const double end = static_cast<double>(motion->clips[0].end());
    const Vec3d way = place(*motion, "hips", end) - place(*motion, "hips", 0);
    EXPECT_LT(std::abs(way.x) + std::abs(way.y), 1e-4) << row.name;
    const std::vector<Affined> first = pose_frame(*motion, {0, 0, nullptr})->world_from_node,
                               last = pose_frame(*motion, {0, end, nullptr})->world_from_node;
    for (std::size_t n = 0; n < first.size(); ++n)
      EXPECT_LT(length(last[n].translation - first[n].translation - way), 1e-4)
          << row.name << ", " << motion->nodes[n].name;
  }
}

// While a foot is flat on the ground it does not move at all; legs are long enough for every step.
TEST(MadeMotions, FeetThatAreFlatOnTheGroundStandStill) {
  struct Step {
    MadeMotion motion;
    double from, to;  // seconds in which the left foot is flat
  };
  for (const Step& step : {Step{MadeMotion::walk, 0.16, 0.34}, Step{MadeMotion::run, 0.05, 0.09},
                           Step{MadeMotion::wave, 0, 2.4}}) {
    const Result<Character> motion = make_motion(step.motion);
    ASSERT_TRUE(motion);
    const Vec3d stands = place(*motion, "foot_L", step.from);
    for (double time = step.from; time < step.to; time += 1.0 / 30)
      EXPECT_LT(length(place(*motion, "foot_L", time) - stands), 2e-3) << motion->name << " at " << time;
  }
}

TEST(MadeMotions, NoFootSinksIntoTheGround) {
  for (const MadeMotionRow& row : made_motions()) {
    if (row.motion == MadeMotion::trot) continue;
    const Result<Character> motion = make_motion(row.motion);
    ASSERT_TRUE(motion);
    for (double time = 0; time < static_cast<double>(motion->clips[0].end()); time += 1.0 / 60) {
      for (const char* joint : {"foot_L", "foot_R", "toe_L", "toe_R"})
        EXPECT_GT(place(*motion, joint, time).y, 0.01) << row.name << " at " << time;
    }
  }
}

// What `render --moments` shows: of the range of motion more than one pose at rest.
TEST(MadeMotions, EvenMomentsOfTheRangeDifferFromRest) {
  const Result<Character> motion = make_motion(MadeMotion::range);
  ASSERT_TRUE(motion);
  const double end = static_cast<double>(motion->clips[0].end());
  const std::vector<Affined> rest = pose_frame(*motion, {0, 0, nullptr})->world_from_node;
  for (int count = 3; count <= 16; ++count) {
    for (int k = 1; k + 1 < count; ++k) {
      const std::vector<Affined> here =
          pose_frame(*motion, {0, end * k / (count - 1), nullptr})->world_from_node;
      double most = 0;
      for (std::size_t n = 0; n < here.size(); ++n)
        most = std::max(most, length(here[n].translation - rest[n].translation));
      EXPECT_GT(most, 0.002) << "moment " << k << " of " << count;
    }
  }
}

TEST(MadeMotions, KneesBendForward) {
  for (const MadeMotion kind : {MadeMotion::walk, MadeMotion::run, MadeMotion::range}) {
    const Result<Character> motion = make_motion(kind);
    ASSERT_TRUE(motion);
    for (double time = 0; time < static_cast<double>(motion->clips[0].end()); time += 1.0 / 30) {
      const Vec3d hip = place(*motion, "thigh_L", time), knee = place(*motion, "shin_L", time),
                  ankle = place(*motion, "foot_L", time);
      const Vec3d along = normalized(ankle - hip), off = (knee - hip) - along * dot(knee - hip, along);
      if (length(off) < 0.02) continue;
      EXPECT_GT(off.z, 0) << motion->name << " at " << time;
    }
  }
}

}  // namespace
}  // namespace dermis
