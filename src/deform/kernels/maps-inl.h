// SPDX-License-Identifier: MIT
// How each method turns its blended quads into a map for points, normals and tangents. Compiled once per
// instruction set.
//
// A map has point(p), normal(n), direction(t) for tangents, and is_mirrored(). Its normals are as long as the
// rest normals if kKeepsLength, of any length otherwise.
#if defined(DERMIS_KERNEL_MAPS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef DERMIS_KERNEL_MAPS_INL_H
#undef DERMIS_KERNEL_MAPS_INL_H
#else
#define DERMIS_KERNEL_MAPS_INL_H
#endif

#include "deform/kernels/blend-inl.h"
#include "deform/kernels/write-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dermis::HWY_NAMESPACE {

// Three blended rows, read in place: there are more of them than registers.
struct Rows {
  const Components* blended;
  int first;  // component
  std::size_t lane;

  HWY_INLINE V row(int r, const V3& v, V last) const {
    const int c = first + r * 4;
    return hn::MulAdd(
        blended->at(c, lane), v.x,
        hn::MulAdd(blended->at(c + 1, lane), v.y, hn::MulAdd(blended->at(c + 2, lane), v.z, last)));
  }
  HWY_INLINE V row(int r, const V3& v) const {
    const int c = first + r * 4;
    return hn::MulAdd(blended->at(c, lane), v.x,
                      hn::MulAdd(blended->at(c + 1, lane), v.y, blended->at(c + 2, lane) * v.z));
  }
  HWY_INLINE V3 affine(const V3& v) const {
    return {row(0, v, blended->at(first + 3, lane)), row(1, v, blended->at(first + 7, lane)),
            row(2, v, blended->at(first + 11, lane))};
  }
  HWY_INLINE V3 linear(const V3& v) const { return {row(0, v), row(1, v), row(2, v)}; }
  HWY_INLINE Mask has_negative_determinant() const {
    const auto row_of = [this](int r) {
      const int c = first + r * 4;
      return V3{blended->at(c, lane), blended->at(c + 1, lane), blended->at(c + 2, lane)};
    };
    return hn::Lt(dot(row_of(0), cross(row_of(1), row_of(2))), hn::Zero(kTag));
  }
};

template <bool kRigid>
struct LbsMap {
  static constexpr bool kKeepsLength = false;
  static constexpr PackedLayout kLayout = packed_layout(SkinKernel::lbs, kRigid);
  Rows matrix, cofactor;

  HWY_INLINE LbsMap(const SkinJob&, const Components& blended, std::size_t, std::size_t lane)
      : matrix{&blended, kLayout.matrix * 4, lane},
        cofactor{&blended, (kRigid ? kLayout.matrix : kLayout.matrix_cofactor) * 4, lane} {}
  HWY_INLINE V3 point(const V3& p) const { return matrix.affine(p); }
  HWY_INLINE V3 normal(const V3& n) const { return cofactor.linear(n); }
  HWY_INLINE V3 direction(const V3& t) const { return matrix.linear(t); }
  HWY_INLINE Mask is_mirrored() const { return matrix.has_negative_determinant(); }
};

// The first of the two phases of methods that rotate: the blended stretch, if joints have one.
template <SkinKernel kKernel, bool kRigid>
struct StretchMap {
  static constexpr bool kKeepsLength = kRigid;
  static constexpr PackedLayout kLayout = packed_layout(kKernel, kRigid);
  Rows stretch, cofactor;

  HWY_INLINE StretchMap(const Components& blended, std::size_t lane)
      : stretch{&blended, kLayout.stretch * 4, lane},
        cofactor{&blended, kLayout.stretch_cofactor * 4, lane} {}

  HWY_INLINE V3 stretched(const V3& v) const {
    if constexpr (kRigid)
      return v;
    else
      return stretch.linear(v);
  }
  HWY_INLINE V3 stretched_normal(const V3& n) const {
    if constexpr (kRigid)
      return n;
    else
      return cofactor.linear(n);
  }
  HWY_INLINE Mask is_mirrored() const {
    if constexpr (kRigid)
      return nowhere();
    else
      return stretch.has_negative_determinant();
  }
};

// The second phase: a rotation by a blended quaternion of any length.
template <SkinKernel kKernel, bool kRigid>
struct TurnMap : StretchMap<kKernel, kRigid> {
  using Base = StretchMap<kKernel, kRigid>;
  V3 axis;
  V w, two_over_norm;

