// SPDX-License-Identifier: MIT
// Forward kinematics from world rotations, for bodies that are being retargeted.
#include "motion/moved_body.h"

#include <algorithm>

namespace dermis {

std::vector<CarriedJoint> carried_joints(const Character& target, const RoleMap& roles,
                                         const ReferencePose& reference) {
  using enum JointRole;
  constexpr std::pair<JointRole, JointRole> kEnds[] = {
      {forearm_l, hand_l}, {shin_l, foot_l}, {foot_l, toe_l}};
  const Skeleton skeleton(target);
  std::vector<CarriedJoint> carried;
  for (const auto& [above, end] : kEnds) {
    for (const int side : {0, 1}) {
      const Index carrier = roles.first(on_side(above, side)), joint = roles.first(on_side(end, side));
      if (carrier == kNone || joint == kNone || skeleton.is_below(joint, carrier)) continue;
      const Quatd back = conjugate(reference.rotation[at(carrier)]);
      carried.push_back({joint, carrier,
                         rotate(back, reference.place[at(joint)] - reference.place[at(carrier)]),
                         normalized(back * reference.rotation[at(joint)])});
    }
  }
  return carried;
}

MovedBody::MovedBody(const Character& target, const std::vector<Index>& moved, Index hips,
                     std::vector<CarriedJoint> carried)
    : target_(target),
      carried_(std::move(carried)),
      moved_(moved),
      slot_of_(target.nodes.size(), kNone),
      ride_of_(target.nodes.size(), kNone),
      hips_(hips),
      rest_(target.nodes.size()),
      world_(target.nodes.size()),
      turn_(target.nodes.size()) {
  for (std::size_t k = 0; k < moved.size(); ++k) slot_of_[at(moved[k])] = static_cast<Index>(k);
  find_order();
  for (std::size_t n = 0; n < rest_.size(); ++n) {
    const Node& node = target.nodes[n];
    // A moved joint uses the nearest TRS instead of its rest matrix, as posing does.
    const bool has_matrix = node.rest_matrix && slot_of_[n] == kNone && ride_of_[n] == kNone;
    rest_[n].local = has_matrix ? Affined(*node.rest_matrix) : affine_from_transform(node.rest);
    rest_[n].turn = has_matrix ? rotation_of(rest_[n].local.linear) : normalized(Quatd(node.rest.rotation));
  }
}

void MovedBody::find_order() {
  const auto is_above = [&](Index above, Index node) {
    for (; node != kNone; node = target_.nodes[at(node)].parent) {
      if (node == above) return true;
    }
    return false;
  };
  // A user's map may name an ancestor of a limb as its end: that cannot be carried.
  std::erase_if(carried_, [&](const CarriedJoint& ride) { return is_above(ride.joint, ride.carrier); });
  for (std::size_t k = 0; k < carried_.size(); ++k) ride_of_[at(carried_[k].joint)] = static_cast<Index>(k);
  std::vector<bool> is_placed(target_.nodes.size());
  const std::vector<Index> parents_before = parents_first(target_.nodes);
  while (order_.size() < parents_before.size()) {
    const std::size_t before = order_.size();
    for (const Index node : parents_before) {
      const Index parent = target_.nodes[at(node)].parent;
      const CarriedJoint* ride = carried_at(node);
      const bool is_late =
          (parent != kNone && !is_placed[at(parent)]) || (ride != nullptr && !is_placed[at(ride->carrier)]);
      if (is_placed[at(node)] || is_late) continue;
      is_placed[at(node)] = true;
      order_.push_back(node);
    }
    // Joints that carry each other in a cycle keep their parents.
    if (order_.size() == before) {
      carried_.clear();
      std::fill(ride_of_.begin(), ride_of_.end(), kNone);
    }
  }
}

void MovedBody::pose(const BodyFramePose& frame) {
  for (const Index node : order_) {
    const std::size_t n = at(node);
    const Index parent = target_.nodes[n].parent;
    const Affined above = parent == kNone ? Affined{} : world_[at(parent)];
    const Quatd above_turn = parent == kNone ? Quatd{} : turn_[at(parent)];
    const CarriedJoint* ride = carried_at(node);
    Affined local = rest_[n].local;
    if (slot_of_[n] == kNone && ride == nullptr) {
      turn_[n] = above_turn * rest_[n].turn;
    } else {
      turn_[n] = slot_of_[n] != kNone ? frame.rotation[at(slot_of_[n])]
                                      : normalized(turn_[at(ride->carrier)] * ride->turn);
      local.linear = matrix_from_quat(normalized(conjugate(above_turn) * turn_[n])) *
                     diagonal(Vec3d(target_.nodes[n].rest.scale));
    }
    world_[n] = above * local;
    if (ride != nullptr)
      world_[n].translation = place(ride->carrier) + rotate(turn_[at(ride->carrier)], ride->place);
    if (node == hips_) world_[n].translation = frame.hips;
  }
}

Quatd MovedBody::local_rotation(Index node) const {
  const Index parent = target_.nodes[at(node)].parent;
  return normalized(parent == kNone ? turn_[at(node)] : conjugate(turn_[at(parent)]) * turn_[at(node)]);
}

Vec3d MovedBody::local_translation(Index node) const {
  const Index parent = target_.nodes[at(node)].parent;
  return parent == kNone ? place(node) : inverse(world_[at(parent)]) * place(node);
}

Vec3d MovedBody::bone(Index joint, Index below) const {
  if (const CarriedJoint* ride = carried_at(below); ride != nullptr && ride->carrier == joint)
    return ride->place;
  Vec3d point;
  Index node = below;
  for (; node != joint && node != kNone; node = target_.nodes[at(node)].parent)
    point = rest_[at(node)].local * point;
  return node == joint ? point : Vec3d{};
}

}  // namespace dermis
