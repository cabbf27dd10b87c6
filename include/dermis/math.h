// SPDX-License-Identifier: MIT
// Vectors, rotations, dual quaternions and affine maps, in float for the model and double for solvers.
//
// Conventions: right-handed, column vectors, quaternions stored x y z w, angles in radians. A transform is
// named target_from_source, so that products read like dominoes.
// Every value type exists twice and only twice: `Vec3` (float) and `Vec3d` (double).
//
// Nothing here allocates or throws. Each function documents its result for zero, singular or non-finite
// input; otherwise non-finite input gives an unspecified value without a fault. Arguments called `unit` or
// `rotation` must be unit or orthonormal; that is not checked. All functions may be called from several
// threads at once.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

namespace dermis {

inline constexpr double kPi = 3.14159265358979323846;
// For text input and output only: inside the library, angles are in radians.
constexpr double radians_from_degrees(double degrees) { return degrees * (kPi / 180.0); }
constexpr double degrees_from_radians(double radians) { return radians * (180.0 / kPi); }

// ---- Vectors ------------------------------------------------------------------------------------------

// Texture coordinates; no arithmetic.
template <class Real>
struct Vec2T {
  Real x{}, y{};
  friend constexpr bool operator==(const Vec2T&, const Vec2T&) = default;
};

// A point, a direction or three scales: the type does not distinguish them, the variable's name does. Zero by
// default. Three numbers without padding, so an array of them is an array of floats.
template <class Real>
struct Vec3T {
  Real x{}, y{}, z{};

  constexpr Vec3T() = default;
  constexpr Vec3T(Real x_, Real y_, Real z_) : x(x_), y(y_), z(z_) {}
  // Explicit conversion between float and double: Vec3d(point), Vec3(sum).
  template <class Other>
  constexpr explicit Vec3T(const Vec3T<Other>& v)
      : x(static_cast<Real>(v.x)), y(static_cast<Real>(v.y)), z(static_cast<Real>(v.z)) {}

  // 0, 1, 2 for x, y, z. Not checked: any other index reads z.
  constexpr Real& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
  constexpr const Real& operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
  constexpr Vec3T& operator+=(const Vec3T& v) { return x += v.x, y += v.y, z += v.z, *this; }
  constexpr Vec3T& operator-=(const Vec3T& v) { return x -= v.x, y -= v.y, z -= v.z, *this; }
  constexpr Vec3T& operator*=(Real s) { return x *= s, y *= s, z *= s, *this; }

