// SPDX-License-Identifier: MIT
// Counts in sentences.
#include <gtest/gtest.h>

#include "dermis/base.h"

namespace dermis {
namespace {

TEST(Counted, SaysOneOfAThingAndManyOfIt) {
  EXPECT_EQ(counted(0, "clip", "clips"), "0 clips");
  EXPECT_EQ(counted(1, "clip", "clips"), "1 clip");
  EXPECT_EQ(counted(2, "row was", "rows were"), "2 rows were");
}

}  // namespace
}  // namespace dermis
