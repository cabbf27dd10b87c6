// SPDX-License-Identifier: MIT
// Splits polygons into triangles that all face the same direction as the polygon.
#include <algorithm>
#include <array>
#include <cmath>

#include "dermis/geometry.h"

namespace dermis {
namespace {

// As a fraction of the polygon's area: a triangle inverted by less is flat except for float rounding.
constexpr double kFlat = 1e-6;
// Ear clipping is quadratic in the corners; longer polygons are not made by hand.
constexpr std::size_t kMostEarCorners = 4096;

using Corner = std::uint32_t;
using Flat = Vec2T<double>;

void add_fan(std::size_t size, std::vector<Corner>& triangles) {
  for (Corner c = 1; c + 1 < size; ++c) triangles.insert(triangles.end(), {0, c, c + 1});
}

// The polygon projected along its normal.
std::vector<Flat> flattened(std::span<const Vec3> points, std::span<const std::int32_t> polygon,
                            const Vec3d& normal) {
  // The axis furthest from the normal gives the most stable frame.
  const Vec3d size{std::abs(normal.x), std::abs(normal.y), std::abs(normal.z)};
  const Vec3d away = size.x <= size.y && size.x <= size.z ? Vec3d{1, 0, 0}
                     : size.y <= size.z                   ? Vec3d{0, 1, 0}
                                                          : Vec3d{0, 0, 1};
  const Vec3d right = normalized(cross(away, normal)), up = cross(normal, right);
  const Vec3d origin(points[static_cast<std::size_t>(polygon[0])]);
  std::vector<Flat> flat;
  flat.reserve(polygon.size());
  for (const std::int32_t v : polygon) {
    const Vec3d from_origin = Vec3d(points[static_cast<std::size_t>(v)]) - origin;
    flat.push_back({dot(from_origin, right), dot(from_origin, up)});
  }
  return flat;
}

// Twice the area of a triangle, positive if it is anticlockwise.
double turn(const Flat& a, const Flat& b, const Flat& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// Ear clipping (Meisters 1975). A triangle is cut off only if it faces the same direction as the polygon:
// then the winding numbers of all triangles add up to the polygon's, so they cover it once, in any order.
class EarClipper {
 public:
  EarClipper(std::span<const Flat> flat, double flat_area) : flat_(flat), flat_area_(flat_area) {
    const auto size = static_cast<Corner>(flat.size());
    for (Corner c = 0; c < size; ++c) {
      next_.push_back(c + 1 < size ? c + 1 : 0);
      last_.push_back(c > 0 ? c - 1 : size - 1);
    }
  }

  // False if no ear is left before the end.
  bool clip(std::vector<Corner>& triangles) {
    Corner at = 0;
    for (std::size_t left = flat_.size(); left > 3; --left) {
      const Corner ear = find_ear(at, left);
      if (ear == kNoEar) return false;
      triangles.insert(triangles.end(), {last_[ear], ear, next_[ear]});
      next_[last_[ear]] = next_[ear];
      last_[next_[ear]] = last_[ear];
      at = next_[next_[ear]];  // continuing after its neighbour makes fewer slivers
    }
    triangles.insert(triangles.end(), {last_[at], at, next_[at]});
    return turn_at(at) >= -flat_area_;
  }

 private:
  static constexpr Corner kNoEar = UINT32_MAX;

  double turn_at(Corner c) const { return turn(flat_[last_[c]], flat_[c], flat_[next_[c]]); }

  // The first ear from `at` on that has area and nothing inside; else one on a straight line; else one that
  // is only blocked by a corner on its border.
  Corner find_ear(Corner at, std::size_t left) const {
    Corner straight = kNoEar, blocked = kNoEar;
    for (std::size_t k = 0; k < left; ++k, at = next_[at]) {
      const double area = turn_at(at);
      if (area < -flat_area_) continue;
      if (area > flat_area_ && is_empty(at)) return at;
      Corner& other = area > flat_area_ ? blocked : straight;
      if (other == kNoEar) other = at;
    }
    return straight != kNoEar ? straight : blocked;
  }

  bool is_empty(Corner ear) const {
    const std::array<Flat, 3> t{flat_[last_[ear]], flat_[ear], flat_[next_[ear]]};
    for (Corner c = next_[next_[ear]]; c != last_[ear]; c = next_[c]) {
      const Flat& p = flat_[c];
      // A seam to a hole visits the same position twice.
      const bool is_corner = std::any_of(t.begin(), t.end(), [&](const Flat& q) { return q == p; });
      if (!is_corner && turn(t[0], t[1], p) >= 0 && turn(t[1], t[2], p) >= 0 && turn(t[2], t[0], p) >= 0)
        return false;
    }
    return true;
  }

  std::span<const Flat> flat_;
  double flat_area_;
  std::vector<Corner> next_, last_;
};

// True if every triangle of the fan faces the same direction as the polygon, as in every convex polygon.
bool is_fan_good(std::span<const Vec3> points, std::span<const std::int32_t> polygon, const Vec3d& normal,
                 double flat_area) {
  const auto point = [&](std::size_t c) { return Vec3d(points[static_cast<std::size_t>(polygon[c])]); };
  const Vec3d apex = point(0);
  for (std::size_t c = 1; c + 1 < polygon.size(); ++c) {
    if (dot(cross(point(c) - apex, point(c + 1) - apex), normal) < -flat_area) return false;
  }
  return true;
}

}  // namespace

bool triangulate_polygon(std::span<const Vec3> points, std::span<const std::int32_t> polygon,
                         std::vector<std::uint32_t>& triangles) {
  if (polygon.size() <= 3) return add_fan(polygon.size(), triangles), true;
  const Vec3d area = area_vector(points, polygon);
  const double flat_area = kFlat * length(area);
  const Vec3d normal = normalized(area);
  const bool has_plane = flat_area > 0 && is_finite(normal);
  if (has_plane && is_fan_good(points, polygon, normal, flat_area))
    return add_fan(polygon.size(), triangles), true;
  if (has_plane && polygon.size() <= kMostEarCorners) {
    const std::size_t before = triangles.size();
    const std::vector<Flat> flat = flattened(points, polygon, normal);
    if (EarClipper(flat, flat_area).clip(triangles)) return true;
    triangles.resize(before);
  }
  add_fan(polygon.size(), triangles);
  return false;
}

}  // namespace dermis
