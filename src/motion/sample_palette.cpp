// SPDX-License-Identifier: MIT
// Computes palettes from even clips: local poses of many joints at once, then kinematics column by column.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "motion/sample_palette.cpp"
#include "base/kernel_targets.h"

#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "dermis/motion.h"

HWY_BEFORE_NAMESPACE();
namespace dermis::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
constexpr hn::ScalableTag<float> kTag;    // one joint per lane
constexpr hn::CappedTag<float, 4> kRows;  // one row per lane
using V = hn::Vec<decltype(kTag)>;

alignas(16) constexpr float kIdentity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0};

// The four columns of each local pose, interpolated by `part` from one frame to the next: column c of channel
// k goes to locals[(c * row_size + k) * 4].
void set_locals(const EvenClip& clip, const float* frame, float part, float* locals) {
  const std::size_t size = clip.row_size;
  const float* next = frame + clip.frames.size() / clip.frame_count;
  const V t = hn::Set(kTag, part), zero = hn::Zero(kTag), one = hn::Set(kTag, 1.0f);
  for (std::size_t k = 0; k < size; k += hn::Lanes(kTag)) {
    const auto at = [&](std::size_t row) {
      const V from = hn::Load(kTag, frame + row * size + k);
      const V to = hn::Load(kTag, next + row * size + k);
      return hn::MulAdd(to - from, t, from);
    };
    const V x = at(0), y = at(1), z = at(2), w = at(3);
    const V square = hn::MulAdd(x, x, hn::MulAdd(y, y, hn::MulAdd(z, z, w * w)));
    // Padding to whole vectors is zero and stays zero.
    const V two = hn::IfThenElseZero(square > zero, hn::Set(kTag, 2.0f) / square);
    const V xx = two * x * x, yy = two * y * y, zz = two * z * z;
    const V xy = two * x * y, xz = two * x * z, yz = two * y * z;
    const V wx = two * w * x, wy = two * w * y, wz = two * w * z;
    const auto store = [&](std::size_t column, V a, V b, V c) {
      hn::StoreInterleaved4(a, b, c, zero, kTag, locals + (column * size + k) * 4);
    };
    const V sx = at(7), sy = at(8), sz = at(9);
    store(0, (one - yy - zz) * sx, (xy + wz) * sx, (xz - wy) * sx);
    store(1, (xy - wz) * sy, (one - xx - zz) * sy, (yz + wx) * sy);
    store(2, (xz + wy) * sz, (yz - wx) * sz, (one - xx - yy) * sz);
    store(3, at(4), at(5), at(6));
  }
}

// to = a * b, of matrices whose columns are four numbers each; those of b are `stride` numbers apart.
HWY_INLINE void multiply(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b, std::size_t stride,
                         float* HWY_RESTRICT to) {
  // All four rows at once, if a vector has room for them.
  for (std::size_t i = 0; i < 4; i += hn::Lanes(kRows)) {
    const auto x = hn::Load(kRows, a + i), y = hn::Load(kRows, a + 4 + i), z = hn::Load(kRows, a + 8 + i);
    const auto linear = [&](const float* v) {
      return hn::MulAdd(x, hn::Set(kRows, v[0]),
                        hn::MulAdd(y, hn::Set(kRows, v[1]), z * hn::Set(kRows, v[2])));
    };
    hn::Store(linear(b), kRows, to + i);
    hn::Store(linear(b + stride), kRows, to + 4 + i);
    hn::Store(linear(b + 2 * stride), kRows, to + 8 + i);
    hn::Store(linear(b + 3 * stride) + hn::Load(kRows, a + 12 + i), kRows, to + 12 + i);
  }
}

void set_worlds(const EvenClip& clip, const float* locals, float* worlds) {
  for (std::size_t k = 0; k < clip.links.size(); ++k) {
    const EvenClip::Link& link = clip.links[k];
    const bool is_still = link.channel == kNone;
    const float* local =
        is_still ? clip.rest.data() + 16 * k : locals + 4 * static_cast<std::size_t>(link.channel);
    const std::size_t stride = is_still ? 4 : 4 * clip.row_size;
    const float* parent =
        link.parent == kNone ? kIdentity : worlds + 16 * static_cast<std::size_t>(link.parent);
    multiply(parent, local, stride, worlds + 16 * k);
  }
}

void set_palette(const EvenClip& clip, const float* worlds, std::span<Affined> palette) {
  for (std::size_t s = 0; s < palette.size(); ++s) {
    alignas(16) float m[16];
    multiply(worlds + 16 * static_cast<std::size_t>(clip.link_of_slot[s]), clip.inverse_bind.data() + 16 * s,
             4, m);
    const auto column = [&m](std::size_t c) { return Vec3d(Vec3{m[4 * c], m[4 * c + 1], m[4 * c + 2]}); };
    palette[s] = {{column(0), column(1), column(2)}, column(3)};
  }
}

void sample(const EvenClip& clip, const float* frame, float part, SampleScratch& scratch,
            std::span<Affined> palette) {
  set_locals(clip, frame, part, scratch.locals.data());
  set_worlds(clip, scratch.locals.data(), scratch.worlds.data());
  set_palette(clip, scratch.worlds.data(), palette);
}

}  // namespace
}  // namespace dermis::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dermis {
namespace {
HWY_EXPORT(sample);
}  // namespace

void sample_palette(const EvenClip& clip, double time, SampleScratch& scratch, std::span<Affined> palette) {
  // Always on, because the code after it would read out of bounds.
  if (clip.frame_count < 2 || palette.size() != clip.link_of_slot.size()) std::abort();
  const double last = static_cast<double>(clip.frame_count - 1);
  const double asked = (time - clip.start) * clip.fps;
  const double place = asked > 0 ? std::min(asked, last) : 0;  // NaN gives the first frame
  const double before = std::min(std::floor(place), last - 1);
  const std::size_t frame_size = clip.frames.size() / clip.frame_count;
  const float* frame = clip.frames.data() + static_cast<std::size_t>(before) * frame_size;
  scratch.locals.resize(16 * clip.row_size);
  scratch.worlds.resize(16 * clip.links.size());
  HWY_DYNAMIC_DISPATCH(sample)(clip, frame, static_cast<float>(place - before), scratch, palette);
}

}  // namespace dermis
#endif
