// SPDX-License-Identifier: MIT
// Reduces the triangles of a surface, and improves triangles without moving points.
#pragma once

#include <cstddef>
#include <vector>

#include "dermis/geometry.h"

namespace dermis {

// Collapses edges, cheapest first, until `max_points` or one fewer are left. The cost is the mean squared
// distance to the planes that a point represents (Garland and Heckbert 1997) plus a small share of the
// squared edge length, which keeps triangles even. Surviving points keep their positions. A collapse that
// would change the topology, fold the surface or make a sliver is skipped, so more points than requested may
// remain. A mesh with open edges is half of a mirrored surface: points on open edges (the seam) stay on them,
// no inner edge joins two of them, and every other point counts twice.
SurfaceMesh simplify_surface(const SurfaceMesh& mesh, std::size_t max_points);

// Flips edges while that brings the triangles closer to Delaunay without folding the surface or joining two
// seam points. Positions do not change.
void flip_to_delaunay(SurfaceMesh& mesh);

}  // namespace dermis
