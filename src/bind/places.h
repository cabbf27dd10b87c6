// SPDX-License-Identifier: MIT
// What the methods of binding share: indices, and where a point stands to a segment.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "dermis/bind.h"

namespace dermis {

// For each joint its distance from `point`, into `distances`.
inline void joint_distances(const BindSkeleton& skeleton, const Vec3d& point, std::span<double> distances) {
  std::fill(distances.begin(), distances.end(), INFINITY);
  for (const JointSegment& segment : skeleton.segments) {
    double& distance = distances[at(segment.joint)];
    distance = std::min(distance, distance_to_segment(point, segment.from, segment.to));
  }
}

// The names of the nodes of some instances, a few of many, for a note.
std::string nodes_showing(const Character& character, std::span<const Index> instances);

// Refuses what no method can bind.
Status check_bindable(const BindSurface& surface, const BindSkeleton& skeleton);

}  // namespace dermis
