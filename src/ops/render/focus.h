// SPDX-License-Identifier: MIT
// What the camera of the verb render shows: everything, or the part that --focus names.
#pragma once

#include <vector>

#include "ops/render/work.h"

namespace dermis {

// The points that a picture frames.
struct Focus {
  bool is_everything = true;
  Index node = kNone;                        // a joint, which the camera follows; kNone: a mesh
  double radius = 0;                         // around the joint, if no point follows it
  std::vector<std::vector<Index>> points{};  // of each drawn mesh
};
// The joint or mesh that the work names: a joint of a skin, else a mesh, else any node. A joint's region
// is the points that follow it by a quarter or more, and those that mostly follow its descendants, up to
// twice the distance that the former reach; an only child counts if it begins within 0.9 of that distance.
// All at rest. Errors suggest a name.
Result<Focus> find_focus(const RenderWork& work, const ShotMaker& maker, const Progress& progress,
                         Notes& notes);

// Cameras for shots that are compared with each other: they differ only in the place of the joint they
// follow.
class Framing {
 public:
  Framing(const RenderWork& work, const Focus& focus) : work_(work), focus_(focus) {}
  // Adds a shot that must be in the picture. Keeps every point (stills), or only a box (films).
  void add_points(const Shot& shot);
  void add_box(const Shot& shot);
  // The camera of a shot, or the first camera of a turntable, in pictures of this aspect ratio.
  Camera camera(const Shot& shot, double aspect) const;
  Camera turning_camera(const Shot& shot, double aspect) const;
  // The axis of a turntable passes through this point.
  Vec3d middle(const Shot& shot) const;

 private:
  // The place of the joint that the camera follows; zero: it follows nothing.
  Vec3d place(const Shot& shot) const;
  std::vector<Vec3> region(const Shot& shot) const;
  Camera placed(const std::vector<Vec3>& all, const std::vector<Vec3>& shown, const Vec3d& place,
                double aspect) const;

  const RenderWork& work_;
  const Focus& focus_;
  std::vector<Vec3> all_, shown_;  // relative to the place of their shot
};

}  // namespace dermis
