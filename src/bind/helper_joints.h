// SPDX-License-Identifier: MIT
// What helper joints need of a skeleton, and the weights they get.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bind/weights_rows.h"
#include "dermis/bind.h"
#include "dermis/motion.h"

namespace dermis {

// From a joint to where its limb continues.
struct HelperBone {
  Index end = kNone;
  Vec3d along;        // from the joint to the end, in the joint's frame at rest
  double sign = 1;    // -1: one of both frames is mirrored, so that they count angles in opposite directions
  Vec3d axis_of_end;  // the direction of the bone in the frame of the end; unit
};

// A skeleton with its limbs and its helper joints so far. Refers to the character, which may grow.
class HelperSkeleton {
 public:
  explicit HelperSkeleton(const Character& character, const Progress& progress = {});

  // Fails if mapping the limbs did not end: a skeleton without limbs is fine.
  const Status& mapped() const { return mapped_; }
  std::optional<JointRole> role_of(Index node) const;
  // To the next joint of a limb; else to the child joint with most joints below it. None if there is none at
  // another place.
  std::optional<HelperBone> bone_of(Index joint) const;
  // The nearest joint above whose bone points follow.
  Index above(Index joint) const;
  bool has_weight(Index node) const { return at(node) < has_weight_.size() && has_weight_[at(node)]; }
  bool is_joint(Index node) const { return at(node) < is_joint_.size() && is_joint_[at(node)]; }
  // True if a driver moves it.
  bool is_driven(Index node) const;
  const Affined& world(Index node) const { return world_[at(node)]; }
  // The helper joints of a kind that a joint has, by their names.
  std::vector<Index> helpers_of(Index joint, HelperKind kind) const;
  // A joint and its twist joints: together they are its bone.
  std::vector<Index> family_of(Index joint) const;
  TwistSpread spread_of(Index joint, const HelperBone& bone) const;

 private:
  const Character& character_;
  std::vector<Affined> world_;
  std::vector<bool> is_joint_, has_weight_;
  std::vector<std::size_t> joints_below_;
  std::optional<RoleMap> roles_;
  Status mapped_ = Done{};
};

// What the names of helpers of a joint begin with: "forearm_L_twist".
std::string helper_stem(const Character& character, Index joint, HelperKind kind);

// ---- Weights ----

// The twist that a place along a bone shows, as a share of the whole: from nothing to all.
inline double twist_share(int station, int count) {
  return static_cast<double>(station) / static_cast<double>(count + 1);
}

// The rows of all meshes while helper joints take weight. Skins may grow meanwhile, at their ends.
class HelperRows {
 public:
  explicit HelperRows(Character& character);

  // How much weight `joints` have in all rows.
  double weight_of(std::span<const Index> joints) const;
  // How much weight rows have that both families share.
  double shared_weight(std::span<const Index> above, std::span<const Index> below) const;

  // A half-angle joint, from the bones that it is between.
  void take_half(std::span<const Index> above, std::span<const Index> below, Index half);
  // A joint in the middle of a bone: `along` in the frame of `joint`.
  void take_bulge(Index joint, const Vec3d& along, std::span<const Index> family, Index bulge);
  // A joint in the middle of what follows `family`.
  void take_breath(std::span<const Index> family, Index breath);
  // Twist joints, evenly along the bone: the weight of `joint` goes to the two nearest. Station k of the bone
  // is twists[k - 1]; 0 and the one after the last are the joint itself. kNone for stations that are not
  // used.
  void take_twist(Index joint, const Vec3d& along, TwistSpread spread, std::span<const Index> twists);
  // Which of these stations, from 0, would get weight.
  std::vector<bool> used_stations(Index joint, const Vec3d& along, TwistSpread spread, int count) const;
  // Where the points that follow `family` are, by weight, in the frame of `joint`; none if there are none.
  std::optional<Vec3d> middle_of(Index joint, std::span<const Index> family) const;

  // Cuts rows that are too long and writes them to the meshes.
  Status finish(AddedHelpers& added, const Progress& progress);

 private:
  struct MeshRows {
    Index mesh = kNone, skin = kNone;
    std::vector<LooseRow> rows;
    std::vector<bool> is_changed;
    std::size_t longest = 0;
  };
  // Slots of a mesh's skin: whether each is one of `joints`.
  std::vector<bool> slots_of(const MeshRows& mesh, std::span<const Index> joints) const;
  // The slot of a joint in the skin of a mesh, and kNone if the skin does not have it.
  Index slot_of(const MeshRows& mesh, Index joint) const;
  // `helper` takes a share of the weights of `taken` in each row: share(mesh, v, sum of these weights).
  template <class Share>
  void take_share(std::span<const Index> taken, Index helper, const Share& share);

  Character& character_;
  std::vector<MeshRows> meshes_;
  Notes notes_;
};

}  // namespace dermis
