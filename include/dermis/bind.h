// SPDX-License-Identifier: MIT
// Automatic weights for a mesh and a skeleton, and operations on weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dermis/base.h"
#include "dermis/deform.h"
#include "dermis/geometry.h"
#include "dermis/math.h"
#include "dermis/model.h"

namespace dermis {

// ---- Weight operations ----------------------------------------------------------------------------------

}  // namespace dermis
