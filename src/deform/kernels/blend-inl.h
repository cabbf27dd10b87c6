// SPDX-License-Identifier: MIT
// Blends the quads of joints over blocks of points. Compiled once for each instruction set.
#if defined(DERMIS_KERNEL_BLEND_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef DERMIS_KERNEL_BLEND_INL_H
#undef DERMIS_KERNEL_BLEND_INL_H
#else
#define DERMIS_KERNEL_BLEND_INL_H
#endif

#include <bit>
#include <utility>

#include "deform/kernels/job.h"
#include "deform/kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dermis::HWY_NAMESPACE {

// Points processed together: few enough for the first-level cache, many enough to hide latencies.
constexpr std::size_t kChunk = kRangePoints;

// The sums of one chunk, component by component.
struct Components {
  alignas(64) float values[kMaxQuads * 4][kChunk];

  HWY_INLINE V at(int component, std::size_t lane) const { return hn::Load(kTag, values[component] + lane); }

  // Receives the sums of one quad, for 1 or 2 vectors of points from `lane` on.
  template <int kQuad, int kComponents, int kVectors>
  HWY_INLINE void take(std::size_t lane, const V (&sums)[kComponents][kVectors]) {
    for (int c = 0; c < kComponents; ++c) {
      for (int u = 0; u < kVectors; ++u)
        hn::Store(sums[c][u], kTag, values[kQuad * 4 + c] + lane + static_cast<std::size_t>(u) * kLanes);
    }
  }
};

// A block's list of joints, ready to be blended.
template <PackedLayout kLayout>
struct JointList {
  static constexpr std::size_t kStride = kLayout.quads * 4;
  static constexpr std::size_t kSigned = kLayout.signed_quads * 4;

  const float* joints[kMaxListed];
  alignas(64) float turned[kSigned > 0 ? kMaxListed* kStride : 1];  // copies with signs that agree
  std::uint32_t first_slot = UINT32_MAX;
  std::size_t width = 0;
  bool is_of_one_sign = true;  // the signs suit every pivot of the list

  void set(const SkinJob& job, const SkinBlocks::Block& block) {
    if (block.first_slot == first_slot && block.width == width) return;
    first_slot = block.first_slot;
    width = block.width;
    const std::uint32_t* slots = job.skin->slots.data() + first_slot;
    for (std::size_t k = 0; k < width; ++k) joints[k] = job.joints->values.data() + slots[k] * kStride;
    if constexpr (kSigned > 0) set_signs();
  }

