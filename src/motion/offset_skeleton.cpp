// SPDX-License-Identifier: MIT
// Removes rest rotations and scale, so that joint positions survive in formats that store only offsets.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dermis/motion.h"
#include "motion/key_rate.h"

namespace dermis {
namespace {

// As a fraction of the skeleton's size: a joint that deviates by no more keeps its offset.
constexpr double kStillTolerance = 1e-6;
constexpr double kMaxOffsetFrames = 1 << 24;

// The joints of all skins, their ancestors and descendants; every node if there is no skin.
std::vector<bool> skeleton_nodes(const Character& character) {
  std::vector<bool> is_kept(character.nodes.size(), character.skins.empty());
  for (const Skin& skin : character.skins) {
    for (const Index joint : skin.node) is_kept[at(joint)] = true;
  }
  const std::vector<Index> order = parents_first(character.nodes);
  std::vector<bool> is_below = is_kept;
  for (const Index n : order) {
    const Index parent = character.nodes[at(n)].parent;
    if (parent != kNone && is_below[at(parent)]) is_below[at(n)] = true;
  }
  for (auto n = order.rbegin(); n != order.rend(); ++n) {
    const Index parent = character.nodes[at(*n)].parent;
    if (parent != kNone && is_kept[at(*n)]) is_kept[at(parent)] = true;
  }
  for (std::size_t n = 0; n < is_kept.size(); ++n) is_kept[n] = is_kept[n] || is_below[n];
  return is_kept;
}

// The rotation from a node's rest axes to its current ones.
Quatd turn_from_rest(const Affined& now, const Affined& rest) {
  const Mat3d back = inverse(rest.linear);
  const Mat3d turn = now.linear * back;
  if (is_finite(turn.x) && is_finite(turn.y) && is_finite(turn.z))
    return quat_from_matrix(polar(turn).rotation);
  // With a scale of zero, only the nearest rotations are available.
  return quat_from_matrix(polar(now.linear).rotation * transposed(polar(rest.linear).rotation));
}

class SkeletonMaker {
 public:
  SkeletonMaker(const Character& character, const OffsetSkeletonOptions& options)
      : source_(character), options_(options), rest_(rest_world(character)) {
    const std::vector<bool> is_kept = skeleton_nodes(character);
    std::vector<Index> made(character.nodes.size(), kNone);
    for (const Index n : parents_first(character.nodes)) {
      if (!is_kept[at(n)]) continue;
      made[at(n)] = static_cast<Index>(nodes_.size());
      const Index parent = character.nodes[at(n)].parent;
      nodes_.push_back(n);
      parents_.push_back(parent == kNone ? kNone : made[at(parent)]);
    }
  }

  Result<OffsetSkeleton> make(const Progress& progress) {
    if (nodes_.empty()) return Error{Errc::bad_argument, "there are no nodes to make a skeleton from"};
    OffsetSkeleton result;
    result.character.name = source_.name;
    result.character.metres_per_unit = source_.metres_per_unit;
    result.character.is_unit_guessed = source_.is_unit_guessed;
    add_nodes(result.character);
    if (Status timed = choose_times(result); !timed) return timed.error();
    prepare_channels();
    for (std::size_t frame = 0; frame < times_.size(); ++frame) {
      const double fraction = static_cast<double>(frame) / static_cast<double>(times_.size());
      if (Status going = progress.at("sampling motion", fraction); !going) return going.error();
      if (Status added = add_frame(frame); !added) return added.error();
    }
    result.character.clips.push_back(clip());
    note_lost_channels(result.notes);
    return result;
  }

 private:
  // A channel of a node outside the skeleton moves a prop, a camera or a light.
  void note_lost_channels(Notes& notes) const {
    if (options_.clip == kNone) return;
    std::vector<bool> is_joint(source_.nodes.size(), false);
    for (const Index n : nodes_) is_joint[at(n)] = true;
    std::size_t count = 0;
    for (const Channel& channel : source_.clips[at(options_.clip)].channels) {
      const bool moves_node =
          channel.path != ChannelPath::shape_weights && channel.path != ChannelPath::control;
      count += moves_node && !is_joint[at(channel.target)] ? 1 : 0;
    }
    if (count == 0) return;
    notes.push_back({Note::Kind::loss, "channels-outside",
                     fmt::format("{} left out", counted(count, "channel that moves no joint was",
                                                        "channels that move no joint were"))});
  }

  // The rest position of a joint relative to its parent, along the world's axes.
  Vec3d offset(std::size_t j) const {
    const Vec3d here = rest_[at(nodes_[j])].translation;
    return parents_[j] == kNone ? here : here - rest_[at(nodes_[at(parents_[j])])].translation;
  }

  void add_nodes(Character& character) const {
    for (std::size_t j = 0; j < nodes_.size(); ++j) {
      Node node;
      node.name = source_.nodes[at(nodes_[j])].name;
      node.parent = parents_[j];
      node.rest.translation = Vec3(offset(j));
      character.nodes.push_back(std::move(node));
    }
  }

