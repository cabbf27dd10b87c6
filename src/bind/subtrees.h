// SPDX-License-Identifier: MIT
// Which joints are below which, in constant time.
#pragma once

#include <vector>

#include "dermis/model.h"

namespace dermis {

// Numbers the items of a forest so that an item and all below it are consecutive.
class Subtrees {
 public:
  // The parent of each item, or kNone; no cycles.
  explicit Subtrees(std::span<const Index> parents);
  Subtrees() = default;
  // True for the item itself, too.
  bool is_below(Index item, Index above) const {
    const std::size_t number = first_[at(item)];
    return number >= first_[at(above)] && number - first_[at(above)] < size_[at(above)];
  }

 private:
  std::vector<std::size_t> first_, size_;
};

}  // namespace dermis
