// SPDX-License-Identifier: MIT
// Pieces of a solid that are not of the body: a thing that lies beside it.
#pragma once

#include <span>
#include <vector>

#include "dermis/geometry.h"

namespace dermis {

// A surface without small pieces that are farther from all others than they are large, and how many pieces
// those are; empty where there are none. A hand that floats before its arm stays.
struct BodySurface {
  std::vector<Vec3> points;
  std::vector<SurfaceMesh::Triangle> triangles;
  std::size_t loose_count = 0;
};
BodySurface without_loose_pieces(const VoxelSolid& solid, std::span<const Vec3> points,
                                 std::span<const SurfaceMesh::Triangle> triangles);

}  // namespace dermis