  Status choose_times(OffsetSkeleton& result) {
    if (options_.clip == kNone) {
      result.fps = options_.fps > 0 ? options_.fps : kUsualFps;
      times_ = {0};
      return Done{};
    }
    const Clip& source = source_.clips[at(options_.clip)];
    const std::optional<double> own = own_fps(source_, options_.clip);
    result.fps = options_.fps > 0 ? options_.fps : own.value_or(kUsualFps);
    if (options_.fps <= 0 && !own && source.end() > source.start())
      result.notes.push_back(
          {Note::Kind::guess, "fps-assumed",
           fmt::format("the keys of clip {} are not evenly spaced; it is sampled {:g} times per second",
                       quoted_name(source.name), result.fps)});
    const double start = static_cast<double>(source.start());
    const double steps = (static_cast<double>(source.end()) - start) * result.fps;
    if (!(steps < kMaxOffsetFrames))
      return Error{Errc::too_large,
                   fmt::format("clip {} has {:g} frames at {:g} per second; use a lower rate",
                               quoted_name(source.name), steps, result.fps)};
    // The last frame is the end of the clip, even if that falls between two frames.
    const auto count = static_cast<std::size_t>(std::ceil(steps - kEvenTolerance)) + 1;
    for (std::size_t frame = 0; frame < count; ++frame)
      times_.push_back(start + static_cast<double>(frame) / result.fps);
    result.start = start;
    return Done{};
  }

  void prepare_channels() {
    translation_.resize(nodes_.size());
    rotation_.resize(nodes_.size());
    is_moving_.assign(nodes_.size(), false);
    is_turning_.assign(nodes_.size(), false);
    Box box;
    for (const Index n : nodes_) box.add(rest_[at(n)].translation);
    tolerance_ = kStillTolerance * box.diagonal();
    is_leaf_.assign(nodes_.size(), true);
    for (std::size_t j = 0; j < nodes_.size(); ++j) {
      is_moving_[j] = parents_[j] == kNone;
      if (parents_[j] != kNone) is_leaf_[at(parents_[j])] = false;
    }
  }

  Status add_frame(std::size_t frame) {
    const Result<PoseFrame> pose = pose_frame(source_, {options_.clip, times_[frame], nullptr});
    if (!pose) return pose.error();
    std::vector<Quatd> turn(nodes_.size());
    for (std::size_t j = 0; j < nodes_.size(); ++j) {
      const Affined& now = pose->world_from_node[at(nodes_[j])];
      const bool is_root = parents_[j] == kNone;
      turn[j] = turn_from_rest(now, rest_[at(nodes_[j])]);
      const Quatd back = is_root ? Quatd{} : conjugate(turn[at(parents_[j])]);
      const Vec3d from = is_root ? Vec3d{} : pose->world_from_node[at(nodes_[at(parents_[j])])].translation;
      add_keys(j, rotate(back, now.translation - from), back * turn[j]);
    }
    return Done{};
  }

  void add_keys(std::size_t j, const Vec3d& position, Quatd rotation) {
    if (length(position - offset(j)) > tolerance_) is_moving_[j] = true;
    if (length(rotation.xyz()) > kStillTolerance) is_turning_[j] = true;
    for (int axis = 0; axis < 3; ++axis) translation_[j].push_back(static_cast<float>(position[axis]));
    std::vector<float>& keys = rotation_[j];
    if (keys.size() >= 4) {
      const float* last = keys.data() + keys.size() - 4;
      if (dot(rotation, Quatd(Quat{last[0], last[1], last[2], last[3]})) < 0) rotation = -rotation;
    }
    for (const double value : {rotation.x, rotation.y, rotation.z, rotation.w})
      keys.push_back(static_cast<float>(value));
  }

  Clip clip() {
    Clip made;
    if (options_.clip != kNone) made.name = source_.clips[at(options_.clip)].name;
    std::vector<float> times(times_.size());
    for (std::size_t k = 0; k < times.size(); ++k) times[k] = static_cast<float>(times_[k] - times_[0]);
    for (std::size_t j = 0; j < nodes_.size(); ++j) {
      const auto target = static_cast<Index>(j);
      if (is_moving_[j])
        made.channels.push_back(
            {ChannelPath::translation, target, Interpolation::linear, times, std::move(translation_[j])});
      if (is_turning_[j] || !is_leaf_[j])
        made.channels.push_back(
            {ChannelPath::rotation, target, Interpolation::linear, times, std::move(rotation_[j])});
    }
    return made;
  }

  const Character& source_;
  const OffsetSkeletonOptions& options_;
  std::vector<Affined> rest_;
  std::vector<Index> nodes_;    // of the source, parents first
  std::vector<Index> parents_;  // into nodes_
  std::vector<double> times_;
  std::vector<std::vector<float>> translation_, rotation_;  // keys of each joint
  std::vector<bool> is_moving_, is_turning_, is_leaf_;
  double tolerance_ = 0;
};

}  // namespace

Result<OffsetSkeleton> offset_skeleton(const Character& character, const OffsetSkeletonOptions& options,
                                       const Progress& progress) {
  if (options.clip != kNone && (options.clip < 0 || at(options.clip) >= character.clips.size()))
    return Error{Errc::bad_argument, fmt::format("there is no clip {}", options.clip)};
  return SkeletonMaker(character, options).make(progress);
}

}  // namespace dermis
