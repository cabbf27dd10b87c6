// SPDX-License-Identifier: MIT
// Fingers of a hand, found in cells of their own.
#pragma once

#include <string>
#include <vector>

#include "dermis/rig.h"
#include "rig/graph.h"
#include "rig/pieces.h"

namespace dermis {

// A hand of a body, and where its arm is.
struct HandPlace {
  Vec3d elbow, wrist, tip;
  double radius = 0;  // of the wrist
};
// A finger: its joints from the palm outwards, then its end.
struct Finger {
  std::string name;  // "index"
  struct Joint {
    Vec3d at;
    double radius = 0;
  };
  std::vector<Joint> joints;
};
// The fingers of a hand, thumb first; none if it has fewer than two that stick out by more than their
// thickness: fists, mittens, stumps. The surface beyond the wrist is filled with finer cells than the body.
// `front` is that of the body: where no finger looks like a thumb, the first finger lies there.
Result<std::vector<Finger>> find_fingers(const BodySurface& surface, const BodySolid& body,
                                         const HandPlace& hand, const Vec3d& front,
                                         const Progress& progress = {});

}  // namespace dermis