 private:
  // Each point needs the sign of its own heaviest joint. If all joints are in one half of the sphere, the
  // signs relative to the first joint work for all of them: the whole blend may change sign, its rotation
  // does not.
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
      for (std::size_t c = 0; c < kStride; ++c) copy[c] = c < kSigned ? -joints[k][c] : joints[k][c];
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

// Sums of one quad over a list of joints, for kVectors vectors of points. kWidth is the length of the list if
// known at compile time, 0 otherwise. Sums start from the first product and continue by ascending slot, so a
// point's sum does not depend on the joints of weight zero in its list.
template <PackedLayout kLayout, int kQuad, int kWidth, int kVectors, class Sink>
HWY_INLINE void blend_quad(const float* const* joints, std::size_t list_width,
                           const float* const (&weights)[kVectors], std::size_t lane, Sink& sink) {
  constexpr int kComponents = components_of(kLayout, kQuad);
  const std::size_t width = kWidth > 0 ? kWidth : list_width;
  V sums[kComponents][kVectors];
  for (int c = 0; c < kComponents; ++c) {
    const V component = hn::Set(kTag, joints[0][kQuad * 4 + c]);
    for (int u = 0; u < kVectors; ++u) sums[c][u] = hn::Load(kTag, weights[u]) * component;
  }
  for (std::size_t k = 1; k < width; ++k) {
    const float* joint = joints[k] + kQuad * 4;
    V weight[kVectors];
    for (int u = 0; u < kVectors; ++u) weight[u] = hn::Load(kTag, weights[u] + k * kBlockPoints);
    for (int c = 0; c < kComponents; ++c) {
      const V component = hn::Set(kTag, joint[c]);
      for (int u = 0; u < kVectors; ++u) sums[c][u] = hn::MulAdd(weight[u], component, sums[c][u]);
    }
  }
  sink.template take<kQuad, kComponents, kVectors>(lane, sums);
  asm volatile("" ::: "memory");
}

template <PackedLayout kLayout, int kWidth, int kVectors, int kQuad = 0, class Sink>
HWY_INLINE void blend_quads(const float* const* joints, std::size_t width,
                            const float* const (&weights)[kVectors], std::size_t lane, Sink& sink) {
  blend_quad<kLayout, kQuad, kWidth, kVectors>(joints, width, weights, lane, sink);
  if constexpr (kQuad + 1 < kLayout.quads)
    blend_quads<kLayout, kWidth, kVectors, kQuad + 1>(joints, width, weights, lane, sink);
}

// `block_count` blocks that share one list, with consecutive weights.
template <PackedLayout kLayout, int kWidth, class Sink>
HWY_INLINE void blend_run(const float* const* joints, std::size_t list_width, const float* weights,
                          std::size_t block_count, std::size_t lane, Sink& sink) {
  const std::size_t width = kWidth > 0 ? kWidth : list_width;
  const std::size_t block_weights = width * kBlockPoints;
  if constexpr (kLanes < kBlockPoints) {
    for (std::size_t part = 0; part < block_count * kBlockPoints; part += 2 * kLanes) {
      const float* from = weights + part / kBlockPoints * block_weights + part % kBlockPoints;
      const float* const two[2] = {from, from + kLanes};
      blend_quads<kLayout, kWidth, 2>(joints, width, two, lane + part, sink);
    }
    return;
  }
  std::size_t b = 0;
  for (; b + 2 <= block_count; b += 2) {
    const float* const two[2] = {weights + b * block_weights, weights + (b + 1) * block_weights};
    blend_quads<kLayout, kWidth, 2>(joints, width, two, lane + b * kBlockPoints, sink);
  }
  if (b < block_count) {
    const float* const one[1] = {weights + b * block_weights};
    blend_quads<kLayout, kWidth, 1>(joints, width, one, lane + b * kBlockPoints, sink);
  }
}

template <PackedLayout kLayout, class Sink>
HWY_INLINE void blend_run_of_any_width(const JointList<kLayout>& list, const float* weights,
                                       std::size_t block_count, std::size_t lane, Sink& sink) {
  // Lists of known length are worth their code if blending is most of the work: linear blending, and the
  // methods of few quads.
  constexpr bool kIsUnrolled = kLayout.matrix == 0 || kLayout.quads <= 3;
  if constexpr (!kIsUnrolled)
    return blend_run<kLayout, 0>(list.joints, list.width, weights, block_count, lane, sink);
  switch (list.width) {
    case 1:
      return blend_run<kLayout, 1>(list.joints, 1, weights, block_count, lane, sink);
    case 2:
      return blend_run<kLayout, 2>(list.joints, 2, weights, block_count, lane, sink);
    case 3:
      return blend_run<kLayout, 3>(list.joints, 3, weights, block_count, lane, sink);
    case 4:
      return blend_run<kLayout, 4>(list.joints, 4, weights, block_count, lane, sink);
    case 5:
      return blend_run<kLayout, 5>(list.joints, 5, weights, block_count, lane, sink);
    default:
      return blend_run<kLayout, 0>(list.joints, list.width, weights, block_count, lane, sink);
  }
}

// The negative of `weight` if the quaternions at `a` and `b` are in different halves; branchless, since a
// branch would be unpredictable.
HWY_INLINE float weight_towards(const float* a, const float* b, float weight) {
  constexpr std::uint32_t kSignBit = 0x80000000u;
  const std::uint32_t sign = std::bit_cast<std::uint32_t>(dot4(load4(a), load4(b))) & kSignBit;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(weight) ^ sign);
}

// The sums of points with their own joints, one point at a time. If a vector fits two quads, they are added
// in pairs; both of a pair are signed or neither is.
template <PackedLayout kLayout>
struct PointSums {
  static constexpr int kPairs = HWY_TARGET == HWY_AVX2 ? (kLayout.quads - kLayout.signed_quads % 2) / 2 : 0;
  static constexpr int kFirst = kLayout.signed_quads % 2;
  static constexpr bool is_paired(int quad) {
    if constexpr (kPairs == 0)
      return false;
    else
      return quad >= kFirst && quad < kFirst + 2 * kPairs;
  }

  alignas(64) float paired[kPairs > 0 ? kPairs : 1][kBlockPoints * 8];
  alignas(64) float single[kLayout.quads][kBlockPoints * 4];

