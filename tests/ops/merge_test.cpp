// SPDX-License-Identifier: MIT
// Channels of one clip joined with those of another.
#include "ops/merge/merge.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "characters.h"

namespace dermis {
namespace {

// Channels of a few quantities, some twice; their keys tell them apart.
std::vector<Channel> random_channels(test::Random& random, float first_key) {
  std::vector<Channel> channels;
  const int count = random.below(12);
  for (int k = 0; k < count; ++k) {
    const auto path = static_cast<ChannelPath>(random.below(5));
    const float key = first_key + static_cast<float>(k);
    channels.push_back(test::channel_of(path, random.below(3), Interpolation::step, {0}, {key}));
  }
  return channels;
}

TEST(JoinChannels, AddsTheFirstOfEachQuantityThatIsNotAnimatedYet) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    Clip clip{"walk", random_channels(random, 0)};
    const std::vector<Channel> more = random_channels(random, 100);
    std::vector<Channel> expected = clip.channels;
    for (const Channel& channel : more) {
      const auto is_same = [&](const Channel& other) {
        return other.path == channel.path && other.target == channel.target;
      };
      if (std::none_of(expected.begin(), expected.end(), is_same)) expected.push_back(channel);
    }
    join_channels(more, clip);
    ASSERT_EQ(clip.channels.size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k)
      EXPECT_EQ(clip.channels[k].values, expected[k].values) << k;
  }
}

}  // namespace
}  // namespace dermis
