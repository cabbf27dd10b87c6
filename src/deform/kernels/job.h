// SPDX-License-Identifier: MIT
// The input of a kernel: one mesh, one pose, one range of points.
#pragma once

#include "deform/kernels/blocks.h"
#include "deform/kernels/packed_joints.h"

namespace dermis {

struct SkinJob {
  const SkinBlocks* skin = nullptr;
  const PackedJoints* joints = nullptr;
  const RestBlocks* rest = nullptr;
  PosedSurface posed;
  std::size_t begin = 0, end = 0;       // points
  const float* centres = nullptr;       // cor: 24 per block
  const std::uint32_t* sets = nullptr;  // spherical: for each point, the index of its centre in set_centres
  const float* set_centres = nullptr;   // x y z 0
  const float* dqs_share = nullptr;     // lbs_dqs: one per point
};

// For vectors that a kernel could not normalise, in scalar code: the heaviest joint rotates the rest normal,
// and the tangent follows it. `v` is a point of the job; the posed normal or tangent is replaced.
void mend_normal(const SkinJob& job, std::size_t v);
void mend_tangent(const SkinJob& job, std::size_t v);

}  // namespace dermis
