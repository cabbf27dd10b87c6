// SPDX-License-Identifier: MIT
// Direct delta mush (Le and Lewis 2019): weights and positions smoothed once, a rotation fitted per pose.
//
// Two things differ from the paper. B is used in its symmetric form: B^T = ((D + lambda L)^-1 D)^p, which
// needs only solves with symmetric positive definite matrices. And all moments are relative to the smoothed
// point of each row instead of the origin, where Q - q p^T would be a small difference of large numbers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "deform/smoothing_reach.h"
#include "dermis/deform.h"
#include "dermis/geometry.h"

namespace dermis {
namespace {

// Added to A, as a fraction of its trace: well above float rounding, well below what would rotate a surface.
constexpr double kIsotropic = 1e-6;
// The same if A is zero, as a fraction of the mesh's size.
constexpr double kLeastReach = 1e-6;
// For smoothed numbers, with weights and the mesh's size scaled to one.
constexpr double kNegligible = 1e-12;
constexpr std::size_t kDirectGrain = 1024;

using Moments = std::array<double, kOmegaSize>;  // second xx xy xz yy yz zz, first x y z, zeroth

Moments moments_of(const Vec3d& u, double weight) {
  return {weight * u.x * u.x, weight * u.x * u.y, weight * u.x * u.z, weight * u.y * u.y, weight * u.y * u.z,
          weight * u.z * u.z, weight * u.x,       weight * u.y,       weight * u.z,       weight};
}

// The same about `p`.
Moments centred(const Moments& m, const Vec3d& p) {
  const Vec3d first{m[6], m[7], m[8]};
  const auto second = [&](std::size_t at, int r, int c) {
    return m[at] - first[r] * p[c] - first[c] * p[r] + m[9] * p[r] * p[c];
  };
  return {second(0, 0, 0), second(1, 0, 1),   second(2, 0, 2),   second(3, 1, 1),   second(4, 1, 2),
          second(5, 2, 2), m[6] - m[9] * p.x, m[7] - m[9] * p.y, m[8] - m[9] * p.z, m[9]};
}

struct Entry {
  std::uint32_t point = 0;  // welded
  Moments psi{};            // about the middle of the mesh, divided by its size
  double translation = 0;   // d, including the kappa part
};

class Smoothing {
 public:
  Smoothing(const Mesh& mesh, const DirectDeltaMushOptions& options, const Progress& progress)
      : mesh_(mesh), options_(options), progress_(progress) {}

  Result<DirectDeltaMush> prepare() {
    if (const Status status = progress_.at("factoring the surface", 0); !status) return status.error();
    weld();
    if (options_.iterations > 0) {
      if (const Status status = factor(); !status) return status.error();
    }
    if (const Status status = progress_.at("smoothing the weights", 0.1); !status) return status.error();
    smooth_points();
    smooth_slots();
    if (const Status status = progress_.at("smoothing the weights", 1); !status) return status.error();
    return rows();
  }

 private:
  std::size_t count() const { return surface_.point_count(); }

  void weld() {
    surface_ = weld_surface(mesh_.weld, mesh_.polygons.first, mesh_.polygons.corners);
    for (const Vec3& point : mesh_.points) box_.add(Vec3d(point));
    if (box_.diagonal() > 0) size_ = box_.diagonal();
    for (const std::int32_t v : surface_.source) {
      points_.push_back((Vec3d(mesh_.points[static_cast<std::size_t>(v)]) - box_.centre()) * (1 / size_));
    }
    // Coincident points may follow different joints: the welded one follows their mean.
    std::vector<double> share(count());
    for (const std::int32_t i : surface_.welded) share[static_cast<std::size_t>(i)] += 1;
    Index most = 0;
    for (const Influence& influence : mesh_.weights.influences) most = std::max(most, influence.slot);
    weights_.resize(static_cast<std::size_t>(most) + 1);
    for (std::size_t v = 0; v < mesh_.points.size(); ++v) {
      const std::size_t i = static_cast<std::size_t>(surface_.welded[v]);
      for (const Influence& influence : mesh_.weights.row(v)) {
        weights_[static_cast<std::size_t>(influence.slot)].push_back(
            {static_cast<std::uint32_t>(i), static_cast<double>(influence.weight) / share[i]});
      }
    }
  }

