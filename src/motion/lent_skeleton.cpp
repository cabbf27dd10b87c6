// SPDX-License-Identifier: MIT
// Motions whose export lost the bone lengths play on the skeleton of the character they are for.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "dermis/motion.h"

namespace dermis {
namespace {

// Joints that a clip moves, each once.
std::vector<Index> moved_joints(const Clip& clip) {
  std::vector<Index> nodes;
  for (const Channel& channel : clip.channels) {
    const bool moves_node =
        channel.path != ChannelPath::shape_weights && channel.path != ChannelPath::control;
    if (moves_node) nodes.push_back(channel.target);
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

bool are_at_one_place(const Character& character, std::span<const Index> nodes) {
  const std::vector<Affined> world = rest_world(character);
  return std::all_of(nodes.begin(), nodes.end(), [&](Index node) {
    return world[at(node)].translation == world[at(nodes[0])].translation;
  });
}

}  // namespace

bool has_no_lengths(const Character& motion, Index clip) {
  constexpr std::size_t kFewest = 3;  // two joints at one place may be a joint and its helper
  const std::vector<Index> moved = moved_joints(motion.clips[at(clip)]);
  // Things that are modelled around one origin, each under a node of its own, are not a skeleton.
  std::size_t child_count = 0;
  for (const Index n : moved) {
    const Node& node = motion.nodes[at(n)];
    if (!std::binary_search(moved.begin(), moved.end(), node.parent)) continue;
    if (!node.rest_matrix && node.rest.translation != Vec3{}) return false;
    ++child_count;
  }
  return child_count + 1 >= kFewest && are_at_one_place(motion, moved);
}

Result<Character> with_lent_skeleton(const Character& motion, Index clip, const Character& target,
                                     Notes& notes) {
  std::unordered_map<std::string, Index> by_name;
  for (std::size_t n = 0; n < target.nodes.size(); ++n)
    by_name.try_emplace(target.nodes[n].name, static_cast<Index>(n));
  const std::vector<Index> moved = moved_joints(motion.clips[at(clip)]);
  std::vector<Index> node_of(motion.nodes.size(), kNone);
  std::size_t found = 0;
  for (const Index node : moved) {
    const auto same = by_name.find(motion.nodes[at(node)].name);
    if (same == by_name.end()) continue;
    node_of[at(node)] = same->second;
    ++found;
  }
  if (2 * found < moved.size()) {
    return Error{Errc::bad_rig,
                 fmt::format("all {} joints that its clip {} moves rest at one place, so their lengths were "
                             "lost, and only {} of them have the name of a joint of the character; export "
                             "the motion together with its skeleton",
                             moved.size(), quoted_name(motion.clips[at(clip)].name), found)};
  }
  Character lent;
  lent.nodes = target.nodes;
  lent.metres_per_unit = target.metres_per_unit;
  Clip& played = lent.clips.emplace_back(motion.clips[at(clip)]);
  std::erase_if(played.channels, [&](const Channel& channel) {
    return channel.path == ChannelPath::shape_weights || channel.path == ChannelPath::control ||
           node_of[at(channel.target)] == kNone;
  });
  for (Channel& channel : played.channels) channel.target = node_of[at(channel.target)];
  notes.push_back({Note::Kind::guess, "lengths-lent",
                   fmt::format("the joints of the motion all rest at one place, so their lengths were lost; "
                               "those of the character are used for {} of {} joints, by name",
                               found, moved.size())});
  return lent;
}

}  // namespace dermis
