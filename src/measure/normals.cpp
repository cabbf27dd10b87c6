// SPDX-License-Identifier: MIT
// How far normals are from those of their polygons.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "measure/quality.h"

namespace dermis {
namespace {

constexpr std::size_t kNormalGrain = 1024;
// Copies of a point with normals within a degree lie on one smooth surface.
constexpr double kSmooth = 0.99984769515639124;  // cos 1 degree
// More coincident points than this are a heap, not a seam: each then uses its own polygons.
constexpr std::size_t kMostCopies = 64;

// The items at each of `count` places: list[first[i] .. first[i + 1]), in order.
struct Lists {
  std::vector<std::uint32_t> first, list;
};
Lists lists_of(std::size_t count, std::span<const Index> place) {
  Lists lists;
  lists.first.assign(count + 1, 0);
  for (const Index i : place) ++lists.first[at(i) + 1];
  std::partial_sum(lists.first.begin(), lists.first.end(), lists.first.begin());
  lists.list.resize(place.size());
  std::vector<std::uint32_t> next(lists.first.begin(), lists.first.end() - 1);
  for (std::uint32_t k = 0; k < place.size(); ++k) lists.list[next[at(place[k])]++] = k;
  return lists;
}

// Twice the area of the polygons around each point, as a vector.
std::vector<Vec3d> areas_around(const Mesh& mesh, std::span<const Vec3> points) {
  std::vector<Vec3d> sums(points.size());
  for (std::size_t p = 0; p < mesh.polygons.count(); ++p) {
    const std::span<const Index> polygon = mesh.polygons.polygon(p);
    const Vec3d area = area_vector(points, polygon);
    for (const Index v : polygon) sums[at(v)] += area;
  }
  return sums;
}

// Accurate at all angles, unlike the arc cosine near zero. Both of any nonzero length.
double angle_between(const Vec3d& a, const Vec3d& b) { return std::atan2(length(cross(a, b)), dot(a, b)); }

}  // namespace

Spread normal_error(const Mesh& mesh, const Surface& posed) {
  return normal_error_of(mesh, posed, std::vector<bool>(posed.points.size(), true));
}

Spread normal_error_of(const Mesh& mesh, const Surface& posed, const std::vector<bool>& is_wanted) {
  if (posed.normals.empty()) return {};
  const std::vector<Vec3d> around = areas_around(mesh, posed.points);
  const Lists copies = lists_of(posed.points.size(), mesh.weld);
  std::vector<float> errors(posed.points.size(), 0.0f);
  std::vector<std::uint8_t> is_measured(posed.points.size(), 0);
  parallel_for(posed.points.size(), kNormalGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      if (!is_wanted[v]) continue;
      const Vec3d given = normalized(Vec3d(posed.normals[v]));
      const std::size_t place = at(mesh.weld[v]);
      Vec3d area = around[v];
      const bool is_seam = copies.first[place + 1] - copies.first[place] <= kMostCopies;
      for (std::uint32_t k = copies.first[place]; is_seam && k < copies.first[place + 1]; ++k) {
        const std::uint32_t copy = copies.list[k];
        if (copy != v && dot(normalized(Vec3d(posed.normals[copy])), given) >= kSmooth) area += around[copy];
      }
      if (!(length(area) > 0) || !(length(given) > 0)) continue;
      errors[v] = static_cast<float>(angle_between(given, area));
      is_measured[v] = 1;
    }
  });
  return spread_of(errors, std::vector<bool>(is_measured.begin(), is_measured.end()));
}

}  // namespace dermis
