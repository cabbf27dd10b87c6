// SPDX-License-Identifier: MIT
// Forward kinematics from world rotations, for bodies that are being retargeted.
#include "motion/moved_body.h"

namespace dermis {

MovedBody::MovedBody(const Character& target, const std::vector<Index>& moved, Index hips)
    : target_(target),
      moved_(moved),
      slot_of_(target.nodes.size(), kNone),
      hips_(hips),
      rest_(target.nodes.size()),
      world_(target.nodes.size()),
      turn_(target.nodes.size()) {
  for (std::size_t k = 0; k < moved.size(); ++k) slot_of_[at(moved[k])] = static_cast<Index>(k);
  order_ = parents_first(target.nodes);
  for (std::size_t n = 0; n < rest_.size(); ++n) {
    const Node& node = target.nodes[n];
    // A moved joint leaves its rest matrix for the nearest TRS, as posing does.
    const bool has_matrix = node.rest_matrix && slot_of_[n] == kNone;
    rest_[n].local = has_matrix ? Affined(*node.rest_matrix) : affine_from_transform(node.rest);
    rest_[n].turn = has_matrix ? rotation_of(rest_[n].local.linear) : normalized(Quatd(node.rest.rotation));
  }
}

void MovedBody::pose(const BodyFramePose& frame) {
  for (const Index node : order_) {
    const std::size_t n = at(node);
    const Index parent = target_.nodes[n].parent;
    const Affined above = parent == kNone ? Affined{} : world_[at(parent)];
    const Quatd above_turn = parent == kNone ? Quatd{} : turn_[at(parent)];
    Affined local = rest_[n].local;
    if (slot_of_[n] == kNone) {
      turn_[n] = above_turn * rest_[n].turn;
    } else {
      turn_[n] = frame.rotation[at(slot_of_[n])];
      local.linear = matrix_from_quat(normalized(conjugate(above_turn) * turn_[n])) *
                     diagonal(Vec3d(target_.nodes[n].rest.scale));
    }
    world_[n] = above * local;
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
  Vec3d point;
  Index node = below;
  for (; node != joint && node != kNone; node = target_.nodes[at(node)].parent)
    point = rest_[at(node)].local * point;
  return node == joint ? point : Vec3d{};
}

}  // namespace dermis
