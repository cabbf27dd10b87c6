// SPDX-License-Identifier: MIT
// Scales the lengths of a character.
#include "io/scale.h"

namespace dermis {

void scale_lengths(Character& character, float factor) {
  for (Node& node : character.nodes) {
    node.rest.translation = node.rest.translation * factor;
    if (node.rest_matrix) node.rest_matrix->translation = node.rest_matrix->translation * factor;
  }
  for (Mesh& mesh : character.meshes) {
    for (Vec3& point : mesh.points) point = point * factor;
    for (Shape& shape : mesh.shapes) {
      for (Vec3& offset : shape.offsets) offset = offset * factor;
    }
  }
  for (Skin& skin : character.skins) {
    for (Affine& bind : skin.inverse_bind) bind.translation = bind.translation * factor;
  }
  for (Clip& clip : character.clips) {
    for (Channel& channel : clip.channels) {
      if (channel.path != ChannelPath::translation) continue;
      for (float& number : channel.values) number *= factor;
    }
  }
}

}  // namespace dermis
