// SPDX-License-Identifier: MIT
// Compares how far the trunk leans before and after retargeting.
#include <algorithm>
#include <cmath>

#include "motion/moved_body.h"

namespace dermis {
namespace {

// How far a rotation leans a direction away from itself, in degrees.
double lean(const Quatd& turned, const Vec3d& up) {
  return degrees_from_radians(std::acos(std::clamp(dot(rotate(turned, up), up), -1.0, 1.0)));
}

}  // namespace

double median_tilt(const TrunkTilt& trunk, const BodySamples& samples, MovedBody& body,
                   const std::vector<BodyFramePose>& frames) {
  std::vector<double> apart;
  apart.reserve(frames.size());
  for (std::size_t frame = 0; frame < frames.size(); ++frame) {
    body.pose(frames[frame]);
    const double there =
        lean(samples.rotation_at(frame, trunk.source) * conjugate(trunk.source_start), trunk.source_up);
    const double here = lean(body.rotation(trunk.target) * conjugate(trunk.target_rest), {0, 1, 0});
    apart.push_back(std::abs(here - there));
  }
  if (apart.empty()) return 0;
  const auto middle = apart.begin() + static_cast<std::ptrdiff_t>(apart.size() / 2);
  std::nth_element(apart.begin(), middle, apart.end());
  return *middle;
}

}  // namespace dermis
