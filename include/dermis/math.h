// SPDX-License-Identifier: MIT
// Vectors, rotations, dual quaternions and affine maps, in float for the model and double for solvers.
//
// Conventions: right-handed, column vectors, quaternions stored x y z w, angles in radians. A transform is
// named target_from_source, so that products read like dominoes.
// Every value type exists twice and only twice: `Vec3` (float) and `Vec3d` (double).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

namespace dermis {

inline constexpr double kPi = 3.14159265358979323846;
constexpr double radians_from_degrees(double degrees) { return degrees * (kPi / 180.0); }
constexpr double degrees_from_radians(double radians) { return radians * (180.0 / kPi); }

// ---- Vectors ------------------------------------------------------------------------------------------

template <class Real>
struct Vec2T {
  Real x{}, y{};
  friend constexpr bool operator==(const Vec2T&, const Vec2T&) = default;
};

template <class Real>
struct Vec3T {
  Real x{}, y{}, z{};

  constexpr Vec3T() = default;
  constexpr Vec3T(Real x_, Real y_, Real z_) : x(x_), y(y_), z(z_) {}
  // Between float and double, said aloud: Vec3d(point), Vec3(sum).
  template <class Other>
  constexpr explicit Vec3T(const Vec3T<Other>& v)
      : x(static_cast<Real>(v.x)), y(static_cast<Real>(v.y)), z(static_cast<Real>(v.z)) {}

  constexpr Real& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
  constexpr const Real& operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
  constexpr Vec3T& operator+=(const Vec3T& v) { return x += v.x, y += v.y, z += v.z, *this; }
  constexpr Vec3T& operator-=(const Vec3T& v) { return x -= v.x, y -= v.y, z -= v.z, *this; }
  constexpr Vec3T& operator*=(Real s) { return x *= s, y *= s, z *= s, *this; }

