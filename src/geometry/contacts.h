// SPDX-License-Identifier: MIT
// Where a shell of a surface touches or crosses itself: a hand on a thigh, an arm at the body.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "geometry/cell_grid.h"

namespace dermis {

// The parts of triangles that have the inside of their own shell also in front of them, less than a few cells
// away: (cell, triangle), sorted.
struct ShellContact {
  std::uint32_t place = 0;  // of the cell in the grid
  std::uint32_t triangle = 0;
  bool operator<(const ShellContact& other) const {
    return place != other.place ? place < other.place : triangle < other.triangle;
  }
};
struct ShellContacts {
  std::vector<ShellContact> parts;
  // Cells whose middle is in the gap between the two sides, or in both.
  std::vector<std::uint32_t> between;

  // Whether a cell has such a part in it.
  bool is_near(std::uint32_t place) const {
    const auto part = std::lower_bound(parts.begin(), parts.end(), ShellContact{place, 0});
    return part != parts.end() && part->place == place;
  }
  // Whether the straight line between the middles of two neighbouring cells crosses such a part.
  bool do_part(const CellGrid& grid, std::span<const Vec3> points,
               std::span<const SurfaceMesh::Triangle> triangles, std::uint32_t from, std::uint32_t to) const;
};
// Triangles share points by index and look outwards. Touching shells are not looked for: most of them are one
// body. Same bytes on any thread count; stops early if the work is stopped.
ShellContacts find_contacts(const CellGrid& grid, std::span<const Vec3> points,
                            std::span<const SurfaceMesh::Triangle> triangles, const CellBits& filled,
                            const WindingTree& all, const Progress& progress);

}  // namespace dermis
