// SPDX-License-Identifier: MIT
// Bounded biharmonic weights on a lattice of cells: one factorization, all joints at once.
#include <fmt/format.h>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "bind/places.h"
#include "bind/solid_notes.h"
#include "dermis/bind.h"

namespace dermis {
namespace {

using SparseMatrix = Eigen::SparseMatrix<double>;

constexpr std::size_t kRowGrain = 256;
constexpr double kLeastBoundedWeight = 1e-3;
// Samples of a segment per cell it passes through; joints share cells by samples.
constexpr double kSamples = 16;
// The step of the iteration at a cell falls with the square of its distance from the handles: one step for
// all would creep near them, where the energy is stiff, or far from them. Of powers from 0 to 4 and factors
// from 0.4 to 4, tried on a humanoid starting from even weights, these took the fewest iterations.
constexpr double kStepAtHandles = 4;
constexpr double kLeastStep = 1e-4;
constexpr double kRelaxation = 1.6;

// ---- Handles ----

// Rows of fixed cells, and the unknowns among the others.
struct Handles {
  std::vector<std::int32_t> unknown;  // of each cell; -1: fixed
  std::vector<std::uint32_t> free_cells;
  std::vector<double> rows;   // cell x joint: weights of fixed cells, zero elsewhere
  std::vector<double> steps;  // of the iteration, for each free cell
  std::size_t outside_count = 0;
};

// Lengths of each joint's segments in cells, in samples; false if none is in the lattice.
bool add_lengths(const VoxelSolid& solid, const JointSegment& s, std::size_t joint_count,
                 std::vector<double>& rows) {
  const int count = 1 + static_cast<int>(std::min(1e6, kSamples * length(s.to - s.from) / solid.cell));
  bool is_inside = false;
  for (int k = 0; k < count; ++k) {
    const std::int32_t c = solid.find(lerp(s.from, s.to, (k + 0.5) / count));
    if (c < 0) continue;
    rows[static_cast<std::size_t>(c) * joint_count + static_cast<std::size_t>(s.joint)] += 1;
    is_inside = true;
  }
  return is_inside;
}

std::size_t nearest_cell(const VoxelSolid& solid, const Segment& segment) {
  std::size_t best = 0;
  double least = INFINITY;
  for (std::size_t c = 0; c < solid.cell_count(); ++c) {
    const double distance = distance_to_segment(solid.centre(c), segment.from, segment.to);
    if (distance < least) least = distance, best = c;
  }
  return best;
}

Handles find_handles(const VoxelSolid& solid, const BindSkeleton& skeleton) {
  const std::size_t joints = skeleton.joint_count();
  Handles handles;
  handles.rows.assign(solid.cell_count() * joints, 0.0);
  std::vector<std::uint8_t> is_inside(joints);
  for (const JointSegment& s : skeleton.segments) {
    if (add_lengths(solid, s, joints, handles.rows)) is_inside[static_cast<std::size_t>(s.joint)] = 1;
  }
  for (const JointSegment& s : skeleton.segments) {
    const std::size_t j = static_cast<std::size_t>(s.joint);
    if (is_inside[j] != 0) continue;
    handles.rows[nearest_cell(solid, {s.from, s.to}) * joints + j] += 1;
    is_inside[j] = 1;
    ++handles.outside_count;
  }
  handles.unknown.assign(solid.cell_count(), -1);
  for (std::size_t c = 0; c < solid.cell_count(); ++c) {
    const auto row = std::span(handles.rows).subspan(c * joints, joints);
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    if (sum > 0) {
      for (double& w : row) w /= sum;
    } else {
      handles.unknown[c] = static_cast<std::int32_t>(handles.free_cells.size());
      handles.free_cells.push_back(static_cast<std::uint32_t>(c));
    }
  }
  return handles;
}

void choose_steps(const VoxelSolid& solid, Handles& handles) {
  std::vector<std::uint32_t> ring(solid.cell_count(), 0), front;
  for (std::size_t c = 0; c < solid.cell_count(); ++c) {
    if (handles.unknown[c] < 0) front.push_back(static_cast<std::uint32_t>(c));
  }
  for (std::size_t k = 0; k < front.size(); ++k) {
    for (const std::int32_t n : solid.links[front[k]]) {
      if (n < 0 || handles.unknown[static_cast<std::size_t>(n)] < 0 || ring[static_cast<std::size_t>(n)] > 0)
        continue;
      ring[static_cast<std::size_t>(n)] = ring[front[k]] + 1;
      front.push_back(static_cast<std::uint32_t>(n));
    }
  }
  handles.steps.reserve(handles.free_cells.size());
  for (const std::uint32_t c : handles.free_cells) {
    const double away = ring[c] == 0 ? 1e6 : static_cast<double>(ring[c]);
    handles.steps.push_back(std::max(kLeastStep, kStepAtHandles / (away * away)));
  }
}

// ---- The energy ----

// D - W of the links, and of the shortest bridge of each cell; longer bridges are weaker.
SparseMatrix lattice_laplacian(const VoxelSolid& solid) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(solid.cell_count() * 9);
  const auto add = [&](std::size_t a, std::size_t b, double weight) {
    const int i = static_cast<int>(a), j = static_cast<int>(b);
    entries.emplace_back(i, j, -weight);
    entries.emplace_back(j, i, -weight);
    entries.emplace_back(i, i, weight);
    entries.emplace_back(j, j, weight);
  };
  for (std::size_t c = 0; c < solid.cell_count(); ++c) {
    for (const std::size_t side : {1u, 3u, 5u}) {
      if (solid.links[c][side] >= 0) add(c, static_cast<std::size_t>(solid.links[c][side]), 1);
    }
    if (solid.bridges.empty() || solid.bridge_first[c] == solid.bridge_first[c + 1]) continue;
    const auto shortest = std::min_element(
        solid.bridges.begin() + solid.bridge_first[c], solid.bridges.begin() + solid.bridge_first[c + 1],
        [](const VoxelSolid::Bridge& a, const VoxelSolid::Bridge& b) { return a.length < b.length; });
    add(c, shortest->to, std::min(1.0, solid.cell / static_cast<double>(shortest->length)));
  }
  const Eigen::Index size = static_cast<Eigen::Index>(solid.cell_count());
  SparseMatrix laplacian(size, size);
  laplacian.setFromTriplets(entries.begin(), entries.end());
  return laplacian;
}

// The rows and columns of free cells; the diagonal includes a multiple of their steps.
SparseMatrix free_part(const SparseMatrix& energy, const Handles& handles, double times) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(static_cast<std::size_t>(energy.nonZeros()) / 2);
  for (int column = 0; column < energy.outerSize(); ++column) {
    const int j = handles.unknown[static_cast<std::size_t>(column)];
    if (j < 0) continue;
    for (SparseMatrix::InnerIterator it(energy, column); it; ++it) {
      const int i = handles.unknown[static_cast<std::size_t>(it.row())];
      if (i >= j)
        entries.emplace_back(i, j,
                             it.value() + (i == j ? times * handles.steps[static_cast<std::size_t>(i)] : 0));
    }
  }
  const Eigen::Index size = static_cast<Eigen::Index>(handles.free_cells.size());
  SparseMatrix part(size, size);
  part.setFromTriplets(entries.begin(), entries.end());
  return part;
}

