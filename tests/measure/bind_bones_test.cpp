// SPDX-License-Identifier: MIT
// The bones of a skin: which slot is above which.
#include "measure/bind_bones.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "forests.h"

namespace dermis {
namespace {

TEST(ParentSlots, AreThoseThatClimbingFindsOnRandomForests) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const Character character = test::random_skinned(random);
    const std::vector<Index>& joints = character.skins[0].node;
    std::vector<Index> expected;
    for (const Index joint : joints) {
      Index above = character.nodes[at(joint)].parent;
      while (above != kNone && std::find(joints.begin(), joints.end(), above) == joints.end())
        above = character.nodes[at(above)].parent;
      const auto slot = std::find(joints.begin(), joints.end(), above);
      expected.push_back(slot == joints.end() ? kNone : static_cast<Index>(slot - joints.begin()));
    }
    EXPECT_EQ(parent_slots(character, character.skins[0]), expected);
  }
}

}  // namespace
}  // namespace dermis
