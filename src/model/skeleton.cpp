// SPDX-License-Identifier: MIT
// Copies the skeleton of one character into another, with the clips that move it.
#include <span>

#include "dermis/model.h"

namespace dermis {

std::vector<Index> copy_skeleton(const Character& from, std::span<const Index> joints, Character& to) {
  std::vector<bool> is_copied(from.nodes.size(), false);
  for (Index node : joints) {
    for (; node != kNone && !is_copied[at(node)]; node = from.nodes[at(node)].parent)
      is_copied[at(node)] = true;
  }
  std::vector<Index> copies(from.nodes.size(), kNone);
  auto next = static_cast<Index>(to.nodes.size());
  for (std::size_t n = 0; n < from.nodes.size(); ++n)
    if (is_copied[n]) copies[n] = next++;
  for (std::size_t n = 0; n < from.nodes.size(); ++n) {
    if (!is_copied[n]) continue;
    Node node = from.nodes[n];
    node.parent = node.parent == kNone ? kNone : copies[at(node.parent)];
    to.nodes.push_back(std::move(node));
  }
  for (const Clip& clip : from.clips) {
    Clip kept;
    kept.name = clip.name;
    for (const Channel& channel : clip.channels) {
      const bool is_of_node = channel.path == ChannelPath::translation ||
                              channel.path == ChannelPath::rotation || channel.path == ChannelPath::scale;
      if (!is_of_node || copies[at(channel.target)] == kNone) continue;
      kept.channels.push_back(channel);
      kept.channels.back().target = copies[at(channel.target)];
    }
    if (!kept.channels.empty()) to.clips.push_back(std::move(kept));
  }
  return copies;
}

}  // namespace dermis
