// SPDX-License-Identifier: MIT
// A skeleton without a template: the curves in the middle of a body.
#pragma once

#include <span>
#include <vector>

#include "dermis/rig.h"
#include "rig/graph.h"

namespace dermis {

// From the middle of the body to the end of every limb. Joints are named root, body_1 and so on where limbs
// share a path, then limb_1_1, limb_1_2 to limb_1_end, the most prominent limb first; limbs that mirror each
// other share a number and end in _L and _R, left being the side that the normal of the first mirror plane
// points to.
std::vector<FoundJoint> extract_joints(const BodySolid& body, std::span<const BodyMirror> mirrors);

}  // namespace dermis
