// SPDX-License-Identifier: MIT
// Uniform and cotangent Laplacians of triangle surfaces, and solves with them.
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "dermis/geometry.h"

namespace dermis {
namespace {

using Triangle = SurfaceMesh::Triangle;
using SparseMatrix = Eigen::SparseMatrix<double>;

// Beyond this a triangle is a needle whose cotangents are rounding, and would only worsen the condition
// number.
constexpr double kMostCotangent = 100;

// The cotangent of the angle between a and b.
double cotangent(const Vec3d& a, const Vec3d& b) {
  const double along = dot(a, b), across = length(cross(a, b));
  if (std::abs(along) >= kMostCotangent * across) {
    return along > 0 ? kMostCotangent : along < 0 ? -kMostCotangent : 0;
  }
  return along / across;
}

std::uint32_t place_of(const Laplacian& laplacian, std::uint32_t v, std::uint32_t neighbour) {
  const auto row = laplacian.neighbours.begin();
  const auto found = std::lower_bound(row + laplacian.first[v], row + laplacian.first[v + 1], neighbour);
  return static_cast<std::uint32_t>(found - row);
}

void add_up_rows(Laplacian& laplacian) {
  laplacian.diagonal.assign(laplacian.point_count(), 0);
  for (std::size_t v = 0; v < laplacian.point_count(); ++v) {
    for (std::uint32_t k = laplacian.first[v]; k < laplacian.first[v + 1]; ++k) {
      laplacian.diagonal[v] += laplacian.weights[k];
    }
  }
}

Laplacian without_weights(std::size_t point_count, std::span<const Triangle> triangles, double weight) {
  NeighbourList list = list_neighbours(point_count, triangles);
  Laplacian laplacian;
  laplacian.first = std::move(list.first);
  laplacian.neighbours = std::move(list.points);
  laplacian.weights.assign(laplacian.neighbours.size(), weight);
  return laplacian;
}

}  // namespace

Laplacian uniform_laplacian(std::size_t point_count, std::span<const Triangle> triangles) {
  Laplacian laplacian = without_weights(point_count, triangles, 1);
  add_up_rows(laplacian);
  return laplacian;
}

Laplacian cotangent_laplacian(std::span<const Vec3> points, std::span<const Triangle> triangles) {
  Laplacian laplacian = without_weights(points.size(), triangles, 0);
  for (const Triangle& t : triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = t[(k + 1) % 3], b = t[(k + 2) % 3];
      const Vec3d apex(points[t[k]]);
      const double half = 0.5 * cotangent(Vec3d(points[a]) - apex, Vec3d(points[b]) - apex);
      laplacian.weights[place_of(laplacian, a, b)] += half;
      laplacian.weights[place_of(laplacian, b, a)] += half;
    }
  }
  for (double& weight : laplacian.weights) weight = std::max(weight, 0.0);
  add_up_rows(laplacian);
  return laplacian;
}

std::vector<double> point_areas(std::span<const Vec3> points,
                                std::span<const SurfaceMesh::Triangle> triangles) {
  std::vector<double> areas(points.size(), 0);
  for (const SurfaceMesh::Triangle& t : triangles) {
    const Vec3d a(points[t[0]]), b(points[t[1]]), c(points[t[2]]);
    const double third = length(cross(b - a, c - a)) / 6;
    for (const std::uint32_t v : t) areas[v] += third;
  }
  return areas;
}

// P^T L D L^T P, copied from Eigen's object: its triangular solves read the factor once per right-hand side,
// and reading takes most of the time.
struct LaplacianSolver::Factor {
  std::vector<std::int32_t> place;   // of point v in the elimination order
  std::vector<std::uint32_t> first;  // columns of the strictly lower part
  std::vector<std::int32_t> row;
  std::vector<double> value;
  std::vector<double> inverse_diagonal;

  // `x` has Width numbers per entry. Zeros are skipped: on a large surface a right-hand side is often local,
  // and so is its solution, except for negligible numbers.
  template <std::size_t Width>
  void solve(double* x, double negligible) const {
    const std::size_t count = inverse_diagonal.size();
    const auto are_below = [](const double* numbers, double limit) {
      double largest = 0;
      for (std::size_t c = 0; c < Width; ++c) largest = std::max(largest, std::abs(numbers[c]));
      return largest <= limit;
    };
    for (std::size_t j = 0; j < count; ++j) {
      const double* from = x + j * Width;
      if (are_below(from, 0)) continue;
      for (std::uint32_t k = first[j]; k < first[j + 1]; ++k) {
        double* to = x + static_cast<std::size_t>(row[k]) * Width;
        for (std::size_t c = 0; c < Width; ++c) to[c] -= value[k] * from[c];
      }
    }
    std::vector<std::uint8_t> is_zero(count);
    for (std::size_t j = count; j-- > 0;) {
      std::array<double, Width> sum;
      for (std::size_t c = 0; c < Width; ++c) sum[c] = x[j * Width + c] * inverse_diagonal[j];
      for (std::uint32_t k = first[j]; k < first[j + 1]; ++k) {
        if (is_zero[static_cast<std::size_t>(row[k])] != 0) continue;
        const double* from = x + static_cast<std::size_t>(row[k]) * Width;
        for (std::size_t c = 0; c < Width; ++c) sum[c] -= value[k] * from[c];
      }
      is_zero[j] = are_below(sum.data(), negligible);
      if (is_zero[j] != 0) sum.fill(0);
      std::copy(sum.begin(), sum.end(), x + j * Width);
    }
  }
};

