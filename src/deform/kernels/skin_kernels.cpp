// SPDX-License-Identifier: MIT
// The kernels: chunks of points blended, mapped, made unit and written, for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/kernels/skin_kernels.cpp"
#include "base/kernel_targets.h"

#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "deform/kernels/job.h"
#include "deform/kernels/maps-inl.h"
#include "deform/kernels/write-inl.h"
#include "deform/sizes.h"

HWY_BEFORE_NAMESPACE();
namespace dermis::HWY_NAMESPACE {
namespace {

// Normalises the normal unless it is unit, and writes it; returns it for the tangent.
template <bool kIsUnit>
HWY_INLINE V3 write_normals(const SkinJob& job, const V3& turned, std::size_t v, std::size_t count) {
  if constexpr (kIsUnit) {
    write_vectors(job.posed.normals, turned, v, count);
    return turned;
  }
  const V square = dot(turned, turned);
  const V3 unit = turned * reciprocal_sqrt(square);
  write_vectors(job.posed.normals, unit, v, count);
  mend_where(is_nothing(square), v, count, [&](std::size_t at) { mend_normal(job, at); });
  return unit;
}

// Any method: blend a chunk, then map it.
template <class Map>
void skin_mapped(const SkinJob& job) {
  Components blended;
  JointList<Map::kLayout> list;
  for (std::size_t first = job.begin; first < job.end; first += kChunk) {
    const std::size_t count = std::min(kChunk, job.end - first);
    blend_chunk(job, first / kBlockPoints, block_count_of(count), list, blended);
    for (std::size_t lane = 0; lane < count; lane += kLanes) {
      const std::size_t v = first + lane, left = count - lane;
      const Map map(job, blended, first, lane);
      if (!job.posed.points.empty())
        write_vectors(job.posed.points, map.point(load3(rest_at(job.rest->points, v, 3), kBlockPoints)), v,
                      left);
      V3 normal{hn::Zero(kTag), hn::Zero(kTag), hn::Zero(kTag)};
      if (!job.posed.normals.empty())
        normal = write_normals<Map::kKeepsLength>(
            job, map.normal(load3(rest_at(job.rest->normals, v, 3), kBlockPoints)), v, left);
      if (!job.posed.tangents.empty()) {
        const V3 turned = map.direction(load3(rest_at(job.rest->tangents, v, 4), kBlockPoints));
        const V3 flat = flattened(turned, normal);
        const V square = dot(flat, flat);
        write_tangents(*job.rest, flat, square, map.is_mirrored(), job.posed.tangents, v, left);
        mend_where(is_nothing(square), v, left, [&](std::size_t at) { mend_tangent(job, at); });
      }
    }
  }
}

// Linear blending of points and normals: each blended row is used at once and never leaves the registers.
template <bool kRigid>
struct LbsRows {
  const float* points;   // of the chunk
  const float* normals;  // null: not wanted
  alignas(64) float posed_points[3][kChunk];
  alignas(64) float posed_normals[3][kChunk];

  template <int kQuad, int kComponents, int kVectors>
  HWY_INLINE void take(std::size_t lane, const V (&sums)[kComponents][kVectors]) {
    constexpr bool kIsMatrixRow = kComponents == 4;
    constexpr int kRow = kQuad % 3;
    for (int u = 0; u < kVectors; ++u) {
      const std::size_t at = lane + static_cast<std::size_t>(u) * kLanes;
      const std::size_t from = at / kBlockPoints * 3 * kBlockPoints + at % kBlockPoints;
      if constexpr (kIsMatrixRow) {
        const V3 p = load3(points + from, kBlockPoints);
        const V sum =
            hn::MulAdd(sums[0][u], p.x, hn::MulAdd(sums[1][u], p.y, hn::MulAdd(sums[2][u], p.z, sums[3][u])));
        hn::Store(sum, kTag, posed_points[kRow] + at);
      }
      if constexpr (kRigid || !kIsMatrixRow) {
        if (normals == nullptr) continue;
        const V3 n = load3(normals + from, kBlockPoints);
        const V sum = hn::MulAdd(sums[0][u], n.x, hn::MulAdd(sums[1][u], n.y, sums[2][u] * n.z));
        hn::Store(sum, kTag, posed_normals[kRow] + at);
      }
    }
  }
};

template <bool kRigid>
void skin_lbs_rows(const SkinJob& job) {
  const bool has_points = !job.posed.points.empty(), has_normals = !job.posed.normals.empty();
  LbsRows<kRigid> rows;
  JointList<packed_layout(SkinKernel::lbs, kRigid)> list;
  for (std::size_t first = job.begin; first < job.end; first += kChunk) {
    const std::size_t count = std::min(kChunk, job.end - first);
    rows.points = rest_at(job.rest->points, first, 3);
    rows.normals = has_normals ? rest_at(job.rest->normals, first, 3) : nullptr;
    blend_chunk(job, first / kBlockPoints, block_count_of(count), list, rows);
    for (std::size_t lane = 0; lane < count; lane += kLanes) {
      if (has_points)
        write_vectors(job.posed.points, load3(rows.posed_points[0] + lane, kChunk), first + lane,
                      count - lane);
      if (has_normals)
        write_normals<false>(job, load3(rows.posed_normals[0] + lane, kChunk), first + lane, count - lane);
    }
  }
}

template <template <bool> class Map>
void skin_rigid_or_not(const SkinJob& job) {
  job.joints->is_rigid ? skin_mapped<Map<true>>(job) : skin_mapped<Map<false>>(job);
}

template <bool kRigid>
using DqsMap = DualQuatMap<SkinKernel::dqs, kRigid>;
template <bool kRigid>
using CorMap = CentreMap<SkinKernel::cor, kRigid>;
template <bool kRigid>
using SphericalMap = CentreMap<SkinKernel::spherical, kRigid>;

}  // namespace

void skin_lbs_job(const SkinJob& job) {
  if (!job.posed.tangents.empty()) return skin_rigid_or_not<LbsMap>(job);
  job.joints->is_rigid ? skin_lbs_rows<true>(job) : skin_lbs_rows<false>(job);
}
void skin_dqs_job(const SkinJob& job) { skin_rigid_or_not<DqsMap>(job); }
void skin_quaternion_job(const SkinJob& job) { skin_rigid_or_not<QuaternionMap>(job); }
void skin_log_matrix_job(const SkinJob& job) { skin_rigid_or_not<LogMatrixMap>(job); }
void skin_spherical_job(const SkinJob& job) { skin_rigid_or_not<SphericalMap>(job); }
void skin_lbs_dqs_job(const SkinJob& job) { skin_rigid_or_not<LbsDqsMap>(job); }
void skin_cor_job(const SkinJob& job) { skin_rigid_or_not<CorMap>(job); }

}  // namespace dermis::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dermis {
namespace {

HWY_EXPORT(skin_lbs_job);
HWY_EXPORT(skin_dqs_job);
HWY_EXPORT(skin_quaternion_job);
HWY_EXPORT(skin_log_matrix_job);
HWY_EXPORT(skin_spherical_job);
HWY_EXPORT(skin_lbs_dqs_job);
HWY_EXPORT(skin_cor_job);

SkinJob checked_job(const SkinBlocks& skin, const PackedJoints& joints, const RestBlocks& rest,
                    PosedSurface posed, PointRange range) {
  const std::size_t count = skin.point_count;
  require(skin.slot_count <= joints.slot_count);
  check_kernel_sizes(count, rest, posed, range);
  SkinJob job;
  job.skin = &skin;
  job.joints = &joints;
  job.rest = &rest;
  job.posed = posed;
  job.end = std::min(range.end, count);
  job.begin = std::min(range.begin, job.end);
  return job;
}

}  // namespace

