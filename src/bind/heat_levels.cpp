// SPDX-License-Identifier: MIT
// Conjugate gradients for a few joints at a time, on the part of the surface that they heat, and a bound on
// what is left.
#include "bind/heat_levels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>

#include "bind/sparse_levels.h"

namespace dermis {
namespace {

// Joints solved together: those of one limb follow each other, and heat much of the same surface.
constexpr std::size_t kLanes = 4;
// How exactly heat is found, of 1.
struct HeatAccuracy {
  double trace;     // points where a coarser level finds more are looked at
  double escaping;  // more beside these points adds those where it would flow
  double settled;   // the error, as the preconditioner estimates it, at which the iteration ends
};
// If the bound on the error is not below kWanted, all is solved again, more exactly.
constexpr HeatAccuracy kUsual{3e-5, 5e-5, 5e-6}, kFine{1e-6, 1e-6, 1e-7};
constexpr double kWanted = 0.05;
// Settled on coarser levels, where it is only a start.
constexpr double kStarted = 1e-3;
// How often points beside may be added.
constexpr int kMostWidenings = 8;
constexpr int kMostIterations = 60;
// Rings of neighbours around what is looked at: on the coarsest level, which has no start, and on the others.
constexpr int kCoarsestRings = 8, kRings = 1;
// Relaxations of the result, from each side.
constexpr int kPolishes = 2;
// Relaxations on the coarsest level, from each side.
constexpr int kCoarsestSweeps = 4;
// Sweeps that move what is left of the equation to neighbours.
constexpr int kBoundSweeps = 48;
constexpr std::size_t kBoundGrain = 4096;
constexpr std::uint32_t kNotActive = std::numeric_limits<std::uint32_t>::max();

template <class T>
struct Laned {
  std::array<T, kLanes> lane{};

  T& operator[](std::size_t c) { return lane[c]; }
  const T& operator[](std::size_t c) const { return lane[c]; }
  template <class Other>
  void add(T factor, const Laned<Other>& other) {
    for (std::size_t c = 0; c < kLanes; ++c) lane[c] += factor * static_cast<T>(other.lane[c]);
  }
  Laned times(const Laned& other) const {
    Laned product;
    for (std::size_t c = 0; c < kLanes; ++c) product.lane[c] = lane[c] * other.lane[c];
    return product;
  }
  T largest() const {
    T most = 0;
    for (const T one : lane) most = std::max(most, std::abs(one));
    return most;
  }
};
using Lanes = Laned<double>;
using CoarseLanes = Laned<float>;

struct HeatEntry {
  std::uint32_t place = 0;
  Lanes value;
};
void sort_by_place(std::vector<HeatEntry>& entries) {
  std::sort(entries.begin(), entries.end(),
            [](const HeatEntry& a, const HeatEntry& b) { return a.place < b.place; });
}

// The part of a level that is looked at, with places of its own.
struct ActiveLevel {
  std::vector<std::uint32_t> point;  // ascending
  std::vector<std::uint32_t> first, column;
  std::vector<float> value;
  std::vector<double> diagonal;
  std::vector<std::uint32_t> rise_first, rise_column;
  std::vector<float> rise_value;
  std::vector<CoarseLanes> solution, right;  // of the preconditioner

  std::size_t count() const { return point.size(); }
  void clear() {
    for (std::vector<std::uint32_t>* list : {&point, &first, &column, &rise_first, &rise_column})
      list->clear();
    value.clear();
    diagonal.clear();
    rise_value.clear();
  }

  Lanes product(std::size_t v, std::span<const Lanes> x) const {
    Lanes sum;
    sum.add(diagonal[v], x[v]);
    for (std::uint32_t k = first[v]; k < first[v + 1]; ++k) sum.add(double{value[k]}, x[column[k]]);
    return sum;
  }

  CoarseLanes coarse_product(std::size_t v, std::span<const CoarseLanes> x) const {
    CoarseLanes sum;
    sum.add(static_cast<float>(diagonal[v]), x[v]);
    for (std::uint32_t k = first[v]; k < first[v + 1]; ++k) sum.add(value[k], x[column[k]]);
    return sum;
  }

