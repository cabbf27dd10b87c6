// SPDX-License-Identifier: MIT
// The number of keys per second of a clip, if they are evenly spaced.
#pragma once

#include <optional>

#include "dermis/model.h"

namespace dermis {

// What animators use by default.
inline constexpr double kUsualFps = 30;
// Key times are float and were often rounded to milliseconds or frames.
inline constexpr double kEvenTolerance = 0.02;  // as a fraction of the spacing

// 1 over the spacing of the keys of all channels together, if it is even. Keys of what drivers, rules
// of shapes and pose spaces write count only if there are no others: they are as dense as their curves need.
std::optional<double> own_fps(const Character& character, Index clip);

}  // namespace dermis