void skin_lbs(const SkinBlocks& skin, const PackedJoints& joints, const RestBlocks& rest, PosedSurface posed,
              PointRange range) {
  require(joints.kernel == SkinKernel::lbs);
  HWY_DYNAMIC_DISPATCH(skin_lbs_job)(checked_job(skin, joints, rest, posed, range));
}

void skin_dqs(const SkinBlocks& skin, const PackedJoints& joints, const RestBlocks& rest, PosedSurface posed,
              PointRange range) {
  require(joints.kernel == SkinKernel::dqs);
  HWY_DYNAMIC_DISPATCH(skin_dqs_job)(checked_job(skin, joints, rest, posed, range));
}

void skin_quaternion(const SkinBlocks& skin, const PackedJoints& joints, const RestBlocks& rest,
                     PosedSurface posed, PointRange range) {
  require(joints.kernel == SkinKernel::quaternion);
  HWY_DYNAMIC_DISPATCH(skin_quaternion_job)(checked_job(skin, joints, rest, posed, range));
}

void skin_log_matrix(const SkinBlocks& skin, const PackedJoints& joints, const RestBlocks& rest,
                     PosedSurface posed, PointRange range) {
  require(joints.kernel == SkinKernel::log_matrix);
  HWY_DYNAMIC_DISPATCH(skin_log_matrix_job)(checked_job(skin, joints, rest, posed, range));
}

void skin_lbs_dqs(const SkinBlocks& skin, const PackedJoints& joints, std::span<const float> dqs_share,
                  const RestBlocks& rest, PosedSurface posed, PointRange range) {
  require(joints.kernel == SkinKernel::lbs_dqs && dqs_share.size() == skin.point_count);
  SkinJob job = checked_job(skin, joints, rest, posed, range);
  job.dqs_share = dqs_share.data();
  HWY_DYNAMIC_DISPATCH(skin_lbs_dqs_job)(job);
}

void skin_cor(const SkinBlocks& skin, const PackedJoints& joints, const RestBlocks& centres,
              const RestBlocks& rest, PosedSurface posed, PointRange range) {
  require(joints.kernel == SkinKernel::cor && centres.point_count == skin.point_count);
  SkinJob job = checked_job(skin, joints, rest, posed, range);
  job.centres = centres.points.data();
  HWY_DYNAMIC_DISPATCH(skin_cor_job)(job);
}

void skin_spherical(const SkinBlocks& skin, const PackedJoints& joints, const JointSets& sets,
                    std::span<const float> set_centres, const RestBlocks& rest, PosedSurface posed,
                    PointRange range) {
  require(joints.kernel == SkinKernel::spherical && set_centres.size() == sets.sets.size() * 4);
  require(sets.set_of_point.size() == skin.blocks.size() * kBlockPoints);
  SkinJob job = checked_job(skin, joints, rest, posed, range);
  job.sets = sets.set_of_point.data();
  job.set_centres = set_centres.data();
  HWY_DYNAMIC_DISPATCH(skin_spherical_job)(job);
}

const char* kernel_target() {
  const std::int64_t supported = hwy::SupportedTargets() & HWY_TARGETS;
  return hwy::TargetName(supported & -supported);
}

const std::vector<std::string>& kernel_targets() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> found;
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets())
      found.emplace_back(hwy::TargetName(target));
    return found;
  }();
  return names;
}

bool use_kernel_target(std::string_view name) {
  const std::vector<std::string>& known = kernel_targets();
  if (!name.empty() && std::find(known.begin(), known.end(), name) == known.end()) return false;
  hwy::SetSupportedTargetsForTest(0);
  if (!name.empty()) {
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
      if (name == hwy::TargetName(target)) hwy::SetSupportedTargetsForTest(target);
    }
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return true;
}

}  // namespace dermis
#endif
