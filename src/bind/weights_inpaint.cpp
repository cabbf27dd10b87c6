// SPDX-License-Identifier: MIT
// Fills in weights between fixed ones: biharmonic (Abdrashitov et al. 2023), or harmonic if that is
// unreliable.
#include "bind/weights_inpaint.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "bind/places.h"

namespace dermis {
namespace {

using SparseMatrix = Eigen::SparseMatrix<double>;
using SlotMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Joints solved for at once.
constexpr std::size_t kSlotsTogether = 12;
// Relative to the strongest edge: weaker edges do not join two points.
constexpr double kLeastEdge = 1e-12;
// Relative to the mean: points of less area would dominate the energy.
constexpr double kLeastArea = 1e-6;
// In the harmonic solve, fixed points are held this much more strongly than any neighbour pulls.
constexpr double kHold = 1e6;
// Solutions of all joints sum to one up to rounding; if they are off by more, the solve is unreliable.
constexpr double kSettled = 1e-3;

// Replaces the numbers of filled points, `width` for each point, by the solution between those of the others.
using Fill = std::function<void(std::span<double> values, std::size_t width)>;

Result<Fill> harmonic_fill(const Canvas& canvas) {
  const std::vector<double>& sums = canvas.laplacian.diagonal;
  const double strongest = *std::max_element(sums.begin(), sums.end());
  const double hold = kHold * (strongest > 0 ? strongest : 1);
  std::vector<double> mass(sums.size());
  for (std::size_t v = 0; v < mass.size(); ++v) mass[v] = canvas.is_filled[v] != 0 ? 0 : hold;
  Result<LaplacianSolver> factored = factor_laplacian(canvas.laplacian, mass, 1);
  if (!factored) return factored.error();
  const auto solver = std::make_shared<LaplacianSolver>(std::move(*factored));
  return Fill([&canvas, solver, hold](std::span<double> values, std::size_t width) {
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k] = canvas.is_filled[k / width] != 0 ? 0 : hold * values[k];
    solver->solve(values, width);
  });
}

// M^-1/2 L, with areas relative to their mean.
SparseMatrix scaled_laplacian(const Canvas& canvas) {
  const Laplacian& laplacian = canvas.laplacian;
  const auto count = static_cast<Eigen::Index>(laplacian.point_count());
  const double mean =
      std::accumulate(canvas.areas.begin(), canvas.areas.end(), 0.0) / static_cast<double>(count);
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(laplacian.point_count() + laplacian.neighbours.size());
  for (std::size_t v = 0; v < laplacian.point_count(); ++v) {
    const double scale = mean > 0 ? 1 / std::sqrt(std::max(canvas.areas[v] / mean, kLeastArea)) : 1;
    const int row = static_cast<int>(v);
    entries.emplace_back(row, row, scale * laplacian.diagonal[v]);
    for (std::uint32_t k = laplacian.first[v]; k < laplacian.first[v + 1]; ++k)
      entries.emplace_back(row, static_cast<int>(laplacian.neighbours[k]), -scale * laplacian.weights[k]);
  }
  SparseMatrix scaled(count, count);
  scaled.setFromTriplets(entries.begin(), entries.end());
  return scaled;
}

// With A the columns of M^-1/2 L that belong to filled points and B the others: A^T A w = -A^T B held.
struct Biharmonic {
  std::vector<std::uint32_t> filled;
  SparseMatrix of_filled, whole;
  Eigen::SimplicialLDLT<SparseMatrix> solver;
};

Result<Fill> biharmonic_fill(const Canvas& canvas) {
  const auto system = std::make_shared<Biharmonic>();
  for (std::size_t v = 0; v < canvas.is_filled.size(); ++v) {
    if (canvas.is_filled[v] != 0) system->filled.push_back(static_cast<std::uint32_t>(v));
  }
  system->whole = scaled_laplacian(canvas);
  const auto filled_count = static_cast<Eigen::Index>(system->filled.size());
  SparseMatrix pick(system->whole.cols(), filled_count);
  pick.reserve(Eigen::VectorXi::Constant(filled_count, 1));
  for (Eigen::Index k = 0; k < filled_count; ++k)
    pick.insert(static_cast<Eigen::Index>(system->filled[static_cast<std::size_t>(k)]), k) = 1;
  system->of_filled = system->whole * pick;
  const SparseMatrix transposed = system->of_filled.transpose();
  system->solver.compute(transposed * system->of_filled);
  if (system->solver.info() != Eigen::Success)
    return Error{Errc::internal, "the energy of the weights is not positive definite"};
  return Fill([system](std::span<double> values, std::size_t width) {
    Eigen::Map<SlotMatrix> all(values.data(), system->whole.rows(), static_cast<Eigen::Index>(width));
    for (const std::uint32_t v : system->filled) all.row(v).setZero();
    const Eigen::MatrixXd pull = -(system->of_filled.transpose() * (system->whole * all));
    const Eigen::MatrixXd solved = system->solver.solve(pull);
    for (std::size_t k = 0; k < system->filled.size(); ++k)
      all.row(system->filled[k]) = solved.row(static_cast<Eigen::Index>(k));
  });
}

// The slots of all fixed rows, rising.
std::vector<Index> slots_of(const Canvas& canvas, const std::vector<LooseRow>& rows) {
  std::vector<Index> slots;
  for (std::size_t v = 0; v < rows.size(); ++v) {
    if (canvas.is_filled[v] != 0) continue;
    for (const SlotWeight& one : rows[v]) slots.push_back(one.slot);
  }
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  return slots;
}

// Computes the rows of filled points; `sums` gets the sums of their weights before clamping.
Status fill_rows(const Canvas& canvas, const Fill& fill, std::vector<LooseRow>& rows,
                 std::vector<double>& sums, const Progress& progress) {
  const std::vector<Index> slots = slots_of(canvas, rows);
  sums.assign(rows.size(), 0);
  for (std::size_t v = 0; v < rows.size(); ++v) {
    if (canvas.is_filled[v] != 0) rows[v].clear();
  }
  std::vector<double> values;
  for (std::size_t begin = 0; begin < slots.size(); begin += kSlotsTogether) {
    const double done = static_cast<double>(begin) / static_cast<double>(slots.size());
    if (Status going = progress.at("filling in weights", done); !going) return going;
    const std::size_t width = std::min(kSlotsTogether, slots.size() - begin);
    values.assign(rows.size() * width, 0.0);
    for (std::size_t v = 0; v < rows.size(); ++v) {
      for (const SlotWeight& one : rows[v]) {
        const auto found = std::lower_bound(slots.begin(), slots.end(), one.slot) - slots.begin();
        const auto column = static_cast<std::size_t>(found);
        if (canvas.is_filled[v] == 0 && column >= begin && column < begin + width)
          values[v * width + column - begin] = one.weight;
      }
    }
    fill(values, width);
    for (std::size_t v = 0; v < rows.size(); ++v) {
      for (std::size_t c = 0; c < width && canvas.is_filled[v] != 0; ++c) {
        const double weight = values[v * width + c];
        sums[v] += weight;
        if (weight > 0) rows[v].push_back({slots[begin + c], std::min(weight, 1.0)});
      }
    }
  }
  return Done{};
}

// The canvas with only those islands to fill that have an unreliable point.
Canvas unsettled_part(const Canvas& canvas, std::span<const double> sums) {
  std::vector<std::uint8_t> is_unsettled(sums.size(), 0);
  for (std::size_t v = 0; v < sums.size(); ++v) {
    if (canvas.is_filled[v] != 0 && !(std::abs(sums[v] - 1) <= kSettled)) is_unsettled[canvas.island[v]] = 1;
  }
  Canvas part = canvas;
  for (std::size_t v = 0; v < sums.size(); ++v) part.is_filled[v] &= is_unsettled[canvas.island[v]];
  return part;
}

}  // namespace

