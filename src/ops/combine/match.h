// SPDX-License-Identifier: MIT
// Which joint of a garment is which joint of the body.
#pragma once

#include <vector>

#include "dermis/model.h"

namespace dermis {

// For each node of the garment, the node of the body with its name; kNone: none. Joints of the garment match
// joints of the body and their ancestors, other nodes only joints. Equal names come first, then names that
// are equal without case, punctuation, a prefix before a colon or bar, and words that all joints of a file
// begin with. If several nodes of the body have the name, the one whose parent matches; each is matched once.
std::vector<Index> match_joints(const Character& garment, const Character& body);

// Whether two skins were bound in the same pose with the same joint axes, wherever their meshes were: then
// the one follows the joints of the other unchanged. `match` is from nodes of the first to nodes of the
// second.
bool is_bound_alike(const Skin& garment, const Skin& body, const std::vector<Index>& match);

}  // namespace dermis