// L D L^T of the free part, row by row (Davis 2005), so that it can be stopped at each row. It is read once
// per block of right-hand sides, because reading takes most of the time.
class BlockSolver {
 public:
  static constexpr std::size_t kWidth = 8;
  using Block = std::array<double, kWidth>;

  // The order of elimination and the lengths of columns, for all matrices of this pattern; call before
  // factor.
  void analyse(const SparseMatrix& lower_part) {
    const SparseMatrix whole = lower_part.selfadjointView<Eigen::Lower>();
    Permutation unknown_of_place;
    Eigen::AMDOrdering<int>()(whole, unknown_of_place);
    place_ = unknown_of_place.inverse();
    const SparseMatrix upper = in_order(lower_part);
    const std::size_t size = static_cast<std::size_t>(upper.cols());
    parent_.assign(size, -1);
    std::vector<std::size_t> length(size, 0);
    std::vector<int> seen(size, -1);
    for (int k = 0; k < upper.outerSize(); ++k) {
      seen[at(k)] = k;
      for (SparseMatrix::InnerIterator it(upper, k); it; ++it) {
        for (int i = static_cast<int>(it.row()); seen[at(i)] != k; i = parent_[at(i)]) {
          if (parent_[at(i)] < 0) parent_[at(i)] = k;
          ++length[at(i)];
          seen[at(i)] = k;
        }
      }
    }
    first_.assign(size + 1, 0);
    std::partial_sum(length.begin(), length.end(), first_.begin() + 1);
    row_.resize(first_.back());
    value_.resize(first_.back());
    diagonal_.resize(size);
  }

