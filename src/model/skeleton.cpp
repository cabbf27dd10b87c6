// SPDX-License-Identifier: MIT
// Copies the skeleton of one character into another, with the clips that move it.
#include <algorithm>
#include <span>

#include "dermis/model.h"

namespace dermis {
namespace {

bool touches_shapes(const Driver& driver) {
  const auto* value = std::get_if<DrivenValue>(&driver.rule);
  if (value == nullptr) return false;
  const auto reads_shape = [](const DriverFactor& factor) { return factor.input == DriverInput::shape; };
  return value->output == DriverOutput::shape ||
         std::any_of(value->factors.begin(), value->factors.end(), reads_shape);
}

}  // namespace

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
  // Only what drives nodes by nodes and controls.
  Character drivers;
  drivers.controls = from.controls;
  for (const Driver& driver : from.drivers) {
    if (!touches_shapes(driver)) drivers.drivers.push_back(driver);
  }
  // What reads nodes that are not copied stays with the whole.
  static_cast<void>(add_driven(drivers, copies, to));
  return copies;
}

}  // namespace dermis
