// SPDX-License-Identifier: MIT
// The kernel of direct delta mush: sums over the joints of a block, the nearest rotation, posed vectors.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/kernels/direct_kernel.cpp"
#include "deform/kernels/targets.h"

#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.
#include <hwy/highway.h>

#include "deform/kernels/direct_job.h"
#include "deform/kernels/polar-inl.h"
#include "deform/kernels/write-inl.h"
#include "deform/sizes.h"

HWY_BEFORE_NAMESPACE();
namespace dermis::HWY_NAMESPACE {
namespace {

// Four numbers of the joints of a vector of points.
struct Quad {
  V x, y, z, w;
};

HWY_INLINE Quad same_quad(const float* from) {
  return {hn::Set(kTag, from[0]), hn::Set(kTag, from[1]), hn::Set(kTag, from[2]), hn::Set(kTag, from[3])};
}

template <std::size_t kStride>
HWY_INLINE Quad gathered_quad(const float* values, const Index* slots) {
  alignas(64) float quads[kLanes * 4];
  for (std::size_t k = 0; k < kLanes; ++k)
    store4(load4(values + static_cast<std::size_t>(slots[k]) * kStride), quads + k * 4);
  V components[4][1];
  transpose_quads(quads, components);
  return {components[0][0], components[1][0], components[2][0], components[3][0]};
}

// The entries of one vector of points.
template <std::size_t kStride, bool kScattered>
struct Entries {
  const float* values;  // of the palette
  const Index* slots;   // of the first entry
  const float* omega;
  std::size_t width;

