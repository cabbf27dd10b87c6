// SPDX-License-Identifier: MIT
// How far two sets of points are apart, in order or by nearest points.
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "dermis/geometry.h"
#include "dermis/measure.h"

namespace dermis {
namespace {

constexpr std::size_t kDistanceGrain = 4096;

Status check_points(std::span<const Vec3> points, const char* which) {
  if (points.empty()) return Error{Errc::bad_argument, fmt::format("the {} set has no points", which)};
  for (std::size_t v = 0; v < points.size(); ++v) {
    if (is_finite(points[v])) continue;
    return Error{Errc::bad_argument, fmt::format("point {} of the {} set is not finite", v, which)};
  }
  return Done{};
}

std::vector<double> distances_in_order(std::span<const Vec3> a, std::span<const Vec3> b) {
  std::vector<double> distances(a.size());
  parallel_for(a.size(), kDistanceGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) distances[v] = length(Vec3d(a[v]) - Vec3d(b[v]));
  });
  return distances;
}

// From a to b, then from b to a.
std::vector<double> distances_to_nearest(std::span<const Vec3> a, std::span<const Vec3> b) {
  std::vector<double> distances;
  distances.reserve(a.size() + b.size());
  for (const Nearest& nearest : nearest_points(a, b)) distances.push_back(nearest.distance);
  for (const Nearest& nearest : nearest_points(b, a)) distances.push_back(nearest.distance);
  return distances;
}

}  // namespace

Result<PointDistance> point_distance(std::span<const Vec3> a, std::span<const Vec3> b) {
  return without_throwing("comparing points", [&]() -> Result<PointDistance> {
    if (Status s = check_points(a, "first"); !s) return s.error();
    if (Status s = check_points(b, "second"); !s) return s.error();
    PointDistance result;
    result.in_order = a.size() == b.size();
    const std::vector<double> distances =
        result.in_order ? distances_in_order(a, b) : distances_to_nearest(a, b);
    // Summed on one thread: the order of a sum is part of its bytes.
    double sum = 0, sum_of_squares = 0;
    for (std::size_t k = 0; k < distances.size(); ++k) {
      sum += distances[k];
      sum_of_squares += distances[k] * distances[k];
      if (distances[k] <= result.max) continue;
      result.max = distances[k];
      result.is_worst_in_second = k >= a.size();
      result.worst = result.is_worst_in_second ? k - a.size() : k;
    }
    const double count = static_cast<double>(distances.size());
    result.mean = sum / count;
    result.rms = std::sqrt(sum_of_squares / count);
    Box box;
    for (const Vec3& point : a) box.add(Vec3d(point));
    result.diagonal = box.diagonal();
    return result;
  });
}

}  // namespace dermis
