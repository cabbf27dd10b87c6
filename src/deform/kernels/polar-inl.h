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

struct NearestRotation {
  M3 rotation;
  Mask is_sure;  // elsewhere floats do not say which one, or not well
};

// With s the singular values of F, the last one negative where F mirrors: their sum l, the sum e of their
// products and det F make
//   R = ((l^2 - e) F + l cof F - F F^T F) / (l e - det F)
// (multiply the polynomial of the stretch U in F = R U, cof F = R cof U). Nothing divides by det F, so flat
// neighbourhoods are as good as any. With |F| = 1, l^2 = 1 + 2 e and e^2 = |cof F|^2 + 2 l det F, which
// l solves by itself: from e as if l were the most it can be, then Newton. The divisor is
// (s1 + s2)(s1 + s3)(s2 + s3): it vanishes just where the nearest rotation is not the only one.
// `reach`: the size of what was added up to `m`; where little of it is left, rounding is.
HWY_INLINE NearestRotation nearest_rotation(const M3& m, V reach) {
  // Of the divisor: what rounding is divided by.
  constexpr float kLeastDivisor = 1.0f / 256;
  constexpr float kLeastSquare = 1e-30f, kMostSquare = 1e30f;
  // Squared distance from a rotation that one Newton step takes below float rounding.
  constexpr float kNearRotation = 1e-6f;
  const V one = hn::Set(kTag, 1.0f), two = hn::Set(kTag, 2.0f), half = hn::Set(kTag, 0.5f);
  const V size_square = square(m);
  const V scale = reciprocal_sqrt(size_square);
  const M3 f{m.x * scale, m.y * scale, m.z * scale};
  const M3 cof = cofactor(f);
  const V det = dot(f.x, cof.x), cof_square = square(cof);
  const V twice_det = det + det;
  V l = hn::Set(kTag, 1.7320508f);
  const V e_guess = hn::Sqrt(hn::Max(hn::MulAdd(twice_det, l, cof_square), hn::Zero(kTag)));
  l = hn::Sqrt(hn::MulAdd(two, e_guess, one));
  V e = e_guess, divisor = e_guess;
  for (int k = 0; k < 2; ++k) {
    // Of ((l^2 - 1) / 2)^2 - |cof F|^2 - 2 l det F, whose derivative is twice the divisor.
    e = hn::MulSub(l, l, one) * half;
    divisor = hn::MulSub(l, e, det);
    const V value = hn::MulSub(e, e, hn::MulAdd(twice_det, l, cof_square));
    l = hn::NegMulAdd(value, reciprocal(divisor + divisor), l);
  }
  e = hn::MulSub(l, l, one) * half;
  divisor = hn::MulSub(l, e, det);
  const V over = reciprocal(divisor);
  const M3 transposed_gram{f * f.x, f * f.y, f * f.z};  // F F^T
  const M3 cubed = transposed_gram * f;
  const V of_f = hn::MulSub(l, l, e) * over, of_cof = l * over;
  const auto turned = [&](const V3& a, const V3& b, const V3& c) {
    return mul_add(a, of_f, mul_add(b, of_cof, c * hn::Neg(over)));
  };
  const M3 rough{turned(f.x, cof.x, cubed.x), turned(f.y, cof.y, cubed.y), turned(f.z, cof.z, cubed.z)};
  // What is left of I - R R^T, half of it times R added.
  const V xx =
      hn::NegMulAdd(rough.x.x, rough.x.x, one - hn::MulAdd(rough.x.y, rough.x.y, rough.x.z * rough.x.z));
  const V yy =
      hn::NegMulAdd(rough.y.x, rough.y.x, one - hn::MulAdd(rough.y.y, rough.y.y, rough.y.z * rough.y.z));
  const V zz =
      hn::NegMulAdd(rough.z.x, rough.z.x, one - hn::MulAdd(rough.z.y, rough.z.y, rough.z.z * rough.z.z));
  const V xy = hn::Neg(dot(rough.x, rough.y)), xz = hn::Neg(dot(rough.x, rough.z)),
          yz = hn::Neg(dot(rough.y, rough.z));
  const V off =
      hn::MulAdd(xx, xx, hn::MulAdd(yy, yy, zz * zz)) + two * hn::MulAdd(xy, xy, hn::MulAdd(xz, xz, yz * yz));
  const auto mended = [&](const V3& row, V a, V b, V c) {
    return mul_add(row_times({a, b, c}, rough), half, row);
  };
  NearestRotation nearest;
  nearest.rotation = {mended(rough.x, xx, xy, xz), mended(rough.y, xy, yy, yz), mended(rough.z, xz, yz, zz)};
  const V size = size_square * scale;
  nearest.is_sure = hn::And(hn::And(hn::Gt(size_square, hn::Set(kTag, kLeastSquare)),
                                    hn::Lt(size_square, hn::Set(kTag, kMostSquare))),
                            hn::And(hn::And(hn::Gt(divisor, hn::Set(kTag, kLeastDivisor)),
                                            hn::Gt(divisor * size, hn::Set(kTag, kLeastDivisor) * reach)),
                                    hn::Lt(off, hn::Set(kTag, kNearRotation))));
  return nearest;
}

}  // namespace dermis::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // toggle
