// SPDX-License-Identifier: MIT
// Orders the node forest so that parents come before their children.
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

}  // namespace dermis
