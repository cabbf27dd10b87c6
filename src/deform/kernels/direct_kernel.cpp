// SPDX-License-Identifier: MIT
// The kernel of direct delta mush: sums over the joints of a block, the nearest rotation, posed vectors.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/kernels/direct_kernel.cpp"
#include "base/kernel_targets.h"

#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.
#include <hwy/cache_control.h>
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
  const float* values;  // of the packed joints
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

// The sums over the joints, relative to the heaviest one (see direct_blend.cpp).
struct FitSums {
  M3 fit;
  V3 shift;
  V differs;  // zero bits if all joints of a point are the same
};

// What one entry adds to row r of the sums.
template <class List>
HWY_INLINE V add_row(const List& entries, std::size_t e, std::size_t r, const Quad& base, const V3& centre,
                     V3& fit, V& shift) {
  const Quad joint = entries.joint(e, r);
  const V3 turned{joint.x - base.x, joint.y - base.y, joint.z - base.z};
  const V moved = joint.w - base.w;
  const V carried =
      hn::MulAdd(turned.x, centre.x, hn::MulAdd(turned.y, centre.y, hn::MulAdd(turned.z, centre.z, moved)));
  const auto number = [&](std::size_t c) { return entries.number(e, c); };
  // Each term is computed separately, then added: the sums wait for one addition per entry.
  const auto term = [&](std::size_t x, std::size_t y, std::size_t z, std::size_t c) {
    return hn::MulAdd(joint.x, number(x),
                      hn::MulAdd(joint.y, number(y), hn::MulAdd(joint.z, number(z), carried * number(c))));
  };
  fit.x = fit.x + term(0, 1, 2, 6);
  fit.y = fit.y + term(1, 3, 4, 7);
  fit.z = fit.z + term(2, 4, 5, 8);
  shift = shift +
          hn::MulAdd(turned.x, number(6),
                     hn::MulAdd(turned.y, number(7), hn::MulAdd(turned.z, number(8), carried * number(9))));
  return hn::Or(hn::Or(turned.x, turned.y), hn::Or(turned.z, moved));
}

template <class List>
HWY_INLINE FitSums fit_sums(const List& entries, const Quad& x, const Quad& y, const Quad& z,
                            const V3& centre) {
  const V zero = hn::Zero(kTag);
  const V3 none{zero, zero, zero};
  FitSums sum{{none, none, none}, none, zero};
  for (std::size_t e = 0; e < entries.width; ++e) {
    const V in_x = add_row(entries, e, 0, x, centre, sum.fit.x, sum.shift.x);
    const V in_y = add_row(entries, e, 1, y, centre, sum.fit.y, sum.shift.y);
    const V in_z = add_row(entries, e, 2, z, centre, sum.fit.z, sum.shift.z);
    // Padding of a list does not contribute to the point.
    const Mask is_there = hn::Gt(entries.number(e, 9), zero);
    sum.differs = hn::Or(sum.differs, hn::IfThenElseZero(is_there, hn::Or(in_x, hn::Or(in_y, in_z))));
  }
  return sum;
}

// Points whose sums are computed before the first of them is rotated.
constexpr std::size_t kDirectChunk = kRangePoints / 4;

// Values of the points of a chunk, component by component.
template <std::size_t kCount>
struct Numbers {
  alignas(64) float values[kCount][kDirectChunk];

  HWY_INLINE V at(std::size_t c, std::size_t lane) const { return hn::Load(kTag, values[c] + lane); }
  HWY_INLINE void put(std::size_t c, std::size_t lane, V v) { hn::Store(v, kTag, values[c] + lane); }
  HWY_INLINE V3 row(std::size_t c, std::size_t lane) const { return load3(values[c] + lane, kDirectChunk); }
  HWY_INLINE void put_row(std::size_t c, std::size_t lane, const V3& v) {
    store3(v, values[c] + lane, kDirectChunk);
  }
  HWY_INLINE M3 matrix(std::size_t lane) const { return {row(0, lane), row(3, lane), row(6, lane)}; }
  HWY_INLINE void put_matrix(std::size_t lane, const M3& m) {
    put_row(0, lane, m.x);
    put_row(3, lane, m.y);
    put_row(6, lane, m.z);
  }
};

