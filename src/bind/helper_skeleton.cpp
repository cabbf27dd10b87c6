// SPDX-License-Identifier: MIT
// The limbs of a skeleton that helper joints are for: bones, roles, sides, and what to propose.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "bind/helper_joints.h"

namespace dermis {
namespace {

using enum JointRole;

// A bone shorter than this fraction of the skeleton has no direction.
constexpr double kLeastBone = 1e-5;

struct LimbStep {
  JointRole from, to;
};
constexpr std::array kLimbSteps{
    LimbStep{shoulder_l, upper_arm_l}, LimbStep{upper_arm_l, forearm_l}, LimbStep{forearm_l, hand_l},
    LimbStep{thigh_l, shin_l},         LimbStep{shin_l, foot_l},         LimbStep{foot_l, toe_l},
    LimbStep{shoulder_r, upper_arm_r}, LimbStep{upper_arm_r, forearm_r}, LimbStep{forearm_r, hand_r},
    LimbStep{thigh_r, shin_r},         LimbStep{shin_r, foot_r},         LimbStep{foot_r, toe_r}};

bool is_upper(JointRole role) {
  return role == upper_arm_l || role == upper_arm_r || role == thigh_l || role == thigh_r;
}

// The role on the other side, by its name.
std::optional<JointRole> other_side(JointRole role) {
  std::string name = name_of(role);
  if (name.ends_with("_L"))
    name.back() = 'R';
  else if (name.ends_with("_R"))
    name.back() = 'L';
  else
    return std::nullopt;
  const Result<JointRole> other = find_role(name);
  if (!other) return std::nullopt;
  return *other;
}

// The joints that mirror each other, by role and then by name; joints of the middle are left out.
std::map<Index, Index> mirrored_joints(const Character& character) {
  std::map<Index, Index> other;
  if (const Result<MappedJoints> mapped = map_joints(character)) {
    for (const RoleRow& row : joint_roles()) {
      const std::optional<JointRole> role = other_side(row.role);
      if (!role) continue;
      const std::vector<Index>&here = mapped->roles.of(row.role), &there = mapped->roles.of(*role);
      for (std::size_t k = 0; k < std::min(here.size(), there.size()); ++k) other[here[k]] = there[k];
    }
  }
  for (const SkinnedBody& body : skinned_bodies(character)) {
    Box box;
    for (const Vec3& point : body.points) box.add(Vec3d(point));
    const std::optional<MirrorPlane> plane = plane_between_sides(character, body.joints, box.diagonal());
    if (!plane) continue;
    const MirroredSkin sides = mirror_skin(character, body.joints, *plane, box.diagonal());
    for (std::size_t s = 0; s < sides.mirror.size(); ++s)
      if (sides.mirror[s] != kNone && at(sides.mirror[s]) != s)
        other.emplace(body.joints.node[s], body.joints.node[at(sides.mirror[s])]);
  }
  return other;
}

}  // namespace

HelperSkeleton::HelperSkeleton(const Character& character, const Progress& progress)
    : character_(character),
      world_(rest_world(character)),
      is_joint_(skin_joints(character)),
      has_weight_(weighted_joints(character)),
      joints_below_(character.nodes.size(), 0) {
  const std::vector<Index> order = parents_first(character.nodes);
  for (auto n = order.rbegin(); n != order.rend(); ++n) {
    if (has_weight_[at(*n)]) ++joints_below_[at(*n)];
    const Index parent = character.nodes[at(*n)].parent;
    if (parent != kNone) joints_below_[at(parent)] += joints_below_[at(*n)];
  }
  Result<MappedJoints> mapped = map_joints(character, progress);
  if (mapped)
    roles_ = std::move(mapped->roles);
  else if (mapped.error().code != Errc::bad_rig)
    mapped_ = mapped.error();
}

std::optional<JointRole> HelperSkeleton::role_of(Index node) const {
  if (!roles_) return std::nullopt;
  for (const RoleRow& row : joint_roles()) {
    const std::vector<Index>& joints = roles_->of(row.role);
    if (std::find(joints.begin(), joints.end(), node) != joints.end()) return row.role;
  }
  return std::nullopt;
}

bool HelperSkeleton::is_driven(Index node) const {
  return std::any_of(character_.drivers.begin(), character_.drivers.end(), [&](const Driver& driver) {
    return std::visit([&](const auto& rule) { return rule.node == node; }, driver.rule);
  });
}

std::optional<HelperBone> HelperSkeleton::bone_of(Index joint) const {
  const std::optional<JointRole> role = role_of(joint);
  Index end = kNone;
  for (const LimbStep& step : kLimbSteps)
    if (role && step.from == *role) end = roles_->first(step.to);
  if (role && end == kNone) {
    const std::vector<Index>& chain = roles_->of(*role);
    const auto here = std::find(chain.begin(), chain.end(), joint);
    if (here + 1 != chain.end()) end = *(here + 1);
  }
  Box box;
  for (std::size_t n = 0; n < is_joint_.size(); ++n)
    if (is_joint_[n]) box.add(world_[n].translation);
  const double least = kLeastBone * box.diagonal();
  const Vec3d from = world(joint).translation;
  const auto is_apart = [&](Index node) { return length(world(node).translation - from) > least; };
  if (end != kNone && !is_apart(end)) end = kNone;
  if (end == kNone) {
    for (std::size_t n = 0; n < is_joint_.size(); ++n) {
      const Index node = static_cast<Index>(n);
      if (character_.nodes[n].parent != joint || !is_joint_[n] || !is_apart(node) || is_driven(node))
        continue;
      if (end == kNone || joints_below_[n] > joints_below_[at(end)]) end = node;
    }
  }
  const Affined joint_from_world = inverse(world(joint));
  if (end == kNone || !is_finite(joint_from_world)) return std::nullopt;
  HelperBone bone;
  bone.end = end;
  const Vec3d along = world(end).translation - from;
  bone.along = joint_from_world.linear * along;
  bone.axis_of_end = normalized(inverse(world(end).linear) * along);
  if (!is_finite(bone.axis_of_end)) return std::nullopt;
  if (determinant(world(joint).linear) * determinant(world(end).linear) < 0) bone.sign = -1;
  return bone;
}

Index HelperSkeleton::above(Index joint) const {
  // Twist joints may have all the weight of their bone.
  const auto is_followed = [&](Index node) {
    const std::vector<Index> family = family_of(node);
    return std::any_of(family.begin(), family.end(), [&](Index one) { return has_weight(one); });
  };
  Index node = character_.nodes[at(joint)].parent;
  while (node != kNone && !is_followed(node)) node = character_.nodes[at(node)].parent;
  return node;
}

std::vector<Index> HelperSkeleton::helpers_of(Index joint, HelperKind kind) const {
  const std::string stem = helper_stem(character_, joint, kind);
  const Index parent = kind == HelperKind::half ? character_.nodes[at(joint)].parent : joint;
  std::vector<Index> helpers;
  for (std::size_t n = 0; n < character_.nodes.size(); ++n) {
    const Node& node = character_.nodes[n];
    if (node.parent == parent && node.name.starts_with(stem) && is_driven(static_cast<Index>(n)))
      helpers.push_back(static_cast<Index>(n));
  }
  return helpers;
}

std::vector<Index> HelperSkeleton::family_of(Index joint) const {
  std::vector<Index> family = helpers_of(joint, HelperKind::twist);
  family.insert(family.begin(), joint);
  return family;
}

TwistSpread HelperSkeleton::spread_of(Index joint, const HelperBone& bone) const {
  const std::optional<JointRole> role = role_of(joint);
  const bool hangs = Subtrees(character_.nodes).is_in(bone.end, joint);
  const bool has_next = hangs && joints_below_[at(bone.end)] > 0;
  if (!has_next || (role && is_upper(*role))) return TwistSpread::own;
  return above(joint) == kNone ? TwistSpread::next : TwistSpread::both;
}

std::string helper_stem(const Character& character, Index joint, HelperKind kind) {
  std::string name = character.nodes[at(joint)].name;
  if (name.empty()) name = "joint_" + std::to_string(joint);
  return name + "_" + name_of(kind);
}

const char* name_of(HelperKind kind) {
  switch (kind) {
    case HelperKind::twist:
      return "twist";
    case HelperKind::half:
      return "half";
    case HelperKind::bulge:
      return "bulge";
    default:
      return "breathe";
  }
}

const char* name_of(TwistSpread spread) {
  switch (spread) {
    case TwistSpread::own:
      return "own";
    case TwistSpread::next:
      return "next";
    default:
      return "both";
  }
}

std::vector<HelperRequest> with_other_side(const Character& character,
                                           std::span<const HelperRequest> requests,
                                           std::vector<Index>& unpaired) {
  std::vector<HelperRequest> both(requests.begin(), requests.end());
  const std::map<Index, Index> other = mirrored_joints(character);
  for (const HelperRequest& request : requests) {
    const auto there = other.find(request.joint);
    if (there == other.end()) {
      const bool has_side = side_of_name(character.nodes[at(request.joint)].name) != NamedSide::none;
      if (has_side) unpaired.push_back(request.joint);
      continue;
    }
    HelperRequest mirrored = request;
    mirrored.joint = there->second;
    if (request.bend != kNone) {
      const auto bend = other.find(request.bend);
      if (bend != other.end()) mirrored.bend = bend->second;
    }
    const bool is_asked = std::any_of(both.begin(), both.end(), [&](const HelperRequest& one) {
      return one.kind == mirrored.kind && one.joint == mirrored.joint;
    });
    if (!is_asked) both.push_back(mirrored);
  }
  return both;
}

Result<std::vector<HelperRequest>> proposed_helpers(const Character& character, int count, bool has_halves,
                                                    const Progress& progress) {
  const Result<MappedJoints> mapped = map_joints(character, progress);
  if (!mapped) return mapped.error();
  const std::vector<bool> has_weight = weighted_joints(character);
  std::vector<HelperRequest> requests;
  const auto propose = [&](HelperKind kind, JointRole role) {
    const Index joint = mapped->roles.first(role);
    if (joint == kNone || !has_weight[at(joint)]) return;
    HelperRequest& request = requests.emplace_back();
    request.kind = kind, request.joint = joint, request.count = count;
  };
  const HelperSkeleton skeleton(character);
  for (const JointRole role :
       {upper_arm_l, forearm_l, upper_arm_r, forearm_r, thigh_l, shin_l, thigh_r, shin_r}) {
    const Index joint = mapped->roles.first(role);
    if (count > 0 && joint != kNone && skeleton.bone_of(joint)) propose(HelperKind::twist, role);
  }
  for (const JointRole role : {upper_arm_l, forearm_l, hand_l, upper_arm_r, forearm_r, hand_r, thigh_l,
                               shin_l, foot_l, thigh_r, shin_r, foot_r}) {
    const Index joint = mapped->roles.first(role);
    if (has_halves && joint != kNone && skeleton.above(joint) != kNone) propose(HelperKind::half, role);
  }
  return requests;
}

}  // namespace dermis
