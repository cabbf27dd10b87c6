// SPDX-License-Identifier: MIT
// Normals and tangents alike as directions; a tangent keeps its fourth number.
#pragma once

#include "dermis/math.h"

namespace dermis {

inline Vec3 direction_in(const Vec3& value) { return value; }
inline Vec3 direction_in(const Vec4& value) { return value.xyz(); }
inline void replace_direction(Vec3& value, const Vec3& direction) { value = direction; }
inline void replace_direction(Vec4& value, const Vec3& direction) {
  value = {direction.x, direction.y, direction.z, value.w};
}

}  // namespace dermis
