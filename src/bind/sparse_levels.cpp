// SPDX-License-Identifier: MIT
// Algebraic coarsening of a sparse system by smoothed aggregation.
#include "bind/sparse_levels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace dermis {
namespace {

constexpr std::uint32_t kNoAggregate = std::numeric_limits<std::uint32_t>::max();
// An unknown whose entries beside the diagonal add up to less than this fraction of it needs no coarser
// level: relaxation alone halves its error.
constexpr double kLooselyBound = 0.5;
// Two unknowns may share an aggregate if their entry is at least this fraction of their diagonals' mean. Half
// of it on each coarser level, as in the paper.
constexpr double kStrong = 0.08;
// A coarser level must have at most this fraction of the unknowns.
constexpr double kLeastGain = 0.7;
constexpr std::size_t kMostCoarser = 24;
constexpr std::size_t kSparseGrain = 4096;

// Rows that are made independently of each other: `fill(row, entries)` appends the entries of one row, in any
// order.
struct MatrixEntry {
  std::uint32_t column = 0;
  double value = 0;
};
template <class MakeFill>
Result<SparseRows> make_rows(std::size_t count, const Progress& progress, const MakeFill& make_fill) {
  std::vector<SparseRows> parts((count + kSparseGrain - 1) / kSparseGrain);
  parallel_for(count, kSparseGrain, [&](std::size_t begin, std::size_t end) {
    if (progress.is_stopped()) return;
    SparseRows& part = parts[begin / kSparseGrain];
    auto fill = make_fill();
    std::vector<MatrixEntry> entries;
    for (std::size_t row = begin; row < end; ++row) {
      entries.clear();
      fill(row, entries);
      std::sort(entries.begin(), entries.end(),
                [](const MatrixEntry& a, const MatrixEntry& b) { return a.column < b.column; });
      for (const MatrixEntry& entry : entries) {
        part.column.push_back(entry.column);
        part.value.push_back(static_cast<float>(entry.value));
      }
      part.first.push_back(static_cast<std::uint32_t>(part.column.size()));
    }
  });
  if (const Status going = progress.at("spreading heat", 0); !going) return going.error();
  SparseRows rows;
  rows.first.reserve(count + 1);
  rows.first.push_back(0);
  std::size_t total = 0;
  for (const SparseRows& part : parts) total += part.column.size();
  rows.column.reserve(total);
  rows.value.reserve(total);
  for (SparseRows& part : parts) {
    const auto base = static_cast<std::uint32_t>(rows.column.size());
    for (const std::uint32_t last : part.first) rows.first.push_back(base + last);
    rows.column.insert(rows.column.end(), part.column.begin(), part.column.end());
    rows.value.insert(rows.value.end(), part.value.begin(), part.value.end());
    part = {};
  }
  return rows;
}

SparseRows transposed(const SparseRows& rows, std::size_t column_count) {
  SparseRows turned;
  turned.first.assign(column_count + 1, 0);
  for (const std::uint32_t column : rows.column) ++turned.first[column + 1];
  for (std::size_t c = 0; c < column_count; ++c) turned.first[c + 1] += turned.first[c];
  turned.column.resize(rows.column.size());
  turned.value.resize(rows.value.size());
  std::vector<std::uint32_t> next(turned.first.begin(), turned.first.end() - 1);
  for (std::uint32_t row = 0; row < rows.count(); ++row) {
    for (std::uint32_t k = rows.first[row]; k < rows.first[row + 1]; ++k) {
      const std::uint32_t place = next[rows.column[k]]++;
      turned.column[place] = row;
      turned.value[place] = rows.value[k];
    }
  }
  return turned;
}

// Groups the unknowns of a level around seeds.
class Aggregation {
 public:
  Aggregation(const SparseLevel& level, double strong) : level_(level), strong_(strong * strong) {
    of.assign(level.count(), kNoAggregate);
    is_loose_.resize(level.count());
    for (std::size_t v = 0; v < level.count(); ++v) {
      double sum = 0;
      each(v, [&](std::uint32_t k) { sum += std::abs(double{level.beside.value[k]}); });
      is_loose_[v] = sum < kLooselyBound * level.diagonal[v];
    }
    seed();
    join();
  }

