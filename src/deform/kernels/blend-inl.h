// SPDX-License-Identifier: MIT
// Blends the quads of joints over blocks of points. Compiled once for each instruction set.
#if defined(DERMIS_KERNEL_BLEND_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef DERMIS_KERNEL_BLEND_INL_H
#undef DERMIS_KERNEL_BLEND_INL_H
#else
#define DERMIS_KERNEL_BLEND_INL_H
#endif

#include "deform/kernels/job.h"
#include "deform/kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dermis::HWY_NAMESPACE {

// Points that go through the kernel together: few enough for the first cache, many enough to hide latencies.
constexpr std::size_t kChunk = kRangePoints;

// The sums of one chunk, component by component.
struct Components {
  alignas(64) float values[kMaxQuads * 4][kChunk];

  HWY_INLINE V at(int component, std::size_t lane) const { return hn::Load(kTag, values[component] + lane); }

  // Takes quad `quad` of 1 or 2 vectors of points from `lane` on.
  template <int kVectors>
  HWY_INLINE void take(int quad, std::size_t lane, const V (&sums)[4][kVectors]) {
    for (int c = 0; c < 4; ++c) {
      for (int u = 0; u < kVectors; ++u)
        hn::Store(sums[c][u], kTag, values[quad * 4 + c] + lane + static_cast<std::size_t>(u) * kLanes);
    }
  }
};

// A block's list of joints, ready to be blended.
template <int kQuads, int kSignedQuads>
struct JointList {
  static constexpr std::size_t kStride = kQuads * 4;

  const float* joints[kMaxListed];
  alignas(64) float turned[kSignedQuads > 0 ? kMaxListed* kStride : 1];  // copies with signs that agree
  std::uint32_t first_slot = UINT32_MAX;
  std::size_t width = 0;
  bool is_of_one_sign = true;  // the signs suit every pivot of the list

  void set(const SkinJob& job, const SkinBlocks::Block& block) {
    if (block.first_slot == first_slot && block.width == width) return;
    first_slot = block.first_slot;
    width = block.width;
    const std::uint32_t* slots = job.skin->slots.data() + first_slot;
    for (std::size_t k = 0; k < width; ++k) joints[k] = job.palette->values.data() + slots[k] * kStride;
    if constexpr (kSignedQuads > 0) set_signs();
  }

 private:
  // Each point wants the sign of its own heaviest joint. When all joints lie in one half of the sphere, the
  // signs against the first joint serve all of them: the blend as a whole may change sign, its turn not.
  void set_signs() {
    // Two quaternions within 45 degrees of a third are within 90 of each other.
    constexpr float kHalfRightAngle = 0.70711f;
    bool is_negative[kMaxListed];
    bool is_near = true;
    is_negative[0] = false;
    for (std::size_t k = 1; k < width; ++k) {
      const float with_first = dot4(load4(joints[0]), load4(joints[k]));
      is_negative[k] = with_first < 0;
      is_near = is_near && std::abs(with_first) > kHalfRightAngle;
    }
    is_of_one_sign = is_near || agree(is_negative);
    if (!is_of_one_sign) return;
    for (std::size_t k = 1; k < width; ++k) {
      if (!is_negative[k]) continue;
      float* copy = turned + k * kStride;
      for (std::size_t c = 0; c < kStride; ++c) copy[c] = c < kSignedQuads * 4 ? -joints[k][c] : joints[k][c];
      joints[k] = copy;
    }
  }

  bool agree(const bool* is_negative) const {
    for (std::size_t a = 1; a < width; ++a) {
      for (std::size_t b = a + 1; b < width; ++b) {
        const bool is_opposite = dot4(load4(joints[a]), load4(joints[b])) < 0;
        if (is_opposite != (is_negative[a] != is_negative[b])) return false;
      }
    }
    return true;
  }
};

// Sums of quads [0, kQuads) over a list of joints, for kVectors vectors of points. kWidth is the length of
// the list where it is known when compiling, 0 otherwise. Starting from the first product and going on by
// rising slot, a point's sum is the same whatever joints of weight zero its list has.
template <int kQuads, int kWidth, int kVectors, class Sink>
HWY_INLINE void blend_list(const float* const* joints, std::size_t list_width,
                           const float* const (&weights)[kVectors], std::size_t lane, Sink& sink) {
  const std::size_t width = kWidth > 0 ? kWidth : list_width;
  for (int quad = 0; quad < kQuads; ++quad) {
    V sums[4][kVectors];
    for (int c = 0; c < 4; ++c) {
      const V component = hn::Set(kTag, joints[0][quad * 4 + c]);
      for (int u = 0; u < kVectors; ++u) sums[c][u] = hn::Load(kTag, weights[u]) * component;
    }
    for (std::size_t k = 1; k < width; ++k) {
      const float* joint = joints[k] + quad * 4;
      V weight[kVectors];
      for (int u = 0; u < kVectors; ++u) weight[u] = hn::Load(kTag, weights[u] + k * kBlockPoints);
      for (int c = 0; c < 4; ++c) {
        const V component = hn::Set(kTag, joint[c]);
        for (int u = 0; u < kVectors; ++u) sums[c][u] = hn::MulAdd(weight[u], component, sums[c][u]);
      }
    }
    sink.template take<kVectors>(quad, lane, sums);
  }
}

