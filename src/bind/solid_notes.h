// SPDX-License-Identifier: MIT
// What methods that fill the body tell of it.
#pragma once

#include "dermis/bind.h"

namespace dermis {

// The cell that was chosen, cells that limbs share, pieces, and points far off.
void note_solid(const VoxelSolid& solid, Notes& notes);
// Nothing when there are none.
void note_joints_outside(std::size_t count, Notes& notes);

}  // namespace dermis
