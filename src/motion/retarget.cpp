// SPDX-License-Identifier: MIT
// Transfers a clip from one body to another: rotations from a common pose, limb directions, planted feet.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "motion/arm_room.h"
#include "motion/body_floor.h"
#include "motion/key_rate.h"
#include "motion/parts.h"

namespace dermis {
namespace {

using enum JointRole;

// Legs of a reference pose this close to upright stand on flat feet.
constexpr double kUpright = 15;  // degrees
// A source without a skin that is further from its own ground than this fraction of the leg stands elsewhere.
constexpr double kOffGround = 0.02, kFarOffGround = 0.5;
// The quantile of the lower ankle's heights that counts as standing.
constexpr double kStandingQuantile = 0.05;
// Feet deeper below the floor than this fraction of the height are visibly so.
constexpr double kDeepSink = 0.01;

// Arms turned by less, in degrees, look as they did.
constexpr double kVisibleTurn = 2;

// How one joint of the target follows the source.
struct Follower {
  Index joint = kNone;
  Index a = kNone, b = kNone;  // of the source; `b` by `share`
  double share = 0;
  Quatd start;  // world rotation of the target's joint in the common pose
  // The direction of a limb: from `from` to `to` of the source, along `bone` in the joint's own frame.
  Index from = kNone, to = kNone;
  Vec3d bone;
  Quatd curl;  // of a relaxed finger, in the world of the common pose
};

// A relaxed finger is bent by these angles from the knuckle outwards, the little finger most.
constexpr std::array<double, 3> kRelaxed{18, 26, 16};                // degrees
constexpr std::array<double, 4> kRelaxedShare{0.8, 1.0, 1.1, 1.25};  // index to pinky
constexpr std::array kFingers{index_l, middle_l, ring_l, pinky_l};
// Fingers that are bent by more from their first to their last bone are relaxed already.
constexpr double kCurledFinger = 20;  // degrees

// The role that follows a limb segment; the role itself if there is none.
JointRole next_of(JointRole left) {
  switch (left) {
    case upper_arm_l:
      return forearm_l;
    case forearm_l:
      return hand_l;
    case thigh_l:
      return shin_l;
    case shin_l:
      return foot_l;
    default:
      return left;
  }
}

class Carrier {
 public:
  Carrier(const Character& source, Index clip, const Character& target, const MotionMap& map,
          const RetargetOptions& options)
      : source_(source),
        clip_(clip),
        target_(target),
        all_(map),
        map_(shared_roles(map)),
        options_(options) {}

  Result<RetargetedClip> run(const Progress& progress) {
    if (Status sampled = sample(progress.part(0, 0.5)); !sampled) return sampled.error();
    compare_legs();
    compare_sides();
    find_scale();
    find_floor();
    add_followers();
    if (options_.locks_feet) relax_fingers();
    std::vector<Index> moved;
    moved.reserve(followers_.size());
    for (const Follower& follower : followers_) moved.push_back(follower.joint);
    MovedBody body(target_, moved, map_.target.first(hips), carried_joints(target_, all_.target, to_));
    note_apart(body);
    aim_followers(body);
    carry(body);
    raise_front_feet(body);
    if (Status going = progress.at("locking feet", 0.6); !going) return going.error();
    stand(body);
    const HingeCount hinges = count_hinges(samples_, map_.source, body, map_.target, turn_, frames_);
    out_.figures.hinge_count = hinges.bent;
    out_.figures.flipped_count = hinges.flipped;
    measure_tilt(body);
    if (options_.is_in_place) stay_in_place();
    if (Status going = progress.at("writing keys", 0.9); !going) return going.error();
    write_clip(body);
    std::vector<Index> carried;
    carried.reserve(body.carried().size());
    for (const CarriedJoint& ride : body.carried()) carried.push_back(ride.joint);
    carried.insert(carried.end(), relaxed_.begin(), relaxed_.end());
    note_unmapped(source_, target_, all_, carried, out_.notes);
    return std::move(out_);
  }

 private:
  // ---- The source ----

