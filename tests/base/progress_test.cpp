// SPDX-License-Identifier: MIT
// Tests of progress reports and of stopping.
#include <gtest/gtest.h>

#include <string>
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
