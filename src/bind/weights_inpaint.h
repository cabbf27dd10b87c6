// SPDX-License-Identifier: MIT
// Fills in rows of weights along a surface, between points whose rows are fixed.
#pragma once

#include "bind/weights_rows.h"

namespace dermis {

// A surface with points to fill.
struct Canvas {
  Laplacian laplacian;
  std::vector<double> areas;            // of the points
  std::vector<std::uint32_t> island;    // of each point: the lowest point connected to it by edges
  std::vector<std::uint8_t> is_filled;  // of each point; every island has a point that is not
};
Canvas canvas_of(std::span<const Vec3> points, std::span<const SurfaceMesh::Triangle> triangles);

// Gives the filled points rows that minimise sum |L w|^2 / area, clamped to 0 to 1; the other rows stay. If
// rounding makes that unreliable, an island gets the harmonic rows, which minimise sum w L w. Returns 1 for
// points filled that way, 0 for others. Fails with cancelled.
Result<std::vector<std::uint8_t>> inpaint_rows(const Canvas& canvas, std::vector<LooseRow>& rows,
                                               const Progress& progress);

}  // namespace dermis
