// SPDX-License-Identifier: MIT
// Time ranges of clips and sizes of their keys.
#include <algorithm>
#include <limits>

#include "dermis/model.h"

namespace dermis {

float Clip::start() const {
  float earliest = std::numeric_limits<float>::infinity();
  for (const Channel& channel : channels) earliest = std::min(earliest, channel.times.front());
  return channels.empty() ? 0.0f : earliest;
}

float Clip::end() const {
  float latest = -std::numeric_limits<float>::infinity();
  for (const Channel& channel : channels) latest = std::max(latest, channel.times.back());
  return channels.empty() ? 0.0f : latest;
}

std::size_t channel_width(const Character& character, const Channel& channel) {
  switch (channel.path) {
    case ChannelPath::translation:
    case ChannelPath::scale:
      return 3;
    case ChannelPath::rotation:
      return 4;
    case ChannelPath::shape_weights: {
      const Instance& instance = character.instances[static_cast<std::size_t>(channel.target)];
      return character.meshes[static_cast<std::size_t>(instance.mesh)].shapes.size();
    }
    case ChannelPath::control:
      return 1;
  }
  return 0;
}

}  // namespace dermis
