// SPDX-License-Identifier: MIT
// Which nodes of a glTF document are in its scene, and how to update that to match a character.
#include <fmt/format.h>

#include <algorithm>

#include "io/gltf/builder.h"

namespace dermis {
namespace {

const Json* find_list(const Json& owner, const char* key) {
  const auto found = owner.find(key);
  return found == owner.end() ? nullptr : &*found;
}

// The parent of each node, from the lists of children.
std::vector<Index> parents_of(const Json& nodes) {
  std::vector<Index> parents(nodes.size(), kNone);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const Json* children = find_list(nodes[n], "children");
    for (std::size_t k = 0; children != nullptr && k < children->size(); ++k)
      parents[(*children)[k].get<std::size_t>()] = static_cast<Index>(n);
  }
  return parents;
}

Index root_of(const std::vector<Index>& parents, Index node) {
  while (parents[at(node)] != kNone) node = parents[at(node)];
  return node;
}

// The world rest transform of an instance's node.
Affined rest_of(const Character& character, Index node) {
  Affined world;
  for (; node != kNone; node = character.nodes[at(node)].parent) {
    const Node& one = character.nodes[at(node)];
    world = (one.rest_matrix ? Affined(*one.rest_matrix) : affine_from_transform(one.rest)) * world;
  }
  return world;
}

// Moves whole roots into or out of the scene, for instances that disagree with the document.
void place_roots(Json& json, const Character& character, std::span<const Index> node_of_instance,
                 const std::vector<bool>& in_scene) {
  const std::vector<Index> parents = parents_of(json["nodes"]);
  std::vector<bool> is_wrong(parents.size()), is_wanted(parents.size());
  for (std::size_t i = 0; i < node_of_instance.size(); ++i) {
    const std::size_t root = at(root_of(parents, node_of_instance[i]));
    if (character.instances[i].in_scene) is_wanted[root] = true;
    if (character.instances[i].in_scene != in_scene[at(node_of_instance[i])]) is_wrong[root] = true;
  }
  Json& scene = json["scenes"][json.value("scene", std::size_t{0})];
  Json listed = Json::array();
  if (const Json* nodes = find_list(scene, "nodes")) {
    for (const Json& node : *nodes) {
      const Index root = root_of(parents, node.get<Index>());
      const bool stays = !is_wrong[at(root)] || (is_wanted[at(root)] && node.get<Index>() == root);
      if (stays) listed.push_back(node);
    }
  }
  for (std::size_t root = 0; root < parents.size(); ++root) {
    if (is_wrong[root] && is_wanted[root] && std::find(listed.begin(), listed.end(), root) == listed.end())
      listed.push_back(root);
  }
  if (listed.empty())
    scene.erase("nodes");
  else
    scene["nodes"] = std::move(listed);
}

// A new node outside the scene for an instance whose root is inside.
Index moved_outside(Json& nodes, const Character& character, const Instance& instance, Index from) {
  Node node;
  if (const std::string& name = character.nodes[at(instance.node)].name; !name.empty())
    node.name = name + "_outside";
  // A skin moves its mesh whatever the node does.
  if (instance.skin == kNone) node.rest_matrix = Affine(rest_of(character, instance.node));
  Json moved = node_json(node);
  for (const char* key : {"mesh", "skin", "weights"}) {
    const auto found = nodes[at(from)].find(key);
    if (found == nodes[at(from)].end()) continue;
    moved[key] = *found;
    nodes[at(from)].erase(key);
  }
  nodes.push_back(std::move(moved));
  return static_cast<Index>(nodes.size() - 1);
}

bool agrees(const Character& character, std::span<const Index> node_of_instance,
            const std::vector<bool>& in_scene) {
  for (std::size_t i = 0; i < node_of_instance.size(); ++i) {
    if (character.instances[i].in_scene != in_scene[at(node_of_instance[i])]) return false;
  }
  return true;
}

}  // namespace

std::vector<bool> nodes_in_scene(const Json& json) {
  const Json* nodes = find_list(json, "nodes");
  if (nodes == nullptr) return {};
  const Json* scenes = find_list(json, "scenes");
  if (scenes == nullptr || scenes->empty()) return std::vector<bool>(nodes->size(), true);
  std::vector<bool> in_scene(nodes->size(), false);
  const Json* roots = find_list((*scenes)[json.value("scene", std::size_t{0})], "nodes");
  std::vector<std::size_t> open;
  for (std::size_t k = 0; roots != nullptr && k < roots->size(); ++k)
    open.push_back((*roots)[k].get<std::size_t>());
  while (!open.empty()) {
    const std::size_t node = open.back();
    open.pop_back();
    if (in_scene[node]) continue;
    in_scene[node] = true;
    const Json* children = find_list((*nodes)[node], "children");
    for (std::size_t k = 0; children != nullptr && k < children->size(); ++k)
      open.push_back((*children)[k].get<std::size_t>());
  }
  return in_scene;
}

Json& shown_scene(GltfDocument& document) {
  Json& json = document.json;
  if (gltf_list(document, "scenes").empty()) {
    Json roots = Json::array();
    const std::vector<Index> parents = parents_of(gltf_list(document, "nodes"));
    for (std::size_t n = 0; n < parents.size(); ++n) {
      if (parents[n] == kNone) roots.push_back(n);
    }
    json["scenes"].push_back({{"nodes", std::move(roots)}});
    json["scene"] = 0;
  }
  return json["scenes"][json.value("scene", std::size_t{0})];
}

void place_in_scene(GltfDocument& document, const Character& character, std::vector<Index>& node_of_instance,
                    Notes& notes) {
  if (agrees(character, node_of_instance, nodes_in_scene(document.json))) return;
  shown_scene(document);
  place_roots(document.json, character, node_of_instance, nodes_in_scene(document.json));
  const std::vector<bool> in_scene = nodes_in_scene(document.json);
  std::size_t count = 0;
  for (std::size_t i = 0; i < node_of_instance.size(); ++i) {
    const Instance& instance = character.instances[i];
    if (instance.in_scene || !in_scene[at(node_of_instance[i])]) continue;
    node_of_instance[i] = moved_outside(document.json["nodes"], character, instance, node_of_instance[i]);
    ++count;
  }
  if (count == 0) return;
  notes.push_back({Note::Kind::loss, "moved-outside",
                   fmt::format("{} to a node outside the scene: a glTF scene contains whole trees of nodes",
                               counted(count, "mesh outside the scene was below a node inside; it moved",
                                       "meshes outside the scene were below nodes inside; they moved"))});
}

}  // namespace dermis
