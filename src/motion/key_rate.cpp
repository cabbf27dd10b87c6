// SPDX-License-Identifier: MIT
// Finds the rate of a clip's keys, if they are evenly spaced.
#include "motion/key_rate.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dermis {

namespace {

bool has_driven_shapes(const Character& character) {
  return !character.shape_rules.empty() || !character.pose_spaces.empty() ||
         std::any_of(character.drivers.begin(), character.drivers.end(), [](const Driver& driver) {
           const auto* value = std::get_if<DrivenValue>(&driver.rule);
           return value != nullptr && value->output == DriverOutput::shape;
         });
}

bool is_of_driver(const Character& character, const std::vector<NodeParts>& driven, const Channel& channel) {
  if (channel.path == ChannelPath::shape_weights) return has_driven_shapes(character);
  if (driven.empty()) return false;
  switch (channel.path) {
    case ChannelPath::translation:
      return driven[at(channel.target)].translation;
    case ChannelPath::rotation:
      return driven[at(channel.target)].rotation;
    case ChannelPath::scale:
      return driven[at(channel.target)].scale;
    default:
      return false;
  }
}

}  // namespace

std::optional<double> own_fps(const Character& character, Index clip) {
  const std::vector<NodeParts> driven = driven_parts(character);
  std::vector<float> times, driven_times;
  for (const Channel& channel : character.clips[at(clip)].channels) {
    std::vector<float>& list = is_of_driver(character, driven, channel) ? driven_times : times;
    list.insert(list.end(), channel.times.begin(), channel.times.end());
  }
  if (times.empty()) times = std::move(driven_times);
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
