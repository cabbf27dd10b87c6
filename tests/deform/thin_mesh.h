// SPDX-License-Identifier: MIT
// What a rotation is hard to find for: a flat sheet, a loose point and a triangle on a line, on two joints.
#pragma once

#include <algorithm>

#include "dermis/model.h"

namespace dermis::test {

inline Mesh thin_mesh() {
  Mesh mesh;
  for (int y = 0; y < 9; ++y) {
    for (int x = 0; x < 9; ++x) mesh.points.push_back({static_cast<float>(x), static_cast<float>(y), 0});
  }
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 8; ++x) {
      const Index v = 9 * y + x;
      mesh.polygons.corners.insert(mesh.polygons.corners.end(), {v, v + 1, v + 10, v + 9});
      mesh.polygons.first.push_back(static_cast<std::uint32_t>(mesh.polygons.corners.size()));
    }
  }
  mesh.points.insert(mesh.points.end(), {{20, 0, 0}, {30, 0, 0}, {31, 0, 0}, {33, 0, 0}});
  mesh.polygons.corners.insert(mesh.polygons.corners.end(), {82, 83, 84});
  mesh.polygons.first.push_back(static_cast<std::uint32_t>(mesh.polygons.corners.size()));
  mesh.weld = weld_coincident(mesh.points);
  mesh.normals.values.assign(mesh.points.size(), {0, 0, 1});
  mesh.tangents.values.assign(mesh.points.size(), {1, 0, 0, 1});
  WeightRowBuilder builder;
  for (const Vec3& point : mesh.points) {
    const float w = std::clamp(point.x / 40, 0.0f, 1.0f);
    builder.add(0, 1 - w);
    builder.add(1, w);
    builder.close_row(1e-6);
  }
  mesh.weights = builder.take();
  return mesh;
}

}  // namespace dermis::test
