// SPDX-License-Identifier: MIT
// A skeleton that is straightened joint by joint, and the parts of that which bodies on two and four legs
// share.
#pragma once

#include "motion/reference.h"

namespace dermis {

// World turns of joints from their rest; joints without their own follow their parents.
class Turning {
 public:
  Turning(const Character& character, const RoleMap& roles);

  const Character& character() const { return character_; }
  const RoleMap& roles() const { return roles_; }
  const std::vector<Vec3d>& places() const { return places_; }
  Vec3d place(Index node) const { return places_[at(node)]; }
  // Unit, at rest; zero if one is kNone or both are at one place.
  Vec3d bone(Index from, Index to) const;
  // The mean place of the children that end a chain: nodes called end or tip, or one joint without a role.
  std::optional<Vec3d> tip_of(Index node) const;
  bool is_joint(Index node) const { return is_joint_[at(node)]; }  // of a skin
  Index parent(Index node) const { return character_.nodes[at(node)].parent; }

  Quatd turn_of(Index node) const;
  void set(Index node, const Quatd& turn) {
    turns_[at(node)] = normalized(turn);
    is_set_[at(node)] = true;
  }
  // The node's turn, then the shortest one that points `bone` (at rest) there.
  void point(Index node, const Vec3d& bone, const Vec3d& to);
  // The turns of all nodes, and where they end up; roots keep their places.
  std::vector<Quatd> all_turns() const;
  std::vector<Vec3d> turned_places() const;

 private:
  const Character& character_;
  const RoleMap& roles_;
  std::vector<Vec3d> places_;
  std::vector<bool> is_joint_, has_role_;
  std::vector<Quatd> turns_;
  std::vector<bool> is_set_;
};

// The shortest turn after `turn` that points `bone` there; `turn` if the bone has no direction.
Quatd swung(const Quatd& turn, const Vec3d& bone, const Vec3d& to);
// The rotation that maps the first direction exactly and the second as nearly as possible.
Quatd frame_turn(const Vec3d& first, const Vec3d& second, const Vec3d& first_to, const Vec3d& second_to);
// The angle from `from` to `to` about a unit axis.
double angle_around(const Vec3d& axis, const Vec3d& from, const Vec3d& to);
// 0 below `least`, 1 above `most`, smooth in between.
double rise_between(double least, double most, double value);

// The points of the rest surface that follow each of `tops` or what is below it, up to the next top, firmly;
// if these are few, those that follow it more than anything else. In world space.
std::vector<std::vector<Vec3d>> points_of_parts(const Character& character, std::span<const Index> tops);
// By how much points, turned, must be turned further about the axis from `up` to `ahead` (radians, ahead goes
// down) so that their underside is level: the longest nearly straight edge below them, seen from the side. 0
// if it is level already; nullopt if there is no edge as long as a good part of them.
std::optional<double> level_turn(std::span<const Vec3d> points, const Quatd& turn, const Vec3d& ahead,
                                 const Vec3d& up);

void straighten_animal(const BodyAxes& axes, Turning& body);
// Both feet of a person, after the shins.
void straighten_feet(const BodyAxes& axes, Turning& body, std::vector<Index>& levelled);

}  // namespace dermis
