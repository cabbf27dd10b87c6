// SPDX-License-Identifier: MIT
// Dual numbers and dual quaternions, after Kavan et al. 2008.
#include "dermis/math.h"

namespace dermis {

Dual sqrt(Dual a) {
  const double root = std::sqrt(a.real);
  return {root, a.dual / (2 * root)};
}

Dual norm(const DualQuatd& q) { return sqrt(Dual{dot(q.real, q.real), 2 * dot(q.real, q.dual)}); }

DualQuatd normalized(const DualQuatd& q) {
  const double size = std::sqrt(dot(q.real, q.real));
  if (!(size > 0) || !std::isfinite(size)) return {};
  const Quatd real = q.real * (1 / size);
  const Quatd dual = q.dual * (1 / size);
  // Dividing by the dual part of the norm as well removes the component of `dual` along `real`. That
  // component does not affect points, but it affects products.
  return {real, dual + real * -dot(real, dual)};
}

DualQuatd dual_quat_from_rigid(const Quatd& rotation, const Vec3d& translation) {
  const Quatd t{translation.x, translation.y, translation.z, 0};
  return {rotation, t * rotation * 0.5};
}

Vec3d translation_of(const DualQuatd& q) { return (q.dual * conjugate(q.real)).xyz() * 2.0; }

Affined affine_from_dual_quat(const DualQuatd& q) { return {matrix_from_quat(q.real), translation_of(q)}; }

}  // namespace dermis
