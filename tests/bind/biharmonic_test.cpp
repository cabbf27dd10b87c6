// SPDX-License-Identifier: MIT
// Bounded biharmonic weights against the cubic that a bar must give, and their bounds.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <iterator>
#include <map>
#include <optional>
#include <thread>

#include "bind/bound.h"

namespace dermis {
namespace {

using test::Soup;

struct Bound {
  WeightRows rows;
  Notes notes;
};

Bound bound_of(const Soup& soup, const BindSkeleton& skeleton, const BiharmonicOptions& options = {}) {
  Bound bound;
  auto rows = bind_biharmonic(test::surface_of(soup), skeleton, options);
  EXPECT_TRUE(rows.ok()) << (rows ? "" : rows.error().sentence);
  if (rows) bound = {std::move(rows->rows), std::move(rows->notes)};
  EXPECT_EQ(bound.rows.first.size(), soup.points.size() + 1);
  for (std::size_t v = 0; v < soup.points.size(); ++v) {
    double sum = 0;
    for (const Influence& i : bound.rows.row(v)) {
      EXPECT_GT(i.weight, 0);
      EXPECT_LE(i.weight, 1);
      sum += static_cast<double>(i.weight);
    }
    EXPECT_NEAR(sum, 1, kWeightSumTolerance) << v;
  }
  return bound;
}

const Soup kRod = test::rod_soup(test::straight_path({-1, 0, 0}, {1, 0, 0}, 40), 0.2);
const std::vector<Segment> kTwoBones{{{-0.95, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0.95, 0, 0}}};

// A square bar from 0 to 1 along x whose end faces are the handles: segments side by side over each.
TEST(BindBiharmonic, GivesTheCubicSmoothstepOnABarHeldAtBothEnds) {
  Soup bar = test::box_soup({0, -0.03, -0.03}, {1, 0.03, 0.03});
  for (int k = 0; k <= 100; ++k) {
    for (const float side : {-0.03f, 0.0f, 0.03f})
      bar.points.push_back({0.01f * static_cast<float>(k), side, 0.03f});
  }
  BindSkeleton skeleton = test::chain({{{0, 0, 0}, {0, 0, 0}}, {{1, 0, 0}, {1, 0, 0}}});
  skeleton.segments.clear();
  for (const Index joint : {0, 1}) {
    for (int k = -4; k <= 4; ++k) {
      const double z = 0.00749 * k, x = joint;
      skeleton.segments.push_back({joint, {x, -0.03, z}, {x, 0.03, z}});
    }
  }
  const Bound bound = bound_of(bar, skeleton, {.cell = 0.0075});
  double worst = 0;
  for (std::size_t v = 8; v < bar.points.size(); ++v) {
    const double t = static_cast<double>(bar.points[v].x);
    worst = std::max(worst, std::abs(test::weight_of(bound.rows, v, 0) - (1 - 3 * t * t + 2 * t * t * t)));
  }
  RecordProperty("worst", std::to_string(worst));
  EXPECT_LT(worst, 0.01);
}

TEST(BindBiharmonic, HalvesWeightsBetweenTwoBonesAndIsMirrored) {
  const Bound bound = bound_of(kRod, test::chain(kTwoBones), {.cells = 4000});
  const std::size_t sides = 32, rows = 41;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t s = 0; s < sides; ++s) {
      const double left = test::weight_of(bound.rows, r * sides + s, 0);
      EXPECT_NEAR(left, test::weight_of(bound.rows, (rows - 1 - r) * sides + s, 1), 0.01);
      if (r == rows / 2) {
        EXPECT_NEAR(left, 0.5, 0.01);
      }
      if (r < 8) {
        EXPECT_GT(left, 0.98);
      }
    }
  }
}

TEST(BindBiharmonic, DoesNotChangeWithScale) {
  const Bound plain = bound_of(kRod, test::chain(kTwoBones), {.cells = 2000});
  Soup moved = kRod;
  std::vector<Segment> bones = kTwoBones;
  const auto move = [](const Vec3d& p) { return p * 64; };
  for (Vec3& p : moved.points) p = Vec3(move(Vec3d(p)));
  for (Segment& s : bones) s = {move(s.from), move(s.to)};
  const Bound other = bound_of(moved, test::chain(bones), {.cells = 2000});
  for (std::size_t v = 0; v < kRod.points.size(); ++v) {
    EXPECT_NEAR(test::weight_of(plain.rows, v, 0), test::weight_of(other.rows, v, 0), 1e-3);
  }
}

