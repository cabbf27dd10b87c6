// SPDX-License-Identifier: MIT
// Operations on one row at a time: prune, remap, blend, and the rounding at the end of each.
#include "bind/weights_rows.h"
#include "bind/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dermis {
namespace {

// Twice the error that rounding each weight once can cause in a sum of one.
constexpr double kRoundingOfOne = 1.0 / (1 << 23);

std::size_t row_count(const WeightRows& rows) { return rows.empty() ? 0 : rows.first.size() - 1; }

bool is_heavier(const Influence& a, const Influence& b) {
  return a.weight != b.weight ? a.weight > b.weight : a.slot < b.slot;
}

// The weights that stay, of those that are not locked.
std::vector<SlotWeight> kept_weights(std::span<const Influence> row, float threshold,
                                     const SlotLocks& locks) {
  std::vector<SlotWeight> kept;
  kept.reserve(row.size());
  // Rows are sorted: the first unlocked weight is the heaviest.
  for (const Influence& influence : row) {
    if (is_locked(locks, influence.slot)) continue;
    if (kept.empty() || influence.weight >= threshold)
      kept.push_back({influence.slot, static_cast<double>(influence.weight)});
  }
  return kept;
}

}  // namespace

void merge_slots(std::vector<SlotWeight>& weights) {
  std::stable_sort(weights.begin(), weights.end(),
                   [](const SlotWeight& a, const SlotWeight& b) { return a.slot < b.slot; });
  std::size_t kept = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (kept > 0 && weights[kept - 1].slot == weights[k].slot)
      weights[kept - 1].weight += weights[k].weight;
    else
      weights[kept++] = weights[k];
  }
  weights.resize(kept);
}

std::vector<Influence> settled_row(std::span<const Influence> own, std::span<const SlotWeight> wanted,
                                   const SlotLocks& locks) {
  std::vector<Influence> row;
  row.reserve(own.size() + wanted.size());
  double locked = 0, sum = 0;
  for (const Influence& influence : own) {
    if (!is_locked(locks, influence.slot)) continue;
    row.push_back(influence);
    locked += static_cast<double>(influence.weight);
  }
  for (const SlotWeight& weight : wanted) sum += is_locked(locks, weight.slot) ? 0 : weight.weight;
  const bool is_all_locked = !own.empty() && row.size() == own.size();
  const double share = 1 - locked;
  if (is_all_locked || !(share > 0) || !(sum > 0)) return {own.begin(), own.end()};
  // Weights that already fill their share keep their bits.
  const double scale = std::abs(sum - share) <= kRoundingOfOne ? 1 : share / sum;
  const std::size_t locked_count = row.size();
  for (const SlotWeight& weight : wanted) {
    if (is_locked(locks, weight.slot)) continue;
    const auto rounded = static_cast<float>(std::min(weight.weight * scale, 1.0));
    if (rounded > 0) row.push_back({weight.slot, rounded});
  }
  if (row.size() == locked_count) return {own.begin(), own.end()};
  std::sort(row.begin(), row.end(), is_heavier);
  return row;
}

WeightRows joined_rows(std::span<const std::vector<Influence>> rows) {
  WeightRows joined;
  std::size_t count = 0;
  for (const std::vector<Influence>& row : rows) count += row.size();
  joined.first.reserve(rows.size() + 1);
  joined.influences.reserve(count);
  joined.first.push_back(0);
  for (const std::vector<Influence>& row : rows) {
    joined.influences.insert(joined.influences.end(), row.begin(), row.end());
    joined.first.push_back(static_cast<std::uint32_t>(joined.influences.size()));
  }
  return joined;
}

double row_distance(std::span<const Influence> a, std::span<const Influence> b) {
  double sum = 0;
  const auto weight_in = [](std::span<const Influence> row, Index slot) {
    const auto found =
        std::find_if(row.begin(), row.end(), [&](const Influence& one) { return one.slot == slot; });
    return found == row.end() ? 0.0 : static_cast<double>(found->weight);
  };
  for (const Influence& one : a) sum += std::abs(static_cast<double>(one.weight) - weight_in(b, one.slot));
  for (const Influence& one : b) sum += weight_in(a, one.slot) > 0 ? 0 : static_cast<double>(one.weight);
  return sum;
}

WeightRows pruned_weights(const WeightRows& rows, float threshold, const SlotLocks& locks) {
  std::vector<std::vector<Influence>> pruned(row_count(rows));
  for (std::size_t v = 0; v < pruned.size(); ++v) {
    const std::span<const Influence> row = rows.row(v);
    const std::vector<SlotWeight> kept = kept_weights(row, threshold, locks);
    const auto locked = static_cast<std::size_t>(std::count_if(
        row.begin(), row.end(), [&](const Influence& one) { return is_locked(locks, one.slot); }));
    if (kept.size() + locked == row.size())
      pruned[v].assign(row.begin(), row.end());
    else
      pruned[v] = settled_row(row, kept, locks);
  }
  return rows.empty() ? rows : joined_rows(pruned);
}

WeightRows remapped_weights(const WeightRows& rows, std::span<const Index> new_slot) {
  std::vector<std::vector<Influence>> remapped(row_count(rows));
  std::vector<SlotWeight> weights;
  for (std::size_t v = 0; v < remapped.size(); ++v) {
    const std::span<const Influence> row = rows.row(v);
    const bool is_same = std::all_of(row.begin(), row.end(), [&](const Influence& influence) {
      return new_slot[at(influence.slot)] == influence.slot;
    });
    if (is_same) {
      remapped[v].assign(row.begin(), row.end());
      continue;
    }
    weights.clear();
    for (const Influence& influence : row)
      weights.push_back({new_slot[at(influence.slot)], static_cast<double>(influence.weight)});
    merge_slots(weights);
    remapped[v] = settled_row({}, weights, {});
  }
  return rows.empty() ? rows : joined_rows(remapped);
}

Result<WeightRows> blended_weights(const WeightRows& a, const WeightRows& b, double factor,
                                   const SlotLocks& locks) {
  return without_throwing("blending weights", [&]() -> Result<WeightRows> {
    if (row_count(a) != row_count(b) || a.empty()) {
      return Error{Errc::bad_argument,
                   fmt::format("there are {} points with weights on one side and {} on the other",
                               row_count(a), row_count(b))};
    }
    if (!(factor >= 0 && factor <= 1))
      return Error{Errc::bad_argument, fmt::format("the factor {:g} is not between 0 and 1", factor)};
    std::vector<std::vector<Influence>> blended(row_count(a));
    std::vector<SlotWeight> weights;
    for (std::size_t v = 0; v < blended.size(); ++v) {
      const std::span<const Influence> own = a.row(v), other = b.row(v);
      if (factor == 0 || std::equal(own.begin(), own.end(), other.begin(), other.end())) {
        blended[v].assign(own.begin(), own.end());
        continue;
      }
      weights.clear();
      for (const Influence& one : own)
        weights.push_back({one.slot, (1 - factor) * static_cast<double>(one.weight)});
      for (const Influence& one : other)
        weights.push_back({one.slot, factor * static_cast<double>(one.weight)});
      merge_slots(weights);
      blended[v] = settled_row(own, weights, locks);
    }
    return joined_rows(blended);
  });
}

}  // namespace dermis
