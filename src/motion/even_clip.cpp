// SPDX-License-Identifier: MIT
// Samples clips at evenly spaced times, for sample_palette.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "motion/poser.h"

namespace dermis {
namespace {

constexpr double kMaxFrames = 1 << 20;
constexpr std::size_t kRows = 10, kMostLanes = 16;

// ---- Preparing ----------------------------------------------------------------------------------------

// The joints of the skin and their ancestors, parents first.
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

void put_columns(const Affined& affine, AlignedVector<float>& to) {
  for (const Vec3d& column : {affine.linear.x, affine.linear.y, affine.linear.z, affine.translation}) {
    const Vec3 rounded(column);
    to.insert(to.end(), {rounded.x, rounded.y, rounded.z, 0.0f});
  }
}

class Builder {
 public:
  Builder(const Poser& poser, const Skin& skin, Index clip, double fps)
      : poser_(poser), skin_(skin), clip_(clip), link_of_node_(poser.character->nodes.size(), kNone) {
    const Clip& keys = poser.character->clips[at(clip)];
    out_.start = static_cast<double>(keys.start());
    const double seconds = static_cast<double>(keys.end()) - out_.start;
    // Key times are float: a clip of 2.0000001 s has as many frames as one of 2 s.
    const double steps = std::max(1.0, std::ceil(seconds * fps - 1e-4));
    out_.frame_count = static_cast<std::size_t>(steps) + 1;
    out_.fps = seconds > 0 ? steps / seconds : fps;
  }

  Result<EvenClip> build() {
    add_links();
    for (std::size_t s = 0; s < skin_.node.size(); ++s) {
      out_.link_of_slot.push_back(link_of_node_[at(skin_.node[s])]);
      put_columns(Affined(skin_.inverse_bind[s]), out_.inverse_bind);
    }
    out_.row_size = (moved_.size() + kMostLanes - 1) / kMostLanes * kMostLanes;
    out_.frames.resize(out_.frame_count * kRows * out_.row_size);
    std::vector<Quat> before;  // rotations of the last frame
    for (const Index node : moved_) before.push_back(poser_.character->nodes[at(node)].rest.rotation);
    PoseFrame frame;
    for (std::size_t f = 0; f < out_.frame_count; ++f) {
      const double time = out_.start + static_cast<double>(f) / out_.fps;
      if (Status posed = pose_locally(poser_, {clip_, time, nullptr}, frame); !posed) return posed.error();
      add_frame(f, frame, before);
    }
    return std::move(out_);
  }

 private:
  void add_links() {
    const std::vector<bool> is_moved = moved_nodes(poser_, clip_);
    for (const Index node : nodes_of(*poser_.character, skin_)) {
      const Node& from = poser_.character->nodes[at(node)];
      EvenClip::Link link;
      if (from.parent != kNone) link.parent = link_of_node_[at(from.parent)];
      if (is_moved[at(node)]) {
        link.channel = static_cast<Index>(moved_.size());
        moved_.push_back(node);
      }
      put_columns(poser_.parent_from_rest[at(node)], out_.rest);
      link_of_node_[at(node)] = static_cast<Index>(out_.links.size());
      out_.links.push_back(link);
    }
  }

  // The local poses of one frame, rotations on the same side of the sphere as in the previous frame.
  void add_frame(std::size_t f, const PoseFrame& frame, std::vector<Quat>& before) {
    float* rows = out_.frames.data() + f * kRows * out_.row_size;
    for (std::size_t k = 0; k < moved_.size(); ++k) {
      const Transform& local = frame.local[at(moved_[k])].transform;
      Quat& turn = before[k];
      turn = dot(turn, local.rotation) < 0 ? -local.rotation : local.rotation;
      const float values[kRows] = {turn.x,
                                   turn.y,
                                   turn.z,
                                   turn.w,
                                   local.translation.x,
                                   local.translation.y,
                                   local.translation.z,
                                   local.scale.x,
                                   local.scale.y,
                                   local.scale.z};
      for (std::size_t row = 0; row < kRows; ++row) rows[row * out_.row_size + k] = values[row];
    }
  }

  const Poser& poser_;
  const Skin& skin_;
  Index clip_;
  std::vector<Index> link_of_node_;
  std::vector<Index> moved_;  // nodes that the clip moves, by channel
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
      return Error{Errc::bad_argument, fmt::format("{} frames per second are not possible: the rate must be "
                                                   "above 0, with at most {:.0f} frames in total",
                                                   fps, kMaxFrames)};
    }
    const Result<Poser> poser = prepare_poser(character);
    if (!poser) return poser.error();
    return Builder(*poser, character.skins[at(skin)], clip, fps).build();
  });
}

}  // namespace dermis
