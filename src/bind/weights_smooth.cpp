// SPDX-License-Identifier: MIT
// Weights smoothed along the welded surface, with some joints locked.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bind/places.h"
#include "bind/weights_rows.h"

namespace dermis {
namespace {

constexpr std::size_t kSmoothGrain = 256;
// Each step spreads every joint one ring further; weights below this move no point visibly.
constexpr double kLeastSmoothed = 1e-5;

Status check(const Mesh& mesh, const SmoothOptions& options) {
  if (mesh.weights.empty())
    return Error{Errc::bad_argument, fmt::format("mesh {} has no weights", quoted_name(mesh.name))};
  if (!(options.strength >= 0 && options.strength <= 1))
    return Error{Errc::bad_argument,
                 fmt::format("the strength {:g} is not between 0 and 1", options.strength)};
  if (options.iterations < 0)
    return Error{Errc::bad_argument,
                 fmt::format("{} iterations are not possible; use 0 or more", options.iterations)};
  return Done{};
}

// The unlocked weights of each welded point, of sum one or empty: the mean over its copies.
std::vector<LooseRow> free_rows(const Mesh& mesh, const WeldedSurface& surface, const SlotLocks& locks) {
  std::vector<LooseRow> rows(surface.point_count());
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    LooseRow& row = rows[at(surface.welded[v])];
    for (const Influence& one : mesh.weights.row(v)) {
      if (!is_locked(locks, one.slot)) row.push_back({one.slot, static_cast<double>(one.weight)});
    }
  }
  for (LooseRow& row : rows) {
    merge_slots(row);
    double sum = 0;
    for (const SlotWeight& one : row) sum += one.weight;
    for (SlotWeight& one : row) one.weight /= sum;
  }
  return rows;
}

// The row of point v after one step. Neighbours whose weight is all locked do not count.
LooseRow smoothed_row(const std::vector<LooseRow>& rows, const Laplacian& laplacian, std::size_t v,
                      double strength) {
  double total = 0;
  for (std::uint32_t k = laplacian.first[v]; k < laplacian.first[v + 1]; ++k)
    total += rows[laplacian.neighbours[k]].empty() ? 0 : laplacian.weights[k];
  if (rows[v].empty() || !(total > 0)) return rows[v];
  LooseRow row = rows[v];
  for (SlotWeight& one : row) one.weight *= 1 - strength;
  for (std::uint32_t k = laplacian.first[v]; k < laplacian.first[v + 1]; ++k) {
    const double share = strength * laplacian.weights[k] / total;
    if (!(share > 0)) continue;
    for (const SlotWeight& one : rows[laplacian.neighbours[k]]) row.push_back({one.slot, share * one.weight});
  }
  merge_slots(row);
  return row;
}

}  // namespace

Result<WeightRows> smoothed_weights(const Mesh& mesh, const SmoothOptions& options,
                                    const Progress& progress) {
  return without_throwing("smoothing weights", [&]() -> Result<WeightRows> {
    if (Status good = check(mesh, options); !good) return good.error();
    if (options.iterations == 0 || options.strength == 0) return mesh.weights;
    const WeldedSurface surface = weld_surface(mesh.weld, mesh.polygons.first, mesh.polygons.corners);
    std::vector<Vec3> points(surface.point_count());
    for (std::size_t v = 0; v < points.size(); ++v) points[v] = mesh.points[at(surface.source[v])];
    const Laplacian laplacian = options.is_cotangent ? cotangent_laplacian(points, surface.triangles)
                                                     : uniform_laplacian(points.size(), surface.triangles);
    const auto is_ours = [&](std::size_t welded) {
      return is_chosen(options.points, at(surface.source[welded]));
    };
    std::vector<LooseRow> rows = free_rows(mesh, surface, options.locks), next(rows.size());
    for (int step = 0; step < options.iterations; ++step) {
      if (Status going = progress.at("smoothing weights", static_cast<double>(step) / options.iterations);
          !going)
        return going.error();
      parallel_for(rows.size(), kSmoothGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v)
          next[v] = is_ours(v) ? smoothed_row(rows, laplacian, v, options.strength) : rows[v];
      });
      rows.swap(next);
    }
    for (LooseRow& row : rows)
      std::erase_if(row, [](const SlotWeight& w) { return w.weight < kLeastSmoothed; });
    std::vector<std::vector<Influence>> settled(mesh.points.size());
    for (std::size_t v = 0; v < settled.size(); ++v) {
      const std::span<const Influence> own = mesh.weights.row(v);
      const auto welded = at(surface.welded[v]);
      const bool has_neighbours = laplacian.diagonal[welded] > 0;
      if (has_neighbours && is_ours(welded))
        settled[v] = settled_row(own, rows[welded], options.locks);
      else
        settled[v].assign(own.begin(), own.end());
    }
    return joined_rows(settled);
  });
}

}  // namespace dermis
