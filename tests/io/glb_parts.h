// SPDX-License-Identifier: MIT
// A GLB taken apart, and its JSON with bytes in place of the numbers of accessors and views.
#pragma once

#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "outside/files.h"

namespace dermis::test {

struct GlbParts {
  nlohmann::ordered_json json;
  std::string bin;
};

inline GlbParts split_glb(const std::string& file) {
  const auto word = [&](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, file.data() + at, 4);
    return std::size_t{value};
  };
  const std::size_t json_size = word(12);
  GlbParts parts{nlohmann::ordered_json::parse(file.substr(20, json_size)), ""};
  if (file.size() > 20 + json_size) parts.bin = file.substr(28 + json_size, word(20 + json_size));
  return parts;
}

// The document with what accessors and buffer views hold written where they are named, and without the lists
// of these: two documents that say the same are then the same, however their data is numbered and packed.
inline nlohmann::ordered_json resolved(const GlbParts& glb) {
  using Json = nlohmann::ordered_json;
  Json json = glb.json;
  const auto view = [&](const Json& index) -> Json {
    Json found = glb.json["bufferViews"][index.get<std::size_t>()];
    const std::size_t begin = found.value("byteOffset", std::size_t{0});
    const std::string bytes =
        found["buffer"] == 0 ? glb.bin.substr(begin, found["byteLength"].get<std::size_t>()) : "";
    for (const char* key : {"buffer", "byteOffset"}) found.erase(key);
    found["hash"] = std::hash<std::string>()(bytes);
    return found;
  };
  const auto accessor = [&](Json& index) {
    Json found = glb.json["accessors"][index.get<std::size_t>()];
    if (found.contains("bufferView")) found["bufferView"] = view(found["bufferView"]);
    if (found.contains("sparse")) {
      for (const char* key : {"indices", "values"})
        found["sparse"][key]["bufferView"] = view(found["sparse"][key]["bufferView"]);
    }
    index = found;
  };
  const auto each = [](Json& owner, const char* key, const std::function<void(Json&)>& visit) {
    if (!owner.contains(key)) return;
    for (Json& item : owner[key]) visit(item);
  };
  each(json, "meshes", [&](Json& mesh) {
    each(mesh, "primitives", [&](Json& primitive) {
      each(primitive, "attributes", accessor);
      if (primitive.contains("indices")) accessor(primitive["indices"]);
      each(primitive, "targets", [&](Json& target) {
        for (Json& one : target) accessor(one);
      });
      if (primitive.contains("/extras/dermis/dqs_share"_json_pointer))
        accessor(primitive["extras"]["dermis"]["dqs_share"]);
      const auto draco = "/extensions/KHR_draco_mesh_compression/bufferView"_json_pointer;
      if (primitive.contains(draco)) primitive[draco] = view(primitive[draco]);
    });
  });
  each(json, "skins", [&](Json& skin) {
    if (skin.contains("inverseBindMatrices")) accessor(skin["inverseBindMatrices"]);
  });
  each(json, "animations", [&](Json& animation) {
    each(animation, "samplers", [&](Json& sampler) {
      accessor(sampler["input"]);
      accessor(sampler["output"]);
    });
  });
  each(json, "images", [&](Json& image) {
    if (image.contains("bufferView")) image["bufferView"] = view(image["bufferView"]);
  });
  for (const char* key : {"accessors", "bufferViews", "buffers"}) json.erase(key);
  return json;
}

}  // namespace dermis::test