  // Bitwise equal, except that 0 equals -0; NaN equals nothing.
  friend constexpr bool operator==(const Vec3T&, const Vec3T&) = default;
  friend constexpr Vec3T operator+(Vec3T a, const Vec3T& b) { return a += b; }
  friend constexpr Vec3T operator-(Vec3T a, const Vec3T& b) { return a -= b; }
  friend constexpr Vec3T operator-(const Vec3T& a) { return {-a.x, -a.y, -a.z}; }
  friend constexpr Vec3T operator*(Vec3T a, Real s) { return a *= s; }
  friend constexpr Vec3T operator*(Real s, Vec3T a) { return a *= s; }
};

// A tangent with its handedness, or a colour with alpha; no arithmetic.
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
// Right-handed: x cross y is z. Twice the area vector of the triangle 0 a b.
template <class Real>
constexpr Vec3T<Real> cross(const Vec3T<Real>& a, const Vec3T<Real>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
// Computes squares: infinite beyond 1e19 in float (1e154 in double), zero below about 1e-23 (1e-162).
template <class Real>
Real length(const Vec3T<Real>& v) {
  return std::sqrt(dot(v, v));
}
// Unit length; a zero or non-finite vector is returned unchanged, so that a degenerate normal stays visible.
template <class Real>
Vec3T<Real> normalized(const Vec3T<Real>& v) {
  const Real size = length(v);
  return size > Real(0) && std::isfinite(size) ? v * (Real(1) / size) : v;
}
// a at t = 0, b at t = 1 (up to rounding); t outside [0, 1] extrapolates.
template <class Real>
constexpr Vec3T<Real> lerp(const Vec3T<Real>& a, const Vec3T<Real>& b, Real t) {
  return a + (b - a) * t;
}
template <class Real>
bool is_finite(const Vec3T<Real>& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

// ---- 3x3 matrices -------------------------------------------------------------------------------------

// Columns are the images of the axes: m.x is where (1, 0, 0) goes. The identity by default, not zero; a zero
// matrix is diagonal(Vec3d{}). Nine numbers, column after column, without padding.
template <class Real>
struct Mat3T {
  Vec3T<Real> x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};

  constexpr Mat3T() = default;
  constexpr Mat3T(const Vec3T<Real>& x_, const Vec3T<Real>& y_, const Vec3T<Real>& z_)
      : x(x_), y(y_), z(z_) {}
  template <class Other>
  constexpr explicit Mat3T(const Mat3T<Other>& m) : x(m.x), y(m.y), z(m.z) {}

  // m[column][row], the reverse of the usual notation for matrices.
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
// Signed volume of the image of the unit cube: negative if the matrix mirrors.
template <class Real>
constexpr Real determinant(const Mat3T<Real>& m) {
  return dot(m.x, cross(m.y, m.z));
}
// det(M) M^-T without the division: it transforms normals, even if M is singular or mirrors.
template <class Real>
constexpr Mat3T<Real> cofactor(const Mat3T<Real>& m) {
  return {cross(m.y, m.z), cross(m.z, m.x), cross(m.x, m.y)};
}
// Entries are infinite or NaN if the determinant is zero; test it first.
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

// Rotations are unit quaternions; q and -q are the same rotation, so never compare rotations with ==. Stored
// x y z w as in glTF, the scalar last (Eigen's constructor takes it first). The identity by default.
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
  // Hamilton product: (a * b) rotates by b first, then by a.
  friend constexpr QuatT operator*(const QuatT& a, const QuatT& b) {
    return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
  }
};
using Quat = QuatT<float>;
using Quatd = QuatT<double>;

// As 4-vectors. For unit a and b its absolute value is the cosine of half the angle between the rotations; if
// it is negative, -b is closer to a than b is.
template <class Real>
constexpr Real dot(const QuatT<Real>& a, const QuatT<Real>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
// The inverse rotation of a unit quaternion.
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
// `q` must be unit: with any other length the map is not even a scaled rotation. For many vectors, compute
// the matrix once.
template <class Real>
constexpr Vec3T<Real> rotate(const QuatT<Real>& q, const Vec3T<Real>& v) {
  const Vec3T<Real> t = cross(q.xyz(), v) * Real(2);
  return v + t * q.w + cross(q.xyz(), t);
}
// The same map as rotate(), column by column; orthonormal to the extent that `q` is unit.
template <class Real>
constexpr Mat3T<Real> matrix_from_quat(const QuatT<Real>& q) {
  return {rotate(q, Vec3T<Real>{1, 0, 0}), rotate(q, Vec3T<Real>{0, 1, 0}), rotate(q, Vec3T<Real>{0, 0, 1})};
}

// From a rotation matrix, by the largest of the four components (Shepperd), renormalised: an almost
// orthonormal matrix is fine. For anything else use the rotation from polar(). Accurate to rounding at every
// angle, including half turns. The largest component is positive, so w may be negative. A non-finite matrix
// gives the identity.
Quatd quat_from_matrix(const Mat3d& rotation);
// `axis` of any length; a zero or non-finite axis gives the identity. `angle` in radians, right-handed.
Quatd quat_from_axis_angle(const Vec3d& axis, double angle);
// The shortest rotation from direction `from` to direction `to`, both of any length. Opposite directions give
// a half turn about a perpendicular axis, always the same one. A zero or non-finite direction gives the
// identity.
Quatd quat_between(const Vec3d& from, const Vec3d& to);
// Along the shorter arc, at constant speed; nearly equal rotations are interpolated linearly and
// renormalised. The result is unit. If they are exactly half a turn apart, both arcs are equally short and
// rounding picks one.
Quatd slerp(const Quatd& a, const Quatd& b, double t);
// Rotation vector (axis times angle, angle in [0, pi]) and back, both accurate down to the smallest angles.
// log(-q) is log(q), except at exactly pi, where the sign of the axis follows that of q. exp takes vectors of
// any length: exp(log(q)) is the rotation q, and log(exp(r)) is r up to a length of pi.
Vec3d log(const Quatd& unit);
Quatd exp(const Vec3d& rotation_vector);

// ---- Euler angles -------------------------------------------------------------------------------------

// The order in which the axes are multiplied, left to right: xyz means Rx * Ry * Rz, so the z rotation is
// applied first, about fixed axes. The six Tait-Bryan and the six proper Euler orders.
enum class EulerOrder : std::uint8_t { xyz, xzy, yxz, yzx, zxy, zyx, xyx, xzx, yxy, yzy, zxz, zyz };
inline constexpr int kEulerOrderCount = 12;

// `angles` in the order of multiplication: for yzx, angles.x is the rotation about y.
Quatd quat_from_euler(const Vec3d& angles, EulerOrder order);
// The inverse. First and third angle in [-pi, pi]; second in [-pi/2, pi/2] (Tait-Bryan) or [0, pi] (proper).
// In gimbal lock (the second angle within 1e-7 of its limits) the third angle is zero and the rotation is
// accurate to 1e-7; elsewhere it is accurate to rounding.
Vec3d euler_from_quat(const Quatd& rotation, EulerOrder order);
const char* name_of(EulerOrder order);  // "xyz"

// ---- Affine maps and TRS ------------------------------------------------------------------------------

// v -> linear * v + translation. The upper three rows of a 4x4 matrix whose last row is 0 0 0 1. Products
// compose: (a * b) * p is a * (b * p). The identity by default.
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

// Entries are infinite or NaN if the linear part is singular; check the result with is_finite().
template <class Real>
constexpr AffineT<Real> inverse(const AffineT<Real>& a) {
  const Mat3T<Real> linear = inverse(a.linear);
  return {linear, -(linear * a.translation)};
}
template <class Real>
bool is_finite(const AffineT<Real>& a) {
  return is_finite(a.linear.x) && is_finite(a.linear.y) && is_finite(a.linear.z) && is_finite(a.translation);
}
// Largest absolute difference of the twelve entries; NaN if any of them is.
double max_difference(const Affined& a, const Affined& b);

// Scale, then rotate, then translate: how files and animators think of a joint. Products of transforms are
// not transforms (uneven scale under a rotation shears), so compose the affine maps.
struct Transform {
  Vec3 translation;     // in the parent's frame, in the file's units
  Quat rotation;        // unit
  Vec3 scale{1, 1, 1};  // along the rotated axes; negative mirrors, zero flattens
  friend constexpr bool operator==(const Transform&, const Transform&) = default;
};
// The rotation is normalised in double first, so that its float rounding does not become scale.
Affined affine_from_transform(const Transform& transform);
// The nearest TRS (least squares over the nine entries). Exact to float precision unless the map shears. A
// mirroring map gets a negative x scale, whichever axis was mirrored; the other scales are not negative. A
// zero scale does not determine its axis: the rotation completes the frame. Costs two SVDs without shear, up
// to 65 with it.
Transform transform_from_affine(const Affined& affine);

// ---- Decompositions -----------------------------------------------------------------------------------

// M = u diag(sigma) v^T with u and v proper rotations; sigma decreases in absolute value, and only sigma.z
// may be negative (it has the sign of the determinant). Works for every finite matrix, of any rank and
// magnitude; if singular values coincide, the vectors are one of many choices. A non-finite matrix gives NaN
// for sigma and identity factors. Takes a few microseconds.
struct Svd {
  Mat3d u;
  Vec3d sigma;
  Mat3d v;
};
Svd svd(const Mat3d& m);

// M = rotation * stretch, rotation proper, stretch symmetric. A mirroring M has a stretch with one negative
// eigenvalue, along the axis that M stretches least. Any M is fine: singular ones get the rotation that
// completes the frame. The rotation is the one nearest to M (Procrustes); it is continuous in M except where
// the two smallest singular values cancel (sigma.y + sigma.z = 0). A non-finite M gives the identity.
struct Polar {
  Mat3d rotation;
  Mat3d stretch;
};
Polar polar(const Mat3d& m);

// ---- Logarithms of motions ----------------------------------------------------------------------------

// A screw motion as velocity: `angular` is axis times angle, `linear` the velocity of the origin. Twists add
// and scale; a fraction w of the twist of a turn about a pivot is the turn by w times the angle about that
// pivot.
struct Twist {
  Vec3d angular;
  Vec3d linear;
};
// Closed form for rigid motions; the angle is in [0, pi], and at pi one of the two axes is used. Accurate to
// rounding at both ends. `rigid` must be a proper rotation and a translation: remove scale with polar()
// first.
Twist log_rigid(const Affined& rigid);
// For any twist; angles beyond pi are allowed.
Affined exp_rigid(const Twist& twist);

// Matrix logarithm of a general affine map (4x4, last row 0 0 0 1), nullopt if an eigenvalue of the linear
// part is zero or negative real: mirrors, flattened maps, half turns (to 1e-7 of the axis), non-finite
// entries. The result's "translation" is the last column of the logarithm. It is only returned if its
// exponential reproduces the map to 1e-8 of its largest entry. Takes tens of microseconds: use it once per
// joint and pose, not per point.
std::optional<Affined> log_affine(const Affined& affine);
// The inverse, for any matrix with last row 0 0 0 0. All NaN if an entry is not finite.
Affined exp_affine(const Affined& logarithm);

// ---- Dual numbers and dual quaternions ----------------------------------------------------------------

// real + eps * dual with eps^2 = 0: a value and its derivative. Arithmetic is that of the 2x2 matrices
// [[real, dual], [0, real]].
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
// Needs a.real > 0; at zero the dual part is infinite or NaN.
Dual sqrt(Dual a);

// A rigid motion as real + eps * dual; unit if |real| = 1 and real . dual = 0. As with quaternions, q and -q
// are the same motion: give all terms of a sum the sign of one pivot before adding. The identity by default.
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
  // (a * b) moves by b first, then by a.
  friend constexpr DualQuatT operator*(const DualQuatT& a, const DualQuatT& b) {
    return {a.real * b.real, a.real * b.dual + a.dual * b.real};
  }
};
using DualQuat = DualQuatT<float>;
using DualQuatd = DualQuatT<double>;

// The dual number |q|, whose dual part is zero for a unit dual quaternion up to rounding. Needs a nonzero
// real part. Multiplicative: |a b| = |a| |b|.
Dual norm(const DualQuatd& q);
// q / |q| in dual arithmetic: unit, and a rigid motion again after blending. The identity if the real part is
// zero or not finite.
DualQuatd normalized(const DualQuatd& q);
// The inverse motion of a unit dual quaternion.
template <class Real>
constexpr DualQuatT<Real> conjugate(const DualQuatT<Real>& q) {
  return {conjugate(q.real), conjugate(q.dual)};
}
// Rotates, then translates. Unit if `rotation` is.
DualQuatd dual_quat_from_rigid(const Quatd& rotation, const Vec3d& translation);
// Both need a unit dual quaternion; the sign of q does not matter.
Vec3d translation_of(const DualQuatd& q);
Affined affine_from_dual_quat(const DualQuatd& q);
// |unit.real| = 1 is enough: the component of the dual part along the real part cancels.
template <class Real>
constexpr Vec3T<Real> transform_point(const DualQuatT<Real>& unit, const Vec3T<Real>& point) {
  const QuatT<Real> t = unit.dual * conjugate(unit.real) * Real(2);
  return rotate(unit.real, point) + t.xyz();
}

// ---- Boxes --------------------------------------------------------------------------------------------

// Axis-aligned, in the units of its points; empty until something is added. Adding a NaN coordinate leaves
// that coordinate of the box unchanged.
struct Box {
  Vec3d lower{INFINITY, INFINITY, INFINITY};
  Vec3d upper{-INFINITY, -INFINITY, -INFINITY};

  bool is_empty() const { return !(lower.x <= upper.x); }
  void add(const Vec3d& p) {
    lower = {std::min(lower.x, p.x), std::min(lower.y, p.y), std::min(lower.z, p.z)};
    upper = {std::max(upper.x, p.x), std::max(upper.y, p.y), std::max(upper.z, p.z)};
  }
  // Length of the diagonal; tolerances are relative to it. Zero if empty.
  double diagonal() const { return is_empty() ? 0.0 : length(upper - lower); }
  Vec3d centre() const { return is_empty() ? Vec3d{} : (lower + upper) * 0.5; }
};

// The points p with dot(normal, p) == offset.
struct MirrorPlane {
  Vec3d normal;  // unit
  double offset = 0;
  // The signed distance of p, positive on the side the normal points to.
  double side(const Vec3d& p) const { return dot(normal, p) - offset; }
  Vec3d mirrored(const Vec3d& p) const { return p - normal * (2 * side(p)); }
};

}  // namespace dermis
