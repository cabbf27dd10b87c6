// SPDX-License-Identifier: MIT
// Finds the common pose for comparing two bodies, bind or rest, and its directions.
#include "motion/reference.h"

#include <algorithm>
#include <cmath>

namespace dermis {
namespace {

using enum JointRole;

// People lean and heads are held forward, but a standing body is not meant to be tilted.
constexpr double kUpSnap = 40, kLeftSnap = 15;  // degrees
// Cosine of the angle between trunk and legs above which a body walks upright.
constexpr double kUprightTrunk = 0.5;
// Hands lower than this fraction of the pelvis height are feet, however high the head is. People with their
// arms down have them at its height.
constexpr double kHandsOnGround = 0.4;

Vec3d snapped(const Vec3d& direction, double degrees) {
  const double least = std::cos(radians_from_degrees(degrees));
  for (int axis = 0; axis < 3; ++axis) {
    Vec3d unit;
    unit[axis] = direction[axis] < 0 ? -1 : 1;
    if (dot(unit, direction) >= least) return unit;
  }
  return direction;
}

std::optional<Vec3d> middle_of(const RoleMap& roles, std::span<const Vec3d> places, JointRole left) {
  const Index a = roles.first(left), b = roles.first(mirrored(left));
  if (a == kNone || b == kNone) return std::nullopt;
  return (places[at(a)] + places[at(b)]) * 0.5;
}

std::optional<Vec3d> top_of(const RoleMap& roles, std::span<const Vec3d> places) {
  if (const auto arms = middle_of(roles, places, upper_arm_l)) return arms;
  if (roles.first(head) != kNone) return places[at(roles.first(head))];
  if (!roles.of(spine).empty()) return places[at(roles.of(spine).back())];
  return std::nullopt;
}

// The world transforms of joints from their skins; identity if they have none.
struct BindPose {
  std::vector<Affined> world;
  std::vector<bool> is_set;
};

BindPose bind_pose(const Character& character) {
  BindPose bind{std::vector<Affined>(character.nodes.size()), std::vector<bool>(character.nodes.size())};
  for (const Skin& skin : character.skins) {
    for (std::size_t s = 0; s < skin.node.size(); ++s) {
      const Affined world = inverse(Affined(skin.inverse_bind[s]));
      if (!is_finite(world) || bind.is_set[at(skin.node[s])]) continue;
      bind.world[at(skin.node[s])] = world;
      bind.is_set[at(skin.node[s])] = true;
    }
  }
  for (const Index n : parents_first(character.nodes)) {
    const Index parent = character.nodes[at(n)].parent;
    if (bind.is_set[at(n)] || parent == kNone || !bind.is_set[at(parent)]) continue;
    const Node& node = character.nodes[at(n)];
    bind.world[at(n)] = bind.world[at(parent)] *
                        (node.rest_matrix ? Affined(*node.rest_matrix) : affine_from_transform(node.rest));
    bind.is_set[at(n)] = true;
  }
  return bind;
}

std::vector<Vec3d> places_of(const std::vector<Affined>& world) {
  std::vector<Vec3d> places;
  places.reserve(world.size());
  for (const Affined& w : world) places.push_back(w.translation);
  return places;
}

double size_of(const RoleMap& roles, std::span<const Vec3d> places) {
  Box box;
  for (const Index joint : joints_of(roles)) box.add(places[at(joint)]);
  return box.diagonal();
}

// True if one rigid motion takes all joints from one pose to the other, within `tolerance`.
bool is_moved_as_one(const std::vector<Index>& joints, const std::vector<Affined>& from,
                     const std::vector<Affined>& to, double tolerance) {
  const Affined to_from = to[at(joints.front())] * inverse(from[at(joints.front())]);
  return std::all_of(joints.begin(), joints.end(), [&](Index joint) {
    return length(to_from * from[at(joint)].translation - to[at(joint)].translation) < tolerance;
  });
}

// From the ground to the pelvis. Animals stand on paws: their heels lie far behind. If feet are attached
// elsewhere, thighs and upper arms decide together: those of animals lean to either side.
std::optional<Vec3d> upward_leg(const RoleMap& roles, std::span<const Vec3d> places) {
  const Vec3d low = pelvis_place(roles, places);
  const std::optional<Vec3d> feet = middle_of(roles, places, foot_l), toes = middle_of(roles, places, toe_l);
  if (feet) return normalized(low - toes.value_or(*feet));
  const std::optional<Vec3d> knees = middle_of(roles, places, shin_l),
                             elbows = middle_of(roles, places, forearm_l),
                             arms = middle_of(roles, places, upper_arm_l);
  if (!knees) return std::nullopt;
  return normalized(low - *knees + (elbows && arms ? *arms - *elbows : Vec3d{}));
}

}  // namespace

std::optional<bool> is_four_legged(const RoleMap& roles, std::span<const Vec3d> places) {
  const std::optional<Vec3d> top = top_of(roles, places), leg = upward_leg(roles, places);
  if (!top || !leg) return std::nullopt;
  const Vec3d low = pelvis_place(roles, places), up = snapped(*leg, kUpSnap);
  const std::optional<Vec3d> feet = middle_of(roles, places, foot_l),
                             hands = middle_of(roles, places, hand_l);
  if (feet && hands && dot(*hands - *feet, up) < kHandsOnGround * dot(low - *feet, up)) return true;
  return dot(normalized(*top - low), *leg) < kUprightTrunk;
}

std::optional<BodyAxes> body_frame(const RoleMap& roles, std::span<const Vec3d> places) {
  if (roles.first(hips) == kNone) return std::nullopt;
  const Vec3d low = pelvis_place(roles, places);
  const std::optional<Vec3d> top = top_of(roles, places), feet = middle_of(roles, places, foot_l),
                             leg = upward_leg(roles, places);
  if (!top && !leg) return std::nullopt;
  BodyAxes frame;
  const Vec3d trunk = top ? normalized(*top - low) : Vec3d{},
              legs = feet ? normalized(low - *feet) : leg.value_or(Vec3d{});
  frame.up = is_four_legged(roles, places).value_or(false) ? *leg : normalized(trunk + legs);
  if (!(length(frame.up) > 0)) return std::nullopt;
  frame.up = snapped(frame.up, kUpSnap);
  Vec3d left;
  for (const JointRole role : {thigh_l, upper_arm_l, shoulder_l, foot_l}) {
    const Index a = roles.first(role), b = roles.first(mirrored(role));
    if (a != kNone && b != kNone) left += normalized(places[at(a)] - places[at(b)]);
  }
  left = left - frame.up * dot(left, frame.up);
  if (length(left) < 1e-3) left = std::abs(frame.up.x) < 0.5 ? Vec3d{1, 0, 0} : Vec3d{0, 0, 1};
  left = snapped(normalized(left - frame.up * dot(left, frame.up)), kLeftSnap);
  frame.left = normalized(left - frame.up * dot(left, frame.up));
  frame.forward = cross(frame.left, frame.up);
  return frame;
}

double leg_length(const RoleMap& roles, std::span<const Vec3d> places) {
  double sum = 0;
  int count = 0;
  for (const int side : {0, 1}) {
    const Index thigh = roles.first(on_side(thigh_l, side)), shin = roles.first(on_side(shin_l, side)),
                foot = roles.first(on_side(foot_l, side));
    if (thigh == kNone || shin == kNone || foot == kNone) continue;
    sum += length(places[at(shin)] - places[at(thigh)]) + length(places[at(foot)] - places[at(shin)]);
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

Vec3d pelvis_place(const RoleMap& roles, std::span<const Vec3d> places) {
  if (const auto thighs = middle_of(roles, places, thigh_l)) return *thighs;
  return places[at(roles.first(hips))];
}

std::vector<Index> joints_of(const RoleMap& roles) {
  std::vector<Index> joints;
  for (const std::vector<Index>& list : roles.joints) joints.insert(joints.end(), list.begin(), list.end());
  return joints;
}

ReferencePose reference_at(const RoleMap& roles, const std::vector<Affined>& world) {
  ReferencePose pose;
  pose.place = places_of(world);
  pose.rotation.reserve(world.size());
  for (const Affined& w : world) pose.rotation.push_back(quat_from_matrix(polar(w.linear).rotation));
  if (const auto frame = body_frame(roles, pose.place)) pose.frame = *frame;
  return pose;
}

ReferencePose reference_pose(const Character& character, const RoleMap& roles) {
  const std::vector<Affined> world = rest_world(character);
  ReferencePose rest = reference_at(roles, world);
  const BindPose bind = bind_pose(character);
  const std::vector<Index> joints = joints_of(roles);
  if (!std::all_of(joints.begin(), joints.end(), [&](Index joint) { return bind.is_set[at(joint)]; }))
    return rest;
  const std::vector<Vec3d> places = places_of(bind.world);
  const std::optional<BodyAxes> frame = body_frame(roles, places);
  const double bind_size = size_of(roles, places), rest_size = size_of(roles, rest.place);
  if (!frame || !(bind_size > 0) || !(rest_size > 0)) return rest;
  if (is_moved_as_one(joints, bind.world, world, 1e-3 * rest_size)) return rest;
  // Bind poses are in mesh space, which may be displaced, rotated and in another unit.
  const double leg = leg_length(roles, places), rest_leg = leg_length(roles, rest.place);
  double scale = leg > 0 && rest_leg > 0 ? rest_leg / leg : rest_size / bind_size;
  if (std::abs(scale - 1) < 0.02) scale = 1;
  const Mat3d turn = rest.frame.axes() * transposed(frame->axes());
  const Vec3d bind_pelvis = turn * pelvis_place(roles, places) * scale;
  const Vec3d way = pelvis_place(roles, rest.place) - bind_pelvis;
  // If both are at about the same position, the modelled mesh stands on the ground; the rest pose may be a
  // moment of a walk.
  const Vec3d shift = length(way) < 0.3 * rest_size ? Vec3d{} : way;
  ReferencePose pose = rest;
  for (std::size_t n = 0; n < pose.place.size(); ++n) {
    if (!bind.is_set[n]) continue;
    pose.rotation[n] = quat_from_matrix(turn * polar(bind.world[n].linear).rotation);
    pose.place[n] = turn * places[n] * scale + shift;
  }
  return pose;
}

}  // namespace dermis
