// SPDX-License-Identifier: MIT
// Meshes as they are measured: welded triangles with caps over their openings.
#include "measure/surface.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dermis {
namespace {

using Triangle = SurfaceMesh::Triangle;

// The largest area of the caps of a solid, as a fraction of the area of its triangles.
constexpr double kMostOpen = 0.1;

double area_of(const std::vector<Vec3d>& points, const Triangle& t) {
  return length(cross(points[t[1]] - points[t[0]], points[t[2]] - points[t[0]])) / 2;
}

// The welded point of each point, without triangles.
WeldedSurface welded_points_of(const Mesh& mesh) { return weld_surface(mesh.weld, {}, {}); }

void cut_polygons(const Mesh& mesh, MeasuredSurface& surface) {
  std::vector<std::uint32_t> cut;
  std::vector<Index> corners;
  for (std::size_t p = 0; p < mesh.polygons.count(); ++p) {
    const std::span<const Index> polygon = mesh.polygons.polygon(p);
    cut.clear();
    if (polygon.size() == 3)
      cut = {0, 1, 2};
    else
      triangulate_polygon(mesh.points, polygon, cut);
    for (std::size_t k = 0; k + 2 < cut.size(); k += 3) {
      Triangle t;
      for (std::size_t c = 0; c < 3; ++c)
        t[c] = static_cast<std::uint32_t>(surface.welded.welded[at(polygon[cut[k + c]])]);
      if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;
      surface.welded.triangles.push_back(t);
      surface.polygon.push_back(static_cast<std::uint32_t>(p));
    }
  }
}

// Joins the unmatched edges into loops. At every point as many of them end as start, so each walk returns.
void add_loops(std::vector<LooseEdge> loose, MeasuredSurface& surface) {
  std::stable_sort(loose.begin(), loose.end(),
                   [](const LooseEdge& a, const LooseEdge& b) { return a.from < b.from; });
  const std::size_t point_count = surface.welded.point_count();
  std::vector<std::uint32_t> next(point_count + 1, 0);
  for (const LooseEdge& edge : loose) ++next[edge.from + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<bool> is_walked(loose.size(), false);
  for (std::size_t e = 0; e < loose.size(); ++e) {
    if (is_walked[e]) continue;
    const auto centre = static_cast<std::uint32_t>(point_count + surface.loop_count());
    std::size_t now = e;
    for (;;) {
      is_walked[now] = true;
      const LooseEdge& edge = loose[now];
      surface.loop_points.push_back(edge.from);
      surface.caps.push_back({edge.to, edge.from, centre});
      surface.triangle_of_cap.push_back(edge.triangle);
      if (edge.to == loose[e].from) break;
      while (is_walked[next[edge.to]]) ++next[edge.to];
      now = next[edge.to];
    }
    surface.loop_first.push_back(static_cast<std::uint32_t>(surface.loop_points.size()));
  }
}

}  // namespace

std::vector<LooseEdge> loose_edges(std::size_t point_count, std::span<const Triangle> triangles,
                                   std::span<const std::uint32_t> group) {
  struct Side {
    std::uint32_t upper, group, triangle;
    bool is_forward;
  };
  std::vector<std::uint32_t> first(point_count + 1, 0);
  for (const Triangle& t : triangles) {
    for (std::size_t c = 0; c < 3; ++c) ++first[std::min(t[c], t[(c + 1) % 3]) + 1];
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<Side> sides(first.back());
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint32_t a = triangles[t][c], b = triangles[t][(c + 1) % 3];
      sides[next[std::min(a, b)]++] = {std::max(a, b), group.empty() ? 0 : group[t],
                                       static_cast<std::uint32_t>(t), a < b};
    }
  }
  std::vector<LooseEdge> loose;
  for (std::uint32_t v = 0; v < point_count; ++v) {
    const auto begin = sides.begin() + first[v], end = sides.begin() + first[v + 1];
    std::sort(begin, end, [](const Side& a, const Side& b) {
      return a.upper != b.upper   ? a.upper < b.upper
             : a.group != b.group ? a.group < b.group
                                  : a.triangle < b.triangle;
    });
    for (auto side = begin; side != end;) {
      const auto is_other = [&](const Side& s) { return s.upper != side->upper || s.group != side->group; };
      const auto stop = std::find_if(side, end, is_other);
      const auto forward = std::count_if(side, stop, [](const Side& s) { return s.is_forward; });
      const std::ptrdiff_t surplus = 2 * forward - (stop - side);
      // Of the sides in the direction of the surplus, the first ones.
      std::ptrdiff_t left = std::abs(surplus);
      for (; side != stop; ++side) {
        if (left == 0 || side->is_forward != (surplus > 0)) continue;
        --left;
        loose.push_back({side->is_forward ? v : side->upper, side->is_forward ? side->upper : v,
                         side->triangle, side->group});
      }
    }
  }
  return loose;
}

MeasuredSurface measured_surface(const Mesh& mesh) {
  MeasuredSurface surface;
  surface.welded = welded_points_of(mesh);
  cut_polygons(mesh, surface);
  surface.loop_first = {0};
  add_loops(loose_edges(surface.welded.point_count(), surface.welded.triangles, {}), surface);
  return surface;
}

