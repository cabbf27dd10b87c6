// SPDX-License-Identifier: MIT
// Gradients of weights over a surface that shapes may have moved away from the mesh's own points.
#pragma once

#include <span>

#include "dermis/deform.h"

namespace dermis {

// As prepare_weight_gradients, with `points` instead of the mesh's. The mesh must have weights.
WeightGradients weight_gradients(const Mesh& mesh, std::span<const Vec3> points);

// As prepare_centre_gradients, likewise.
std::vector<Mat3> centre_gradients(const Mesh& mesh, std::span<const Vec3> points,
                                   std::span<const Vec3> centres);

}  // namespace dermis
