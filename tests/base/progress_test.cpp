// SPDX-License-Identifier: MIT
// Tests of progress reports and of stopping.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dermis/base.h"

namespace dermis {
namespace {

TEST(Progress, DefaultIsSilentAndNeverStops) {
  const Progress progress;
  EXPECT_TRUE(progress.at("decoding meshes", 0.5).ok());
  EXPECT_FALSE(progress.is_stopped());
}

TEST(Progress, TellsTheListenerStageAndFraction) {
  std::vector<std::pair<std::string, double>> heard;
  const Progress progress([&](std::string_view stage, double f) { heard.emplace_back(stage, f); }, nullptr);
  EXPECT_TRUE(progress.at("decoding meshes", 0.25).ok());
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0].first, "decoding meshes");
  EXPECT_EQ(heard[0].second, 0.25);
}

TEST(Progress, StopFlagCancelsNamesTheStageAndSilencesTheListener) {
  int calls = 0;
  std::atomic<bool> stop{false};
  const Progress progress([&](std::string_view, double) { ++calls; }, &stop);
  EXPECT_TRUE(progress.at("decoding meshes", 0.1).ok());
  stop = true;
  const Status status = progress.at("building weights", 0.2);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Errc::cancelled);
  EXPECT_NE(status.error().sentence.find("building weights"), std::string::npos);
  EXPECT_EQ(calls, 1);
}

TEST(Progress, ListenerThatSetsTheFlagStopsTheSameReport) {
  std::atomic<bool> stop{false};
  const Progress progress([&](std::string_view, double) { stop = true; }, &stop);
  EXPECT_FALSE(progress.at("decoding meshes", 0.1).ok());
}

TEST(Progress, PartsTellTheirShareOfTheWhole) {
  std::vector<double> heard;
  const Progress whole([&](std::string_view, double fraction) { heard.push_back(fraction); }, nullptr);
  const Progress second_half = whole.part(0.5, 1);
  for (const double fraction : {0.0, 0.5, 1.0}) EXPECT_TRUE(second_half.at("posing", fraction));
  EXPECT_TRUE(second_half.part(0.5, 0.75).at("posing", 1));
  EXPECT_EQ(heard, (std::vector{0.5, 0.75, 1.0, 0.875}));
}

TEST(Progress, PartsShareTheStopFlag) {
  std::atomic<bool> stop{false};
  const Progress part = Progress(nullptr, &stop).part(0, 0.5);
  stop = true;
  EXPECT_EQ(part.at("posing", 0).error().code, Errc::cancelled);
}

TEST(Progress, IsHeardByOneThreadAtATime) {
  std::atomic<int> inside = 0;
  int calls = 0, most = 0;  // unguarded: the promise is what guards them
  const Progress progress(
      [&](std::string_view, double) {
        most = std::max(most, ++inside);
        ++calls;
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        --inside;
      },
      nullptr);
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([part = progress.part(0.25 * k, 0.25 * (k + 1))] {
      for (int n = 0; n < 50; ++n) EXPECT_TRUE(part.at("posing", 0.02 * n));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(most, 1);
  EXPECT_EQ(calls, 200);
}

TEST(Progress, CopiesShareTheStopFlag) {
  std::atomic<bool> stop{false};
  const Progress progress(nullptr, &stop);
  const Progress copy = progress;
  stop = true;
  EXPECT_TRUE(copy.is_stopped());
  EXPECT_FALSE(copy.at("decoding meshes", 0).ok());
}

}  // namespace
}  // namespace dermis
