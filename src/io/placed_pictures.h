// SPDX-License-Identifier: MIT
// Pictures need texture coordinates: materials without them for polygons that have none.
#pragma once

#include <vector>

#include "dermis/base.h"
#include "dermis/model.h"

namespace dermis {

struct PlacedMaterials {
  // Those of the character, without pictures where none of the polygons that use them has texture
  // coordinates; then copies without pictures for the polygons that have none, where others do.
  std::vector<Material> materials;
  std::vector<std::vector<Index>> of_part;  // for each mesh, the material of each of its parts
};
// What is left out is said in `notes`. Of what it gave, it gives the same again without a note.
PlacedMaterials placed_materials(const Character& character, Notes& notes);

}  // namespace dermis
