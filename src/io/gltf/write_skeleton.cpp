// SPDX-License-Identifier: MIT
// A skeleton put into a glTF document that had none: nodes, skins, and where the roots rest.
#include "io/gltf/builder.h"

namespace dermis {
namespace {

// The scene that a viewer shows; a document without one gets it, with all roots.
Json& shown_scene(GltfDocument& document, const Character& character, std::size_t kept) {
  Json& scenes = gltf_list(document, "scenes");
  if (scenes.empty()) {
    Json roots = Json::array();
    for (std::size_t n = 0; n < kept; ++n)
      if (character.nodes[n].parent == kNone) roots.push_back(n);
    scenes.push_back({{"nodes", roots}});
    document.json["scene"] = 0;
  }
  return document.json["scenes"][document.json.value("scene", std::size_t{0})];
}

void add_nodes(GltfDocument& document, const Character& character, std::size_t kept) {
  Json& nodes = gltf_list(document, "nodes");
  for (std::size_t n = kept; n < character.nodes.size(); ++n) nodes.push_back(node_json(character.nodes[n]));
  for (std::size_t n = kept; n < character.nodes.size(); ++n) {
    if (const Index parent = character.nodes[n].parent; parent != kNone)
      nodes[at(parent)]["children"].push_back(n);
  }
  Json& scene = shown_scene(document, character, kept);
  for (std::size_t n = kept; n < character.nodes.size(); ++n) {
    if (character.nodes[n].parent == kNone) scene["nodes"].push_back(n);
  }
}

// Meshes behind those of the document, in the order of the instances that show them.
void add_copied_meshes(GltfDocument& document, const Character& character) {
  Json& meshes = gltf_list(document, "meshes");
  for (const Instance& instance : character.instances) {
    if (at(instance.mesh) != meshes.size()) continue;
    Json& node = document.json["nodes"][at(instance.node)];
    Json copy = meshes[node["mesh"].get<std::size_t>()];
    meshes.push_back(std::move(copy));
    node["mesh"] = instance.mesh;
  }
}

}  // namespace

void write_skins(GltfDocument& document, GltfBuilder& builder, const Character& character) {
  for (const Skin& skin : character.skins) {
    Json json = Json::object();
    if (!skin.name.empty()) json["name"] = skin.name;
    json["inverseBindMatrices"] = builder.add_matrices(skin.inverse_bind);
    json["joints"] = skin.node;
    gltf_list(document, "skins").push_back(std::move(json));
  }
}

void patch_skeleton(GltfDocument& document, const Character& character, std::size_t kept) {
  add_nodes(document, character, kept);
  add_copied_meshes(document, character);
  document.json.erase("skins");
  GltfBuilder builder(document);
  write_skins(document, builder, character);
  for (const Instance& instance : character.instances) {
    Json& node = document.json["nodes"][at(instance.node)];
    node.erase("skin");
    if (instance.skin != kNone) node["skin"] = instance.skin;
  }
  builder.finish();
  drop_unused(document);
}

void patch_rests(GltfDocument& document, const Character& character, std::span<const Index> nodes) {
  for (const Index n : nodes) {
    Json& node = document.json["nodes"][at(n)];
    for (const char* key : {"matrix", "translation", "rotation", "scale"}) node.erase(key);
    Json rest = node_json(character.nodes[at(n)]);
    rest.erase("name");
    node.update(rest);
  }
}

}  // namespace dermis