  // Adds up `width` joints for point p.
  template <class JointOf, class WeightOf, class SignedWeightOf>
  HWY_INLINE void add_up(std::size_t p, std::size_t width, const JointOf& joint_of, const WeightOf& weight_of,
                         const SignedWeightOf& signed_weight_of) {
    alignas(16) constexpr float kZero[4] = {};
    V pairs[kPairs > 0 ? kPairs : 1];
    Four quads[kLayout.quads];
    for (V& pair : pairs) pair = hn::Zero(kTag);
    for (Four& quad : quads) quad = load4(kZero);
    for (std::size_t k = 0; k < width; ++k) {
      const float* joint = joint_of(k);
      const float weight = weight_of(k), signed_weight = signed_weight_of(joint, weight);
      const auto weight_at = [&](int q) { return q < kLayout.signed_quads ? signed_weight : weight; };
      for (int i = 0; i < kPairs; ++i) {
        const int q = kFirst + 2 * i;
        pairs[i] = hn::MulAdd(hn::LoadU(kTag, joint + q * 4), hn::Set(kTag, weight_at(q)), pairs[i]);
      }
      for (int q = 0; q < kLayout.quads; ++q) {
        if (!is_paired(q)) quads[q] = mul_add4(load4(joint + q * 4), weight_at(q), quads[q]);
      }
    }
    for (int i = 0; i < kPairs; ++i) hn::Store(pairs[i], kTag, paired[i] + p * 8);
    for (int q = 0; q < kLayout.quads; ++q) {
      if (!is_paired(q)) store4(quads[q], single[q] + p * 4);
    }
  }

  template <int kQuad = 0, class Sink>
  HWY_INLINE void give(std::size_t lane, Sink& sink) const {
    constexpr int kComponents = components_of(kLayout, kQuad);
    for (std::size_t part = 0; part < kBlockPoints; part += kLanes) {
      V all[4][1], sums[kComponents][1];
      if constexpr (is_paired(kQuad))
        transpose_quads<8>(paired[(kQuad - kFirst) / 2] + (kQuad - kFirst) % 2 * 4 + part * 8, all);
      else
        transpose_quads(single[kQuad] + part * 4, all);
      for (int c = 0; c < kComponents; ++c) sums[c][0] = all[c][0];
      sink.template take<kQuad, kComponents, 1>(lane + part, sums);
    }
    if constexpr (kQuad + 1 < kLayout.quads) give<kQuad + 1>(lane, sink);
  }
};

// One block, each point with its own joints and signs, then transposed from points to components. kWidth is
// the length of the lists if known at compile time, 0 otherwise.
template <PackedLayout kLayout, bool kScattered, int kWidth, class Sink>
HWY_NOINLINE void blend_separately(const SkinJob& job, const SkinBlocks::Block& block, std::size_t lane,
                                   Sink& sink) {
  constexpr std::size_t kStride = kLayout.quads * 4;
  const std::size_t width = kWidth > 0 ? kWidth : block.width;
  const std::uint32_t* slots = job.skin->slots.data() + block.first_slot;
  const float* weights = job.skin->weights.data() + std::size_t{block.first_weight} * kBlockPoints;
  const float* joints = job.joints->values.data();
  PointSums<kLayout> sums;
  for (std::size_t p = 0; p < kBlockPoints; ++p) {
    const auto joint_of = [&](std::size_t k) {
      return joints + std::size_t{slots[kScattered ? k * kBlockPoints + p : k]} * kStride;
    };
    const float* pivot = nullptr;
    if constexpr (kLayout.signed_quads > 0)
      pivot = kScattered ? joint_of(width) : joint_of(heaviest_of(weights + p, width));
    sums.add_up(
        p, width, joint_of, [&](std::size_t k) { return weights[k * kBlockPoints + p]; },
        [&](const float* joint, float weight) {
          return kLayout.signed_quads > 0 ? weight_towards(pivot, joint, weight) : weight;
        });
  }
  sums.give(lane, sink);
}

// All blocks of a chunk.
template <PackedLayout kLayout, class Sink>
HWY_INLINE void blend_chunk(const SkinJob& job, std::size_t first_block, std::size_t block_count,
                            JointList<kLayout>& list, Sink& sink) {
  const SkinBlocks::Block* blocks = job.skin->blocks.data() + first_block;
  const float* all_weights = job.skin->weights.data();
  for (std::size_t b = 0; b < block_count;) {
    const SkinBlocks::Block& block = blocks[b];
    const std::size_t lane = b * kBlockPoints;
    if (block.is_scattered) {
      // Most skins have four influences per point.
      if (block.width == 4)
        blend_separately<kLayout, true, 4>(job, block, lane, sink);
      else
        blend_separately<kLayout, true, 0>(job, block, lane, sink);
      ++b;
      continue;
    }
    list.set(job, block);
    if (!list.is_of_one_sign) {
      blend_separately<kLayout, false, 0>(job, block, lane, sink);
      ++b;
      continue;
    }
    std::size_t end = b + 1;
    while (end < block_count && !blocks[end].is_scattered && blocks[end].first_slot == block.first_slot)
      ++end;
    blend_run_of_any_width(list, all_weights + std::size_t{block.first_weight} * kBlockPoints, end - b, lane,
                           sink);
    b = end;
  }
}

}  // namespace dermis::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // toggle
