// SPDX-License-Identifier: MIT
// Round steps, and numbers that tell neighbours apart.
#include "picture/ticks.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dermis {
namespace {

TEST(RoundStep, IsTheSmallestThatCutsIntoFewEnough) {
  EXPECT_DOUBLE_EQ(round_step(1, 5), 0.2);
  EXPECT_DOUBLE_EQ(round_step(1.01, 5), 0.5);
  EXPECT_DOUBLE_EQ(round_step(120, 7), 20);
  EXPECT_DOUBLE_EQ(round_step(3e-7, 3), 1e-7);
  EXPECT_DOUBLE_EQ(round_step(26, 5), 10);
}

TEST(TickText, TellsEveryTickFromTheNext) {
  for (const double step : {1e-12, 2e-5, 0.05, 0.2, 5.0, 100.0, 2e5, 1e9}) {
    for (const double low : {-3 * step, 0.0, 7 * step, 1000 * step}) {
      for (int k = 0; k < 5; ++k)
        EXPECT_NE(tick_text(low + k * step, step), tick_text(low + (k + 1) * step, step)) << step << low;
    }
  }
}

TEST(TickText, ShowsWhatTheStepNeedsAndNoMinusBeforeZero) {
  EXPECT_EQ(tick_text(0.1, 0.05), "0.10");
  EXPECT_EQ(tick_text(20, 20), "20");
  EXPECT_EQ(tick_text(-1e-18, 0.05), "0");
  EXPECT_EQ(tick_text(4e-5, 2e-5), "4e-05");
}

}  // namespace
}  // namespace dermis
