// SPDX-License-Identifier: MIT
// Skeletons moved to places in a body: what is placed, what lies between, what hangs below, and their clips.
#include <gtest/gtest.h>

#include <random>

#include "dermis/bind.h"
#include "dermis/motion.h"

namespace dermis {
namespace {

// A chain or tree of joints at places in the world, with frames turned at random.
Character tree(const std::vector<Index>& parents, const std::vector<Vec3d>& places, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> number;
  Character skeleton;
  std::vector<Affined> world;
  for (std::size_t j = 0; j < parents.size(); ++j) {
    const Quatd turn = normalized(Quatd(number(random), number(random), number(random), number(random)));
    world.emplace_back(matrix_from_quat(turn), places[j]);
    Node node;
    node.name = "j" + std::to_string(j);
    node.parent = parents[j];
    const Affined parent = parents[j] == kNone ? Affined{} : world[at(parents[j])];
    node.rest = transform_from_affine(inverse(parent) * world[j]);
    skeleton.nodes.push_back(node);
  }
  return skeleton;
}

// Random rotations of every joint, and a root that travels.
Clip random_clip(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> number;
  Clip clip;
  clip.name = "random";
  for (std::size_t j = 0; j < count; ++j) {
    Channel channel{ChannelPath::rotation, static_cast<Index>(j), Interpolation::linear, {0, 1, 2}, {}};
    for (int k = 0; k < 3; ++k) {
      const Quat turn = normalized(Quat(number(random), number(random), number(random), number(random)));
      channel.values.insert(channel.values.end(), {turn.x, turn.y, turn.z, turn.w});
    }
    clip.channels.push_back(std::move(channel));
  }
  clip.channels.push_back(
      {ChannelPath::translation, 0, Interpolation::linear, {0, 1, 2}, {0, 5, 0, 1, 6, 2, 3, 5, 4}});
  return clip;
}

Vec3d rest_place(const Character& character, Index node) {
  return rest_world(character)[at(node)].translation;
}

TEST(FitSkeleton, JointsBetweenTwoPlacedOnesKeepTheirShareOfTheLine) {
  const Character skeleton = tree({kNone, 0, 1, 2}, {{0, 0, 0}, {0, 1, 0}, {0, 2, 0}, {0, 4, 0}});
  SkeletonFitting fitting;
  fitting.places = {{0, {5, 0, 0}, true, {}}, {3, {5, 0, 8}, true, {}}};
  const Result<FittedSkeleton> fitted = fit_skeleton(skeleton, fitting);
  ASSERT_TRUE(fitted) << fitted.error().sentence;
  EXPECT_LT(length(rest_place(fitted->character, 0) - Vec3d{5, 0, 0}), 1e-5);
  EXPECT_LT(length(rest_place(fitted->character, 1) - Vec3d{5, 0, 2}), 1e-5);
  EXPECT_LT(length(rest_place(fitted->character, 2) - Vec3d{5, 0, 4}), 1e-5);
  EXPECT_LT(length(rest_place(fitted->character, 3) - Vec3d{5, 0, 8}), 1e-5);
  EXPECT_EQ(fitted->carried_count, 2u);
}

// A hand with two fingers, turned upwards and half as long.
TEST(FitSkeleton, WhatHangsFromAPlacedJointIsTurnedAndScaledWithItsLimb) {
  const Character skeleton = tree({kNone, 0, 1, 1}, {{0, 0, 0}, {2, 0, 0}, {4, 0, 0}, {3, 0, 0.5}});
  SkeletonFitting fitting;
  fitting.places = {{0, {0, 0, 0}, false, {}}, {1, {0, 2, 0}, false, Vec3d{0, 3, 0}}};
  const Result<FittedSkeleton> fitted = fit_skeleton(skeleton, fitting);
  ASSERT_TRUE(fitted) << fitted.error().sentence;
  EXPECT_LT(length(rest_place(fitted->character, 2) - Vec3d{0, 3, 0}), 1e-5);
  EXPECT_LT(length(rest_place(fitted->character, 3) - Vec3d{0, 2.5, 0.25}), 1e-5);
}

TEST(FitSkeleton, TrunkJointsFollowTheTrunkAndNotTheLimbsBeside) {
  // Hips, chest, neck, and one arm on the left only.
  const Character skeleton = tree({kNone, 0, 1, 1}, {{0, 0, 0}, {0, 2, 0}, {0, 3, 0}, {1, 2, 0}});
  SkeletonFitting fitting;
  fitting.places = {{0, {0, 0, 0}, true, {}}, {2, {0, 6, 0}, true, {}}, {3, {9, 3, 0}, false, {}}};
  const Result<FittedSkeleton> fitted = fit_skeleton(skeleton, fitting);
  ASSERT_TRUE(fitted) << fitted.error().sentence;
  EXPECT_LT(length(rest_place(fitted->character, 1) - Vec3d{0, 4, 0}), 1e-5);
}

// A law: whatever the places, a clip points every bone of a limb where it pointed, apart from the turn of the
// whole.
TEST(FitSkeleton, ClipsPointEveryBoneOfALimbWhereItPointed) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    const auto anywhere = [&] { return Vec3d{number(random), number(random), number(random)}; };
    Character skeleton =
        tree({kNone, 0, 1, 2, 3}, {{0, 0, 0}, {0, 1, 0}, {1, 2, 0}, {2, 2, 1}, {2, 3, 1}}, seed);
    skeleton.clips.push_back(random_clip(5, seed));
    SkeletonFitting fitting;
    fitting.whole = {normalized(Quatd(number(random), number(random), number(random), 1)), 0.3, {7, 8, 9}};
    fitting.places.push_back({0, fitting.whole(Vec3d{}), false, {}});
    for (Index j = 1; j < 4; ++j) fitting.places.push_back({j, anywhere() * 3, false, {}});
    const Result<FittedSkeleton> fitted = fit_skeleton(skeleton, fitting);
    ASSERT_TRUE(fitted) << fitted.error().sentence;
    for (const double time : {0.0, 0.7, 2.0}) {
      const Result<PoseFrame> before = pose_frame(skeleton, {0, time});
      const Result<PoseFrame> after = pose_frame(fitted->character, {0, time});
      ASSERT_TRUE(before && after);
      const auto bone = [](const PoseFrame& frame, Index j) {
        return normalized(frame.world_from_node[at(j)].translation -
                          frame.world_from_node[at(j) - 1].translation);
      };
      for (Index j = 1; j < 5; ++j)
        EXPECT_LT(length(bone(*after, j) - rotate(fitting.whole.turn, bone(*before, j))), 1e-4) << j;
      EXPECT_LT(length(after->world_from_node[0].translation -
                       fitting.whole(before->world_from_node[0].translation)),
                1e-4);
    }
  }
}

