// SPDX-License-Identifier: MIT
// Pairs the joints of hands, tails and chains, and carries rotations from one to the other.
#include "motion/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "motion/key_rate.h"
#include "motion/moved_body.h"

namespace dermis {
namespace {

using JointPairList = std::vector<std::pair<Index, Index>>;

// A skeleton is a chain if the longest way down has at least this share of its joints.
constexpr double kMostlyChain = 0.6;
// A hand is told by at least this many fingers.
constexpr std::size_t kLeastFingers = 2;
// How strongly directions that the joints do not determine (the twist of a straight chain) are held, relative
// to those that they do.
constexpr double kHeldDirection = 1e-3;
// A part that moves further than this, in its own size, travels.
constexpr double kTravel = 0.05;

// ---- Pairs --------------------------------------------------------------------------------------------

struct HandJoints {
  int side = -1;
  Index hand = kNone;
  std::array<std::vector<Index>, 5> fingers;  // from the hand outwards
  std::size_t finger_count() const {
    return static_cast<std::size_t>(
        std::count_if(fingers.begin(), fingers.end(), [](const auto& list) { return !list.empty(); }));
  }
};

// The finger that a name means, 0 for the thumb; -1: none.
int finger_of(const SpokenName& name) {
  constexpr std::array<std::string_view, 5> kWords{"thumb", "index", "middle", "ring", "pinky"};
  std::string_view word = name.word;
  if (word.starts_with("hand")) word.remove_prefix(4);
  if (word.starts_with("little")) word = "pinky";
  if (word.starts_with("pointer")) word = "index";
  const auto found = std::find_if(kWords.begin(), kWords.end(),
                                  [&](std::string_view finger) { return word.starts_with(finger); });
  // Bones of the palm; that of the thumb is its first joint.
  const bool is_palm = word.find("metacarp") != std::string_view::npos && found != kWords.begin();
  return found == kWords.end() || is_palm ? -1 : static_cast<int>(found - kWords.begin());
}

std::vector<HandJoints> hands_of(const Skeleton& skeleton) {
  std::vector<HandJoints> hands;
  for (const int side : {0, 1, -1}) {
    HandJoints hand{side, kNone, {}};
    for (const Index node : skeleton.order()) {
      const SpokenName& name = skeleton.name(node);
      if (name.side != side || name.is_helper) continue;
      if (hand.hand == kNone && (name.word == "hand" || name.word == "wrist")) hand.hand = node;
      const int finger = finger_of(name);
      if (finger < 0) continue;
      std::vector<Index>& chain = hand.fingers[static_cast<std::size_t>(finger)];
      if (chain.empty() || skeleton.is_below(node, chain.back())) chain.push_back(node);
    }
    if (hand.finger_count() >= kLeastFingers) hands.push_back(std::move(hand));
  }
  return hands;
}

// From the first joint on; the longer chain keeps its last joints.
void add_chains(const std::vector<Index>& source, const std::vector<Index>& target, JointPairList& pairs) {
  for (std::size_t k = 0; k < std::min(source.size(), target.size()); ++k)
    pairs.emplace_back(source[k], target[k]);
}

void add_hand(const HandJoints& source, const HandJoints& target, JointPairList& pairs) {
  if (source.hand != kNone && target.hand != kNone) pairs.emplace_back(source.hand, target.hand);
  for (std::size_t f = 0; f < source.fingers.size(); ++f)
    add_chains(source.fingers[f], target.fingers[f], pairs);
}

JointPairList pair_hands(const Skeleton& source, const Skeleton& target) {
  const std::vector<HandJoints> from = hands_of(source), to = hands_of(target);
  JointPairList pairs;
  for (const HandJoints& one : from) {
    for (const HandJoints& other : to) {
      const bool is_only = from.size() == 1 && to.size() == 1;
      if (one.side == other.side || is_only) add_hand(one, other, pairs);
    }
  }
  return pairs;
}

// A name by its meaning: side, word and numbers.
std::string spoken_key(const SpokenName& name) {
  return name.word.empty() ? std::string()
                           : fmt::format("{} {} {}", name.side, name.word, fmt::join(name.numbers, "."));
}

// Meanings that one skeleton has twice tell nothing.
std::map<std::string, Index> joints_by_meaning(const Skeleton& skeleton) {
  std::map<std::string, Index> joints;
  for (const Index node : skeleton.order()) {
    const std::string key = spoken_key(skeleton.name(node));
    if (key.empty() || skeleton.name(node).is_helper) continue;
    const auto [found, is_new] = joints.try_emplace(key, node);
    if (!is_new) found->second = kNone;
  }
  std::erase_if(joints, [](const auto& entry) { return entry.second == kNone; });
  return joints;
}

JointPairList pair_names(const Skeleton& source, const Skeleton& target) {
  const std::map<std::string, Index> from = joints_by_meaning(source), to = joints_by_meaning(target);
  JointPairList pairs;
  for (const auto& [key, joint] : from) {
    const auto found = to.find(key);
    if (found != to.end()) pairs.emplace_back(joint, found->second);
  }
  return pairs;
}

// The joints of a skeleton that is mostly one chain, with their shares of the way; empty for others.
struct ChainWay {
  std::vector<Index> joints;
  std::vector<double> share;
};
ChainWay chain_way(const Skeleton& skeleton) {
  ChainWay way;
  if (skeleton.order().empty()) return way;
  std::vector<Index> chain = skeleton.main_chain(skeleton.order().front());
  if (static_cast<double>(chain.size()) < kMostlyChain * static_cast<double>(skeleton.order().size()))
    return way;
  double length = 0;
  for (std::size_t k = 0; k < chain.size(); ++k) {
    length += k == 0 ? 0 : skeleton.length_between(chain[k - 1], chain[k]);
    way.share.push_back(length);
  }
  if (!(length > 0)) return {};
  for (double& share : way.share) share /= length;
  way.joints = std::move(chain);
  return way;
}

// Every joint of the shorter chain gets the nearest one of the longer, in order.
JointPairList pair_chains(const Skeleton& source, const Skeleton& target) {
  const ChainWay from = chain_way(source), to = chain_way(target);
  if (from.joints.empty() || to.joints.empty()) return {};
  const bool is_source_shorter = from.joints.size() <= to.joints.size();
  const ChainWay &few = is_source_shorter ? from : to, &many = is_source_shorter ? to : from;
  JointPairList pairs;
  std::size_t next = 0;
  for (std::size_t k = 0; k < few.joints.size(); ++k) {
    // Enough must be left for those that follow.
    const std::size_t last = many.joints.size() - (few.joints.size() - k);
    while (next < last &&
           std::abs(many.share[next + 1] - few.share[k]) <= std::abs(many.share[next] - few.share[k]))
      ++next;
    pairs.emplace_back(is_source_shorter ? few.joints[k] : many.joints[next],
                       is_source_shorter ? many.joints[next] : few.joints[k]);
    ++next;
  }
  return pairs;
}

// Without pairs that name a joint again; fewer than two tell nothing.
JointPairList without_repeats(const JointPairList& pairs) {
  JointPairList kept;
  std::set<Index> from, to;
  for (const auto& [a, b] : pairs) {
    if (from.contains(a) || to.contains(b)) continue;
    from.insert(a);
    to.insert(b);
    kept.emplace_back(a, b);
  }
  return kept.size() < 2 ? JointPairList{} : kept;
}

// How many of the joints are below another of them.
std::size_t count_below_others(const Skeleton& skeleton, const std::vector<Index>& joints) {
  std::vector<bool> is_one(skeleton.character().nodes.size()), is_below_one(is_one.size());
  for (const Index joint : joints) is_one[at(joint)] = true;
  // All nodes between two joints are joints, so the order has them.
  for (const Index node : skeleton.order()) {
    const Index parent = skeleton.parent(node);
    if (parent != kNone) is_below_one[at(node)] = is_one[at(parent)] || is_below_one[at(parent)];
  }
  return static_cast<std::size_t>(
      std::count_if(joints.begin(), joints.end(), [&](Index joint) { return is_below_one[at(joint)]; }));
}

// ---- Motion -------------------------------------------------------------------------------------------

// Turns rotations of the source into those of the target: by the rotation between the two, after a mirror if
// one is a left part and the other a right one.
struct PartFrame {
  bool is_mirrored = false;
  Quatd target_from_source;

