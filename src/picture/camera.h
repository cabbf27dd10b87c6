// SPDX-License-Identifier: MIT
// A camera as rays and as a projection.
#pragma once

#include "dermis/picture.h"

namespace dermis {

// Axes of a camera and the half sides of its picture at distance one.
struct CameraFrame {
  Vec3d eye, right, up, forward;  // axes unit
  double half_width = 1, half_height = 1;

  // The direction through a point of the picture: x from -1 (left) to 1, y from -1 (bottom) to 1. Unit.
  Vec3d direction(double x, double y) const {
    return normalized(forward + right * (x * half_width) + up * (y * half_height));
  }
};
// Fails with bad_argument if the camera is not finite or its field is not between 0 and half a turn.
Result<CameraFrame> frame_of(const Camera& camera, double aspect);

}  // namespace dermis
