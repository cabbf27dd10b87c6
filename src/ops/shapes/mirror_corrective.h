// SPDX-License-Identifier: MIT
// The mirror images of correctives.
#pragma once

#include <string>

#include "ops/shapes/work.h"

namespace dermis {

// Adds the mirror image of a corrective under the name of the other side, with its pose in the space of the
// mirrored joints. Fails if the joints have no mirror images.
Status mirror_corrective(const std::string& name, ShapesWork& work);

}  // namespace dermis
