// SPDX-License-Identifier: MIT
// Converts a character to metres, the unit of glTF.
#include <fmt/format.h>

#include "io/gltf/builder.h"

namespace dermis {
Character in_metres(Character character) {
  scale_lengths(character, character.metres_per_unit);
  character.metres_per_unit = 1;
  return character;
}

void note_unscaled_parts(const GltfDocument& document, Notes& notes) {
  const auto note = [&](const Json& owner, const char* list, const char* what) {
    if (!owner.is_object() || !owner.contains(list) || owner[list].empty()) return;
    notes.push_back(
        {Note::Kind::loss, "not-scaled", fmt::format("{} were not scaled with the rest of the file", what)});
  };
  const Json& json = document.json;
  note(json, "cameras", "the clipping planes of cameras");
  if (!json.contains("extensions") || !json["extensions"].is_object()) return;
  const Json& extensions = json["extensions"];
  if (extensions.contains("KHR_lights_punctual"))
    note(extensions["KHR_lights_punctual"], "lights", "the ranges of lights");
}

}  // namespace dermis
