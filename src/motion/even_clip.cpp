// SPDX-License-Identifier: MIT
// Lays clips out at even times, for sample_palette.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "dermis/motion.h"

namespace dermis {
namespace {

constexpr double kMaxFrames = 1 << 20;
constexpr std::size_t kRows = 10, kMostLanes = 16;

// ---- Preparing ----------------------------------------------------------------------------------------

// The joints of the skin and what they hang from, parents first.
std::vector<Index> nodes_of(const Character& character, const Skin& skin) {
  std::vector<bool> is_needed(character.nodes.size());
  for (Index node : skin.node) {
    for (; node != kNone && !is_needed[at(node)]; node = character.nodes[at(node)].parent)
      is_needed[at(node)] = true;
  }
  std::vector<Index> nodes;
  for (const Index node : parents_first(character.nodes)) {
    if (is_needed[at(node)]) nodes.push_back(node);
  }
  return nodes;
}

bool moves_nodes(const Channel& channel) {
  using enum ChannelPath;
  return channel.path == translation || channel.path == rotation || channel.path == scale;
}

void set_part(const Channel& channel, double time, Transform& local) {
  std::array<float, 4> v{};
  const bool is_rotation = channel.path == ChannelPath::rotation;
  sample_channel(channel, time, std::span(v).first(is_rotation ? 4 : 3));
  if (is_rotation) local.rotation = {v[0], v[1], v[2], v[3]};
  if (channel.path == ChannelPath::translation) local.translation = {v[0], v[1], v[2]};
  if (channel.path == ChannelPath::scale) local.scale = {v[0], v[1], v[2]};
}

void put_columns(const Affined& affine, AlignedVector<float>& to) {
  for (const Vec3d& column : {affine.linear.x, affine.linear.y, affine.linear.z, affine.translation}) {
    const Vec3 rounded(column);
    to.insert(to.end(), {rounded.x, rounded.y, rounded.z, 0.0f});
  }
}

class Builder {
 public:
  Builder(const Character& character, const Skin& skin, const Clip& clip, double fps)
      : character_(character), skin_(skin), clip_(clip), link_of_node_(character.nodes.size(), kNone) {
    out_.start = static_cast<double>(clip.start());
    const double seconds = static_cast<double>(clip.end()) - out_.start;
    // Key times are float: a clip of 2.0000001 s has as many frames as one of 2 s.
    const double steps = std::max(1.0, std::ceil(seconds * fps - 1e-4));
    out_.frame_count = static_cast<std::size_t>(steps) + 1;
    out_.fps = seconds > 0 ? steps / seconds : fps;
  }

  EvenClip build() {
    add_links();
    for (std::size_t s = 0; s < skin_.node.size(); ++s) {
      out_.link_of_slot.push_back(link_of_node_[at(skin_.node[s])]);
      put_columns(Affined(skin_.inverse_bind[s]), out_.inverse_bind);
    }
    out_.row_size = (moved_.size() + kMostLanes - 1) / kMostLanes * kMostLanes;
    out_.frames.resize(out_.frame_count * kRows * out_.row_size);
    for (std::size_t k = 0; k < moved_.size(); ++k) add_moves(k);
    return std::move(out_);
  }

 private:
  void add_links() {
    std::vector<bool> is_moved(character_.nodes.size());
    for (const Channel& channel : clip_.channels) {
      if (moves_nodes(channel)) is_moved[at(channel.target)] = true;
    }
    for (const Index node : nodes_of(character_, skin_)) {
      const Node& from = character_.nodes[at(node)];
      EvenClip::Link link;
      if (from.parent != kNone) link.parent = link_of_node_[at(from.parent)];
      if (is_moved[at(node)]) {
        link.channel = static_cast<Index>(moved_.size());
        moved_.push_back(node);
      }
      put_columns(from.rest_matrix ? Affined(*from.rest_matrix) : affine_from_transform(from.rest),
                  out_.rest);
      link_of_node_[at(node)] = static_cast<Index>(out_.links.size());
      out_.links.push_back(link);
    }
  }

  // The local poses of one node, rotations of neighbouring frames on the same side of the sphere.
  void add_moves(std::size_t place) {
    std::vector<const Channel*> channels;
    for (const Channel& channel : clip_.channels) {
      if (moves_nodes(channel) && channel.target == moved_[place]) channels.push_back(&channel);
    }
    Transform local = character_.nodes[at(moved_[place])].rest;
    for (std::size_t f = 0; f < out_.frame_count; ++f) {
      const Quat before = local.rotation;
      for (const Channel* channel : channels)
        set_part(*channel, out_.start + static_cast<double>(f) / out_.fps, local);
      if (dot(before, local.rotation) < 0) local.rotation = -local.rotation;
      const float values[kRows] = {
          local.rotation.x,    local.rotation.y,    local.rotation.z, local.rotation.w, local.translation.x,
          local.translation.y, local.translation.z, local.scale.x,    local.scale.y,    local.scale.z};
      float* frame = out_.frames.data() + f * kRows * out_.row_size;
      for (std::size_t row = 0; row < kRows; ++row) frame[row * out_.row_size + place] = values[row];
    }
  }

  const Character& character_;
  const Skin& skin_;
  const Clip& clip_;
  std::vector<Index> link_of_node_;
  std::vector<Index> moved_;  // nodes that have a channel, by their place
  EvenClip out_;
};

}  // namespace

Result<EvenClip> even_clip(const Character& character, Index skin, Index clip, double fps) {
  return without_throwing("sampling a clip", [&]() -> Result<EvenClip> {
    if (skin < 0 || at(skin) >= character.skins.size())
      return Error{Errc::bad_argument, fmt::format("there is no skin {}", skin)};
    if (clip < 0 || at(clip) >= character.clips.size())
      return Error{Errc::bad_argument, fmt::format("there is no clip {}", clip)};
    const Clip& chosen = character.clips[at(clip)];
    const double seconds = static_cast<double>(chosen.end()) - static_cast<double>(chosen.start());
    if (!(fps > 0) || !(seconds * fps < kMaxFrames)) {
      return Error{
          Errc::bad_argument,
          fmt::format("{} frames a second cannot be: they must be above 0, and at most {:.0f} in all", fps,
                      kMaxFrames)};
    }
    return Builder(character, character.skins[at(skin)], chosen, fps).build();
  });
}

}  // namespace dermis
