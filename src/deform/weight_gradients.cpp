// SPDX-License-Identifier: MIT
// Gradients of skinning weights over the surface, for exact normals.
#include "deform/weight_gradients.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "deform/sizes.h"

namespace dermis {
namespace {

using Triangle = std::array<std::size_t, 3>;
using Row = std::vector<WeightGradients::Entry>;

constexpr std::size_t kGradientGrain = 1024;

std::vector<Triangle> fans_of(const Polygons& polygons) {
  std::vector<Triangle> triangles;
  for (std::size_t p = 0; p < polygons.count(); ++p) {
    const std::span<const Index> corners = polygons.polygon(p);
    for (std::size_t c = 1; c + 1 < corners.size(); ++c) {
      triangles.push_back({static_cast<std::size_t>(corners[0]), static_cast<std::size_t>(corners[c]),
                           static_cast<std::size_t>(corners[c + 1])});
    }
  }
  return triangles;
}

// Triangles around each welded point: around[first[v] .. first[v + 1]), empty for points welded to another.
struct Rings {
  std::vector<std::size_t> first;
  std::vector<std::size_t> around;
};

Rings rings_of(const std::vector<Triangle>& triangles, const std::vector<Index>& weld) {
  const auto welded = [&](std::size_t v) { return static_cast<std::size_t>(weld[v]); };
  Rings rings;
  rings.first.assign(weld.size() + 1, 0);
  for (const Triangle& triangle : triangles) {
    for (const std::size_t v : triangle) ++rings.first[welded(v) + 1];
  }
  for (std::size_t v = 0; v < weld.size(); ++v) rings.first[v + 1] += rings.first[v];
  rings.around.resize(rings.first.back());
  std::vector<std::size_t> next(rings.first.begin(), rings.first.end() - 1);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (const std::size_t v : triangles[t]) rings.around[next[welded(v)]++] = t;
  }
  return rings;
}

struct Contribution {
  Index slot;
  Vec3d gradient;
};

// Calls add(corner, direction): area times the gradient of a linear function is the sum of its values at the
// corners times these. Returns the area. On a triangle with unit normal N the gradient is
// sum_k f_k (N x e_k) / (2 area), e_k the edge opposite to k.
template <class Add>
double add_triangle(const Triangle& triangle, std::span<const Vec3> points, const Add& add) {
  const std::array<Vec3d, 3> p{Vec3d(points[triangle[0]]), Vec3d(points[triangle[1]]),
                               Vec3d(points[triangle[2]])};
  const Vec3d doubled = cross(p[1] - p[0], p[2] - p[0]);
  const double doubled_area = length(doubled);
  if (!(doubled_area > 0)) return 0;
  const Vec3d normal = doubled * (1 / doubled_area);
  for (std::size_t k = 0; k < 3; ++k) {
    add(triangle[k], cross(normal, p[(k + 2) % 3] - p[(k + 1) % 3]) * 0.5);
  }
  return 0.5 * doubled_area;
}

// One entry per slot, in ascending order.
Row averaged(std::vector<Contribution>& sum, double area) {
  Row row;
  if (!(area > 0)) return row;
  // Stable: the order in which a slot's terms are added is part of the result's bytes.
  std::stable_sort(sum.begin(), sum.end(),
                   [](const Contribution& a, const Contribution& b) { return a.slot < b.slot; });
  for (std::size_t k = 0; k < sum.size();) {
    const Index slot = sum[k].slot;
    Vec3d total;
    for (; k < sum.size() && sum[k].slot == slot; ++k) total += sum[k].gradient;
    row.push_back({slot, Vec3(total * (1 / area))});
  }
  return row;
}

}  // namespace

WeightGradients weight_gradients(const Mesh& mesh, std::span<const Vec3> points) {
  const std::vector<Triangle> triangles = fans_of(mesh.polygons);
  const Rings rings = rings_of(triangles, mesh.weld);
  std::vector<Row> rows(points.size());
  parallel_for(points.size(), kGradientGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<Contribution> sum;
    const auto add = [&](std::size_t corner, const Vec3d& direction) {
      for (const Influence& influence : mesh.weights.row(corner))
        sum.push_back({influence.slot, direction * static_cast<double>(influence.weight)});
    };
    for (std::size_t v = begin; v < end; ++v) {
      sum.clear();
      double area = 0;
      for (std::size_t k = rings.first[v]; k < rings.first[v + 1]; ++k) {
        area += add_triangle(triangles[rings.around[k]], points, add);
      }
      rows[v] = averaged(sum, area);
    }
  });
  WeightGradients gradients;
  gradients.first = {0};
  gradients.first.reserve(points.size() + 1);
  for (std::size_t v = 0; v < points.size(); ++v) {
    const Row& row = rows[static_cast<std::size_t>(mesh.weld[v])];
    gradients.entries.insert(gradients.entries.end(), row.begin(), row.end());
    gradients.first.push_back(static_cast<std::uint32_t>(gradients.entries.size()));
  }
  return gradients;
}

std::vector<Mat3> centre_gradients(const Mesh& mesh, std::span<const Vec3> points,
                                   std::span<const Vec3> centres) {
  require(points.size() == mesh.points.size() && centres.size() == points.size());
  const std::vector<Triangle> triangles = fans_of(mesh.polygons);
  const Rings rings = rings_of(triangles, mesh.weld);
  const auto is_own = [&](std::size_t v) { return centres[v] == mesh.points[v]; };
  const auto jumps = [&](const Triangle& t) { return is_own(t[0]) || is_own(t[1]) || is_own(t[2]); };
  std::vector<Mat3> gradients(points.size());  // the identity
  parallel_for(points.size(), kGradientGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      if (is_own(v)) continue;
      const std::size_t welded = static_cast<std::size_t>(mesh.weld[v]);
      Mat3d sum = diagonal(Vec3d{});
      double area = 0;
      for (std::size_t k = rings.first[welded]; k < rings.first[welded + 1]; ++k) {
        const Triangle& triangle = triangles[rings.around[k]];
        if (jumps(triangle)) continue;
        area += add_triangle(triangle, points, [&](std::size_t corner, const Vec3d& direction) {
          sum = sum + outer(Vec3d(centres[corner]), direction);
        });
      }
      gradients[v] = Mat3(area > 0 ? sum * (1 / area) : sum);
    }
  });
  return gradients;
}

std::vector<Mat3> prepare_centre_gradients(const Mesh& mesh, std::span<const Vec3> centres) {
  return centre_gradients(mesh, mesh.points, centres);
}

Result<WeightGradients> prepare_weight_gradients(const Mesh& mesh) {
  return without_throwing("gradients of weights", [&]() -> Result<WeightGradients> {
    if (mesh.weights.empty() && !mesh.points.empty()) {
      return Error{Errc::bad_argument, fmt::format("mesh {} has no weights", quoted_name(mesh.name))};
    }
    return weight_gradients(mesh, mesh.points);
  });
}

}  // namespace dermis
