// SPDX-License-Identifier: MIT
// A skeleton as the mapping of joints sees it: its tree, and what the names in it say.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dermis/motion.h"

namespace dermis {

// The same role on the other side; roles of the middle stay.
JointRole mirrored(JointRole role);
inline constexpr int kRolesOfSide = 13, kFirstLeft = 4;
// The role on side 0 (left) or 1 (right) for one of the left.
inline JointRole on_side(JointRole left, int side) {
  return static_cast<JointRole>(static_cast<int>(left) + side * kRolesOfSide);
}

// The only node right below `node`; kNone where there are none or several.
Index only_child(const Character& character, Index node);

// A name taken apart: "mixamorig:LeftHandIndex1" is left, "handindex", {1}.
struct SpokenName {
  int side = -1;     // 0 left, 1 right, -1 not said
  std::string word;  // lower case, without side, numbers and what rigs put before every name
  std::vector<std::string> numbers;
  bool is_helper = false;  // control, twist, end: no part of a body by itself
  // Of a leg that says whether it is a front or a hind one: 0 front, 1 hind, and the word without that.
  int pair = -1;
  std::string leg_word;
};
SpokenName spoken_name(std::string_view name);

// The tree of a character's joints at rest.
class Skeleton {
 public:
  explicit Skeleton(const Character& character);

  const Character& character() const { return character_; }
  const std::vector<Index>& order() const { return order_; }  // joints, parents first
  bool is_joint(Index node) const { return is_joint_[at(node)]; }
  const SpokenName& name(Index node) const { return names_[at(node)]; }
  const Vec3d& place(Index node) const { return place_[at(node)]; }
  // Joints right below, helpers left out.
  const std::vector<Index>& children(Index node) const { return children_[at(node)]; }
  // The longest way down from a joint.
  double reach(Index node) const { return reach_[at(node)]; }
  double size() const { return size_; }
  Index parent(Index node) const { return character_.nodes[at(node)].parent; }

  bool is_below(Index node, Index ancestor) const;
  // The lowest node above or at both; kNone: they share none.
  Index common(Index a, Index b) const;
  // From below `from` down to `to`; empty unless `to` lies below.
  std::vector<Index> path(Index from, Index to) const;
  // Joint after joint into the branch with the longest way, from `node` itself.
  std::vector<Index> main_chain(Index node) const;
  double length_between(Index a, Index b) const { return length(place(a) - place(b)); }

 private:
  const Character& character_;
  std::vector<bool> is_joint_;
  std::vector<SpokenName> names_;
  std::vector<Vec3d> place_;
  std::vector<std::vector<Index>> children_;
  std::vector<double> reach_;
  std::vector<Index> order_;
  double size_ = 0;
};

// Roles that names tell, limbs only, into `roles`. Where names tell four legs, hind legs are legs and front
// legs arms.
void map_limbs_by_name(const Skeleton& skeleton, RoleMap& roles);
// The two pairs of like branches as legs and arms; sides as names say or feet point, or by `notes` a guess. A
// pair lies on both sides where names say sides, and else one branch is the mirror image of the other.
void map_limbs_by_structure(const Skeleton& skeleton, RoleMap& roles, Notes& notes);

// Joints without a role, controls and helpers included.
std::vector<Index> joints_without_role(const Skeleton& skeleton, const RoleMap& roles);
// The roles that both sides have, each side's joints; fingers only where both have about as many joints.
MotionMap shared_roles(const MotionMap& map);
// Says which joints of either side have no counterpart; of the target's, `carried` ones move all the same.
void note_unmapped(const Character& source, const Character& target, const MotionMap& map,
                   std::span<const Index> carried, Notes& notes);

}  // namespace dermis
