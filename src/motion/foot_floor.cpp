// SPDX-License-Identifier: MIT
// Keeps feet out of the floor: ankles and soles are lifted, feet and toes levelled, by as much as they sink
// in.
#include "motion/foot_floor.h"

#include <algorithm>
#include <cmath>

namespace dermis {
namespace {

using enum JointRole;

// The heel is behind the ankle by this fraction of the distance from ankle to ball.
constexpr double kHeel = 0.35;
// An ankle higher than this fraction of that distance is the hock of an animal, whose heel does not touch the
// ground.
constexpr double kMostHeel = 1.2;
// Points of a sole further ahead of the ankle than this fraction of the foremost point are its front: the
// foot is turned up for them. Points below or behind the ankle would not rise by that, or only with a large
// rotation.
constexpr double kAhead = 0.5;
// A foot that hangs straight down rises only with large rotations, to either side. So once it reaches ahead
// by less than this fraction of its length, it is turned less and less, and lifted instead.
constexpr double kLeastLever = 0.5;

}  // namespace

std::vector<double> eased(std::vector<double> values, double step, bool is_loop) {
  const std::size_t count = values.size();
  const auto raise = [&](std::size_t k, std::size_t neighbour) {
    values[k] = std::max(values[k], values[neighbour] - step);
  };
  // The first and the last frame of a loop are the same.
  for (int round = 0; round < (is_loop ? 2 : 1); ++round) {
    if (is_loop) values.front() = values.back() = std::max(values.front(), values.back());
    for (std::size_t k = 1; k < count; ++k) raise(k, k - 1);
    if (is_loop) values.front() = values.back();
    for (std::size_t k = count - 1; k-- > 0;) raise(k, k + 1);
  }
  return values;
}

FloorKeeper::FloorKeeper(const Character& target, MovedBody& body, const RoleMap& roles,
                         std::span<const Leg> legs, const ReferencePose& reference, const Floor& floor)
    : body_(body), reference_(reference), up_(reference.frame.up) {
  add_feet(target, roles, legs, floor.height);
  for (std::size_t f = 0; f < feet_.size(); ++f) feet_[f].nearness = floor.nearness[f];
  BodyFramePose standing;
  standing.hips = reference.place[at(roles.first(hips))];
  for (const Index joint : body_.moved()) standing.rotation.push_back(reference.rotation[at(joint)]);
  body_.pose(standing);
  add_soles(target);
  for (Foot& foot : feet_) {
    if (!foot.has_surface) add_heel(foot);
  }
}

void FloorKeeper::add_feet(const Character& target, const RoleMap& roles, std::span<const Leg> legs,
                           double floor) {
  for (const Leg& leg : legs) {
    Foot foot;
    foot.leg = leg;
    foot.is_front = leg.roles.is_front();
    foot.ankle = leg.foot;
    if (!foot.is_front) foot.ball = roles.first(leg.roles.toe);
    if (foot.ball == kNone) foot.ball = only_child(target, foot.ankle);
    if (foot.ball != kNone) foot.tip = only_child(target, foot.ball);
    const Vec3d way = foot.ball == kNone ? reference_.frame.forward
                                         : reference_.place[at(foot.ball)] - reference_.place[at(foot.ankle)];
    foot.ahead = rotate(conjugate(reference_.rotation[at(foot.ankle)]), way - up_ * dot(way, up_));
    feet_.push_back(std::move(foot));
  }
  for (const bool is_front : {false, true}) {
    double ankle = 0, ball_above = INFINITY, tip_above = INFINITY;
    int count = 0;
    for (const Foot& foot : feet_) {
      if (foot.is_front != is_front) continue;
      const double own = dot(reference_.place[at(foot.ankle)], up_);
      const auto above = [&](Index joint) { return dot(reference_.place[at(joint)], up_) - own; };
      ankle += own;
      ++count;
      if (foot.ball != kNone) ball_above = std::min(ball_above, above(foot.ball));
      if (foot.tip != kNone) tip_above = std::min(tip_above, above(foot.tip));
    }
    for (Foot& foot : feet_) {
      if (foot.is_front != is_front) continue;
      foot.ankle_height = is_front ? ankle / count : floor;
      foot.ball_height = foot.ankle_height + ball_above;
      foot.tip_height = foot.ankle_height + tip_above;
      foot.ground = std::min(foot.ball_height, foot.tip_height);
    }
  }
}

// The body must be in its standing pose.
void FloorKeeper::add_soles(const Character& target) {
  std::vector<SolePart> parts;
  for (const Foot& foot : feet_) {
    parts.push_back({foot.ankle});
    // Toes that are not moved belong to the foot.
    parts.push_back({foot.ball != kNone && body_.slot_of(foot.ball) != kNone ? foot.ball : foot.ankle});
    // On low-polygon meshes the shin may move points below the ankle.
    parts.push_back({foot.leg.lower, dot(body_.place(foot.ankle), up_)});
  }
  const std::vector<std::vector<SolePoint>> soles = find_soles(target, body_, parts, up_);
  double depth[2] = {-INFINITY, -INFINITY};
  for (std::size_t f = 0; f < feet_.size(); ++f) {
    Foot& foot = feet_[f];
    const Vec3d ankle = body_.place(foot.ankle), ahead = rotate(body_.rotation(foot.ankle), foot.ahead);
    const auto reach = [&](const SolePoint& point) { return dot(point.place(body_) - ankle, ahead); };
    double furthest = 0;
    for (std::size_t part = 3 * f; part < 3 * f + 3; ++part) {
      for (const SolePoint& point : soles[part]) {
        furthest = std::max(furthest, reach(point));
        double& deepest = depth[foot.is_front ? 1 : 0];
        deepest = std::max(deepest, dot(ankle - point.place(body_), up_));
      }
    }
    for (const SolePoint& point : soles[3 * f])
      foot.sole.push_back({point, reach(point) > kAhead * furthest});
    for (const SolePoint& point : soles[3 * f + 1])
      foot.toes.push_back({point, reach(point) > kAhead * furthest});
    for (const SolePoint& point : soles[3 * f + 2]) foot.sole.push_back({point, false});
  }
  for (Foot& foot : feet_) {
    foot.has_surface = !foot.sole.empty() || !foot.toes.empty();
    if (foot.has_surface) foot.ground = foot.ankle_height - depth[foot.is_front ? 1 : 0];
  }
}

void FloorKeeper::add_heel(Foot& foot) const {
  if (foot.ball == kNone) return;
  const Vec3d way = reference_.place[at(foot.ball)] - reference_.place[at(foot.ankle)];
  const Vec3d along = way - up_ * dot(way, up_);
  const double above = foot.ankle_height - foot.ground;
  foot.is_hock = above > kMostHeel * length(along);
  if (above <= 0 || foot.is_hock) return;
  foot.heel = rotate(conjugate(reference_.rotation[at(foot.ankle)]), along * -kHeel - up_ * above);
}

void FloorKeeper::level_soles(std::vector<BodyFramePose>& frames) {
  for (const Foot& foot : feet_) {
    for (std::size_t k = 0; k < frames.size(); ++k) {
      const double near = foot.nearness[k];
      body_.pose(frames[k]);
      lift(foot, ankle_sink(foot) * near, frames[k]);
      level_foot(foot, near, frames[k]);
    }
  }
}

void FloorKeeper::lift_feet(double fps, bool is_loop, std::vector<BodyFramePose>& frames) {
  for (const Foot& foot : feet_) {
    std::vector<double> rises(frames.size());
    for (std::size_t k = 0; k < frames.size(); ++k) {
      const double near = foot.nearness[k];
      body_.pose(frames[k]);
      const Vec3d before = body_.place(foot.ankle);
      lift(foot, foot_sink(foot) * near, frames[k]);
      level_toes(foot, near, frames[k]);
      lift(foot, std::max(foot_sink(foot), toe_sink(foot)) * near, frames[k]);
      rises[k] = dot(body_.place(foot.ankle) - before, up_);
    }
    const std::vector<double> even = eased(rises, kFastestRise * foot.leg.length / fps, is_loop);
    for (std::size_t k = 0; k < frames.size(); ++k) {
      body_.pose(frames[k]);
      lift(foot, even[k] - rises[k], frames[k]);
    }
  }
}

double FloorKeeper::deepest(const std::vector<BodyFramePose>& frames) {
  double deepest = 0;
  for (const BodyFramePose& frame : frames) {
    body_.pose(frame);
    for (const Foot& foot : feet_) deepest = std::max({deepest, foot_sink(foot), toe_sink(foot)});
  }
  return deepest;
}

double FloorKeeper::ground() const {
  double low = INFINITY;
  for (const Foot& foot : feet_) low = std::min({low, foot.ground, foot.ankle_height});
  return low;
}

// How far a joint is below its standing height.
double FloorKeeper::sink_of(Index joint, double height) const {
  return joint == kNone ? 0 : std::max(0.0, height - dot(body_.place(joint), up_));
}

double FloorKeeper::sink_of(const Foot& foot, const std::vector<Mark>& marks) const {
  double sink = 0;
  for (const Mark& mark : marks) sink = std::max(sink, foot.ground - dot(mark.point.place(body_), up_));
  return sink;
}

double FloorKeeper::ankle_sink(const Foot& foot) const {
  return foot.has_surface || foot.is_hock ? 0 : sink_of(foot.ankle, foot.ankle_height);
}

double FloorKeeper::foot_sink(const Foot& foot) const {
  if (foot.has_surface) return sink_of(foot, foot.sole);
  const double sink = std::max(ankle_sink(foot), sink_of(foot.ball, foot.ball_height));
  if (!foot.heel) return sink;
  const Vec3d heel = body_.place(foot.ankle) + rotate(body_.rotation(foot.ankle), *foot.heel);
  return std::max(sink, foot.ground - dot(heel, up_));
}

double FloorKeeper::toe_sink(const Foot& foot) const {
  return foot.has_surface ? sink_of(foot, foot.toes) : sink_of(foot.tip, foot.tip_height);
}

// Bends the leg so that the ankle rises.
void FloorKeeper::lift(const Foot& foot, double way, BodyFramePose& frame) {
  if (way <= 0) return;
  bend_leg(body_, foot.leg, reference_, body_.place(foot.ankle) + up_ * way, frame);
  body_.pose(frame);
}

void FloorKeeper::add_sunk(const Foot& foot, const std::vector<Mark>& marks, std::vector<Sunk>& sunk) const {
  for (const Mark& mark : marks) {
    const Vec3d place = mark.point.place(body_);
    if (mark.is_ahead) sunk.push_back({place, foot.ground - dot(place, up_)});
  }
}

void FloorKeeper::level_foot(const Foot& foot, double near, BodyFramePose& frame) {
  std::vector<Sunk> sunk;
  if (foot.ball != kNone && !foot.has_surface)
    sunk.push_back({body_.place(foot.ball), sink_of(foot.ball, foot.ball_height)});
  add_sunk(foot, foot.sole, sunk);
  turn_up(foot.ankle, rotate(body_.rotation(foot.ankle), foot.ahead), sunk, near, frame);
}

void FloorKeeper::level_toes(const Foot& foot, double near, BodyFramePose& frame) {
  if (foot.ball == kNone) return;
  std::vector<Sunk> sunk;
  if (foot.tip != kNone && !foot.has_surface)
    sunk.push_back({body_.place(foot.tip), sink_of(foot.tip, foot.tip_height)});
  add_sunk(foot, foot.toes, sunk);
  const Vec3d ahead = foot.tip == kNone ? rotate(body_.rotation(foot.ankle), foot.ahead)
                                        : body_.place(foot.tip) - body_.place(foot.ball);
  turn_up(foot.ball, ahead, sunk, near, frame);
}

// Turns a joint about the level axis across `ahead`, so that points ahead of it come out of the floor.
void FloorKeeper::turn_up(Index joint, const Vec3d& ahead, std::span<const Sunk> sunk, double near,
                          BodyFramePose& frame) {
  const Vec3d across = cross(normalized(ahead), up_), axis = normalized(across), along = cross(up_, axis);
  if (body_.slot_of(joint) == kNone || !(length(across) > 0)) return;
  double angle = 0;
  for (const Sunk& point : sunk) {
    const Vec3d reach = point.place - body_.place(joint);
    if (point.depth <= 0 || dot(reach, along) <= 0) continue;
    const double size = std::hypot(dot(reach, along), dot(reach, up_)), now = dot(reach, up_) / size;
    const double exact = std::asin(std::min(1.0, now + near * point.depth / size)) - std::asin(now);
    angle = std::max(angle, exact * smooth_step(dot(reach, along) / (kLeastLever * size)));
  }
  angle *= smooth_step(length(across) / kLeastLever);
  if (angle <= 0) return;
  Quatd& rotation = frame.rotation[at(body_.slot_of(joint))];
  rotation = normalized(quat_from_axis_angle(axis, angle) * rotation);
  body_.pose(frame);
}

}  // namespace dermis
