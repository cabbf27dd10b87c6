// SPDX-License-Identifier: MIT
// E: nothing here may change, or old and new figures cannot be compared.
#include "eigen_loop.h"

// Under a name of its own: the library holds Eigen code for other instruction sets, and the linker would mix
// the two.
#define Eigen EigenOfTheYardstick
#include <Eigen/Core>

namespace dermis::bench {

void skin_with_eigen(const EigenMesh& mesh, float* points, float* normals) {
  using Matrix = Eigen::Matrix<float, 3, 4>;
  const Matrix* palette = reinterpret_cast<const Matrix*>(mesh.palette);
  for (std::size_t v = 0; v < mesh.point_count; ++v) {
    const std::uint16_t* slots = mesh.slots + v * kEigenInfluences;
    const float* weights = mesh.weights + v * kEigenInfluences;
    Matrix blended = palette[slots[0]] * weights[0];
    for (std::size_t k = 1; k < kEigenInfluences; ++k) blended += palette[slots[k]] * weights[k];
    const Eigen::Map<const Eigen::Vector3f> point(mesh.points + v * 3);
    Eigen::Map<Eigen::Vector3f>(points + v * 3) = blended.leftCols<3>() * point + blended.col(3);
    if (mesh.normals == nullptr) continue;
    const Eigen::Map<const Eigen::Vector3f> normal(mesh.normals + v * 3);
    Eigen::Map<Eigen::Vector3f>(normals + v * 3) = blended.leftCols<3>() * normal;
  }
}

}  // namespace dermis::bench
