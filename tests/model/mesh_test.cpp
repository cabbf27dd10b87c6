// SPDX-License-Identifier: MIT
// Welding of coincident points, and extents of clips.
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "characters.h"
#include "dermis/model.h"

namespace dermis {
namespace {

TEST(WeldCoincident, JoinsToTheLowestPointAndKnowsOneZero) {
  const std::vector<Vec3> points{{0, 1, 2}, {-0.0f, 1, 2}, {3, 0, 0},
                                 {0, 1, 2}, {3, -0.0f, 0}, {3, 0, 1e-45f}};
  EXPECT_EQ(weld_coincident(points), (std::vector<Index>{0, 0, 2, 0, 2, 5}));
  EXPECT_TRUE(weld_coincident({}).empty());
}

TEST(WeldCoincident, AgreesWithASortedMapOnRandomGrids) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    std::vector<Vec3> points;
    std::map<std::tuple<float, float, float>, Index> lowest;
    std::vector<Index> expected;
    for (Index v = 0; v < 500; ++v) {
      const Vec3 p{static_cast<float>(random.below(7) - 3), static_cast<float>(random.below(7) - 3), 0.5f};
      points.push_back(p);
      expected.push_back(lowest.try_emplace({p.x, p.y, p.z}, v).first->second);
    }
    EXPECT_EQ(weld_coincident(points), expected);
  }
}

TEST(Clip, RunsFromItsFirstToItsLastKey) {
  const Character character = test::crowded_character();
  EXPECT_EQ(character.clips[0].start(), 0.0f);
  EXPECT_EQ(character.clips[0].end(), 2.0f);
  EXPECT_EQ(Clip{}.start(), 0.0f);
  EXPECT_EQ(Clip{}.end(), 0.0f);
}

TEST(ChannelWidth, FollowsFromPathAndTarget) {
  const Character character = test::crowded_character();
  const std::size_t expected[] = {3, 4, 3, 2, 1};
  for (std::size_t k = 0; k < 5; ++k)
    EXPECT_EQ(channel_width(character, character.clips[0].channels[k]), expected[k]);
}

}  // namespace
}  // namespace dermis
