// SPDX-License-Identifier: MIT
// Points and polygons without joints: normals, adjacency, nearest points, isosurfaces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "dermis/base.h"
#include "dermis/math.h"

namespace dermis {

// ---- Normals ------------------------------------------------------------------------------------------

// Unit normals of points, averaged over the polygons around each by area. Polygon p has the corners
// corners[first[p] .. first[p + 1]), counter-clockwise seen from outside; first has one entry more than there
// are polygons, or none. Points without a polygon, or only with empty ones, get a zero vector. Points are
// not welded: hand in welded corners for normals that are smooth across seams. Linear.
std::vector<Vec3> point_normals(std::span<const Vec3> points, std::span<const std::uint32_t> first,
                                std::span<const std::int32_t> corners);

// ---- Nearest points -----------------------------------------------------------------------------------

struct Nearest {
  std::size_t point = 0;  // of several equally near, the lowest
  double distance = 0;    // in the units of the points
};

// For each query its nearest point. All coordinates must be finite, and there must be a point when there is
// a query. About n log n; parallel.
std::vector<Nearest> nearest_points(std::span<const Vec3> queries, std::span<const Vec3> points);

}  // namespace dermis
