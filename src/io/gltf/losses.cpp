// SPDX-License-Identifier: MIT
// Finds what a glTF document contains that the model does not store, for files written from the character.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "io/gltf/document.h"
#include "io/source.h"

namespace dermis {
namespace {

const Json* part_of(const Json& owner, const char* key) {
  if (!owner.is_object()) return nullptr;
  const auto found = owner.find(key);
  return found == owner.end() ? nullptr : &*found;
}

bool has_part(const Json& owner, const char* key) { return part_of(owner, key) != nullptr; }

// Calls visit on the items of a list; nothing if there is none.
template <class Visit>
void for_each_item(const Json& owner, const char* key, const Visit& visit) {
  const Json* list = part_of(owner, key);
  if (list == nullptr || !list->is_array()) return;
  for (const Json& item : *list) visit(item);
}

std::size_t list_size(const Json& owner, const char* key) {
  const Json* list = part_of(owner, key);
  return list != nullptr && list->is_array() ? list->size() : 0;
}

// ---- The scene ----

// True for extras other than those that dermis reads and writes itself.
bool has_foreign_extras(const Json& owner) {
  const Json* extras = part_of(owner, "extras");
  if (extras == nullptr) return false;
  if (!extras->is_object()) return true;
  return std::any_of(extras->items().begin(), extras->items().end(), [](const auto& member) {
    return member.key() != "dermis" && member.key() != "targetNames";
  });
}

std::size_t extras_count(const Json& json) {
  std::size_t count = has_foreign_extras(json) ? 1 : 0;
  const auto add = [&](const Json& item) { count += has_foreign_extras(item) ? 1 : 0; };
  if (const Json* asset = part_of(json, "asset")) add(*asset);
  for (const char* list : {"scenes", "nodes", "meshes", "materials", "cameras", "animations", "skins",
                           "images", "textures", "samplers", "accessors", "bufferViews", "buffers"})
    for_each_item(json, list, add);
  for_each_item(json, "meshes", [&](const Json& mesh) { for_each_item(mesh, "primitives", add); });
  for_each_item(json, "animations", [&](const Json& animation) {
    for_each_item(animation, "channels", add);
    for_each_item(animation, "samplers", add);
  });
  return count;
}

std::size_t light_count(const Json& json) {
  const Json* extensions = part_of(json, "extensions");
  const Json* lights = extensions == nullptr ? nullptr : part_of(*extensions, "KHR_lights_punctual");
  return lights == nullptr ? 0 : list_size(*lights, "lights");
}

// Extensions that are neither in the model nor noted with the things they belong to.
std::set<std::string> lost_extensions(const Json& json) {
  constexpr std::string_view kElsewhere[] = {"KHR_mesh_quantization",   "KHR_draco_mesh_compression",
                                             "EXT_meshopt_compression", "KHR_meshopt_compression",
                                             "KHR_texture_transform",   "KHR_lights_punctual"};
  std::set<std::string> names;
  for_each_item(json, "extensionsUsed", [&](const Json& name) {
    if (!name.is_string()) return;
    const auto text = name.get<std::string>();
    const bool is_of_material = text.starts_with("KHR_materials_") || text.starts_with("ADOBE_materials_");
    const bool is_elsewhere =
        std::find(std::begin(kElsewhere), std::end(kElsewhere), text) != std::end(kElsewhere);
    if (!is_elsewhere && (!is_of_material || text == "KHR_materials_variants")) names.insert(text);
  });
  return names;
}

// ---- The surface ----

std::set<std::string> custom_attributes(const Json& json) {
  std::set<std::string> names;
  for_each_item(json, "meshes", [&](const Json& mesh) {
    for_each_item(mesh, "primitives", [&](const Json& primitive) {
      const Json* attributes = part_of(primitive, "attributes");
      if (attributes == nullptr || !attributes->is_object()) return;
      for (const auto& [name, accessor] : attributes->items()) {
        if (name.starts_with("_")) names.insert(name);
      }
    });
  });
  return names;
}

std::size_t line_count(const Json& json) {
  std::size_t count = 0;
  for_each_item(json, "meshes", [&](const Json& mesh) {
    for_each_item(mesh, "primitives", [&](const Json& primitive) {
      const Json* mode = part_of(primitive, "mode");
      const bool draws_lines = mode != nullptr && mode->is_number_integer() && *mode >= 1 && *mode <= 3;
      count += draws_lines ? 1 : 0;
    });
  });
  return count;
}

// ---- Materials ----

// What the materials of a document have and the model does not, counted by material.
struct MaterialDetails {
  std::size_t occlusion = 0, shine = 0, normal_scale = 0, extended = 0;
  std::set<std::string> extensions;

  explicit MaterialDetails(const Json& json) {
    for_each_item(json, "materials", [&](const Json& material) { add(material); });
  }

