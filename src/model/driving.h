// SPDX-License-Identifier: MIT
// The faults of drivers, rules of shapes and pose spaces, for validate.
#pragma once

#include "dermis/model.h"

namespace dermis {

// The first broken invariant. Nodes, meshes and controls must be valid.
Status check_driving(const Character& character);

// "bulge -> breathe -> bulge", for the drivers of a cycle.
std::string cycle_words(const Character& character, std::span<const Index> cycle);

}  // namespace dermis