  Status factor() {
    std::vector<Vec3> points;
    for (const Vec3d& point : points_) points.push_back(Vec3(point));
    const Laplacian laplacian = options_.is_cotangent ? cotangent_laplacian(points, surface_.triangles)
                                                      : uniform_laplacian(count(), surface_.triangles);
    mass_ = laplacian.diagonal;
    for (double& mass : mass_) {
      if (!(mass > 0)) mass = 1;  // without neighbours: stays as it is
    }
    const auto factored = [&](double step, std::optional<LaplacianSolver>& solver) -> Status {
      Result<LaplacianSolver> made = factor_laplacian(laplacian, mass_, step);
      if (!made) return made.error();
      solver.emplace(std::move(made).value());
      return Done{};
    };
    if (const Status status = factored(options_.lambda, lambda_); !status) return status.error();
    return options_.alpha > 0 ? factored(options_.kappa, kappa_) : Status(Done{});
  }

  // `block` has `width` numbers per welded point.
  void smooth(std::vector<double>& block, std::size_t width,
              const std::optional<LaplacianSolver>& solver) const {
    for (int k = 0; k < options_.iterations && !progress_.is_stopped(); ++k) {
      for (std::size_t i = 0; i < count(); ++i) {
        for (std::size_t c = 0; c < width; ++c) block[i * width + c] *= mass_[i];
      }
      solver->solve(block, width, kNegligible);
    }
  }

  void smooth_points() {
    std::vector<double> block;
    for (const Vec3d& u : points_) block.insert(block.end(), {u.x, u.y, u.z});
    smooth(block, 3, lambda_);
    for (std::size_t i = 0; i < count(); ++i) {
      centres_.push_back({block[3 * i], block[3 * i + 1], block[3 * i + 2]});
    }
  }

  void smooth_slots() {
    entries_.resize(weights_.size());
    parallel_for(weights_.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t j = begin; j < end; ++j) {
        if (!weights_[j].empty() && !progress_.is_stopped()) entries_[j] = smoothed_slot(j);
      }
    });
  }

  std::vector<Entry> smoothed_slot(std::size_t j) const {
    std::vector<double> psi(count() * kOmegaSize), translation(options_.alpha > 0 ? count() : 0);
    for (const auto& [i, weight] : weights_[j]) {
      const Moments moments = moments_of(points_[i], weight);
      for (std::size_t c = 0; c < kOmegaSize; ++c) psi[i * kOmegaSize + c] += moments[c];
      if (options_.alpha > 0) translation[i] += weight;
    }
    smooth(psi, kOmegaSize, lambda_);
    if (options_.alpha > 0) smooth(translation, 1, kappa_);
    // Never so much that a point with equal shares of all joints would keep none.
    const double least = std::min(options_.prune, 0.5 / static_cast<double>(weights_.size()));
    std::vector<Entry> entries;
    for (std::uint32_t i = 0; i < count(); ++i) {
      Entry entry;
      entry.point = i;
      std::copy_n(&psi[i * kOmegaSize], kOmegaSize, entry.psi.begin());
      entry.translation = entry.psi[9];
      if (options_.alpha > 0) {
        entry.translation += options_.alpha * (translation[i] - entry.psi[9]);
      }
      if (entry.translation > 0 && entry.translation >= least) entries.push_back(entry);
    }
    return entries;
  }

  // The entries of one welded point, centred, with the sums that the header states.
  struct Row {
    std::vector<Index> slots;
    std::vector<Moments> omega;
  };

