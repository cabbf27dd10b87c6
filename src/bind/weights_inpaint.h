// SPDX-License-Identifier: MIT
// Rows of weights filled in along a surface, between points whose rows are held.
#pragma once

#include "bind/weights_rows.h"

namespace dermis {

// A surface with points to fill.
struct Canvas {
  Laplacian laplacian;
  std::vector<double> areas;            // of the points
  std::vector<std::uint32_t> island;    // of each point: the lowest that edges join it to
  std::vector<std::uint8_t> is_filled;  // of each point; each of their islands has one that is not
};
Canvas canvas_of(std::span<const Vec3> points, std::span<const SurfaceMesh::Triangle> triangles);

// Gives the filled points rows for which sum |L w|^2 / area is least, held within 0 and 1; those of others
// stay. Where floats do not settle that, an island gets the harmonic ones, for which sum w L w is. Returns
// which points that befell: 1 for them, 0 for others. Fails with cancelled.
Result<std::vector<std::uint8_t>> inpaint_rows(const Canvas& canvas, std::vector<LooseRow>& rows,
                                               const Progress& progress);

}  // namespace dermis
