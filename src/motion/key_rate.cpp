// SPDX-License-Identifier: MIT
// Finds the rate of a clip's keys, if they are evenly spaced.
#include "motion/key_rate.h"

#include <algorithm>
#include <cmath>

namespace dermis {

namespace {

bool is_of_driver(const std::vector<NodeParts>& driven, const Channel& channel) {
  switch (channel.path) {
    case ChannelPath::translation:
      return driven[at(channel.target)].translation;
    case ChannelPath::rotation:
      return driven[at(channel.target)].rotation;
    case ChannelPath::scale:
      return driven[at(channel.target)].scale;
    default:
      return channel.path == ChannelPath::shape_weights;
  }
}

}  // namespace

std::optional<double> own_fps(const Character& character, Index clip) {
  std::vector<float> times;
  const std::vector<NodeParts> driven = driven_parts(character);
  for (const Channel& channel : character.clips[at(clip)].channels) {
    if (!driven.empty() && is_of_driver(driven, channel)) continue;
    times.insert(times.end(), channel.times.begin(), channel.times.end());
  }
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
