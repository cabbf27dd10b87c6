// SPDX-License-Identifier: MIT
// Moves chains of joints to a target by cyclic coordinate descent, within limits.
#include <algorithm>
#include <cmath>

#include "dermis/motion.h"

namespace dermis {
namespace {

// Stops after a round that gains less than this fraction of the tolerance: the limits block the chain.
constexpr double kLeastGain = 1e-3;

Quatd shortened(const Quatd& turn, double max_angle) {
  const Vec3d way = log(turn);
  const double angle = length(way);
  return angle > max_angle ? exp(way * (std::max(0.0, max_angle) / angle)) : turn;
}

// The nearest rotation within the limit; `bone` is the direction to the next joint in the joint's own frame.
Quatd limited(const Quatd& rotation, const TurnLimit& limit, const Vec3d& bone) {
  if (limit.max_swing >= kPi && limit.max_twist >= kPi) return rotation;
  const Quatd turn = conjugate(limit.rest) * rotation;
  // turn = swing * twist, the twist about the bone; at half a turn of swing the twist is undetermined.
  const Vec3d axis = normalized(bone);
  const double along = dot(turn.xyz(), axis);
  const Vec3d part = axis * along;
  const Quatd twist =
      std::hypot(along, turn.w) > 1e-12 ? normalized(Quatd{part.x, part.y, part.z, turn.w}) : Quatd{};
  const Quatd swing = turn * conjugate(twist);
  return normalized(limit.rest * shortened(swing, limit.max_swing) * shortened(twist, limit.max_twist));
}

Vec3d bone_of(std::span<const ChainLink> chain, std::size_t k, const Vec3d& tip) {
  return k + 1 < chain.size() ? chain[k + 1].offset : tip;
}

void kink(std::span<ChainLink> chain, const Vec3d& tip) {
  constexpr double kAngle = 0.02;
  for (std::size_t k = 0; k < chain.size(); ++k) {
    const Vec3d bone = bone_of(chain, k, tip);
    const Vec3d axis = cross(bone, std::abs(bone.x) < std::abs(bone.z) ? Vec3d{1, 0, 0} : Vec3d{0, 0, 1});
    chain[k].rotation = limited(chain[k].rotation * quat_from_axis_angle(axis, k % 2 == 0 ? kAngle : -kAngle),
                                chain[k].limit, bone);
  }
}

}  // namespace

double solve_chain(std::span<ChainLink> chain, const Vec3d& tip, const Vec3d& target,
                   const ChainOptions& options) {
  if (chain.empty()) return length(tip - target);
  const auto bone = [&](std::size_t k) { return bone_of(chain, k, tip); };
  double size = length(tip);
  for (std::size_t k = 1; k < chain.size(); ++k) size += length(chain[k].offset);
  for (std::size_t k = 0; k < chain.size(); ++k)
    chain[k].rotation = limited(chain[k].rotation, chain[k].limit, bone(k));
  // The tip in the frame of each joint, and the target likewise.
  std::vector<Vec3d> wanted(chain.size());
  const auto distance = [&] {
    Vec3d at = tip;
    for (std::size_t k = chain.size(); k-- > 0;) at = chain[k].offset + rotate(chain[k].rotation, at);
    return length(at - target);
  };
  double left = distance();
  bool is_kinked = false;
  for (int round = 0; round < options.max_rounds && left > options.tolerance * size; ++round) {
    // Joints below a joint are already updated in this round, joints above it are not.
    Vec3d here = target;
    for (std::size_t k = 0; k < chain.size(); ++k) {
      here = here - chain[k].offset;
      wanted[k] = here;  // before the joint's own rotation
      here = rotate(conjugate(chain[k].rotation), here);
    }
    Vec3d reached = tip;
    for (std::size_t k = chain.size(); k-- > 0;) {
      const Vec3d now = rotate(chain[k].rotation, reached);
      chain[k].rotation =
          limited(normalized(quat_between(now, wanted[k]) * chain[k].rotation), chain[k].limit, bone(k));
      reached = chain[k].offset + rotate(chain[k].rotation, reached);
    }
    const double before = left;
    left = distance();
    if (std::abs(before - left) >= kLeastGain * options.tolerance * size) continue;
    // A straight chain that points at its target would never start to bend.
    if (is_kinked) break;
    is_kinked = true;
    kink(chain, tip);
  }
  return left;
}

}  // namespace dermis
