// SPDX-License-Identifier: MIT
// Poses in double the few points of direct delta mush that float cannot decide.
#include "deform/direct_blend.h"
#include "deform/kernels/direct_job.h"

namespace dermis {
namespace {

DirectMap map_at(const DirectJob& job, std::size_t v) {
  const std::size_t lane = v % kBlockPoints;
  const SkinBlocks::Block& block = job.mush->blocks[v / kBlockPoints];
  DirectRow row;
  row.slots = job.mush->slots.data() + block.first_slot + (block.is_scattered ? lane : 0);
  row.slot_step = block.is_scattered ? kBlockPoints : 1;
  row.omega = job.mush->omega.data() + std::size_t{block.first_weight} * kBlockPoints + lane;
  row.component_step = kBlockPoints;
  row.width = block.width;
  return direct_map_at({job.joints->palette, job.joints->stretches}, row,
                       Vec3d(vector_at(job.mush->centres, v, 4)), Vec3d(vector_at(job.rest->points, v, 3)));
}

Vec3d normal_at(const DirectJob& job, const DirectMap& map, std::size_t v) {
  return job.rest->normals.empty() ? Vec3d{}
                                   : posed_normal(map.local, Vec3d(vector_at(job.rest->normals, v, 3)));
}

void put_tangent(const DirectJob& job, const DirectMap& map, const Vec3d& normal, std::size_t v) {
  const Vec3 rest = vector_at(job.rest->tangents, v, 4);
  const float w = job.rest->tangents[(v / kBlockPoints * 4 + 3) * kBlockPoints + v % kBlockPoints];
  job.posed.tangents[v] = posed_tangent(map.local, {rest.x, rest.y, rest.z, w}, normal);
}

}  // namespace

void mend_direct_point(const DirectJob& job, std::size_t v) {
  const DirectMap map = map_at(job, v);
  const Vec3d normal = normal_at(job, map, v);
  if (!job.posed.tangents.empty()) put_tangent(job, map, normal, v);
  if (!job.posed.normals.empty()) job.posed.normals[v] = Vec3(normal);
  if (!job.posed.points.empty()) job.posed.points[v] = Vec3(map.posed_point);
}

void mend_direct_tangent(const DirectJob& job, std::size_t v) {
  const DirectMap map = map_at(job, v);
  put_tangent(job, map, normal_at(job, map, v), v);
}

}  // namespace dermis