// A clavicle that rises in its own skeleton and is level in the body: the clip of a still figure leaves it
// level.
TEST(FitSkeleton, ClipsTurnTheTrunkFromWhereItRests) {
  Character skeleton = tree({kNone, 0, 1, 2}, {{0, 0, 0}, {0, 2, 0}, {1, 2.5, 0}, {2, 2.5, 0}});
  Clip still;
  still.name = "still";
  for (Index j = 0; j < 4; ++j) {
    const Quat& q = skeleton.nodes[at(j)].rest.rotation;
    still.channels.push_back({ChannelPath::rotation, j, Interpolation::linear, {0}, {q.x, q.y, q.z, q.w}});
  }
  skeleton.clips.push_back(still);
  SkeletonFitting fitting;
  fitting.places = {{0, {0, 0, 0}, true, {}}, {2, {1, 2, 0}, false, {}}, {3, {1, 1, 0}, false, {}}};
  const Result<FittedSkeleton> fitted = fit_skeleton(skeleton, fitting);
  ASSERT_TRUE(fitted) << fitted.error().sentence;
  const Result<PoseFrame> frame = pose_frame(fitted->character, {0, 0});
  ASSERT_TRUE(frame);
  EXPECT_LT(length(frame->world_from_node[2].translation - Vec3d{1, 2, 0}), 1e-5);
  EXPECT_LT(length(frame->world_from_node[3].translation - Vec3d{2, 2, 0}), 1e-5) << "the arm is level again";
}

TEST(FitSkeleton, AClipThatTravelsStandsOnTheFloorOfTheBody) {
  Character skeleton = tree({kNone, 0, 1}, {{0, 0, 0}, {0, -1, 0}, {0, -2, 0}});
  skeleton.clips.push_back(random_clip(3, 4));
  SkeletonFitting fitting;
  fitting.whole.shift = {0, 12, 0};
  fitting.places = {{0, {0, 12, 0}, true, {}}, {1, {0, 11, 0}, false, {}}, {2, {0, 10, 0}, false, {}}};
  fitting.feet = {2};
  const Result<FittedSkeleton> fitted = fit_skeleton(skeleton, fitting);
  ASSERT_TRUE(fitted) << fitted.error().sentence;
  double lowest = INFINITY;
  for (int k = 0; k <= 200; ++k) {
    const Result<PoseFrame> frame = pose_frame(fitted->character, {0, 2.0 * k / 200});
    ASSERT_TRUE(frame);
    lowest = std::min(lowest, frame->world_from_node[2].translation.y);
  }
  EXPECT_NEAR(lowest, 10, 1e-4);
}

TEST(FitSkeleton, NeverTurnsAJointBelowAnUnevenScale) {
  Character skeleton = tree({kNone, 0, 1}, {{0, 0, 0}, {0, 1, 0}, {0, 2, 0}});
  skeleton.nodes[0].rest.scale = {1, 2, 1};
  SkeletonFitting fitting;
  fitting.places = {{0, {0, 0, 0}, false, {}}, {1, {1, 0, 0}, false, {}}, {2, {1, 1, 0}, false, {}}};
  const Result<FittedSkeleton> fitted = fit_skeleton(skeleton, fitting);
  ASSERT_FALSE(fitted);
  EXPECT_NE(fitted.error().sentence.find("'j0' is scaled unevenly"), std::string::npos)
      << fitted.error().sentence;
}

TEST(FitSkeleton, LeavesOutWhatClipsDoToControlsAndSaysSo) {
  Character skeleton = tree({kNone, 0, 1}, {{0, 0, 0}, {0, 1, 0}, {0, 2, 0}});
  skeleton.controls = {{"breath", 0}};
  skeleton.clips = {random_clip(3, 5)};
  skeleton.clips[0].channels.push_back({ChannelPath::control, 0, Interpolation::linear, {0}, {1}});
  const std::size_t channel_count = skeleton.clips[0].channels.size();
  SkeletonFitting fitting;
  fitting.places = {{0, {5, 0, 0}, true, {}}, {2, {5, 4, 0}, true, {}}};
  const Result<FittedSkeleton> fitted = fit_skeleton(skeleton, fitting);
  ASSERT_TRUE(fitted) << fitted.error().sentence;
  EXPECT_EQ(fitted->character.clips[0].channels.size(), channel_count - 1);
  ASSERT_EQ(fitted->notes.size(), 1u);
  EXPECT_EQ(fitted->notes[0].id, "skeleton-channels-left-out");
  EXPECT_EQ(fitted->notes[0].count, 1u);
  skeleton.clips[0].channels.pop_back();
  EXPECT_TRUE(fit_skeleton(skeleton, fitting)->notes.empty());
}

}  // namespace
}  // namespace dermis
