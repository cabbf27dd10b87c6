// SPDX-License-Identifier: MIT
// How many keys a second a clip has, when they are even.
#pragma once

#include <optional>

#include "dermis/model.h"

namespace dermis {

// What animators use when nothing else is said.
inline constexpr double kUsualFps = 30;
// Key times are float and were often rounded to milliseconds or frames.
inline constexpr double kEvenTolerance = 0.02;  // parts of the spacing

// 1 over the spacing of the keys of all channels taken together, when it is even.
std::optional<double> own_fps(const Clip& clip);

}  // namespace dermis
