// SPDX-License-Identifier: MIT
// Divides the nodes of a character among some of them: each goes to the nearest above it.
#include "dermis/motion.h"

namespace dermis {

std::vector<Index> nearest_tops(const Character& character, std::span<const Index> tops) {
  std::vector<Index> top_of(character.nodes.size(), kNone);
  for (std::size_t k = tops.size(); k-- > 0;) top_of[at(tops[k])] = static_cast<Index>(k);
  for (const Index node : parents_first(character.nodes)) {
    const Index parent = character.nodes[at(node)].parent;
    if (top_of[at(node)] == kNone && parent != kNone) top_of[at(node)] = top_of[at(parent)];
  }
  return top_of;
}

}  // namespace dermis
