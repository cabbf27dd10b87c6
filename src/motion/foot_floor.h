// SPDX-License-Identifier: MIT
// Keeps the feet of a moved body out of the floor, by its joints and, where it has one, its surface.
#pragma once

#include <optional>

#include "motion/legs.h"
#include "motion/soles.h"

namespace dermis {

struct Floor {
  double height = 0;  // of standing ankles; all else stands as in the reference pose
  // For each leg and frame how much it is to be kept out of this floor: 0 where it stands on something else,
  // below.
  std::span<const std::vector<double>> nearness;
};

class FloorKeeper {
 public:
  // `body`, `reference` and what `floor` shows must outlive the keeper. Poses `body`.
  FloorKeeper(const Character& target, MovedBody& body, const RoleMap& roles, std::span<const Leg> legs,
              const ReferencePose& reference, const Floor& floor);

  // Turns feet up whose front sinks into the floor, about their ankles; balls move over the ground by that.
  void level_soles(std::vector<BodyFramePose>& frames);
  // Takes soles, or without a surface ankles, balls of the feet, tips of toes and where heels would be, out
  // of the floor: feet are lifted straight up, toes turned up, by as much as they sink, and a little more
  // before and after where that would be a jolt.
  void lift_feet(double fps, bool is_loop, std::vector<BodyFramePose>& frames);
  // How far the deepest of these points is in the floor in any frame, in the units of the target.
  double deepest(const std::vector<BodyFramePose>& frames);

 private:
  // A point of the surface; `is_ahead`: it belongs to the front half of its foot.
  struct Mark {
    SolePoint point;
    bool is_ahead = false;
  };
  // Points of one foot, and the heights that they have where the target stands.
  struct Foot {
    Leg leg;
    std::span<const double> nearness;
    bool is_front = false;  // of a four-legged body
    Index ankle = kNone;
    Index ball = kNone, tip = kNone;  // kNone: there is no such joint
    Vec3d ahead;                      // from ankle to ball, level at rest, in the frame of the ankle
    std::optional<Vec3d> heel;        // from the ankle, in its own frame
    std::vector<Mark> sole, toes;     // what moves with the ankle, and with the ball
    bool has_surface = false;         // then its points tell, and joints do not
    bool is_hock = false;             // the ankle of an animal, which comes lower than where it stands
    double ankle_height = 0, ball_height = 0, tip_height = 0, ground = 0;
  };
  // A point in the floor, and by how much.
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
