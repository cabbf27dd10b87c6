// SPDX-License-Identifier: MIT
// What the measures share: unmatched edges of triangles, and the points of closed surfaces.
#pragma once

#include <span>
#include <vector>

#include "dermis/measure.h"

namespace dermis {

// An edge that a group of triangles uses more often in this direction than in the other.
struct LooseEdge {
  std::uint32_t from, to, triangle, group;
};
// Of all triangles, or of each group separately; each edge as often as it is unmatched. Sorted by the lower
// point, then by the higher, then by group. Those of a group form closed loops.
std::vector<LooseEdge> loose_edges(std::size_t point_count, std::span<const SurfaceMesh::Triangle> triangles,
                                   std::span<const std::uint32_t> group);

// The shell of each welded point: pieces that share no point, numbered by their lowest one. A point without
// triangles is its own shell.
struct ShellList {
  std::vector<std::uint32_t> of_point;
  std::size_t count = 0;
};
ShellList list_shells(const MeasuredSurface& surface);

// The shells of a surface that enclose a volume at rest: those whose openings, capped, have at most a tenth
// of the area of their triangles. A sleeve or a neck passes; a cape does not, because its cap is as large as
// itself and sweeps through space when it swings.
struct SolidPart {
  MeasuredSurface surface;               // only their triangles and loops; all welded points
  std::vector<std::uint32_t> triangles;  // of the whole surface, for each of these
  std::size_t shell_count = 0;           // with triangles, that count
  std::size_t open_shell_count = 0;      // with triangles, that do not
};
SolidPart solid_part(const MeasuredSurface& surface, std::span<const Vec3> points);

// The points of a mesh that represent the welded ones.
std::vector<Vec3> welded_points(const MeasuredSurface& surface, std::span<const Vec3> points);
// Welded points, then those of the loops, relative to the first point.
std::vector<Vec3d> closed_points(const MeasuredSurface& surface, std::span<const Vec3> points);
// Of the points named by list[begin .. end).
Vec3d mean_of(std::span<const Vec3d> points, std::span<const std::uint32_t> list, std::size_t begin,
              std::size_t end);

}  // namespace dermis
