// SPDX-License-Identifier: MIT
// What the weight operations share: rows of doubles, with some slots locked.
#pragma once

#include <span>
#include <vector>

#include "dermis/bind.h"

namespace dermis {

// A weight before rounding.
struct SlotWeight {
  Index slot = 0;
  double weight = 0;  // finite, at least zero
};

using LooseRow = std::vector<SlotWeight>;  // slots rise

inline bool is_locked(const SlotLocks& locks, Index slot) {
  return static_cast<std::size_t>(slot) < locks.size() && locks[static_cast<std::size_t>(slot)];
}

inline bool is_chosen(const PointChoice& points, std::size_t v) { return points.empty() || points[v]; }

// Adds up the weights of equal slots; slots rise afterwards.
void merge_slots(std::vector<SlotWeight>& weights);

// A row for a point whose row was `own`: its locked influences unchanged, and `wanted` (no slot twice)
// without locked slots, scaled to the remaining weight and rounded once (unchanged if they already fill it).
// `own` itself if nothing else is left.
std::vector<Influence> settled_row(std::span<const Influence> own, std::span<const SlotWeight> wanted,
                                   const SlotLocks& locks);

// One row after the other.
WeightRows joined_rows(std::span<const std::vector<Influence>> rows);

}  // namespace dermis