ShellList list_shells(const MeasuredSurface& surface) {
  const std::size_t count = surface.welded.point_count();
  std::vector<std::uint32_t> parent(count);
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (const Triangle& t : surface.welded.triangles) {
    for (const std::uint32_t v : {t[1], t[2]}) {
      const std::uint32_t a = root(t[0]), b = root(v);
      parent[std::max(a, b)] = std::min(a, b);
    }
  }
  ShellList shells;
  shells.of_point.resize(count);
  for (std::uint32_t v = 0; v < count; ++v) {
    const std::uint32_t r = root(v);
    shells.of_point[v] = r == v ? static_cast<std::uint32_t>(shells.count++) : shells.of_point[r];
  }
  return shells;
}

SolidPart solid_part(const MeasuredSurface& surface, std::span<const Vec3> points) {
  const ShellList shells = list_shells(surface);
  const std::vector<Vec3d> closed = closed_points(surface, points);
  std::vector<double> area(shells.count, 0.0), cap_area(shells.count, 0.0);
  const auto shell_of = [&](const Triangle& t) { return shells.of_point[t[0]]; };
  for (const Triangle& t : surface.welded.triangles) area[shell_of(t)] += area_of(closed, t);
  for (const Triangle& cap : surface.caps) cap_area[shell_of(cap)] += area_of(closed, cap);
  const auto is_solid = [&](std::uint32_t shell) { return cap_area[shell] <= kMostOpen * area[shell]; };

  SolidPart part;
  part.surface.welded.source = surface.welded.source;
  part.surface.welded.welded = surface.welded.welded;
  std::vector<std::uint32_t> number(surface.triangle_count());
  for (std::uint32_t t = 0; t < number.size(); ++t) {
    if (!is_solid(shell_of(surface.welded.triangles[t]))) continue;
    number[t] = static_cast<std::uint32_t>(part.triangles.size());
    part.triangles.push_back(t);
    part.surface.welded.triangles.push_back(surface.welded.triangles[t]);
    part.surface.polygon.push_back(surface.polygon[t]);
  }
  part.surface.loop_first = {0};
  for (std::size_t k = 0; k < surface.loop_count(); ++k) {
    const std::uint32_t begin = surface.loop_first[k], end = surface.loop_first[k + 1];
    if (!is_solid(shells.of_point[surface.loop_points[begin]])) continue;
    const auto centre = static_cast<std::uint32_t>(surface.welded.point_count() + part.surface.loop_count());
    for (std::uint32_t i = begin; i < end; ++i) {  // a loop has as many caps as points
      part.surface.loop_points.push_back(surface.loop_points[i]);
      part.surface.caps.push_back({surface.caps[i][0], surface.caps[i][1], centre});
      part.surface.triangle_of_cap.push_back(number[surface.triangle_of_cap[i]]);
    }
    part.surface.loop_first.push_back(static_cast<std::uint32_t>(part.surface.loop_points.size()));
  }
  for (std::uint32_t shell = 0; shell < shells.count; ++shell) {
    if (area[shell] > 0) ++(is_solid(shell) ? part.shell_count : part.open_shell_count);
  }
  return part;
}

std::vector<Vec3> welded_points(const MeasuredSurface& surface, std::span<const Vec3> points) {
  std::vector<Vec3> welded(surface.welded.point_count());
  for (std::size_t i = 0; i < welded.size(); ++i) welded[i] = points[at(surface.welded.source[i])];
  return welded;
}

std::vector<Vec3d> closed_points(const MeasuredSurface& surface, std::span<const Vec3> points) {
  const std::size_t count = surface.welded.point_count();
  std::vector<Vec3d> closed(count + surface.loop_count());
  // Relative to the first point: far from the origin, volumes would be differences of large numbers.
  const Vec3d origin = count == 0 ? Vec3d{} : Vec3d(points[at(surface.welded.source[0])]);
  for (std::size_t i = 0; i < count; ++i) closed[i] = Vec3d(points[at(surface.welded.source[i])]) - origin;
  for (std::size_t k = 0; k < surface.loop_count(); ++k)
    closed[count + k] =
        mean_of(closed, surface.loop_points, surface.loop_first[k], surface.loop_first[k + 1]);
  return closed;
}

Vec3d mean_of(std::span<const Vec3d> points, std::span<const std::uint32_t> list, std::size_t begin,
              std::size_t end) {
  Vec3d sum;
  for (std::size_t k = begin; k < end; ++k) sum += points[list[k]];
  return sum * (1 / static_cast<double>(end - begin));
}

Spread spread_of(std::span<const float> values, const std::vector<bool>& is_measured) {
  std::vector<float> sizes;
  sizes.reserve(values.size());
  Spread spread;
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!is_measured.empty() && !is_measured[i]) continue;
    const float size = std::abs(values[i]);
    sum += static_cast<double>(size);
    if (sizes.empty() || static_cast<double>(size) > spread.max) {
      spread.max = static_cast<double>(size);
      spread.worst = i;
    }
    sizes.push_back(size);
  }
  spread.count = sizes.size();
  if (sizes.empty()) return spread;
  spread.mean = sum / static_cast<double>(sizes.size());
  const std::size_t rank = (sizes.size() * 95 + 99) / 100 - 1;
  std::nth_element(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(rank), sizes.end());
  spread.p95 = static_cast<double>(sizes[rank]);
  return spread;
}

}  // namespace dermis
