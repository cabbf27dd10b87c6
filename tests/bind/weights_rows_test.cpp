// SPDX-License-Identifier: MIT
// Operations on single rows: sums stay one, locks stay to the last bit, and numbers worked out by hand.
#include <gtest/gtest.h>

#include "bind/bound.h"
#include "characters.h"
#include "dermis/bind.h"

namespace dermis {
namespace {

using test::Random;
using test::rows_of;
using test::weight_of;

double sum_of(std::span<const Influence> row) {
  double sum = 0;
  for (const Influence& one : row) sum += static_cast<double>(one.weight);
  return sum;
}

// `count` influences with weights of any kind.
WeightRows random_rows(Random& random, std::size_t points, int slots) {
  WeightRowBuilder builder;
  for (std::size_t v = 0; v < points; ++v) {
    const int count = 1 + random.below(slots);
    for (int k = 0; k < count; ++k) builder.add(random.below(slots), static_cast<float>(random.in(0.001, 1)));
    builder.close_row(2);
  }
  return builder.take();
}

void expect_valid(const WeightRows& rows) {
  for (std::size_t v = 0; v + 1 < rows.first.size(); ++v) {
    const std::span<const Influence> row = rows.row(v);
    ASSERT_FALSE(row.empty()) << "point " << v;
    EXPECT_NEAR(sum_of(row), 1, 1e-6) << "point " << v;
    for (std::size_t k = 1; k < row.size(); ++k) {
      const bool is_sorted = row[k - 1].weight > row[k].weight ||
                             (row[k - 1].weight == row[k].weight && row[k - 1].slot < row[k].slot);
      EXPECT_TRUE(is_sorted) << "point " << v;
    }
  }
}

TEST(RowDistance, IsTwoForRowsWithoutACommonJointAndCountsWhatMoved) {
  const WeightRows rows = rows_of({{{0, 1}}, {{1, 1}}, {{0, 0.75f}, {1, 0.25f}}});
  EXPECT_EQ(row_distance(rows.row(0), rows.row(1)), 2);
  EXPECT_EQ(row_distance(rows.row(0), rows.row(2)), 0.5);
  EXPECT_EQ(row_distance(rows.row(2), rows.row(2)), 0);
}

TEST(PrunedWeights, DropWhatIsBelowTheThresholdAndScaleTheRest) {
  const WeightRows rows = rows_of({{{2, 0.5f}, {0, 0.375f}, {1, 0.125f}}, {{0, 1}}});
  const WeightRows pruned = pruned_weights(rows, 0.2f);
  ASSERT_EQ(pruned.row(0).size(), 2u);
  EXPECT_FLOAT_EQ(weight_of(pruned.row(0), 2), 0.5f / 0.875f);
  EXPECT_FLOAT_EQ(weight_of(pruned.row(0), 0), 0.375f / 0.875f);
  EXPECT_EQ(pruned.row(1)[0], (Influence{0, 1}));
}

TEST(PrunedWeights, KeepTheHeaviestOfARowThatIsAllBelow) {
  const WeightRows rows = rows_of({{{0, 0.375f}, {1, 0.375f}, {2, 0.25f}}});
  const WeightRows pruned = pruned_weights(rows, 0.9f);
  ASSERT_EQ(pruned.row(0).size(), 1u);
  EXPECT_EQ(pruned.row(0)[0], (Influence{0, 1}));
}

TEST(PrunedWeights, LeaveRowsAloneThatHaveNothingBelow) {
  Random random(7);
  const WeightRows rows = random_rows(random, 100, 6);
  EXPECT_EQ(pruned_weights(rows, 0), rows);
}

TEST(PrunedWeights, KeepLockedWeightsToTheLastBit) {
  const unsigned seed = 11;
  SCOPED_TRACE(seed);
  Random random(seed);
  const WeightRows rows = random_rows(random, 500, 6);
  const SlotLocks locks{false, true, false, false, true, false};
  const WeightRows pruned = pruned_weights(rows, 0.15f, locks);
  expect_valid(pruned);
  for (std::size_t v = 0; v < 500; ++v) {
    for (const Index slot : {1, 4}) EXPECT_EQ(weight_of(pruned.row(v), slot), weight_of(rows.row(v), slot));
  }
}

TEST(RemappedWeights, AddUpWhatMeets) {
  const WeightRows rows = rows_of({{{0, 0.5f}, {1, 0.25f}, {2, 0.25f}}, {{2, 1}}});
  const WeightRows merged = remapped_weights(rows, std::vector<Index>{0, 0, 2});
  EXPECT_EQ(merged, rows_of({{{0, 0.75f}, {2, 0.25f}}, {{2, 1}}}));
}

TEST(RemappedWeights, SwapAllAtOnceAndBack) {
  Random random(3);
  const WeightRows rows = random_rows(random, 200, 5);
  const std::vector<Index> swap{1, 0, 2, 4, 3};
  const WeightRows once = remapped_weights(rows, swap);
  EXPECT_NE(once, rows);
  const WeightRows back = remapped_weights(once, swap);
  for (std::size_t v = 0; v < 200; ++v) EXPECT_LT(row_distance(back.row(v), rows.row(v)), 1e-6);
}

TEST(BlendedWeights, RunFromOneSetToTheOther) {
  const WeightRows a = rows_of({{{0, 1}}}), b = rows_of({{{1, 0.75f}, {0, 0.25f}}});
  EXPECT_EQ(*blended_weights(a, b, 0), a);
  EXPECT_EQ(*blended_weights(a, b, 1), b);
  EXPECT_EQ(*blended_weights(a, b, 0.5), rows_of({{{0, 0.625f}, {1, 0.375f}}}));
}

TEST(BlendedWeights, KeepLockedWeightsOfTheFirst) {
  const unsigned seed = 5;
  SCOPED_TRACE(seed);
  Random random(seed);
  const WeightRows a = random_rows(random, 300, 5), b = random_rows(random, 300, 5);
  const Result<WeightRows> blended = blended_weights(a, b, 0.7, {true, false, false, true, false});
  ASSERT_TRUE(blended);
  expect_valid(*blended);
  for (std::size_t v = 0; v < 300; ++v) {
    for (const Index slot : {0, 3}) {
      // A row of nothing but locked joints has no room for others.
      EXPECT_EQ(weight_of(blended->row(v), slot), weight_of(a.row(v), slot)) << "point " << v;
    }
  }
}

TEST(BlendedWeights, RefuseSetsOfDifferentSizesAndFactorsOutOfRange) {
  const WeightRows a = rows_of({{{0, 1}}}), b = rows_of({{{0, 1}}, {{0, 1}}});
  EXPECT_FALSE(blended_weights(a, b, 0.5));
  EXPECT_FALSE(blended_weights(a, a, 1.5));
  EXPECT_FALSE(blended_weights({}, {}, 0.5));
}

}  // namespace
}  // namespace dermis
