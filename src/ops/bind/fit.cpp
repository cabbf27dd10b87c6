// SPDX-License-Identifier: MIT
// Fits a skeleton to a body: joints by role to where the search for skeletons finds them.
#include "ops/bind/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "dermis/motion.h"
#include "dermis/rig.h"

namespace dermis {
namespace {

using enum JointRole;

// Trunk roles, then those of the left side; the right side follows in the same order.
constexpr std::array kMiddleRoles{hips, neck, head};
constexpr std::array kSidedRoles{upper_arm_l, forearm_l, hand_l, thigh_l, shin_l, foot_l, toe_l};
// Cosine of the angle between trunk and legs half-way between a body that stands on two legs (they point away
// from the trunk) and one that stands on four (they point across it).
constexpr double kUprightTrunk = -0.5;
// Joints end short of the skin, at knuckles and at the base of the skull: their box is this much smaller.
constexpr double kJointBox = 0.9;

JointRole right_of(JointRole left) {
  return static_cast<JointRole>(static_cast<int>(left) + static_cast<int>(shoulder_r) -
                                static_cast<int>(shoulder_l));
}

// Joints by role, with their places.
class RolePlaces {
 public:
  RolePlaces(const RoleMap& roles, std::span<const Vec3d> places) : roles_(roles), places_(places) {}

  Index node(JointRole role) const { return roles_.first(role); }
  bool has(JointRole role) const { return node(role) != kNone; }
  const Vec3d& place(JointRole role) const { return places_[at(node(role))]; }

 private:
  const RoleMap& roles_;
  std::span<const Vec3d> places_;
};

// Two skeletons of one kind, and what both have.
class Counterparts {
 public:
  Counterparts(const RolePlaces& from, const RolePlaces& to) : from_(from), to_(to) {}

  bool have(JointRole role) const { return from_.has(role) && to_.has(role); }
  bool have_pair(JointRole left) const { return have(left) && have(right_of(left)); }

  // Turn from the directions of the trunk and from right to left, size from the legs, and place from the
  // hips; nothing if a direction is missing.
  std::optional<SkeletonMove> whole() const {
    const std::optional<Mat3d> old_frame = frame(from_), new_frame = frame(to_);
    const double old_size = size(from_), new_size = size(to_);
    if (!old_frame || !new_frame || !(old_size > 0) || !(new_size > 0)) return std::nullopt;
    SkeletonMove move;
    move.turn = quat_from_matrix(*new_frame * transposed(*old_frame));
    move.scale = new_size / old_size;
    move.shift = to_.place(hips) - rotate(move.turn, from_.place(hips)) * move.scale;
    return move;
  }

 private:
  // From the hips to where the arms begin.
  Vec3d trunk(const RolePlaces& body) const {
    if (have_pair(upper_arm_l))
      return (body.place(upper_arm_l) + body.place(upper_arm_r)) * 0.5 - body.place(hips);
    for (const JointRole role : {neck, head})
      if (have(role)) return body.place(role) - body.place(hips);
    return {};
  }
  std::optional<Mat3d> frame(const RolePlaces& body) const {
    const Vec3d along = trunk(body);
    Vec3d aside;
    for (const JointRole left : {thigh_l, upper_arm_l})
      if (have_pair(left)) aside += body.place(left) - body.place(right_of(left));
    if (!(length(along) > 0)) return std::nullopt;
    const Vec3d y = normalized(along);
    aside -= y * dot(aside, y);
    if (!(length(aside) > 0)) return std::nullopt;
    const Vec3d x = normalized(aside);
    return Mat3d(x, y, cross(x, y));
  }
  double size(const RolePlaces& body) const {
    double sum = 0;
    for (const std::array<JointRole, 3>& limb :
         {std::array{thigh_l, shin_l, foot_l}, std::array{thigh_r, shin_r, foot_r}}) {
      if (!have(limb[0]) || !have(limb[1]) || !have(limb[2])) continue;
      sum += length(body.place(limb[1]) - body.place(limb[0]));
      sum += length(body.place(limb[2]) - body.place(limb[1]));
    }
    return sum > 0 ? sum : length(trunk(body));
  }

