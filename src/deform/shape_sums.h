// SPDX-License-Identifier: MIT
// Weighted sums of shapes on a surface, shared by the stages that add shapes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dermis/deform.h"

namespace dermis {

// Memory for sums; grows once.
struct ShapeSums {
  std::vector<Vec3d> sums;
  std::vector<std::uint8_t> is_moved;
};

// Adds the shapes of a mesh, each with its weight, to the point entries of `surface`: points, and normals and
// tangents where they are per point. Sums in double, rounded once.
void add_shapes(const Mesh& mesh, std::span<const float> weights, Surface& surface, ShapeSums& memory);

// The value whose direction is turned: x, y, z of a normal or tangent.
inline Vec3 direction_of_value(const Vec3& value) { return value; }
inline Vec3 direction_of_value(const Vec4& value) { return value.xyz(); }
inline void set_direction(Vec3& value, const Vec3& direction) { value = direction; }
inline void set_direction(Vec4& value, const Vec3& direction) {
  value = {direction.x, direction.y, direction.z, value.w};
}

}  // namespace dermis