  bool is_strong(std::size_t v, std::uint32_t k) const {
    const double value = double{level_.beside.value[k]};
    return value < 0 &&
           value * value >= strong_ * level_.diagonal[v] * level_.diagonal[level_.beside.column[k]];
  }

  std::vector<std::uint32_t> of;  // the aggregate of each unknown; kNoAggregate: none
  std::size_t count = 0;

 private:
  template <class Visit>
  void each(std::size_t v, const Visit& visit) const {
    for (std::uint32_t k = level_.beside.first[v]; k < level_.beside.first[v + 1]; ++k) visit(k);
  }

  // Unknowns of which no strong neighbour is taken, with these neighbours.
  void seed() {
    for (std::uint32_t v = 0; v < level_.count(); ++v) {
      if (is_loose_[v] || of[v] != kNoAggregate) continue;
      bool is_free = true;
      each(v, [&](std::uint32_t k) {
        is_free = is_free && (of[level_.beside.column[k]] == kNoAggregate || !is_strong(v, k));
      });
      if (!is_free) continue;
      of[v] = static_cast<std::uint32_t>(count);
      each(v, [&](std::uint32_t k) {
        const std::uint32_t other = level_.beside.column[k];
        if (is_strong(v, k) && !is_loose_[other]) of[other] = static_cast<std::uint32_t>(count);
      });
      ++count;
    }
  }

  // The rest joins the aggregate of its strongest neighbour, or becomes one of its own.
  void join() {
    const std::vector<std::uint32_t> seeded = of;
    for (std::uint32_t v = 0; v < level_.count(); ++v) {
      if (is_loose_[v] || of[v] != kNoAggregate) continue;
      double best = 0;
      each(v, [&](std::uint32_t k) {
        const std::uint32_t other = level_.beside.column[k];
        if (seeded[other] == kNoAggregate || !is_strong(v, k) || !(-double{level_.beside.value[k]} > best))
          return;
        best = -double{level_.beside.value[k]};
        of[v] = seeded[other];
      });
      if (of[v] == kNoAggregate) of[v] = static_cast<std::uint32_t>(count++);
    }
  }

