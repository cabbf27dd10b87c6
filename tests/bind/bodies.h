// SPDX-License-Identifier: MIT
// Surfaces and skeletons to bind, put together by hand.
#pragma once

#include "dermis/bind.h"
#include "geometry/soups.h"

namespace dermis::test {

inline BindSurface surface_of(const Soup& soup) {
  BindSurface surface;
  surface.points = soup.points;
  surface.triangles = soup.triangles;
  surface.normals.resize(soup.points.size());
  surface.shell.assign(soup.points.size(), 0);
  surface.shell_count = 1;
  Box box;
  for (const Vec3& p : soup.points) box.add(Vec3d(p));
  surface.size = box.diagonal();
  return surface;
}

// A joint for each segment.
inline BindSkeleton skeleton_of(const std::vector<Segment>& segments) {
  BindSkeleton skeleton;
  for (std::size_t j = 0; j < segments.size(); ++j) {
    skeleton.node.push_back(static_cast<Index>(j));
    skeleton.parent.push_back(static_cast<Index>(j) - 1);
    skeleton.segments.push_back({static_cast<Index>(j), segments[j].from, segments[j].to});
  }
  return skeleton;
}

inline double weight_of(const WeightRows& rows, std::size_t v, Index joint) {
  for (const Influence& i : rows.row(v)) {
    if (i.slot == joint) return static_cast<double>(i.weight);
  }
  return 0;
}

}  // namespace dermis::test
