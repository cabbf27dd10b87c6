// SPDX-License-Identifier: MIT
// Counts edges, fans and components of a triangle list: closed, manifold, one piece, which genus.
#include <algorithm>
#include <numeric>

#include "dermis/geometry.h"

namespace dermis {
namespace {

struct Sets {
  explicit Sets(std::size_t count) : parent(count) { std::iota(parent.begin(), parent.end(), 0u); }
  std::uint32_t root(std::uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = root(a), b = root(b);
    parent[std::max(a, b)] = std::min(a, b);
  }
  std::vector<std::uint32_t> parent;
};

struct Side {
  std::uint64_t edge;  // lower point, then higher
  std::uint32_t corner;
  bool is_forward;  // the triangle traverses it from the lower to the higher point
};

std::vector<Side> sorted_sides(std::span<const SurfaceMesh::Triangle> triangles) {
  std::vector<Side> sides;
  sides.reserve(triangles.size() * 3);
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint64_t a = triangles[t][k], b = triangles[t][(k + 1) % 3];
      sides.push_back({std::min(a, b) << 32 | std::max(a, b), static_cast<std::uint32_t>(3 * t + k), a < b});
    }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return a.edge != b.edge ? a.edge < b.edge : a.corner < b.corner;
  });
  return sides;
}

}  // namespace

SurfaceTopology measure_topology(std::size_t point_count, std::span<const SurfaceMesh::Triangle> triangles) {
  SurfaceTopology result;
  result.is_closed = result.is_manifold = !triangles.empty();
  const std::vector<Side> sides = sorted_sides(triangles);
  const auto point_at = [&](std::uint32_t corner) { return triangles[corner / 3][corner % 3]; };
  const auto next = [](std::uint32_t corner) { return corner % 3 == 2 ? corner - 2 : corner + 1; };

  Sets pieces(point_count);
  // Corners of triangles that meet at an edge belong to one fan around each of its two points.
  Sets fans(triangles.size() * 3);
  std::size_t edge_count = 0;
  for (std::size_t i = 0; i < sides.size(); ++edge_count) {
    std::size_t j = i + 1;
    while (j < sides.size() && sides[j].edge == sides[i].edge) ++j;
    if (j - i == 1) result.is_closed = false;
    if (j - i > 2 || (j - i == 2 && sides[i].is_forward == sides[i + 1].is_forward))
      result.is_manifold = false;
    if (j - i == 2) {
      const std::uint32_t a = sides[i].corner, b = sides[i + 1].corner;
      const bool is_same_start = point_at(a) == point_at(b);
      fans.join(a, is_same_start ? b : next(b));
      fans.join(next(a), is_same_start ? next(b) : b);
    }
    pieces.join(static_cast<std::uint32_t>(sides[i].edge >> 32),
                static_cast<std::uint32_t>(sides[i].edge & 0xffffffffu));
    i = j;
  }

  std::vector<std::uint32_t> fan_count(point_count, 0);
  for (std::uint32_t c = 0; c < triangles.size() * 3; ++c)
    if (fans.root(c) == c) ++fan_count[point_at(c)];
  std::size_t used_count = 0;
  for (std::uint32_t v = 0; v < point_count; ++v) {
    if (fan_count[v] > 1) result.is_manifold = false;
    if (fan_count[v] == 0) continue;
    ++used_count;
    if (pieces.root(v) == v) ++result.component_count;
  }
  result.unused_point_count = point_count - used_count;
  result.euler_characteristic = static_cast<std::int64_t>(used_count) -
                                static_cast<std::int64_t>(edge_count) +
                                static_cast<std::int64_t>(triangles.size());
  return result;
}

}  // namespace dermis
