// SPDX-License-Identifier: MIT
// Soft steps from 0 to 1, for weights and blend shapes.
#pragma once

#include <algorithm>

namespace dermis {

// 0 up to t = 0, 1 from t = 1, slopes continuous: for falloffs that a plan defines itself.
inline double cubic_step(double t) {
  t = std::clamp(t, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

// The same with continuous curvature: for cuts across limbs, where a kink would show as a crease on a bent
// joint.
inline double quintic_step(double t) {
  t = std::clamp(t, 0.0, 1.0);
  return t * t * t * (t * (6 * t - 15) + 10);
}

}  // namespace dermis
