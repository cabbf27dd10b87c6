// SPDX-License-Identifier: MIT
// A skeleton for joint mapping: its tree, and the meaning of its names.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dermis/motion.h"

namespace dermis {

// The stage that Progress reports while joints are mapped.
inline constexpr const char* kMappingJoints = "mapping joints";

// The same role on the other side; roles without a side are unchanged.
JointRole mirrored(JointRole role);
inline constexpr int kRolesOfSide = 13, kFirstLeft = 4;
// The role on side 0 (left) or 1 (right) that corresponds to a left role.
inline JointRole on_side(JointRole left, int side) {
  return static_cast<JointRole>(static_cast<int>(left) + side * kRolesOfSide);
}

// The only child of `node`; kNone if there are none or several.
Index only_child(const Character& character, Index node);

// A parsed name: "mixamorig:LeftHandIndex1" is left, "handindex", {1}.
struct SpokenName {
  int side = -1;     // 0 left, 1 right, -1 unknown
  std::string word;  // lower case, without side, numbers and the prefixes of rigs
  std::vector<std::string> numbers;
  bool is_helper = false;  // control, twist, end: not a body part itself
  // For a leg named as front or hind: 0 front, 1 hind, and the word without that.
  int pair = -1;
  std::string leg_word;
};
// `owner`: a first word to leave out, the name of the character.
SpokenName spoken_name(std::string_view name, std::string_view owner = {});

// The tree of a character's joints at rest.
class Skeleton {
 public:
  explicit Skeleton(const Character& character);

  const Character& character() const { return character_; }
  const std::vector<Index>& order() const { return order_; }  // joints, parents first
  bool is_joint(Index node) const { return is_joint_[at(node)]; }
  const SpokenName& name(Index node) const { return names_[at(node)]; }
  const Vec3d& place(Index node) const { return place_[at(node)]; }
  // Child joints, without helpers.
  const std::vector<Index>& children(Index node) const { return children_[at(node)]; }
  // The length of the longest path down from a joint.
  double reach(Index node) const { return reach_[at(node)]; }
  // Joints from `node` down along `children`, with itself.
  std::size_t joint_count(Index node) const { return joint_count_[at(node)]; }
  double size() const { return size_; }
  Index parent(Index node) const { return character_.nodes[at(node)].parent; }

  // False for the node itself, and if one of them is kNone. Constant time.
  bool is_below(Index node, Index ancestor) const;
  // The lowest common ancestor, which may be one of them; kNone if there is none.
  Index common(Index a, Index b) const;
  // The nodes below `from` down to `to`; empty unless `to` is a descendant.
  std::vector<Index> path(Index from, Index to) const;
  // The chain from `node` on that always follows the longest branch; its size, in constant time.
  std::vector<Index> main_chain(Index node) const;
  std::size_t chain_size(Index node) const { return chain_size_[at(node)]; }
  double length_between(Index a, Index b) const { return length(place(a) - place(b)); }

 private:
  // From the ends of the branches up: their lengths, counts and main chains.
  void measure_branches();

  const Character& character_;
  std::vector<bool> is_joint_;
  std::vector<SpokenName> names_;
  std::vector<Vec3d> place_;
  std::vector<std::vector<Index>> children_;
  std::vector<double> reach_;
  std::vector<Index> next_;  // along the longest branch; kNone at its end
  std::vector<std::size_t> joint_count_, chain_size_;
  Subtrees subtrees_;
  std::vector<Index> order_;
  double size_ = 0;
};

// Finds limb roles by name and writes them to `roles`. If names identify four legs, hind legs are legs and
// front legs arms.
void map_limbs_by_name(const Skeleton& skeleton, RoleMap& roles);
// Uses the two pairs of similar branches as legs and arms. Sides follow names or the direction of the feet;
// otherwise they are guessed, with a note. A pair is on both sides if names contain sides; otherwise one
// branch must mirror the other. Fails only with cancelled.
Status map_limbs_by_structure(const Skeleton& skeleton, RoleMap& roles, Notes& notes,
                              const Progress& progress);

// The joints at which names first say right, parents first, by the words and numbers of these names.
using RightBranches = std::map<std::pair<std::string, std::vector<std::string>>, std::vector<Index>>;
RightBranches right_branches(const Skeleton& skeleton);

// Joints without a role, including controls and helpers.
std::vector<Index> joints_without_role(const Skeleton& skeleton, const RoleMap& roles);
// The roles that both skeletons have, with each one's joints; fingers only if both have similar joint counts.
MotionMap shared_roles(const MotionMap& map);
// Notes which joints of either skeleton have no counterpart; `carried` joints of the target move anyway.
void note_unmapped(const Character& source, const Character& target, const MotionMap& map,
                   std::span<const Index> carried, Notes& notes);

}  // namespace dermis
