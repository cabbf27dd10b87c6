// SPDX-License-Identifier: MIT
// The mirror images of correctives, and the names that correctives may have.
#pragma once

#include <string>

#include "ops/shapes/work.h"

namespace dermis {

// Adds the mirror image of a corrective under the name of the other side, with its pose in the space of the
// mirrored joints. Fails if the joints have no mirror images, or if that name is taken
// (check_corrective_name).
Status mirror_corrective(const std::string& name, ShapesWork& work);

// Fails if `name` is that of a shape that is not a corrective of `space`, which is one of the character's.
Status check_corrective_name(const Character& character, const std::string& name, const PoseSpace& space);

}  // namespace dermis