  // Solves equation v for its own unknown.
  void relax(std::size_t v) {
    CoarseLanes sum = right[v];
    for (std::uint32_t k = first[v]; k < first[v + 1]; ++k) sum.add(-value[k], solution[column[k]]);
    solution[v] = {};
    solution[v].add(static_cast<float>(1 / diagonal[v]), sum);
  }
};

// Solves for the joints of one group after another.
class GroupSolver {
 public:
  GroupSolver(std::span<const SparseLevel> levels, const HeatAccuracy& accuracy)
      : levels_(levels), accuracy_(accuracy), places_(levels.size()), active_(levels.size()) {
    for (std::size_t l = 0; l < levels.size(); ++l) places_[l].assign(levels[l].count(), kNotActive);
  }

  void solve(std::span<const HeatEntry> right, const Progress& progress) {
    std::vector<std::vector<HeatEntry>> coarse_rights;  // of the levels above the first
    for (std::size_t l = 0; l + 1 < levels_.size(); ++l)
      coarse_rights.push_back(carried(levels_[l].rise,
                                      l == 0 ? right : std::span<const HeatEntry>(coarse_rights.back()),
                                      places_[l + 1]));
    std::vector<HeatEntry> start;
    for (std::size_t l = levels_.size(); l-- > 1 && !progress.is_stopped();) {
      solve_level(l, coarse_rights[l - 1], std::move(start), progress);
      start = risen(l);
    }
    solve_level(0, right, std::move(start), progress);
    for (int k = 0; k < kMostWidenings && !progress.is_stopped(); ++k) {
      std::vector<HeatEntry> wider = heat_beside();
      std::erase_if(wider, [&](const HeatEntry& entry) {
        return !(entry.value.largest() > accuracy_.escaping * levels_[0].diagonal[entry.place]);
      });
      if (wider.empty()) break;
      for (HeatEntry& entry : wider) entry.value = {};
      for (std::size_t v = 0; v < heat_.size(); ++v) wider.push_back({active_[0].point[v], heat_[v]});
      sort_by_place(wider);
      solve_level(0, right, std::move(wider), progress);
    }
    polish(right);
  }

  // The points that were looked at, and their heat.
  std::span<const std::uint32_t> points() const { return active_[0].point; }
  std::span<const Lanes> heat() const { return heat_; }

  // What is left of the equation after `solve`: where heat was looked for, and where some would flow to.
  std::vector<HeatEntry> left(std::span<const HeatEntry> right) {
    const ActiveLevel& active = active_[0];
    std::vector<HeatEntry> left = heat_beside();
    const std::size_t beside = left.size();
    for (std::uint32_t v = 0; v < active.count(); ++v) {
      places_[0][active.point[v]] = v;
      left.push_back({active.point[v], active.product(v, heat_)});
    }
    for (const HeatEntry& entry : right) left[beside + places_[0][entry.place]].value.add(-1, entry.value);
    forget(0, active.point);
    return left;
  }

 private:
  // rows^T * entries, in the order of its places.
  static std::vector<HeatEntry> carried(const SparseRows& rows, std::span<const HeatEntry> entries,
                                        std::vector<std::uint32_t>& places) {
    std::vector<HeatEntry> sums;
    for (const HeatEntry& entry : entries) {
      for (std::uint32_t k = rows.first[entry.place]; k < rows.first[entry.place + 1]; ++k) {
        std::uint32_t& place = places[rows.column[k]];
        if (place == kNotActive) {
          place = static_cast<std::uint32_t>(sums.size());
          sums.push_back({rows.column[k], {}});
        }
        sums[place].value.add(double{rows.value[k]}, entry.value);
      }
    }
    for (const HeatEntry& sum : sums) places[sum.place] = kNotActive;
    sort_by_place(sums);
    return sums;
  }

  // The heat found on level l, at the points of the finer one.
  std::vector<HeatEntry> risen(std::size_t l) {
    std::vector<HeatEntry> found;
    found.reserve(heat_.size());
    for (std::size_t v = 0; v < heat_.size(); ++v) found.push_back({active_[0].point[v], heat_[v]});
    std::vector<HeatEntry> fine = carried(levels_[l - 1].fall, found, places_[l - 1]);
    std::erase_if(fine, [&](const HeatEntry& entry) { return !(entry.value.largest() > accuracy_.trace); });
    return fine;
  }

