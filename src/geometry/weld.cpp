// SPDX-License-Identifier: MIT
// Computes the welded surface, and which of its points are neighbours.
#include <algorithm>
#include <numeric>

#include "dermis/geometry.h"

namespace dermis {
namespace {

constexpr std::size_t kWeldGrain = 4096;

}  // namespace

WeldedSurface weld_surface(std::span<const std::int32_t> weld, std::span<const std::uint32_t> first,
                           std::span<const std::int32_t> corners) {
  WeldedSurface surface;
  surface.welded.resize(weld.size());
  for (std::size_t v = 0; v < weld.size(); ++v) {
    const std::size_t lowest = static_cast<std::size_t>(weld[v]);
    if (lowest == v) {
      surface.welded[v] = static_cast<std::int32_t>(surface.source.size());
      surface.source.push_back(static_cast<std::int32_t>(v));
    } else {
      surface.welded[v] = surface.welded[lowest];
    }
  }
  const auto point = [&](std::size_t corner) {
    return static_cast<std::uint32_t>(surface.welded[static_cast<std::size_t>(corners[corner])]);
  };
  for (std::size_t p = 0; p + 1 < first.size(); ++p) {
    for (std::size_t c = first[p] + 1; c + 1 < first[p + 1]; ++c) {
      const SurfaceMesh::Triangle t{point(first[p]), point(c), point(c + 1)};
      if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) surface.triangles.push_back(t);
    }
  }
  return surface;
}

NeighbourList list_neighbours(std::size_t point_count, std::span<const SurfaceMesh::Triangle> triangles) {
  std::vector<std::uint32_t> bucket(point_count + 1, 0);
  for (const SurfaceMesh::Triangle& t : triangles) {
    for (const std::uint32_t v : t) bucket[v + 1] += 2;
  }
  std::partial_sum(bucket.begin(), bucket.end(), bucket.begin());
  std::vector<std::uint32_t> ends(bucket.back());
  std::vector<std::uint32_t> next(bucket.begin(), bucket.end() - 1);
  for (const SurfaceMesh::Triangle& t : triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      ends[next[t[k]]++] = t[(k + 1) % 3];
      ends[next[t[k]]++] = t[(k + 2) % 3];
    }
  }
  parallel_for(point_count, kWeldGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v)
      std::sort(ends.begin() + bucket[v], ends.begin() + bucket[v + 1]);
  });
  NeighbourList list;
  list.first.reserve(point_count + 1);
  list.first.push_back(0);
  for (std::size_t v = 0; v < point_count; ++v) {
    for (std::uint32_t k = bucket[v]; k < bucket[v + 1]; ++k) {
      if (k == bucket[v] || ends[k] != ends[k - 1]) {
        list.points.push_back(ends[k]);
        list.sides.push_back(0);
      }
      ++list.sides.back();
    }
    list.first.push_back(static_cast<std::uint32_t>(list.points.size()));
  }
  return list;
}

}  // namespace dermis
