// SPDX-License-Identifier: MIT
// A clip as world rotations and positions of joints, frame by frame.
#pragma once

#include <algorithm>

#include "motion/reference.h"

namespace dermis {

// From 0 to 1, smooth at both ends.
inline double smooth_step(double t) {
  t = std::clamp(t, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

struct BodySamples {
  double fps = 0;
  std::size_t frame_count = 0;
  std::vector<Index> nodes;     // sampled nodes
  std::vector<Index> slot_of;   // by node: its index in `nodes`; kNone: not sampled
  std::vector<Quatd> rotation;  // world, frame by frame
  std::vector<Vec3d> place;

  std::size_t index(std::size_t frame, Index node) const {
    return frame * nodes.size() + at(slot_of[at(node)]);
  }
  const Quatd& rotation_at(std::size_t frame, Index node) const { return rotation[index(frame, node)]; }
  const Vec3d& place_at(std::size_t frame, Index node) const { return place[index(frame, node)]; }
  Vec3d pelvis_at(std::size_t frame, const RoleMap& roles) const;
  // Keeps `count` frames from `first` on.
  void keep(std::size_t first, std::size_t count);
};

// The world rotation of a node, without scale and shear.
Quatd rotation_of(const Mat3d& linear);

// Samples the clip at `nodes`, `fps` times per second, from its first key (plus `skipped` seconds) to its
// last. Fails if there would be more than a million frames, or the work is stopped.
Result<BodySamples> sample_body(const Character& source, Index clip, double fps, double skipped,
                                const std::vector<Index>& nodes, const Progress& progress);

// Capture files often start with an extra frame before the motion: arms out, legs down, followed by a jump.
// Returns the time of the frame after it; nullopt if the clip does not start like that.
std::optional<double> time_after_t_pose(const Character& source, Index clip, const RoleMap& roles);

// Cuts out the best cycle and blends its last frame into its first, except for travel over the ground (across
// `up`). Notes which part was used.
void make_loop(BodySamples& samples, const RoleMap& roles, const Vec3d& up, double start, Notes& notes);

}  // namespace dermis
