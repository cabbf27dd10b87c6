// SPDX-License-Identifier: MIT
// Converts a character to metres, the unit of glTF.
#include "io/gltf/builder.h"

namespace dermis {
namespace {

void scale_mesh(Mesh& mesh, float factor) {
  for (Vec3& point : mesh.points) point = point * factor;
  for (Shape& shape : mesh.shapes) {
    for (Vec3& offset : shape.offsets) offset = offset * factor;
  }
}

}  // namespace

Character in_metres(Character character) {
  const auto factor = static_cast<float>(character.metres_per_unit);
  character.metres_per_unit = 1;
  for (Node& node : character.nodes) {
    node.rest.translation = node.rest.translation * factor;
    if (node.rest_matrix) node.rest_matrix->translation = node.rest_matrix->translation * factor;
  }
  for (Mesh& mesh : character.meshes) scale_mesh(mesh, factor);
  for (Skin& skin : character.skins) {
    for (Affine& bind : skin.inverse_bind) bind.translation = bind.translation * factor;
  }
  for (Clip& clip : character.clips) {
    for (Channel& channel : clip.channels) {
      if (channel.path != ChannelPath::translation) continue;
      for (float& number : channel.values) number *= factor;
    }
  }
  return character;
}

}  // namespace dermis
