// SPDX-License-Identifier: MIT
// What the methods of binding share: indices, and where a point stands to a segment.
#pragma once

#include <algorithm>
#include <cstddef>

#include "dermis/bind.h"

namespace dermis {

inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// The point of the segment that is nearest to `point`.
inline Vec3d nearest_on(const JointSegment& segment, const Vec3d& point) {
  const Vec3d along = segment.to - segment.from;
  const double square = dot(along, along);
  const double t = square > 0 ? std::clamp(dot(point - segment.from, along) / square, 0.0, 1.0) : 0.0;
  return segment.from + along * t;
}

// For each joint its distance from `point`, into `distances`.
inline void joint_distances(const BindSkeleton& skeleton, const Vec3d& point, std::span<double> distances) {
  std::fill(distances.begin(), distances.end(), INFINITY);
  for (const JointSegment& segment : skeleton.segments) {
    double& distance = distances[at(segment.joint)];
    distance = std::min(distance, length(point - nearest_on(segment, point)));
  }
}

// Refuses what no method can bind.
Status check_bindable(const BindSurface& surface, const BindSkeleton& skeleton);

}  // namespace dermis