  // The heat that would flow to the points beside those that were looked at on the first level.
  std::vector<HeatEntry> heat_beside() {
    for (const std::uint32_t v : active_[0].point) places_[0][v] = 0;
    std::vector<HeatEntry> flows;
    const SparseRows& beside = levels_[0].beside;
    for (std::size_t v = 0; v < heat_.size(); ++v) {
      const std::uint32_t point = active_[0].point[v];
      for (std::uint32_t k = beside.first[point]; k < beside.first[point + 1]; ++k) {
        if (places_[0][beside.column[k]] == 0) continue;
        flows.push_back({beside.column[k], {}});
        flows.back().value.add(-double{beside.value[k]}, heat_[v]);
      }
    }
    forget(0, active_[0].point);
    sort_by_place(flows);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < flows.size(); ++k) {
      if (kept > 0 && flows[kept - 1].place == flows[k].place) {
        flows[kept - 1].value.add(1, flows[k].value);
      } else {
        flows[kept++] = flows[k];
      }
    }
    flows.resize(kept);
    return flows;
  }

  void forget(std::size_t l, std::span<const std::uint32_t> points) {
    for (const std::uint32_t v : points) places_[l][v] = kNotActive;
  }

  // Sorted lists of places, each once.
  static std::vector<std::uint32_t> places_of(std::span<const HeatEntry> a, std::span<const HeatEntry> b) {
    std::vector<std::uint32_t> places;
    places.reserve(a.size() + b.size());
    std::size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
      const std::uint32_t next =
          j == b.size() || (i < a.size() && a[i].place < b[j].place) ? a[i].place : b[j].place;
      places.push_back(next);
      i += i < a.size() && a[i].place == next ? 1 : 0;
      j += j < b.size() && b[j].place == next ? 1 : 0;
    }
    return places;
  }

  void add_ring(std::size_t l, std::vector<std::uint32_t>& points) {
    const SparseRows& beside = levels_[l].beside;
    const std::size_t count = points.size();
    for (const std::uint32_t v : points) places_[l][v] = 0;
    for (std::size_t i = 0; i < count; ++i) {
      for (std::uint32_t k = beside.first[points[i]]; k < beside.first[points[i] + 1]; ++k) {
        std::uint32_t& place = places_[l][beside.column[k]];
        if (place == kNotActive) points.push_back(beside.column[k]);
        place = 0;
      }
    }
    forget(l, points);
    const auto added = points.begin() + static_cast<std::ptrdiff_t>(count);
    std::sort(added, points.end());
    std::inplace_merge(points.begin(), added, points.end());
  }

  // The unknowns of the coarser level that those of an active one follow.
  std::vector<std::uint32_t> coarse_points(std::size_t l, const ActiveLevel& active) {
    std::vector<std::uint32_t> points;
    for (const std::uint32_t column : active.rise_column) {
      if (places_[l + 1][column] == kNotActive) points.push_back(column);
      places_[l + 1][column] = 0;
    }
    forget(l + 1, points);
    std::sort(points.begin(), points.end());
    return points;
  }

  // Memory is kept from one use to the next.
  void cut_out(std::size_t l, std::vector<std::uint32_t> points, ActiveLevel& active) {
    const SparseLevel& level = levels_[l];
    active.clear();
    active.point = std::move(points);
    for (std::uint32_t v = 0; v < active.count(); ++v) places_[l][active.point[v]] = v;
    active.first.reserve(active.count() + 1);
    active.rise_first.reserve(active.count() + 1);
    active.first.push_back(0);
    active.rise_first.push_back(0);
    for (const std::uint32_t v : active.point) {
      for (std::uint32_t k = level.beside.first[v]; k < level.beside.first[v + 1]; ++k) {
        const std::uint32_t place = places_[l][level.beside.column[k]];
        if (place == kNotActive) continue;
        active.column.push_back(place);
        active.value.push_back(level.beside.value[k]);
      }
      active.first.push_back(static_cast<std::uint32_t>(active.column.size()));
      active.diagonal.push_back(level.diagonal[v]);
      const auto rise = [&](const auto& all) { return all.begin() + level.rise.first[v]; };
      const std::uint32_t count = level.rise.first[v + 1] - level.rise.first[v];
      active.rise_column.insert(active.rise_column.end(), rise(level.rise.column),
                                rise(level.rise.column) + count);
      active.rise_value.insert(active.rise_value.end(), rise(level.rise.value),
                               rise(level.rise.value) + count);
      active.rise_first.push_back(static_cast<std::uint32_t>(active.rise_column.size()));
    }
    active.solution.resize(active.count());
    active.right.resize(active.count());
  }

