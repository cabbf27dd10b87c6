// SPDX-License-Identifier: MIT
// Matches the items of a document's lists with those of an edited character.
#include "io/gltf/match.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

namespace dermis {
namespace {

struct KeyHash {
  std::size_t operator()(const Fingerprint& key) const { return static_cast<std::size_t>(key.low); }
};

void pair_up(Matching& matching, std::size_t before, std::size_t now) {
  matching.old_of[now] = static_cast<Index>(before);
  matching.new_of[before] = static_cast<Index>(now);
}

// Matches equal items at both ends: what is between them was edited, and most edits are there.
void match_ends(const MatchKeys& keys, Matching& matching) {
  std::size_t first = 0, before = keys.before.size(), now = keys.now.size();
  for (; first < before && first < now && keys.before[first] == keys.now[first]; ++first)
    pair_up(matching, first, first);
  for (; before > first && now > first && keys.before[before - 1] == keys.now[now - 1]; --before, --now)
    pair_up(matching, before - 1, now - 1);
}

void match_equal(const MatchKeys& keys, Matching& matching) {
  std::unordered_map<Fingerprint, std::deque<std::size_t>, KeyHash> free;
  for (std::size_t o = 0; o < keys.before.size(); ++o) {
    if (matching.new_of[o] == kNone && keys.before[o] != Fingerprint{}) free[keys.before[o]].push_back(o);
  }
  for (std::size_t n = 0; n < keys.now.size(); ++n) {
    if (matching.old_of[n] != kNone) continue;
    const auto found = free.find(keys.now[n]);
    if (found == free.end() || found->second.empty()) continue;
    pair_up(matching, found->second.front(), n);
    found->second.pop_front();
  }
}

void match_places(Matching& matching) {
  for (std::size_t n = 0; n < matching.old_of.size(); ++n) {
    if (matching.old_of[n] != kNone) continue;
    const Index neighbour = n == 0 ? kNone : matching.old_of[n - 1];
    if (n > 0 && neighbour == kNone) continue;
    const std::size_t next = at(neighbour + 1);
    if (next < matching.new_of.size() && matching.new_of[next] == kNone) pair_up(matching, next, n);
  }
}

}  // namespace

bool Matching::keeps_numbers() const {
  for (std::size_t o = 0; o < new_of.size(); ++o) {
    if (new_of[o] != static_cast<Index>(o)) return false;
  }
  return true;
}

Matching match(std::span<const MatchKeys> kinds, bool by_place) {
  Matching matching;
  matching.old_of.assign(kinds.front().now.size(), kNone);
  matching.new_of.assign(kinds.front().before.size(), kNone);
  match_ends(kinds.front(), matching);
  for (const MatchKeys& keys : kinds) match_equal(keys, matching);
  if (by_place) match_places(matching);
  return matching;
}

Matching match_by_number(std::size_t before, std::size_t now) {
  Matching matching;
  matching.old_of.assign(now, kNone);
  matching.new_of.assign(before, kNone);
  for (std::size_t k = 0; k < std::min(before, now); ++k) pair_up(matching, k, k);
  return matching;
}

}  // namespace dermis
