// SPDX-License-Identifier: MIT
// Keeps feet out of the floor: ankles and heels are lifted, soles and toes levelled, as far as they sink in.
#include <algorithm>
#include <cmath>
#include <optional>

#include "motion/moved_body.h"

namespace dermis {
namespace {

using enum JointRole;

// The heel lies behind the ankle by this share of the way from ankle to ball.
constexpr double kHeel = 0.35;
// An ankle higher than this share of that way is the hock of an animal, whose heel does not touch the ground.
constexpr double kMostHeel = 1.2;

// Points of one foot, and the heights that they have where the target stands.
struct Foot {
  Index thigh = kNone, shin = kNone, ankle = kNone;
  Index ball = kNone, tip = kNone;  // kNone: there is no such joint
  std::optional<Vec3d> heel;        // from the ankle, in its own frame
};

class FloorKeeper {
 public:
  FloorKeeper(const Character& target, MovedBody& body, const RoleMap& roles, const ReferencePose& reference,
              double floor)
      : body_(body), up_(reference.frame.up), leg_(leg_length(roles, reference.place)), ankle_height_(floor) {
    double ball_above = INFINITY, tip_above = INFINITY;
    for (const int side : {0, 1}) {
      Foot& foot = feet_[at(side)];
      foot.thigh = roles.first(on_side(thigh_l, side));
      foot.shin = roles.first(on_side(shin_l, side));
      if (foot.thigh != kNone && foot.shin != kNone) foot.ankle = roles.first(on_side(foot_l, side));
      if (foot.ankle == kNone) continue;
      foot.ball = roles.first(on_side(toe_l, side));
      if (foot.ball == kNone) foot.ball = only_child(target, foot.ankle);
      if (foot.ball == kNone) continue;
      foot.tip = only_child(target, foot.ball);
      const auto above = [&](Index joint) {
        return dot(reference.place[at(joint)] - reference.place[at(foot.ankle)], up_);
      };
      ball_above = std::min(ball_above, above(foot.ball));
      if (foot.tip != kNone) tip_above = std::min(tip_above, above(foot.tip));
    }
    ball_height_ = floor + ball_above;
    tip_height_ = floor + tip_above;
    ground_ = std::min(ball_height_, tip_height_);
    for (Foot& foot : feet_) add_heel(reference, foot);
  }

  void level_soles(std::vector<BodyFramePose>& frames) {
    for (BodyFramePose& frame : frames) {
      for (const Foot& foot : feet_) {
        if (foot.ankle == kNone) continue;
        body_.pose(frame);
        lift(foot, sink_of(foot.ankle, ankle_height_), frame);
        level(foot.ankle, foot.ball, ball_height_, frame);
      }
    }
  }

  void lift_feet(std::vector<BodyFramePose>& frames) {
    for (BodyFramePose& frame : frames) {
      for (const Foot& foot : feet_) {
        if (foot.ankle == kNone) continue;
        body_.pose(frame);
        lift(
            foot,
            std::max({sink_of(foot.ankle, ankle_height_), sink_of(foot.ball, ball_height_), heel_sink(foot)}),
            frame);
        level(foot.ball, foot.tip, tip_height_, frame);
      }
    }
  }

  double deepest(const std::vector<BodyFramePose>& frames) {
    double deepest = 0;
    for (const BodyFramePose& frame : frames) {
      body_.pose(frame);
      for (const Foot& foot : feet_) {
        if (foot.ankle == kNone) continue;
        deepest = std::max({deepest, sink_of(foot.ankle, ankle_height_), heel_sink(foot),
                            sink_of(foot.ball, ball_height_), sink_of(foot.tip, tip_height_)});
      }
    }
    return deepest;
  }

 private:
  void add_heel(const ReferencePose& reference, Foot& foot) const {
    if (foot.ball == kNone) return;
    const Vec3d way = reference.place[at(foot.ball)] - reference.place[at(foot.ankle)];
    const Vec3d along = way - up_ * dot(way, up_);
    const double above = ankle_height_ - ground_;
    if (above <= 0 || above > kMostHeel * length(along)) return;
    foot.heel = rotate(conjugate(reference.rotation[at(foot.ankle)]), along * -kHeel - up_ * above);
  }

  // How far a joint is below the height it stands at.
  double sink_of(Index joint, double height) const {
    return joint == kNone ? 0 : std::max(0.0, height - dot(body_.place(joint), up_));
  }
  double heel_sink(const Foot& foot) const {
    if (!foot.heel) return 0;
    const Vec3d heel = body_.place(foot.ankle) + rotate(body_.rotation(foot.ankle), *foot.heel);
    return std::max(0.0, ground_ - dot(heel, up_));
  }
  // The part of a sinking that is taken back.
  double taken_back(double sink) const {
    // Up to half of what is near all is taken back, from there on less and less, so that nothing jumps.
    const double half = 0.5 * kNearFloor * leg_;
    return sink * (1 - smooth_step((sink - half) / half));
  }

  // Bends the leg so that the ankle comes up.
  void lift(const Foot& foot, double sink, BodyFramePose& frame) {
    const double way = taken_back(sink);
    const Index thigh = body_.slot_of(foot.thigh), shin = body_.slot_of(foot.shin);
    if (way <= 0 || thigh == kNone || shin == kNone) return;
    const TwoBoneLimb limb{body_.place(foot.thigh), body_.place(foot.shin), body_.place(foot.ankle)};
    const TwoBoneTurns turns = solve_two_bone(limb, limb.end + up_ * way);
    frame.rotation[at(thigh)] = normalized(turns.upper * frame.rotation[at(thigh)]);
    frame.rotation[at(shin)] = normalized(turns.lower * frame.rotation[at(shin)]);
    body_.pose(frame);
  }

  // Turns a joint about the level axis across its way to `end`, so that the end comes up.
  void level(Index joint, Index end, double height, BodyFramePose& frame) {
    const double way = taken_back(sink_of(end, height));
    if (way <= 0 || body_.slot_of(joint) == kNone) return;
    const Vec3d reach = body_.place(end) - body_.place(joint);
    const double size = length(reach), now = dot(reach, up_) / size, wanted = now + way / size;
    const Vec3d axis = cross(reach, up_);
    if (!(size > 0) || std::abs(wanted) > 1 || !(length(axis) > 0)) return;
    const Quatd turn = quat_from_axis_angle(normalized(axis), std::asin(wanted) - std::asin(now));
    Quatd& rotation = frame.rotation[at(body_.slot_of(joint))];
    rotation = normalized(turn * rotation);
    body_.pose(frame);
  }

  MovedBody& body_;
  Vec3d up_;
  double leg_;
  double ankle_height_, ball_height_ = 0, tip_height_ = 0, ground_ = 0;
  Foot feet_[2];
};

}  // namespace

void level_soles(const Character& target, MovedBody& body, const RoleMap& roles,
                 const ReferencePose& reference, double floor, std::vector<BodyFramePose>& frames) {
  FloorKeeper(target, body, roles, reference, floor).level_soles(frames);
}

void lift_feet(const Character& target, MovedBody& body, const RoleMap& roles, const ReferencePose& reference,
               double floor, std::vector<BodyFramePose>& frames) {
  FloorKeeper(target, body, roles, reference, floor).lift_feet(frames);
}

double deepest_sink(const Character& target, MovedBody& body, const RoleMap& roles,
                    const ReferencePose& reference, double floor, const std::vector<BodyFramePose>& frames) {
  return FloorKeeper(target, body, roles, reference, floor).deepest(frames);
}

}  // namespace dermis
