// SPDX-License-Identifier: MIT
// How far a posed surface is stretched, sheared and enlarged relative to its rest.
#include <algorithm>
#include <cmath>

#include "measure/quality.h"
#include "measure/surface.h"

namespace dermis {
namespace {

using Triangle = SurfaceMesh::Triangle;

constexpr std::size_t kStrainGrain = 2048;
// Positions are accurate to 6e-8 of their size: a length of this fraction of it is accurate to a percent.
constexpr double kLeastLength = 1e-5;

struct TriangleStrain {
  double edge = 0, shear = 0, area = 0;
  bool is_measured = false;
};

// Of the edges from the first corner, rest and posed. In the rest triangle's own frame these are (a, 0) and
// (b, c); the deformation gradient maps them to f and g.
TriangleStrain strain_of(const Vec3d& rest_f, const Vec3d& rest_g, const Vec3d& f, const Vec3d& g,
                         double least_length) {
  TriangleStrain strain;
  const double a = length(rest_f), opposite = length(rest_g - rest_f), other = length(rest_g);
  const double doubled_area = length(cross(rest_f, rest_g));
  const double longest = std::max({a, opposite, other});
  if (std::min({a, opposite, other}) < least_length || doubled_area < least_length * longest) return strain;
  strain.is_measured = true;
  for (const double change : {length(f) / a - 1, length(g - f) / opposite - 1, length(g) / other - 1}) {
    if (std::abs(change) > std::abs(strain.edge)) strain.edge = change;
  }
  const double b = dot(rest_f, rest_g) / a, c = doubled_area / a;
  const Vec3d x = f * (1 / a), y = (g - x * b) * (1 / c);
  const double area_ratio = length(cross(x, y));
  const double half_sum = (dot(x, x) + dot(y, y)) / 2;
  const double half_difference = (dot(x, x) - dot(y, y)) / 2;
  const double s1 = std::sqrt(half_sum + std::hypot(half_difference, dot(x, y)));
  strain.area = area_ratio - 1;
  // s1 s2 is the ratio of the areas. A triangle that shrank to a point has no angles left to change.
  strain.shear = s1 > 0 ? kPi / 2 - 2 * std::atan(area_ratio / (s1 * s1)) : 0;
  return strain;
}

TriangleStrain strain_of(const Triangle& t, std::span<const Vec3> rest, std::span<const Vec3> posed,
                         double least_length) {
  const auto [u, v, w] = t;
  return strain_of(Vec3d(rest[v]) - Vec3d(rest[u]), Vec3d(rest[w]) - Vec3d(rest[u]),
                   Vec3d(posed[v]) - Vec3d(posed[u]), Vec3d(posed[w]) - Vec3d(posed[u]), least_length);
}

// The largest growth of an edge that spans a gap in the pose.
double growth_of(const Triangle& t, std::span<const Vec3> rest, std::span<const Vec3> posed) {
  double most = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    const std::uint32_t a = t[c], b = t[(c + 1) % 3];
    const double before = length(Vec3d(rest[b]) - Vec3d(rest[a]));
    const double after = length(Vec3d(posed[b]) - Vec3d(posed[a]));
    if (after > kLongTimes * before) most = std::max(most, after - before);
  }
  return most;
}

}  // namespace

double strain_size(std::span<const Vec3> points) {
  Box box;
  box.add({});
  for (const Vec3& p : points) box.add(Vec3d(p));
  return box.diagonal();
}

Growth worst_growth(std::span<const Triangle> triangles, std::span<const Vec3> rest,
                    std::span<const Vec3> posed) {
  std::vector<Growth> found((triangles.size() + kStrainGrain - 1) / kStrainGrain);
  parallel_for(triangles.size(), kStrainGrain, [&](std::size_t begin, std::size_t end) {
    Growth& worst = found[begin / kStrainGrain];
    for (std::size_t t = begin; t < end; ++t) {
      const double growth = growth_of(triangles[t], rest, posed);
      if (growth > worst.most) worst = {growth, static_cast<std::uint32_t>(t)};
    }
  });
  Growth worst;
  for (const Growth& one : found) worst = one.most > worst.most ? one : worst;
  return worst;
}

WorstStrain worst_strain(const MeasuredSurface& surface, std::span<const std::uint32_t> triangles,
                         std::span<const Vec3> rest, std::span<const Vec3> posed, double size) {
  WorstStrain worst;
  for (const std::uint32_t t : triangles) {
    const TriangleStrain one = strain_of(surface.welded.triangles[t], rest, posed, kLeastLength * size);
    if (std::abs(one.edge) > worst.edge) worst.triangle = t;
    worst.edge = std::max(worst.edge, std::abs(one.edge));
    worst.shear = std::max(worst.shear, std::abs(one.shear));
    worst.area = std::max(worst.area, std::abs(one.area));
    const double growth = growth_of(surface.welded.triangles[t], rest, posed);
    if (growth > worst.growth) worst.growth = growth, worst.grown_triangle = t;
  }
  return worst;
}

Strain measure_strain(const MeasuredSurface& surface, std::span<const Vec3> rest,
                      std::span<const Vec3> posed) {
  const std::vector<Triangle>& triangles = surface.welded.triangles;
  const std::vector<Vec3> from = welded_points(surface, rest), to = welded_points(surface, posed);
  const double least_length = kLeastLength * strain_size(rest);
  Strain strain;
  strain.edge.resize(triangles.size());
  strain.shear.resize(triangles.size());
  strain.area.resize(triangles.size());
  std::vector<std::uint8_t> is_measured(triangles.size());  // written by several threads, as bits cannot be
  parallel_for(triangles.size(), kStrainGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const TriangleStrain one = strain_of(triangles[t], from, to, least_length);
      strain.edge[t] = static_cast<float>(one.edge);
      strain.shear[t] = static_cast<float>(one.shear);
      strain.area[t] = static_cast<float>(one.area);
      is_measured[t] = one.is_measured ? 1 : 0;
    }
  });
  strain.is_measured.assign(is_measured.begin(), is_measured.end());
  std::vector<float> at_welded(from.size(), 0.0f);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (const std::uint32_t v : triangles[t])
      at_welded[v] = std::max(at_welded[v], std::abs(strain.edge[t]));
  }
  for (const Index v : surface.welded.welded)
    strain.at_point.push_back(at_welded[static_cast<std::size_t>(v)]);
  strain.edges = spread_of(strain.edge, strain.is_measured);
  strain.shears = spread_of(strain.shear, strain.is_measured);
  strain.areas = spread_of(strain.area, strain.is_measured);
  return strain;
}

}  // namespace dermis
