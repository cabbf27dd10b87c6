// SPDX-License-Identifier: MIT
// Branches that are named right, found for all left ones at once.
#include <gtest/gtest.h>

#include <array>

#include "forests.h"
#include "motion/body.h"

namespace dermis {
namespace {

constexpr std::array kNames{"arm_L",     "arm_R",     "arm_R.001", "leg_R",
                            "leg_L.002", "leg_R.002", "spine",     "leg_R_twist"};

// Every joint is looked at for each left one.
std::vector<Index> rights_by_trying(const Skeleton& skeleton, Index left) {
  std::vector<Index> rights;
  for (const Index joint : skeleton.order()) {
    const SpokenName& name = skeleton.name(joint);
    const Index parent = skeleton.parent(joint);
    const bool starts =
        parent == kNone || !skeleton.is_joint(parent) || skeleton.name(parent).side != name.side;
    if (starts && name.side == 1 && !name.is_helper && name.word == skeleton.name(left).word &&
        name.numbers == skeleton.name(left).numbers)
      rights.push_back(joint);
  }
  return rights;
}

TEST(RightBranches, AreThoseThatTryingAllJointsFindsOnRandomForests) {
  std::size_t found_count = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    Character character = test::random_skinned(random);
    for (Node& node : character.nodes) node.name = kNames[at(random.below(static_cast<int>(kNames.size())))];
    const Skeleton skeleton(character);
    const RightBranches branches = right_branches(skeleton);
    for (const Index left : skeleton.order()) {
      const SpokenName& name = skeleton.name(left);
      if (name.side != 0) continue;
      const auto found = branches.find({name.word, name.numbers});
      const std::vector<Index> rights = found == branches.end() ? std::vector<Index>{} : found->second;
      EXPECT_EQ(rights, rights_by_trying(skeleton, left)) << left;
      found_count += rights.size();
    }
  }
  EXPECT_GT(found_count, 100u);
}

}  // namespace
}  // namespace dermis