template <int kQuads, int kVectors, class Sink>
HWY_INLINE void blend_any_width(const float* const* joints, std::size_t width,
                                const float* const (&weights)[kVectors], std::size_t lane, Sink& sink) {
  switch (width) {
    case 1:
      return blend_list<kQuads, 1, kVectors>(joints, width, weights, lane, sink);
    case 2:
      return blend_list<kQuads, 2, kVectors>(joints, width, weights, lane, sink);
    case 3:
      return blend_list<kQuads, 3, kVectors>(joints, width, weights, lane, sink);
    case 4:
      return blend_list<kQuads, 4, kVectors>(joints, width, weights, lane, sink);
    case 5:
      return blend_list<kQuads, 5, kVectors>(joints, width, weights, lane, sink);
    default:
      return blend_list<kQuads, 0, kVectors>(joints, width, weights, lane, sink);
  }
}

// One block, each point with joints and signs of its own, then turned from points to components.
template <int kQuads, int kSignedQuads, class Sink>
HWY_NOINLINE void blend_separately(const SkinJob& job, const SkinBlocks::Block& block, std::size_t lane,
                                   Sink& sink) {
  constexpr std::size_t kStride = kQuads * 4;
  const std::uint32_t* slots = job.skin->slots.data() + block.first_slot;
  const float* weights = job.skin->weights.data() + std::size_t{block.first_weight} * kBlockPoints;
  const float* palette = job.palette->values.data();
  alignas(64) float quads[kQuads][kBlockPoints * 4];
  for (std::size_t p = 0; p < kBlockPoints; ++p) {
    const auto joint_of = [&](std::size_t k) {
      return palette + std::size_t{slots[block.is_scattered ? k * kBlockPoints + p : k]} * kStride;
    };
    const float* pivot = nullptr;
    if constexpr (kSignedQuads > 0) {
      std::size_t heaviest = 0;
      for (std::size_t k = 1; k < block.width; ++k) {
        if (weights[k * kBlockPoints + p] > weights[heaviest * kBlockPoints + p]) heaviest = k;
      }
      pivot = joint_of(heaviest);
    }
    alignas(16) constexpr float kZero[4] = {};
    Four sums[kQuads];
    for (int q = 0; q < kQuads; ++q) sums[q] = load4(kZero);
    for (std::size_t k = 0; k < block.width; ++k) {
      const float weight = weights[k * kBlockPoints + p];
      const float* joint = joint_of(k);
      float signed_weight = weight;
      if constexpr (kSignedQuads > 0) {
        if (dot4(load4(pivot), load4(joint)) < 0) signed_weight = -weight;
      }
      for (int q = 0; q < kQuads; ++q)
        sums[q] = mul_add4(load4(joint + q * 4), q < kSignedQuads ? signed_weight : weight, sums[q]);
    }
    for (int q = 0; q < kQuads; ++q) store4(sums[q], quads[q] + p * 4);
  }
  for (int q = 0; q < kQuads; ++q) {
    for (std::size_t part = 0; part < kBlockPoints; part += kLanes) {
      V components[4][1];
      hn::LoadInterleaved4(kTag, quads[q] + part * 4, components[0][0], components[1][0], components[2][0],
                           components[3][0]);
      sink.template take<1>(q, lane + part, components);
    }
  }
}

// All blocks of a chunk.
template <int kQuads, int kSignedQuads, class Sink>
HWY_INLINE void blend_chunk(const SkinJob& job, std::size_t first_block, std::size_t block_count,
                            JointList<kQuads, kSignedQuads>& list, Sink& sink) {
  const SkinBlocks& skin = *job.skin;
  for (std::size_t b = 0; b < block_count; ++b) {
    const SkinBlocks::Block& block = skin.blocks[first_block + b];
    const std::size_t lane = b * kBlockPoints;
    if (!block.is_scattered) list.set(job, block);
    if (block.is_scattered || !list.is_of_one_sign) {
      blend_separately<kQuads, kSignedQuads>(job, block, lane, sink);
      continue;
    }
    const float* weights = skin.weights.data() + std::size_t{block.first_weight} * kBlockPoints;
    if constexpr (kLanes < kBlockPoints) {
      for (std::size_t part = 0; part < kBlockPoints; part += 2 * kLanes) {
        const float* const halves[2] = {weights + part, weights + part + kLanes};
        blend_any_width<kQuads, 2>(list.joints, list.width, halves, lane + part, sink);
      }
      continue;
    }
    const SkinBlocks::Block* next = b + 1 < block_count ? &skin.blocks[first_block + b + 1] : nullptr;
    if (next != nullptr && !next->is_scattered && next->first_slot == block.first_slot &&
        next->width == block.width) {
      const float* const both[2] = {weights,
                                    skin.weights.data() + std::size_t{next->first_weight} * kBlockPoints};
      blend_any_width<kQuads, 2>(list.joints, list.width, both, lane, sink);
      ++b;
    } else {
      const float* const one[1] = {weights};
      blend_any_width<kQuads, 1>(list.joints, list.width, one, lane, sink);
    }
  }
}

}  // namespace dermis::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // toggle
