// SPDX-License-Identifier: MIT
// Counterparts of parts: whether they carry each other.
#include "motion/parts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "forests.h"

namespace dermis {
namespace {

using Pairs = std::vector<std::pair<Index, Index>>;

// Some joints of one skeleton with some of the other, in any order.
Pairs random_pairs(test::Random& random, const Skeleton& source, const Skeleton& target) {
  const auto from = static_cast<int>(source.order().size()), to = static_cast<int>(target.order().size());
  const std::vector<Index> a = test::shuffled(random, from), b = test::shuffled(random, to);
  Pairs pairs;
  const int count = 1 + random.below(std::min(from, to));
  for (int k = 0; k < count; ++k)
    pairs.emplace_back(source.order()[at(a[at(k)])], target.order()[at(b[at(k)])]);
  return pairs;
}

// Every joint against every other.
bool are_trees_by_trying(const Skeleton& source, const Skeleton& target, const Pairs& pairs) {
  std::size_t from = 0, to = 0;
  for (const auto& one : pairs) {
    from += std::any_of(pairs.begin(), pairs.end(),
                        [&](const auto& other) { return source.is_below(one.first, other.first); });
    to += std::any_of(pairs.begin(), pairs.end(),
                      [&](const auto& other) { return target.is_below(one.second, other.second); });
  }
  return 2 * std::min(from, to) >= pairs.size();
}

TEST(PartsAreTrees, AsTryingAllPairsSaysOnRandomForests) {
  int tree_count = 0;
  constexpr unsigned kSeeds = 300;
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const Character one = test::random_skinned(random), other = test::random_skinned(random);
    const Skeleton source(one), target(other);
    const Pairs pairs = random_pairs(random, source, target);
    const bool expected = are_trees_by_trying(source, target, pairs);
    EXPECT_EQ(are_trees(source, target, pairs), expected);
    tree_count += expected ? 1 : 0;
  }
  // Both answers are common.
  EXPECT_GT(tree_count, 30);
  EXPECT_LT(tree_count, 270);
}

}  // namespace
}  // namespace dermis