  const RolePlaces& from_;
  const RolePlaces& to_;
};

// Whether it walks on four legs, by the angle between its trunk and its legs.
bool is_four_legged(const RolePlaces& body) {
  Vec3d trunk, legs;
  for (const JointRole arm : {upper_arm_l, upper_arm_r})
    if (body.has(arm)) trunk += body.place(arm) - body.place(hips);
  for (const auto& [thigh, foot] : {std::pair{thigh_l, foot_l}, std::pair{thigh_r, foot_r}})
    if (body.has(thigh) && body.has(foot)) legs += body.place(foot) - body.place(thigh);
  if (!(length(trunk) > 0 && length(legs) > 0)) return false;
  return dot(normalized(trunk), normalized(legs)) > kUprightTrunk;
}

std::vector<Vec3d> places_of(const std::vector<Affined>& world) {
  std::vector<Vec3d> places;
  places.reserve(world.size());
  for (const Affined& one : world) places.push_back(one.translation);
  return places;
}

// Where the limb beyond a joint ends, if that was found: of the fingers of a hand, the one that reaches
// farthest.
std::optional<Vec3d> limb_end(const FoundSkeleton& found, Index joint) {
  std::optional<Vec3d> farthest;
  double most = 0;
  for (std::size_t j = at(joint) + 1; j < found.joints.size(); ++j) {
    if (!found.joints[j].is_end) continue;
    Index up = found.joints[j].parent;
    while (up != kNone && up != joint) up = found.joints[at(up)].parent;
    const double away = length(found.joints[j].at - found.joints[at(joint)].at);
    if (up == joint && away > most) most = away, farthest = found.joints[j].at;
  }
  return farthest;
}

// The world of a laid body, in which its surface is elsewhere if its first mesh is.
Affined world_from_surface(const LaidSkeleton& laid) {
  const Character& character = laid.attached.character;
  return rest_world(character)[at(character.instances[at(laid.joints.surface.instances[0])].node)];
}

Result<FoundSkeleton> find_in_body(const LaidSkeleton& laid, bool is_four_legged,
                                   const std::optional<Vec3d>& up, const Progress& progress) {
  const Affined world = world_from_surface(laid);
  RigOptions options;
  for (const RigTemplate& rig : rig_templates())
    if (rig.name == (is_four_legged ? "quadruped" : "biped")) options.templates.push_back(rig);
  options.can_extract = false;
  if (up) options.up = inverse(world).linear * *up;
  Result<FoundSkeleton> found =
      find_skeleton(laid.joints.surface.points, laid.joints.surface.triangles, options, progress);
  if (!found) return found;
  for (FoundJoint& joint : found->joints) joint.at = world * joint.at;
  found->up = normalized(world.linear * found->up);
  return found;
}

// Gives every role that both have its place, and returns how the whole is carried.
std::optional<SkeletonFitting> fitting_of(const RolePlaces& from, const RolePlaces& to,
                                          const FoundSkeleton& found) {
  const Counterparts both(from, to);
  if (!both.have(hips)) return std::nullopt;
  const std::optional<SkeletonMove> whole = both.whole();
  if (!whole) return std::nullopt;
  SkeletonFitting fitting;
  fitting.whole = *whole;
  fitting.up = found.up;
  for (const JointRole role : kMiddleRoles)
    if (both.have(role)) fitting.places.push_back({from.node(role), to.place(role), true, {}});
  for (const JointRole left : kSidedRoles) {
    for (const JointRole role : {left, right_of(left)}) {
      if (!both.have(role)) continue;
      fitting.places.push_back({from.node(role), to.place(role), false, limb_end(found, to.node(role))});
      if (left == foot_l || left == toe_l) fitting.feet.push_back(from.node(role));
    }
  }
  return fitting;
}

// What Progress hears between the linear steps that put a skeleton into a body.
constexpr const char* kLaying = "laying the skeleton into the body";

// A fit that is missing for a reason that is not an error; stops and lack of memory are.
Result<FitOutcome> none_because(const Error& error) {
  if (error.code != Errc::bad_rig) return error;
  return FitOutcome{std::nullopt, error.sentence};
}

Result<FitOutcome> moved_skeleton(const Character& skeleton, const SkeletonFitting& fitting,
                                  const Progress& progress) {
  Result<FittedSkeleton> fitted = fit_skeleton(skeleton, fitting, progress);
  if (!fitted) return none_because(fitted.error());
  SkeletonInBody in_body;
  in_body.skeleton = std::move(fitted->character);
  in_body.fit.turn = length(log(fitting.whole.turn));
  in_body.fit.scale = fitting.whole.scale;
  in_body.fit.placed_count = fitting.places.size();
  in_body.fit.carried_count = fitted->carried_count;
  in_body.notes = std::move(fitted->notes);
  return FitOutcome{std::move(in_body)};
}

// By roles, to the joints that are found in the body.
Result<FitOutcome> fit_by_roles(const Character& skeleton, const LaidSkeleton& laid,
                                const std::optional<Vec3d>& up, const Progress& progress) {
  const Result<MappedJoints> mapped = map_joints(skeleton, progress.part(0, 0));
  if (!mapped) return none_because(mapped.error());
  const std::vector<Vec3d> old_places = places_of(rest_world(skeleton));
  const RolePlaces from(mapped->roles, old_places);
  const Result<FoundSkeleton> found = find_in_body(laid, is_four_legged(from), up, progress);
  if (!found) return none_because(found.error());
  const Character found_joints = skeleton_character(*found);
  const Result<MappedJoints> found_roles = map_joints(found_joints);
  if (!found_roles) return none_because(found_roles.error());
  const std::vector<Vec3d> new_places = places_of(rest_world(found_joints));
  const RolePlaces to(found_roles->roles, new_places);
  const std::optional<SkeletonFitting> fitting = fitting_of(from, to, *found);
  if (!fitting) return none_because({Errc::bad_rig, "its joints do not show how its trunk is turned"});
  Result<FitOutcome> outcome = moved_skeleton(skeleton, *fitting, progress);
  if (!outcome || !outcome->fitted) return outcome;
  const RigJudgement judgement = judge_skeleton(*found);
  outcome->fitted->fit.how = found->name;
  outcome->fitted->fit.confidence = judgement.confidence;
  if (judgement.confidence < kLeastConfidence) {
    for (const RigDoubt& doubt : judgement.doubts) outcome->fitted->doubts.push_back(doubt.sentence);
  }
  return outcome;
}

// Turns about x worth trying on a skeleton without roles: as it is, and from and to files with z up.
constexpr std::array kBoxTurns{0.0, -kPi / 2, kPi / 2};

// By its box, with the turn that brings most joints into the body; none unless that is half of them.
Result<FitOutcome> fit_by_box(const Character& skeleton, const LaidSkeleton& laid,
                              std::span<const Index> nodes, const Progress& progress) {
  const Affined world = world_from_surface(laid);
  const std::vector<Affined> old_world = rest_world(skeleton);
  Box body;
  for (const Vec3& point : laid.joints.surface.points) body.add(world * Vec3d(point));
  std::optional<SkeletonFitting> best;
  std::size_t least = nodes.size() / 2 + 1;  // half of them may stay outside
  for (const double angle : kBoxTurns) {
    const Quatd turn = quat_from_axis_angle({1, 0, 0}, angle);
    Box joints;
    for (const Index node : nodes) joints.add(rotate(turn, old_world[at(node)].translation));
    if (!(joints.diagonal() > 0)) break;
    SkeletonFitting fitting;
    fitting.whole = {turn, kJointBox * body.diagonal() / joints.diagonal(), {}};
    fitting.whole.shift = body.centre() - joints.centre() * fitting.whole.scale;
    BindSkeleton there = laid.joints.skeleton;
    for (JointSegment& segment : there.segments) {
      const Vec3d& old_place = old_world[at(nodes[at(segment.joint)])].translation;
      segment.from = segment.to = inverse(world) * fitting.whole(old_place);
    }
    const Result<std::vector<Index>> outside = joints_outside(laid.joints.surface, there, progress);
    if (!outside) return outside.error();
    if (outside->size() >= least) continue;
    least = outside->size();
    best = fitting;
  }
  if (!best) return FitOutcome{std::nullopt, "most of its joints would stay outside the body"};
  Result<FitOutcome> outcome = moved_skeleton(skeleton, *best, progress);
  if (outcome && outcome->fitted) outcome->fitted->fit.how = "box";
  return outcome;
}

}  // namespace

Result<JointsInBody> place_joints(const Character& character, std::span<const Index> nodes,
                                  const Progress& progress) {
  if (Status going = progress.at(kLaying, 0); !going) return going.error();
  JointsInBody joints;
  Result<BindSurface> surface = bind_surface(character, progress);
  if (!surface) return surface.error();
  if (Status going = progress.at(kLaying, 0); !going) return going.error();
  joints.surface = std::move(*surface);
  Result<BindSkeleton> skeleton = bind_skeleton(character, joints.surface, nodes, progress);
  if (!skeleton) return skeleton.error();
  joints.skeleton = std::move(*skeleton);
  Result<std::vector<Index>> outside = joints_outside(joints.surface, joints.skeleton, progress);
  if (!outside) return outside.error();
  joints.outside = std::move(*outside);
  return joints;
}

Result<LaidSkeleton> lay_skeleton(const Character& body, const Character& skeleton,
                                  std::span<const Index> nodes, const AttachOptions& options,
                                  const Progress& progress) {
  if (Status going = progress.at(kLaying, 0); !going) return going.error();
  Result<AttachedBody> attached = attach_skeleton(body, skeleton, options);
  if (!attached) return attached.error();
  std::vector<Index> moved(nodes.begin(), nodes.end());
  for (Index& node : moved) node += attached->first_node;
  Result<JointsInBody> joints = place_joints(attached->character, moved, progress);
  if (!joints) return joints.error();
  return LaidSkeleton{std::move(*attached), std::move(*joints)};
}

Result<FitOutcome> fit_to_body(const Character& skeleton, const LaidSkeleton& laid,
                               std::span<const Index> nodes, const std::optional<Vec3d>& up,
                               const Progress& progress) {
  Result<FitOutcome> by_roles = fit_by_roles(skeleton, laid, up, progress);
  if (!by_roles || by_roles->fitted) return by_roles;
  Result<FitOutcome> by_box = fit_by_box(skeleton, laid, nodes, progress);
  if (by_box && !by_box->fitted)
    by_box->reason = fmt::format("{}; and as a box, {}", by_roles->reason, by_box->reason);
  return by_box;
}

}  // namespace dermis
