// SPDX-License-Identifier: MIT
// Which item of a document's list each item of a character is, after items were added, removed or moved.
#pragma once

#include <span>
#include <vector>

#include "io/fingerprint.h"

namespace dermis {

struct Matching {
  std::vector<Index> old_of;  // of each item now, which of the document's it is; kNone: new
  std::vector<Index> new_of;  // of each item of the document, its number now; kNone: gone

  // No item of the document went or has another number.
  bool keeps_numbers() const;
};

// One way to know an item again: a key for each item of the document and each item now. A default
// Fingerprint is no key.
struct MatchKeys {
  std::vector<Fingerprint> before, now;
};
// Matches by each kind of key in turn, the most telling first: equal keys in their order. With `by_place`,
// what is left is the item that follows the match of its neighbour, if that is free.
Matching match(std::span<const MatchKeys> kinds, bool by_place);
// Every item is the document's item of the same number.
Matching match_by_number(std::size_t before, std::size_t now);

}  // namespace dermis
