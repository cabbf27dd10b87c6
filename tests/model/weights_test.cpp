// SPDX-License-Identifier: MIT
// Laws of weight rows: what the builder mends, and what packing keeps.
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "characters.h"
#include "dermis/model.h"

namespace dermis {
namespace {

using test::Random;

WeightRows closed(std::initializer_list<Influence> raw, WeightRowBuilder::Repairs* repairs = nullptr) {
  WeightRowBuilder builder;
  for (const Influence& influence : raw) builder.add(influence.slot, influence.weight);
  builder.close_row(1e-4);
  if (repairs != nullptr) *repairs = builder.repairs();
  return builder.take();
}

void expect_row_invariant(std::span<const Influence> row) {
  ASSERT_FALSE(row.empty());
  double sum = 0;
  std::set<Index> slots;
  for (std::size_t i = 0; i < row.size(); ++i) {
    EXPECT_GT(row[i].weight, 0.0f);
    EXPECT_LE(row[i].weight, 1.0f);
    EXPECT_TRUE(slots.insert(row[i].slot).second) << "slot twice";
    if (i > 0) {
      EXPECT_TRUE(row[i - 1].weight > row[i].weight ||
                  (row[i - 1].weight == row[i].weight && row[i - 1].slot < row[i].slot));
    }
    sum += static_cast<double>(row[i].weight);
  }
  EXPECT_NEAR(sum, 1, 1.0 / (1 << 23));
}

TEST(WeightRowBuilder, SortsHeaviestFirstAndTiesByLowerSlot) {
  const WeightRows rows = closed({{7, 0.25f}, {2, 0.25f}, {5, 0.5f}});
  EXPECT_EQ(rows, test::rows_of({{{5, 0.5f}, {2, 0.25f}, {7, 0.25f}}}));
}

TEST(WeightRowBuilder, DropsZerosWithoutCallingItARepair) {
  WeightRowBuilder::Repairs repairs;
  EXPECT_EQ(closed({{3, 1}, {0, 0}, {0, 0}}, &repairs), test::rows_of({{{3, 1}}}));
  EXPECT_EQ(repairs.negative + repairs.merged + repairs.not_normalised + repairs.unweighted, 0u);
  EXPECT_EQ(repairs.worst_sum, 1);
}

TEST(WeightRowBuilder, AddsUpASlotNamedTwice) {
  WeightRowBuilder::Repairs repairs;
  EXPECT_EQ(closed({{3, 0.25f}, {1, 0.5f}, {3, 0.25f}}, &repairs), test::rows_of({{{1, 0.5f}, {3, 0.5f}}}));
  EXPECT_EQ(repairs.merged, 1u);
}

TEST(WeightRowBuilder, CountsNegativeAndNonFiniteWeights) {
  WeightRowBuilder::Repairs repairs;
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(closed({{3, 1}, {1, -0.5f}, {2, nan}, {4, inf}, {5, -inf}}, &repairs), test::rows_of({{{3, 1}}}));
  EXPECT_EQ(repairs.negative, 4u);
}

TEST(WeightRowBuilder, NormalisesAndRemembersTheWorstSum) {
  WeightRowBuilder builder;
  builder.add(0, 0.5f);
  builder.close_row(1e-4);
  builder.add(0, 1.00005f);
  builder.close_row(1e-4);
  EXPECT_EQ(builder.repairs().not_normalised, 1u);
  EXPECT_EQ(builder.repairs().worst_sum, 0.5);
  EXPECT_EQ(builder.take(), test::rows_of({{{0, 1}}, {{0, 1}}}));
}

TEST(WeightRowBuilder, GivesAnUnweightedRowToItsFirstNamedSlot) {
  WeightRowBuilder::Repairs repairs;
  EXPECT_EQ(closed({{9, 0}, {4, -1}}, &repairs), test::rows_of({{{9, 1}}}));
  EXPECT_EQ(repairs.unweighted, 1u);
  EXPECT_EQ(repairs.not_normalised, 0u);
  EXPECT_EQ(closed({}), test::rows_of({{{0, 1}}}));
}

TEST(WeightRowBuilder, HoldsTheInvariantAtTheEdgesOfFloat) {
  const float most = std::numeric_limits<float>::max(), least = std::numeric_limits<float>::denorm_min();
  for (const WeightRows& rows : {closed({{0, most}, {0, most}, {1, most}}), closed({{0, most}, {1, least}}),
                                 closed({{0, least}, {1, least}}), closed({{0, 1}, {1, least}})}) {
    expect_row_invariant(rows.row(0));
  }
}

TEST(WeightRowBuilder, KeepsTheInvariantOnRandomRowsAndClosingTwiceIsClosingOnce) {
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    WeightRowBuilder builder;
    const int count = random.below(40);
    for (int i = 0; i < count; ++i) builder.add(random.below(24), static_cast<float>(random.in(-0.1, 1)));
    builder.close_row(1e-4);
    const WeightRows once = builder.take();
    expect_row_invariant(once.row(0));
    for (const Influence& influence : once.influences) builder.add(influence.slot, influence.weight);
    builder.close_row(1e-4);
    EXPECT_EQ(builder.repairs().not_normalised, 0u);
    EXPECT_EQ(builder.take(), once);
  }
}

TEST(WeightRowBuilder, KeepsQuantisedWeightsAsTheyAre) {
  const WeightRows rows = closed({{0, 40000 / 65535.0f}, {1, 25000 / 65535.0f}, {2, 535 / 65535.0f}});
  EXPECT_EQ(rows.influences[0].weight, 40000 / 65535.0f);
  EXPECT_EQ(rows.influences[2].weight, 535 / 65535.0f);
}

TEST(WeightRowBuilder, StartsAnewAfterTake) {
  WeightRowBuilder builder;
  builder.add(0, -1);
  builder.close_row(0);
  EXPECT_EQ(builder.take().first.size(), 2u);
  EXPECT_EQ(builder.repairs().negative, 0u);
  EXPECT_TRUE(builder.take().empty());
}

// ---- Packing ------------------------------------------------------------------------------------------

WeightRows random_rows(Random& random, int row_count) {
  WeightRowBuilder builder;
  for (int v = 0; v < row_count; ++v) {
    const int count = 1 + random.below(10);
    for (int i = 0; i < count; ++i) {
      builder.add(random.below(300), static_cast<float>(std::pow(random.in(0.001, 1), 3)));
    }
    builder.close_row(1);
  }
  return builder.take();
}

class PackWeights : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Scales, PackWeights, testing::Values(255u, 65535u));