TEST(BindBiharmonic, KeepsWeightsWithinBoundsWhereTheUnboundedOnesOvershoot) {
  // Five bones in a row: between the outer ones the plain biharmonic solution of an inner one falls below
  // zero.
  std::vector<Segment> bones;
  for (int k = 0; k < 5; ++k) bones.push_back({{-0.9 + 0.45 * k, 0, 0}, {-0.9 + 0.45 * k, 0, 0}});
  const Bound bound =
      bound_of(kRod, test::chain(bones), {.cells = 4000, .tolerance = 1e-3, .iterations = 400});
  EXPECT_TRUE(std::none_of(bound.notes.begin(), bound.notes.end(),
                           [](const Note& n) { return n.id == "bind-not-settled"; }));
}

TEST(BindBiharmonic, BearsPiecesOneTrianglePointsAloneAndJointsOutside) {
  Soup pieces = kRod;
  pieces.add(test::box_soup({0, 1, 0}, {0.3, 1.3, 0.3}));
  bound_of(pieces, test::chain(kTwoBones), {.cells = 2000});
  Soup one;
  one.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  one.triangles = {{0, 1, 2}};
  bound_of(one, test::chain(kTwoBones), {.cells = 500});
  one.triangles.clear();
  bound_of(one, test::chain(kTwoBones));
  const Bound outside =
      bound_of(kRod, test::chain({{{-5, 3, 0}, {-5, 3, 0}}, {{5, 3, 0}, {5, 3, 0}}}), {.cells = 2000});
  EXPECT_TRUE(std::any_of(outside.notes.begin(), outside.notes.end(),
                          [](const Note& n) { return n.id == "bind-joints-outside"; }));
}

TEST(BindBiharmonic, RefusesNoJointsNoPointsAndStops) {
  EXPECT_FALSE(bind_biharmonic(test::surface_of(kRod), {}).ok());
  EXPECT_FALSE(bind_biharmonic({}, test::chain(kTwoBones)).ok());
  const std::atomic<bool> stop = true;
  const auto stopped =
      bind_biharmonic(test::surface_of(kRod), test::chain(kTwoBones), {}, Progress({}, &stop));
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, Errc::cancelled);
}

using Clock = std::chrono::steady_clock;

// Binds the rod, and keeps when the work at each fraction began; `stop_at` is when to stop the work at this
// fraction, in seconds after it began.
struct TimedBinding {
  std::map<double, Clock::time_point> began;
  Clock::time_point stopped, ended;
  std::optional<Errc> failure;

  TimedBinding(double fraction, double stop_after) {
    std::atomic<bool> stop = false, is_there = false;
    std::thread impatient([&] {
      while (!is_there) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::duration<double>(stop_after));
      stopped = Clock::now();
      stop = true;
    });
    const auto listener = [&](std::string_view, double heard) {
      began.emplace(heard, Clock::now());
      if (heard >= fraction) is_there = true;
    };
    const auto bound = bind_biharmonic(test::surface_of(kRod), test::chain(kTwoBones), {.cells = 8000},
                                       Progress(listener, &stop));
    ended = Clock::now();
    if (!bound) failure = bound.error().code;
    is_there = true;
    impatient.join();
  }
};

// Both factorizations are left soon after somebody asks, long before they are done.
TEST(BindBiharmonic, StopsAmidAFactorization) {
  const auto seconds = [](Clock::duration d) { return std::chrono::duration<double>(d).count(); };
  const TimedBinding whole(2, 0);
  ASSERT_FALSE(whole.failure);
  for (const double fraction : {0.2, 0.25}) {
    SCOPED_TRACE(fraction);
    const auto at = whole.began.find(fraction);
    ASSERT_NE(at, whole.began.end());
    const double usual = seconds(std::next(at)->second - at->second);
    const TimedBinding cut(fraction, usual / 8);
    ASSERT_EQ(cut.failure, Errc::cancelled);
    EXPECT_EQ(cut.began.rbegin()->first, fraction);
    EXPECT_LT(seconds(cut.ended - cut.stopped), usual / 2);
  }
}

TEST(BindBiharmonic, IsTheSameOnAnyThreadCount) {
  const int before = thread_count();
  set_thread_count(1);
  const Bound one = bound_of(kRod, test::chain(kTwoBones), {.cells = 1500});
  set_thread_count(4);
  const Bound four = bound_of(kRod, test::chain(kTwoBones), {.cells = 1500});
  set_thread_count(before);
  EXPECT_EQ(one.rows, four.rows);
}

}  // namespace
}  // namespace dermis
