// SPDX-License-Identifier: MIT
// Decides whether two triangles cross, by exact signs only.
#include <algorithm>
#include <array>

#include "geometry/predicates.h"

namespace dermis {
namespace {

using Triangle = SurfaceMesh::Triangle;
using Corners = std::array<Vec3, 3>;

bool is_within(const Vec2d& p, const std::array<Vec2d, 3>& t) {
  const int a = orientation(t[0], t[1], p), b = orientation(t[1], t[2], p), c = orientation(t[2], t[0], p);
  return !(std::min({a, b, c}) < 0 && std::max({a, b, c}) > 0);
}

// For p on the line through a and b.
bool is_between(const Vec2d& p, const Vec2d& a, const Vec2d& b) {
  return std::min(a.x, b.x) <= p.x && p.x <= std::max(a.x, b.x) && std::min(a.y, b.y) <= p.y &&
         p.y <= std::max(a.y, b.y);
}

bool do_segments_meet(const Vec2d& p, const Vec2d& q, const Vec2d& a, const Vec2d& b) {
  const int pa = orientation(a, b, p), qa = orientation(a, b, q);
  const int ap = orientation(p, q, a), bp = orientation(p, q, b);
  if (pa * qa < 0 && ap * bp < 0) return true;
  return (pa == 0 && is_between(p, a, b)) || (qa == 0 && is_between(q, a, b)) ||
         (ap == 0 && is_between(a, p, q)) || (bp == 0 && is_between(b, p, q));
}

// All in one plane.
bool does_plane_segment_meet(const Vec3& p, const Vec3& q, const Corners& t) {
  const int axis = facing_axis(t[0], t[1], t[2]);
  const Vec2d p2 = dropped(p, axis), q2 = dropped(q, axis);
  const std::array<Vec2d, 3> t2{dropped(t[0], axis), dropped(t[1], axis), dropped(t[2], axis)};
  if (is_within(p2, t2) || is_within(q2, t2)) return true;
  return do_segments_meet(p2, q2, t2[0], t2[1]) || do_segments_meet(p2, q2, t2[1], t2[2]) ||
         do_segments_meet(p2, q2, t2[2], t2[0]);
}

// True if the segment from p to q and the triangle have a common point; `side` is relative to its plane.
bool does_segment_meet(const Vec3& p, const Vec3& q, int side_p, int side_q, const Corners& t) {
  if (side_p * side_q > 0) return false;
  if (side_p == 0 && side_q == 0) return does_plane_segment_meet(p, q, t);
  // The line crosses the plane once: inside, if it passes all edges on the same side.
  const int a = orientation(p, q, t[0], t[1]), b = orientation(p, q, t[1], t[2]);
  if (a * b < 0) return false;
  const int c = orientation(p, q, t[2], t[0]);
  return a * c >= 0 && b * c >= 0;
}

std::array<int, 3> sides_of(const Corners& s, const Corners& t) {
  return {orientation(t[0], t[1], t[2], s[0]), orientation(t[0], t[1], t[2], s[1]),
          orientation(t[0], t[1], t[2], s[2])};
}

bool is_on_one_side(const std::array<int, 3>& sides) {
  return sides[0] != 0 && sides[0] == sides[1] && sides[1] == sides[2];
}

// Two triangles meet where an edge of one meets the other.
bool do_apart_meet(const Corners& s, const Corners& t) {
  const std::array<int, 3> of_s = sides_of(s, t);
  if (is_on_one_side(of_s)) return false;
  const std::array<int, 3> of_t = sides_of(t, s);
  if (is_on_one_side(of_t)) return false;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t next = (k + 1) % 3;
    if (does_segment_meet(s[k], s[next], of_s[k], of_s[next], t)) return true;
    if (does_segment_meet(t[k], t[next], of_t[k], of_t[next], s)) return true;
  }
  return false;
}

// The first corner of both is the same point. Any further intersection extends from there until it leaves one
// of them through the opposite edge.
bool do_from_corner_meet(const Corners& s, const Corners& t) {
  const int s1 = orientation(t[0], t[1], t[2], s[1]), s2 = orientation(t[0], t[1], t[2], s[2]);
  if (s1 * s2 > 0) return false;
  const int t1 = orientation(s[0], s[1], s[2], t[1]), t2 = orientation(s[0], s[1], s[2], t[2]);
  if (t1 * t2 > 0) return false;
  return does_segment_meet(s[1], s[2], s1, s2, t) || does_segment_meet(t[1], t[2], t1, t2, s);
}

// The edge a b is common; c and d are the other corners.
bool is_folded(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  if (orientation(a, b, c, d) != 0) return false;
  const int axis = facing_axis(a, b, c);
  const Vec2d a2 = dropped(a, axis), b2 = dropped(b, axis);
  return orientation(a2, b2, dropped(c, axis)) == orientation(a2, b2, dropped(d, axis));
}

}  // namespace

bool do_triangles_cross(std::span<const Vec3> points, const Triangle& s, const Triangle& t) {
  // The corners of t that are also in s, and their indices.
  std::array<std::size_t, 3> in_s{}, in_t{};
  std::size_t shared = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      if (s[i] != t[j]) continue;
      in_s[shared] = i;
      in_t[shared++] = j;
      break;
    }
  }
  const auto corner = [&](const Triangle& of, std::size_t k) { return points[of[k % 3]]; };
  switch (shared) {
    case 0:
      return do_apart_meet({corner(s, 0), corner(s, 1), corner(s, 2)},
                           {corner(t, 0), corner(t, 1), corner(t, 2)});
    case 1:
      return do_from_corner_meet({corner(s, in_s[0]), corner(s, in_s[0] + 1), corner(s, in_s[0] + 2)},
                                 {corner(t, in_t[0]), corner(t, in_t[0] + 1), corner(t, in_t[0] + 2)});
    case 2:
      return is_folded(corner(s, in_s[0]), corner(s, in_s[1]), corner(s, 3 - in_s[0] - in_s[1]),
                       corner(t, 3 - in_t[0] - in_t[1]));
    default:
      return true;
  }
}

}  // namespace dermis
