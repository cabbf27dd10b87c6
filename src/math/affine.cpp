// SPDX-License-Identifier: MIT
// Affine maps from and to translation, rotation and scale.
#include "dermis/math.h"

namespace dermis {
namespace {

// The nearest TRS of a shearing map is found by alternating: the best scale for a rotation, the best rotation
// for a scale. A map without shear is done after the first round. Shears of characters converge within a
// dozen rounds.
constexpr int kMaxRounds = 64;
constexpr double kSettled = 1e-14;

Vec3d column_dots(const Mat3d& a, const Mat3d& b) { return {dot(a.x, b.x), dot(a.y, b.y), dot(a.z, b.z)}; }

double max_difference(const Mat3d& a, const Mat3d& b) { return dermis::max_difference({a, {}}, {b, {}}); }

}  // namespace

double max_difference(const Affined& a, const Affined& b) {
  double worst = 0;
  const auto look_at = [&](const Vec3d& p, const Vec3d& q) {
    for (int i = 0; i < 3; ++i) {
      const double difference = std::abs(p[i] - q[i]);
      // Written so that NaN propagates.
      if (!(difference <= worst) && !std::isnan(worst)) worst = difference;
    }
  };
  for (int column = 0; column < 3; ++column) look_at(a.linear[column], b.linear[column]);
  look_at(a.translation, b.translation);
  return worst;
}

Affined affine_from_transform(const Transform& transform) {
  const Mat3d rotation = matrix_from_quat(normalized(Quatd(transform.rotation)));
  return {rotation * diagonal(Vec3d(transform.scale)), Vec3d(transform.translation)};
}

Transform transform_from_affine(const Affined& affine) {
  const double mirror = determinant(affine.linear) < 0 ? -1 : 1;
  const Mat3d m{affine.linear.x * mirror, affine.linear.y, affine.linear.z};

  // Unit columns first: with very different scales, the plain polar rotation would lose the small axes.
  Mat3d rotation = polar({normalized(m.x), normalized(m.y), normalized(m.z)}).rotation;
  Vec3d scale = column_dots(rotation, m);
  for (int round = 0; round < kMaxRounds; ++round) {
    const Mat3d better = polar(m * diagonal(scale)).rotation;
    const bool is_settled = max_difference(better, rotation) <= kSettled;
    if (is_settled) break;
    rotation = better;
    scale = column_dots(rotation, m);
  }
  scale.x *= mirror;
  return {Vec3(affine.translation), Quat(quat_from_matrix(rotation)), Vec3(scale)};
}

}  // namespace dermis
