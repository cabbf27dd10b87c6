// SPDX-License-Identifier: MIT
// Distances between small types and seeded random ones, for the tests of this room.
#pragma once

#include <cmath>
#include <random>
#include <string>

#include "dermis/math.h"

namespace dermis::testing {

inline double difference(const Vec3d& a, const Vec3d& b) { return max_difference({{}, a}, {{}, b}); }
inline double difference(const Mat3d& a, const Mat3d& b) { return max_difference({a, {}}, {b, {}}); }
inline double difference(const Affined& a, const Affined& b) { return max_difference(a, b); }

// Of the rotations: q and -q are no distance apart.
inline double difference(const Quatd& a, const Quatd& b) {
  const auto size = [](const Quatd& q) { return std::sqrt(dot(q, q)); };
  return std::min(size(a + -b), size(a + b));
}

// How far the columns are from a right-handed orthonormal frame.
inline double distance_from_proper(const Mat3d& m) {
  return std::max(difference(transposed(m) * m, Mat3d{}), std::abs(determinant(m) - 1));
}

// Frobenius.
inline double size_of(const Mat3d& m) { return std::sqrt(dot(m.x, m.x) + dot(m.y, m.y) + dot(m.z, m.z)); }

inline Quatd half_angle_quat(const Vec3d& unit_axis, double angle) {
  const Vec3d v = unit_axis * std::sin(angle / 2);
  return {v.x, v.y, v.z, std::cos(angle / 2)};
}

// Rodrigues' matrix, written out, as a reference that shares no code with quaternions.
inline Mat3d rodrigues(const Vec3d& unit_axis, double angle) {
  const Vec3d& n = unit_axis;
  const Mat3d k{{0, n.z, -n.y}, {-n.z, 0, n.x}, {n.y, -n.x, 0}};
  return Mat3d{} + k * std::sin(angle) + k * k * (1 - std::cos(angle));
}

class Random {
 public:
  explicit Random(unsigned seed) : seed_(seed), engine_(seed) {}
  // For SCOPED_TRACE, so that a failure says how to get it again.
  std::string label() const { return std::to_string(seed_) + " is the seed"; }

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  double normal() { return std::normal_distribution<double>()(engine_); }
  Vec3d vec() { return {normal(), normal(), normal()}; }
  Vec3d direction() { return normalized(vec()); }
  Mat3d mat() { return {vec(), vec(), vec()}; }
  Quatd rotation() { return normalized(Quatd{normal(), normal(), normal(), normal()}); }
  Affined rigid() { return {matrix_from_quat(rotation()), vec()}; }

 private:
  unsigned seed_;
  std::mt19937_64 engine_;
};

}  // namespace dermis::testing
