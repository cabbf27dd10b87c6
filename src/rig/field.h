// SPDX-License-Identifier: MIT
// What the search for a skeleton knows of a solid: how deep its cells lie, and where its limbs end.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dermis/geometry.h"
#include "dermis/math.h"

namespace dermis {

// How deep each cell of a solid lies, and the place of its surface that is nearest through linked cells.
struct DepthField {
  std::vector<float> depth;   // from the centre of the cell, in the units of the solid
  std::vector<Vec3> nearest;  // middle of a side of a cell that nothing is linked to
};
// By ordered propagation of the nearest places (Danielsson 1980), from cell to linked cell: gaps that cut
// links count as surface, inner shells do not. N log N in the cells.
DepthField measure_depth(const VoxelSolid& solid);

// Cells where the ways out point apart by more than a right angle: the medial surface. Deepest first (ties:
// lower cell).
std::vector<std::uint32_t> medial_cells(const VoxelSolid& solid, const DepthField& field);

// A place where the way from the middle of the body is longest, seen from all cells around.
struct LimbEnd {
  std::uint32_t cell = 0;
  double reach = 0;        // way from the middle
  double prominence = 0;   // how far back the limb is a limb: to where it meets one that reaches farther
  std::uint32_t root = 0;  // the cell where it does
};
// The ends of the limbs, most prominent first, as far as `least` prominent. `way` is the distance of each
// cell from the middle, finite. The merge tree of superlevel sets, by union-find (Carr et al. 2003). Only
// cells that are `taken` count, all when that is empty.
std::vector<LimbEnd> find_limb_ends(const VoxelSolid& solid, std::span<const float> way, double least,
                                    const std::vector<bool>& taken = {});

}  // namespace dermis
