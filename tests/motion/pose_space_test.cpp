// SPDX-License-Identifier: MIT
// Weights of the examples of pose spaces.
#include <gtest/gtest.h>

#include <cmath>

#include "characters.h"
#include "dermis/motion.h"

namespace dermis {
namespace {

constexpr PoseKernel kKernels[] = {PoseKernel::linear, PoseKernel::gaussian, PoseKernel::thin_plate};
constexpr PoseDistance kDistances[] = {PoseDistance::rotation, PoseDistance::swing, PoseDistance::twist};

Quat turned(const Vec3d& axis, double degrees) {
  return Quat(quat_from_axis_angle(axis, radians_from_degrees(degrees)));
}

// Joints that rest anyhow; examples have one rotation for each.
struct SpaceInPose {
  explicit SpaceInPose(std::size_t joint_count, PoseKernel kernel = PoseKernel::gaussian) {
    space.name = "elbow";
    space.kernel = kernel;
    for (std::size_t j = 0; j < joint_count; ++j) {
      Node node;
      node.rest.rotation = turned({1, 2, 3}, 30.0 + 50.0 * static_cast<double>(j));
      character.nodes.push_back(node);
      space.joints.push_back({.node = static_cast<Index>(j)});
    }
  }
  void add(std::vector<Quat> rotation, float radius_deg = 0, float strength = 1) {
    const auto radius = static_cast<float>(radians_from_degrees(static_cast<double>(radius_deg)));
    space.examples.push_back(
        {"shape" + std::to_string(space.examples.size()), std::move(rotation), radius, strength});
  }
  Result<PreparedPoseSpace> prepared() const { return prepare_pose_space(character, space); }
  // At a pose given by the rotations of the joints from rest.
  std::vector<float> at(const std::vector<Quat>& rotation) const {
    const Result<PreparedPoseSpace> p = prepared();
    EXPECT_TRUE(p) << p.error().sentence;
    std::vector<LocalPose> local;
    for (std::size_t j = 0; j < rotation.size(); ++j)
      local.push_back({character.nodes[j].rest, false, Quatd(rotation[j]), {}});
    std::vector<float> weights(space.examples.size());
    weigh_examples(*p, local, weights);
    return weights;
  }
  Character character;
  PoseSpace space;
};

TEST(PoseSpaces, EachExampleIsAloneAtItsPoseAndNothingIsAtRest) {
  const unsigned seed = 16;
  SCOPED_TRACE(seed);
  test::Random random(seed);
  for (const PoseKernel kernel : kKernels) {
    for (const PoseDistance distance : kDistances) {
      for (const bool is_normalised : {false, true}) {
        SpaceInPose posed(2, kernel);
        posed.space.is_normalised = is_normalised;
        posed.space.joints[1].share = 0.5f;
        for (PoseJoint& joint : posed.space.joints) joint.distance = distance;
        for (int k = 0; k < 6; ++k)
          posed.add({Quat(random.rotation()), Quat(random.rotation())}, 0, 1 + static_cast<float>(k));
        for (std::size_t k = 0; k < 6; ++k) {
          const std::vector<float> weights = posed.at(posed.space.examples[k].rotation);
          for (std::size_t e = 0; e < 6; ++e)
            EXPECT_NEAR(weights[e], e == k ? posed.space.examples[k].strength : 0, 2e-5)
                << static_cast<int>(kernel) << static_cast<int>(distance) << k;
        }
        EXPECT_EQ(posed.at({{}, {}}), std::vector<float>(6, 0.0f));
      }
    }
  }
}

TEST(PoseSpaces, AGaussianFarFromRestIsItsOwnBell) {
  SpaceInPose posed(1);
  posed.add({turned({1, 0, 0}, 120)}, 15);
  for (const double off : {-30, -10, 0, 5, 15, 40}) {
    const double expected = std::exp(-0.5 * off * off / (15 * 15));
    EXPECT_NEAR(posed.at({turned({1, 0, 0}, 120 + off)})[0], expected, 2e-6) << off;
  }
}

TEST(PoseSpaces, AGaussianNearRestIsTheDifferenceOfTwoBells) {
  SpaceInPose posed(1);
  posed.add({turned({1, 0, 0}, 90)});  // the radius is 90 degrees, for rest as well
  const double g = std::exp(-0.5);
  for (const double angle : {10, 45, 80, 130}) {
    const double own = std::exp(-0.5 * std::pow((angle - 90) / 90, 2)),
                 rest = std::exp(-0.5 * angle * angle / 8100);
    EXPECT_NEAR(posed.at({turned({1, 0, 0}, angle)})[0], (own - g * rest) / (1 - g * g), 2e-6) << angle;
  }
}

TEST(PoseSpaces, OnTheOtherSideOfRestThereIsNoCorrectionInsteadOfTheOpposite) {
  for (const PoseKernel kernel : kKernels) {
    SpaceInPose posed(1, kernel);
    posed.add({turned({1, 0, 0}, 60)});
    posed.add({turned({1, 0, 0}, 120)});
    for (const double angle : {-60.0, -45.0, -32.0}) {
      const std::vector<float> weights = posed.at({turned({1, 0, 0}, angle)});
      EXPECT_NEAR(weights[0], 0, 1e-6) << static_cast<int>(kernel) << " " << angle;
      EXPECT_NEAR(weights[1], 0, 1e-6) << static_cast<int>(kernel) << " " << angle;
    }
  }
}

TEST(PoseSpaces, LinearWeightsAlongOneAxisInterpolateBetweenNeighbours) {
  SpaceInPose posed(1, PoseKernel::linear);
  for (const double angle : {60, 90, 120}) posed.add({turned({1, 0, 0}, angle)});
  const std::vector<float> weights = posed.at({turned({1, 0, 0}, 80)});
  EXPECT_NEAR(weights[0], 1.0 / 3, 1e-6);
  EXPECT_NEAR(weights[1], 2.0 / 3, 1e-6);
  EXPECT_NEAR(weights[2], 0, 1e-6);
}

TEST(PoseSpaces, LinearWeightsAreTheFractionOfTheAngleAndNeverExceedOne) {
  SpaceInPose posed(1, PoseKernel::linear);
  posed.add({turned({1, 0, 0}, 80)});
  for (const double angle : {-60.0, 0.0, 20.0, 60.0, 80.0, 120.0, 159.0})
    EXPECT_NEAR(posed.at({turned({1, 0, 0}, angle)})[0], std::clamp(angle / 80, 0.0, 1.0), 1e-6) << angle;
}

TEST(PoseSpaces, FarFromAllExamplesEveryWeightIsZero) {
  for (const PoseKernel kernel : kKernels) {
    SpaceInPose posed(1, kernel);
    posed.add({turned({1, 0, 0}, 40)}, 15);
    posed.add({turned({1, 0, 0}, 60)}, 15);
    for (const float weight : posed.at({turned({0, 1, 0}, 150)})) {
      if (kernel == PoseKernel::gaussian)
        EXPECT_LT(weight, 1e-4);  // a bell of ten radii
      else
        EXPECT_EQ(weight, 0) << static_cast<int>(kernel);
    }
    // Also where the reach is automatic: beyond twice the angle from rest.
    posed.space.examples[0].radius = posed.space.examples[1].radius = 0;
    EXPECT_LT(posed.at({turned({1, 0, 0}, -179)})[0], 1e-6) << static_cast<int>(kernel);
  }
}

TEST(PoseSpaces, TwoExamplesAtOnePoseAreAnErrorThatNamesThem) {
  SpaceInPose posed(1);
  posed.add({turned({1, 0, 0}, 90)});
  posed.add({turned({1, 0, 0}, 90.02)});
  Result<PreparedPoseSpace> prepared = posed.prepared();
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().sentence,
            "pose space 'elbow': examples 'shape0' and 'shape1' are at the same pose; keep one of them");
  posed.space.examples.pop_back();
  posed.space.examples[0].rotation = {Quat(0, 0, 0, -1)};
  prepared = posed.prepared();
  ASSERT_FALSE(prepared);
  EXPECT_NE(prepared.error().sentence.find("'shape0' is at the rest pose"), std::string::npos);
}

TEST(PoseSpaces, ACharacterWithSuchExamplesCannotBePosedAndSaysWhy) {
  SpaceInPose posed(1);
  posed.add({turned({1, 0, 0}, 90)});
  posed.add({turned({1, 0, 0}, 90)});
  posed.character.pose_spaces = {posed.space};
  const Result<PoseFrame> frame = pose_frame(posed.character, {});
  ASSERT_FALSE(frame);
  EXPECT_NE(frame.error().sentence.find("'shape0' and 'shape1' are at the same pose"), std::string::npos)
      << frame.error().sentence;
  EXPECT_FALSE(prepare_poser(posed.character));
}

TEST(PoseSpaces, BySwingATwistIsTheSamePose) {
  SpaceInPose posed(1);
  posed.space.joints[0].distance = PoseDistance::swing;
  const Quatd swing(turned({1, 0, 0}, 70));
  posed.add({Quat(swing)});
  EXPECT_NEAR(posed.at({Quat(swing * Quatd(turned({0, 1, 0}, 50)))})[0], 1, 1e-5);
  posed.add({Quat(swing * Quatd(turned({0, 1, 0}, 50)))});
  EXPECT_FALSE(posed.prepared());
}

// A cone driver: the weight depends only on the angle between where the joint points and the cone's axis.
TEST(PoseSpaces, OneSwingWithASmallRadiusIsACone) {
  SpaceInPose posed(1);
  posed.space.joints[0].distance = PoseDistance::swing;
  posed.add({turned({1, 0, 0}, 90)}, 15);
  const float along = posed.at({turned({1, 0, 0}, 70)})[0];
  const float across = posed.at({Quat(Quatd(turned({0, 1, 0}, 20)) * Quatd(turned({1, 0, 0}, 90)))})[0];
  EXPECT_NEAR(along, std::exp(-0.5 * 400 / 225), 1e-5);
  EXPECT_NEAR(across, along, 1e-5);
}

TEST(PoseSpaces, ByTwistAnglesAreComparedTheShorterPathRound) {
  SpaceInPose posed(1);
  posed.space.joints[0].distance = PoseDistance::twist;
  posed.add({turned({0, 1, 0}, 170)}, 20);
  EXPECT_NEAR(posed.at({turned({0, 1, 0}, -170)})[0], std::exp(-0.5), 1e-5);
}

TEST(PoseSpaces, NormalisedWeightsDoNotSumAboveOne) {
  const unsigned seed = 3;
  SCOPED_TRACE(seed);
  test::Random random(seed);
  SpaceInPose posed(1);
  posed.add({turned({1, 0, 0}, 60)}, 60);
  posed.add({turned({1, 0, 0}, 100)}, 60);
  posed.add({turned({0, 0, 1}, 80)}, 60);
  SpaceInPose limited = posed;
  limited.space.is_normalised = true;
  bool is_plain_above = false;
  for (int k = 0; k < 200; ++k) {
    const std::vector<Quat> pose{Quat(random.rotation())};
    const std::vector<float> plain = posed.at(pose), weights = limited.at(pose);
    is_plain_above = is_plain_above || plain[0] + plain[1] + plain[2] > 1.01f;
    EXPECT_LE(weights[0] + weights[1] + weights[2], 1.0001f);
  }
  EXPECT_TRUE(is_plain_above);
}

TEST(PoseSpaces, RadiiThatMakeExamplesAlikeAreAnError) {
  SpaceInPose posed(1);
  for (int k = 1; k <= 9; ++k) posed.add({turned({1, 0, 0}, 2 * k)}, 30000);
  const Result<PreparedPoseSpace> prepared = posed.prepared();
  ASSERT_FALSE(prepared);
  EXPECT_NE(prepared.error().sentence.find("cannot be told apart"), std::string::npos);
}

TEST(PoseSpaces, OfManyExamplesAreSolvedToo) {
  const unsigned seed = 5;
  SCOPED_TRACE(seed);
  test::Random random(seed);
  SpaceInPose posed(3, PoseKernel::linear);
  for (int k = 0; k < 80; ++k)
    posed.add({Quat(random.rotation()), Quat(random.rotation()), Quat(random.rotation())});
  const std::vector<float> weights = posed.at(posed.space.examples[71].rotation);
  for (std::size_t e = 0; e < weights.size(); ++e) EXPECT_NEAR(weights[e], e == 71 ? 1 : 0, 1e-5);
}

}  // namespace
}  // namespace dermis