  // False if the matrix is not positive definite, or the work was stopped.
  bool factor(const SparseMatrix& lower_part, const Progress& progress) {
    const SparseMatrix upper = in_order(lower_part);
    const std::size_t size = diagonal_.size();
    std::vector<double> y(size, 0.0);
    std::vector<std::size_t> end(first_.begin(), first_.end() - 1);
    std::vector<int> seen(size, -1), pattern(size), path(size);
    for (int k = 0; k < upper.outerSize(); ++k) {
      if (progress.is_stopped()) return false;
      // Columns of this row of L, each before its ancestors in the tree.
      std::size_t top = size;
      seen[at(k)] = k;
      for (SparseMatrix::InnerIterator it(upper, k); it; ++it) {
        y[at(static_cast<int>(it.row()))] += it.value();
        std::size_t steps = 0;
        for (int i = static_cast<int>(it.row()); seen[at(i)] != k; i = parent_[at(i)]) {
          path[steps++] = i;
          seen[at(i)] = k;
        }
        while (steps > 0) pattern[--top] = path[--steps];
      }
      double pivot = std::exchange(y[at(k)], 0.0);
      for (; top < size; ++top) {
        const std::size_t i = at(pattern[top]);
        const double of_column = std::exchange(y[i], 0.0), entry = of_column / diagonal_[i];
        for (std::size_t p = first_[i]; p < end[i]; ++p) y[at(row_[p])] -= value_[p] * of_column;
        pivot -= entry * of_column;
        row_[end[i]] = k;
        value_[end[i]++] = entry;
      }
      if (!(pivot > 0)) return false;
      diagonal_[at(k)] = pivot;
    }
    return true;
  }
  std::size_t place(std::size_t unknown) const {
    return at(place_.indices()[static_cast<Eigen::Index>(unknown)]);
  }
  // x by place.
  void solve(std::vector<Block>& x) const {
    for (std::size_t j = 0; j < x.size(); ++j) {
      const Block from = x[j];
      for (std::size_t k = first_[j]; k < first_[j + 1]; ++k) {
        Block& to = x[at(row_[k])];
        for (std::size_t c = 0; c < kWidth; ++c) to[c] -= value_[k] * from[c];
      }
    }
    for (std::size_t j = x.size(); j-- > 0;) {
      Block sum = x[j];
      for (double& s : sum) s /= diagonal_[j];
      for (std::size_t k = first_[j]; k < first_[j + 1]; ++k) {
        const Block& from = x[at(row_[k])];
        for (std::size_t c = 0; c < kWidth; ++c) sum[c] -= value_[k] * from[c];
      }
      x[j] = sum;
    }
  }

 private:
  using Permutation = Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int>;

  SparseMatrix in_order(const SparseMatrix& lower_part) const {
    SparseMatrix upper(lower_part.rows(), lower_part.cols());
    upper.selfadjointView<Eigen::Upper>() = lower_part.selfadjointView<Eigen::Lower>().twistedBy(place_);
    return upper;
  }

  Permutation place_;               // of each unknown in the order of elimination
  std::vector<int> parent_;         // of each column the first row below the diagonal, or -1
  std::vector<std::size_t> first_;  // of each column of L in `row_` and `value_`
  std::vector<int> row_;
  std::vector<double> value_, diagonal_;
};

// The nearest row with no entry below zero and sum one (Michelot 1986).
void project_row(std::span<const double> row, std::span<double> projected) {
  double level = (std::accumulate(row.begin(), row.end(), 0.0) - 1) / static_cast<double>(row.size());
  for (std::size_t count = row.size();;) {
    double sum = 0;
    std::size_t above = 0;
    for (const double w : row) {
      if (w > level) sum += w, ++above;
    }
    // Levels rise and counts fall, up to rounding.
    if (above >= count || above == 0) break;
    count = above;
    level = (sum - 1) / static_cast<double>(above);
  }
  for (std::size_t k = 0; k < row.size(); ++k) projected[k] = std::max(row[k] - level, 0.0);
}

