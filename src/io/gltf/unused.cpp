// SPDX-License-Identifier: MIT
// Drops what a patched glTF document no longer refers to: accessors, buffer views, bytes, extension names.
#include <algorithm>
#include <functional>
#include <string_view>
#include <unordered_map>

#include "io/gltf/builder.h"

namespace dermis {
namespace {

// Extensions that do not refer to accessors and buffer views, or only where this file looks.
bool is_known_extension(std::string_view name) {
  constexpr std::string_view kNames[] = {"KHR_mesh_quantization", "KHR_draco_mesh_compression",
                                         "KHR_node_visibility", "KHR_xmp_json_ld"};
  return is_appearance_extension(name) ||
         std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

// Calls visit on the member `key` of `object` if it exists.
void visit_member(Json& object, const char* key, const std::function<void(Json&)>& visit) {
  if (const auto found = object.find(key); found != object.end()) visit(*found);
}

// Calls visit on every item of the list `key` of `object`. Asking an object for a missing member would add
// it.
void visit_items(Json& object, const char* key, const std::function<void(Json&)>& visit) {
  visit_member(object, key, [&](Json& list) {
    for (Json& item : list) visit(item);
  });
}

void visit_accessors(Json& json, const std::function<void(Json&)>& visit) {
  for (Json& mesh : json["meshes"]) {
    visit_items(mesh, "primitives", [&](Json& primitive) {
      visit_items(primitive, "attributes", visit);
      visit_member(primitive, "indices", visit);
      visit_items(primitive, "targets", [&](Json& target) {
        for (Json& accessor : target) visit(accessor);
      });
      visit_member(primitive, "extras", [&](Json& extras) {
        visit_member(extras, "dermis", [&](Json& ours) { visit_member(ours, "dqs_share", visit); });
      });
    });
  }
  for (Json& skin : json["skins"]) visit_member(skin, "inverseBindMatrices", visit);
  for (Json& animation : json["animations"]) {
    visit_items(animation, "samplers", [&](Json& sampler) {
      visit_member(sampler, "input", visit);
      visit_member(sampler, "output", visit);
    });
  }
}

void visit_views(Json& json, const std::function<void(Json&)>& visit) {
  for (Json& accessor : json["accessors"]) {
    visit_member(accessor, "bufferView", visit);
    visit_member(accessor, "sparse", [&](Json& sparse) {
      for (const char* key : {"indices", "values"})
        visit_member(sparse, key, [&](Json& part) { visit_member(part, "bufferView", visit); });
    });
  }
  for (Json& image : json["images"]) visit_member(image, "bufferView", visit);
  for (Json& mesh : json["meshes"]) {
    visit_items(mesh, "primitives", [&](Json& primitive) {
      visit_member(primitive, "extensions", [&](Json& extensions) {
        visit_member(extensions, "KHR_draco_mesh_compression",
                     [&](Json& draco) { visit_member(draco, "bufferView", visit); });
      });
    });
  }
}

// Keeps the items of json[list] that a visited index refers to, and renumbers the indices.
void keep_referenced(Json& json, const char* list,
                     const std::function<void(Json&, const std::function<void(Json&)>&)>& visit_all) {
  std::vector<bool> is_used(json[list].size(), false);
  visit_all(json, [&](Json& index) { is_used[index.get<std::size_t>()] = true; });
  std::vector<std::size_t> renumbered(is_used.size());
  Json kept = Json::array();
  for (std::size_t k = 0; k < is_used.size(); ++k) {
    renumbered[k] = kept.size();
    if (is_used[k]) kept.push_back(std::move(json[list][k]));
  }
  json[list] = std::move(kept);
  visit_all(json, [&](Json& index) { index = renumbered[index.get<std::size_t>()]; });
}

// Copies the bytes of the remaining views into one buffer, each at a multiple of 16 so that any component is
// aligned.
void repack_bytes(GltfDocument& document) {
  Bytes packed;
  for (Json& view : document.json["bufferViews"]) {
    const GltfBuffer& buffer = document.buffers[view["buffer"].get<std::size_t>()];
    // The view of an image may extend beyond its buffer: the existing bytes are kept.
    const std::size_t offset = std::min(view.value("byteOffset", std::size_t{0}), buffer.bytes.size());
    const auto bytes = buffer.bytes.subspan(
        offset, std::min(view.value("byteLength", std::size_t{0}), buffer.bytes.size() - offset));
    packed.resize((packed.size() + 15) / 16 * 16);
    view["buffer"] = 0;
    view["byteOffset"] = packed.size();
    view["byteLength"] = bytes.size();
    packed.insert(packed.end(), bytes.begin(), bytes.end());
  }
  document.buffers.clear();
  document.json["buffers"] = Json::array();
  if (document.json["bufferViews"].empty()) return;
  if (packed.empty())
    packed.resize(4);  // views without bytes still refer to a buffer, which must not be
                       // empty
  document.json["buffers"].push_back({{"byteLength", packed.size()}});
  document.buffers.push_back(make_buffer(std::move(packed)));
}

void drop_extension_name(Json& json, const char* name) {
  for (const char* key : {"extensionsUsed", "extensionsRequired"}) {
    const auto list = json.find(key);
    if (list == json.end()) continue;
    list->erase(std::remove(list->begin(), list->end(), Json(name)), list->end());
    if (list->empty()) json.erase(key);
  }
}

bool uses_draco(Json& json) {
  bool is_used = false;
  for (Json& mesh : json["meshes"]) {
    visit_items(mesh, "primitives", [&](Json& primitive) {
      visit_member(primitive, "extensions", [&](Json& extensions) {
        is_used = is_used || extensions.contains("KHR_draco_mesh_compression");
      });
    });
  }
  return is_used;
}

}  // namespace

bool has_only_known_extensions(const Json& json) {
  const auto used = json.find("extensionsUsed");
  if (used == json.end()) return true;
  return std::all_of(used->begin(), used->end(), [](const Json& name) {
    return name.is_string() && is_known_extension(name.get<std::string>());
  });
}

void drop_unused(GltfDocument& document) {
  Json& json = document.json;
  if (!has_only_known_extensions(json)) return;
  constexpr const char* kLists[] = {"meshes",    "skins",       "animations", "images",
                                    "accessors", "bufferViews", "buffers"};
  for (const char* list : kLists) gltf_list(document, list);
  if (!uses_draco(json)) drop_extension_name(json, "KHR_draco_mesh_compression");
  keep_referenced(json, "accessors", visit_accessors);
  keep_referenced(json, "bufferViews", visit_views);
  repack_bytes(document);
  for (const char* list : kLists) {
    if (json[list].empty()) json.erase(list);
  }
}

}  // namespace dermis
