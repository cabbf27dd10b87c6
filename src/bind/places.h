// SPDX-License-Identifier: MIT
// What the binding methods share: distances from segments, names for notes, and checks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "dermis/bind.h"

namespace dermis {

// Writes the distance of each joint from `point` into `distances`.
inline void joint_distances(const BindSkeleton& skeleton, const Vec3d& point, std::span<double> distances) {
  std::fill(distances.begin(), distances.end(), INFINITY);
  for (const JointSegment& segment : skeleton.segments) {
    double& distance = distances[at(segment.joint)];
    distance = std::min(distance, distance_to_segment(point, segment.from, segment.to));
  }
}

// The nodes of all skins, rising; without skins, all nodes that show no mesh.
std::vector<Index> joints_of(const Character& skeleton);

// The clips of a skeleton with the channels of nodes only: those of shapes and controls, which stay behind
// with its meshes, are counted in a note. Clips without other channels are left out.
std::vector<Clip> clips_of_joints(const Character& skeleton, Notes& notes);

// The names of the first few nodes of some instances, for a note.
std::string nodes_showing(const Character& character, std::span<const Index> instances);

// The surface's own sorted triangles, or new ones.
Result<std::shared_ptr<const RayTree>> rays_of(const BindSurface& surface, const Progress& progress);

// Fails if there is no joint or no point.
Status check_bindable(const BindSurface& surface, const BindSkeleton& skeleton);

}  // namespace dermis