// ---- The iteration ----

// min sum 1/2 w^T A w with every row w in the simplex, by alternating directions (Boyd et al. 2011): w
// minimises the energy near z - u, z is w + u projected onto the simplex, u accumulates the difference.
class WeightIteration {
 public:
  WeightIteration(const Handles& handles, std::size_t joint_count, const SparseMatrix& energy)
      : handles_(handles), joints_(joint_count), count_(handles.free_cells.size()) {
    pull_.assign(count_ * joints_, 0.0);
    for (std::size_t i = 0; i < count_; ++i) {
      for (SparseMatrix::InnerIterator it(energy, static_cast<int>(handles.free_cells[i])); it; ++it) {
        const std::size_t c = static_cast<std::size_t>(it.row());
        if (handles.unknown[c] >= 0) continue;
        for (std::size_t j = 0; j < joints_; ++j)
          pull_[i * joints_ + j] -= it.value() * handles.rows[c * joints_ + j];
      }
    }
    z_.assign(count_ * joints_, 1 / static_cast<double>(joints_));
    u_.assign(count_ * joints_, 0.0);
    w_.resize(count_ * joints_);
  }

  // Starts from the smoothest unbounded weights; the solver's matrix has no steps.
  void start(const BlockSolver& solver, const Progress& progress) {
    solve(solver, 0, progress);
    parallel_for(count_, kRowGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        project_row({&w_[i * joints_], joints_}, {&z_[i * joints_], joints_});
      }
    });
  }

  // How far weights still violate their bounds.
  double step(const BlockSolver& solver, const Progress& progress) {
    solve(solver, 1, progress);
    std::vector<double> moved((count_ + kRowGrain - 1) / kRowGrain);
    parallel_for(count_, kRowGrain, [&](std::size_t begin, std::size_t end) {
      std::vector<double> row(joints_);
      double largest = 0;
      for (std::size_t i = begin; i < end; ++i) {
        double *w = &w_[i * joints_], *z = &z_[i * joints_], *u = &u_[i * joints_];
        for (std::size_t j = 0; j < joints_; ++j) {
          largest = std::max(largest, std::abs(w[j] - z[j]));
          w[j] = kRelaxation * w[j] + (1 - kRelaxation) * z[j];
          row[j] = w[j] + u[j];
        }
        project_row(row, {z, joints_});
        for (std::size_t j = 0; j < joints_; ++j) u[j] = row[j] - z[j];
      }
      moved[begin / kRowGrain] = largest;
    });
    return moved.empty() ? 0 : *std::max_element(moved.begin(), moved.end());
  }

  // A row for each cell.
  std::vector<double> rows() const {
    std::vector<double> rows = handles_.rows;
    for (std::size_t i = 0; i < count_; ++i) {
      std::copy_n(&z_[i * joints_], joints_, &rows[handles_.free_cells[i] * joints_]);
    }
    return rows;
  }

 private:
  void solve(const BlockSolver& solver, double times, const Progress& progress) {
    constexpr std::size_t kWidth = BlockSolver::kWidth;
    parallel_for((joints_ + kWidth - 1) / kWidth, 1, [&](std::size_t begin, std::size_t end) {
      std::vector<BlockSolver::Block> x(count_);
      for (std::size_t block = begin; block < end && !progress.is_stopped(); ++block) {
        const std::size_t first = block * kWidth, wide = std::min(kWidth, joints_ - first);
        for (std::size_t i = 0; i < count_; ++i) {
          BlockSolver::Block& row = x[solver.place(i)];
          row.fill(0);
          for (std::size_t j = 0; j < wide; ++j) {
            const std::size_t k = i * joints_ + first + j;
            row[j] = times * handles_.steps[i] * (z_[k] - u_[k]) + pull_[k];
          }
        }
        solver.solve(x);
        for (std::size_t i = 0; i < count_; ++i)
          std::copy_n(x[solver.place(i)].data(), wide, &w_[i * joints_ + first]);
      }
    });
  }

  const Handles& handles_;
  std::size_t joints_, count_;
  std::vector<double> pull_, w_, z_, u_;  // free cell x joint
};

// ---- Points ----

