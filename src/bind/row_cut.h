// SPDX-License-Identifier: MIT
// Cuts rows to fewer joints so that similar neighbouring rows stay similar.
#pragma once

#include <map>
#include <vector>

#include "dermis/bind.h"

namespace dermis {

// Cuts rows of the slots of one skin. Refers to the nodes and the skin, which must outlive it unchanged.
class RowCut {
 public:
  RowCut(const std::vector<Node>& nodes, const Skin& skin);

  // The weights of at most `count` slots (0: all), by slot, without those below `least` except the heaviest.
  // Continuous in the weights: a slot fades to zero where the next one replaces it, or at `least`. The weight
  // removed goes to the remaining slots, first to those near in the tree of nodes; the sum stays. Cost grows
  // with the depth of the tree.
  std::map<Index, double> cut(const std::map<Index, double>& row, std::size_t count, double least) const;

 private:
  double nearness(Index a, Index b) const;

  const std::vector<Node>& nodes_;
  const Skin& skin_;
  std::vector<int> depth_;  // of each node; 0: a root
};

}  // namespace dermis
