// SPDX-License-Identifier: MIT
// Turns raw influences into weight rows that satisfy the invariant, and packs rows for files and GPUs.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "dermis/model.h"

namespace dermis {
namespace {

// Twice the largest change of a sum of one from rounding each weight once. Rows within it are unchanged, so
// that closing a closed row changes no bit and a file that is loaded, saved and loaded again stays the same.
constexpr double kRoundingOfOne = 1.0 / (1 << 23);

bool is_heavier(const Influence& a, const Influence& b) {
  return a.weight != b.weight ? a.weight > b.weight : a.slot < b.slot;
}

bool has_lower_slot(const Influence& a, const Influence& b) { return a.slot < b.slot; }
bool has_same_slot(const Influence& a, const Influence& b) { return a.slot == b.slot; }

// Adds up the weights of equal slots, which are adjacent, and divides by `total`: in one step, so that each
// weight is rounded once and no sum overflows a float.
void merge_equal_slots(std::vector<Influence>& row, double total) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < row.size(); ++kept) {
    const Index slot = row[i].slot;
    double sum = 0;
    for (; i < row.size() && row[i].slot == slot; ++i) sum += static_cast<double>(row[i].weight);
    // Rounding may leave a single weight slightly above one.
    row[kept] = {slot, static_cast<float>(std::min(sum / total, 1.0))};
  }
  row.resize(kept);
}

// Stable. Rows are short and mostly sorted already; insertion sort then needs neither memory nor many steps.
template <class Before>
void sort_row(std::vector<Influence>& row, const Before& before) {
  constexpr std::size_t kShort = 16;
  if (row.size() > kShort) {
    std::stable_sort(row.begin(), row.end(), before);
    return;
  }
  for (std::size_t i = 1; i < row.size(); ++i) {
    for (std::size_t k = i; k > 0 && before(row[k], row[k - 1]); --k) std::swap(row[k], row[k - 1]);
  }
}

double sum_of(std::span<const Influence> row) {
  double sum = 0;
  for (const Influence& influence : row) sum += static_cast<double>(influence.weight);
  return sum;
}

// One row as `scale` equal units, distributed by largest remainder.
void quantise_row(std::span<const Influence> row, std::uint32_t scale, std::uint16_t* slots,
                  std::uint16_t* weights) {
  const double grains_per_weight = static_cast<double>(scale) / sum_of(row);
  std::vector<double> remainder(row.size());
  std::uint32_t given = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const double grains = static_cast<double>(row[i].weight) * grains_per_weight;
    const double whole = std::min(std::floor(grains), static_cast<double>(scale - given));
    weights[i] = static_cast<std::uint16_t>(whole);
    remainder[i] = grains - whole;
    given += weights[i];
  }
  std::vector<std::size_t> order(row.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Equal remainders go to the heavier influence; that keeps the row sorted.
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainder[a] > remainder[b]; });
  for (std::size_t k = 0; given < scale; k = (k + 1) % order.size(), ++given) ++weights[order[k]];
  for (std::size_t i = 0; i < row.size(); ++i) {
    assert(row[i].slot >= 0 && row[i].slot < 65536);
    slots[i] = weights[i] > 0 ? static_cast<std::uint16_t>(row[i].slot) : std::uint16_t{0};
  }
}

}  // namespace

void WeightRowBuilder::reserve(std::size_t row_count, std::size_t influence_count) {
  rows_.first.reserve(row_count + 1);
  rows_.influences.reserve(influence_count);
}

void WeightRowBuilder::add(Index slot, float weight) { open_.push_back({slot, weight}); }

void WeightRowBuilder::close_row(double sum_tolerance) {
  if (rows_.first.empty()) rows_.first.push_back(0);
  const auto count = [&](std::uint32_t& rows, Index& first, std::size_t more) {
    if (rows == 0 && more > 0) first = static_cast<Index>(rows_.first.size() - 1);
    rows += static_cast<std::uint32_t>(more);
  };
  const Index first_named = open_.empty() ? 0 : open_.front().slot;
  const auto is_faulty = [](const Influence& i) { return !std::isfinite(i.weight) || i.weight < 0; };
  count(repairs_.negative, repairs_.first_negative, std::erase_if(open_, is_faulty));
  std::erase_if(open_, [](const Influence& i) { return i.weight == 0; });
  if (open_.empty()) {
    count(repairs_.unweighted, repairs_.first_unweighted, 1);
    open_.push_back({first_named, 1.0f});
  } else {
    const double sum = sum_of(open_);
    const double off = std::abs(sum - 1);
    if (off > sum_tolerance) count(repairs_.not_normalised, repairs_.first_not_normalised, 1);
    if (off > std::abs(repairs_.worst_sum - 1)) repairs_.worst_sum = sum;
    // Stable, so that a slot's weights are added in file order.
    sort_row(open_, has_lower_slot);
    const std::size_t named = open_.size();
    const bool has_twins = std::adjacent_find(open_.begin(), open_.end(), has_same_slot) != open_.end();
    merge_equal_slots(open_, off > kRoundingOfOne || has_twins ? sum : 1.0);
    count(repairs_.merged, repairs_.first_merged, named - open_.size());
    // Weights that are too small relative to the others become zero in float.
    std::erase_if(open_, [](const Influence& i) { return i.weight == 0; });
    sort_row(open_, is_heavier);
  }
  rows_.influences.insert(rows_.influences.end(), open_.begin(), open_.end());
  rows_.first.push_back(static_cast<std::uint32_t>(rows_.influences.size()));
  open_.clear();
}

WeightRows WeightRowBuilder::take() {
  WeightRows rows = std::move(rows_);
  *this = WeightRowBuilder{};
  return rows;
}

PackedWeights pack_weights(const WeightRows& rows, int influences, std::uint32_t scale) {
  assert(influences > 0 && scale > 0 && scale <= 65535);
  PackedWeights packed;
  packed.influences = influences;
  packed.scale = scale;
  const std::size_t width = static_cast<std::size_t>(influences);
  const std::size_t count = rows.empty() ? 0 : rows.first.size() - 1;
  packed.slots.assign(count * width, 0);
  packed.weights.assign(count * width, 0);
  for (std::size_t v = 0; v < count; ++v) {
    std::span<const Influence> row = rows.row(v);
    if (row.size() > width) {
      ++packed.cut_rows;
      packed.max_cut = std::max(packed.max_cut, static_cast<float>(sum_of(row.subspan(width))));
      row = row.first(width);
    }
    quantise_row(row, scale, &packed.slots[v * width], &packed.weights[v * width]);
  }
  return packed;
}

}  // namespace dermis
