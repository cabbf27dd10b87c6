// SPDX-License-Identifier: MIT
// Distances between points and segments.
#include <algorithm>

#include "dermis/geometry.h"

namespace dermis {

Vec3d nearest_on_segment(const Vec3d& point, const Vec3d& a, const Vec3d& b) {
  const Vec3d along = b - a;
  const double square = dot(along, along);
  return square > 0 ? a + along * std::clamp(dot(point - a, along) / square, 0.0, 1.0) : a;
}

double distance_to_segment(const Vec3d& point, const Vec3d& a, const Vec3d& b) {
  return length(point - nearest_on_segment(point, a, b));
}

// The closest pair of points (Ericson, Real-Time Collision Detection, 5.1.9).
double distance_of_segments(const Vec3d& a, const Vec3d& a_end, const Vec3d& b, const Vec3d& b_end) {
  const Vec3d u = a_end - a, v = b_end - b, w = a - b;
  const double uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), uw = dot(u, w), vw = dot(v, w);
  const double denominator = uu * vv - uv * uv;
  double s = denominator > 1e-12 * uu * vv ? std::clamp((uv * vw - uw * vv) / denominator, 0.0, 1.0) : 0.0;
  double t = vv > 0 ? (uv * s + vw) / vv : 0.0;
  if (t < 0 || t > 1 || !(vv > 0)) {
    t = std::clamp(t, 0.0, 1.0);
    s = uu > 0 ? std::clamp((uv * t - uw) / uu, 0.0, 1.0) : 0.0;
  }
  return length(w + u * s - v * t);
}

}  // namespace dermis
