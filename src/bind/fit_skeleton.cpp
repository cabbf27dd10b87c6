// SPDX-License-Identifier: MIT
// Moves the joints of a skeleton to their places in a body, with everything between and below them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bind/places.h"
#include "dermis/motion.h"

namespace dermis {
namespace {

// As a fraction of the skeleton's size: a shorter bone has no reliable direction.
constexpr double kShortBone = 0.01;
// Relative differences of the scales of a frame up to this are rounding.
constexpr double kEvenScale = 1e-3;
// The sine of half an angle up to which a turn is rounding: quaternions are computed in double.
constexpr double kNoTurn = 1e-9;
// Feet are followed at no more than this many moments of a clip.
constexpr int kFootSamples = 200;
// Nodes between two looks for a stop.
constexpr std::size_t kNodesAtOnce = 4096;

// Joints from which the direction of a bone is taken: where they are, and where they belong.
struct BoneEnd {
  Vec3d old_at, new_at;
  std::size_t count = 0;

  void add(const Vec3d& from, const Vec3d& to) {
    old_at += from;
    new_at += to;
    ++count;
  }
  BoneEnd mean() const {
    const double share = 1.0 / static_cast<double>(count);
    return {old_at * share, new_at * share, 1};
  }
};

class SkeletonFitter {
 public:
  SkeletonFitter(const Character& skeleton, const SkeletonFitting& fitting)
      : skeleton_(skeleton),
        fitting_(fitting),
        order_(parents_first(skeleton.nodes)),
        old_world_(rest_world(skeleton)),
        place_(skeleton.nodes.size(), kNone),
        middle_(skeleton.nodes.size()),
        side_(skeleton.nodes.size()),
        moved_(skeleton.nodes.size()) {
    Box box;
    for (const Affined& world : old_world_) box.add(world.translation);
    short_bone_ = kShortBone * box.diagonal();
    for (std::size_t k = 0; k < fitting.places.size(); ++k)
      place_[at(fitting.places[k].node)] = static_cast<Index>(k);
  }

  Result<FittedSkeleton> fit(const Progress& progress) {
    find_bone_ends();
    measure_reach();
    for (std::size_t k = 0; k < order_.size(); ++k) {
      if (k % kNodesAtOnce == 0) {
        if (const Status go = progress.at("fitting the skeleton", 0); !go) return go.error();
      }
      move(order_[k]);
    }
    FittedSkeleton fitted;
    fitted.character = joints_alone(fitted.notes);
    for (const Index node : order_) {
      if (Status set = set_rest(node, fitted.character.nodes[at(node)]); !set) return set.error();
    }
    for (Clip& clip : fitted.character.clips) {
      if (const Status go = progress.at("fitting clips", 0); !go) return go.error();
      move_clip(clip);
    }
    if (Status stood = stand_clips(fitted.character, progress); !stood) return stood.error();
    for (const Index node : fitted.character.skins[0].node) {
      if (place_[at(node)] == kNone) ++fitted.carried_count;
    }
    return fitted;
  }

 private:
  // A node where it belongs.
  struct Moved {
    Vec3d to;
    Quatd turn;               // of its frame, in the world
    double scale = 1;         // of what hangs from it
    bool is_in_body = false;  // it or a node above it has a place
    bool is_in_limb = false;  // likewise, and that is a place of a limb
  };

  Index parent(Index node) const { return skeleton_.nodes[at(node)].parent; }
  const Vec3d& old_place(Index node) const { return old_world_[at(node)].translation; }
  const JointPlace* place(Index node) const {
    return place_[at(node)] == kNone ? nullptr : &fitting_.places[at(place_[at(node)])];
  }

  // For each node the nearest placed ones below it, those of the trunk and the others apart.
  void find_bone_ends() {
    for (auto node = order_.rbegin(); node != order_.rend(); ++node) {
      const Index up = parent(*node);
      if (up == kNone) continue;
      if (const JointPlace* own = place(*node)) {
        (own->is_middle ? middle_ : side_)[at(up)].add(old_place(*node), own->at);
        continue;
      }
      for (std::vector<BoneEnd>* ends : {&middle_, &side_}) {
        const BoneEnd& below = (*ends)[at(*node)];
        if (below.count == 0) continue;
        BoneEnd& sum = (*ends)[at(up)];
        sum.old_at += below.old_at, sum.new_at += below.new_at, sum.count += below.count;
      }
    }
  }
  std::optional<BoneEnd> bone_end(Index node) const {
    if (middle_[at(node)].count > 0) return middle_[at(node)].mean();
    if (side_[at(node)].count > 0) return side_[at(node)].mean();
    return std::nullopt;
  }

