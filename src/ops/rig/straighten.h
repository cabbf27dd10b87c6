// SPDX-License-Identifier: MIT
// Straightens a body that was just bound, and measures what that did to its surface.
#pragma once

#include <optional>

#include "dermis/ops/rig.h"

namespace dermis {

// Replaces the character by one that rests in a T-pose or an A-pose, and fills report.straight, with notes
// and doubts. A body whose limbs are not known stays as it is, with a doubt.
Status straighten_rig(StraightArms arms, std::optional<bool> is_four_legged, Character& character,
                      const Progress& progress, RigReport& report);

// Another reason to doubt the result; an empty one is none.
void add_doubt(const std::string& doubt, RigReport& report);

}  // namespace dermis
