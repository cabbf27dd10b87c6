// SPDX-License-Identifier: MIT
// The rate of a clip's keys where drivers write some of them.
#include "motion/key_rate.h"

#include <gtest/gtest.h>

#include "characters.h"

namespace dermis {
namespace {

using test::channel_of;
using test::node_at;

// A joint "twist" that follows "arm", and a clip with keys of both at 30 and at 240 a second.
Character twisted_clip() {
  Character character;
  character.nodes = {node_at("arm", kNone, {}), node_at("twist", 0, {1, 0, 0})};
  DrivenRotation rule;
  rule.node = 1;
  rule.source = 0;
  character.drivers = {{"twist", rule}};
  constexpr float kLong = 1.0f / 30, kShort = 1.0f / 240;
  const std::vector<float> still{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  character.clips.emplace_back().channels = {
      channel_of(ChannelPath::rotation, 0, Interpolation::linear, {0, kLong, 2 * kLong}, still),
      channel_of(ChannelPath::rotation, 1, Interpolation::linear, {0, kShort, 2 * kShort}, still)};
  return character;
}

TEST(KeyRate, KeysOfDrivenJointsDoNotCountBesideOthers) {
  Character character = twisted_clip();
  ASSERT_TRUE(own_fps(character, 0));
  EXPECT_NEAR(*own_fps(character, 0), 30, 1e-3);
  character.drivers.clear();
  EXPECT_FALSE(own_fps(character, 0));
}

TEST(KeyRate, KeysOfShapesCountIfDriversMoveJointsOnly) {
  Character character = twisted_clip();
  character.clips[0].channels = {
      channel_of(ChannelPath::shape_weights, 0, Interpolation::linear, {0, 1.0f / 60, 2.0f / 60}, {0, 1, 0})};
  ASSERT_TRUE(own_fps(character, 0));
  EXPECT_NEAR(*own_fps(character, 0), 60, 1e-3);
}

TEST(KeyRate, KeysOfDrivenShapesDoNotCountBesideOthers) {
  Character character = twisted_clip();
  character.clips[0].channels[1] = channel_of(ChannelPath::shape_weights, 0, Interpolation::linear,
                                              {0, 1.0f / 240, 2.0f / 240}, {0, 1, 0});
  EXPECT_FALSE(own_fps(character, 0));
  character.shape_rules = {{"smile", 0, 1, {}}};
  ASSERT_TRUE(own_fps(character, 0));
  EXPECT_NEAR(*own_fps(character, 0), 30, 1e-3);
}

}  // namespace
}  // namespace dermis