  Status sample(const Progress& progress) {
    const Clip& keys = source_.clips[at(clip_)];
    const std::optional<double> own = own_fps(source_, clip_);
    const double fps = options_.fps > 0 ? options_.fps : own.value_or(kUsualFps);
    if (options_.fps <= 0 && !own && keys.end() > keys.start()) {
      out_.notes.push_back(
          {Note::Kind::guess, "fps-assumed",
           fmt::format("the keys of clip {} are not evenly spaced; it is sampled {:g} times per second",
                       quoted_name(keys.name), fps)});
    }
    const std::optional<double> after = time_after_t_pose(source_, clip_, map_.source);
    from_ = reference_pose(source_, map_.source);
    if (after) {
      const Result<PoseFrame> first =
          pose_frame(source_, {clip_, static_cast<double>(keys.start()), nullptr});
      if (!first) return first.error();
      from_ = reference_at(map_.source, first->world_from_node);
      out_.figures.has_t_pose = true;
      out_.notes.push_back(
          {Note::Kind::info, "t-pose-left-out",
           "the first frame is a T-pose before the motion: it is used for comparing poses and left out"});
    }
    to_ = reference_pose(target_, map_.target);
    std::vector<Index> nodes = joints_of(map_.source);
    for (const auto& [a, b] : map_.pairs) nodes.push_back(a);
    for (const JointRole role : {toe_l, toe_r}) {
      if (all_.source.first(role) != kNone) nodes.push_back(all_.source.first(role));
    }
    for (const JointRole role : {upper_arm_l, forearm_l, thigh_l, shin_l}) {
      for (const int side : {0, 1}) {
        const Index joint = map_.source.first(on_side(role, side));
        if (joint != kNone && only_child(source_, joint) != kNone)
          nodes.push_back(only_child(source_, joint));
      }
    }
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    Result<BodySamples> samples = sample_body(source_, clip_, fps, after.value_or(0), nodes, progress);
    if (!samples) return samples.error();
    samples_ = std::move(*samples);
    const double start = static_cast<double>(keys.start()) + after.value_or(0);
    if (options_.is_loop) make_loop(samples_, map_.source, from_.frame.up, start, out_.notes);
    turn_ = quat_from_matrix(to_.frame.axes() * transposed(from_.frame.axes()));
    return Done{};
  }

  void measure_tilt(MovedBody& body) {
    TrunkTilt trunk;
    trunk.source = map_.source.first(hips);
    trunk.target = map_.target.first(hips);
    if (trunk.source == kNone || trunk.target == kNone) return;
    trunk.source_start = from_.rotation[at(trunk.source)];
    trunk.source_up = from_.frame.up;
    trunk.target_rest = rotation_of(rest_world(target_)[at(trunk.target)].linear);
    out_.figures.tilt = median_tilt(trunk, samples_, body, frames_);
  }

  // Front legs are legs if both bodies stand on four.
  void compare_legs() {
    const std::optional<bool> from = is_four_legged(map_.source, from_.place),
                              to = is_four_legged(map_.target, to_.place);
    leg_roles_ = leg_roles(from.value_or(false) && to.value_or(false));
    if (!from || !to || *from == *to) return;
    out_.figures.has_other_legs = true;
    out_.notes.push_back(Note{Note::Kind::guess, "motion-unlike",
                              fmt::format("the motion is of a body on {} legs and the character stands on "
                                          "{}, so limbs move as other limbs did",
                                          *from ? "four" : "two", *to ? "four" : "two")}
                             .with_remedy("map")
                             .with_remedy("save_map"));
  }

  // Positive if left and right of arms are on the sides of those of legs.
  static double sides_agree(const RoleMap& roles, const ReferencePose& pose) {
    const auto across = [&](JointRole role) -> Vec3d {
      const Index left = roles.first(role), right = roles.first(mirrored(role));
      if (left == kNone || right == kNone) return {};
      const Vec3d way = pose.place[at(left)] - pose.place[at(right)];
      return normalized(way - pose.frame.up * dot(way, pose.frame.up));
    };
    return dot(across(thigh_l), across(upper_arm_l));
  }

  void compare_sides() {
    if (sides_agree(map_.source, from_) <= 0 || sides_agree(map_.target, to_) >= 0) return;
    out_.figures.has_exchanged_sides = true;
    out_.notes.push_back(
        Note{Note::Kind::guess, "sides-exchanged",
             "left and right of arms and of legs are on opposite sides of the character, so the map "
             "exchanges one pair"}
            .with_remedy("map")
            .with_remedy("save_map"));
  }

