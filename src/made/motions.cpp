// SPDX-License-Identifier: MIT
// The table of built-in motions, and a skeleton that is posed key by key.
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "dermis/made.h"
#include "made/puppet.h"

namespace dermis {
namespace {

constexpr int kKeysPerSecond = 30;

struct MotionPlan {
  MadeMotionRow row;
  BodyPlan (*body)();
  double seconds;
  void (*pose)(Puppet& puppet, double turns);
};
constexpr std::array<MotionPlan, 5> kMotions{{
    {{MadeMotion::walk, "walk", "a stride of a person, travelling"}, plan_humanoid, 1.1, pose_walk},
    {{MadeMotion::run, "run", "a stride of a runner, travelling"}, plan_humanoid, 0.7, pose_run},
    {{MadeMotion::wave, "wave", "a person who stands and waves the right hand"},
     plan_humanoid,
     2.4,
     pose_wave},
    {{MadeMotion::range, "range", "a person who moves every large joint in turn"},
     plan_humanoid,
     14,
     pose_range},
    {{MadeMotion::trot, "trot", "a stride of a four-legged animal, travelling"},
     plan_quadruped,
     0.6,
     pose_trot},
}};

}  // namespace

Puppet::Puppet(const std::vector<JointPlan>& joints) : joints_(joints), turn_keys_(joints.size()) {
  for (const JointPlan& joint : joints)
    parents_.push_back(joint.parent.empty() ? -1 : static_cast<int>(find(joint.parent)));
  rest();
}

void Puppet::rest() {
  locals_.assign(joints_.size(), Quatd{});
  hips_ = joints_[0].at;
}

std::size_t Puppet::find(const std::string& joint) const {
  const auto found =
      std::find_if(joints_.begin(), joints_.end(), [&](const JointPlan& plan) { return plan.name == joint; });
  assert(found != joints_.end() && "a motion names a joint that its body does not have");
  return static_cast<std::size_t>(found - joints_.begin());
}

Quatd Puppet::world_turn(std::size_t joint) const {
  Quatd turn = locals_[joint];
  for (int above = parents_[joint]; above >= 0; above = parents_[static_cast<std::size_t>(above)])
    turn = locals_[static_cast<std::size_t>(above)] * turn;
  return normalized(turn);
}

Vec3d Puppet::place(const std::string& name) const {
  Vec3d point;
  std::size_t joint = find(name);
  while (parents_[joint] >= 0) {
    const auto above = static_cast<std::size_t>(parents_[joint]);
    point = rotate(locals_[above], point + joints_[joint].at - joints_[above].at);
    joint = above;
  }
  return hips_ + point;
}

void Puppet::turn(const std::string& joint, const Vec3d& axis, double degrees) {
  Quatd& local = locals_[find(joint)];
  local = normalized(local * quat_from_axis_angle(axis, radians_from_degrees(degrees)));
}

void Puppet::hold(const std::string& name, const Quatd& world) {
  const std::size_t joint = find(name);
  const Quatd above = parents_[joint] < 0 ? Quatd{} : world_turn(static_cast<std::size_t>(parents_[joint]));
  locals_[joint] = normalized(conjugate(above) * world);
}

void Puppet::reach(const Limb& limb, const Vec3d& target, const Quatd& end_turn, const Vec3d& pole) {
  const Quatd upper = world_turn(find(limb.upper)), lower = world_turn(find(limb.lower));
  const TwoBoneTurns turns =
      solve_two_bone({place(limb.upper), place(limb.lower), place(limb.end)}, target, pole);
  hold(limb.upper, turns.upper * upper);
  hold(limb.lower, turns.lower * lower);
  hold(limb.end, end_turn);
}

void Puppet::add_key() {
  const Vec3 here(hips_);
  place_keys_.insert(place_keys_.end(), {here.x, here.y, here.z});
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    std::vector<float>& keys = turn_keys_[j];
    Quat turn(locals_[j]);
    if (keys.size() >= 4) {
      const float* last = keys.data() + keys.size() - 4;
      if (dot(turn, Quat{last[0], last[1], last[2], last[3]}) < 0) turn = -turn;
    }
    keys.insert(keys.end(), {turn.x, turn.y, turn.z, turn.w});
  }
}

Clip Puppet::clip(const std::string& name, double seconds) const {
  Clip clip;
  clip.name = name;
  std::vector<float> times(place_keys_.size() / 3);
  for (std::size_t k = 0; k < times.size(); ++k)
    times[k] = static_cast<float>(seconds * static_cast<double>(k));
  clip.channels.push_back({ChannelPath::translation, 0, Interpolation::linear, times, place_keys_});
  for (std::size_t j = 0; j < joints_.size(); ++j)
    clip.channels.push_back(
        {ChannelPath::rotation, static_cast<Index>(j), Interpolation::linear, times, turn_keys_[j]});
  return clip;
}

std::span<const MadeMotionRow> made_motions() {
  static const std::array<MadeMotionRow, kMotions.size()> rows = [] {
    std::array<MadeMotionRow, kMotions.size()> result{};
    for (std::size_t i = 0; i < kMotions.size(); ++i) result[i] = kMotions[i].row;
    return result;
  }();
  return rows;
}

Result<Character> make_motion(MadeMotion motion) {
  return without_throwing("making a motion", [&]() -> Result<Character> {
    const auto found = std::find_if(kMotions.begin(), kMotions.end(),
                                    [&](const MotionPlan& plan) { return plan.row.motion == motion; });
    if (found == kMotions.end()) return Error{Errc::bad_argument, "this motion is not built in"};
    const BodyPlan plan = found->body();
    Character character;
    add_skeleton(plan, character);
    character.skins.clear();
    character.name = found->row.name;
    Puppet puppet(plan.joints);
    const auto count = static_cast<int>(std::lround(found->seconds * kKeysPerSecond));
    for (int k = 0; k <= count; ++k) {
      puppet.rest();
      found->pose(puppet, static_cast<double>(k) / count);
      puppet.add_key();
    }
    character.clips.push_back(puppet.clip(found->row.name, 1.0 / kKeysPerSecond));
    if (Status valid = validate(character); !valid) return valid.error();
    return character;
  });
}

}  // namespace dermis
