// SPDX-License-Identifier: MIT
// Which item of a document's list each item of a character is, after items were added, removed or moved.
#pragma once

#include <span>
#include <vector>

#include "io/fingerprint.h"

namespace dermis {

struct Matching {
  std::vector<Index> old_of;  // document item of each current item; kNone: new
  std::vector<Index> new_of;  // current index of each document item; kNone: removed

  // True if no item of the document was removed or renumbered.
  bool keeps_numbers() const;
};

// One way to recognise an item: a key for each document item and each current item. A default Fingerprint is
// not a key.
struct MatchKeys {
  std::vector<Fingerprint> before, now;
};
// Matches by each kind of key in turn, the most specific first: equal keys in order. With `by_place`, an
// unmatched item is then matched with the item after its neighbour's match, if that is free.
Matching match(std::span<const MatchKeys> kinds, bool by_place);
// Matches every item with the document's item of the same index.
Matching match_by_number(std::size_t before, std::size_t now);

}  // namespace dermis