  HWY_INLINE TurnMap(const Components& blended, std::size_t lane)
      : Base(blended, lane),
        axis{blended.at(0, lane), blended.at(1, lane), blended.at(2, lane)},
        w(blended.at(3, lane)),
        two_over_norm(hn::Set(kTag, 2.0f) * reciprocal(hn::MulAdd(w, w, dot(axis, axis)))) {}

  HWY_INLINE V3 turned(const V3& v) const {
    return mul_add(cross(axis, cross_add(axis, v, v * w)), two_over_norm, v);
  }
  HWY_INLINE V3 normal(const V3& n) const { return turned(Base::stretched_normal(n)); }
  HWY_INLINE V3 direction(const V3& t) const { return turned(Base::stretched(t)); }
};

template <SkinKernel kKernel, bool kRigid>
struct DualQuatMap : TurnMap<kKernel, kRigid> {
  using Base = TurnMap<kKernel, kRigid>;
  V3 dual;
  V dual_w;

  HWY_INLINE DualQuatMap(const SkinJob&, const Components& blended, std::size_t, std::size_t lane)
      : Base(blended, lane),
        dual{blended.at(4, lane), blended.at(5, lane), blended.at(6, lane)},
        dual_w(blended.at(7, lane)) {}

  // v + 2 (d x (d x v + w v + d') + w d' - w' d) / |b|^2: Kavan's formula with both cross products by d
  // combined.
  HWY_INLINE V3 point(const V3& p) const {
    const V3 v = Base::stretched(p);
    const V3 inner = cross_add(Base::axis, v, mul_add(v, Base::w, dual));
    const V3 outer = cross_add(Base::axis, inner, mul_add(dual, Base::w, Base::axis * hn::Neg(dual_w)));
    return mul_add(outer, Base::two_over_norm, v);
  }
};

template <bool kRigid>
struct QuaternionMap : TurnMap<SkinKernel::quaternion, kRigid> {
  using Base = TurnMap<SkinKernel::quaternion, kRigid>;
  V3 shift;

  HWY_INLINE QuaternionMap(const SkinJob&, const Components& blended, std::size_t, std::size_t lane)
      : Base(blended, lane), shift{blended.at(4, lane), blended.at(5, lane), blended.at(6, lane)} {}
  HWY_INLINE V3 point(const V3& p) const { return Base::turned(Base::stretched(p)) + shift; }
};

// The exponential of the blended twist: rotation and translation by their power series in the squared angle,
// which is at most pi^2. With eleven terms the error is less than half a float step there.
template <bool kRigid>
struct LogMatrixMap : StretchMap<SkinKernel::log_matrix, kRigid> {
  using Base = StretchMap<SkinKernel::log_matrix, kRigid>;
  V3 angular, shift;
  V sine, versine;  // sin(a) / a, (1 - cos(a)) / a^2

  HWY_INLINE LogMatrixMap(const SkinJob&, const Components& blended, std::size_t, std::size_t lane)
      : Base(blended, lane), angular{blended.at(0, lane), blended.at(1, lane), blended.at(2, lane)} {
    const V3 linear{blended.at(4, lane), blended.at(5, lane), blended.at(6, lane)};
    const V square = dot(angular, angular);
    sine = versine = hn::Set(kTag, 1.0f);
    V third = hn::Set(kTag, 1.0f);  // (a - sin(a)) / a^3
    // sum_k (-x)^k / (2k + n)!, innermost term first: 1 - x / ((2k)(2k + 1)) * (...)
    for (int k = 11; k >= 1; --k) {
      const float even = static_cast<float>(2 * k);
      const auto step = [&](V sum, float a) {
        return hn::NegMulAdd(square * hn::Set(kTag, 1.0f / (a * (a + 1))), sum, hn::Set(kTag, 1.0f));
      };
      sine = step(sine, even);
      versine = step(versine, even + 1);
      third = step(third, even + 2);
    }
    versine = versine * hn::Set(kTag, 0.5f);
    third = third * hn::Set(kTag, 1.0f / 6.0f);
    const V3 once = cross(angular, linear);
    shift = mul_add(cross(angular, once), third, mul_add(once, versine, linear));
  }
  HWY_INLINE V3 turned(const V3& v) const {
    const V3 once = cross(angular, v);
    return mul_add(cross(angular, once), versine, mul_add(once, sine, v));
  }
  HWY_INLINE V3 point(const V3& p) const { return turned(Base::stretched(p)) + shift; }
  HWY_INLINE V3 normal(const V3& n) const { return turned(Base::stretched_normal(n)); }
  HWY_INLINE V3 direction(const V3& t) const { return turned(Base::stretched(t)); }
};

