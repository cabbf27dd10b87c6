// SPDX-License-Identifier: MIT
// Numbers a forest depth first, without recursion: a chain of a million joints is fine.
#include "bind/subtrees.h"

namespace dermis {
namespace {

// Parents before their children.
std::vector<Index> ordered(std::span<const Index> parents) {
  std::vector<Node> nodes(parents.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) nodes[n].parent = parents[n];
  return parents_first(nodes);
}

}  // namespace

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

}  // namespace dermis