  void note_apart(const MovedBody& body) {
    if (!body.carried().empty()) {
      std::string names;
      for (const CarriedJoint& ride : body.carried())
        names += fmt::format("{}{}", names.empty() ? "" : ", ", quoted_name(node_label(target_, ride.joint)));
      out_.notes.push_back(
          {Note::Kind::info, "ends-carried",
           fmt::format("{} {} not attached to their limbs, as in control rigs; extra keys make them follow",
                       names, body.carried().size() == 1 ? "is" : "are")});
    }
    if (all_.target.first(shin_l) == kNone || all_.target.first(foot_l) != kNone) return;
    out_.notes.push_back(
        Note{Note::Kind::loss, "feet-apart",
             "no foot is attached to the shins of the character or named as one; feet attached elsewhere do "
             "not follow, unless a map names them as foot_L and foot_R"}
            .with_remedy("map"));
  }

  void find_scale() {
    leg_from_ = leg_length(map_.source, from_.place);
    leg_to_ = leg_length(map_.target, to_.place);
    if (leg_from_ > 0 && leg_to_ > 0) {
      out_.figures.scale = leg_to_ / leg_from_;
    } else {
      const auto size = [](const RoleMap& roles, const ReferencePose& pose) {
        Box box;
        for (const Index joint : joints_of(roles)) box.add(pose.place[at(joint)]);
        return box.diagonal();
      };
      const double from = size(map_.source, from_), to = size(map_.target, to_);
      out_.figures.scale = from > 0 && to > 0 ? to / from : 1;
      out_.notes.push_back({Note::Kind::guess, "scaled-by-trunk",
                            "legs are not mapped in both motion and character; other mapped parts determine "
                            "the scale, and feet are not corrected"});
      leg_from_ = leg_to_ = 0;
    }
    double low = INFINITY, high = -INFINITY;
    const Skeleton skeleton(target_);
    for (const Index node : skeleton.order()) {
      low = std::min(low, dot(to_.place[at(node)], to_.frame.up));
      high = std::max(high, dot(to_.place[at(node)], to_.frame.up));
    }
    out_.figures.height = high > low ? high - low : 1;
  }

  static double ankle_height(const RoleMap& roles, const ReferencePose& pose) {
    double sum = 0;
    int count = 0;
    for (const JointRole role : {foot_l, foot_r}) {
      if (roles.first(role) == kNone) continue;
      sum += dot(pose.place[at(roles.first(role))], pose.frame.up);
      ++count;
    }
    return count > 0 ? sum / count : 0;
  }

  // The heights of standing ankles, and the origins of travel.
  void find_floor() {
    const Vec3d up = from_.frame.up, first = samples_.pelvis_at(0, map_.source);
    origin_from_ = pelvis_place(map_.source, from_.place);
    origin_to_ = pelvis_place(map_.target, to_.place);
    if (leg_from_ == 0) {
      origin_from_ = first;
      return;
    }
    std::vector<double> heights;
    heights.reserve(samples_.frame_count);
    for (std::size_t frame = 0; frame < samples_.frame_count; ++frame) {
      double low = INFINITY;
      for (const JointRole role : {foot_l, foot_r}) {
        if (map_.source.first(role) != kNone)
          low = std::min(low, dot(samples_.place_at(frame, map_.source.first(role)), up));
      }
      heights.push_back(low);
    }
    const auto place =
        static_cast<std::ptrdiff_t>(kStandingQuantile * static_cast<double>(heights.size() - 1));
    std::nth_element(heights.begin(), heights.begin() + place, heights.end());
    const double seen = heights[static_cast<std::size_t>(place)], rest = ankle_height(map_.source, from_);
    const double slack = (source_.skins.empty() ? kOffGround : kFarOffGround) * leg_from_;
    floor_from_ = std::abs(seen - rest) > slack ? seen : rest;
    floor_to_ = ankle_height(map_.target, to_);
    origin_from_ += up * (floor_from_ - dot(origin_from_, up));
    origin_to_ += to_.frame.up * (floor_to_ - dot(origin_to_, to_.frame.up));
    const Vec3d away = first - origin_from_;
    if (length(away - up * dot(away, up)) > kFarOffGround * leg_from_) {
      origin_from_ = first + up * (floor_from_ - dot(first, up));
      out_.notes.push_back(
          {Note::Kind::info, "starts-at-rest-place",
           "the motion starts away from its own origin; the character starts at its rest position"});
    }
  }

