// SPDX-License-Identifier: MIT
// Tests of parallel loops: coverage, fixed ranges, same bytes, exceptions.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "dermis/base.h"

namespace dermis {
namespace {

// Leaves the process-wide thread count as it was found.
class ParallelFor : public ::testing::Test {
 protected:
  void TearDown() override { set_thread_count(0); }
};

using Ranges = std::set<std::pair<std::size_t, std::size_t>>;

Ranges ranges_of(std::size_t count, std::size_t grain) {
  Ranges ranges;
  std::mutex mutex;
  parallel_for(count, grain, [&](std::size_t begin, std::size_t end) {
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(ranges.emplace(begin, end).second);
  });
  return ranges;
}

TEST_F(ParallelFor, VisitsEachItemExactlyOnce) {
  for (const int threads : {1, 2, 4}) {
    set_thread_count(threads);
    for (const std::size_t count : {0u, 1u, 2u, 15u, 16u, 17u, 63u, 101u, 1023u, 4099u}) {
      for (const std::size_t grain : {1u, 3u, 16u, 5000u}) {
        std::vector<std::atomic<int>> visits(count);
        parallel_for(count, grain, [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) ++visits[i];
        });
        for (std::size_t i = 0; i < count; ++i) {
          ASSERT_EQ(visits[i], 1) << "item " << i << " of " << count << " by " << grain;
        }
      }
    }
  }
}

TEST_F(ParallelFor, RangesAreCutAtEveryMultipleOfTheGrainWhateverTheThreadCount) {
  const Ranges expected = {{0, 16}, {16, 32}, {32, 48}, {48, 50}};
  for (const int threads : {1, 2, 3, 8}) {
    set_thread_count(threads);
    EXPECT_EQ(ranges_of(50, 16), expected) << threads;
  }
}

// Sums that run along a range: their bytes show where the ranges began.
std::vector<float> running_sums(std::size_t count) {
  std::vector<float> sums(count);
  parallel_for(count, 64, [&](std::size_t begin, std::size_t end) {
    float sum = 0;
    for (std::size_t i = begin; i < end; ++i) sums[i] = sum += std::sin(static_cast<float>(i));
  });
  return sums;
}

TEST_F(ParallelFor, GivesTheSameBytesOnOneThreadAndOnTwo) {
  set_thread_count(1);
  const std::vector<float> one = running_sums(100'003);
  set_thread_count(2);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const std::vector<float> two = running_sums(100'003);
    ASSERT_EQ(std::memcmp(one.data(), two.data(), one.size() * sizeof(float)), 0);
  }
}

TEST_F(ParallelFor, OneGrainRunsInlineAndNothingRunsForNoItems) {
  const std::thread::id caller = std::this_thread::get_id();
  int calls = 0;
  parallel_for(16, 16, [&](std::size_t begin, std::size_t end) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(begin, 0u);
    EXPECT_EQ(end, 16u);
    ++calls;
  });
  EXPECT_EQ(calls, 1);
  parallel_for(0, 16, [&](std::size_t, std::size_t) { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST_F(ParallelFor, ExceptionInABodyReachesTheCaller) {
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    const auto throw_at_500 = [](std::size_t begin, std::size_t end) {
      if (begin <= 500 && 500 < end) throw std::runtime_error("item 500");
    };
    for (const std::size_t grain : {7u, 1000u}) {
      try {
        parallel_for(1000, grain, throw_at_500);
        FAIL() << "nothing was thrown";
      } catch (const std::runtime_error& e) {
        EXPECT_STREQ(e.what(), "item 500");
      }
    }
    EXPECT_EQ(ranges_of(50, 16).size(), 4u) << "the next loop works";
  }
}

TEST_F(ParallelFor, LoopInsideALoopVisitsEachPairExactlyOnce) {
  set_thread_count(2);
  std::vector<std::atomic<int>> visits(40 * 8);
  parallel_for(40, 1, [&](std::size_t outer, std::size_t) {
    parallel_for(8, 1, [&](std::size_t inner, std::size_t) { ++visits[outer * 8 + inner]; });
  });
  for (const std::atomic<int>& count : visits) EXPECT_EQ(count, 1);
}

TEST_F(ParallelFor, UsesNoMoreThreadsThanAllowed) {
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    std::set<std::thread::id> seen;
    std::mutex mutex;
    parallel_for(2000, 1, [&](std::size_t, std::size_t) {
      volatile double work = 0;
      for (int i = 0; i < 200; ++i) work = work + std::sqrt(i);
      const std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    });
    EXPECT_LE(seen.size(), static_cast<std::size_t>(threads));
  }
}

TEST_F(ParallelFor, ThreadCountIsWhatWasSetAndZeroAsksForTheMachine) {
  const int machine = thread_count();
  EXPECT_GE(machine, 1);
  for (const int threads : {1, 2, 5, 1}) {
    set_thread_count(threads);
    EXPECT_EQ(thread_count(), threads);
  }
  set_thread_count(0);
  EXPECT_EQ(thread_count(), machine);
}

}  // namespace
}  // namespace dermis
