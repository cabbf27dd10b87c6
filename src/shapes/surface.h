// SPDX-License-Identifier: MIT
// How the surface of a mesh turns when its points move.
#pragma once

#include <span>
#include <vector>

#include "dermis/shapes.h"

namespace dermis {

// For each point, the least turn from its smooth normal at rest to that of the moved surface; none where a
// normal is zero. Smooth across seams.
std::vector<Quatd> surface_turns(const Mesh& mesh, std::span<const Vec3> moved);

// The diagonal of the box of points.
double diagonal_of(std::span<const Vec3> points);

}  // namespace dermis
