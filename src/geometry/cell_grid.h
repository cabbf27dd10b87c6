// SPDX-License-Identifier: MIT
// A regular grid of cells as bits: which cells a triangle touches, and regions of empty ones.
#pragma once

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <vector>

#include "dermis/geometry.h"

namespace dermis {

struct CellGrid {
  Vec3d origin;
  double cell = 0;
  std::array<std::int32_t, 3> size{};

  std::size_t cell_count() const {
    return static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]) *
           static_cast<std::size_t>(size[2]);
  }
  std::size_t word_count() const { return (cell_count() + 63) / 64; }
  std::size_t place(std::int32_t x, std::int32_t y, std::int32_t z) const {
    return (static_cast<std::size_t>(z) * static_cast<std::size_t>(size[1]) + static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(size[0]) +
           static_cast<std::size_t>(x);
  }
  std::array<std::int32_t, 3> coordinates(std::size_t place_of) const {
    const std::size_t wide = static_cast<std::size_t>(size[0]), high = static_cast<std::size_t>(size[1]);
    return {static_cast<std::int32_t>(place_of % wide), static_cast<std::int32_t>(place_of / wide % high),
            static_cast<std::int32_t>(place_of / wide / high)};
  }
  // In cells from the origin.
  Vec3d local(const Vec3d& point) const { return (point - origin) * (1 / cell); }
  Vec3d centre(std::size_t place_of) const {
    const auto [x, y, z] = coordinates(place_of);
    return origin + Vec3d{x + 0.5, y + 0.5, z + 0.5} * cell;
  }
  std::int32_t clamped(double along, int axis) const {
    const double last = size[static_cast<std::size_t>(axis)] - 1;
    return static_cast<std::int32_t>(std::fmin(std::fmax(std::floor(along), 0.0), last));
  }
};

using CellBits = std::vector<std::uint64_t>;

inline bool has_bit(const CellBits& bits, std::size_t place) {
  return (bits[place / 64] >> place % 64 & 1u) != 0;
}
inline void set_bit(CellBits& bits, std::size_t place) { bits[place / 64] |= std::uint64_t{1} << place % 64; }
inline void clear_bit(CellBits& bits, std::size_t place) {
  bits[place / 64] &= ~(std::uint64_t{1} << place % 64);
}
// May be called from several threads at once.
inline void set_bit_shared(CellBits& bits, std::size_t place) {
  const std::atomic_ref<std::uint64_t> word(bits[place / 64]);
  const std::uint64_t bit = std::uint64_t{1} << place % 64;
  if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
}

// A triangle in cells from the origin of a grid.
using LocalTriangle = std::array<Vec3d, 3>;

// True if a triangle touches the closed box, by separating axes; boxes may be flat. Errs by 1e-9 towards
// true.
bool does_touch_box(const LocalTriangle& t, const Vec3d& centre, const Vec3d& half);

// Calls visit(x, y, z) for each cell of the grid that the triangle touches.
template <class Visit>
void visit_touched_cells(const CellGrid& grid, const LocalTriangle& t, const Visit& visit) {
  std::array<std::int32_t, 3> first, last;
  for (int axis = 0; axis < 3; ++axis) {
    const auto [low, high] = std::minmax({t[0][axis], t[1][axis], t[2][axis]});
    first[static_cast<std::size_t>(axis)] = grid.clamped(low - 1e-9, axis);
    last[static_cast<std::size_t>(axis)] = grid.clamped(high + 1e-9, axis);
  }
  if (first == last) return visit(first[0], first[1], first[2]);
  // Columns along the axis that the triangle faces most: in each, its plane crosses few cells.
  const Vec3d normal = cross(t[1] - t[0], t[2] - t[0]);
  int deep = 0;
  for (int axis = 1; axis < 3; ++axis) {
    if (std::abs(normal[axis]) > std::abs(normal[deep])) deep = axis;
  }
  const int a = (deep + 1) % 3, b = (deep + 2) % 3;
  const auto k = [](int axis) { return static_cast<std::size_t>(axis); };
  const double facing = normal[deep];
  const double spread = 0.5 * (std::abs(normal[a]) + std::abs(normal[b])) / std::abs(facing) + 1e-6;
  std::array<std::int32_t, 3> at;
  for (at[k(b)] = first[k(b)]; at[k(b)] <= last[k(b)]; ++at[k(b)]) {
    for (at[k(a)] = first[k(a)]; at[k(a)] <= last[k(a)]; ++at[k(a)]) {
      const double depth =
          t[0][deep] -
          (normal[a] * (at[k(a)] + 0.5 - t[0][a]) + normal[b] * (at[k(b)] + 0.5 - t[0][b])) / facing;
      // Also if an empty triangle has no plane: then all cells of the column are tested.
      const bool has_plane = std::isfinite(depth) && std::isfinite(spread);
      const std::int32_t from =
          has_plane ? std::max(first[k(deep)], grid.clamped(depth - spread, deep)) : first[k(deep)];
      const std::int32_t to =
          has_plane ? std::min(last[k(deep)], grid.clamped(depth + spread, deep)) : last[k(deep)];
      for (at[k(deep)] = from; at[k(deep)] <= to; ++at[k(deep)]) {
        const Vec3d centre{at[0] + 0.5, at[1] + 0.5, at[2] + 0.5};
        if (does_touch_box(t, centre, {0.5, 0.5, 0.5})) visit(at[0], at[1], at[2]);
      }
    }
  }
}

// Cells whose bit is not set, in runs along x; runs that meet at faces have the same region.
struct CellRegions {
  struct Run {
    std::uint32_t place = 0;  // of its first cell
    std::uint32_t length = 0;
    std::uint32_t region = 0;
  };
  std::vector<Run> runs;             // by position
  std::vector<std::uint32_t> inner;  // of each region: a cell in the middle of its longest run
};
// Regions end at multiples of `block` cells along each axis; 0: nowhere.
CellRegions list_regions(const CellGrid& grid, const CellBits& bits, std::int32_t block);

// Joins disconnected pieces: see VoxelSolid::bridges.
void add_bridges(VoxelSolid& solid);

}  // namespace dermis
