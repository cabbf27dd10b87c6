// SPDX-License-Identifier: MIT
// Finds polygons that use a picture but have no texture coordinates, which glTF does not allow.
#include "io/placed_pictures.h"

#include <fmt/format.h>

namespace dermis {
namespace {

bool has_pictures(const Material& material) {
  return material.base_colour_image != kNone || material.normal_image != kNone ||
         material.emission_image != kNone;
}

void drop_pictures(Material& material) {
  material.base_colour_image = material.normal_image = material.emission_image = kNone;
}

}  // namespace

// By material and not by the number of the part: splitting a mesh merges the parts of one material.
Index PlacedMaterials::of(const Mesh& mesh, const MeshPart& part) const {
  return part.material != kNone && mesh.uvs.empty() ? bare[at(part.material)] : part.material;
}

PlacedMaterials placed_materials(const Character& character, Notes& notes) {
  const std::size_t count = character.materials.size();
  PlacedMaterials placed{character.materials, {}};
  std::vector<Index>& bare = placed.bare;
  bare.resize(count);
  std::vector<bool> is_placed(count), is_unplaced(count);
  for (const Mesh& mesh : character.meshes) {
    for (const MeshPart& part : mesh.parts) {
      if (part.material == kNone) continue;
      (mesh.uvs.empty() ? is_unplaced : is_placed)[static_cast<std::size_t>(part.material)] = true;
    }
  }
  for (std::size_t m = 0; m < count; ++m) {
    bare[m] = static_cast<Index>(m);
    if (!is_unplaced[m] || !has_pictures(character.materials[m])) continue;
    if (is_placed[m]) {
      bare[m] = static_cast<Index>(placed.materials.size());
      placed.materials.push_back(character.materials[m]);
    }
    drop_pictures(placed.materials[static_cast<std::size_t>(bare[m])]);
    notes.push_back(
        {Note::Kind::loss, "pictures-unplaced",
         fmt::format("material {}: its pictures were removed from meshes that have no texture coordinates",
                     quoted_name(character.materials[m].name))});
  }
  return placed;
}

}  // namespace dermis
