// SPDX-License-Identifier: MIT
// What methods that fill the body tell of it.
#pragma once

#include "dermis/bind.h"

namespace dermis {

// Refuses the edge of a cell that no body of this size can be made of; 0 is none asked for.
Status check_cell(double cell, double size);
// The cell that was chosen, where it is larger than `wanted` (0: none was) so too, cells that limbs share,
// pieces, and points far off. `option` is the one that makes cells smaller.
void note_solid(const VoxelSolid& solid, double wanted, const char* option, Notes& notes);
// Nothing when there are none.
void note_far_points(std::size_t count, Notes& notes);
void note_joints_outside(std::size_t count, Notes& notes);

}  // namespace dermis
