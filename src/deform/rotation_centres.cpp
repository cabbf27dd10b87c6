// SPDX-License-Identifier: MIT
// Least-squares centres of joint sets.
#include "deform/rotation_centres.h"

#include <Eigen/SVD>

namespace dermis {
namespace {

Eigen::Vector3d eigen(const Vec3d& v) { return {v.x, v.y, v.z}; }

}  // namespace

Vec3d rotation_centre(std::span<const JointMotion> motions, std::span<const std::uint32_t> joint_set) {
  const std::size_t count = joint_set.size();
  if (count < 2) return {};
  const Eigen::Index row_count = static_cast<Eigen::Index>(3 * count * (count - 1) / 2);
  Eigen::Matrix<double, Eigen::Dynamic, 3> apart(row_count, 3);
  Eigen::VectorXd shift(row_count);
  Eigen::Index row = 0;
  for (std::size_t a = 0; a < count; ++a) {
    const JointMotion& first = motions[joint_set[a]];
    const Mat3d first_turn = matrix_from_quat(first.rotation);
    for (std::size_t b = a + 1; b < count; ++b, row += 3) {
      const JointMotion& second = motions[joint_set[b]];
      const Mat3d difference = first_turn - matrix_from_quat(second.rotation);
      for (int c = 0; c < 3; ++c) apart.block<3, 1>(row, c) = eigen(difference[c]);
      shift.segment<3>(row) = eigen(second.translation - first.translation);
    }
  }
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(apart, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const double smallest = kSmallestTurn * static_cast<double>(count);
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
  for (Eigen::Index k = 0; k < 3; ++k) {
    const double size = svd.singularValues()[k];
    if (size > smallest) centre += svd.matrixV().col(k) * (svd.matrixU().col(k).dot(shift) / size);
  }
  return {centre.x(), centre.y(), centre.z()};
}

}  // namespace dermis