  // The farthest node below each placed joint that has a tip.
  void measure_reach() {
    farthest_.assign(fitting_.places.size(), Vec3d{});
    std::vector<Index> holder(order_.size(), kNone);  // the nearest placed node above, or itself
    for (const Index node : order_) {
      const Index up = parent(node);
      holder[at(node)] = place(node) != nullptr ? place_[at(node)] : up == kNone ? kNone : holder[at(up)];
      if (holder[at(node)] == kNone) continue;
      const Vec3d away = old_place(node) - old_place(fitting_.places[at(holder[at(node)])].node);
      Vec3d& farthest = farthest_[at(holder[at(node)])];
      if (length(away) > length(farthest)) farthest = away;
    }
  }

  // The rotation that carries the old direction of a bone to its new one: that of the whole, then the least.
  Quatd turn_of(const Vec3d& old_bone, const Vec3d& new_bone) const {
    const Quatd& whole = fitting_.whole.turn;
    return normalized(quat_between(rotate(whole, old_bone), new_bone) * whole);
  }
  bool is_bone(const Vec3d& old_bone, const Vec3d& new_bone) const {
    return length(old_bone) > short_bone_ && length(new_bone) > fitting_.whole.scale * short_bone_;
  }

  Vec3d new_place(Index node, const std::optional<BoneEnd>& end) const {
    if (const JointPlace* own = place(node)) return own->at;
    const Index up = parent(node);
    if (up == kNone || !moved_[at(up)].is_in_body) return fitting_.whole(old_place(node));
    const Moved& above = moved_[at(up)];
    const Vec3d offset = old_place(node) - old_place(up);
    if (!end) return above.to + rotate(above.turn, offset) * above.scale;
    const Vec3d old_path = end->old_at - old_place(up), new_path = end->new_at - above.to;
    if (!is_bone(old_path, new_path)) return above.to + rotate(above.turn, offset) * fitting_.whole.scale;
    return above.to + rotate(turn_of(old_path, new_path), offset) * (length(new_path) / length(old_path));
  }

  void move(Index node) {
    const Index up = parent(node);
    const bool is_below = up != kNone && moved_[at(up)].is_in_body;
    const std::optional<BoneEnd> end = bone_end(node);
    const JointPlace* own = place(node);
    Moved& moved = moved_[at(node)];
    moved = is_below ? moved_[at(up)] : Moved{{}, fitting_.whole.turn, fitting_.whole.scale};
    moved.to = new_place(node, end);
    moved.is_in_body = is_below || own != nullptr;
    moved.is_in_limb = moved.is_in_limb || (own != nullptr && !own->is_middle);
    if (!moved.is_in_body) return;
    if (end) {
      const Vec3d old_bone = end->old_at - old_place(node), new_bone = end->new_at - moved.to;
      if (!is_bone(old_bone, new_bone)) return;
      // Clavicles and spines have other directions in every skeleton: motions turn them from where they rest.
      if (moved.is_in_limb) moved.turn = turn_of(old_bone, new_bone);
      moved.scale = length(new_bone) / length(old_bone);
    } else if (own != nullptr && own->tip) {
      // As large as the limb, but not beyond its end.
      const Vec3d &old_bone = farthest_[at(place_[at(node)])], new_bone = *own->tip - moved.to;
      if (!is_bone(old_bone, new_bone)) return;
      moved.turn = turn_of(old_bone, new_bone);
      moved.scale = std::min(moved.scale, length(new_bone) / length(old_bone));
    } else if (own != nullptr) {
      // A head: the bone below it is too short to tell how it is turned.
      moved.turn = fitting_.whole.turn;
      moved.scale = fitting_.whole.scale;
    }
  }

