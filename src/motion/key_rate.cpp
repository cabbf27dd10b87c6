// SPDX-License-Identifier: MIT
// Finds the rate of a clip's keys, if they are evenly spaced.
#include "motion/key_rate.h"

#include <algorithm>
#include <cmath>

namespace dermis {

std::optional<double> own_fps(const Clip& clip) {
  std::vector<float> times;
  for (const Channel& channel : clip.channels)
    times.insert(times.end(), channel.times.begin(), channel.times.end());
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  if (times.size() < 2) return std::nullopt;
  const double start = static_cast<double>(times.front());
  const double spacing = (static_cast<double>(times.back()) - start) / static_cast<double>(times.size() - 1);
  for (std::size_t k = 0; k < times.size(); ++k) {
    const double even = start + static_cast<double>(k) * spacing;
    if (std::abs(static_cast<double>(times[k]) - even) > kEvenTolerance * spacing) return std::nullopt;
  }
  return 1 / spacing;
}

}  // namespace dermis
