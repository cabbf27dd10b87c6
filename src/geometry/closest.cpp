// SPDX-License-Identifier: MIT
// The closest point of a triangle surface, by its tree of boxes.
#include <algorithm>
#include <cmath>
#include <vector>

#include "dermis/geometry.h"

namespace dermis {
namespace {

using Shares = std::array<double, 3>;

// The closest point of a segment, as a fraction of the way to its second end.
double closest_on_segment(const Vec3d& a, const Vec3d& b, const Vec3d& p) {
  const Vec3d way = b - a;
  const double size = dot(way, way);
  return size > 0 ? std::clamp(dot(p - a, way) / size, 0.0, 1.0) : 0.0;
}

// The foot of the perpendicular if it lies inside the triangle, else on the nearest edge.
Shares closest_on_triangle(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& p) {
  const Vec3d normal = cross(b - a, c - a);
  const double area = dot(normal, normal);
  if (area > 0) {
    const double v = dot(cross(c - a, p - a), normal) / -area, w = dot(cross(b - a, p - a), normal) / area;
    if (v >= 0 && w >= 0 && v + w <= 1) return {1 - v - w, v, w};
  }
  const std::array<Vec3d, 3> corners{a, b, c};
  Shares best{1, 0, 0};
  double least = INFINITY;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3d &from = corners[k], &to = corners[(k + 1) % 3];
    const double t = closest_on_segment(from, to, p);
    const Vec3d away = lerp(from, to, t) - p;
    if (!(dot(away, away) < least)) continue;
    least = dot(away, away);
    best = {};
    best[k] = 1 - t;
    best[(k + 1) % 3] = t;
  }
  return best;
}

double squared_distance(const TriangleTree::Bounds& bounds, const Vec3d& p) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    const double below = static_cast<double>(bounds.lower[k]) - p[k];
    const double above = p[k] - static_cast<double>(bounds.upper[k]);
    const double off = std::max({below, above, 0.0});
    sum += off * off;
  }
  return sum;
}

}  // namespace

ClosestPoint closest_point(const TriangleTree& tree, std::span<const Vec3> points,
                           std::span<const SurfaceMesh::Triangle> triangles, const Vec3d& query) {
  struct Visit {
    std::size_t level, place;
    double least;
  };
  ClosestPoint closest;
  double best = INFINITY;
  if (tree.leaf_count() == 0) return closest;
  std::vector<Visit> open;
  const auto visit = [&](std::size_t level, std::size_t place) {
    const double least = squared_distance(tree.bounds[tree.level_first[level] + place], query);
    if (least < best) open.push_back({level, place, least});
  };
  visit(tree.level_first.size() - 2, 0);
  while (!open.empty()) {
    const Visit now = open.back();
    open.pop_back();
    if (!(now.least < best)) continue;
    if (now.level > 0) {
      const std::size_t below = tree.level_first[now.level] - tree.level_first[now.level - 1];
      const std::size_t first = 2 * now.place, before = open.size();
      visit(now.level - 1, first);
      if (first + 1 < below) visit(now.level - 1, first + 1);
      // The nearer one next.
      if (open.size() == before + 2 && open[before].least < open[before + 1].least)
        std::swap(open[before], open[before + 1]);
      continue;
    }
    const std::size_t end = std::min((now.place + 1) * TriangleTree::kLeafTriangles, tree.order.size());
    for (std::size_t k = now.place * TriangleTree::kLeafTriangles; k < end; ++k) {
      const SurfaceMesh::Triangle& t = triangles[tree.order[k]];
      const Vec3d a(points[t[0]]), b(points[t[1]]), c(points[t[2]]);
      const Shares shares = closest_on_triangle(a, b, c, query);
      const Vec3d away = a * shares[0] + b * shares[1] + c * shares[2] - query;
      if (!(dot(away, away) < best)) continue;
      best = dot(away, away);
      closest = {static_cast<std::int32_t>(tree.order[k]), shares, std::sqrt(best)};
    }
  }
  return closest;
}

}  // namespace dermis