  // Solves on level l around a start, with the coarser levels as preconditioner.
  void solve_level(std::size_t l, std::span<const HeatEntry> right, std::vector<HeatEntry> start,
                   const Progress& progress) {
    std::vector<std::uint32_t> points = places_of(right, start);
    const int rings = l + 1 == levels_.size() ? kCoarsestRings : kRings;
    for (int ring = 0; ring < rings; ++ring) add_ring(l, points);
    active_count_ = 1;
    cut_out(l, std::move(points), active_[0]);
    heat_.assign(active_[0].count(), {});
    residual_.assign(active_[0].count(), {});
    for (const HeatEntry& entry : start) heat_[places_[l][entry.place]] = entry.value;
    start = {};  // large, and no longer needed
    for (const HeatEntry& entry : right) residual_[places_[l][entry.place]] = entry.value;
    forget(l, active_[0].point);
    for (std::size_t k = l + 1; k < levels_.size() && !active_[k - l - 1].rise_column.empty(); ++k) {
      ActiveLevel& fine = active_[active_count_ - 1];
      ActiveLevel& coarse = active_[active_count_++];
      cut_out(k, coarse_points(k - 1, fine), coarse);
      for (std::uint32_t& column : fine.rise_column) column = places_[k][column];
      forget(k, coarse.point);
    }
    iterate(l == 0 ? accuracy_.settled : kStarted, progress);
  }

  // Approximately solves active level `k` for its right side: one cycle, symmetric and positive definite.
  void cycle(std::size_t k) {
    ActiveLevel& level = active_[k];
    std::vector<CoarseLanes>& x = level.solution;
    const std::size_t count = level.count();
    // Forwards from zero: later unknowns are still zero.
    for (std::size_t v = 0; v < count; ++v) {
      CoarseLanes sum = level.right[v];
      for (std::uint32_t e = level.first[v]; e < level.first[v + 1] && level.column[e] < v; ++e)
        sum.add(-level.value[e], x[level.column[e]]);
      x[v] = {};
      x[v].add(static_cast<float>(1 / level.diagonal[v]), sum);
    }
    if (k + 1 == active_count_) {
      for (int sweep = 1; sweep < kCoarsestSweeps; ++sweep) {
        for (std::size_t v = count; v-- > 0;) level.relax(v);
        for (std::size_t v = 0; v < count; ++v) level.relax(v);
      }
    } else {
      ActiveLevel& coarse = active_[k + 1];
      std::fill(coarse.right.begin(), coarse.right.end(), CoarseLanes{});
      for (std::size_t v = 0; v < count; ++v) {
        if (level.rise_first[v] == level.rise_first[v + 1]) continue;
        // Only later unknowns disturb an equation that was just solved.
        CoarseLanes sum;
        for (std::uint32_t e = level.first[v + 1]; e-- > level.first[v] && level.column[e] > v;)
          sum.add(-level.value[e], x[level.column[e]]);
        for (std::uint32_t e = level.rise_first[v]; e < level.rise_first[v + 1]; ++e)
          coarse.right[level.rise_column[e]].add(level.rise_value[e], sum);
      }
      cycle(k + 1);
      for (std::size_t v = 0; v < count; ++v) {
        for (std::uint32_t e = level.rise_first[v]; e < level.rise_first[v + 1]; ++e)
          x[v].add(level.rise_value[e], coarse.solution[level.rise_column[e]]);
      }
    }
    for (std::size_t v = count; v-- > 0;) level.relax(v);
  }

