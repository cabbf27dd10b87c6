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
  std::vector<Index>
      bare;  // for each material of the character, the one for meshes without texture coordinates
  // The material of a part of `mesh`, which may have been split since; kNone if the part has none.
  Index of(const Mesh& mesh, const MeshPart& part) const;
};
// Notes list the removed pictures. Idempotent: a second call changes nothing and adds no note.
PlacedMaterials placed_materials(const Character& character, Notes& notes);

}  // namespace dermis
