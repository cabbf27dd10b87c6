// SPDX-License-Identifier: MIT
// Logarithms and exponentials of rigid motions (closed form) and of affine maps (series after scaling and
// squaring).
#include <Eigen/Eigenvalues>

#include <complex>
#include <limits>

#include "math/eigen_bridge.h"

namespace dermis {
namespace {

// Below this angle the three-term series are exact to rounding. Above it the closed forms contribute
// accurately: their cancellation grows as 1 / angle^2, and each is multiplied by angle^2.
constexpr double kSeriesAngle = 0.01;

// An eigenvalue this close to the negative real axis, relative to its size, counts as on it: a double
// eigenvalue, as half turns have, is only known to the square root of the rounding.
constexpr double kOnNegativeAxis = 1e-7;
// The logarithm is accepted only if its exponential reproduces the map this closely, relative to the largest
// entry.
constexpr double kRoundTrip = 1e-8;

// The logarithm series is used this close to the identity; there odd powers of artanh up to kLastPower are
// exact to rounding.
constexpr double kNearIdentity = 0.25;
constexpr int kLastPower = 19;
// The exponential series is used for a matrix this small; there kLastTerm terms of the series are exact to
// rounding.
constexpr double kSmall = 0.25;
constexpr int kLastTerm = 12;
// Steps of a square root below this, relative to it, may be rounding.
constexpr double kRootStep = 1e-7;
// Enough square roots to bring any matrix with a logarithm in double close to the identity.
constexpr int kMostRoots = 64;

// (1 - x cot x) / (2x)^2 with x half the angle of `turn`, in half angles because sin(angle) cancels near pi,
// and because a quaternion contains their sine and cosine.
double inverse_jacobian_factor(const Quatd& turn, double angle) {
  const double squared = angle * angle;
  if (angle < kSeriesAngle) return 1.0 / 12 + squared / 720 + squared * squared / 30240;
  return (1 - angle / 2 * std::abs(turn.w) / length(turn.xyz())) / squared;
}

bool has_real_logarithm(const Eigen::Matrix3d& linear) {
  const Eigen::EigenSolver<Eigen::Matrix3d> solver(linear, /*computeEigenvectors=*/false);
  if (solver.info() != Eigen::Success) return false;
  for (int i = 0; i < 3; ++i) {
    const std::complex<double> value = solver.eigenvalues()(i);
    if (value.real() <= 0 && std::abs(value.imag()) <= kOnNegativeAxis * std::abs(value)) return false;
  }
  return true;
}

// ---- Logarithms: 4x4 matrices whose last row is 0, kept as Affined
// -----------------------------------------

// The norm of the linear part, which alone determines whether a series converges.
double norm_of(const Mat3d& m) { return std::sqrt(dot(m.x, m.x) + dot(m.y, m.y) + dot(m.z, m.z)); }

Affined scaled(const Affined& a, double factor) { return {a.linear * factor, a.translation * factor}; }
Affined sum(const Affined& a, const Affined& b) {
  return {a.linear + b.linear, a.translation + b.translation};
}
Affined product(const Affined& a, const Affined& b) {
  return {a.linear * b.linear, a.linear * b.translation};
}

// The principal square root of an affine map: the iteration of Denman and Beavers (1976). Stops when a step
// no longer gets smaller, which for quadratic convergence means rounding.
Affined square_root(const Affined& affine) {
  constexpr int kMostRounds = 64;
  Affined root = affine, inverse_root;
  double last_step = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kMostRounds; ++round) {
    const Affined next = scaled(sum(root, inverse(inverse_root)), 0.5);
    inverse_root = scaled(sum(inverse_root, inverse(root)), 0.5);
    const double step = norm_of(next.linear - root.linear);
    root = next;
    if (!(step < last_step) && step < kRootStep * norm_of(root.linear)) break;
    last_step = step;
  }
  return root;
}

// log(A) = 2 artanh((A - I) (A + I)^-1), for a linear part close to the identity.
Affined log_near_identity(const Affined& affine) {
  const Affined difference{affine.linear - Mat3d{}, affine.translation};
  const Affined half_sum{(affine.linear + Mat3d{}) * 0.5, affine.translation * 0.5};
  const Affined by_half_sum = inverse(half_sum);
  // difference * by_half_sum, where the right factor is an affine map.
  const Affined z = scaled({difference.linear * by_half_sum.linear,
                            difference.linear * by_half_sum.translation + difference.translation},
                           0.5);
  const Affined squared = product(z, z);
  Affined power = z, logarithm = z;
  for (int n = 3; n <= kLastPower; n += 2) {
    power = product(squared, power);
    logarithm = sum(logarithm, scaled(power, 1.0 / n));
  }
  return scaled(logarithm, 2);
}

}  // namespace

Twist log_rigid(const Affined& rigid) {
  const Quatd turn = quat_from_matrix(rigid.linear);
  const Vec3d w = log(turn);
  const Vec3d& t = rigid.translation;
  const Vec3d w_t = cross(w, t);
  return {w, t - w_t * 0.5 + cross(w, w_t) * inverse_jacobian_factor(turn, length(w))};
}

Affined exp_rigid(const Twist& twist) {
  const Vec3d& w = twist.angular;
  const double angle = length(w);
  const double squared = angle * angle;
  double once = 0.5 - squared / 24 + squared * squared / 720;         // (1 - cos) / angle^2
  double twice = 1.0 / 6 - squared / 120 + squared * squared / 5040;  // (angle - sin) / angle^3
  if (angle >= kSeriesAngle) {
    const double half_sine = std::sin(angle / 2);
    once = 2 * half_sine * half_sine / squared;
    twice = (angle - std::sin(angle)) / (squared * angle);
  }
  const Vec3d w_v = cross(w, twist.linear);
  return {matrix_from_quat(exp(w)), twist.linear + w_v * once + cross(w, w_v) * twice};
}

std::optional<Affined> log_affine(const Affined& affine) {
  if (!is_finite(affine) || !has_real_logarithm(to_eigen(affine.linear))) return std::nullopt;
  // Inverse scaling and squaring (Kenney and Laub 1989).
  Affined root = affine;
  double power = 1;
  for (int k = 0; k < kMostRoots && norm_of(root.linear - Mat3d{}) > kNearIdentity; ++k) {
    root = square_root(root);
    power *= 2;
  }
  const Affined result = scaled(log_near_identity(root), power);
  if (!is_finite(result)) return std::nullopt;
  const double size = max_difference(affine, {diagonal(Vec3d{}), {}});
  if (!(max_difference(exp_affine(result), affine) <= kRoundTrip * size)) return std::nullopt;
  return result;
}

Affined exp_affine(const Affined& logarithm) {
  if (!is_finite(logarithm)) {
    // The norm determines the number of squarings, so it must be finite.
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    const Vec3d nan{kNan, kNan, kNan};
    return {{nan, nan, nan}, nan};
  }
  int squarings = 0;
  double scale = 1;
  for (double norm = norm_of(logarithm.linear); norm > kSmall; norm /= 2, scale /= 2) ++squarings;
  // Without the identity, so that small motions keep their digits.
  const Affined small = scaled(logarithm, scale);
  Affined power = small, deviation = small;
  for (int n = 2; n <= kLastTerm; ++n) {
    power = scaled(product(small, power), 1.0 / n);
    deviation = sum(deviation, power);
  }
  // (1 + d)^2 - 1 = 2 d + d^2
  for (int k = 0; k < squarings; ++k) deviation = sum(scaled(deviation, 2), product(deviation, deviation));
  return {Mat3d{} + deviation.linear, deviation.translation};
}

}  // namespace dermis
