// SPDX-License-Identifier: MIT
// Possible orientations of a body: planes of symmetry, and frames worth trying.
#pragma once

#include <optional>
#include <vector>

#include "dermis/rig.h"
#include "rig/graph.h"

namespace dermis {

// The planes of symmetry of the body, best first; often none. Perpendicular to an axis, else containing one.
std::vector<BodyMirror> find_mirrors(const BodySolid& body);

// A hypothesis about the body's orientation.
struct BodyFrame {
  Mat3d axes;                // columns: left, up, front
  int plane = -1;            // index of the mirror plane across `left`; -1: none is used
  bool is_mirrored = false;  // left and right of the template are swapped: for templates without sides
  int root_end = -1;         // the limb end of the first joint, if the frame starts from one
  double up_doubt = 0;       // cost of this up
  double doubt = 0;          // cost of the hypothesis, with that of its up
};
struct FrameChoice {
  std::optional<Vec3d> up, front;
};
std::vector<BodyFrame> guess_frames(const BodySolid& body, std::span<const BodyMirror> mirrors, bool is_free,
                                    const FrameChoice& choice);

}  // namespace dermis