  Character joints_alone(Notes& notes) const {
    Character joints;
    joints.nodes = skeleton_.nodes;
    joints.clips = clips_of_joints(skeleton_, notes);
    Skin skin;
    skin.node = joints_of(skeleton_);
    skin.inverse_bind.resize(skin.node.size());
    joints.skins.push_back(std::move(skin));
    joints.metres_per_unit = skeleton_.metres_per_unit;
    joints.is_unit_guessed = skeleton_.is_unit_guessed;
    return joints;
  }

  Affined new_world(Index node) const {
    return {matrix_from_quat(moved_[at(node)].turn) * old_world_[at(node)].linear, moved_[at(node)].to};
  }

  // The rotation of a frame; nothing if it is scaled unevenly or mirrored.
  static std::optional<Quatd> rotation_of(const Mat3d& linear) {
    const double x = length(linear.x), y = length(linear.y), z = length(linear.z);
    const double most = std::max({x, y, z});
    const bool is_even = std::min({x, y, z}) > (1 - kEvenScale) * most;
    const double volume = dot(cross(linear.x, linear.y), linear.z);
    // Three sides, each short by kEvenScale at most, and as much again for rounding; mirrored ones are below
    // 0.
    if (!is_even || !(volume > (1 - 4 * kEvenScale) * most * most * most)) return std::nullopt;
    return quat_from_matrix(Mat3d(normalized(linear.x), normalized(linear.y), normalized(linear.z)));
  }

  Status set_rest(Index node, Node& rest) const {
    const Index up = parent(node);
    const Moved& moved = moved_[at(node)];
    Quatd turn = moved.turn;  // in the frame of the parent
    Vec3d to = moved.to;
    if (up != kNone) {
      const Quatd between = normalized(conjugate(moved_[at(up)].turn) * moved.turn);
      const std::optional<Quatd> frame = rotation_of(old_world_[at(up)].linear);
      const bool is_turned = length(between.xyz()) > kNoTurn;
      if (is_turned && !frame)
        return Error{Errc::bad_rig,
                     fmt::format("node {} is scaled unevenly or mirrored, so joints below it cannot turn",
                                 quoted_name(skeleton_.nodes[at(up)].name))};
      turn = is_turned ? conjugate(*frame) * between * *frame : Quatd{};
      to = inverse(new_world(up)) * moved.to;
      if (!is_finite(to))
        return Error{Errc::bad_rig,
                     fmt::format("node {} is scaled to nothing", quoted_name(skeleton_.nodes[at(up)].name))};
    }
    rest.rest.translation = Vec3(to);
    rest.rest.rotation = Quat(normalized(turn * Quatd(rest.rest.rotation)));
    if (rest.rest_matrix)
      rest.rest_matrix = Affine(Affined(matrix_from_quat(turn) * Mat3d(rest.rest_matrix->linear), to));
    return Done{};
  }

  // How translation keys of a node become those of the fitted one.
  Affined key_map(Index node) const {
    const Index up = parent(node);
    const SkeletonMove& whole = fitting_.whole;
    const Mat3d even(Vec3d{whole.scale, 0, 0}, Vec3d{0, whole.scale, 0}, Vec3d{0, 0, whole.scale});
    if (up == kNone) return {matrix_from_quat(whole.turn) * even, whole.shift};
    if (!moved_[at(up)].is_in_body) return {even, {}};
    const Vec3d old_offset = inverse(old_world_[at(up)]) * old_place(node);
    const Vec3d new_offset = inverse(new_world(up)) * moved_[at(node)].to;
    const Vec3d old_bone = old_place(node) - old_place(up);
    if (!is_bone(old_bone, moved_[at(node)].to - moved_[at(up)].to))
      return {even, new_offset - old_offset * whole.scale};
    const double scale = length(new_offset) / length(old_offset);
    const Mat3d turn = matrix_from_quat(quat_between(old_offset, new_offset));
    return {Mat3d(turn.x * scale, turn.y * scale, turn.z * scale), {}};
  }

