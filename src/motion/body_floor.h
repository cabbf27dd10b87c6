// SPDX-License-Identifier: MIT
// Keeps the rest of a moved body out of the floor: hands, head, knees, elbows and trunk.
#pragma once

#include "motion/foot_floor.h"

namespace dermis {

// A part of the body that may touch the floor, besides feet.
struct FloorPart {
  JointRole role = JointRole::hips;
  Index joint = kNone;           // of the target
  std::vector<double> nearness;  // by frame: 0 if the source's part is far below its floor, else up to 1
};

class BodyFloor {
 public:
  // The deepest point of the body in the floor.
  struct Deepest {
    double depth = 0;     // in the target's units
    Index joint = kNone;  // whose part it is
    std::size_t frame = 0;
  };
  // `body` and `reference` must outlive it. `ground` is the height of the floor. Poses `body`.
  BodyFloor(const Character& target, MovedBody& body, const RoleMap& roles, const ReferencePose& reference,
            std::vector<FloorPart> parts, double ground);

  // Raises the whole body by as much as it sinks, at most at kFastestRise.
  void raise(double leg, double fps, bool is_loop, std::vector<BodyFramePose>& frames);
  // Bends arms whose hands are in the floor. `arms` are those of the target.
  void lift_hands(std::span<const Leg> arms, double fps, bool is_loop, std::vector<BodyFramePose>& frames);
  Deepest deepest(const std::vector<BodyFramePose>& frames);

 private:
  struct Part {
    FloorPart of;
    std::vector<SolePoint> points;
    double ground = 0;  // as low as the part reaches while the character stands, if that is below the floor
  };
  double sink_of(const Part& part) const;

  MovedBody& body_;
  const ReferencePose& reference_;
  const Vec3d up_;
  std::vector<Part> parts_;
};

}  // namespace dermis
