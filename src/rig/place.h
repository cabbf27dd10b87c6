// SPDX-License-Identifier: MIT
// From a placing of branches and ends to all joints of a template.
#pragma once

#include <vector>

#include "rig/embed.h"

namespace dermis {

struct PlacedJoint {
  bool is_there = false;
  Vec3d at;
  double radius = 0;       // of the limb around it
  bool is_hidden = false;  // by clothes, and so placed by proportion
};
// One for each joint of the template. Pinned joints stay where they are pinned. With `turns_feet`, feet that
// end at their backs end at their fronts instead: not while placings are compared, because where feet end
// shows which way a body faces.
std::vector<PlacedJoint> place_joints(const RigTemplate& rig, const ReducedTemplate& reduced,
                                      const BodySolid& body, const BodyGraph& graph,
                                      std::span<const BodyMirror> mirrors, const Embedding& embedding,
                                      std::span<const Pin> pins, bool turns_feet = false);

}  // namespace dermis
