// SPDX-License-Identifier: MIT
// Logarithms and exponentials of rigid motions (closed form) and of affine maps (matrix functions).
#include <Eigen/Eigenvalues>
#include <unsupported/Eigen/MatrixFunctions>

#include <complex>
#include <limits>

#include "math/eigen_bridge.h"

namespace dermis {
namespace {

// Below this angle the three-term series are exact to rounding. Above it the closed forms are, in what they
// add to the result: their cancellation grows as 1 / angle^2, and each is multiplied by angle^2.
constexpr double kSeriesAngle = 0.01;

// An eigenvalue this close to the negative real axis, relative to its size, counts as on it: a double
// eigenvalue, as half turns have, is only known to the square root of the rounding.
constexpr double kOnNegativeAxis = 1e-7;
// The logarithm is taken only if its exponential comes back this close, relative to the largest entry.
constexpr double kRoundTrip = 1e-8;

// (1 - x cot x) / (2x)^2 with x half the angle of `turn`, in half angles because sin(angle) cancels near pi,
// and because a quaternion holds their sine and cosine.
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

Eigen::Matrix4d to_eigen4(const Affined& a, double corner) {
  Eigen::Matrix4d e = Eigen::Matrix4d::Zero();
  e.topLeftCorner<3, 3>() = to_eigen(a.linear);
  e.topRightCorner<3, 1>() = to_eigen(a.translation);
  e(3, 3) = corner;
  return e;
}

Affined affine_from_eigen4(const Eigen::Matrix4d& e) {
  return {mat3_from_eigen(e), vec3_from_eigen(e.col(3))};
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
  const Eigen::Matrix4d matrix = to_eigen4(affine, 1);
  const Eigen::Matrix4d logarithm = matrix.log();
  if (!logarithm.allFinite()) return std::nullopt;
  const Affined result = affine_from_eigen4(logarithm);
  const double size = matrix.cwiseAbs().maxCoeff();
  if (!(max_difference(exp_affine(result), affine) <= kRoundTrip * size)) return std::nullopt;
  return result;
}

Affined exp_affine(const Affined& logarithm) {
  if (!is_finite(logarithm)) {
    // The number of squarings is read off the norm, so a non-finite one must not get in.
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    const Vec3d nan{kNan, kNan, kNan};
    return {{nan, nan, nan}, nan};
  }
  const Eigen::Matrix4d result = to_eigen4(logarithm, 0).exp();
  return affine_from_eigen4(result);
}

}  // namespace dermis
