// SPDX-License-Identifier: MIT
// Adds blend shapes to a surface: the kernel of the stage `shapes`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dermis/deform.h"
#include "dermis/model.h"

namespace dermis {

// Where each shape's entries for a run of points begin: shapes are added run by run, so that sums stay in the
// nearest cache, and runs are independent. Refers to the mesh, which must outlive it unchanged.
inline constexpr std::size_t kShapeRun = 512;
struct ShapeRuns {
  const Mesh* mesh = nullptr;
  std::size_t run_count = 0;
  std::vector<std::uint32_t> first;  // of shape s and run r: first[s * (run_count + 1) + r]
};
ShapeRuns prepare_shape_runs(const Mesh& mesh);

// The entries of an active shape, for the kernel.
struct ShapeEntries {
  double weight = 0;
  std::size_t count = 0;                 // at least one
  const Index* points = nullptr;         // `count`, ascending
  const float* offsets = nullptr;        // three per point
  const std::uint32_t* first = nullptr;  // per run its first entry; one more for the end
};
// Adds the weighted offsets of shapes, one weight each, to points and to normals and tangents if the mesh has
// them on points. Sums in double, rounded once; directions that change are made unit. Normals of shapes that
// store none stay: the stage `shapes` turns them as the surface turns. Entries of `surface` after the mesh's
// points are not touched. Costs what the active shapes move. Same bytes as shaped_surface for any instruction
// set and thread count; no allocation if `scratch` was used before.
void add_shapes(const ShapeRuns& runs, std::span<const float> weights, const PosedSurface& surface,
                std::vector<ShapeEntries>& scratch);

}  // namespace dermis