  std::vector<Row> welded_rows() {
    std::vector<Row> rows(count());
    for (std::size_t j = 0; j < entries_.size(); ++j) {
      for (const Entry& entry : entries_[j]) {
        Row& row = rows[entry.point];
        Moments omega = centred(entry.psi, centres_[entry.point]);
        for (double& number : omega) number *= 1 - options_.alpha;
        omega[9] = entry.translation;
        row.slots.push_back(static_cast<Index>(j));
        row.omega.push_back(omega);
      }
      entries_[j] = {};
    }
    parallel_for(count(), kDirectGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) balance(rows[i].omega);
    });
    return rows;
  }

  void balance(std::vector<Moments>& omega) const {
    Moments sum{};
    for (const Moments& entry : omega) {
      for (std::size_t c = 0; c < kOmegaSize; ++c) sum[c] += entry[c];
    }
    // The pruned amount is distributed by d: first moments sum to zero again, and translations to one.
    const double scale = 1 / sum[9];
    const double isotropic = kIsotropic * (sum[0] + sum[3] + sum[5]) * scale + kLeastReach * kLeastReach;
    for (Moments& entry : omega) {
      for (double& number : entry) number *= scale;
      for (std::size_t c = 6; c < 9; ++c) entry[c] -= entry[9] * sum[c] * scale;
      for (const std::size_t c : {std::size_t{0}, std::size_t{3}, std::size_t{5}})
        entry[c] += isotropic * entry[9];
      for (std::size_t c = 0; c < 9; ++c) entry[c] *= c < 6 ? size_ * size_ : size_;
    }
  }

  DirectDeltaMush rows() {
    const std::vector<Row> welded = welded_rows();
    DirectDeltaMush mush;
    mush.first = {0};
    for (std::size_t v = 0; v < mesh_.points.size(); ++v) {
      const std::size_t i = static_cast<std::size_t>(surface_.welded[v]);
      mush.slots.insert(mush.slots.end(), welded[i].slots.begin(), welded[i].slots.end());
      for (const Moments& omega : welded[i].omega) {
        for (const double number : omega) mush.omega.push_back(static_cast<float>(number));
      }
      mush.first.push_back(static_cast<std::uint32_t>(mush.slots.size()));
      mush.centre.push_back(Vec3(centres_[i] * size_ + box_.centre()));
    }
    return mush;
  }

  struct Weighted {
    std::uint32_t point = 0;  // welded
    double weight = 0;
  };

  const Mesh& mesh_;
  const DirectDeltaMushOptions& options_;
  const Progress& progress_;
  WeldedSurface surface_;
  Box box_;
  double size_ = 1;
  std::vector<Vec3d> points_, centres_;         // welded, relative to the box centre, divided by its size
  std::vector<std::vector<Weighted>> weights_;  // by slot
  std::vector<double> mass_;
  std::optional<LaplacianSolver> lambda_, kappa_;
  std::vector<std::vector<Entry>> entries_;  // by slot
};

bool is_good(const DirectDeltaMushOptions& options) {
  return options.iterations >= 0 && options.lambda >= 0 && options.kappa >= 0 &&
         std::isfinite(options.lambda) && std::isfinite(options.kappa) && options.alpha >= 0 &&
         options.alpha <= 1 && options.prune >= 0 && options.prune <= 0.01;
}

}  // namespace

DirectDeltaMushOptions direct_delta_mush_options(const Mesh& mesh) {
  DirectDeltaMushOptions options;
  const double edges = edges_in_reach(mesh);
  // p steps of size lambda spread by sqrt(2 p lambda) edges.
  options.lambda = std::min(options.lambda, edges * edges / (2 * options.iterations));
  options.kappa = std::min(options.kappa, options.lambda);
  return options;
}

Result<DirectDeltaMush> prepare_direct_delta_mush(const Mesh& mesh, const DirectDeltaMushOptions& options,
                                                  const Progress& progress) {
  return without_throwing("direct delta mush", [&]() -> Result<DirectDeltaMush> {
    if (mesh.weights.empty() && !mesh.points.empty()) {
      return Error{Errc::bad_argument, fmt::format("mesh {} has no weights", quoted_name(mesh.name))};
    }
    if (!is_good(options)) {
      return Error{Errc::bad_argument,
                   "direct delta mush needs iterations, lambda and kappa of at least 0, alpha in [0, 1] and "
                   "prune in [0, 0.01]"};
    }
    return Smoothing(mesh, options, progress).prepare();
  });
}

}  // namespace dermis
