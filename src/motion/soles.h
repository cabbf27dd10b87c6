// SPDX-License-Identifier: MIT
// The surface of a foot as the floor feels it: the points that may come lowest, and what moves them.
#pragma once

#include <cmath>

#include "motion/moved_body.h"

namespace dermis {

// A point of a surface, blended linearly from where its joints take it.
struct SolePoint {
  struct Part {
    Index node = kNone;
    double weight = 1;
    Vec3d place;  // in the frame of the node
  };
  std::vector<Part> parts;

  Vec3d place(const MovedBody& body) const;
};

// What hangs from a node, down to the next part, as far as it lies below a height.
struct SolePart {
  Index top = kNone;
  double below = INFINITY;
};
// For each part the points of the surface that move mostly with it: those that reach furthest down and to the
// sides of `up` as `body` is posed. One of them is the lowest, or nearly so, however the part is turned,
// unless it stands on its head. None where a part moves no surface. Linear in the points of the meshes.
std::vector<std::vector<SolePoint>> find_soles(const Character& character, const MovedBody& body,
                                               std::span<const SolePart> parts, const Vec3d& up);

}  // namespace dermis
