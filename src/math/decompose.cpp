// SPDX-License-Identifier: MIT
// Singular values and polar decomposition of 3x3 matrices, with proper rotations.
#include <Eigen/SVD>

#include <limits>

#include "math/eigen_bridge.h"

namespace dermis {

Svd svd(const Mat3d& m) {
  if (!is_finite(m.x) || !is_finite(m.y) || !is_finite(m.z)) {
    // Eigen leaves its factors unset on such input.
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    return {{}, {kNan, kNan, kNan}, {}};
  }
  const Eigen::JacobiSVD<Eigen::Matrix3d> e(to_eigen(m), Eigen::ComputeFullU | Eigen::ComputeFullV);
  Svd s{mat3_from_eigen(e.matrixU()), vec3_from_eigen(e.singularValues()), mat3_from_eigen(e.matrixV())};
  // A mirror moves from a factor into the smallest singular value (Irving et al. 2004).
  if (determinant(s.u) < 0) {
    s.u.z = -s.u.z;
    s.sigma.z = -s.sigma.z;
  }
  if (determinant(s.v) < 0) {
    s.v.z = -s.v.z;
    s.sigma.z = -s.sigma.z;
  }
  return s;
}

Polar polar(const Mat3d& m) {
  const Svd s = svd(m);
  return {s.u * transposed(s.v), s.v * diagonal(s.sigma) * transposed(s.v)};
}

}  // namespace dermis
