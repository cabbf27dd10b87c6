// SPDX-License-Identifier: MIT
// What the search for a skeleton knows about a solid: the depth of its cells, and the ends of its limbs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dermis/geometry.h"
#include "dermis/math.h"

namespace dermis {

// The depth of each cell of a solid, and its nearest surface point through linked cells.
struct DepthField {
  std::vector<float> depth;   // from the centre of the cell, in the units of the solid
  std::vector<Vec3> nearest;  // middle of a cell side without a link
};
// By ordered propagation of the nearest surface points (Danielsson 1980), from cell to linked cell: gaps that
// cut links count as surface, inner shells do not. N log N in the cells.
DepthField measure_depth(const VoxelSolid& solid);

// Cells whose directions to the surface differ by more than a right angle: the medial surface. Deepest first
// (ties: lower cell).
std::vector<std::uint32_t> medial_cells(const VoxelSolid& solid, const DepthField& field);

// A local maximum of the distance from the middle of the body.
struct LimbEnd {
  std::uint32_t cell = 0;
  double reach = 0;        // distance from the middle
  double prominence = 0;   // length of the limb back to where it meets one that reaches farther
  std::uint32_t root = 0;  // the cell where they meet
};
// The ends of limbs with a prominence of at least `least`, most prominent first. `way` is the distance of
// each cell from the middle, finite. The merge tree of superlevel sets, by union-find (Carr et al. 2003).
// Only cells that are `taken` count; all if that is empty.
std::vector<LimbEnd> find_limb_ends(const VoxelSolid& solid, std::span<const float> way, double least,
                                    const std::vector<bool>& taken = {});

}  // namespace dermis