  // ---- Followers ----

  void add_followers() {
    for (const RoleRow& row : joint_roles()) {
      const std::vector<Index>&from = map_.source.of(row.role), &to = map_.target.of(row.role);
      if (from.empty()) continue;
      for (std::size_t k = 0; k < to.size(); ++k) {
        Follower follower;
        follower.joint = to[k];
        // Chains of different lengths distribute the whole rotation: the last joint follows the last.
        const bool is_trunk = row.role == spine || row.role == neck;
        const double place = is_trunk ? static_cast<double>(k + 1) * static_cast<double>(from.size()) /
                                                static_cast<double>(to.size()) -
                                            1
                                      : static_cast<double>(std::min(k, from.size() - 1));
        const double lower = std::floor(place + 1e-9);
        follower.a = lower < 0 ? below_chain(row.role) : from[static_cast<std::size_t>(lower)];
        const auto upper = static_cast<std::size_t>(lower + 1);
        follower.share = place - lower;
        follower.b = upper < from.size() && follower.share > 1e-6 ? from[upper] : kNone;
        followers_.push_back(follower);
      }
    }
    for (const auto& [a, b] : map_.pairs) {
      Follower follower;
      follower.joint = b;
      follower.a = a;
      followers_.push_back(follower);
    }
  }

  // A motion without fingers leaves those of the character straight, if they rest so: they are bent a little.
  void relax_fingers() {
    std::size_t hands = 0;
    for (const int side : {0, 1}) hands += relax_hand(side) ? 1 : 0;
    if (hands == 0) return;
    out_.notes.push_back(
        {Note::Kind::guess, "fingers-relaxed",
         fmt::format("the motion does not move fingers, and those of {} rest straight; they are "
                     "bent slightly",
                     hands == 1 ? "one hand" : "both hands")});
  }

  bool relax_hand(int side) {
    const Index wrist = all_.target.first(on_side(hand_l, side));
    Index carrier = map_.source.first(on_side(hand_l, side));
    if (carrier == kNone) carrier = map_.source.first(on_side(forearm_l, side));
    if (wrist == kNone || carrier == kNone || leg_roles_.size() == leg_roles(true).size()) return false;
    const auto place = [&](Index joint) { return to_.place[at(joint)]; };
    std::vector<std::size_t> bent;
    double curled = 0;
    for (std::size_t f = 0; f < kFingers.size(); ++f) {
      const std::vector<Index>& finger = all_.target.of(on_side(kFingers[f], side));
      if (!map_.target.of(on_side(kFingers[f], side)).empty()) return false;
      if (finger.size() < 3) continue;
      if (follower_of(finger.front()) != nullptr) return false;  // it has a counterpart of the same name
      bent.push_back(f);
      const Vec3d first = place(finger[1]) - place(finger[0]),
                  last = place(finger.back()) - place(finger[finger.size() - 2]);
      curled += degrees_from_radians(std::atan2(length(cross(first, last)), dot(first, last)));
    }
    if (bent.size() < 2 || curled > kCurledFinger * static_cast<double>(bent.size())) return false;
    const auto knuckle = [&](std::size_t f) { return place(all_.target.first(on_side(kFingers[f], side))); };
    const Vec3d to_index = knuckle(bent.front()) - knuckle(bent.back());
    for (const std::size_t f : bent) {
      const std::vector<Index>& finger = all_.target.of(on_side(kFingers[f], side));
      const Vec3d along = place(finger[1]) - place(finger[0]);
      // With the thumb ahead, the palm is below a finger that points to the side.
      const Vec3d palm = cross(along, to_index) * (side == 0 ? 1.0 : -1.0);
      const Vec3d axis = cross(along, palm);
      if (!(length(axis) > 0)) continue;
      double angle = 0;
      for (std::size_t k = 0; k < finger.size(); ++k) {
        angle += radians_from_degrees(kRelaxed[std::min(k, kRelaxed.size() - 1)] * kRelaxedShare[f]);
        Follower follower;
        follower.joint = finger[k];
        follower.a = carrier;
        follower.curl = quat_from_axis_angle(axis, angle);
        followers_.push_back(follower);
        relaxed_.push_back(finger[k]);
      }
    }
    return true;
  }

