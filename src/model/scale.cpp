// SPDX-License-Identifier: MIT
// Scales the lengths of a character.
#include "dermis/model.h"

namespace dermis {
namespace {

Vec3 scaled(const Vec3& length, double factor) { return Vec3(Vec3d(length) * factor); }
float scaled(float length, double factor) { return static_cast<float>(static_cast<double>(length) * factor); }

// The lengths that a driver reads and writes.
void scale_driver(DrivenValue& driver, double factor) {
  for (DriverFactor& from : driver.factors) {
    if (from.input != DriverInput::translation) continue;
    for (DriverKey& key : from.curve.keys) {
      key.input = scaled(key.input, factor);
      key.slope = scaled(key.slope, 1 / factor);
    }
  }
  if (driver.output != DriverOutput::translation) return;
  driver.base = scaled(driver.base, factor);
  for (DriverKey& key : driver.factors.front().curve.keys) {
    key.value = scaled(key.value, factor);
    key.slope = scaled(key.slope, factor);
  }
}

}  // namespace

void scale_lengths(Character& character, double factor) {
  for (Node& node : character.nodes) {
    node.rest.translation = scaled(node.rest.translation, factor);
    if (node.rest_matrix) node.rest_matrix->translation = scaled(node.rest_matrix->translation, factor);
  }
  for (Mesh& mesh : character.meshes) {
    for (Vec3& point : mesh.points) point = scaled(point, factor);
    for (Shape& shape : mesh.shapes) {
      for (Vec3& offset : shape.offsets) offset = scaled(offset, factor);
    }
  }
  for (Skin& skin : character.skins) {
    for (Affine& bind : skin.inverse_bind) bind.translation = scaled(bind.translation, factor);
  }
  for (Clip& clip : character.clips) {
    for (Channel& channel : clip.channels) {
      if (channel.path != ChannelPath::translation) continue;
      for (float& number : channel.values) number = scaled(number, factor);
    }
  }
  for (Driver& driver : character.drivers) {
    if (auto* value = std::get_if<DrivenValue>(&driver.rule)) scale_driver(*value, factor);
  }
}

}  // namespace dermis