TEST_P(PackWeights, SumsExactlyInOrderWithUniqueSlots) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const WeightRows rows = random_rows(random, 20);
    const int width = random.below(2) == 0 ? 4 : 8;
    const PackedWeights packed = pack_weights(rows, width, GetParam());
    ASSERT_EQ(packed.weights.size(), 20u * at(width));
    for (std::size_t v = 0; v < 20; ++v) {
      std::uint32_t sum = 0;
      std::set<int> slots;
      for (std::size_t i = v * at(width); i < (v + 1) * at(width); ++i) {
        sum += packed.weights[i];
        const bool is_first = i == v * at(width);
        EXPECT_TRUE(is_first || packed.weights[i - 1] >= packed.weights[i]);
        EXPECT_TRUE(packed.weights[i] == 0 || slots.insert(packed.slots[i]).second);
        EXPECT_TRUE(packed.weights[i] > 0 || packed.slots[i] == 0);
      }
      EXPECT_EQ(sum, GetParam());
    }
  }
}

TEST_P(PackWeights, StaysWithinOneGrainOfTheRow) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const WeightRows rows = random_rows(random, 20);
    const PackedWeights packed = pack_weights(rows, 16, GetParam());
    EXPECT_EQ(packed.cut_rows, 0u);
    for (std::size_t v = 0; v < 20; ++v) {
      const auto row = rows.row(v);
      for (std::size_t i = 0; i < row.size(); ++i) {
        const double grains = static_cast<double>(row[i].weight) * GetParam();
        EXPECT_LT(std::abs(packed.weights[v * 16 + i] - grains), 1.01);
      }
    }
  }
}

TEST_P(PackWeights, GivesBackWhatItPacked) {
  const float scale = static_cast<float>(GetParam());
  const std::uint16_t most = static_cast<std::uint16_t>(GetParam() - 71);
  const WeightRows rows = closed({{2, 40 / scale}, {4, static_cast<float>(most) / scale}, {9, 31 / scale}});
  const PackedWeights packed = pack_weights(rows, 4, GetParam());
  EXPECT_EQ(packed.weights, (std::vector<std::uint16_t>{most, 40, 31, 0}));
  EXPECT_EQ(packed.slots, (std::vector<std::uint16_t>{4, 2, 9, 0}));
}

TEST(PackWeightsCut, KeepsTheLargestAndReportsWhatItCut) {
  const WeightRows rows = test::rows_of({{{8, 0.5f}, {6, 0.25f}, {3, 0.125f}, {1, 0.125f}}, {{5, 1}}});
  const PackedWeights packed = pack_weights(rows, 2, 255);
  EXPECT_EQ(packed.cut_rows, 1u);
  EXPECT_EQ(packed.max_cut, 0.25f);
  EXPECT_EQ(packed.slots, (std::vector<std::uint16_t>{8, 6, 5, 0}));
  EXPECT_EQ(packed.weights, (std::vector<std::uint16_t>{170, 85, 255, 0}));
}

TEST(PackWeightsCut, GivesNoWeightToSlotsBelowHalfAGrain) {
  const WeightRows rows = closed({{8, 0.999f}, {6, 0.001f}});
  const PackedWeights packed = pack_weights(rows, 4, 255);
  EXPECT_EQ(packed.slots, (std::vector<std::uint16_t>{8, 0, 0, 0}));
  EXPECT_EQ(packed.weights, (std::vector<std::uint16_t>{255, 0, 0, 0}));
}

TEST(PackWeightsCut, OfNothingIsNothing) { EXPECT_TRUE(pack_weights({}, 4, 255).weights.empty()); }

}  // namespace
}  // namespace dermis
