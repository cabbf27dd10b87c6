// SPDX-License-Identifier: MIT
// Pieces of a solid that do not belong to the body: things next to it.
#pragma once

#include <span>
#include <vector>

#include "dermis/geometry.h"

namespace dermis {

// A surface without small pieces whose distance from all others exceeds their size, and the number of those
// pieces; empty if there are none. A hand that floats in front of its arm stays.
struct BodySurface {
  std::vector<Vec3> points;
  std::vector<SurfaceMesh::Triangle> triangles;
  std::size_t loose_count = 0;
};
BodySurface without_loose_pieces(const VoxelSolid& solid, std::span<const Vec3> points,
                                 std::span<const SurfaceMesh::Triangle> triangles);

}  // namespace dermis
