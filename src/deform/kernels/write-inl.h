// SPDX-License-Identifier: MIT
// Normalises posed normals and tangents and writes the results. Compiled once per instruction set.
#if defined(DERMIS_KERNEL_WRITE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef DERMIS_KERNEL_WRITE_INL_H
#undef DERMIS_KERNEL_WRITE_INL_H
#else
#define DERMIS_KERNEL_WRITE_INL_H
#endif

#include <cstring>
#include <span>

#include "deform/kernels/blocks.h"
#include "deform/kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dermis::HWY_NAMESPACE {

// Squared length, relative to blends of size one, below which a vector counts as zero.
constexpr float kNothing = 1e-10f;
// Not (square > nothing), so that NaN counts too.
HWY_INLINE Mask is_nothing(V square) { return hn::Not(hn::Gt(square, hn::Set(kTag, kNothing))); }

HWY_INLINE Mask nowhere() { return hn::Lt(hn::Zero(kTag), hn::Zero(kTag)); }

// The blocks of points from `v` on in a rest array of `width` floats per point.
HWY_INLINE const float* rest_at(const AlignedVector<float>& blocks, std::size_t v, std::size_t width) {
  return blocks.data() + v / kBlockPoints * width * kBlockPoints + v % kBlockPoints;
}

// Stores one vector of points: the last one of a mesh may have fewer points than lanes.
template <std::size_t kWidth, class Store>
HWY_INLINE void store_points(float* to, std::size_t count, const Store& store) {
  if (HWY_LIKELY(count >= kLanes)) return store(to);
  alignas(64) float all[kLanes * kWidth];
  store(all);
  std::memcpy(to, all, count * kWidth * sizeof(float));
}

HWY_INLINE void write_vectors(std::span<Vec3> to, const V3& posed, std::size_t v, std::size_t count) {
  store_points<3>(&to[v].x, count, [&](float* at) { store_interleaved(posed, at); });
}

// Calls mend(v) for each of `count` points where `is_wanted` is true.
template <class Mend>
HWY_INLINE void mend_where(Mask is_wanted, std::size_t v, std::size_t count, const Mend& mend) {
  if (HWY_LIKELY(hn::AllFalse(kTag, is_wanted))) return;
  alignas(64) float flags[kLanes];
  hn::Store(hn::IfThenElseZero(is_wanted, hn::Set(kTag, 1.0f)), kTag, flags);
  for (std::size_t k = 0; k < std::min(count, kLanes); ++k) {
    if (flags[k] != 0) mend(v + k);
  }
}

// A tangent perpendicular to the normal, before normalisation.
HWY_INLINE V3 flattened(const V3& turned, const V3& normal) {
  const V3 wanted = turned * reciprocal_sqrt(dot(turned, turned));
  return wanted - normal * dot(normal, wanted);
}

// Normalises and writes tangents projected onto the surface, with squared length `square`.
HWY_INLINE void write_tangents(const RestBlocks& rest, const V3& flat, V square, Mask is_mirrored,
                               std::span<Vec4> to, std::size_t v, std::size_t count) {
  const V3 unit = flat * reciprocal_sqrt(square);
  const V rest_w = hn::Load(kTag, rest_at(rest.tangents, v, 4) + 3 * kBlockPoints);
  const V w = hn::IfThenElse(is_mirrored, hn::Neg(rest_w), rest_w);
  store_points<4>(&to[v].x, count,
                  [&](float* at) { hn::StoreInterleaved4(unit.x, unit.y, unit.z, w, kTag, at); });
}

}  // namespace dermis::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // toggle
