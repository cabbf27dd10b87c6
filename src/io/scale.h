// SPDX-License-Identifier: MIT
// A character in another unit of length.
#pragma once

#include "dermis/model.h"

namespace dermis {

// Multiplies every length: points, shapes, rests, inverse binds and translation keys. Posing the result is
// scaling the posed character. `metres_per_unit` stays.
void scale_lengths(Character& character, float factor);

}  // namespace dermis