namespace {

constexpr std::size_t kWidest = 12;

template <std::size_t... Widths>
void solve_block(const LaplacianSolver::Factor& factor, double* x, std::size_t width, double negligible,
                 std::index_sequence<Widths...>) {
  ((width == Widths + 1 ? factor.solve<Widths + 1>(x, negligible) : void()), ...);
}

SparseMatrix shifted(const Laplacian& laplacian, std::span<const double> mass, double step) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(laplacian.point_count() + laplacian.neighbours.size() / 2);
  for (std::size_t v = 0; v < laplacian.point_count(); ++v) {
    const int column = static_cast<int>(v);
    entries.emplace_back(column, column, mass[v] + step * laplacian.diagonal[v]);
    for (std::uint32_t k = laplacian.first[v]; k < laplacian.first[v + 1]; ++k) {
      const int row = static_cast<int>(laplacian.neighbours[k]);
      if (row > column) entries.emplace_back(row, column, -step * laplacian.weights[k]);
    }
  }
  const Eigen::Index size = static_cast<Eigen::Index>(laplacian.point_count());
  SparseMatrix matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

}  // namespace

LaplacianSolver::LaplacianSolver(std::unique_ptr<const Factor> factor) : factor_(std::move(factor)) {}
LaplacianSolver::LaplacianSolver(LaplacianSolver&&) noexcept = default;
LaplacianSolver& LaplacianSolver::operator=(LaplacianSolver&&) noexcept = default;
LaplacianSolver::~LaplacianSolver() = default;

void LaplacianSolver::solve(std::span<double> rows, std::size_t width, double negligible) const {
  const std::size_t count = factor_->place.size();
  assert(rows.size() == count * width);
  std::vector<double> block(count * std::min(width, kWidest));
  for (std::size_t begin = 0; begin < width; begin += kWidest) {
    const std::size_t wide = std::min(kWidest, width - begin);
    const auto place = [&](std::size_t v) {
      return &block[static_cast<std::size_t>(factor_->place[v]) * wide];
    };
    for (std::size_t v = 0; v < count; ++v) std::copy_n(&rows[v * width + begin], wide, place(v));
    solve_block(*factor_, block.data(), wide, negligible, std::make_index_sequence<kWidest>{});
    for (std::size_t v = 0; v < count; ++v) std::copy_n(place(v), wide, &rows[v * width + begin]);
  }
}

Result<LaplacianSolver> factor_laplacian(const Laplacian& laplacian, std::span<const double> mass,
                                         double step) {
  return without_throwing("solving on the surface", [&]() -> Result<LaplacianSolver> {
    auto factor = std::make_unique<LaplacianSolver::Factor>();
    if (laplacian.point_count() == 0) return LaplacianSolver(std::move(factor));
    const Eigen::SimplicialLDLT<SparseMatrix> ldlt(shifted(laplacian, mass, step));
    const auto diagonal = ldlt.vectorD();
    if (ldlt.info() != Eigen::Success || !(diagonal.minCoeff() > 0) || !diagonal.allFinite()) {
      return Error{Errc::bad_argument, "the surface's system is not positive definite"};
    }
    const SparseMatrix& lower = ldlt.matrixL().nestedExpression();
    const std::size_t entries = static_cast<std::size_t>(lower.nonZeros());
    factor->first.assign(lower.outerIndexPtr(), lower.outerIndexPtr() + lower.outerSize() + 1);
    factor->row.assign(lower.innerIndexPtr(), lower.innerIndexPtr() + entries);
    factor->value.assign(lower.valuePtr(), lower.valuePtr() + entries);
    factor->inverse_diagonal.reserve(laplacian.point_count());
    for (const double d : diagonal) factor->inverse_diagonal.push_back(1 / d);
    const auto& indices = ldlt.permutationP().indices();
    factor->place.assign(indices.data(), indices.data() + indices.size());
    return LaplacianSolver(std::move(factor));
  });
}

}  // namespace dermis
