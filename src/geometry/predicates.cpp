// SPDX-License-Identifier: MIT
// Exact signs of small determinants: in double if that decides, otherwise by expansions.
#include <array>
#include <cmath>

#include "dermis/geometry.h"
#include "geometry/predicates.h"

namespace dermis {
namespace {

// A determinant of three rounded differences, two roundings of products and two of sums is off by less than 7
// units in the last place of its permanent (Shewchuk 1997, o3derrboundA); one of two by less than 3. Slightly
// larger bounds are used, which costs a few extra exact evaluations.
constexpr double kVolumeError = 8e-16;
constexpr double kAreaError = 4e-16;

// A sum without rounding: doubles of increasing size that do not overlap (Shewchuk 1997). Products of three
// float differences, and their rounding errors, neither overflow nor underflow in double.
class Expansion {
 public:
  void add(double term) {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < size_; ++k) {
      const double sum = term + terms_[k];
      const double rounded = sum - term;
      const double error = (term - (sum - rounded)) + (terms_[k] - rounded);
      term = sum;
      if (error != 0) terms_[kept++] = error;
    }
    if (term != 0) terms_[kept++] = term;
    size_ = kept;
  }
  void add_product(double x, double y) {
    const double product = x * y;
    add(std::fma(x, y, -product));
    add(product);
  }
  void add_product(double x, double y, double z) {
    const double product = x * y;
    add_product(std::fma(x, y, -product), z);
    add_product(product, z);
  }
  int sign() const { return size_ == 0 ? 0 : terms_[size_ - 1] > 0 ? 1 : -1; }

 private:
  // Six products of three differences, each of two doubles, and four doubles for each product of doubles.
  std::array<double, 6 * 8 * 4> terms_;
  std::size_t size_ = 0;
};

// a - b without rounding; floats of very different magnitude need the second double.
struct Difference {
  std::array<double, 2> part;
  Difference(double a, double b) {
    part[0] = a - b;
    const double rounded = a - part[0];
    part[1] = (a - (part[0] + rounded)) + (rounded - b);
  }
};

int exact_volume_sign(const std::array<Vec3d, 4>& p) {
  std::array<std::array<Difference, 3>, 3> row{{{{{p[1].x, p[0].x}, {p[1].y, p[0].y}, {p[1].z, p[0].z}}},
                                                {{{p[2].x, p[0].x}, {p[2].y, p[0].y}, {p[2].z, p[0].z}}},
                                                {{{p[3].x, p[0].x}, {p[3].y, p[0].y}, {p[3].z, p[0].z}}}}};
  constexpr std::array<std::array<std::size_t, 3>, 6> kOrders{
      {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}}};
  Expansion sum;
  for (std::size_t o = 0; o < kOrders.size(); ++o) {
    const double sign = o < 3 ? 1 : -1;
    for (const double x : row[0][kOrders[o][0]].part) {
      for (const double y : row[1][kOrders[o][1]].part) {
        for (const double z : row[2][kOrders[o][2]].part) {
          if (x != 0 && y != 0 && z != 0) sum.add_product(sign * x, y, z);
        }
      }
    }
  }
  return sum.sign();
}

int exact_area_sign(const Vec2d& a, const Vec2d& b, const Vec2d& c) {
  const Difference ux(b.x, a.x), uy(b.y, a.y), vx(c.x, a.x), vy(c.y, a.y);
  Expansion sum;
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      sum.add_product(ux.part[i], vy.part[j]);
      sum.add_product(-uy.part[i], vx.part[j]);
    }
  }
  return sum.sign();
}

}  // namespace

int orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const std::array<Vec3d, 4> p{Vec3d(a), Vec3d(b), Vec3d(c), Vec3d(d)};
  const Vec3d u = p[1] - p[0], v = p[2] - p[0], w = p[3] - p[0];
  const double xy = u.x * v.y, yx = u.y * v.x, yz = u.y * v.z, zy = u.z * v.y, zx = u.z * v.x, xz = u.x * v.z;
  const double volume = w.x * (yz - zy) + w.y * (zx - xz) + w.z * (xy - yx);
  const double permanent = std::abs(w.x) * (std::abs(yz) + std::abs(zy)) +
                           std::abs(w.y) * (std::abs(zx) + std::abs(xz)) +
                           std::abs(w.z) * (std::abs(xy) + std::abs(yx));
  if (std::abs(volume) > kVolumeError * permanent) return volume > 0 ? 1 : -1;
  return permanent == 0 ? 0 : exact_volume_sign(p);
}

int orientation(const Vec2d& a, const Vec2d& b, const Vec2d& c) {
  const double left = (b.x - a.x) * (c.y - a.y), right = (b.y - a.y) * (c.x - a.x);
  const double area = left - right;
  if (std::abs(area) > kAreaError * (std::abs(left) + std::abs(right))) return area > 0 ? 1 : -1;
  return left == 0 && right == 0 ? 0 : exact_area_sign(a, b, c);
}

int facing_axis(const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3d normal = cross(Vec3d(b) - Vec3d(a), Vec3d(c) - Vec3d(a));
  const Vec3d size{std::abs(normal.x), std::abs(normal.y), std::abs(normal.z)};
  const int largest = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  for (int k = 0; k < 3; ++k) {
    const int axis = (largest + k) % 3;
    if (orientation(dropped(a, axis), dropped(b, axis), dropped(c, axis)) != 0) return axis;
  }
  return -1;
}

bool is_flat(const Vec3& a, const Vec3& b, const Vec3& c) { return facing_axis(a, b, c) < 0; }

}  // namespace dermis
