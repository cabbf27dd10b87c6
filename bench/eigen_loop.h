// SPDX-License-Identifier: MIT
// E, the yardstick: linear blending as usually written with Eigen.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dermis::bench {

inline constexpr std::size_t kEigenInfluences = 4;

struct EigenMesh {
  std::size_t point_count = 0;
  const float* points = nullptr;         // x y z
  const float* normals = nullptr;        // x y z, or null
  const std::uint16_t* slots = nullptr;  // kEigenInfluences for each point
  const float* weights = nullptr;        // likewise
  const float* palette = nullptr;        // 3 x 4, column after column, for each slot
};

// Blend, then transform, in file order; normals with the same matrix, not normalised. Compiled with -O3
// -mavx2 -mfma in its own file.
void skin_with_eigen(const EigenMesh& mesh, float* points, float* normals);

}  // namespace dermis::bench
