// SPDX-License-Identifier: MIT
// Handles the few points where a blended normal or tangent cancels to zero.
#include "deform/kernels/job.h"
#include "deform/skinning.h"

namespace dermis {
namespace {

std::size_t heaviest_slot(const SkinBlocks& skin, std::size_t v) {
  const SkinBlocks::Block& block = skin.blocks[v / kBlockPoints];
  const std::size_t lane = v % kBlockPoints;
  if (block.is_scattered) return skin.slots[block.first_slot + block.width * kBlockPoints + lane];
  const float* weights = skin.weights.data() + std::size_t{block.first_weight} * kBlockPoints + lane;
  return skin.slots[block.first_slot + heaviest_of(weights, block.width)];
}

}  // namespace

void mend_normal(const SkinJob& job, std::size_t v) {
  const Vec3 rest = vector_at(job.rest->normals, v, 3);
  const auto turned = direction_of(normal_turned_by(*job.joints, heaviest_slot(*job.skin, v), rest));
  job.posed.normals[v] = turned ? *turned : normalized(rest);
}

void mend_tangent(const SkinJob& job, std::size_t v) {
  const Vec3 rest = vector_at(job.rest->tangents, v, 4);
  const Vec3 normal = job.posed.normals.empty() ? Vec3{} : job.posed.normals[v];
  const Vec3 kept = along_surface(rest, normal).value_or(rest);
  Vec4& tangent = job.posed.tangents[v];
  tangent = {kept.x, kept.y, kept.z, tangent.w};
}

}  // namespace dermis