 private:
  void add(const Json& material) {
    if (!material.is_object()) return;
    occlusion += has_part(material, "occlusionTexture") ? 1 : 0;
    const Json* pbr = part_of(material, "pbrMetallicRoughness");
    shine += pbr != nullptr && has_part(*pbr, "metallicRoughnessTexture") ? 1 : 0;
    const Json* normal = part_of(material, "normalTexture");
    const Json* scale = normal == nullptr ? nullptr : part_of(*normal, "scale");
    normal_scale += scale != nullptr && scale->is_number() && *scale != 1 ? 1 : 0;
    const Json* used = part_of(material, "extensions");
    if (used == nullptr || !used->is_object()) return;
    extended += used->empty() ? 0 : 1;
    for (const auto& [name, value] : used->items()) extensions.insert(name);
  }
};

Notes mtl_losses(const Json& json) {
  Notes notes;
  const MaterialDetails lost(json);
  const auto say = [&](const char* id, std::size_t count, const std::string& words) {
    if (count == 0) return;
    notes.push_back({Note::Kind::loss, id,
                     fmt::format("{} {}, which MTL cannot store",
                                 counted(count, "material has", "materials have"), words)});
  };
  say("mtl-occlusion", lost.occlusion, "an occlusion picture");
  say("mtl-metal-roughness", lost.shine, "a metallic-roughness picture");
  say("mtl-normal-scale", lost.normal_scale, "a scale for the normal picture");
  say("mtl-extensions", lost.extended, fmt::format("extensions ({})", fmt::join(lost.extensions, ", ")));
  return notes;
}

// The same for a glTF written from the character, which also loses how pictures are filtered.
void note_material_details(const Json& json, const std::string& output, Notes& notes) {
  const MaterialDetails lost(json);
  std::size_t filtered = 0;
  for_each_item(json, "samplers", [&](const Json& sampler) {
    filtered += has_part(sampler, "magFilter") || has_part(sampler, "minFilter") ? 1 : 0;
  });
  std::vector<std::string> words;
  const auto add = [&](std::size_t count, const char* one, const char* many) {
    if (count > 0) words.push_back(counted(count, one, many));
  };
  add(lost.occlusion, "occlusion picture", "occlusion pictures");
  add(lost.shine, "metallic-roughness picture", "metallic-roughness pictures");
  add(lost.normal_scale, "scale of a normal picture", "scales of normal pictures");
  add(filtered, "filter of a picture", "filters of pictures");
  if (lost.extended > 0) words.push_back(fmt::format("the extensions {}", fmt::join(lost.extensions, ", ")));
  if (words.empty()) return;
  notes.push_back(
      {Note::Kind::loss, "material-details-left-out",
       fmt::format("{}: finer settings of materials were left out: {}", output, fmt::join(words, ", "))});
}

// ---- By format ----

// What a format could have stored of a document.
struct Holds {
  bool surface = true;
  bool mtl = false;  // materials as an MTL
  bool gltf_materials = false;
};

Holds held_by(const std::string& output) {
  const std::string extension = extension_of(output);
  if (extension == ".bvh") return {.surface = false};
  if (extension == ".ply") return {};
  if (extension == ".gltf" || extension == ".glb") return {.gltf_materials = true};
  return {.mtl = true};  // an OBJ, also next to a cache or a listing
}

void note_scene(const GltfDocument& document, const std::string& output, Notes& notes) {
  const auto say = [&](const char* id, std::size_t count, const char* one, const char* many) {
    if (count == 0) return;
    notes.push_back(
        {Note::Kind::loss, id, fmt::format("{}: {} left out", output, counted(count, one, many))});
  };
  const Json& json = document.json;
  const std::size_t scenes = list_size(json, "scenes");
  say("cameras-left-out", list_size(json, "cameras"), "camera was", "cameras were");
  say("lights-left-out", light_count(json), "light was", "lights were");
  say("extras-left-out", extras_count(json), "set of extras was", "sets of extras were");
  say("scenes-left-out", scenes > 1 ? scenes - 1 : 0, "further scene was", "further scenes were");
  say("chunks-dropped", document.extra_chunks.size(), "extra chunk of the GLB was",
      "extra chunks of the GLB were");
  const Json* asset = part_of(json, "asset");
  say("copyright-left-out", asset != nullptr && has_part(*asset, "copyright") ? 1 : 0, "copyright line was",
      "copyright lines were");
  if (const std::set<std::string> names = lost_extensions(json); !names.empty()) {
    notes.push_back(
        {Note::Kind::loss, "extensions-left-out",
         fmt::format("{}: what these extensions store was left out: {}", output, fmt::join(names, ", "))});
  }
}

void note_surface(const Json& json, const std::string& output, Notes& notes) {
  if (const std::set<std::string> names = custom_attributes(json); !names.empty()) {
    notes.push_back({Note::Kind::loss, "attributes-left-out",
                     fmt::format("{}: {} left out: {}", output,
                                 counted(names.size(), "custom attribute was", "custom attributes were"),
                                 fmt::join(names, ", "))});
  }
  if (const std::size_t count = line_count(json); count > 0) {
    notes.push_back(
        {Note::Kind::loss, "lines-to-points",
         fmt::format("{}: {} became loose points", output,
                     counted(count, "primitive that draws lines", "primitives that draw lines"))});
  }
}

Notes document_losses(const GltfDocument& document, const std::string& output) {
  Notes notes;
  const Holds holds = held_by(output);
  note_scene(document, output, notes);
  if (holds.surface) note_surface(document.json, output, notes);
  if (holds.gltf_materials) note_material_details(document.json, output, notes);
  if (holds.mtl) {
    const Notes losses = mtl_losses(document.json);
    notes.insert(notes.end(), losses.begin(), losses.end());
  }
  return notes;
}

}  // namespace

Notes losses_without_document(const Asset& asset, const std::string& output) {
  const GltfSource* source = gltf_of(asset);
  Notes notes = source == nullptr ? Notes{} : document_losses(source->document, output);
  const auto is_outside = [](const Instance& instance) { return !instance.in_scene; };
  const auto outside = static_cast<std::size_t>(
      std::count_if(asset.character.instances.begin(), asset.character.instances.end(), is_outside));
  if (held_by(output).surface && outside > 0) {
    notes.push_back(
        {Note::Kind::loss, "not-in-scene",
         fmt::format("{}: {} left out", output,
                     counted(outside, "mesh outside the scene was", "meshes outside the scene were"))});
  }
  return notes;
}

}  // namespace dermis