  // The parent joint of the first joint of spine or neck.
  Index below_chain(JointRole role) const {
    const std::vector<Index>& trunk = map_.source.of(spine);
    return role == neck && !trunk.empty() ? trunk.back() : map_.source.first(hips);
  }

  Follower* follower_of(Index joint) {
    const auto found = std::find_if(followers_.begin(), followers_.end(),
                                    [&](const Follower& follower) { return follower.joint == joint; });
    return found == followers_.end() ? nullptr : &*found;
  }

  // Poses the target's limbs like the source's in the common pose; their descendants follow.
  void aim_followers(const MovedBody& body) {
    std::vector<Quatd> aligned(target_.nodes.size());
    const bool stands = is_upright(map_.source, from_) && is_upright(map_.target, to_);
    for (const Index node : parents_first(target_.nodes)) {
      const Index parent = target_.nodes[at(node)].parent;
      if (parent != kNone) aligned[at(node)] = aligned[at(parent)];
      if (Follower* follower = follower_of(node)) {
        aim(*follower, body, stands, aligned[at(node)]);
        follower->start = aligned[at(node)] * follower->curl * to_.rotation[at(node)];
      }
    }
  }

  void aim(Follower& follower, const MovedBody& body, bool stands, Quatd& aligned) {
    for (const int side : {0, 1}) {
      if (stands && follower.joint == map_.target.first(on_side(foot_l, side))) aligned = Quatd{};
      for (const JointRole left : {upper_arm_l, forearm_l, thigh_l, shin_l}) {
        if (follower.joint != map_.target.first(on_side(left, side))) continue;
        const JointRole next = on_side(next_of(left), side);
        Index to = map_.source.first(next), below = map_.target.first(next);
        if (to == kNone || below == kNone) {
          to = only_child(source_, follower.a);
          below = only_child(target_, follower.joint);
        }
        if (to == kNone || below == kNone) continue;
        const Vec3d there = rotate(turn_, from_.place[at(to)] - from_.place[at(follower.a)]);
        const Vec3d here = to_.place[at(below)] - to_.place[at(follower.joint)];
        aligned = normalized(quat_between(rotate(aligned, here), there) * aligned);
        follower.from = follower.a;
        follower.to = to;
        follower.bone = body.bone(follower.joint, below);
      }
    }
  }

  bool is_upright(const RoleMap& roles, const ReferencePose& pose) const {
    const double least = std::cos(radians_from_degrees(kUpright));
    for (const int side : {0, 1}) {
      const Index thigh = roles.first(on_side(thigh_l, side)), foot = roles.first(on_side(foot_l, side));
      if (thigh == kNone || foot == kNone) return false;
      if (dot(normalized(pose.place[at(thigh)] - pose.place[at(foot)]), pose.frame.up) < least) return false;
    }
    return true;
  }

  // ---- The motion ----

  // The rotation of a source joint from the common pose, in the target's world.
  Quatd turned(std::size_t frame, Index joint) const {
    const Quatd turn = samples_.rotation_at(frame, joint) * conjugate(from_.rotation[at(joint)]);
    return turn_ * turn * conjugate(turn_);
  }

  void carry(MovedBody& body) {
    const Index thighs[2] = {map_.target.first(thigh_l), map_.target.first(thigh_r)};
    const bool has_thighs = thighs[0] != kNone && thighs[1] != kNone;
    for (std::size_t frame = 0; frame < samples_.frame_count; ++frame) {
      BodyFramePose pose;
      pose.rotation.reserve(followers_.size());
      for (const Follower& follower : followers_) {
        Quatd turn = turned(frame, follower.a);
        if (follower.b != kNone) turn = slerp(turn, turned(frame, follower.b), follower.share);
        Quatd rotation = normalized(turn * follower.start);
        if (follower.from != kNone && length(follower.bone) > 0) {
          const Vec3d wanted =
              rotate(turn_, samples_.place_at(frame, follower.to) - samples_.place_at(frame, follower.from));
          rotation = normalized(quat_between(rotate(rotation, follower.bone), wanted) * rotation);
        }
        pose.rotation.push_back(rotation);
      }
      // The pelvis, not the joint that moves it: rigs put that anywhere between belly and seat.
      const Vec3d way = samples_.pelvis_at(frame, map_.source) - origin_from_;
      const Vec3d pelvis = origin_to_ + rotate(turn_, way) * out_.figures.scale;
      pose.hips = pelvis;
      if (has_thighs) {
        body.pose(pose);
        pose.hips += pelvis - (body.place(thighs[0]) + body.place(thighs[1])) * 0.5;
      }
      frames_.push_back(std::move(pose));
    }
  }

