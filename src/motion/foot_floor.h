// SPDX-License-Identifier: MIT
// Keeps the feet of a moved body out of the floor, using its joints and, if it has one, its surface.
#pragma once

#include <optional>

#include "motion/legs.h"
#include "motion/soles.h"

namespace dermis {

// Parts of the body move out of the floor and back by at most this many leg lengths per second, half as fast
// as feet swing in a walk: captured toes may jump from one frame to the next.
inline constexpr double kFastestRise = 2;
// The smallest values not below the given ones that change by at most `step` from one to the next.
std::vector<double> eased(std::vector<double> values, double step, bool is_loop);

struct Floor {
  double height = 0;  // of standing ankles; other heights are those of the reference pose
  // For each leg and frame, how much to keep it out of this floor: 0 if it stands on something else, below.
  std::span<const std::vector<double>> nearness;
};

class FloorKeeper {
 public:
  // `body`, `reference` and the spans of `floor` must outlive the keeper. Poses `body`.
  FloorKeeper(const Character& target, MovedBody& body, const RoleMap& roles, std::span<const Leg> legs,
              const ReferencePose& reference, const Floor& floor);

  // Turns feet whose front sinks into the floor up about their ankles; this moves balls over the ground.
  void level_soles(std::vector<BodyFramePose>& frames);
  // Moves soles (or, without a surface, ankles, balls of the feet, tips of toes and assumed heels) out of the
  // floor: lifts feet straight up and turns toes up, by as much as they sink, and eases in and out where that
  // would be abrupt.
  void lift_feet(double fps, bool is_loop, std::vector<BodyFramePose>& frames);
  // How deep the deepest of these points is in the floor in any frame, in the target's units.
  double deepest(const std::vector<BodyFramePose>& frames);
  // The height that the soles of the standing character reach down to.
  double ground() const;

 private:
  // A point of the surface; `is_ahead`: it belongs to the front half of its foot.
  struct Mark {
    SolePoint point;
    bool is_ahead = false;
  };
  // Points of one foot, and their heights in the target's standing pose.
  struct Foot {
    Leg leg;
    std::span<const double> nearness;
    bool is_front = false;  // of a four-legged body
    Index ankle = kNone;
    Index ball = kNone, tip = kNone;  // kNone: there is no such joint
    Vec3d ahead;                      // from ankle to ball, level at rest, in the frame of the ankle
    std::optional<Vec3d> heel;        // from the ankle, in its own frame
    std::vector<Mark> sole, toes;     // points that move with the ankle, and with the ball
    bool has_surface = false;         // then its points are used, and joints are not
    bool is_hock = false;             // the ankle of an animal, which may go below its standing height
    double ankle_height = 0, ball_height = 0, tip_height = 0, ground = 0;
  };
  // A point in the floor, and its depth.
  struct Sunk {
    Vec3d place;
    double depth = 0;
  };

  void add_feet(const Character& target, const RoleMap& roles, std::span<const Leg> legs, double floor);
  void add_soles(const Character& target);
  void add_heel(Foot& foot) const;
  double sink_of(Index joint, double height) const;
  double sink_of(const Foot& foot, const std::vector<Mark>& marks) const;
  double ankle_sink(const Foot& foot) const;
  double foot_sink(const Foot& foot) const;
  double toe_sink(const Foot& foot) const;
  void lift(const Foot& foot, double way, BodyFramePose& frame);
  void level_foot(const Foot& foot, double near, BodyFramePose& frame);
  void level_toes(const Foot& foot, double near, BodyFramePose& frame);
  void turn_up(Index joint, const Vec3d& ahead, std::span<const Sunk> sunk, double near,
               BodyFramePose& frame);
  void add_sunk(const Foot& foot, const std::vector<Mark>& marks, std::vector<Sunk>& sunk) const;

  MovedBody& body_;
  const ReferencePose& reference_;
  const Vec3d up_;
  std::vector<Foot> feet_;
};

}  // namespace dermis
