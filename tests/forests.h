// SPDX-License-Identifier: MIT
// Random node forests and skins on them, for comparing linear algorithms with their plain definitions.
#pragma once

#include <utility>
#include <vector>

#include "characters.h"

namespace dermis::test {

// 0 to count - 1 in random order.
inline std::vector<Index> shuffled(Random& random, int count) {
  std::vector<Index> place(at(count));
  for (int n = 0; n < count; ++n) place[at(n)] = n;
  for (int n = count - 1; n > 0; --n) std::swap(place[at(n)], place[at(random.below(n + 1))]);
  return place;
}

// Any forest of 1 to 40 nodes in any order: parents by rank, ranks shuffled.
inline std::vector<Node> random_forest(Random& random) {
  const int count = 1 + random.below(40);
  const std::vector<Index> place = shuffled(random, count);
  std::vector<Node> nodes(at(count));
  for (int n = 1; n < count; ++n) {
    if (random.below(5) > 0) nodes[at(place[at(n)])].parent = place[at(random.below(n))];
  }
  return nodes;
}

// True if climbing from the node leads to `top`, or starts there.
inline bool climbs_to(const std::vector<Node>& nodes, Index node, Index top) {
  while (node != kNone && node != top) node = nodes[at(node)].parent;
  return node == top;
}

// A tube whose points follow some nodes of a random forest, each one of them; slots are in any order.
inline Character random_skinned(Random& random) {
  Character character = tube_character({.rings = 5, .sides = 4}, {0, 1, 0});
  character.nodes = random_forest(random);
  for (Node& node : character.nodes) node.rest.translation = Vec3(random.vector());
  const auto node_count = static_cast<int>(character.nodes.size());
  const int slot_count = 1 + random.below(node_count);
  Skin& skin = character.skins[0];
  skin.node = shuffled(random, node_count);
  skin.node.resize(at(slot_count));
  skin.inverse_bind.clear();
  for (int s = 0; s < slot_count; ++s) skin.inverse_bind.push_back(Affine(random.rigid()));
  WeightRowBuilder rows;
  for (std::size_t v = 0; v < character.meshes[0].points.size(); ++v) {
    rows.add(random.below(slot_count), 1);
    rows.close_row(0);
  }
  character.meshes[0].weights = rows.take();
  character.instances[0].node = node_count;
  character.nodes.push_back(node_at("tube", kNone, {}));
  return character;
}

}  // namespace dermis::test