  // Conjugate gradients from heat_, with the right side in residual_. They look for what is to be added, in
  // single precision: its rounding is far below what settles, and half the memory is half the time.
  void iterate(double settled, const Progress& progress) {
    ActiveLevel& level = active_[0];
    const std::size_t count = level.count();
    for (std::size_t v = 0; v < count; ++v) {
      residual_[v].add(-1, level.product(v, heat_));
      for (std::size_t c = 0; c < kLanes; ++c) level.right[v][c] = static_cast<float>(residual_[v][c]);
    }
    added_.assign(count, {});
    direction_.assign(count, {});
    image_.resize(count);
    Lanes before;
    for (int iteration = 0; iteration < kMostIterations && !progress.is_stopped(); ++iteration) {
      cycle(0);
      float largest = 0;
      const Lanes along = sum_of(count, [&](std::size_t v) {
        largest = std::max(largest, level.solution[v].largest());
        return level.right[v].times(level.solution[v]);
      });
      CoarseLanes kept, length;
      for (std::size_t c = 0; c < kLanes; ++c)
        kept[c] = before[c] > 0 ? static_cast<float>(along[c] / before[c]) : 0;
      before = along;
      for (std::size_t v = 0; v < count; ++v) {
        const CoarseLanes last = direction_[v];
        direction_[v] = level.solution[v];
        direction_[v].add(1, kept.times(last));
      }
      const Lanes curvature = sum_of(count, [&](std::size_t v) {
        image_[v] = level.coarse_product(v, direction_);
        return image_[v].times(direction_[v]);
      });
      for (std::size_t c = 0; c < kLanes; ++c)
        length[c] = along[c] > 0 && curvature[c] > 0 ? static_cast<float>(along[c] / curvature[c]) : 0;
      for (std::size_t v = 0; v < count; ++v) {
        added_[v].add(1, length.times(direction_[v]));
        level.right[v].add(-1, length.times(image_[v]));
      }
      if (double{largest} < settled) break;
    }
    for (std::size_t v = 0; v < count; ++v) heat_[v].add(1, added_[v]);
  }

  // The sum of single precision numbers in double.
  template <class Each>
  static Lanes sum_of(std::size_t count, const Each& each) {
    constexpr std::size_t kTogether = 256;
    Lanes sum;
    for (std::size_t begin = 0; begin < count; begin += kTogether) {
      CoarseLanes part;
      for (std::size_t v = begin; v < std::min(count, begin + kTogether); ++v) part.add(1, each(v));
      sum.add(1, part);
    }
    return sum;
  }

  // Relaxes what conjugate gradients leave from point to point, which the bound cannot see cancel.
  void polish(std::span<const HeatEntry> right) {
    const ActiveLevel& level = active_[0];
    residual_.assign(level.count(), {});
    std::size_t place = 0;
    for (const HeatEntry& entry : right) {
      while (level.point[place] != entry.place) ++place;
      residual_[place] = entry.value;
    }
    const auto relax = [&](std::size_t v) {
      Lanes sum = residual_[v];
      sum.add(-1, level.product(v, heat_));
      heat_[v].add(1 / level.diagonal[v], sum);
    };
    for (int sweep = 0; sweep < kPolishes; ++sweep) {
      for (std::size_t v = 0; v < level.count(); ++v) relax(v);
      for (std::size_t v = level.count(); v-- > 0;) relax(v);
    }
  }

  std::span<const SparseLevel> levels_;
  HeatAccuracy accuracy_;
  std::vector<std::vector<std::uint32_t>> places_;  // of points in active levels; kNotActive between uses
  std::vector<ActiveLevel> active_;                 // from the level that is being solved on downwards
  std::size_t active_count_ = 0;
  std::vector<Lanes> heat_, residual_;
  std::vector<CoarseLanes> added_, direction_, image_;
};

// Solvers that are not in use.
class SolverPool {
 public:
  SolverPool(std::span<const SparseLevel> levels, const HeatAccuracy& accuracy)
      : levels_(levels), accuracy_(accuracy) {}

  std::unique_ptr<GroupSolver> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<GroupSolver>(levels_, accuracy_);
    std::unique_ptr<GroupSolver> solver = std::move(free_.back());
    free_.pop_back();
    return solver;
  }
  void give_back(std::unique_ptr<GroupSolver> solver) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(solver));
  }

 private:
  std::span<const SparseLevel> levels_;
  HeatAccuracy accuracy_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<GroupSolver>> free_;
};

// capacity * source of the joints of each group, by point.
std::vector<std::vector<HeatEntry>> right_sides(std::span<const double> capacity, const HeatSources& sources,
                                                std::size_t joint_count) {
  std::vector<std::vector<HeatEntry>> rights((joint_count + kLanes - 1) / kLanes);
  for (std::uint32_t v = 0; v < capacity.size(); ++v) {
    for (const HeatSource& source : sources.of(v)) {
      std::vector<HeatEntry>& right = rights[at(source.joint) / kLanes];
      if (right.empty() || right.back().place != v) right.push_back({v, {}});
      right.back().value[at(source.joint) % kLanes] += capacity[v] * source.share;
    }
  }
  return rights;
}