Canvas canvas_of(std::span<const Vec3> points, std::span<const SurfaceMesh::Triangle> triangles) {
  Canvas canvas;
  canvas.laplacian = cotangent_laplacian(points, triangles);
  canvas.areas = point_areas(points, triangles);
  canvas.is_filled.assign(points.size(), 0);
  std::vector<std::uint32_t>& parent = canvas.island;
  parent.resize(points.size());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  const Laplacian& laplacian = canvas.laplacian;
  double strongest = 0;
  for (const double weight : laplacian.weights) strongest = std::max(strongest, weight);
  for (std::uint32_t v = 0; v < parent.size(); ++v) {
    for (std::uint32_t k = laplacian.first[v]; k < laplacian.first[v + 1]; ++k) {
      if (laplacian.weights[k] <= kLeastEdge * strongest) continue;
      const std::uint32_t a = root(v), b = root(laplacian.neighbours[k]);
      parent[std::max(a, b)] = std::min(a, b);
    }
  }
  for (std::uint32_t v = 0; v < parent.size(); ++v) parent[v] = root(v);
  return canvas;
}

Result<std::vector<std::uint8_t>> inpaint_rows(const Canvas& canvas, std::vector<LooseRow>& rows,
                                               const Progress& progress) {
  const auto has_filled = [](const Canvas& some) {
    return std::find(some.is_filled.begin(), some.is_filled.end(), 1) != some.is_filled.end();
  };
  if (!has_filled(canvas)) return canvas.is_filled;
  std::vector<double> sums(rows.size(), 0);
  if (const Result<Fill> smooth = biharmonic_fill(canvas)) {
    if (Status filled = fill_rows(canvas, *smooth, rows, sums, progress); !filled) return filled.error();
  }
  Canvas left = unsettled_part(canvas, sums);
  if (has_filled(left)) {
    const Result<Fill> plain = harmonic_fill(left);
    if (!plain) return plain.error();
    if (Status filled = fill_rows(left, *plain, rows, sums, progress); !filled) return filled.error();
  }
  return std::move(left.is_filled);
}

}  // namespace dermis
