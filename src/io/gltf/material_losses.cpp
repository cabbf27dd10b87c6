// SPDX-License-Identifier: MIT
// Finds what the materials of a glTF document contain that the model does not store.
#include <fmt/format.h>

#include <set>

#include "io/gltf/document.h"

namespace dermis {
namespace {

bool has(const Json& from, const char* key) { return from.is_object() && from.contains(key); }

// Counts material by material.
class LossCounter {
 public:
  void add(const Json& material) {
    if (!material.is_object()) return;
    occlusion_count_ += has(material, "occlusionTexture") ? 1 : 0;
    const auto pbr = material.find("pbrMetallicRoughness");
    shine_count_ += pbr != material.end() && has(*pbr, "metallicRoughnessTexture") ? 1 : 0;
    const auto normal = material.find("normalTexture");
    const bool has_depth = normal != material.end() && has(*normal, "scale");
    depth_count_ += has_depth && (*normal)["scale"].is_number() && (*normal)["scale"] != 1 ? 1 : 0;
    const auto extensions = material.find("extensions");
    if (extensions == material.end() || !extensions->is_object()) return;
    extended_count_ += extensions->empty() ? 0 : 1;
    for (const auto& [name, value] : extensions->items()) extensions_.insert(name);
  }

  Notes notes() const {
    Notes notes;
    const auto say = [&](const char* id, std::size_t count, const std::string& words) {
      if (count == 0) return;
      notes.push_back({Note::Kind::loss, id,
                       fmt::format("{} {}, which MTL cannot store",
                                   counted(count, "material has", "materials have"), words)});
    };
    say("mtl-occlusion", occlusion_count_, "an occlusion picture");
    say("mtl-metal-roughness", shine_count_, "a metallic-roughness picture");
    say("mtl-normal-scale", depth_count_, "a scale for the normal picture");
    say("mtl-extensions", extended_count_, fmt::format("extensions ({})", fmt::join(extensions_, ", ")));
    return notes;
  }

 private:
  std::size_t occlusion_count_ = 0, shine_count_ = 0, depth_count_ = 0, extended_count_ = 0;
  std::set<std::string> extensions_;
};

}  // namespace

Notes material_losses(const GltfDocument& document) {
  LossCounter losses;
  const auto materials = document.json.find("materials");
  if (materials == document.json.end() || !materials->is_array()) return {};
  for (const Json& material : *materials) losses.add(material);
  return losses.notes();
}

}  // namespace dermis
