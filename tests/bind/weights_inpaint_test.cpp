// SPDX-License-Identifier: MIT
// Weights filled in between held ones, where a tube's have a closed form.
#include "bind/weights_inpaint.h"

#include "bind/bound.h"

namespace dermis {
namespace {

constexpr int kAround = 12, kAlong = 40;

// A tube of rings 0 to kAlong whose rings from `begin` to before `end` are to be filled; the weight of joint
// 0 on ring r is given by `held(r)`, joint 1 has the rest.
struct HeldTube {
  Canvas canvas;
  std::vector<LooseRow> rows;

  template <class Held>
  HeldTube(int begin, int end, const Held& held) {
    const BindSurface surface = test::tube(5, kAround, kAlong);
    canvas = canvas_of(surface.points, surface.triangles);
    for (int ring = 0; ring <= kAlong; ++ring) {
      for (int k = 0; k < kAround; ++k) {
        const bool is_filled = ring >= begin && ring < end;
        canvas.is_filled[rows.size()] = is_filled ? 1 : 0;
        rows.push_back(is_filled ? LooseRow{} : LooseRow{{0, held(ring)}, {1, 1 - held(ring)}});
      }
    }
  }
  double weight(int ring, Index slot) const {
    for (const SlotWeight& one : rows[static_cast<std::size_t>(ring * kAround)]) {
      if (one.slot == slot) return one.weight;
    }
    return 0;
  }
};

// The cubic through the held rings at x = -1, 0, n and n + 1 around a gap: along a tube of even rings the
// energy is that of second differences, and fourth differences of the least are zero.
double cubic(double x, double n, const std::array<double, 4>& held) {
  const std::array<double, 4> at{-1, 0, n, n + 1};
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    double part = held[i];
    for (std::size_t j = 0; j < 4; ++j) part *= i == j ? 1 : (x - at[j]) / (at[i] - at[j]);
    sum += part;
  }
  return sum;
}

TEST(InpaintRows, FollowTheCubicThatMeetsBothEndsWithTheirSlopes) {
  // Level at one end; falling at the other.
  const auto held = [](int ring) { return ring < 20 ? 0.875 : 0.5 - 0.01 * (ring - 30); };
  HeldTube tube(11, 30, held);
  const Result<std::vector<std::uint8_t>> is_harmonic = inpaint_rows(tube.canvas, tube.rows, {});
  ASSERT_TRUE(is_harmonic) << is_harmonic.error().sentence;
  EXPECT_EQ(std::count(is_harmonic->begin(), is_harmonic->end(), 1), 0);
  const std::array<double, 4> ends{held(9), held(10), held(30), held(31)};
  double bend = 0;
  for (int ring = 11; ring < 30; ++ring) {
    EXPECT_NEAR(tube.weight(ring, 0), cubic(ring - 10, 20, ends), 1e-5) << ring;
    EXPECT_NEAR(tube.weight(ring, 0) + tube.weight(ring, 1), 1, 1e-6) << ring;
    bend = std::max(bend, std::abs(tube.weight(ring, 0) - std::lerp(held(10), held(30), (ring - 10) / 20.0)));
  }
  EXPECT_GT(bend, 0.02);  // it is not the straight line of a harmonic fill
}

TEST(InpaintRows, KeepAStraightSlopeStraight) {
  const auto held = [](int ring) { return ring / 50.0; };
  HeldTube tube(12, 33, held);
  ASSERT_TRUE(inpaint_rows(tube.canvas, tube.rows, {}));
  for (int ring = 12; ring < 33; ++ring) EXPECT_NEAR(tube.weight(ring, 0), held(ring), 1e-5) << ring;
}

TEST(InpaintRows, StayWithinBoundsWhereTheCubicDoesNot) {
  const auto held = [](int ring) { return ring < 20 ? 0.9 + 0.1 * (ring - 10) : 0.9 - 0.1 * (ring - 30); };
  EXPECT_GT(cubic(10, 20, {0.8, 0.9, 0.9, 0.8}), 1.2);
  HeldTube tube(11, 30, [&](int ring) { return std::clamp(held(ring), 0.0, 1.0); });
  ASSERT_TRUE(inpaint_rows(tube.canvas, tube.rows, {}));
  for (int ring = 11; ring < 30; ++ring) {
    EXPECT_LE(tube.weight(ring, 0), 1) << ring;
    EXPECT_GE(tube.weight(ring, 1), 0) << ring;
  }
  EXPECT_EQ(tube.weight(20, 0), 1);
}

// One end is held and the other free, over so many rings that doubles cannot settle fourth differences.
TEST(InpaintRows, AreHarmonicWhereRoundingLeavesNothingBetter) {
  const int along = 12000;
  const BindSurface surface = test::tube(5, 3, along);
  Canvas canvas = canvas_of(surface.points, surface.triangles);
  std::vector<LooseRow> rows(surface.points.size());
  for (std::size_t v = 0; v < rows.size(); ++v) {
    canvas.is_filled[v] = v < 6 ? 0 : 1;
    if (v < 6) rows[v] = {{0, 0.25}, {2, 0.75}};
  }
  const Result<std::vector<std::uint8_t>> is_harmonic = inpaint_rows(canvas, rows, {});
  ASSERT_TRUE(is_harmonic) << is_harmonic.error().sentence;
  for (std::size_t v = 6; v < rows.size(); ++v) {
    ASSERT_EQ(rows[v].size(), 2u) << v;
    ASSERT_NEAR(rows[v][0].weight, 0.25, 0.01) << v;
  }
}

TEST(InpaintRows, StopWhenAsked) {
  HeldTube tube(11, 30, [](int) { return 0.5; });
  const std::atomic<bool> stop = true;
  const auto stopped = inpaint_rows(tube.canvas, tube.rows, Progress({}, &stop));
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Errc::cancelled);
}

}  // namespace
}  // namespace dermis
