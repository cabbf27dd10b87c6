// SPDX-License-Identifier: MIT
// Which way a body may stand: planes of symmetry, and frames worth trying.
#pragma once

#include <optional>
#include <vector>

#include "dermis/rig.h"
#include "rig/graph.h"

namespace dermis {

// The planes in which the body is its own mirror image, best first; often none. Across an axis, else upright
// on one.
std::vector<BodyMirror> find_mirrors(const BodySolid& body);

// A guess at how the body stands.
struct BodyFrame {
  Mat3d axes;                // columns: left, up, front
  int plane = -1;            // of the mirror planes, across `left`; -1: none is used
  bool is_mirrored = false;  // left and right of the template are exchanged: for templates without sides
  int root_end = -1;         // the limb end that the first joint is at, where a frame goes out from one
  double doubt = 0;          // cost of believing it
};
struct FrameChoice {
  std::optional<Vec3d> up, front;
};
std::vector<BodyFrame> guess_frames(const BodySolid& body, std::span<const BodyMirror> mirrors, bool is_free,
                                    const FrameChoice& choice);

}  // namespace dermis
