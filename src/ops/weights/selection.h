// SPDX-License-Identifier: MIT
// Which points of the chosen meshes a selection contains.
#pragma once

#include <string>
#include <vector>

#include "ops/weights/work.h"

namespace dermis {

// True if the selection is more than a list of meshes.
bool selects_points(const WeightsSelection& selection);

// The points of each chosen mesh; empty lists if the selection is only one of meshes. Coincident points of a
// mesh are selected together. An error if a name or number is wrong, or if nothing is selected.
Result<std::vector<PointChoice>> selected_points(const Character& character,
                                                 const WeightsSelection& selection,
                                                 const std::vector<ChosenMesh>& chosen,
                                                 const std::string& file);

}  // namespace dermis