// No solution of `level` for a right side within +-`left` exceeds this. With A the matrix, D its diagonal and
// c = A 1 the capacities, the inverse of A has no negative entry, so A^-1 s <= max(s / c). What is left may
// also be moved first: A^-1 s = D^-1 s + A^-1 (D - A) D^-1 s. That evens out points of tiny capacity.
double most_heat(const SparseLevel& level, std::span<const double> capacity, std::vector<double> left) {
  const std::size_t count = level.count();
  std::vector<double> moved(count, 0), next(count);
  double least = std::numeric_limits<double>::infinity();
  for (int sweep = 0; sweep <= kBoundSweeps; ++sweep) {
    double most_moved = 0, most_left = 0;
    for (std::size_t v = 0; v < count; ++v) {
      most_moved = std::max(most_moved, moved[v]);
      most_left = std::max(most_left, left[v] / capacity[v]);
    }
    least = std::min(least, most_moved + most_left);
    for (std::size_t v = 0; v < count; ++v) {
      left[v] /= level.diagonal[v];
      moved[v] += left[v];
    }
    parallel_for(count, kBoundGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        double sum = 0;
        for (std::uint32_t k = level.beside.first[v]; k < level.beside.first[v + 1]; ++k)
          sum -= double{level.beside.value[k]} * left[level.beside.column[k]];
        next[v] = sum;
      }
    });
    left.swap(next);
  }
  return least;
}

void keep_warm(const GroupSolver& solver, std::size_t group, std::vector<Heat>& heats) {
  for (std::size_t v = 0; v < solver.points().size(); ++v) {
    for (std::size_t c = 0; c < kLanes; ++c) {
      const double weight = solver.heat()[v][c];
      if (weight > kNegligibleHeat)
        heats.push_back(
            {solver.points()[v], static_cast<Index>(group * kLanes + c), static_cast<float>(weight)});
    }
  }
}

Result<HeatOnLevels> solve_groups(std::span<const SparseLevel> levels, std::span<const double> capacity,
                                  std::span<const std::vector<HeatEntry>> rights,
                                  const HeatAccuracy& accuracy, const Progress& progress) {
  HeatOnLevels heat;
  heat.groups.resize(rights.size());
  std::vector<double> left(capacity.size(), 0);
  std::size_t done = 0;
  std::mutex mutex;
  SolverPool pool(levels, accuracy);
  parallel_for(rights.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t g = begin; g < end && !progress.is_stopped(); ++g) {
      if (rights[g].empty()) continue;
      std::unique_ptr<GroupSolver> solver = pool.take();
      solver->solve(rights[g], progress);
      keep_warm(*solver, g, heat.groups[g]);
      const std::vector<HeatEntry> own = solver->left(rights[g]);
      pool.give_back(std::move(solver));
      const std::lock_guard lock(mutex);
      for (const HeatEntry& entry : own)
        left[entry.place] = std::max(left[entry.place], entry.value.largest());
      (void)progress.at("spreading heat", static_cast<double>(++done) / static_cast<double>(rights.size()));
    }
  });
  if (const Status going = progress.at("spreading heat", 1); !going) return going.error();
  heat.difference = most_heat(levels.front(), capacity, std::move(left));
  return heat;
}

}  // namespace

Result<HeatOnLevels> heat_on_levels(Laplacian laplacian, std::span<const double> capacity,
                                    const HeatSources& sources, std::size_t joint_count,
                                    const Progress& progress) {
  const Result<std::vector<SparseLevel>> levels = sparse_levels(std::move(laplacian), capacity, progress);
  if (!levels) return levels.error();
  const std::vector<std::vector<HeatEntry>> rights = right_sides(capacity, sources, joint_count);
  Result<HeatOnLevels> heat = solve_groups(*levels, capacity, rights, kUsual, progress);
  if (!heat || heat->difference < kWanted) return heat;
  return solve_groups(*levels, capacity, rights, kFine, progress);
}

}  // namespace dermis