  // How much higher a joint of the source is than its standing height.
  double over_floor(std::size_t frame, Index joint) const {
    const double stands =
        floor_from_ + dot(from_.place[at(joint)], from_.frame.up) - ankle_height(map_.source, from_);
    return dot(samples_.place_at(frame, joint), from_.frame.up) - stands;
  }

  // For each leg and frame 1 if the source's foot is near the floor or above it, 0 if it is far below: it
  // then stands on something else, with both its ends.
  std::vector<std::vector<double>> nearness(const std::vector<Leg>& legs) const {
    std::vector<std::vector<double>> near(legs.size(), std::vector<double>(samples_.frame_count));
    // Fades out from half that distance on, so that nothing jumps.
    const double half = 0.5 * kNearFloor * leg_from_;
    for (std::size_t k = 0; k < legs.size(); ++k) {
      const Index foot = map_.source.first(legs[k].roles.foot), toe = all_.source.first(legs[k].roles.toe);
      for (std::size_t frame = 0; frame < samples_.frame_count; ++frame) {
        double over = over_floor(frame, foot);
        if (toe != kNone) over = std::max(over, over_floor(frame, toe));
        near[k][frame] = 1 - smooth_step((-over - half) / half);
      }
    }
    return near;
  }

  // The parts of both bodies that may touch the floor, besides feet.
  std::vector<FloorPart> floor_parts() const {
    const bool has_four = leg_roles_.size() == leg_roles(true).size();
    const double half = 0.5 * kNearFloor * leg_from_;
    std::vector<FloorPart> parts;
    const auto add = [&](JointRole role) {
      const Index from = map_.source.first(role), to = map_.target.first(role);
      if (from == kNone || to == kNone) return;
      FloorPart part{role, to, std::vector<double>(samples_.frame_count)};
      for (std::size_t frame = 0; frame < samples_.frame_count; ++frame) {
        const double over = dot(samples_.place_at(frame, from), from_.frame.up) - floor_from_;
        part.nearness[frame] = 1 - smooth_step((-over - half) / half);
      }
      parts.push_back(std::move(part));
    };
    for (const JointRole role : {hips, spine, neck, head}) add(role);
    for (const int side : {0, 1}) {
      for (const JointRole role : {thigh_l, shin_l, upper_arm_l}) add(on_side(role, side));
      for (const JointRole role : {forearm_l, hand_l}) {
        if (!has_four) add(on_side(role, side));
      }
    }
    return parts;
  }

  // The arms of a body that does not stand on them; elbows bend backwards.
  std::vector<Leg> arms(MovedBody& body) const {
    if (leg_roles_.size() == leg_roles(true).size()) return {};
    const std::span<const LegRoles> front = leg_roles(true).subspan(leg_roles_.size());
    std::vector<Leg> found = legs_of(body, front, map_.target, to_, frames_);
    for (Leg& arm : found) arm.side = -to_.frame.forward;
    return found;
  }

  // Front feet are as high over the floor as the source's: trunks and front legs have their own proportions,
  // the hips follow the hind legs.
  void raise_front_feet(MovedBody& body) {
    if (leg_from_ == 0) return;
    const Vec3d& up = to_.frame.up;
    for (const Leg& leg : legs_of(body, leg_roles_, map_.target, to_, frames_)) {
      if (!leg.roles.is_front()) continue;
      const Index from = map_.source.first(leg.roles.foot);
      const double stands = dot(to_.place[at(leg.foot)], up);
      for (std::size_t frame = 0; frame < frames_.size(); ++frame) {
        body.pose(frames_[frame]);
        const Vec3d foot = body.place(leg.foot);
        const double height = stands + over_floor(frame, from) * out_.figures.scale;
        bend_leg(body, leg, to_, foot + up * (height - dot(foot, up)), frames_[frame]);
      }
    }
  }

