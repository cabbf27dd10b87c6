// SPDX-License-Identifier: MIT
// Pictures need texture coordinates: makes materials without pictures for polygons that have none.
#pragma once

#include <vector>

#include "dermis/base.h"
#include "dermis/model.h"

namespace dermis {

struct PlacedMaterials {
  // The character's materials, without pictures if none of the polygons that use them has texture
  // coordinates; then, if only some polygons have none, copies without pictures for those.
  std::vector<Material> materials;
  std::vector<std::vector<Index>> of_part;  // for each mesh, the material of each of its parts
};
// Notes list the removed pictures. Idempotent: a second call changes nothing and adds no note.
PlacedMaterials placed_materials(const Character& character, Notes& notes);

}  // namespace dermis
