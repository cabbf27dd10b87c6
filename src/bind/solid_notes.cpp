// SPDX-License-Identifier: MIT
// Notes of the methods that fill the body with cells.
#include "bind/solid_notes.h"

#include <fmt/format.h>

namespace dermis {

Status check_cell(double cell, double size) {
  if (!(cell >= 0)) return Error{Errc::bad_argument, fmt::format("a cell cannot have an edge of {:g}", cell)};
  if (cell <= size) return Done{};
  return Error{Errc::bad_argument,
               fmt::format("a cell with an edge of {:.6g} is larger than the whole body, whose size is "
                           "{:.3g}; give a smaller one, or 0 for a suitable one",
                           cell, size)};
}

void note_solid(const VoxelSolid& solid, double wanted, const char* option, Notes& notes) {
  // More than rounding.
  constexpr double kEnlarged = 1.001;
  if (wanted > 0 && solid.cell > kEnlarged * wanted) {
    notes.push_back(
        {Note::Kind::info, "bind-cell-enlarged",
         fmt::format("cells with an edge of {:.3g} would be too many; {:.3g} is used", wanted, solid.cell)});
  }
  notes.push_back({Note::Kind::info, "bind-cells",
                   fmt::format("the body has {} with an edge of {:.3g}",
                               counted(solid.cell_count(), "cell", "cells"), solid.cell)});
  if (solid.shared_cell_count > 0) {
    notes.push_back(Note{Note::Kind::guess, "bind-shared-cells",
                         fmt::format("{} two limbs, which are connected there; smaller cells separate them",
                                     counted(solid.shared_cell_count, "cell holds", "cells hold"))}
                        .with_remedy(option));
    notes.back().count = solid.shared_cell_count;
  }
  if (solid.piece_count > 1) {
    notes.push_back({Note::Kind::guess, "bind-pieces",
                     fmt::format("the body is in {} pieces; distances between them are straight lines",
                                 solid.piece_count)});
    notes.back().count = solid.piece_count;
  }
  note_far_points(solid.far_point_count, notes);
}

void note_far_points(std::size_t count, Notes& notes) {
  if (count == 0) return;
  notes.push_back({Note::Kind::guess, "bind-far-points",
                   fmt::format("{} far from the rest and {} not part of the body",
                               counted(count, "point lies", "points lie"), count == 1 ? "is" : "are")});
  notes.back().count = count;
}

void note_joints_outside(std::size_t count, Notes& notes) {
  if (count == 0) return;
  notes.push_back({Note::Kind::guess, "bind-joints-outside",
                   fmt::format("{} outside the body and {} from the nearest place in it",
                               counted(count, "joint lies", "joints lie"), count == 1 ? "acts" : "act")});
  notes.back().count = count;
}

}  // namespace dermis
