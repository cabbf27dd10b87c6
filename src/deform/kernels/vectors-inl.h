// SPDX-License-Identifier: MIT
// Vectors of three and rotations over SIMD lanes. Compiled once for each instruction set.
#if defined(DERMIS_KERNEL_VECTORS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef DERMIS_KERNEL_VECTORS_INL_H
#undef DERMIS_KERNEL_VECTORS_INL_H
#else
#define DERMIS_KERNEL_VECTORS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace dermis::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Eight lanes, four, or one in plain code.
using Lanes = hn::CappedTag<float, 8>;
using V = hn::Vec<Lanes>;
using Mask = hn::Mask<Lanes>;
constexpr Lanes kTag{};
constexpr std::size_t kLanes = hn::MaxLanes(kTag);

struct V3 {
  V x, y, z;
  // Explicit: the implicit constructor lacks the instruction set that vectors need on ARM.
  HWY_INLINE V3() {}
  HWY_INLINE V3(V a, V b, V c) : x(a), y(b), z(c) {}
};

HWY_INLINE V3 operator+(const V3& a, const V3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
HWY_INLINE V3 operator-(const V3& a, const V3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
HWY_INLINE V3 operator*(const V3& a, V s) { return {a.x * s, a.y * s, a.z * s}; }

HWY_INLINE V dot(const V3& a, const V3& b) { return hn::MulAdd(a.x, b.x, hn::MulAdd(a.y, b.y, a.z * b.z)); }
HWY_INLINE V3 cross(const V3& a, const V3& b) {
  return {hn::MulSub(a.y, b.z, a.z * b.y), hn::MulSub(a.z, b.x, a.x * b.z), hn::MulSub(a.x, b.y, a.y * b.x)};
}
// a x b + c
HWY_INLINE V3 cross_add(const V3& a, const V3& b, const V3& c) {
  return {hn::MulAdd(a.y, b.z, hn::NegMulAdd(a.z, b.y, c.x)),
          hn::MulAdd(a.z, b.x, hn::NegMulAdd(a.x, b.z, c.y)),
          hn::MulAdd(a.x, b.y, hn::NegMulAdd(a.y, b.x, c.z))};
}
// a * s + b
HWY_INLINE V3 mul_add(const V3& a, V s, const V3& b) {
  return {hn::MulAdd(a.x, s, b.x), hn::MulAdd(a.y, s, b.y), hn::MulAdd(a.z, s, b.z)};
}

// ---- Four numbers of one joint -------------------------------------------------------------------------

#if HWY_TARGET == HWY_SCALAR
struct Four {
  float at[4];
};
HWY_INLINE Four load4(const float* from) { return {{from[0], from[1], from[2], from[3]}}; }
HWY_INLINE void store4(const Four& a, float* to) { std::copy_n(a.at, 4, to); }
// a * s + b
HWY_INLINE Four mul_add4(const Four& a, float s, const Four& b) {
  return {{a.at[0] * s + b.at[0], a.at[1] * s + b.at[1], a.at[2] * s + b.at[2], a.at[3] * s + b.at[3]}};
}
HWY_INLINE float dot4(const Four& a, const Four& b) {
  return (a.at[0] * b.at[0] + a.at[2] * b.at[2]) + (a.at[1] * b.at[1] + a.at[3] * b.at[3]);
}
#else
using FourTag = hn::FixedTag<float, 4>;
using Four = hn::Vec<FourTag>;
HWY_INLINE Four load4(const float* from) { return hn::Load(FourTag(), from); }
HWY_INLINE void store4(Four a, float* to) { hn::Store(a, FourTag(), to); }
HWY_INLINE Four mul_add4(Four a, float s, Four b) { return hn::MulAdd(a, hn::Set(FourTag(), s), b); }
HWY_INLINE float dot4(Four a, Four b) { return hn::GetLane(hn::SumOfLanes(FourTag(), a * b)); }
#endif

// ---- Reciprocals ---------------------------------------------------------------------------------------

// Plain code has no estimate, and that of ARM has eight bits.
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_NEON
HWY_INLINE V reciprocal(V a) { return hn::Set(kTag, 1.0f) / a; }
HWY_INLINE V reciprocal_sqrt(V a) { return hn::Set(kTag, 1.0f) / hn::Sqrt(a); }
#else
// One Newton step on the processor's estimate: 1e-7 relative.
HWY_INLINE V reciprocal(V a) {
  const V guess = hn::ApproximateReciprocal(a);
  return guess * hn::NegMulAdd(a, guess, hn::Set(kTag, 2.0f));
}
HWY_INLINE V reciprocal_sqrt(V a) {
  const V guess = hn::ApproximateReciprocalSqrt(a);
  return guess * hn::NegMulAdd(a * hn::Set(kTag, 0.5f) * guess, guess, hn::Set(kTag, 1.5f));
}
#endif

// x of the points across the lanes, then y, then z, `stride` floats apart.
HWY_INLINE V3 load3(const float* from, std::size_t stride) {
  return {hn::Load(kTag, from), hn::Load(kTag, from + stride), hn::Load(kTag, from + 2 * stride)};
}
HWY_INLINE void store3(const V3& v, float* to, std::size_t stride) {
  hn::Store(v.x, kTag, to);
  hn::Store(v.y, kTag, to + stride);
  hn::Store(v.z, kTag, to + 2 * stride);
}

// Transposes quads, one per point and kStep floats apart, to components.
template <std::size_t kStep = 4>
HWY_INLINE void transpose_quads(const float* quads, V (&components)[4][1]) {
#if HWY_TARGET == HWY_AVX2
  // Halves are loaded as they were stored: a wider load would wait for both stores to reach the cache.
  const auto halves = [quads](std::size_t k) HWY_ATTR {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(quads + k * kStep)),
                                _mm_load_ps(quads + (k + 4) * kStep), 1);
  };
  const __m256 p0 = halves(0), p1 = halves(1), p2 = halves(2), p3 = halves(3);
  const __m256 xy01 = _mm256_unpacklo_ps(p0, p1), zw01 = _mm256_unpackhi_ps(p0, p1);
  const __m256 xy23 = _mm256_unpacklo_ps(p2, p3), zw23 = _mm256_unpackhi_ps(p2, p3);
  components[0][0] = V{_mm256_shuffle_ps(xy01, xy23, _MM_SHUFFLE(1, 0, 1, 0))};
  components[1][0] = V{_mm256_shuffle_ps(xy01, xy23, _MM_SHUFFLE(3, 2, 3, 2))};
  components[2][0] = V{_mm256_shuffle_ps(zw01, zw23, _MM_SHUFFLE(1, 0, 1, 0))};
  components[3][0] = V{_mm256_shuffle_ps(zw01, zw23, _MM_SHUFFLE(3, 2, 3, 2))};
#else
  static_assert(kStep == 4);
  hn::LoadInterleaved4(kTag, quads, components[0][0], components[1][0], components[2][0], components[3][0]);
#endif
}

