// SPDX-License-Identifier: MIT
// Joins meshes along the borders that they share.
#include "bind/mesh_seams.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace dermis {
namespace {

// An edge of one triangle, in its winding.
struct BorderEdge {
  std::uint32_t from = 0, to = 0;
  std::uint32_t instance = 0;
};

std::vector<BorderEdge> border_edges(const BindSurface& surface, std::span<const std::uint32_t> instance_of) {
  std::vector<BorderEdge> edges;
  edges.reserve(3 * surface.triangles.size());
  for (const SurfaceMesh::Triangle& t : surface.triangles) {
    for (std::size_t k = 0; k < 3; ++k) edges.push_back({t[k], t[(k + 1) % 3], instance_of[t[k]]});
  }
  const auto ends = [](const BorderEdge& e) { return std::minmax(e.from, e.to); };
  const auto is_before = [&](const BorderEdge& a, const BorderEdge& b) {
    return std::pair<std::uint32_t, std::uint32_t>(ends(a)) <
           std::pair<std::uint32_t, std::uint32_t>(ends(b));
  };
  std::sort(edges.begin(), edges.end(), is_before);
  std::vector<BorderEdge> border;
  for (std::size_t k = 0; k < edges.size();) {
    std::size_t end = k + 1;
    while (end < edges.size() && !is_before(edges[k], edges[end])) ++end;
    if (end == k + 1) border.push_back(edges[k]);
    k = end;
  }
  return border;
}

// For each point, the lowest coincident point.
std::vector<std::uint32_t> places_of(std::span<const Vec3> points) {
  std::vector<std::uint32_t> order(points.size()), place(points.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto key = [&](std::uint32_t v) { return std::tuple(points[v].x, points[v].y, points[v].z); };
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return key(a) != key(b) ? key(a) < key(b) : a < b; });
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool is_same = k > 0 && key(order[k]) == key(order[k - 1]);
    place[order[k]] = is_same ? place[order[k - 1]] : order[k];
  }
  return place;
}

// Points on edges that two instances share.
std::vector<bool> points_on_seams(const BindSurface& surface, std::span<const BorderEdge> border,
                                  std::span<const std::uint32_t> place) {
  // Sorts both directions of an edge together: by its lower place, then its upper place.
  const auto key = [&](const BorderEdge& e) {
    return std::pair(std::min(place[e.from], place[e.to]), std::max(place[e.from], place[e.to]));
  };
  std::vector<BorderEdge> edges(border.begin(), border.end());
  std::stable_sort(edges.begin(), edges.end(),
                   [&](const BorderEdge& a, const BorderEdge& b) { return key(a) < key(b); });
  std::vector<bool> is_on_seam(surface.points.size());
  for (std::size_t k = 0, end = 0; k < edges.size(); k = end) {
    for (end = k + 1; end < edges.size() && key(edges[end]) == key(edges[k]);) ++end;
    // More than two may meet like the pages of a book, and need not form one surface.
    if (end != k + 2) continue;
    const BorderEdge &a = edges[k], &b = edges[k + 1];
    if (a.instance == b.instance || place[a.from] != place[b.to]) continue;
    for (const std::uint32_t v : {a.from, a.to, b.from, b.to}) is_on_seam[v] = true;
  }
  return is_on_seam;
}

}  // namespace

void close_mesh_seams(BindSurface& surface) {
  if (surface.instances.size() < 2) return;
  std::vector<std::uint32_t> instance_of(surface.points.size(), 0);
  for (std::size_t i = 0; i < surface.points_of.size(); ++i) {
    for (const std::uint32_t v : surface.points_of[i]) instance_of[v] = static_cast<std::uint32_t>(i);
  }
  const std::vector<std::uint32_t> place = places_of(surface.points);
  const std::vector<bool> is_on_seam = points_on_seams(surface, border_edges(surface, instance_of), place);
  constexpr std::uint32_t kUnknown = ~0u;
  std::vector<std::uint32_t> joined(surface.points.size()), at_place(surface.points.size(), kUnknown);
  std::uint32_t count = 0;
  for (std::size_t v = 0; v < surface.points.size(); ++v) {
    std::uint32_t& known = at_place[place[v]];
    if (is_on_seam[v] && known != kUnknown) {
      joined[v] = known;
      continue;
    }
    surface.points[count] = surface.points[v];
    joined[v] = count++;
    if (is_on_seam[v]) known = joined[v];
  }
  surface.points.resize(count);
  for (SurfaceMesh::Triangle& t : surface.triangles) t = {joined[t[0]], joined[t[1]], joined[t[2]]};
  for (std::vector<std::uint32_t>& points : surface.points_of) {
    for (std::uint32_t& v : points) v = joined[v];
  }
}

}  // namespace dermis
