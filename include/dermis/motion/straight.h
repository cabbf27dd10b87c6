// SPDX-License-Identifier: MIT
// The straight rest pose of a body that was modelled or captured in another one.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "dermis/motion.h"

namespace dermis {

// Arms point to the sides, level or 45 degrees down.
enum class StraightArms : std::uint8_t { t, a };
// "T-pose", "A-pose".
const char* name_of(StraightArms arms);

struct StraightBody {
  std::vector<Node> nodes;    // those of the character, with the straight rest
  double largest_turn = 0;    // degrees, of a joint in the world
  Index most_turned = kNone;  // that joint; kNone: none turned
  double largest_bend = 0;    // degrees, of a joint relative to its parent
  Index most_bent = kNone;    // that joint
  bool is_four_legged = false;
  std::vector<Index> feet;  // ankles whose soles were made level, by the surface
};
// Arms, legs, feet, hands, fingers, trunk and head of a body in the world space of its rest pose, +Y up. The
// bones of arms lie on one line, across the body or 45 degrees down; those of legs point straight down, feet
// ahead, with level soles (the longest edge below the points that follow a foot); bones of trunk and neck
// stand upright, with the chest as wide across as the hips; the head keeps a small tilt. Elbows and knees
// that are bent determine how upper arms and thighs twist; palms face down if fingers are mapped, fingers are
// extended in the plane of the palm. Bodies on four legs: a level trunk, legs with the bends of the
// straighter one of each pair, paws of all four at one height. Lengths of bones do not change, the lowest
// sole keeps its height, and both sides get the same directions, mirrored; joints without a role follow their
// parents. What the body faces is kept, but turned to an axis of the world within 15 degrees. Same bytes on
// any machine except for rounding. Fails if hips, or both pairs of limbs, have no role, or if hands or feet
// hang from the root, as in control rigs. `is_four_legged`: if known; otherwise found from names and places.
Result<StraightBody> straight_body(const Character& character, const RoleMap& roles, StraightArms arms,
                                   std::optional<bool> is_four_legged = {});

}  // namespace dermis
