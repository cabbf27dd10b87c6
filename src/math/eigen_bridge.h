// SPDX-License-Identifier: MIT
// Converts between our small matrices and Eigen's, for the sources of this room.
#pragma once

#include <Eigen/Core>

#include "dermis/math.h"

namespace dermis {

inline Eigen::Vector3d to_eigen(const Vec3d& v) { return {v.x, v.y, v.z}; }

inline Eigen::Matrix3d to_eigen(const Mat3d& m) {
  Eigen::Matrix3d e;
  e << to_eigen(m.x), to_eigen(m.y), to_eigen(m.z);
  return e;
}

template <class Derived>
Vec3d vec3_from_eigen(const Eigen::MatrixBase<Derived>& v) {
  return {v(0), v(1), v(2)};
}

template <class Derived>
Mat3d mat3_from_eigen(const Eigen::MatrixBase<Derived>& m) {
  return {vec3_from_eigen(m.col(0)), vec3_from_eigen(m.col(1)), vec3_from_eigen(m.col(2))};
}

}  // namespace dermis
