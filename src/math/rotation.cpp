// SPDX-License-Identifier: MIT
// Quaternions from matrices, axes and directions; slerp; rotation vectors.
#include "dermis/math.h"

namespace dermis {
namespace {

// Below this angle the linear blend differs from the arc by less than rounding (its error is cubic).
constexpr double kNearlyEqualAngle = 1e-6;
// Below this sine, atan2(s, c) / s is 1 / c to rounding and s itself is about to underflow when squared.
constexpr double kTinySine = 1e-9;
// Below this angle the two-term series of sin(x / 2) / x is exact to rounding.
constexpr double kSmallAngle = 1e-4;

// Unit vector along `v`, scaled before it is squared so that no finite length under- or overflows; zero for a
// zero or non-finite vector.
Vec3d direction_of(const Vec3d& v) {
  const double largest = std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)});
  if (!is_finite(v) || largest == 0) return {};
  return normalized(Vec3d{v.x / largest, v.y / largest, v.z / largest});
}

// Unit vector perpendicular to `unit`, from the axis most different from it.
Vec3d any_perpendicular(const Vec3d& unit) {
  const Vec3d size{std::abs(unit.x), std::abs(unit.y), std::abs(unit.z)};
  const Vec3d axis = size.x <= size.y && size.x <= size.z ? Vec3d{1, 0, 0}
                     : size.y <= size.z                   ? Vec3d{0, 1, 0}
                                                          : Vec3d{0, 0, 1};
  return normalized(cross(unit, axis));
}

// Angle between two unit quaternions as vectors. Kahan's form: acos would lose half the digits near 0.
double angle_between(const Quatd& a, const Quatd& b) {
  const Quatd difference = a + -b;
  const Quatd sum = a + b;
  return 2 * std::atan2(std::sqrt(dot(difference, difference)), std::sqrt(dot(sum, sum)));
}

}  // namespace

Quatd quat_from_matrix(const Mat3d& m) {
  // Shepperd 1978: four times the square of each component; the largest is at least 1, so that its root is
  // safe to divide by. The trace alone fails near half turns.
  const double ww = 1 + m.x.x + m.y.y + m.z.z;
  const double xx = 1 + m.x.x - m.y.y - m.z.z;
  const double yy = 1 - m.x.x + m.y.y - m.z.z;
  const double zz = 1 - m.x.x - m.y.y + m.z.z;
  const double largest = std::max({ww, xx, yy, zz});
  Quatd q;  // scaled by four times its largest component
  if (largest == ww) {
    q = {m.y.z - m.z.y, m.z.x - m.x.z, m.x.y - m.y.x, ww};
  } else if (largest == xx) {
    q = {xx, m.x.y + m.y.x, m.z.x + m.x.z, m.y.z - m.z.y};
  } else if (largest == yy) {
    q = {m.x.y + m.y.x, yy, m.y.z + m.z.y, m.z.x - m.x.z};
  } else {
    q = {m.z.x + m.x.z, m.y.z + m.z.y, zz, m.x.y - m.y.x};
  }
  return normalized(q);
}

Quatd quat_from_axis_angle(const Vec3d& axis, double angle) {
  const Vec3d unit = direction_of(axis);
  if (unit == Vec3d{}) return {};
  const Vec3d v = unit * std::sin(angle / 2);
  return {v.x, v.y, v.z, std::cos(angle / 2)};
}

Quatd quat_between(const Vec3d& from, const Vec3d& to) {
  const Vec3d a = direction_of(from);
  const Vec3d b = direction_of(to);
  if (a == Vec3d{} || b == Vec3d{}) return {};
  // Twice the sine and cosine of half the angle, accurate at both ends, where dot and cross are not.
  const Vec3d across = a - b;
  const double sine = length(across);
  const double cosine = length(a + b);
  if (sine == 0) return {};
  // The axis is perpendicular to `across`. Close to a half turn the cross product is noise: use its
  // perpendicular component, or any perpendicular axis, since all rotations are then equally short.
  const Vec3d chord = normalized(across);
  const Vec3d raw = cross(a, b);
  const Vec3d square = raw - chord * dot(raw, chord);
  const Vec3d axis = dot(square, square) > 0 ? normalized(square) : any_perpendicular(chord);
  return normalized(Quatd{axis.x * sine, axis.y * sine, axis.z * sine, cosine});
}

Quatd slerp(const Quatd& a, const Quatd& b, double t) {
  const Quatd near_b = dot(a, b) < 0 ? -b : b;
  const double angle = angle_between(a, near_b);
  if (angle < kNearlyEqualAngle) return normalized(a * (1 - t) + near_b * t);
  return normalized(a * std::sin((1 - t) * angle) + near_b * std::sin(t * angle));
}

Vec3d log(const Quatd& unit) {
  // The half with w >= 0, so that the angle is at most pi.
  const Quatd q = unit.w < 0 ? -unit : unit;
  const double sine = length(q.xyz());
  if (sine < kTinySine) return q.xyz() * 2.0;
  return q.xyz() * (2 * std::atan2(sine, q.w) / sine);
}

Quatd exp(const Vec3d& rotation_vector) {
  const double angle = length(rotation_vector);
  const double scale = angle < kSmallAngle ? 0.5 - angle * angle / 48 : std::sin(angle / 2) / angle;
  const Vec3d v = rotation_vector * scale;
  return {v.x, v.y, v.z, std::cos(angle / 2)};
}

}  // namespace dermis
