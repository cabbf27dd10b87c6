// SPDX-License-Identifier: MIT
// The ledger of memory: blocks are added and removed, and refused above the limit with the limit in the
// sentence.
#include <gtest/gtest.h>

#include <new>
#include <thread>
#include <vector>

#include "base/ledger.h"
#include "dermis/base.h"

namespace dermis {
namespace {

constexpr std::uint64_t kMegabyte = 1 << 20;

// Nothing else in this program counts, and every test leaves the ledger as it was.
class Ledger : public testing::Test {
 protected:
  ~Ledger() override { set_memory_limit(UINT64_MAX); }
  const std::uint64_t before = counted_memory();
};

TEST_F(Ledger, RefusesTheBlockThatExceedsTheLimit) {
  set_memory_limit(before + 10 * kMegabyte);
  EXPECT_TRUE(count_memory(8 * kMegabyte));
  EXPECT_FALSE(count_memory(4 * kMegabyte));
  EXPECT_EQ(counted_memory(), before + 8 * kMegabyte);  // the refused one is not counted
  EXPECT_TRUE(count_memory(kMegabyte));
  uncount_memory(9 * kMegabyte);
  EXPECT_TRUE(count_memory(9 * kMegabyte));
  uncount_memory(9 * kMegabyte);
  EXPECT_EQ(counted_memory(), before);
}

TEST_F(Ledger, AddsUpSmallBlocks) {
  set_memory_limit(before + kMegabyte);
  std::size_t handed_out = 0;
  while (handed_out < 100000 && count_memory(100)) ++handed_out;
  EXPECT_GE(handed_out * 100, kMegabyte - (64 << 10));
  EXPECT_LE(handed_out * 100, kMegabyte + (64 << 10));
  for (std::size_t k = 0; k < handed_out; ++k) uncount_memory(100);
}

TEST_F(Ledger, CountsAllThreads) {
  constexpr std::size_t kThreads = 4, kBlocks = 1000;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([] {
      for (std::size_t k = 0; k < kBlocks; ++k) ASSERT_TRUE(count_memory(1000));
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto counted = static_cast<double>(counted_memory() - before);
  EXPECT_NEAR(counted, 1000.0 * kBlocks * kThreads, (64 << 10) * (kThreads + 1));
  uncount_memory(1000 * kBlocks * kThreads);
}

TEST_F(Ledger, ItsLimitIsInTheSentenceAndTheRemedy) {
  const auto fail = []() -> Status { throw std::bad_alloc(); };
  EXPECT_EQ(without_throwing("a.glb", fail).error().sentence, "a.glb: not enough memory");
  set_memory_limit(before + kMegabyte);
  ASSERT_FALSE(count_memory(2 * kMegabyte));
  const Error error = without_throwing("a.glb", fail).error();
  EXPECT_EQ(error.code, Errc::too_large);
  EXPECT_EQ(error.sentence,
            "a.glb: needs more memory than the allowed " + std::to_string(before + kMegabyte) + " bytes");
  EXPECT_EQ(error.remedies, Remedies{{"max_memory"}});
  set_memory_limit(UINT64_MAX);
  EXPECT_EQ(without_throwing("a.glb", fail).error().sentence, "a.glb: not enough memory");
}

}  // namespace
}  // namespace dermis