  void stand(MovedBody& body) {
    if (leg_from_ == 0) return;
    const std::vector<Contact> contacts =
        find_contacts(samples_, map_.source, leg_roles_, from_.frame.up, leg_from_, floor_from_);
    out_.figures.contact_count = contacts.size();
    const Vec3d& up = to_.frame.up;
    RetargetFigures& figures = out_.figures;
    const auto slide = [&] {
      return longest_slide(body, map_.target, contacts, up, frames_) / figures.height;
    };
    const std::vector<Leg> legs = legs_of(body, leg_roles_, map_.target, to_, frames_);
    const std::vector<std::vector<double>> near = nearness(legs);
    // Toe joints that the source does not have must stay out of the floor as well.
    FloorKeeper floor(target_, body, all_.target, legs, to_, {floor_to_, near});
    const auto sink = [&] { return floor.deepest(frames_) / figures.height; };
    BodyFloor others(target_, body, map_.target, to_, floor_parts(), floor.ground());
    figures.slide_carried = slide();
    figures.sink_carried = sink();
    figures.body_sink_carried = others.deepest(frames_).depth / figures.height;
    if (options_.locks_feet) {
      make_room(body);
      others.raise(leg_to_, samples_.fps, options_.is_loop, frames_);
      const FootLock lock{legs, contacts, up, leg_to_, floor_to_, options_.is_loop};
      lock_feet(body, to_, lock, samples_.fps, frames_);
      // Levelled soles are locked again; after that feet only move straight up.
      floor.level_soles(frames_);
      lock_feet(body, to_, lock, samples_.fps, frames_);
      floor.lift_feet(samples_.fps, options_.is_loop, frames_);
      others.lift_hands(arms(body), samples_.fps, options_.is_loop, frames_);
    }
    figures.slide = slide();
    figures.sink = sink();
    const BodyFloor::Deepest deepest = others.deepest(frames_);
    figures.body_sink = deepest.depth / figures.height;
    if (figures.sink > kDeepSink)
      out_.notes.push_back(
          {Note::Kind::guess, "feet-sink",
           fmt::format("feet sink up to {:.1f} % of the height below the level the character stands on",
                       100 * figures.sink)});
    if (figures.body_sink <= kDeepSink) return;
    figures.sinking_part = node_label(target_, deepest.joint);
    out_.notes.push_back(
        {Note::Kind::guess, "body-sinks",
         fmt::format("{} sinks up to {:.1f} % of the height below the level the character stands on, at "
                     "{:.2f} s",
                     quoted_name(figures.sinking_part), 100 * figures.body_sink,
                     static_cast<double>(deepest.frame) / samples_.fps)});
  }

  // Wide bodies hold their arms further away than the source did.
  void make_room(MovedBody& body) {
    if (leg_roles_.size() == leg_roles(true).size()) return;
    ArmRoom room(target_, body, all_.target, to_);
    const ArmRoom::Turned turned = room.make_room(samples_.fps, options_.is_loop, frames_);
    out_.figures.arm_turn = degrees_from_radians(turned.most);
    if (turned.most < radians_from_degrees(kVisibleTurn)) return;
    out_.notes.push_back(
        {Note::Kind::info, "arms-kept-off",
         fmt::format("arms are held further from the body than in the motion, by up to {:.0f} "
                     "degrees ({}, at {:.2f} s), because they would pass through it",
                     degrees_from_radians(turned.most), quoted_name(node_label(target_, turned.joint)),
                     static_cast<double>(turned.frame) / samples_.fps)});
  }

  // Removes the steady part of the travel over the ground.
  void stay_in_place() {
    const std::size_t last = frames_.size() - 1;
    const Vec3d way = frames_[last].hips - frames_[0].hips;
    const Vec3d travel = way - to_.frame.up * dot(way, to_.frame.up);
    for (std::size_t frame = 1; frame <= last; ++frame)
      frames_[frame].hips -= travel * (static_cast<double>(frame) / static_cast<double>(last));
  }

