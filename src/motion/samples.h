// SPDX-License-Identifier: MIT
// A clip as rotations and places of joints in the world, frame after frame.
#pragma once

#include <algorithm>

#include "motion/reference.h"

namespace dermis {

// From 0 to 1 without a jolt at either end.
inline double smooth_step(double t) {
  t = std::clamp(t, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

struct BodySamples {
  double fps = 0;
  std::size_t frame_count = 0;
  std::vector<Index> nodes;     // that were sampled
  std::vector<Index> slot_of;   // by node: its place in `nodes`, kNone: not sampled
  std::vector<Quatd> rotation;  // world, frame after frame
  std::vector<Vec3d> place;

  std::size_t index(std::size_t frame, Index node) const {
    return frame * nodes.size() + at(slot_of[at(node)]);
  }
  const Quatd& rotation_at(std::size_t frame, Index node) const { return rotation[index(frame, node)]; }
  const Vec3d& place_at(std::size_t frame, Index node) const { return place[index(frame, node)]; }
  Vec3d pelvis_at(std::size_t frame, const RoleMap& roles) const;
  // The frames from `first` on, `count` of them.
  void keep(std::size_t first, std::size_t count);
};

// The world rotation of a node, scale and shear taken out.
Quatd rotation_of(const Mat3d& linear);

// The clip `fps` times a second from its first key (plus `skipped` seconds) to its last, at `nodes`. Fails
// when there would be more than a million frames, or the work is stopped.
Result<BodySamples> sample_body(const Character& source, Index clip, double fps, double skipped,
                                const std::vector<Index>& nodes, const Progress& progress);

// Capture files often start with a frame that was put before the motion: arms out, legs down, followed by a
// jump. The time of the frame after it; nothing where the clip does not start so.
std::optional<double> time_after_t_pose(const Character& source, Index clip, const RoleMap& roles);

// The best cycle, cut out, its last frame blended into its first but for the way over the ground (across
// `up`). Says in `notes` what was taken.
void make_loop(BodySamples& samples, const RoleMap& roles, const Vec3d& up, double start, Notes& notes);

}  // namespace dermis
