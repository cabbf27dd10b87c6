// SPDX-License-Identifier: MIT
// What methods that fill the body tell of it.
#include "bind/solid_notes.h"

#include <fmt/format.h>

namespace dermis {

void note_solid(const VoxelSolid& solid, Notes& notes) {
  notes.push_back({Note::Kind::info, "bind-cells",
                   fmt::format("the body is {} with an edge of {:.3g}",
                               counted(solid.cell_count(), "cell", "cells"), solid.cell)});
  if (solid.shared_cell_count > 0) {
    notes.push_back({Note::Kind::guess, "bind-shared-cells",
                     fmt::format("{} two limbs, which hang together there: a smaller cell parts them",
                                 counted(solid.shared_cell_count, "cell holds", "cells hold"))});
    notes.back().count = solid.shared_cell_count;
  }
  if (solid.piece_count > 1) {
    notes.push_back({Note::Kind::guess, "bind-pieces",
                     fmt::format("the body is in {} pieces; distances go between them in straight lines",
                                 solid.piece_count)});
    notes.back().count = solid.piece_count;
  }
  if (solid.far_point_count > 0) {
    notes.push_back({Note::Kind::guess, "bind-far-points",
                     fmt::format("{} far from the rest and {} no part of the body",
                                 counted(solid.far_point_count, "point lies", "points lie"),
                                 solid.far_point_count == 1 ? "is" : "are")});
    notes.back().count = solid.far_point_count;
  }
}

void note_joints_outside(std::size_t count, Notes& notes) {
  if (count == 0) return;
  notes.push_back({Note::Kind::guess, "bind-joints-outside",
                   fmt::format("{} outside the body and {} from where it is nearest",
                               counted(count, "joint lies", "joints lie"), count == 1 ? "works" : "work")});
  notes.back().count = count;
}

}  // namespace dermis