  friend constexpr bool operator==(const Vec3T&, const Vec3T&) = default;
  friend constexpr Vec3T operator+(Vec3T a, const Vec3T& b) { return a += b; }
  friend constexpr Vec3T operator-(Vec3T a, const Vec3T& b) { return a -= b; }
  friend constexpr Vec3T operator-(const Vec3T& a) { return {-a.x, -a.y, -a.z}; }
  friend constexpr Vec3T operator*(Vec3T a, Real s) { return a *= s; }
  friend constexpr Vec3T operator*(Real s, Vec3T a) { return a *= s; }
};

template <class Real>
struct Vec4T {
  Real x{}, y{}, z{}, w{};
  constexpr Vec3T<Real> xyz() const { return {x, y, z}; }
  friend constexpr bool operator==(const Vec4T&, const Vec4T&) = default;
};

using Vec2 = Vec2T<float>;
using Vec3 = Vec3T<float>;
using Vec3d = Vec3T<double>;
using Vec4 = Vec4T<float>;

template <class Real>
constexpr Real dot(const Vec3T<Real>& a, const Vec3T<Real>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class Real>
constexpr Vec3T<Real> cross(const Vec3T<Real>& a, const Vec3T<Real>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class Real>
Real length(const Vec3T<Real>& v) {
  return std::sqrt(dot(v, v));
}
// Unit length; a zero or non-finite vector comes back unchanged, so that a degenerate normal stays visible.
template <class Real>
Vec3T<Real> normalized(const Vec3T<Real>& v) {
  const Real size = length(v);
  return size > Real(0) && std::isfinite(size) ? v * (Real(1) / size) : v;
}
template <class Real>
constexpr Vec3T<Real> lerp(const Vec3T<Real>& a, const Vec3T<Real>& b, Real t) {
  return a + (b - a) * t;
}
template <class Real>
bool is_finite(const Vec3T<Real>& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

// ---- 3x3 matrices -------------------------------------------------------------------------------------

// Columns are the images of the axes: m.x is where (1, 0, 0) goes.
template <class Real>
struct Mat3T {
  Vec3T<Real> x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};

  constexpr Mat3T() = default;
  constexpr Mat3T(const Vec3T<Real>& x_, const Vec3T<Real>& y_, const Vec3T<Real>& z_)
      : x(x_), y(y_), z(z_) {}
  template <class Other>
  constexpr explicit Mat3T(const Mat3T<Other>& m) : x(m.x), y(m.y), z(m.z) {}

  constexpr Vec3T<Real>& operator[](int column) { return column == 0 ? x : column == 1 ? y : z; }
  constexpr const Vec3T<Real>& operator[](int column) const { return column == 0 ? x : column == 1 ? y : z; }

  friend constexpr bool operator==(const Mat3T&, const Mat3T&) = default;
  friend constexpr Vec3T<Real> operator*(const Mat3T& m, const Vec3T<Real>& v) {
    return m.x * v.x + m.y * v.y + m.z * v.z;
  }
  friend constexpr Mat3T operator*(const Mat3T& a, const Mat3T& b) { return {a * b.x, a * b.y, a * b.z}; }
  friend constexpr Mat3T operator*(const Mat3T& m, Real s) { return {m.x * s, m.y * s, m.z * s}; }
  friend constexpr Mat3T operator+(const Mat3T& a, const Mat3T& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend constexpr Mat3T operator-(const Mat3T& a, const Mat3T& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
};
using Mat3 = Mat3T<float>;
using Mat3d = Mat3T<double>;

template <class Real>
constexpr Mat3T<Real> transposed(const Mat3T<Real>& m) {
  return {{m.x.x, m.y.x, m.z.x}, {m.x.y, m.y.y, m.z.y}, {m.x.z, m.y.z, m.z.z}};
}
template <class Real>
constexpr Real determinant(const Mat3T<Real>& m) {
  return dot(m.x, cross(m.y, m.z));
}
// det(M) M^-T without the division: what normals turn by, also when M is singular or mirrors.
template <class Real>
constexpr Mat3T<Real> cofactor(const Mat3T<Real>& m) {
  return {cross(m.y, m.z), cross(m.z, m.x), cross(m.x, m.y)};
}
// Entries are infinite or NaN when the determinant is zero; test it first.
template <class Real>
constexpr Mat3T<Real> inverse(const Mat3T<Real>& m) {
  return transposed(cofactor(m)) * (Real(1) / determinant(m));
}
template <class Real>
constexpr Mat3T<Real> diagonal(const Vec3T<Real>& d) {
  return {{d.x, 0, 0}, {0, d.y, 0}, {0, 0, d.z}};
}
// a b^T
template <class Real>
constexpr Mat3T<Real> outer(const Vec3T<Real>& a, const Vec3T<Real>& b) {
  return {a * b.x, a * b.y, a * b.z};
}

// ---- Quaternions --------------------------------------------------------------------------------------

// Rotations are unit quaternions; q and -q are the same rotation.
template <class Real>
struct QuatT {
  Real x{}, y{}, z{}, w{1};

  constexpr QuatT() = default;
  constexpr QuatT(Real x_, Real y_, Real z_, Real w_) : x(x_), y(y_), z(z_), w(w_) {}
  template <class Other>
  constexpr explicit QuatT(const QuatT<Other>& q)
      : x(static_cast<Real>(q.x)),
        y(static_cast<Real>(q.y)),
        z(static_cast<Real>(q.z)),
        w(static_cast<Real>(q.w)) {}

  constexpr Vec3T<Real> xyz() const { return {x, y, z}; }

  friend constexpr bool operator==(const QuatT&, const QuatT&) = default;
  friend constexpr QuatT operator+(const QuatT& a, const QuatT& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
  }
  friend constexpr QuatT operator-(const QuatT& a) { return {-a.x, -a.y, -a.z, -a.w}; }
  friend constexpr QuatT operator*(const QuatT& a, Real s) { return {a.x * s, a.y * s, a.z * s, a.w * s}; }
  // Hamilton product: (a * b) turns by b first, then by a.
  friend constexpr QuatT operator*(const QuatT& a, const QuatT& b) {
    return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
  }
};
using Quat = QuatT<float>;
using Quatd = QuatT<double>;

template <class Real>
constexpr Real dot(const QuatT<Real>& a, const QuatT<Real>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
template <class Real>
constexpr QuatT<Real> conjugate(const QuatT<Real>& q) {
  return {-q.x, -q.y, -q.z, q.w};
}
// Unit length; a zero or non-finite quaternion becomes the identity.
template <class Real>
QuatT<Real> normalized(const QuatT<Real>& q) {
  const Real size = std::sqrt(dot(q, q));
  return size > Real(0) && std::isfinite(size) ? q * (Real(1) / size) : QuatT<Real>{};
}
template <class Real>
constexpr Vec3T<Real> rotate(const QuatT<Real>& q, const Vec3T<Real>& v) {
  const Vec3T<Real> t = cross(q.xyz(), v) * Real(2);
  return v + t * q.w + cross(q.xyz(), t);
}
template <class Real>
constexpr Mat3T<Real> matrix_from_quat(const QuatT<Real>& q) {
  return {rotate(q, Vec3T<Real>{1, 0, 0}), rotate(q, Vec3T<Real>{0, 1, 0}), rotate(q, Vec3T<Real>{0, 0, 1})};
}

// From a rotation matrix, by the largest of the four components (Shepperd), renormalised: a matrix a little
// off orthonormal is fine. For anything else take the rotation of polar() first.
Quatd quat_from_matrix(const Mat3d& rotation);
// `axis` of any length; a zero axis gives the identity.
Quatd quat_from_axis_angle(const Vec3d& axis, double angle);
// The shortest turn that takes direction `from` to direction `to`.
Quatd quat_between(const Vec3d& from, const Vec3d& to);
// Along the shorter arc, at constant speed; nearly equal rotations are blended linearly and renormalised.
Quatd slerp(const Quatd& a, const Quatd& b, double t);
// Rotation vector (axis times angle, angle in [0, pi]) and back.
Vec3d log(const Quatd& unit);
Quatd exp(const Vec3d& rotation_vector);

// ---- Euler angles -------------------------------------------------------------------------------------

// The order in which the axes are multiplied, left to right: xyz means Rx * Ry * Rz, so z turns first in
// fixed axes. The six Tait-Bryan and the six proper Euler orders.
enum class EulerOrder : std::uint8_t { xyz, xzy, yxz, yzx, zxy, zyx, xyx, xzx, yxy, yzy, zxz, zyz };
inline constexpr int kEulerOrderCount = 12;

// `angles` in the order of the multiplication: for yzx, angles.x turns about y.
Quatd quat_from_euler(const Vec3d& angles, EulerOrder order);
// The inverse. First and third angle in [-pi, pi]; second in [-pi/2, pi/2] (Tait-Bryan) or [0, pi] (proper).
// In gimbal lock the third angle is zero.
Vec3d euler_from_quat(const Quatd& rotation, EulerOrder order);
const char* name_of(EulerOrder order);  // "xyz"

// ---- Affine maps and TRS ------------------------------------------------------------------------------

// v -> linear * v + translation.
template <class Real>
struct AffineT {
  Mat3T<Real> linear;
  Vec3T<Real> translation;

  constexpr AffineT() = default;
  constexpr AffineT(const Mat3T<Real>& linear_, const Vec3T<Real>& translation_)
      : linear(linear_), translation(translation_) {}
  template <class Other>
  constexpr explicit AffineT(const AffineT<Other>& a) : linear(a.linear), translation(a.translation) {}

  friend constexpr bool operator==(const AffineT&, const AffineT&) = default;
  friend constexpr Vec3T<Real> operator*(const AffineT& a, const Vec3T<Real>& point) {
    return a.linear * point + a.translation;
  }
  friend constexpr AffineT operator*(const AffineT& a, const AffineT& b) {
    return {a.linear * b.linear, a * b.translation};
  }
};
using Affine = AffineT<float>;
using Affined = AffineT<double>;

// Entries are infinite or NaN when the linear part is singular.
template <class Real>
constexpr AffineT<Real> inverse(const AffineT<Real>& a) {
  const Mat3T<Real> linear = inverse(a.linear);
  return {linear, -(linear * a.translation)};
}
template <class Real>
bool is_finite(const AffineT<Real>& a) {
  return is_finite(a.linear.x) && is_finite(a.linear.y) && is_finite(a.linear.z) && is_finite(a.translation);
}
// Largest absolute difference of the twelve entries.
double max_difference(const Affined& a, const Affined& b);

// Scale, then rotate, then translate: how files and animators think of a joint.
struct Transform {
  Vec3 translation;
  Quat rotation;
  Vec3 scale{1, 1, 1};
  friend constexpr bool operator==(const Transform&, const Transform&) = default;
};
Affined affine_from_transform(const Transform& transform);
// The nearest TRS. Exact unless the map shears; a mirroring map gets a negative x scale.
Transform transform_from_affine(const Affined& affine);

// ---- Decompositions -----------------------------------------------------------------------------------

// M = u diag(sigma) v^T with u and v proper rotations; sigma falls in size, and only sigma.z may be
// negative (it carries the sign of the determinant).
struct Svd {
  Mat3d u;
  Vec3d sigma;
  Mat3d v;
};
Svd svd(const Mat3d& m);

// M = rotation * stretch, rotation proper, stretch symmetric. A mirroring M has a stretch with one negative
// eigenvalue, along the axis that M stretches least. Any M is fine: singular ones get the rotation that
// completes the frame.
struct Polar {
  Mat3d rotation;
  Mat3d stretch;
};
Polar polar(const Mat3d& m);

// ---- Logarithms of motions ----------------------------------------------------------------------------

// A screw motion as velocity: `angular` is axis times angle, `linear` the velocity of the origin.
struct Twist {
  Vec3d angular;
  Vec3d linear;
};
// Closed form on rigid motions; the angle lies in [0, pi], and at pi one of the two axes is taken.
Twist log_rigid(const Affined& rigid);
Affined exp_rigid(const Twist& twist);

// Matrix logarithm of a general affine map (4x4, last row 0 0 0 1), nothing when an eigenvalue of the linear
// part is zero or negative real. The result's "translation" is the last column of the logarithm.
std::optional<Affined> log_affine(const Affined& affine);
Affined exp_affine(const Affined& logarithm);

// ---- Dual numbers and dual quaternions ----------------------------------------------------------------

// real + eps * dual with eps^2 = 0: a value and its derivative.
struct Dual {
  double real = 0;
  double dual = 0;

  friend constexpr bool operator==(const Dual&, const Dual&) = default;
  friend constexpr Dual operator+(Dual a, Dual b) { return {a.real + b.real, a.dual + b.dual}; }
  friend constexpr Dual operator-(Dual a, Dual b) { return {a.real - b.real, a.dual - b.dual}; }
  friend constexpr Dual operator-(Dual a) { return {-a.real, -a.dual}; }
  friend constexpr Dual operator*(Dual a, Dual b) {
    return {a.real * b.real, a.real * b.dual + a.dual * b.real};
  }
  // Needs b.real != 0.
  friend constexpr Dual operator/(Dual a, Dual b) {
    return {a.real / b.real, (a.dual * b.real - a.real * b.dual) / (b.real * b.real)};
  }
};
// Needs a.real > 0.
Dual sqrt(Dual a);

// A rigid motion as real + eps * dual; unit when |real| = 1 and real . dual = 0.
template <class Real>
struct DualQuatT {
  QuatT<Real> real{0, 0, 0, 1};
  QuatT<Real> dual{0, 0, 0, 0};

  constexpr DualQuatT() = default;
  constexpr DualQuatT(const QuatT<Real>& real_, const QuatT<Real>& dual_) : real(real_), dual(dual_) {}
  template <class Other>
  constexpr explicit DualQuatT(const DualQuatT<Other>& q) : real(q.real), dual(q.dual) {}

  friend constexpr bool operator==(const DualQuatT&, const DualQuatT&) = default;
  friend constexpr DualQuatT operator+(const DualQuatT& a, const DualQuatT& b) {
    return {a.real + b.real, a.dual + b.dual};
  }
  friend constexpr DualQuatT operator*(const DualQuatT& a, Real s) { return {a.real * s, a.dual * s}; }
  friend constexpr DualQuatT operator*(const DualQuatT& a, const DualQuatT& b) {
    return {a.real * b.real, a.real * b.dual + a.dual * b.real};
  }
};
using DualQuat = DualQuatT<float>;
using DualQuatd = DualQuatT<double>;

// The dual number |q|, whose dual part is zero for a unit dual quaternion up to rounding.
Dual norm(const DualQuatd& q);
// q / |q| in dual arithmetic: unit, and a rigid motion again after blending.
DualQuatd normalized(const DualQuatd& q);
template <class Real>
constexpr DualQuatT<Real> conjugate(const DualQuatT<Real>& q) {
  return {conjugate(q.real), conjugate(q.dual)};
}
DualQuatd dual_quat_from_rigid(const Quatd& rotation, const Vec3d& translation);
// Of a unit dual quaternion.
Vec3d translation_of(const DualQuatd& q);
Affined affine_from_dual_quat(const DualQuatd& q);
template <class Real>
constexpr Vec3T<Real> transform_point(const DualQuatT<Real>& unit, const Vec3T<Real>& point) {
  const QuatT<Real> t = unit.dual * conjugate(unit.real) * Real(2);
  return rotate(unit.real, point) + t.xyz();
}

// ---- Boxes --------------------------------------------------------------------------------------------

// Axis-aligned; empty until something was added.
struct Box {
  Vec3d lower{INFINITY, INFINITY, INFINITY};
  Vec3d upper{-INFINITY, -INFINITY, -INFINITY};

  bool is_empty() const { return !(lower.x <= upper.x); }
  void add(const Vec3d& p) {
    lower = {std::min(lower.x, p.x), std::min(lower.y, p.y), std::min(lower.z, p.z)};
    upper = {std::max(upper.x, p.x), std::max(upper.y, p.y), std::max(upper.z, p.z)};
  }
  // Zero when empty.
  double diagonal() const { return is_empty() ? 0.0 : length(upper - lower); }
  Vec3d centre() const { return is_empty() ? Vec3d{} : (lower + upper) * 0.5; }
};

}  // namespace dermis