  Quatd carried(const Quatd& turn) const {
    const Quatd seen = is_mirrored ? Quatd{turn.x, -turn.y, -turn.z, turn.w} : turn;
    return normalized(target_from_source * seen * conjugate(target_from_source));
  }
};

bool are_sides_opposite(const Skeleton& source, const Skeleton& target, const JointPairList& pairs) {
  const auto is_opposite = [&](const std::pair<Index, Index>& pair) {
    const int a = source.name(pair.first).side, b = target.name(pair.second).side;
    return a >= 0 && b >= 0 && a != b;
  };
  return std::all_of(pairs.begin(), pairs.end(), is_opposite);
}

struct SeenPlaces {
  std::vector<Vec3d> places;  // from their middle
  double size = 0;
};
SeenPlaces seen_places(const std::vector<Affined>& world, const std::vector<Index>& joints) {
  SeenPlaces seen;
  Vec3d middle;
  for (const Index joint : joints) middle += world[at(joint)].translation;
  middle = middle * (1 / static_cast<double>(joints.size()));
  for (const Index joint : joints) {
    seen.places.push_back(world[at(joint)].translation - middle);
    seen.size = std::max(seen.size, length(seen.places.back()));
  }
  return seen;
}

// The rotation that best takes the joints of one to those of the other (orthogonal Procrustes).
PartFrame part_frame(const SeenPlaces& source, const SeenPlaces& target, bool is_mirrored) {
  PartFrame frame{is_mirrored, {}};
  Mat3d sum = diagonal(Vec3d{kHeldDirection, kHeldDirection, kHeldDirection});
  const double scale = source.size * target.size;
  for (std::size_t k = 0; k < source.places.size() && scale > 0; ++k) {
    Vec3d from = source.places[k] * (1 / scale);
    if (is_mirrored) from.x = -from.x;
    const Vec3d& to = target.places[k];
    sum.x += to * from.x;
    sum.y += to * from.y;
    sum.z += to * from.z;
  }
  frame.target_from_source = quat_from_matrix(polar(sum).rotation);
  return frame;
}

Channel rotation_channel(Index joint, const std::vector<float>& times) {
  return {ChannelPath::rotation, joint, Interpolation::linear, times, {}};
}

void note_travel(const BodySamples& samples, Index first, double size, Notes& notes) {
  double most = 0;
  for (std::size_t frame = 0; frame < samples.frame_count; ++frame)
    most = std::max(most, length(samples.place_at(frame, first) - samples.place_at(0, first)));
  if (!(most > kTravel * size)) return;
  notes.push_back({Note::Kind::loss, "travel-left-out",
                   "without hips there is nothing that travels: the character stays in place"});
}

}  // namespace

bool are_trees(const Skeleton& source, const Skeleton& target, const JointPairList& pairs) {
  std::vector<Index> from, to;
  for (const auto& [a, b] : pairs) from.push_back(a), to.push_back(b);
  return 2 * std::min(count_below_others(source, from), count_below_others(target, to)) >= pairs.size();
}

JointPairList pair_parts(const Skeleton& source, const Skeleton& target) {
  for (const auto pair : {pair_hands, pair_names, pair_chains}) {
    JointPairList pairs = without_repeats(pair(source, target));
    if (!pairs.empty() && are_trees(source, target, pairs)) return pairs;
  }
  return {};
}

JointPairList flat_pairs(const MotionMap& map) {
  JointPairList pairs;
  for (std::size_t r = 0; r < kRoleCount; ++r) add_chains(map.source.joints[r], map.target.joints[r], pairs);
  pairs.insert(pairs.end(), map.pairs.begin(), map.pairs.end());
  return pairs;
}

Result<RetargetedClip> retarget_parts(const Character& source, Index clip, const Character& target,
                                      const JointPairList& pairs, const RetargetOptions& options,
                                      const Progress& progress) {
  if (options.is_loop)
    return Error{Errc::bad_argument, "a motion without hips cannot be looped: no hips are mapped in both"};
  const Clip& keys = source.clips[at(clip)];
  const double fps = options.fps > 0 ? options.fps : own_fps(source, clip).value_or(kUsualFps);
  // Parents first, so that the first joint that moves is the uppermost.
  std::vector<Index> rank(target.nodes.size());
  const std::vector<Index> order = parents_first(target.nodes);
  for (std::size_t k = 0; k < order.size(); ++k) rank[at(order[k])] = static_cast<Index>(k);
  JointPairList sorted = pairs;
  std::sort(sorted.begin(), sorted.end(),
            [&](const auto& a, const auto& b) { return rank[at(a.second)] < rank[at(b.second)]; });
  std::vector<Index> from, to;
  for (const auto& [a, b] : sorted) from.push_back(a), to.push_back(b);
  const Result<BodySamples> samples = sample_body(source, clip, fps, 0, from, progress.part(0, 0.6));
  if (!samples) return samples.error();
  const std::vector<Affined> source_rest = rest_world(source), target_rest = rest_world(target);
  const SeenPlaces seen_from = seen_places(source_rest, from), seen_to = seen_places(target_rest, to);
  const PartFrame frame =
      part_frame(seen_from, seen_to, are_sides_opposite(Skeleton(source), Skeleton(target), sorted));
  RetargetedClip out;
  out.clip.name = options.name.empty() ? keys.name : options.name;
  std::vector<float> times;
  times.reserve(samples->frame_count);
  for (std::size_t k = 0; k < samples->frame_count; ++k)
    times.push_back(static_cast<float>(static_cast<double>(k) / fps));
  for (const Index joint : to) out.clip.channels.push_back(rotation_channel(joint, times));
  MovedBody body(target, to, to.front());
  BodyFramePose pose{std::vector<Quatd>(to.size()), target_rest[at(to.front())].translation};
  std::vector<Quatd> last(to.size());
  for (std::size_t k = 0; k < samples->frame_count; ++k) {
    for (std::size_t j = 0; j < to.size(); ++j) {
      const Quatd turn =
          samples->rotation_at(k, from[j]) * conjugate(rotation_of(source_rest[at(from[j])].linear));
      pose.rotation[j] = normalized(frame.carried(turn) * rotation_of(target_rest[at(to[j])].linear));
    }
    body.pose(pose);
    for (std::size_t j = 0; j < to.size(); ++j) {
      Quatd turn = body.local_rotation(to[j]);
      if (dot(turn, last[j]) < 0) turn = -turn;
      last[j] = turn;
      const Quat q(turn);
      out.clip.channels[j].values.insert(out.clip.channels[j].values.end(), {q.x, q.y, q.z, q.w});
    }
  }
  out.figures.fps = fps;
  out.figures.frame_count = samples->frame_count;
  out.figures.seconds = static_cast<double>(samples->frame_count - 1) / fps;
  out.figures.scale = seen_from.size > 0 && seen_to.size > 0 ? seen_to.size / seen_from.size : 1;
  out.figures.height = seen_to.size > 0 ? seen_to.size : 1;
  note_travel(*samples, from.front(), seen_from.size, out.notes);
  return out;
}

}  // namespace dermis