WeightRows read_at_points(const BindSurface& surface, const VoxelSolid& solid, std::size_t joints,
                          std::span<const double> rows) {
  WeightRowBuilder builder;
  builder.reserve(surface.points.size(), surface.points.size() * 4);
  std::vector<double> row(joints);
  for (const Vec3& p : surface.points) {
    CellSample sample = sample_cells(solid, Vec3d(p));
    if (sample.count == 0) {
      sample.count = 1;
      sample.cells[0] = static_cast<std::uint32_t>(nearest_cell(solid, {Vec3d(p), Vec3d(p)}));
      sample.weights[0] = 1;
    }
    std::fill(row.begin(), row.end(), 0.0);
    for (std::size_t k = 0; k < static_cast<std::size_t>(sample.count); ++k) {
      const double part = static_cast<double>(sample.weights[k]);
      const double* of_cell = &rows[sample.cells[k] * joints];
      for (std::size_t j = 0; j < joints; ++j) row[j] += part * of_cell[j];
    }
    // With a thousand joints or more, every weight may be small: the heaviest always stays.
    const double least = std::min(kLeastBoundedWeight, *std::max_element(row.begin(), row.end()));
    for (std::size_t j = 0; j < joints; ++j) {
      if (row[j] >= least) builder.add(static_cast<Index>(j), static_cast<float>(row[j]));
    }
    builder.close_row(1);
  }
  return builder.take();
}

Result<BoundRows> bind(const BindSurface& surface, const BindSkeleton& skeleton,
                       const BiharmonicOptions& options, const Progress& progress) {
  const std::size_t joints = skeleton.joint_count();
  if (const Status bindable = check_bindable(surface, skeleton); !bindable) return bindable.error();
  if (const Status good = check_cell(options.cell, surface.size); !good) return good.error();
  SolidOptions of_solid;
  of_solid.cell = options.cell;
  of_solid.filled_budget = options.cells;
  const Result<VoxelSolid> solid =
      voxelize_solid(surface.points, surface.triangles, of_solid, progress.part(0, 0.15));
  if (!solid) return solid.error();
  Handles handles = find_handles(*solid, skeleton);
  choose_steps(*solid, handles);
  std::vector<double> rows = handles.rows;
  double left = 0;
  if (!handles.free_cells.empty()) {
    const SparseMatrix laplacian = lattice_laplacian(*solid);
    const SparseMatrix energy = laplacian * laplacian;
    BlockSolver solver;
    WeightIteration iteration(handles, joints, energy);
    // Two factorizations for all joints and iterations: without bounds, then with them. Only the second must
    // succeed, and its steps ensure that, however long and thin the body is.
    const SparseMatrix unbounded = free_part(energy, handles, 0);
    solver.analyse(unbounded);
    if (auto going = progress.at("factoring the energy", 0.2); !going) return going.error();
    if (solver.factor(unbounded, progress)) iteration.start(solver, progress);
    if (auto going = progress.at("factoring the energy", 0.25); !going) return going.error();
    const bool is_factored = solver.factor(free_part(energy, handles, 1), progress);
    if (auto going = progress.at("smoothing weights", 0.3); !going) return going.error();
    if (!is_factored) return Error{Errc::internal, "the energy of the weights is not positive definite"};
    left = INFINITY;
    for (std::size_t k = 0; k < options.iterations && left > options.tolerance; ++k) {
      const double done = static_cast<double>(k) / static_cast<double>(options.iterations);
      if (auto going = progress.at("smoothing weights", 0.3 + 0.6 * done); !going) return going.error();
      left = iteration.step(solver, progress);
    }
    if (auto going = progress.at("reading weights", 0.9); !going) return going.error();
    rows = iteration.rows();
  }
  BoundRows bound{read_at_points(surface, *solid, joints, rows), {}};
  note_solid(*solid, options.cell, "cells", bound.notes);
  note_joints_outside(handles.outside_count, bound.notes);
  if (left > options.tolerance) {
    bound.notes.push_back({Note::Kind::info, "bind-not-settled",
                           fmt::format("weights still moved by {:.2g} when the iteration ended", left)});
  }
  return bound;
}

}  // namespace

Result<BoundRows> bind_biharmonic(const BindSurface& surface, const BindSkeleton& skeleton,
                                  const BiharmonicOptions& options, const Progress& progress) {
  return without_throwing("binding by biharmonic weights",
                          [&] { return bind(surface, skeleton, options, progress); });
}

}  // namespace dermis
