// SPDX-License-Identifier: MIT
// Points of a picture as points in space.
#pragma once

#include "dermis/math.h"

namespace dermis {

inline Vec3d on_page(const Vec2& place) {
  return {static_cast<double>(place.x), static_cast<double>(place.y), 0};
}

}  // namespace dermis
