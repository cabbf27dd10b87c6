// SPDX-License-Identifier: MIT
// Controls, drivers, rules of shapes and pose spaces in asset.extras.dermis, as docs/drivers.md describes
// them.
#pragma once

#include <array>

#include "dermis/model.h"
#include "io/fingerprint.h"
#include "io/gltf/reader.h"

namespace dermis {

// A list of asset.extras.dermis.
struct DrivingPart {
  const char* key;  // "drivers"
  Json (*json)(const Character& character);
  bool (*is_same)(const CharacterPrint& given, const Character& character);
};
extern const std::array<DrivingPart, 4> kDrivingParts;

// Before clips, which have keys of controls. False after a fault.
bool read_controls(GltfReader& reader, Character& character);
// After all that drivers refer to. What cannot be used is left out, with a note. False after a fault.
bool read_driving(GltfReader& reader, Character& character);

}  // namespace dermis
