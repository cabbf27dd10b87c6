// SPDX-License-Identifier: MIT
// Notes of the methods that fill the body with cells.
#pragma once

#include "dermis/bind.h"

namespace dermis {

// Refuses a cell edge that is negative or larger than the body; 0: none was requested.
Status check_cell(double cell, double size);
// Notes the cell that was chosen and whether it is larger than `wanted` (0: none was), cells that limbs
// share, pieces, and far points. `option` is the one that makes cells smaller.
void note_solid(const VoxelSolid& solid, double wanted, const char* option, Notes& notes);
// Nothing if there are none.
void note_far_points(std::size_t count, Notes& notes);
void note_joints_outside(std::size_t count, Notes& notes);

}  // namespace dermis
