// SPDX-License-Identifier: MIT
// Points and polygons without joints: normals, adjacency, nearest points, isosurfaces.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "dermis/base.h"
#include "dermis/math.h"

namespace dermis {}  // namespace dermis
