// SPDX-License-Identifier: MIT
// How far one sequence of frames is from another, in the measures of the literature.
#include <fmt/format.h>

#include <cmath>

#include "dermis/measure.h"
#include "measure/sum.h"

namespace dermis {
namespace {

Status check_sizes(std::span<const Vec3> truth, std::span<const Vec3> result, std::size_t point_count) {
  if (truth.size() != result.size()) {
    return Error{Errc::bad_argument,
                 fmt::format("the sequences have {} and {} points in total, over all frames", truth.size(),
                             result.size())};
  }
  if (point_count == 0 || truth.empty() || truth.size() % point_count != 0) {
    return Error{Errc::bad_argument,
                 fmt::format("{} points are not whole frames of {}", truth.size(), point_count)};
  }
  return Done{};
}

Status check_finite(std::span<const Vec3> points, std::size_t point_count, const char* which) {
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (is_finite(points[k])) continue;
    return Error{Errc::bad_argument, fmt::format("point {} in frame {} of the {} is not finite",
                                                 k % point_count, k / point_count, which)};
  }
  return Done{};
}

double squared(const Vec3d& v) { return dot(v, v); }

// The square of |A - E(A)|, with E(A) the mean position of each frame.
double squared_about_means(std::span<const Vec3> truth, std::size_t point_count) {
  const auto about_mean = [&](std::size_t f) {
    const std::span<const Vec3> frame = truth.subspan(f * point_count, point_count);
    Vec3d mean;
    for (const Vec3& p : frame) mean += Vec3d(p);
    mean *= 1 / static_cast<double>(point_count);
    double sum = 0;
    for (const Vec3& p : frame) sum += squared(Vec3d(p) - mean);
    return sum;
  };
  return ordered_sum(truth.size() / point_count, about_mean, 1);
}

}  // namespace

Result<SequenceError> sequence_error(std::span<const Vec3> truth, std::span<const Vec3> result,
                                     std::span<const Vec3> rest) {
  return without_throwing("comparing sequences", [&]() -> Result<SequenceError> {
    if (Status s = check_sizes(truth, result, rest.size()); !s) return s.error();
    if (Status s = check_finite(truth, rest.size(), "truth"); !s) return s.error();
    if (Status s = check_finite(result, rest.size(), "result"); !s) return s.error();
    if (Status s = check_finite(rest, rest.size(), "rest pose"); !s) return s.error();
    SequenceError error;
    Box box;
    for (const Vec3& p : rest) box.add(Vec3d(p));
    error.diagonal = box.diagonal();
    if (!(error.diagonal > 0))
      return Error{Errc::bad_argument, "the points of the rest pose lie in one place: it has no size"};
    const auto square = [&](std::size_t k) { return squared(Vec3d(truth[k]) - Vec3d(result[k])); };
    const double sum = ordered_sum(truth.size(), square);
    const auto count = static_cast<double>(truth.size());
    error.rmse = std::sqrt(sum / count);
    error.mean = ordered_sum(truth.size(), [&](std::size_t k) { return std::sqrt(square(k)); }) / count;
    error.e_rms = 1000 * std::sqrt(sum / (3 * count)) / (error.diagonal / 2);
    const double spread = squared_about_means(truth, rest.size());
    error.kg = spread > 0 ? 100 * std::sqrt(sum / spread) : 0;
    double largest = 0;
    for (std::size_t k = 0; k < truth.size(); ++k) {
      if (square(k) <= largest) continue;
      largest = square(k);
      error.frame = k / rest.size();
      error.point = k % rest.size();
    }
    error.max = std::sqrt(largest);
    return error;
  });
}

}  // namespace dermis
