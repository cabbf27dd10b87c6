// SPDX-License-Identifier: MIT
// Keeps hands, head, knees, elbows and trunk out of the floor: the body is raised, then arms are bent.
#include "motion/body_floor.h"

#include <algorithm>
#include <cmath>

namespace dermis {
namespace {

using enum JointRole;

// Points of a shin lower than this share of the way from ankle to knee belong to the foot, which has its own
// floor; points of the trunk lower than this share of the way from knee to hip are a robe or a tail.
constexpr double kKneeFrom = 0.5;
// Points further from the wrist than this share of the forearm are not the hand's: what it holds.
constexpr double kHandReach = 0.9;

// The part of the surface that a joint stands for.
class PartFinder {
 public:
  PartFinder(const MovedBody& body, const RoleMap& roles, const Vec3d& up)
      : body_(body), roles_(roles), up_(up) {}

  SolePart find(const FloorPart& part) const {
    SolePart found{part.joint};
    for (const int side : {0, 1}) {
      const Index forearm = roles_.first(on_side(forearm_l, side));
      if (part.role == on_side(shin_l, side)) found.above = between(on_side(foot_l, side), part.role);
      if (part.role == on_side(thigh_l, side)) found.above = height(roles_.first(on_side(shin_l, side)));
      if (part.role == on_side(hand_l, side) && forearm != kNone)
        found.within = kHandReach * length(body_.place(part.joint) - body_.place(forearm));
    }
    if (part.role == hips || part.role == spine) found.above = between(shin_l, thigh_l);
    return found;
  }

 private:
  double height(Index joint) const { return joint == kNone ? -INFINITY : dot(body_.place(joint), up_); }
  double between(JointRole lower, JointRole upper) const {
    const double low = height(roles_.first(lower)), high = height(roles_.first(upper));
    return std::isfinite(low) && std::isfinite(high) ? low + kKneeFrom * (high - low) : low;
  }

  const MovedBody& body_;
  const RoleMap& roles_;
  const Vec3d& up_;
};

}  // namespace

BodyFloor::BodyFloor(const Character& target, MovedBody& body, const RoleMap& roles,
                     const ReferencePose& reference, std::vector<FloorPart> parts, double ground)
    : body_(body), reference_(reference), up_(reference.frame.up) {
  BodyFramePose standing;
  standing.hips = reference.place[at(roles.first(hips))];
  for (const Index joint : body_.moved()) standing.rotation.push_back(reference.rotation[at(joint)]);
  body_.pose(standing);
  std::vector<SolePart> tops;
  tops.reserve(parts.size() + 2);  // and the feet
  const PartFinder finder(body_, roles, up_);
  for (const FloorPart& part : parts) tops.push_back(finder.find(part));
  // Feet are parts of their own, so that their points do not count as those of the shins.
  for (const JointRole role : {foot_l, foot_r}) {
    if (roles.first(role) != kNone) tops.push_back({roles.first(role)});
  }
  std::vector<std::vector<SolePoint>> outlines = find_outlines(target, body_, tops, up_);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    Part part{std::move(parts[k]), std::move(outlines[k]), ground};
    // Without a surface, the joint itself.
    if (part.points.empty()) part.points.push_back({{{part.of.joint, 1, {}}}});
    for (const SolePoint& point : part.points)
      part.ground = std::min(part.ground, dot(point.place(body_), up_));
    parts_.push_back(std::move(part));
  }
}

double BodyFloor::sink_of(const Part& part) const {
  double sink = 0;
  for (const SolePoint& point : part.points)
    sink = std::max(sink, part.ground - dot(point.place(body_), up_));
  return sink;
}

void BodyFloor::raise(double leg, double fps, bool is_loop, std::vector<BodyFramePose>& frames) {
  std::vector<double> rises(frames.size());
  for (std::size_t k = 0; k < frames.size(); ++k) {
    body_.pose(frames[k]);
    for (const Part& part : parts_) rises[k] = std::max(rises[k], sink_of(part) * part.of.nearness[k]);
  }
  rises = eased(std::move(rises), kFastestRise * leg / fps, is_loop);
  for (std::size_t k = 0; k < frames.size(); ++k) frames[k].hips += up_ * rises[k];
}

void BodyFloor::lift_hands(std::span<const Leg> arms, double fps, bool is_loop,
                           std::vector<BodyFramePose>& frames) {
  for (const Leg& arm : arms) {
    const auto hand = std::find_if(parts_.begin(), parts_.end(),
                                   [&](const Part& part) { return part.of.joint == arm.foot; });
    if (hand == parts_.end()) continue;
    std::vector<double> rises(frames.size());
    for (std::size_t k = 0; k < frames.size(); ++k) {
      body_.pose(frames[k]);
      rises[k] = sink_of(*hand) * hand->of.nearness[k];
    }
    rises = eased(std::move(rises), kFastestRise * arm.length / fps, is_loop);
    for (std::size_t k = 0; k < frames.size(); ++k) {
      if (rises[k] <= 0) continue;
      body_.pose(frames[k]);
      bend_leg(body_, arm, reference_, body_.place(arm.foot) + up_ * rises[k], frames[k]);
    }
  }
}

BodyFloor::Deepest BodyFloor::deepest(const std::vector<BodyFramePose>& frames) {
  Deepest deepest;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    body_.pose(frames[k]);
    for (const Part& part : parts_) {
      const double sink = sink_of(part) * part.of.nearness[k];
      if (sink > deepest.depth) deepest = {sink, part.of.joint, k};
    }
  }
  return deepest;
}

}  // namespace dermis