template <bool kRigid>
struct DirectChunk {
  Numbers<9> fit;      // Q S, then scaled
  Numbers<9> base;     // of the heaviest joint: linear part
  Numbers<3> moved;    // and translation
  Numbers<3> shift;    // against it
  Numbers<1> differs;  // see FitSums
  Numbers<2> solved;   // sum and size of ScaledMatrix
  Numbers<1> reach;
  Numbers<kRigid ? 1 : 9> stretch;
};

// The blended stretch, and the squared size of the heaviest joint's.
struct Stretch {
  M3 blended;
  V base_square;
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

// The heaviest joints of a vector of points: most often one and the same.
template <std::size_t kStride>
struct HeaviestJoints {
  const float* values;  // of the packed joints
  const Index* slots;
  bool is_one;

  HWY_INLINE HeaviestJoints(const float* joints, const Index* first) : values(joints), slots(first) {
    const hn::RebindToSigned<Lanes> tag;
    is_one = hn::AllTrue(tag, hn::Eq(hn::LoadU(tag, slots), hn::Set(tag, slots[0])));
  }
  HWY_INLINE Quad quad(std::size_t q) const {
    if (HWY_LIKELY(is_one)) return same_quad(values + static_cast<std::size_t>(slots[0]) * kStride + q * 4);
    return gathered_quad<kStride>(values + q * 4, slots);
  }
};

// Adds up one vector of points.
template <bool kRigid, bool kScattered>
HWY_INLINE void sum_lanes(const DirectJob& job, std::size_t v, std::size_t lane, DirectChunk<kRigid>& chunk) {
  constexpr std::size_t kStride = direct_stride(kRigid);
  const DirectDeltaMushBlocks& mush = *job.mush;
  const SkinBlocks::Block& block = mush.blocks[v / kBlockPoints];
  const std::size_t in_block = v % kBlockPoints;
  const float* values = job.joints->values.data();
  const Entries<kStride, kScattered> entries{
      values, mush.slots.data() + block.first_slot + (kScattered ? in_block : 0),
      mush.omega.data() + std::size_t{block.first_weight} * kBlockPoints + in_block, block.width};
  const HeaviestJoints<kStride> heaviest(values, mush.heaviest.data() + v);
  const float* centre_at = rest_at(mush.centres, v, 4);
  const V3 centre = load3(centre_at, kBlockPoints);
  V reach = hn::Load(kTag, centre_at + 3 * kBlockPoints);
  const Quad base[3] = {heaviest.quad(0), heaviest.quad(1), heaviest.quad(2)};
  const FitSums sums = fit_sums(entries, base[0], base[1], base[2], centre);
  for (std::size_t r = 0; r < 3; ++r) {
    chunk.base.put_row(r * 3, lane, {base[r].x, base[r].y, base[r].z});
    chunk.moved.put(r, lane, base[r].w);
  }
  chunk.shift.put_row(0, lane, sums.shift);
  chunk.differs.put(0, lane, sums.differs);
  M3 fit = sums.fit;
  if constexpr (!kRigid) {
    const Stretch stretch = blended_stretch(entries, heaviest.quad(3), heaviest.quad(4));
    fit = fit * stretch.blended;
    reach = reach * stretch.base_square;
    chunk.stretch.put_matrix(lane, stretch.blended);
  }
  chunk.fit.put_matrix(lane, fit);
  chunk.reach.put(0, lane, reach);
}

// Computes the rotations of one vector of points from the sums; overwrites what the second stage no longer
// needs.
template <bool kRigid>
HWY_INLINE void turn_lanes(std::size_t lane, DirectChunk<kRigid>& chunk) {
  const NearestRotation nearest = nearest_rotation(
      {chunk.fit.matrix(lane), chunk.solved.at(0, lane), chunk.solved.at(1, lane)}, chunk.reach.at(0, lane));
  const Mask is_alike = hn::Eq(chunk.differs.at(0, lane), hn::Zero(kTag));
  M3 linear = nearest.rotation;
  if constexpr (!kRigid) linear = linear * chunk.stretch.matrix(lane);
  chunk.fit.put_matrix(lane, if_then_else(is_alike, chunk.base.matrix(lane), linear));
  const Mask is_unsure = hn::Not(hn::Or(is_alike, nearest.is_sure));
  chunk.solved.put(0, lane, hn::IfThenElseZero(is_unsure, hn::Set(kTag, 1.0f)));
}

struct DirectLanes {
  M3 linear;
  V3 point;
  Mask is_unsure;
};

template <bool kRigid>
HWY_INLINE DirectLanes posed_lanes(const DirectJob& job, std::size_t v, std::size_t lane,
                                   const DirectChunk<kRigid>& chunk) {
  const M3 base = chunk.base.matrix(lane), linear = chunk.fit.matrix(lane);
  const V3 centre = load3(rest_at(job.mush->centres, v, 4), kBlockPoints);
  const V3 point = load3(rest_at(job.rest->points, v, 3), kBlockPoints);
  const V3 with_heaviest = base * point + chunk.moved.row(0, lane);
  const V3 added = (linear - base) * (point - centre) + chunk.shift.row(0, lane);
  return {linear, with_heaviest + added, hn::Ne(chunk.solved.at(0, lane), hn::Zero(kTag))};
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
      const V scale = hn::Set(kTag, static_cast<float>(job.joints->normal_scale));
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

// Entries are most of the data read, and nothing else loads those of the next chunk while this one is
// rotated.
HWY_INLINE void fetch_entries(const DirectJob& job, std::size_t v) {
  if (v >= job.end) return;
  constexpr std::size_t kLineFloats = 16;
  const SkinBlocks::Block& block = job.mush->blocks[v / kBlockPoints];
  const float* at = job.mush->omega.data() + std::size_t{block.first_weight} * kBlockPoints;
  const float* end = at + std::size_t{block.width} * kOmegaSize * kBlockPoints;
  for (; at < end; at += kLineFloats) hwy::Prefetch(at);
}

template <bool kRigid>
void skin_direct(const DirectJob& job) {
  DirectChunk<kRigid> chunk;
  for (std::size_t first = job.begin; first < job.end; first += kDirectChunk) {
    const std::size_t count = std::min(kDirectChunk, job.end - first);
    for (std::size_t lane = 0; lane < count; lane += kLanes) {
      const std::size_t v = first + lane;
      if (job.mush->blocks[v / kBlockPoints].is_scattered)
        sum_lanes<kRigid, true>(job, v, lane, chunk);
      else
        sum_lanes<kRigid, false>(job, v, lane, chunk);
    }
    for (std::size_t lane = 0; lane < count; lane += kLanes) {
      const ScaledMatrix scaled = scaled_matrix(chunk.fit.matrix(lane));
      chunk.fit.put_matrix(lane, scaled.matrix);
      chunk.solved.put(0, lane, scaled.sum);
      chunk.solved.put(1, lane, scaled.size);
    }
    for (std::size_t lane = 0; lane < count; lane += kLanes) {
      turn_lanes(lane, chunk);
      if (lane % kBlockPoints == 0) fetch_entries(job, first + lane + kDirectChunk);
    }
    for (std::size_t lane = 0; lane < count; lane += kLanes)
      write_lanes<kRigid>(job, posed_lanes<kRigid>(job, first + lane, lane, chunk), first + lane);
  }
}

}  // namespace

void skin_direct_job(const DirectJob& job) {
  job.joints->is_rigid ? skin_direct<true>(job) : skin_direct<false>(job);
}

}  // namespace dermis::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dermis {
namespace {

HWY_EXPORT(skin_direct_job);

}  // namespace

void skin_direct_delta_mush(const DirectDeltaMushBlocks& mush, const PackedDirectJoints& joints,
                            const RestBlocks& rest, PosedSurface posed, PointRange range) {
  const std::size_t count = mush.point_count;
  require(mush.slot_count <= joints.palette.size());
  check_kernel_sizes(count, rest, posed, range);
  DirectJob job;
  job.mush = &mush;
  job.joints = &joints;
  job.rest = &rest;
  job.posed = posed;
  job.end = std::min(range.end, count);
  job.begin = std::min(range.begin, job.end);
  HWY_DYNAMIC_DISPATCH(skin_direct_job)(job);
}

}  // namespace dermis
#endif
