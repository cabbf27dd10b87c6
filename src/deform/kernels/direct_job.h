// SPDX-License-Identifier: MIT
// The input of the direct delta mush kernel: one mesh, one pose, one range of points.
#pragma once

#include "deform/kernels/blocks.h"

namespace dermis {

struct DirectJob {
  const DirectDeltaMushBlocks* mush = nullptr;
  const PackedDirectJoints* joints = nullptr;
  const RestBlocks* rest = nullptr;
  PosedSurface posed;
  std::size_t begin = 0, end = 0;  // points
};

// The number of packed floats per joint: three rows (x y z t), then xx xy xz yy, yz zz 0 0 of the stretch.
constexpr std::size_t direct_stride(bool is_rigid) { return is_rigid ? 12 : 20; }

// Poses point v in double: point, normal and tangent, or only the tangent if only that has no direction.
void mend_direct_point(const DirectJob& job, std::size_t v);
void mend_direct_tangent(const DirectJob& job, std::size_t v);

}  // namespace dermis
