// SPDX-License-Identifier: MIT
// Channels against the closed forms of glTF's Appendix C.
#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "characters.h"
#include "dermis/model.h"

namespace dermis {
namespace {

using enum Interpolation;
using test::channel_of;

std::vector<float> sampled(const Channel& channel, double time, std::size_t width) {
  std::vector<float> out(width);
  sample_channel(channel, time, out);
  return out;
}

const ChannelPath kPlainPaths[] = {ChannelPath::translation, ChannelPath::scale, ChannelPath::shape_weights,
                                   ChannelPath::control};

TEST(SampleChannel, StepHoldsTheEarlierKeyUpToTheNext) {
  for (const ChannelPath path : kPlainPaths) {
    const Channel channel = channel_of(path, 0, step, {1, 2, 4}, {10, 20, 40});
    EXPECT_EQ(sampled(channel, 1.999, 1)[0], 10);
    EXPECT_EQ(sampled(channel, 2, 1)[0], 20);
    EXPECT_EQ(sampled(channel, 3.999, 1)[0], 20);
    EXPECT_EQ(sampled(channel, 4, 1)[0], 40);
  }
}

TEST(SampleChannel, LinearIsTheStraightLineBetweenKeys) {
  for (const ChannelPath path : kPlainPaths) {
    const Channel channel = channel_of(path, 0, linear, {1, 3}, {10, -4, 20, 4});
    EXPECT_EQ(sampled(channel, 1.5, 2), (std::vector<float>{12.5f, -2}));
    EXPECT_EQ(sampled(channel, 2, 2), (std::vector<float>{15, 0}));
  }
}

TEST(SampleChannel, HoldsTheFirstAndLastKeyOutside) {
  const Channel plain = channel_of(ChannelPath::translation, 0, linear, {1, 3}, {1, 2, 3, 4, 5, 6});
  const Channel cubic = channel_of(ChannelPath::control, 0, cubic_spline, {1, 3}, {9, 1, 9, 9, 2, 9});
  const double inf = std::numeric_limits<double>::infinity();
  for (const double early : {0.0, 1.0, -inf, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(sampled(plain, early, 3), (std::vector<float>{1, 2, 3}));
    EXPECT_EQ(sampled(cubic, early, 1)[0], 1);
  }
  for (const double late : {3.0, 7.0, inf}) {
    EXPECT_EQ(sampled(plain, late, 3), (std::vector<float>{4, 5, 6}));
    EXPECT_EQ(sampled(cubic, late, 1)[0], 2);
  }
}

TEST(SampleChannel, WithOneKeyIsConstant) {
  for (const Interpolation interpolation : {step, linear, cubic_spline}) {
    const std::vector<float> values =
        interpolation == cubic_spline ? std::vector<float>{7, 5, 7} : std::vector<float>{5};
    const Channel channel = channel_of(ChannelPath::control, 0, interpolation, {1}, values);
    for (const double time : {0.0, 1.0, 2.0}) EXPECT_EQ(sampled(channel, time, 1)[0], 5);
  }
}

TEST(SampleChannel, CubicSplineReproducesACubicExactly) {
  // f(t) = t^3 - 2 t + 1 has the tangents f'(t) = 3 t^2 - 2 per second, whatever the key distance.
  const auto f = [](double t) { return t * t * t - 2 * t + 1; };
  const auto slope = [](double t) { return 3 * t * t - 2; };
  const std::vector<float> times{-1, 0.5f, 3};
  std::vector<float> values;
  for (const float time : times) {
    const double t = static_cast<double>(time);
    for (const double value : {slope(t), f(t), slope(t)}) values.push_back(static_cast<float>(value));
  }
  for (const ChannelPath path : kPlainPaths) {
    const Channel channel = channel_of(path, 0, cubic_spline, times, values);
    for (double t = -1; t <= 3; t += 0.0625)
      EXPECT_NEAR(static_cast<double>(sampled(channel, t, 1)[0]), f(t), 2e-6 * 25) << t;
  }
}

TEST(SampleChannel, CubicSplineTakesTheOutTangentOfTheEarlierKeyAndTheInTangentOfTheLater) {
  // Keys in-tangent, value, out-tangent; the outermost tangents must not matter.
  const Channel channel = channel_of(ChannelPath::control, 0, cubic_spline, {0, 2}, {999, 0, 3, -5, 0, 999});
  // At the middle: d (t^3 - 2t^2 + t) = 2/8, d (t^3 - t^2) = -2/8.
  EXPECT_FLOAT_EQ(sampled(channel, 1, 1)[0], 3 * 0.25f + -5 * -0.25f);
}

Quatd quat_of(const std::vector<float>& v) {
  return {static_cast<double>(v[0]), static_cast<double>(v[1]), static_cast<double>(v[2]),
          static_cast<double>(v[3])};
}

TEST(SampleChannel, LinearRotationTurnsAtConstantSpeed) {
  const double half = 1 / std::sqrt(2.0);
  const Channel channel = channel_of(ChannelPath::rotation, 0, linear, {0, 2},
                                     {0, 0, 0, 1, static_cast<float>(half), 0, 0, static_cast<float>(half)});
  for (double t = 0; t <= 2; t += 0.25) {
    const Quatd expected = quat_from_axis_angle({1, 0, 0}, kPi / 2 * t / 2);
    EXPECT_NEAR(std::abs(dot(quat_of(sampled(channel, t, 4)), expected)), 1, 1e-7) << t;
    EXPECT_NEAR(quat_of(sampled(channel, t, 4)).x, expected.x, 1e-7) << t;
  }
}

TEST(SampleChannel, LinearRotationTakesTheShorterArc) {
  const Quatd end = -quat_from_axis_angle({0, 1, 0}, 0.5);
  const Channel channel = channel_of(ChannelPath::rotation, 0, linear, {0, 1},
                                     {0, 0, 0, 1, static_cast<float>(end.x), static_cast<float>(end.y),
                                      static_cast<float>(end.z), static_cast<float>(end.w)});
  const Quatd middle = quat_of(sampled(channel, 0.5, 4));
  EXPECT_NEAR(std::abs(dot(middle, quat_from_axis_angle({0, 1, 0}, 0.25))), 1, 1e-7);
}

TEST(SampleChannel, RotationsComeBackUnitWhateverTheKeys) {
  const std::vector<float> plain{0, 0, 0, 3, 0, 0.5f, 0, 0};
  const std::vector<float> cubic{0, 0, 0, 0, 0, 0, 0, 3, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0.5f, 0, 0, 0, 0, 0, 0};
  for (const Interpolation interpolation : {step, linear, cubic_spline}) {
    const Channel channel = channel_of(ChannelPath::rotation, 0, interpolation, {0, 1},
                                       interpolation == cubic_spline ? cubic : plain);
    for (double t = -0.5; t <= 1.5; t += 0.125) {
      const Quatd q = quat_of(sampled(channel, t, 4));
      EXPECT_NEAR(dot(q, q), 1, 1e-6);
    }
    EXPECT_EQ(sampled(channel, 0, 4), (std::vector<float>{0, 0, 0, 1}));
    EXPECT_EQ(sampled(channel, 1, 4), (std::vector<float>{0, 1, 0, 0}));
  }
}

TEST(SampleChannel, CubicRotationIsTheNormalisedHermiteForm) {
  test::Random random(11);
  std::vector<float> values(24);
  for (float& value : values) value = static_cast<float>(random.in(-1, 1));
  const Channel channel = channel_of(ChannelPath::rotation, 0, cubic_spline, {1, 3.5f}, values);
  const double t = 0.3, d = 2.5;
  std::array<double, 4> p{};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto value = [&](std::size_t group) { return static_cast<double>(values[4 * group + i]); };
    p[i] = (2 * t * t * t - 3 * t * t + 1) * value(1) + d * (t * t * t - 2 * t * t + t) * value(2) +
           (-2 * t * t * t + 3 * t * t) * value(4) + d * (t * t * t - t * t) * value(3);
  }
  const Quatd expected = normalized(Quatd{p[0], p[1], p[2], p[3]});
  const Quatd q = quat_of(sampled(channel, 1 + t * d, 4));
  EXPECT_NEAR(dot(q, expected), 1, 1e-7);
}

}  // namespace
}  // namespace dermis
