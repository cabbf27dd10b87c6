// SPDX-License-Identifier: MIT
// Transfers weights between surfaces: matched where both agree, filled in smoothly elsewhere.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bind/places.h"
#include "bind/weights_inpaint.h"

namespace dermis {
namespace {

constexpr std::size_t kTransferGrain = 256;
// Smaller weights move no point visibly, and filling in leaves a little of every joint everywhere.
constexpr double kLeastTransferred = 1e-4;

// A mesh as it is matched: welded points and their normals, zero if there is no polygon.
struct Side {
  WeldedSurface surface;
  std::vector<Vec3> points, normals;
  double diagonal = 0;
};

Side side_of(const Mesh& mesh) {
  Side side;
  side.surface = weld_surface(mesh.weld, mesh.polygons.first, mesh.polygons.corners);
  Box box;
  side.points.reserve(side.surface.point_count());
  for (const Index v : side.surface.source) {
    side.points.push_back(mesh.points[at(v)]);
    box.add(Vec3d(mesh.points[at(v)]));
  }
  side.diagonal = box.diagonal();
  std::vector<Index> corners(mesh.polygons.corners.size());
  for (std::size_t c = 0; c < corners.size(); ++c)
    corners[c] = side.surface.welded[at(mesh.polygons.corners[c])];
  side.normals = point_normals(side.points, mesh.polygons.first, corners);
  return side;
}

// What a point of the target finds on the source.
struct Match {
  LooseRow row;
  bool is_good = false;  // near enough, and facing the same direction
};

Match match_of(const Mesh& source, const Side& from, const TriangleTree& tree, const Vec3& point,
               const Vec3& normal, double max_distance, double least_cosine) {
  Match match;
  const ClosestPoint closest = closest_point(tree, from.points, from.surface.triangles, Vec3d(point));
  if (closest.triangle < 0) return match;
  const SurfaceMesh::Triangle& t = from.surface.triangles[at(closest.triangle)];
  Vec3d facing;
  for (std::size_t k = 0; k < 3; ++k) {
    facing += Vec3d(from.normals[t[k]]) * closest.shares[k];
    for (const Influence& one : source.weights.row(at(from.surface.source[t[k]]))) {
      if (closest.shares[k] > 0)
        match.row.push_back({one.slot, closest.shares[k] * static_cast<double>(one.weight)});
    }
  }
  merge_slots(match.row);
  // Loose points have no normal: only their distance counts.
  const bool is_loose = normal == Vec3{};
  match.is_good = closest.distance <= max_distance &&
                  (is_loose || dot(normalized(facing), Vec3d(normal)) >= least_cosine);
  return match;
}

Status check(const Mesh& source, const Mesh& target, const Side& from, const TransferOptions& options) {
  if (source.weights.empty() || from.surface.triangles.empty())
    return Error{Errc::bad_argument,
                 fmt::format("mesh {} has no {} to take weights from", quoted_name(source.name),
                             source.weights.empty() ? "weights" : "triangles")};
  if (target.points.empty())
    return Error{Errc::bad_argument, fmt::format("mesh {} has no points", quoted_name(target.name))};
  if (!(options.max_distance > 0) || !(options.max_angle > 0 && options.max_angle <= kPi + 1e-9))
    return Error{Errc::bad_argument,
                 "the largest distance must be above 0 and the largest angle between 0 and 180 degrees"};
  return Done{};
}

}  // namespace

Result<TransferredWeights> transferred_weights(const Mesh& source, const Mesh& target,
                                               const TransferOptions& options, const Progress& progress) {
  return without_throwing("transferring weights", [&]() -> Result<TransferredWeights> {
    const Side from = side_of(source), to = side_of(target);
    if (Status good = check(source, target, from, options); !good) return good.error();
    if (Status going = progress.at("matching surfaces", 0); !going) return going.error();
    const TriangleTree tree = triangle_tree(from.points, from.surface.triangles);
    const double size = to.diagonal > 0 ? to.diagonal : from.diagonal;
    const double max_distance = options.max_distance * size, least_cosine = std::cos(options.max_angle);
    std::vector<Match> matches(to.points.size());
    parallel_for(matches.size(), kTransferGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v)
        matches[v] = match_of(source, from, tree, to.points[v], to.normals[v], max_distance, least_cosine);
    });

    Canvas canvas = canvas_of(to.points, to.surface.triangles);
    std::vector<bool> has_match(matches.size(), false);
    for (std::size_t v = 0; v < matches.size(); ++v)
      if (matches[v].is_good) has_match[canvas.island[v]] = true;
    std::vector<LooseRow> rows(matches.size());
    TransferredWeights result;
    for (std::size_t v = 0; v < matches.size(); ++v) {
      canvas.is_filled[v] = !matches[v].is_good && has_match[canvas.island[v]] ? 1 : 0;
      if (canvas.is_filled[v] == 0) rows[v] = matches[v].row;
      result.nearest_island_count += canvas.island[v] == v && !has_match[v] ? 1 : 0;
    }
    const Result<std::vector<std::uint8_t>> is_harmonic = inpaint_rows(canvas, rows, progress);
    if (!is_harmonic) return is_harmonic.error();
    for (std::size_t v = 0; v < matches.size(); ++v) {
      double heaviest = 0;
      for (const SlotWeight& one : rows[v]) heaviest = std::max(heaviest, one.weight);
      const double least = std::min(kLeastTransferred, heaviest);
      std::erase_if(rows[v], [&](const SlotWeight& one) { return one.weight < least; });
      if (rows[v].empty()) rows[v] = matches[v].row;
    }
    std::vector<std::vector<Influence>> settled(target.points.size());
    for (std::size_t v = 0; v < settled.size(); ++v) {
      const auto welded = at(to.surface.welded[v]);
      settled[v] = settled_row({}, rows[welded], {});
      ++(matches[welded].is_good         ? result.matched_count
         : canvas.is_filled[welded] != 0 ? result.inpainted_count
                                         : result.nearest_count);
      result.harmonic_count += (*is_harmonic)[welded];
    }
    result.rows = joined_rows(settled);
    return result;
  });
}

}  // namespace dermis
