// SPDX-License-Identifier: MIT
// Formats for still meshes: OBJ and PLY.
#pragma once

#include <string>

#include "dermis/base.h"
#include "dermis/model.h"

namespace dermis {

// Every instance as an object with its points, normals and polygons; `still` has its points in world space.
Result<Notes> write_obj(const std::string& path, const Character& still);
// All instances as one little-endian binary vertex list; normals only where they sit on points.
Result<Notes> write_ply(const std::string& path, const Character& still);

}  // namespace dermis