  // Numbers 4 q to 4 q + 3 of the joints of entry e.
  HWY_INLINE Quad joint(std::size_t e, std::size_t q) const {
    if constexpr (kScattered)
      return gathered_quad<kStride>(values + q * 4, slots + e * kBlockPoints);
    else
      return same_quad(values + static_cast<std::size_t>(slots[e]) * kStride + q * 4);
  }
  HWY_INLINE V number(std::size_t e, std::size_t c) const {
    return hn::Load(kTag, omega + (e * kOmegaSize + c) * kBlockPoints);
  }
};

// One row of the sums, against the heaviest joint (see direct_blend.cpp).
struct FitRow {
  V3 fit;
  V shift;
  V differs;  // zero bits where all joints of a point have the same row
};

template <class List>
HWY_INLINE FitRow fit_row(const List& entries, std::size_t r, const Quad& base, const V3& centre) {
  const V zero = hn::Zero(kTag);
  FitRow sum{{zero, zero, zero}, zero, zero};
  for (std::size_t e = 0; e < entries.width; ++e) {
    const Quad joint = entries.joint(e, r);
    const V3 row{joint.x, joint.y, joint.z};
    const V3 turned{joint.x - base.x, joint.y - base.y, joint.z - base.z};
    const V moved = joint.w - base.w;
    const V carried =
        hn::MulAdd(turned.x, centre.x, hn::MulAdd(turned.y, centre.y, hn::MulAdd(turned.z, centre.z, moved)));
    const V xy = entries.number(e, 1), xz = entries.number(e, 2), yz = entries.number(e, 4);
    const V3 first{entries.number(e, 6), entries.number(e, 7), entries.number(e, 8)};
    const V zeroth = entries.number(e, 9);
    // Each term by itself, then added: the sums wait for one addition an entry.
    const auto term = [&](V x, V y, V z, V c) {
      return hn::MulAdd(row.x, x, hn::MulAdd(row.y, y, hn::MulAdd(row.z, z, carried * c)));
    };
    sum.fit.x = sum.fit.x + term(entries.number(e, 0), xy, xz, first.x);
    sum.fit.y = sum.fit.y + term(xy, entries.number(e, 3), yz, first.y);
    sum.fit.z = sum.fit.z + term(xz, yz, entries.number(e, 5), first.z);
    sum.shift = sum.shift +
                hn::MulAdd(turned.x, first.x,
                           hn::MulAdd(turned.y, first.y, hn::MulAdd(turned.z, first.z, carried * zeroth)));
    const V any = hn::Or(hn::Or(turned.x, turned.y), hn::Or(turned.z, moved));
    // What fills up a list has no part in the point.
    sum.differs = hn::Or(sum.differs, hn::IfThenElseZero(hn::Gt(zeroth, zero), any));
  }
  return sum;
}

struct Stretch {
  M3 blended;
  V base_square;  // of the heaviest joint's
};

template <class List>
HWY_INLINE Stretch blended_stretch(const List& entries, const Quad& base, const Quad& base_rest) {
  Quad sum = base;
  V yz = base_rest.x, zz = base_rest.y;
  for (std::size_t e = 0; e < entries.width; ++e) {
    const V zeroth = entries.number(e, 9);
    const Quad joint = entries.joint(e, 3), rest = entries.joint(e, 4);
    sum.x = hn::MulAdd(joint.x - base.x, zeroth, sum.x);
    sum.y = hn::MulAdd(joint.y - base.y, zeroth, sum.y);
    sum.z = hn::MulAdd(joint.z - base.z, zeroth, sum.z);
    sum.w = hn::MulAdd(joint.w - base.w, zeroth, sum.w);
    yz = hn::MulAdd(rest.x - base_rest.x, zeroth, yz);
    zz = hn::MulAdd(rest.y - base_rest.y, zeroth, zz);
  }
  const V across = hn::MulAdd(base.y, base.y, hn::MulAdd(base.z, base.z, base_rest.x * base_rest.x));
  const V along = hn::MulAdd(base.x, base.x, hn::MulAdd(base.w, base.w, base_rest.y * base_rest.y));
  return {{{sum.x, sum.y, sum.z}, {sum.y, sum.w, yz}, {sum.z, yz, zz}}, along + across + across};
}

// How a vector of points is posed.
struct DirectLanes {
  M3 linear;
  V3 point;
  Mask is_unsure;
};

template <bool kRigid, bool kScattered>
HWY_INLINE DirectLanes posed_lanes(const DirectJob& job, std::size_t v) {
  constexpr std::size_t kStride = direct_stride(kRigid);
  const DirectDeltaMushBlocks& mush = *job.mush;
  const SkinBlocks::Block& block = mush.blocks[v / kBlockPoints];
  const std::size_t lane = v % kBlockPoints;
  const float* values = job.palette->values.data();
  const Entries<kStride, kScattered> entries{
      values, mush.slots.data() + block.first_slot + (kScattered ? lane : 0),
      mush.omega.data() + std::size_t{block.first_weight} * kBlockPoints + lane, block.width};
  const Index* heaviest = mush.heaviest.data() + v;
  const float* centre_at = rest_at(mush.centres, v, 4);
  const V3 centre = load3(centre_at, kBlockPoints);
  const Quad base[3] = {gathered_quad<kStride>(values, heaviest),
                        gathered_quad<kStride>(values + 4, heaviest),
                        gathered_quad<kStride>(values + 8, heaviest)};
  const FitRow x = fit_row(entries, 0, base[0], centre), y = fit_row(entries, 1, base[1], centre),
               z = fit_row(entries, 2, base[2], centre);
  M3 fit{x.fit, y.fit, z.fit}, linear;
  V reach = hn::Load(kTag, centre_at + 3 * kBlockPoints);
  NearestRotation nearest;
  if constexpr (kRigid) {
    nearest = nearest_rotation(fit, reach);
    linear = nearest.rotation;
  } else {
    const Stretch stretch = blended_stretch(entries, gathered_quad<kStride>(values + 12, heaviest),
                                            gathered_quad<kStride>(values + 16, heaviest));
    nearest = nearest_rotation(fit * stretch.blended, reach * stretch.base_square);
    linear = nearest.rotation * stretch.blended;
  }
  const Mask is_alike = hn::Eq(hn::Or(x.differs, hn::Or(y.differs, z.differs)), hn::Zero(kTag));
  const M3 alone{{base[0].x, base[0].y, base[0].z},
                 {base[1].x, base[1].y, base[1].z},
                 {base[2].x, base[2].y, base[2].z}};
  linear = if_then_else(is_alike, alone, linear);
  const V3 point = load3(rest_at(job.rest->points, v, 3), kBlockPoints);
  const V3 with_heaviest = alone * point + V3{base[0].w, base[1].w, base[2].w};
  const V3 added = (linear - alone) * (point - centre) + V3{x.shift, y.shift, z.shift};
  return {linear, with_heaviest + added, hn::Not(hn::Or(is_alike, nearest.is_sure))};
}

template <bool kRigid>
HWY_INLINE void write_lanes(const DirectJob& job, const DirectLanes& posed, std::size_t v) {
  const std::size_t left = job.end - v;
  const RestBlocks& rest = *job.rest;
  Mask is_mended = posed.is_unsure, is_mirrored = nowhere();
  if (!job.posed.points.empty()) write_vectors(job.posed.points, posed.point, v, left);
  V3 normal{hn::Zero(kTag), hn::Zero(kTag), hn::Zero(kTag)};
  M3 turn = posed.linear;
  if constexpr (!kRigid) {
    turn = cofactor(posed.linear);
    is_mirrored = hn::Lt(dot(posed.linear.x, turn.x), hn::Zero(kTag));
  }
  if (!rest.normals.empty()) {
    V3 at_rest = load3(rest_at(rest.normals, v, 3), kBlockPoints);
    if constexpr (!kRigid) {
      const V scale = hn::Set(kTag, static_cast<float>(job.palette->normal_scale));
      at_rest = at_rest * hn::IfThenElse(is_mirrored, hn::Neg(scale), scale);
    }
    const V3 turned = turn * at_rest;
    const V length_square = dot(turned, turned);
    normal = turned * reciprocal_sqrt(length_square);
    if (!job.posed.normals.empty()) write_vectors(job.posed.normals, normal, v, left);
    is_mended = hn::Or(is_mended, is_nothing(length_square));
  }
  if (!job.posed.tangents.empty()) {
    const V3 turned = posed.linear * load3(rest_at(rest.tangents, v, 4), kBlockPoints);
    const V3 flat = flattened(turned, normal);
    const V length_square = dot(flat, flat);
    write_tangents(rest, flat, length_square, is_mirrored, job.posed.tangents, v, left);
    mend_where(is_nothing(length_square), v, left, [&](std::size_t at) { mend_direct_tangent(job, at); });
  }
  mend_where(is_mended, v, left, [&](std::size_t at) { mend_direct_point(job, at); });
}

template <bool kRigid>
void skin_direct(const DirectJob& job) {
  for (std::size_t v = job.begin; v < job.end; v += kLanes) {
    const bool is_scattered = job.mush->blocks[v / kBlockPoints].is_scattered;
    write_lanes<kRigid>(
        job, is_scattered ? posed_lanes<kRigid, true>(job, v) : posed_lanes<kRigid, false>(job, v), v);
  }
}

}  // namespace

void skin_direct_job(const DirectJob& job) {
  job.palette->is_rigid ? skin_direct<true>(job) : skin_direct<false>(job);
}

}  // namespace dermis::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dermis {
namespace {

HWY_EXPORT(skin_direct_job);

}  // namespace

void skin_direct_delta_mush(const DirectDeltaMushBlocks& mush, const DirectDeltaMushPalette& palette,
                            const RestBlocks& rest, PosedSurface posed, PointRange range) {
  const std::size_t count = mush.point_count;
  require(rest.point_count == count && mush.slot_count <= palette.joints.size());
  require(posed.points.empty() || posed.points.size() == count);
  require(posed.normals.empty() || (posed.normals.size() == count && !rest.normals.empty()));
  require(posed.tangents.empty() || (posed.tangents.size() == count && !rest.tangents.empty()));
  require(range.begin % kRangePoints == 0);
  DirectJob job;
  job.mush = &mush;
  job.palette = &palette;
  job.rest = &rest;
  job.posed = posed;
  job.end = std::min(range.end, count);
  job.begin = std::min(range.begin, job.end);
  HWY_DYNAMIC_DISPATCH(skin_direct_job)(job);
}

}  // namespace dermis
#endif
