// SPDX-License-Identifier: MIT
// Euler angles in all twelve orders, in both directions.
#include "dermis/math.h"

namespace dermis {
namespace {

constexpr std::array<const char*, kEulerOrderCount> kNames = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx",
                                                              "xyx", "xzx", "yxy", "yzy", "zxz", "zyz"};

// Closer to the pole than this, the first and third angle cannot be separated in data that came from floats.
constexpr double kGimbalAngle = 1e-7;

struct Axes {
  int first, second, third;  // 0, 1, 2 for x, y, z, left to right in the product
};

Axes axes_of(EulerOrder order) {
  const char* name = name_of(order);
  return {name[0] - 'x', name[1] - 'x', name[2] - 'x'};
}

Quatd turn_about(int axis, double angle) {
  Vec3d v;
  v[axis] = std::sin(angle / 2);
  return {v.x, v.y, v.z, std::cos(angle / 2)};
}

// To [-pi, pi], for angles that are at most one turn outside.
double wrapped(double angle) {
  if (angle > kPi) return angle - 2 * kPi;
  if (angle < -kPi) return angle + 2 * kPi;
  return angle;
}

}  // namespace

Quatd quat_from_euler(const Vec3d& angles, EulerOrder order) {
  const Axes axes = axes_of(order);
  return turn_about(axes.first, angles.x) * turn_about(axes.second, angles.y) *
         turn_about(axes.third, angles.z);
}

// Bernardes and Viollet 2022, "Quaternion to Euler angles conversion: a direct, general and computationally
// efficient method": a proper order needs two polar forms; a Tait-Bryan order is a proper one after a quarter
// turn about the second axis.
Vec3d euler_from_quat(const Quatd& rotation, EulerOrder order) {
  const Axes axes = axes_of(order);
  const bool is_proper = axes.first == axes.third;
  const int i = axes.third;
  const int j = axes.second;
  const int k = 3 - i - j;
  const double sign = (i + 1) % 3 == j ? 1 : -1;  // of the permutation i j k

  const Vec3d v = rotation.xyz();
  double a = rotation.w;
  double b = v[i];
  double c = v[j];
  double d = v[k] * sign;
  if (!is_proper) {
    a = rotation.w - v[j];
    b = v[i] + v[k] * sign;
    c = v[j] + rotation.w;
    d = v[k] * sign - v[i];
  }

  const double second = 2 * std::atan2(std::hypot(c, d), std::hypot(a, b));
  const double half_sum = std::atan2(b, a);
  const double half_difference = std::atan2(d, c);
  double first = half_sum + half_difference;
  double third = half_sum - half_difference;
  if (second < kGimbalAngle) {
    first = 2 * half_sum;
    third = 0;
  } else if (second > kPi - kGimbalAngle) {
    first = 2 * half_difference;
    third = 0;
  }
  if (is_proper) return {wrapped(first), second, wrapped(third)};
  return {wrapped(first * sign), second - kPi / 2, wrapped(third)};
}

const char* name_of(EulerOrder order) { return kNames[static_cast<std::size_t>(order)]; }

}  // namespace dermis