  void write_clip(MovedBody& body) {
    std::vector<float> times;
    times.reserve(frames_.size());
    for (std::size_t frame = 0; frame < frames_.size(); ++frame)
      times.push_back(static_cast<float>(static_cast<double>(frame) / samples_.fps));
    std::vector<Channel> places, turns;
    const auto add = [&](ChannelPath path, Index joint) {
      (path == ChannelPath::translation ? places : turns)
          .push_back({path, joint, Interpolation::linear, times, {}});
    };
    add(ChannelPath::translation, map_.target.first(hips));
    for (const Index joint : body.moved()) add(ChannelPath::rotation, joint);
    for (const CarriedJoint& ride : body.carried()) {
      add(ChannelPath::translation, ride.joint);
      if (body.slot_of(ride.joint) == kNone) add(ChannelPath::rotation, ride.joint);
    }
    std::vector<Quatd> last(turns.size());
    for (const BodyFramePose& frame : frames_) {
      body.pose(frame);
      for (Channel& channel : places) {
        const Vec3 here(body.local_translation(channel.target));
        channel.values.insert(channel.values.end(), {here.x, here.y, here.z});
      }
      for (std::size_t k = 0; k < turns.size(); ++k) {
        Quatd turn = body.local_rotation(turns[k].target);
        if (dot(turn, last[k]) < 0) turn = -turn;
        last[k] = turn;
        const Quat q(turn);
        turns[k].values.insert(turns[k].values.end(), {q.x, q.y, q.z, q.w});
      }
    }
    out_.clip.name = options_.name.empty() ? source_.clips[at(clip_)].name : options_.name;
    std::move(places.begin(), places.end(), std::back_inserter(out_.clip.channels));
    std::move(turns.begin(), turns.end(), std::back_inserter(out_.clip.channels));
    out_.figures.fps = samples_.fps;
    out_.figures.frame_count = frames_.size();
    out_.figures.seconds = static_cast<double>(frames_.size() - 1) / samples_.fps;
  }

  const Character& source_;
  Index clip_;
  const Character& target_;
  const MotionMap& all_;
  const MotionMap map_;  // the roles that both have
  const RetargetOptions& options_;
  ReferencePose from_, to_;
  Quatd turn_;  // from the source's world to the target's
  BodySamples samples_;
  std::span<const LegRoles> leg_roles_;
  double leg_from_ = 0, leg_to_ = 0, floor_from_ = 0, floor_to_ = 0;
  Vec3d origin_from_, origin_to_;
  std::vector<Follower> followers_;
  std::vector<Index> relaxed_;  // fingers that the motion does not move
  std::vector<BodyFramePose> frames_;
  RetargetedClip out_;
};

// Two channels for one joint would make the clip invalid.
Status check_single_roles(const Character& source, const Character& target, const MotionMap& map) {
  const auto check = [](const Character& character, const RoleMap& roles,
                        std::vector<Index> joints) -> Status {
    for (const std::vector<Index>& list : roles.joints) joints.insert(joints.end(), list.begin(), list.end());
    std::sort(joints.begin(), joints.end());
    const auto twice = std::adjacent_find(joints.begin(), joints.end());
    if (twice == joints.end()) return Done{};
    return Error{Errc::bad_argument, fmt::format("joint {} is mapped twice; a joint has one counterpart",
                                                 quoted_name(node_label(character, *twice)))};
  };
  std::vector<Index> from, to;
  for (const auto& [a, b] : map.pairs) from.push_back(a), to.push_back(b);
  if (Status good = check(source, map.source, std::move(from)); !good) return good;
  return check(target, map.target, std::move(to));
}

}  // namespace

Result<RetargetedClip> retarget_clip(const Character& source, Index clip, const Character& target,
                                     const MotionMap& map, const RetargetOptions& options,
                                     const Progress& progress) {
  return without_throwing("retargeting", [&]() -> Result<RetargetedClip> {
    if (clip < 0 || at(clip) >= source.clips.size())
      return Error{Errc::bad_argument, fmt::format("there is no clip {}", clip)};
    if (source.clips[at(clip)].channels.empty())
      return Error{Errc::bad_argument,
                   fmt::format("clip {} moves nothing", quoted_name(source.clips[at(clip)].name))};
    if (Status single = check_single_roles(source, target, map); !single) return single.error();
    const MotionMap shared = shared_roles(map);
    if (shared.source.first(hips) != kNone && shared.source.count() >= 2)
      return Carrier(source, clip, target, map, options).run(progress);
    const std::vector<std::pair<Index, Index>> pairs = flat_pairs(shared);
    if (pairs.empty())
      return Error{Errc::bad_rig,
                   "motion and character have nothing in common: no joints are mapped in both"};
    Result<RetargetedClip> moved = retarget_parts(source, clip, target, pairs, options, progress);
    if (moved) note_unmapped(source, target, map, {}, moved->notes);
    return moved;
  });
}

}  // namespace dermis
