// SPDX-License-Identifier: MIT
// Parts of a surface that are not the body: what it stands on, carries, or has beside it.
#pragma once

#include <span>
#include <vector>

#include "dermis/rig.h"

namespace dermis {

// A surface without some of its parts; with an empty list of these, without points and triangles too.
struct BodySurface {
  std::vector<Vec3> points;
  std::vector<SurfaceMesh::Triangle> triangles;
  std::vector<SetAside> aside;
};
// Flat shells with everything else on one side of them: the floor or wall that a body stands at.
BodySurface without_plates(std::span<const Vec3> points, std::span<const SurfaceMesh::Triangle> triangles);
// Pieces of the solid that are small and far from all others. A hand that floats in front of its arm stays.
BodySurface without_loose_pieces(const VoxelSolid& solid, std::span<const Vec3> points,
                                 std::span<const SurfaceMesh::Triangle> triangles);
// Shells of one side only: what has no mirror image where most of the body has one (in one hand, over one
// shoulder), and long, thin or flat shells that no other equals. Limbs may look the same, so a body is
// searched with and without them.
BodySurface without_props(std::span<const Vec3> points, std::span<const SurfaceMesh::Triangle> triangles);

}  // namespace dermis
