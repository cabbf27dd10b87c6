// SPDX-License-Identifier: MIT
// The contact surface of a foot: the points that may be lowest, and what moves them.
#pragma once

#include <cmath>

#include "motion/moved_body.h"

namespace dermis {

// A point of a surface, posed by linear blending.
struct SolePoint {
  struct Part {
    Index node = kNone;
    double weight = 1;
    Vec3d place;  // in the frame of the node
  };
  std::vector<Part> parts;

  Vec3d place(const MovedBody& body) const;
};

// A node's descendants, down to the next part, as far as they are between two heights and near the node.
struct SolePart {
  Index top = kNone;
  double below = INFINITY;
  double above = -INFINITY;
  double within = INFINITY;
};
// For each part, the points of the surface that move mostly with it: those that reach furthest down and to
// the sides of `up` in the pose of `body`. One of them is the lowest, or nearly so, however the part is
// rotated, unless it is upside down. None if a part moves no surface. Linear in the points of the meshes.
std::vector<std::vector<SolePoint>> find_soles(const Character& character, const MovedBody& body,
                                               std::span<const SolePart> parts, const Vec3d& up);
// The same for parts that may turn over: the points that reach furthest to all sides. If the character has a
// skin, only its points count: hats and staffs do not carry a body.
std::vector<std::vector<SolePoint>> find_outlines(const Character& character, const MovedBody& body,
                                                  std::span<const SolePart> parts, const Vec3d& up);

}  // namespace dermis