  const SparseLevel& level_;
  double strong_;
  std::vector<bool> is_loose_;
};

// A bound on the eigenvalues of the matrix with rows divided by their diagonals (Gershgorin).
double largest_eigenvalue(const SparseLevel& level) {
  double largest = 0;
  for (std::size_t v = 0; v < level.count(); ++v) {
    double sum = 0;
    for (std::uint32_t k = level.beside.first[v]; k < level.beside.first[v + 1]; ++k)
      sum += std::abs(double{level.beside.value[k]});
    largest = std::max(largest, 1 + sum / level.diagonal[v]);
  }
  return largest;
}

void add(std::vector<MatrixEntry>& entries, std::uint32_t column, double value) {
  for (MatrixEntry& entry : entries) {
    if (entry.column == column) {
      entry.value += value;
      return;
    }
  }
  entries.push_back({column, value});
}

// Aggregates smoothed by one relaxation. Weak entries are added to the diagonal, so that nothing is smoothed
// across them.
Result<SparseRows> smoothed(const SparseLevel& level, const Aggregation& aggregates,
                            const Progress& progress) {
  const double relaxation = 4.0 / 3 / largest_eigenvalue(level);
  return make_rows(level.count(), progress, [&] {
    return [&](std::size_t v, std::vector<MatrixEntry>& entries) {
      if (aggregates.of[v] == kNoAggregate) return;
      double diagonal = level.diagonal[v];
      for (std::uint32_t k = level.beside.first[v]; k < level.beside.first[v + 1]; ++k)
        if (!aggregates.is_strong(v, k)) diagonal += double{level.beside.value[k]};
      // Strong entries alone dominate nothing if weak positive ones were larger than the diagonal.
      diagonal = std::max(diagonal, 0.1 * level.diagonal[v]);
      entries.push_back({aggregates.of[v], 1 - relaxation});
      for (std::uint32_t k = level.beside.first[v]; k < level.beside.first[v + 1]; ++k) {
        const std::uint32_t aggregate = aggregates.of[level.beside.column[k]];
        if (aggregate != kNoAggregate && aggregates.is_strong(v, k))
          add(entries, aggregate, -relaxation * double{level.beside.value[k]} / diagonal);
      }
    };
  });
}

// rise^T matrix rise.
Result<SparseLevel> coarser(const SparseLevel& level, const Progress& progress) {
  const SparseRows& fall = level.fall;
  const std::size_t count = fall.count();
  SparseLevel coarse;
  coarse.diagonal.assign(count, 0);
  Result<SparseRows> beside = make_rows(count, progress, [&] {
    return [&, place = std::vector<std::uint32_t>(count, kNoAggregate)](
               std::size_t row, std::vector<MatrixEntry>& entries) mutable {
      const auto add_rise = [&](std::uint32_t v, double factor) {
        for (std::uint32_t k = level.rise.first[v]; k < level.rise.first[v + 1]; ++k) {
          std::uint32_t& known = place[level.rise.column[k]];
          if (known == kNoAggregate) {
            known = static_cast<std::uint32_t>(entries.size());
            entries.push_back({level.rise.column[k], 0});
          }
          entries[known].value += factor * double{level.rise.value[k]};
        }
      };
      for (std::uint32_t f = fall.first[row]; f < fall.first[row + 1]; ++f) {
        const std::uint32_t v = fall.column[f];
        const double share = double{fall.value[f]};
        add_rise(v, share * level.diagonal[v]);
        for (std::uint32_t k = level.beside.first[v]; k < level.beside.first[v + 1]; ++k)
          add_rise(level.beside.column[k], share * double{level.beside.value[k]});
      }
      for (const MatrixEntry& entry : entries) {
        place[entry.column] = kNoAggregate;
        if (entry.column == row) coarse.diagonal[row] = entry.value;
      }
      std::erase_if(entries, [&](const MatrixEntry& entry) { return entry.column == row; });
    };
  });
  if (!beside) return beside.error();
  coarse.beside = std::move(*beside);
  return coarse;
}

SparseLevel first_level(Laplacian laplacian, std::span<const double> mass) {
  SparseLevel level;
  level.diagonal.assign(mass.begin(), mass.end());
  level.beside.value.resize(laplacian.weights.size());
  for (std::size_t v = 0; v < mass.size(); ++v) {
    for (std::uint32_t k = laplacian.first[v]; k < laplacian.first[v + 1]; ++k) {
      const auto weight = static_cast<float>(laplacian.weights[k]);
      level.beside.value[k] = -weight;
      level.diagonal[v] += double{weight};
    }
  }
  level.beside.first = std::move(laplacian.first);
  level.beside.column = std::move(laplacian.neighbours);
  return level;
}

}  // namespace

Result<std::vector<SparseLevel>> sparse_levels(Laplacian laplacian, std::span<const double> mass,
                                               const Progress& progress) {
  std::vector<SparseLevel> levels;
  levels.push_back(first_level(std::move(laplacian), mass));
  double strong = kStrong;
  while (levels.size() < kMostCoarser) {
    SparseLevel& level = levels.back();
    const Aggregation aggregates(level, strong);
    if (const Status going = progress.at("spreading heat", 0); !going) return going.error();
    if (aggregates.count == 0 ||
        static_cast<double>(aggregates.count) > kLeastGain * static_cast<double>(level.count()))
      break;
    Result<SparseRows> rise = smoothed(level, aggregates, progress);
    if (!rise) return rise.error();
    level.rise = std::move(*rise);
    level.fall = transposed(level.rise, aggregates.count);
    Result<SparseLevel> coarse = coarser(level, progress);
    if (!coarse) return coarse.error();
    levels.push_back(std::move(*coarse));
    strong /= 2;
  }
  levels.back().rise.first.assign(levels.back().count() + 1, 0);
  levels.back().fall.first.assign(1, 0);
  return levels;
}

}  // namespace dermis
