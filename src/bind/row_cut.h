// SPDX-License-Identifier: MIT
// A row with fewer joints, so that neighbours whose rows are alike still are.
#pragma once

#include <map>
#include <vector>

#include "dermis/bind.h"

namespace dermis {

// Cuts rows of the slots of one skin. Refers to the nodes and the skin, which must outlive it unchanged.
class RowCut {
 public:
  RowCut(const std::vector<Node>& nodes, const Skin& skin);

  // The weights of at most `count` slots (0: all), by slot, without those below `least` but for the heaviest.
  // Continuous in the weights: a slot has nothing left where the next one takes its place, or at `least`.
  // What is cut goes to the slots that are left, those near in the tree of nodes before all; the sum stays.
  // Cost grows with the depth of the tree.
  std::map<Index, double> cut(const std::map<Index, double>& row, std::size_t count, double least) const;

 private:
  double nearness(Index a, Index b) const;

  const std::vector<Node>& nodes_;
  const Skin& skin_;
  std::vector<int> depth_;  // of each node; 0: a root
};

}  // namespace dermis
