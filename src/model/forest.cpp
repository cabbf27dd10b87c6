// SPDX-License-Identifier: MIT
// The node forest: parents before children, subtrees, the nearest of some nodes above each, joints of skins.
#include <cstddef>

#include "dermis/model.h"

namespace dermis {

namespace {

std::vector<Index> parents_of(std::span<const Node> nodes) {
  std::vector<Index> parents;
  parents.reserve(nodes.size());
  for (const Node& node : nodes) parents.push_back(node.parent);
  return parents;
}

// parents_first, from the parent of each item.
std::vector<Index> ordered(std::span<const Index> parents) {
  const std::size_t count = parents.size();
  // Children of all nodes, concatenated by counting sort: file order among siblings comes for free.
  std::vector<std::size_t> first_child(count + 1, 0);
  for (const Index parent : parents) {
    if (parent != kNone) ++first_child[at(parent) + 1];
  }
  for (std::size_t n = 0; n < count; ++n) first_child[n + 1] += first_child[n];
  std::vector<Index> children(first_child[count]);
  std::vector<std::size_t> next = first_child;
  std::vector<Index> order;
  order.reserve(count);
  for (std::size_t n = 0; n < count; ++n) {
    const Index parent = parents[n];
    if (parent == kNone) {
      order.push_back(static_cast<Index>(n));
    } else {
      children[next[at(parent)]++] = static_cast<Index>(n);
    }
  }
  // The order is its own queue: no recursion, so a chain of a million nodes is fine.
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::size_t n = at(order[k]);
    for (std::size_t c = first_child[n]; c < first_child[n + 1]; ++c) order.push_back(children[c]);
  }
  return order;
}

}  // namespace

std::vector<Index> parents_first(std::span<const Node> nodes) { return ordered(parents_of(nodes)); }

Subtrees::Subtrees(std::span<const Node> nodes) : Subtrees(parents_of(nodes)) {}

Subtrees::Subtrees(std::span<const Index> parents) : first_(parents.size()), size_(parents.size(), 1) {
  const std::vector<Index> order = ordered(parents);
  for (auto n = order.rbegin(); n != order.rend(); ++n) {
    if (const Index parent = parents[at(*n)]; parent != kNone) size_[at(parent)] += size_[at(*n)];
  }
  std::vector<std::size_t> next(parents.size());  // the number of an item's next child
  std::size_t next_root = 0;
  for (const Index n : order) {
    const Index parent = parents[at(n)];
    std::size_t& number = parent == kNone ? next_root : next[at(parent)];
    first_[at(n)] = number;
    next[at(n)] = number + 1;
    number += size_[at(n)];
  }
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
