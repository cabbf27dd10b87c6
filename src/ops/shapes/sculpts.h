// SPDX-License-Identifier: MIT
// Sculpts matched with the meshes of a character.
#pragma once

#include <vector>

#include "ops/shapes/work.h"

namespace dermis {

// The points of a sculpt for the points of a mesh.
struct Sculpted {
  Index mesh = kNone;
  std::vector<Vec3> points, normals;  // normals may be empty
};

// Points of each mesh in a pose; empty: those at rest.
using MeshPoints = std::vector<std::vector<Vec3>>;

// The meshes that a sculpt is of, with its points. What the sculpt does not have (points without polygons)
// is as `posed`, or at rest.
Result<std::vector<Sculpted>> sculpted_meshes(const NamedSculpt& named, const ShapesWork& work,
                                              const MeshPoints& posed);

}  // namespace dermis
