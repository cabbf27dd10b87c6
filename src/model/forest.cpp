// SPDX-License-Identifier: MIT
// The node forest: parents before children, the nearest of some nodes above each, and joints of skins.
#include <cstddef>

#include "dermis/model.h"

namespace dermis {

std::vector<Index> parents_first(std::span<const Node> nodes) {
  const std::size_t count = nodes.size();
  // Children of all nodes, concatenated by counting sort: file order among siblings comes for free.
  std::vector<std::size_t> first_child(count + 1, 0);
  for (const Node& node : nodes) {
    if (node.parent != kNone) ++first_child[static_cast<std::size_t>(node.parent) + 1];
  }
  for (std::size_t n = 0; n < count; ++n) first_child[n + 1] += first_child[n];
  std::vector<Index> children(first_child[count]);
  std::vector<std::size_t> next = first_child;
  std::vector<Index> order;
  order.reserve(count);
  for (std::size_t n = 0; n < count; ++n) {
    const Index parent = nodes[n].parent;
    if (parent == kNone) {
      order.push_back(static_cast<Index>(n));
    } else {
      children[next[static_cast<std::size_t>(parent)]++] = static_cast<Index>(n);
    }
  }
  // The order is its own queue: no recursion, so a chain of a million nodes is fine.
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::size_t n = static_cast<std::size_t>(order[k]);
    for (std::size_t c = first_child[n]; c < first_child[n + 1]; ++c) order.push_back(children[c]);
  }
  return order;
}

std::vector<Index> nearest_tops(const Character& character, std::span<const Index> tops) {
  std::vector<Index> top_of(character.nodes.size(), kNone);
  for (std::size_t k = tops.size(); k-- > 0;) top_of[at(tops[k])] = static_cast<Index>(k);
  for (const Index node : parents_first(character.nodes)) {
    const Index parent = character.nodes[at(node)].parent;
    if (top_of[at(node)] == kNone && parent != kNone) top_of[at(node)] = top_of[at(parent)];
  }
  return top_of;
}

std::vector<bool> skin_joints(const Character& character) {
  std::vector<bool> is_joint(character.nodes.size(), false);
  for (const Skin& skin : character.skins) {
    for (const Index node : skin.node) is_joint[at(node)] = true;
  }
  return is_joint;
}

std::vector<bool> weighted_joints(const Character& character) {
  std::vector<bool> is_weighted(character.nodes.size(), false);
  for (const Instance& instance : character.instances) {
    if (!instance.in_scene || instance.skin == kNone) continue;
    const Skin& skin = character.skins[at(instance.skin)];
    for (const Influence& one : character.meshes[at(instance.mesh)].weights.influences)
      is_weighted[at(skin.node[at(one.slot)])] = true;
  }
  return is_weighted;
}

}  // namespace dermis
