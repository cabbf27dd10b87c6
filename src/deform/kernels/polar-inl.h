// SPDX-License-Identifier: MIT
// The rotation nearest to a matrix, over SIMD lanes. Compiled once for each instruction set.
#if defined(DERMIS_KERNEL_POLAR_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef DERMIS_KERNEL_POLAR_INL_H
#undef DERMIS_KERNEL_POLAR_INL_H
#else
#define DERMIS_KERNEL_POLAR_INL_H
#endif

#include "deform/kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dermis::HWY_NAMESPACE {

// By rows.
struct M3 {
  V3 x, y, z;
  HWY_INLINE M3() {}
  HWY_INLINE M3(const V3& a, const V3& b, const V3& c) : x(a), y(b), z(c) {}
};

HWY_INLINE M3 operator-(const M3& a, const M3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
HWY_INLINE V3 operator*(const M3& m, const V3& v) { return {dot(m.x, v), dot(m.y, v), dot(m.z, v)}; }
// v^T m
HWY_INLINE V3 row_times(const V3& v, const M3& m) { return mul_add(m.x, v.x, mul_add(m.y, v.y, m.z * v.z)); }
HWY_INLINE M3 operator*(const M3& a, const M3& b) {
  return {row_times(a.x, b), row_times(a.y, b), row_times(a.z, b)};
}
HWY_INLINE M3 cofactor(const M3& m) { return {cross(m.y, m.z), cross(m.z, m.x), cross(m.x, m.y)}; }
HWY_INLINE V square(const M3& m) { return dot(m.x, m.x) + dot(m.y, m.y) + dot(m.z, m.z); }
HWY_INLINE V3 if_then_else(Mask mask, const V3& a, const V3& b) {
  return {hn::IfThenElse(mask, a.x, b.x), hn::IfThenElse(mask, a.y, b.y), hn::IfThenElse(mask, a.z, b.z)};
}
HWY_INLINE M3 if_then_else(Mask mask, const M3& a, const M3& b) {
  return {if_then_else(mask, a.x, b.x), if_then_else(mask, a.y, b.y), if_then_else(mask, a.z, b.z)};
}

// With s the singular values of F, the last one negative if F mirrors: their sum l, the sum e of their
// products and det F make
//   R = ((l^2 - e) F + l cof F - F F^T F) / (l e - det F)
// the rotation nearest to F (multiply out the characteristic polynomial of U in F = R U, cof F = R cof U).
// Nothing divides by det F, so flat neighbourhoods work as well as any. The divisor is (s1 + s2)(s1 + s3)(s2
// + s3): it vanishes exactly where the nearest rotation is not unique.
// In two steps, since each is a long dependency chain: loops over many vectors hide the latencies.
struct ScaledMatrix {
  M3 matrix;  // of size one
  V sum;      // l
  V size;     // the divisor; NaN or infinite if division is not possible
};

// With |F| = 1, l^2 = 1 + 2 e and e^2 = |cof F|^2 + 2 l det F, an equation in l alone: start with e for the
// largest possible l, then iterate by Newton.
HWY_INLINE ScaledMatrix scaled_matrix(const M3& m) {
  const V one = hn::Set(kTag, 1.0f), half = hn::Set(kTag, 0.5f);
  const V size_square = square(m);
  const V scale = reciprocal_sqrt(size_square);
  const M3 f{m.x * scale, m.y * scale, m.z * scale};
  const M3 cof = cofactor(f);
  const V det = dot(f.x, cof.x), cof_square = square(cof), twice_det = det + det;
  const V most = hn::Set(kTag, 1.7320508f);
  V e = hn::Sqrt(hn::Max(hn::MulAdd(twice_det, most, cof_square), hn::Zero(kTag)));
  V l = hn::Sqrt(hn::MulAdd(hn::Set(kTag, 2.0f), e, one));
  for (int k = 0; k < 2; ++k) {
    // Of e^2 - |cof F|^2 - 2 l det F with e = (l^2 - 1) / 2, whose derivative is twice the divisor.
    e = hn::MulSub(l, l, one) * half;
    const V value = hn::MulSub(e, e, hn::MulAdd(twice_det, l, cof_square));
    l = hn::NegMulAdd(value * half, reciprocal(hn::MulSub(l, e, det)), l);
  }
  return {f, l, size_square * scale};
}

struct NearestRotation {
  M3 rotation;
  Mask is_sure;  // elsewhere float cannot determine it, or not accurately
};

// `reach`: the size of the terms summed into the matrix; if little of it is left, that is rounding.
HWY_INLINE NearestRotation nearest_rotation(const ScaledMatrix& scaled, V reach) {
  // Lower limit of the divisor, by which rounding errors are divided.
  constexpr float kLeastDivisor = 1.0f / 256;
  constexpr float kLeastSize = 1e-15f, kMostSize = 1e15f;
  // Squared distance from a rotation that one Newton step reduces below float rounding.
  constexpr float kNearRotation = 1e-6f;
  const V one = hn::Set(kTag, 1.0f), two = hn::Set(kTag, 2.0f), half = hn::Set(kTag, 0.5f);
  const M3& f = scaled.matrix;
  const M3 cof = cofactor(f);
  const V l = scaled.sum, e = hn::MulSub(l, l, one) * half;
  const V divisor = hn::MulSub(l, e, dot(f.x, cof.x)), over = reciprocal(divisor);
  const V xx = dot(f.x, f.x), xy = dot(f.x, f.y), xz = dot(f.x, f.z), yy = dot(f.y, f.y), yz = dot(f.y, f.z),
          zz = dot(f.z, f.z);
  // (l^2 - e) I - F F^T
  const V of_f = hn::MulSub(l, l, e);
  const M3 inner{{of_f - xx, hn::Neg(xy), hn::Neg(xz)},
                 {hn::Neg(xy), of_f - yy, hn::Neg(yz)},
                 {hn::Neg(xz), hn::Neg(yz), of_f - zz}};
  const M3 times_f = inner * f;
  const V of_cof = l * over;
  const M3 rough{mul_add(times_f.x, over, cof.x * of_cof), mul_add(times_f.y, over, cof.y * of_cof),
                 mul_add(times_f.z, over, cof.z * of_cof)};
  // R + (I - R R^T) R / 2
  const auto half_off = [&](const V3& row) { return hn::NegMulAdd(half, dot(row, row), half); };
  const V a = half_off(rough.x), b = half_off(rough.y), c = half_off(rough.z), minus = hn::Set(kTag, -0.5f);
  const V ab = dot(rough.x, rough.y) * minus, ac = dot(rough.x, rough.z) * minus,
          bc = dot(rough.y, rough.z) * minus;
  const V off =
      hn::MulAdd(a, a, hn::MulAdd(b, b, c * c)) + two * hn::MulAdd(ab, ab, hn::MulAdd(ac, ac, bc * bc));
  const auto mended = [&](const V3& row, const V3& by) {
    return mul_add(rough.x, by.x, mul_add(rough.y, by.y, mul_add(rough.z, by.z, row)));
  };
  const M3 rotation{mended(rough.x, {a, ab, ac}), mended(rough.y, {ab, b, bc}), mended(rough.z, {ac, bc, c})};
  const V least = hn::Set(kTag, kLeastDivisor);
  const Mask is_in_range =
      hn::And(hn::Gt(scaled.size, hn::Set(kTag, kLeastSize)), hn::Lt(scaled.size, hn::Set(kTag, kMostSize)));
  const Mask is_known = hn::And(hn::Gt(divisor, least), hn::Gt(divisor * scaled.size, least * reach));
  const Mask is_rotation = hn::Lt(off, hn::Set(kTag, kNearRotation));
  return {rotation, hn::And(hn::And(is_in_range, is_known), is_rotation)};
}

}  // namespace dermis::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // toggle