  void move_clip(Clip& clip) const {
    for (Channel& channel : clip.channels) {
      const bool is_spline = channel.interpolation == Interpolation::cubic_spline;
      if (channel.path == ChannelPath::translation) {
        const Affined map = key_map(channel.target);
        for (std::size_t k = 0; k + 2 < channel.values.size(); k += 3) {
          float* value = channel.values.data() + k;
          const bool is_tangent = is_spline && k / 3 % 3 != 1;
          const Vec3d old(value[0], value[1], value[2]);
          const Vec3 moved(is_tangent ? map.linear * old : map * old);
          value[0] = moved.x, value[1] = moved.y, value[2] = moved.z;
        }
      } else if (channel.path == ChannelPath::rotation && parent(channel.target) == kNone) {
        for (std::size_t k = 0; k + 3 < channel.values.size(); k += 4) {
          float* value = channel.values.data() + k;
          const Quat turned(fitting_.whole.turn * Quatd(value[0], value[1], value[2], value[3]));
          value[0] = turned.x, value[1] = turned.y, value[2] = turned.z, value[3] = turned.w;
        }
      }
    }
  }

  double height(const Vec3d& point) const { return dot(point, fitting_.up); }

  // Shifts clips that move the roots of the feet so that the lowest foot stands where it stands at rest.
  Status stand_clips(Character& fitted, const Progress& progress) const {
    if (fitting_.feet.empty() || fitted.clips.empty()) return Done{};
    double floor = INFINITY;
    std::vector<bool> is_root(skeleton_.nodes.size());
    for (Index foot : fitting_.feet) {
      floor = std::min(floor, height(moved_[at(foot)].to));
      while (parent(foot) != kNone) foot = parent(foot);
      is_root[at(foot)] = true;
    }
    const auto moves_root = [&](const Channel& channel) {
      return channel.path == ChannelPath::translation && is_root[at(channel.target)];
    };
    std::vector<double> lowest(fitted.clips.size(), INFINITY);
    {
      const Result<Poser> poser = prepare_poser(fitted);
      if (!poser) return poser.error();
      PoseFrame frame;
      for (std::size_t c = 0; c < fitted.clips.size(); ++c) {
        const Clip& clip = fitted.clips[c];
        if (std::none_of(clip.channels.begin(), clip.channels.end(), moves_root)) continue;
        for (int k = 0; k <= kFootSamples; ++k) {
          if (const Status go = progress.at("fitting clips", 0); !go) return go.error();
          const double time = clip.start() + double{clip.end() - clip.start()} * k / kFootSamples;
          if (Status posed = pose(*poser, {static_cast<Index>(c), time}, frame); !posed) return posed;
          for (const Index foot : fitting_.feet)
            lowest[c] = std::min(lowest[c], height(frame.world_from_node[at(foot)].translation));
        }
      }
    }
    for (std::size_t c = 0; c < fitted.clips.size(); ++c) {
      if (!std::isfinite(lowest[c])) continue;
      const Vec3 shift(fitting_.up * (floor - lowest[c]));
      for (Channel& channel : fitted.clips[c].channels)
        if (moves_root(channel)) shift_keys(channel, shift);
    }
    return Done{};
  }

  static void shift_keys(Channel& channel, const Vec3& shift) {
    const bool is_spline = channel.interpolation == Interpolation::cubic_spline;
    for (std::size_t k = 0; k + 2 < channel.values.size(); k += 3) {
      if (is_spline && k / 3 % 3 != 1) continue;
      channel.values[k] += shift.x, channel.values[k + 1] += shift.y, channel.values[k + 2] += shift.z;
    }
  }

  const Character& skeleton_;
  const SkeletonFitting& fitting_;
  std::vector<Index> order_;
  std::vector<Affined> old_world_;
  std::vector<Index> place_;            // of each node, in fitting_.places, or kNone
  std::vector<BoneEnd> middle_, side_;  // of each node: the sums over the nearest placed ones below it
  std::vector<Vec3d> farthest_;         // of each place: the path to the farthest node that hangs from it
  std::vector<Moved> moved_;            // of each node
  double short_bone_ = 0;
};

}  // namespace

Result<FittedSkeleton> fit_skeleton(const Character& skeleton, const SkeletonFitting& fitting,
                                    const Progress& progress) {
  return without_throwing("fitting the skeleton", [&]() -> Result<FittedSkeleton> {
    if (joints_of(skeleton).empty()) return Error{Errc::bad_rig, "the skeleton has no joint"};
    Result<FittedSkeleton> fitted = SkeletonFitter(skeleton, fitting).fit(progress);
    if (!fitted) return fitted;
    if (const Status valid = validate(fitted->character); !valid) return valid.error();
    return fitted;
  });
}

}  // namespace dermis