// x y z, point by point.
HWY_INLINE void store_interleaved(const V3& v, float* to) {
#if HWY_TARGET == HWY_AVX2
  // Highway's own version takes twice as many shuffles here, and storing is a sixth of the linear kernel.
  const __m256 xy = _mm256_shuffle_ps(v.x.raw, v.y.raw, _MM_SHUFFLE(2, 0, 2, 0));
  const __m256 yz = _mm256_shuffle_ps(v.y.raw, v.z.raw, _MM_SHUFFLE(3, 1, 3, 1));
  const __m256 zx = _mm256_shuffle_ps(v.z.raw, v.x.raw, _MM_SHUFFLE(3, 1, 2, 0));
  const __m256 a = _mm256_shuffle_ps(xy, zx, _MM_SHUFFLE(2, 0, 2, 0));  // x0 y0 z0 x1 | x4 y4 z4 x5
  const __m256 b = _mm256_shuffle_ps(yz, xy, _MM_SHUFFLE(3, 1, 2, 0));  // y1 z1 x2 y2 | y5 z5 x6 y6
  const __m256 c = _mm256_shuffle_ps(zx, yz, _MM_SHUFFLE(3, 1, 3, 1));  // z2 x3 y3 z3 | z6 x7 y7 z7
  _mm256_storeu_ps(to, _mm256_insertf128_ps(a, _mm256_castps256_ps128(b), 1));
  _mm256_storeu_ps(to + 8, _mm256_blend_ps(c, a, 0xF0));
  _mm256_storeu_ps(to + 16, _mm256_permute2f128_ps(b, c, 0x31));
#else
  hn::StoreInterleaved3(v.x, v.y, v.z, kTag, to);
#endif
}

}  // namespace dermis::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // toggle
