// SPDX-License-Identifier: MIT
// A built-in skeleton posed by hand: joints turned by name, legs placed by the positions of their feet.
#pragma once

#include <string>
#include <vector>

#include "dermis/motion.h"
#include "made/plan.h"

namespace dermis {

// The axes that motions turn about.
inline constexpr Vec3d kX{1, 0, 0}, kY{0, 1, 0}, kZ{0, 0, 1};

// Joint frames are parallel to the world at rest, so that rotations need no bookkeeping.
class Puppet {
 public:
  explicit Puppet(const std::vector<JointPlan>& joints);

  // Back to rest, including the hips.
  void rest();
  void move_hips(const Vec3d& way) { hips_ += way; }
  // Turns a joint relative to its parent, in addition to earlier turns.
  void turn(const std::string& joint, const Vec3d& axis, double degrees);
  // Moves the end of a limb to `place` with its two joints and gives it the world rotation `end_turn`; the
  // middle joint bends to the side of `pole`. The joints above must be posed first.
  struct Limb {
    std::string upper, lower, end;
  };
  void reach(const Limb& limb, const Vec3d& place, const Quatd& end_turn, const Vec3d& pole);
  // Gives a joint a world rotation, whatever its parent.
  void hold(const std::string& joint, const Quatd& world);

  const Vec3d& rest_place(const std::string& joint) const { return joints_[find(joint)].at; }
  Vec3d place(const std::string& joint) const;

  // Records the pose as the next key; `clip` returns all keys, `seconds` apart.
  void add_key();
  Clip clip(const std::string& name, double seconds) const;

 private:
  std::size_t find(const std::string& joint) const;
  Quatd world_turn(std::size_t joint) const;

  const std::vector<JointPlan>& joints_;
  std::vector<int> parents_;
  std::vector<Quatd> locals_;
  Vec3d hips_;
  std::vector<std::vector<float>> turn_keys_;
  std::vector<float> place_keys_;
};

// Poses of one motion: the puppet's pose at a fraction of the clip, from 0 to 1.
void pose_walk(Puppet& puppet, double turns);
void pose_run(Puppet& puppet, double turns);
void pose_trot(Puppet& puppet, double turns);
void pose_wave(Puppet& puppet, double turns);
void pose_range(Puppet& puppet, double turns);

}  // namespace dermis
