// SPDX-License-Identifier: MIT
// The tree of joints: what is computed for all joints at once, against the definition joint by joint.
#include "motion/body.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "forests.h"

namespace dermis {
namespace {

// The longest path down from a joint, by recursion.
double reach_below(const Skeleton& skeleton, Index joint) {
  double longest = 0;
  for (const Index child : skeleton.children(joint))
    longest = std::max(longest, reach_below(skeleton, child) + skeleton.length_between(joint, child));
  return longest;
}

std::size_t count_below(const Skeleton& skeleton, Index joint) {
  std::size_t count = 1;
  for (const Index child : skeleton.children(joint)) count += count_below(skeleton, child);
  return count;
}

// Always towards the child from which the path is longest.
std::vector<Index> longest_chain(const Skeleton& skeleton, Index joint) {
  std::vector<Index> chain;
  while (joint != kNone) {
    chain.push_back(joint);
    Index next = kNone;
    double longest = -1;
    for (const Index child : skeleton.children(joint)) {
      const double path = reach_below(skeleton, child) + skeleton.length_between(joint, child);
      if (path > longest) longest = path, next = child;
    }
    joint = next;
  }
  return chain;
}

TEST(Skeleton, MeasuresBranchesAsRecursionDoesOnRandomForests) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const Character character = test::random_skinned(random);
    const Skeleton skeleton(character);
    for (const Index joint : skeleton.order()) {
      EXPECT_EQ(skeleton.reach(joint), reach_below(skeleton, joint)) << joint;
      EXPECT_EQ(skeleton.joint_count(joint), count_below(skeleton, joint)) << joint;
      const std::vector<Index> chain = longest_chain(skeleton, joint);
      EXPECT_EQ(skeleton.main_chain(joint), chain) << joint;
      EXPECT_EQ(skeleton.chain_size(joint), chain.size()) << joint;
    }
  }
}

TEST(Skeleton, KnowsWhatIsBelowAsClimbingDoesOnRandomForests) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const Character character = test::random_skinned(random);
    const Skeleton skeleton(character);
    const auto count = static_cast<Index>(character.nodes.size());
    for (Index node = kNone; node < count; ++node) {
      for (Index top = kNone; top < count; ++top) {
        const bool is_below =
            node != kNone && top != kNone && node != top && test::climbs_to(character.nodes, node, top);
        ASSERT_EQ(skeleton.is_below(node, top), is_below) << node << " below " << top;
      }
    }
  }
}

}  // namespace
}  // namespace dermis
