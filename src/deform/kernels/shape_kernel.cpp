// SPDX-License-Identifier: MIT
// The kernel of blend shapes: sums of weighted offsets, run by run of points.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/kernels/shape_kernel.cpp"
#include "base/kernel_targets.h"

#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>

#include "deform/kernels/shape_job.h"

HWY_BEFORE_NAMESPACE();
namespace dermis::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
// A point is x, y, z and a number that is not used.
constexpr hn::CappedTag<double, 4> kSums;
constexpr hn::Rebind<float, decltype(kSums)> kFloats;

// Reads and writes one number after `from` and `to`.
HWY_INLINE void widen(const float* from, double* to) {
  for (std::size_t i = 0; i < 4; i += hn::Lanes(kSums))
    hn::Store(hn::PromoteTo(kSums, hn::LoadU(kFloats, from + i)), kSums, to + i);
}

// The product of two floats is exact in double, so it does not matter whether the machine fuses it with the
// sum: every instruction set gives the bytes of the plain loop.
HWY_INLINE void add_scaled(const float* offset, double weight, double* sum) {
  const auto factor = hn::Set(kSums, weight);
  for (std::size_t i = 0; i < 4; i += hn::Lanes(kSums)) {
    const auto added = hn::PromoteTo(kSums, hn::LoadU(kFloats, offset + i));
    hn::Store(hn::MulAdd(added, factor, hn::Load(kSums, sum + i)), kSums, sum + i);
  }
}

// The entries [begin, end) of a shape; `end_of_shape` is the number of its last one, plus one. Meanwhile the
// offsets at `next` are fetched: runs are too short for the machine to foresee where the next shape's begin.
HWY_INLINE void add_entries(const ShapeEntries& entries, std::size_t begin, std::size_t end,
                            std::size_t first_point, const float* next, double* sums) {
  const Index* points = entries.points;
  const double weight = entries.weight;
  // After the last offset there is nothing to read.
  const std::size_t whole = std::min(end, entries.count - 1);
  std::size_t k = begin;
  for (; k + 4 <= whole; k += 4) {
    const float* offsets = entries.offsets + 3 * k;
    hwy::Prefetch(next + 3 * (k - begin));
    if (points[k + 3] == points[k] + 3) {
      double* sum = sums + 4 * (at(points[k]) - first_point);
      for (std::size_t i = 0; i < 4; ++i) add_scaled(offsets + 3 * i, weight, sum + 4 * i);
    } else {
      for (std::size_t i = 0; i < 4; ++i)
        add_scaled(offsets + 3 * i, weight, sums + 4 * (at(points[k + i]) - first_point));
    }
  }
  for (; k < whole; ++k)
    add_scaled(entries.offsets + 3 * k, weight, sums + 4 * (at(points[k]) - first_point));
  if (k == end) return;
  const float* last = entries.offsets + 3 * k;
  const float padded[4] = {last[0], last[1], last[2], 0};
  add_scaled(padded, weight, sums + 4 * (at(points[k]) - first_point));
}

// Makes those sums unit that differ from `before`, with the operations of `normalized`.
HWY_INLINE void make_unit(const double* before, double* sums, std::size_t count) {
  constexpr hn::CappedTag<double, 4> kLanes4;
  const auto one = hn::Set(kLanes4, 1.0), zero = hn::Zero(kLanes4),
             most = hn::Set(kLanes4, hwy::HighestValue<double>());
  // Whole vectors: the buffers have room for a run.
  for (std::size_t v = 0; v < count; v += hn::Lanes(kLanes4)) {
    auto x = zero, y = zero, z = zero, w = zero, x0 = zero, y0 = zero, z0 = zero, w0 = zero;
    hn::LoadInterleaved4(kLanes4, sums + 4 * v, x, y, z, w);
    hn::LoadInterleaved4(kLanes4, before + 4 * v, x0, y0, z0, w0);
    const auto size = hn::Sqrt(hn::Add(hn::Add(hn::Mul(x, x), hn::Mul(y, y)), hn::Mul(z, z)));
    const auto is_same = hn::And(hn::And(hn::Eq(x, x0), hn::Eq(y, y0)), hn::Eq(z, z0));
    const auto is_unit = hn::AndNot(is_same, hn::And(hn::Gt(size, zero), hn::Le(size, most)));
    const auto factor = hn::Div(one, size);
    hn::StoreInterleaved4(hn::IfThenElse(is_unit, hn::Mul(x, factor), x),
                          hn::IfThenElse(is_unit, hn::Mul(y, factor), y),
                          hn::IfThenElse(is_unit, hn::Mul(z, factor), z), w, kLanes4, sums + 4 * v);
  }
}

// Writes x, y, z and one number after them, which the next point overwrites.
HWY_INLINE void narrow(const double* from, float* to) {
  for (std::size_t i = 0; i < 4; i += hn::Lanes(kSums))
    hn::StoreU(hn::DemoteTo(kFloats, hn::Load(kSums, from + i)), kFloats, to + i);
}

void sum_run(const ShapeJob& job, std::size_t run) {
  alignas(64) double sums[4 * kShapeRun];
  alignas(64) double before[4 * kShapeRun];
  const std::size_t first = run * kShapeRun, count = std::min(kShapeRun, job.point_count - first);
  const bool is_still = std::all_of(job.active.begin(), job.active.end(), [run](const ShapeEntries& entries) {
    return entries.first[run] == entries.first[run + 1];
  });
  if (is_still) return;
  float* values = job.values + first * job.stride;
  for (std::size_t v = 0; v + 1 < count; ++v) widen(values + v * job.stride, sums + 4 * v);
  const float* last = values + (count - 1) * job.stride;
  for (std::size_t i = 0; i < 3; ++i) sums[4 * (count - 1) + i] = static_cast<double>(last[i]);
  sums[4 * (count - 1) + 3] = 0;
  // Lanes without a point.
  for (std::size_t i = 4 * count; i < std::min(4 * (count + 4), 4 * kShapeRun); ++i) sums[i] = 0;
  if (job.is_direction) std::copy_n(sums, std::min(4 * (count + 4), 4 * kShapeRun), before);
  for (std::size_t k = 0; k < job.active.size(); ++k) {
    const ShapeEntries& entries = job.active[k];
    const ShapeEntries& following = job.active[std::min(k + 1, job.active.size() - 1)];
    add_entries(entries, entries.first[run], entries.first[run + 1], first,
                following.offsets + 3 * std::size_t{following.first[run]}, sums);
  }
  if (job.is_direction) make_unit(before, sums, count);
  if (job.stride == 3) {
    for (std::size_t v = 0; v + 1 < count; ++v) narrow(sums + 4 * v, values + 3 * v);
  }
  for (std::size_t v = job.stride == 3 ? count - 1 : 0; v < count; ++v)
    for (std::size_t i = 0; i < 3; ++i) values[v * job.stride + i] = static_cast<float>(sums[4 * v + i]);
}

}  // namespace
}  // namespace dermis::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dermis {
namespace {
HWY_EXPORT(sum_run);
}  // namespace

void run_shape_job(const ShapeJob& job) {
  // About a twentieth of a millisecond.
  constexpr std::size_t kRunGrain = 8;
  const auto runs = [&job](std::size_t begin, std::size_t end) {
    for (std::size_t run = begin; run < end; ++run) HWY_DYNAMIC_DISPATCH(sum_run)(job, run);
  };
  parallel_for((job.point_count + kShapeRun - 1) / kShapeRun, kRunGrain, runs);
}

}  // namespace dermis
#endif
