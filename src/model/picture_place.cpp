// SPDX-License-Identifier: MIT
// The position of a surface corner on a picture.
#include <cmath>

#include "dermis/model.h"

namespace dermis {

Vec2 PicturePlace::operator()(const Vec2& uv) const {
  const float x = scale.x * uv.x, y = scale.y * uv.y;
  const float c = std::cos(turn), s = std::sin(turn);
  return {offset.x + c * x + s * y, offset.y + c * y - s * x};
}

}  // namespace dermis
