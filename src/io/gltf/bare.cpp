// SPDX-License-Identifier: MIT
// A glTF document without its skeleton: still meshes, and no joints that nothing else needs.
#include <fmt/format.h>

#include <algorithm>

#include "io/gltf/builder.h"

namespace dermis {
namespace {

// Nodes that only served skins: joints and their descendants, nodes whose mesh is elsewhere now, and
// ancestors of only such nodes. Cameras, lights and the like stay, with all their ancestors.
std::vector<bool> nodes_of_skeleton(const Json& nodes, const Character& character) {
  const std::size_t count = character.nodes.size();
  std::vector<bool> is_of_skin(count), has_kept_child(count), goes(count), may_go(count);
  for (const Skin& skin : character.skins) {
    for (const Index node : skin.node) is_of_skin[at(node)] = true;
  }
  const std::vector<Index> order = parents_first(character.nodes);
  for (const Index node : order) {
    const Index parent = character.nodes[at(node)].parent;
    if (parent != kNone && is_of_skin[at(parent)]) is_of_skin[at(node)] = true;
  }
  may_go = is_of_skin;
  for (const Instance& instance : character.instances)
    if (instance.in_scene) may_go[at(instance.node)] = true;
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    const std::size_t n = at(*node);
    const bool is_camera = nodes[n].contains("camera");
    const bool is_more = nodes[n].contains("extensions") && is_of_skin[n];
    goes[n] = may_go[n] && !has_kept_child[n] && !is_camera && !is_more;
    const Index parent = character.nodes[n].parent;
    if (parent == kNone) continue;
    if (goes[n])
      may_go[at(parent)] = true;
    else
      has_kept_child[at(parent)] = true;
  }
  return goes;
}

// Erases nodes and renumbers all references to nodes.
void erase_nodes(Json& json, const std::vector<bool>& goes) {
  std::vector<Index> renumbered(json["nodes"].size(), kNone);
  Json kept = Json::array();
  for (std::size_t n = 0; n < renumbered.size(); ++n) {
    if (n < goes.size() && goes[n]) continue;
    renumbered[n] = static_cast<Index>(kept.size());
    kept.push_back(std::move(json["nodes"][n]));
  }
  const auto renumber = [&](Json& owner, const char* key) {
    const auto list = owner.find(key);
    if (list == owner.end()) return;
    Json left = Json::array();
    for (const Json& node : *list)
      if (const Index now = renumbered[node.get<std::size_t>()]; now != kNone) left.push_back(now);
    *list = std::move(left);
    if (list->empty()) owner.erase(key);
  };
  for (Json& node : kept) renumber(node, "children");
  for (Json& scene : json["scenes"]) renumber(scene, "nodes");
  json["nodes"] = std::move(kept);
}

// The nodes that stay, in order, and after them those of the still meshes.
Character character_of(const Character& character, const Character& posed, const std::vector<bool>& goes) {
  Character bare = posed;
  std::vector<Index> renumbered(goes.size(), kNone);
  bare.nodes.clear();
  for (std::size_t n = 0; n < goes.size(); ++n) {
    if (goes[n]) continue;
    renumbered[n] = static_cast<Index>(bare.nodes.size());
    bare.nodes.push_back(character.nodes[n]);
  }
  for (Node& node : bare.nodes) node.parent = node.parent == kNone ? kNone : renumbered[at(node.parent)];
  bare.meshes.clear();
  for (Instance& instance : bare.instances) {
    Node node;
    node.name = posed.nodes[at(instance.node)].name;
    instance.node = static_cast<Index>(bare.nodes.size());
    bare.nodes.push_back(std::move(node));
    bare.meshes.push_back(posed.meshes[at(instance.mesh)]);
    instance.mesh = static_cast<Index>(bare.meshes.size() - 1);
  }
  return bare;
}

}  // namespace

BareGltf bare_document(const GltfDocument& source, const Character& character, const Character& posed,
                       Notes& notes) {
  BareGltf bare{posed_document(source, character, posed, notes), {}};
  Json& json = bare.document.json;
  std::vector<bool> goes(character.nodes.size(), false);
  if (has_only_known_extensions(json)) {
    goes = nodes_of_skeleton(source.json.value("nodes", Json::array()), character);
  } else {
    notes.push_back(
        {Note::Kind::info, "joints-kept",
         "the joints of the file stay, as nodes that move nothing: its extensions may refer to them"});
  }
  // A still mesh replaces the node that showed it, if that was removed.
  std::size_t still = character.nodes.size();
  for (const Instance& instance : character.instances) {
    if (!instance.in_scene) continue;
    Json& node = json["nodes"][still++];
    const Json& old = source.json["nodes"][at(instance.node)];
    if (!goes[at(instance.node)]) continue;
    for (const char* key : {"name", "extras", "extensions"})
      if (old.contains(key)) node[key] = old[key];
  }
  erase_nodes(json, goes);
  bare.character = character_of(character, posed, goes);
  return bare;
}

}  // namespace dermis
