// SPDX-License-Identifier: MIT
// How far smoothing may reach on a mesh before limbs melt together.
#pragma once

#include "dermis/model.h"

namespace dermis {

// The number of mean edge lengths in 3 % of the mesh's diagonal; infinity without polygons.
double edges_in_reach(const Mesh& mesh);

}  // namespace dermis