// About a centre per point: the centre moves with the blended matrix, the point rotates about it.
template <SkinKernel kKernel, bool kRigid>
struct CentreMap : TurnMap<kKernel, kRigid> {
  using Base = TurnMap<kKernel, kRigid>;
  V3 centre, posed_centre;

  HWY_INLINE CentreMap(const SkinJob& job, const Components& blended, std::size_t first_point,
                       std::size_t lane)
      : Base(blended, lane), centre(centre_at(job, first_point + lane)) {
    posed_centre = Rows{&blended, Base::kLayout.matrix * 4, lane}.affine(centre);
  }
  // The packed joints of spherical blending have rigid matrices, and the centre is in stretched space; those
  // of cor have full matrices, and stretches are about the centre.
  HWY_INLINE V3 point(const V3& p) const {
    constexpr bool kIsCor = kKernel == SkinKernel::cor;
    const V3 arm = kIsCor ? Base::stretched(p - centre) : Base::stretched(p) - centre;
    return Base::turned(arm) + posed_centre;
  }

 private:
  static HWY_INLINE V3 centre_at(const SkinJob& job, std::size_t v) {
    if constexpr (kKernel == SkinKernel::cor) {
      return load3(job.centres + v / kBlockPoints * 3 * kBlockPoints + v % kBlockPoints, kBlockPoints);
    } else {
      alignas(64) float centres[kLanes * 4];
      for (std::size_t k = 0; k < kLanes; ++k) {
        store4(load4(job.set_centres + std::size_t{job.sets[v + k]} * 4), centres + k * 4);
      }
      V3 centre;
      V unused;
      hn::LoadInterleaved4(kTag, centres, centre.x, centre.y, centre.z, unused);
      return centre;
    }
  }
};

// Interpolates between the linear blend and the dual quaternion, by a share per point.
template <bool kRigid>
struct LbsDqsMap {
  static constexpr bool kKeepsLength = false;
  static constexpr PackedLayout kLayout = packed_layout(SkinKernel::lbs_dqs, kRigid);
  DualQuatMap<SkinKernel::lbs_dqs, kRigid> dqs;
  Rows matrix, cofactor;
  V share;

  HWY_INLINE LbsDqsMap(const SkinJob& job, const Components& blended, std::size_t first_point,
                       std::size_t lane)
      : dqs(job, blended, first_point, lane),
        matrix{&blended, kLayout.matrix * 4, lane},
        cofactor{&blended, (kRigid ? kLayout.matrix : kLayout.matrix_cofactor) * 4, lane},
        share(share_at(job, first_point + lane)) {}
  // Shares end with the last point, not with the last block.
  static HWY_INLINE V share_at(const SkinJob& job, std::size_t v) {
    if (HWY_LIKELY(v + kLanes <= job.skin->point_count)) return hn::LoadU(kTag, job.dqs_share + v);
    alignas(64) float shares[kLanes] = {};
    std::copy(job.dqs_share + v, job.dqs_share + job.skin->point_count, shares);
    return hn::Load(kTag, shares);
  }
  HWY_INLINE V3 between(const V3& linear, const V3& dual) const {
    return mul_add(dual - linear, share, linear);
  }
  HWY_INLINE V3 point(const V3& p) const { return between(matrix.affine(p), dqs.point(p)); }
  HWY_INLINE V3 normal(const V3& n) const { return between(cofactor.linear(n), dqs.normal(n)); }
  HWY_INLINE V3 direction(const V3& t) const { return between(matrix.linear(t), dqs.direction(t)); }
  HWY_INLINE Mask is_mirrored() const {
    const V one = hn::Set(kTag, 1.0f), zero = hn::Zero(kTag);
    const V3 x = direction({one, zero, zero}), y = direction({zero, one, zero}),
             z = direction({zero, zero, one});
    return hn::Lt(dot(x, cross(y, z)), zero);
  }
};

}  // namespace dermis::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // toggle
