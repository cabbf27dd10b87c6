// SPDX-License-Identifier: MIT
// A clip loops when its last pose is its first, whatever the numbers of its keys.
#include <gtest/gtest.h>

#include "characters.h"
#include "dermis/motion.h"

namespace dermis {
namespace {

// The crowd with one channel in its clip.
bool loops(const Channel& channel) {
  Character character = test::crowded_character();
  character.clips[0].channels = {channel};
  return ends_as_it_starts(character, 0);
}

TEST(EndsAsItStarts, WhereEveryNodeAndShapeComesBack) {
  using enum Interpolation;
  EXPECT_TRUE(
      loops(test::channel_of(ChannelPath::translation, 0, linear, {0, 1, 2}, {0, 0, 0, 5, 0, 0, 0, 0, 0})));
  EXPECT_FALSE(loops(test::channel_of(ChannelPath::translation, 0, linear, {0, 1}, {0, 0, 0, 1, 0, 0})));
  EXPECT_FALSE(loops(test::channel_of(ChannelPath::rotation, 2, linear, {0, 1}, {0, 0, 0, 1, 0, 0, 1, 0})));
  EXPECT_FALSE(loops(test::channel_of(ChannelPath::scale, 2, linear, {0, 1}, {1, 1, 1, 2, 1, 1})));
  EXPECT_FALSE(loops(test::channel_of(ChannelPath::shape_weights, 0, linear, {0, 1}, {0, 0, 1, 0})));
}

TEST(EndsAsItStarts, WhereAQuaternionComesBackWithTheOtherSign) {
  EXPECT_TRUE(loops(
      test::channel_of(ChannelPath::rotation, 1, Interpolation::linear, {0, 1}, {0, 0, 0, 1, 0, 0, 0, -1})));
}

}  // namespace
}  // namespace dermis
