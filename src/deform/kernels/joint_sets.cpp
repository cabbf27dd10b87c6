// SPDX-License-Identifier: MIT
// The joint sets of spherical blending and their centres, fast enough for every frame.
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <map>

#include "deform/joint_motion.h"
#include "deform/kernels/blocks.h"
#include "deform/rotation_centres.h"

namespace dermis {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kSmallestSquare = kSmallestTurn * kSmallestTurn;

Matrix3d matrix(const Mat3d& m) {
  Matrix3d out;
  out << m.x.x, m.y.x, m.z.x, m.x.y, m.y.y, m.z.y, m.x.z, m.y.z, m.z.z;
  return out;
}
Vector3d vector(const Vec3d& v) { return {v.x, v.y, v.z}; }

// The normal equations of rotation_centre. Since R^T R is the identity, the sum over pairs of
// (R_a - R_b)^T (R_a - R_b) is n^2 I - B^T B with B the sum of the R, and the right-hand side needs no pairs
// either.
Vector3d centre_of(std::span<const Affined> rigid, std::span<const std::uint32_t> set) {
  const double count = static_cast<double>(set.size());
  if (set.size() < 2) return Vector3d::Zero();
  Matrix3d turns = Matrix3d::Zero();
  Vector3d shifts = Vector3d::Zero(), turned_back = Vector3d::Zero();
  for (const std::uint32_t slot : set) {
    const Matrix3d turn = matrix(rigid[slot].linear);
    const Vector3d shift = vector(rigid[slot].translation);
    turns += turn;
    shifts += shift;
    turned_back += turn.transpose() * shift;
  }
  const Vector3d right = turns.transpose() * shifts - count * turned_back;
  const Matrix3d normal = count * count * Matrix3d::Identity() - turns.transpose() * turns;
  // The smallest eigenvalue is at least det / (trace / 2)^2: if that is large enough, the system is solved
  // directly, in 7 ns instead of 390.
  constexpr double kPlenty = 1e-3;
  const double half_trace = 0.5 * normal.trace();
  if (normal.determinant() > kPlenty * count * count * half_trace * half_trace)
    return normal.inverse() * right;
  const Eigen::SelfAdjointEigenSolver<Matrix3d> parts(normal);
  Vector3d centre = Vector3d::Zero();
  for (int k = 0; k < 3; ++k) {
    const double size = parts.eigenvalues()[k];
    if (size > kSmallestSquare * count * count)
      centre += parts.eigenvectors().col(k) * (parts.eigenvectors().col(k).dot(right) / size);
  }
  return centre;
}

}  // namespace

JointSets joint_sets(const WeightRows& rows) {
  JointSets found;
  std::map<std::vector<std::uint32_t>, std::uint32_t> known;
  std::vector<std::uint32_t> set;
  for (std::size_t v = 0; v + 1 < rows.first.size(); ++v) {
    set.clear();
    for (const Influence& influence : rows.row(v)) set.push_back(static_cast<std::uint32_t>(influence.slot));
    std::sort(set.begin(), set.end());
    const auto [entry, is_new] = known.try_emplace(set, static_cast<std::uint32_t>(found.sets.size()));
    if (is_new) found.sets.push_back(set);
    found.set_of_point.push_back(entry->second);
  }
  found.set_of_point.resize(block_count_of(found.set_of_point.size()) * kBlockPoints, 0);
  return found;
}

void set_rotation_centres(const JointSets& sets, std::span<const Affined> palette, RotationCentres& out) {
  out.values.resize(sets.sets.size() * 4);
  out.rigid.resize(palette.size());
  // Rotations from files also go through unit quaternions: the sums above are only as exact as R^T R is.
  for (std::size_t s = 0; s < palette.size(); ++s) {
    const JointMotion motion = joint_motion(palette[s]);
    out.rigid[s] = {matrix_from_quat(motion.rotation), motion.translation};
  }
  for (std::size_t s = 0; s < sets.sets.size(); ++s) {
    const Vector3d centre = centre_of(out.rigid, sets.sets[s]);
    for (int c = 0; c < 3; ++c)
      out.values[s * 4 + static_cast<std::size_t>(c)] = static_cast<float>(centre[c]);
    out.values[s * 4 + 3] = 0;
  }
}

}  // namespace dermis
