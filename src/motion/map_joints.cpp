// SPDX-License-Identifier: MIT
// Combines limbs found by name and by structure, and fills in trunk, neck and head between them.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>

#include "motion/parts.h"

namespace dermis {
namespace {

using enum JointRole;

bool has_pair(const RoleMap& roles, JointRole left) {
  return roles.first(left) != kNone && roles.first(mirrored(left)) != kNone;
}

// The first joint without a side that has one of the words.
Index named(const Skeleton& skeleton, std::initializer_list<std::string_view> words) {
  for (const Index node : skeleton.order()) {
    const SpokenName& name = skeleton.name(node);
    if (name.side < 0 && !name.is_helper && std::find(words.begin(), words.end(), name.word) != words.end())
      return node;
  }
  return kNone;
}

class TrunkMapper {
 public:
  TrunkMapper(const Skeleton& skeleton, RoleMap& roles) : skeleton_(skeleton), roles_(roles) {}

  void map() {
    const Index named_head = named(skeleton_, {"head"});
    Index chest = has_pair(roles_, upper_arm_l)
                      ? skeleton_.common(roles_.first(upper_arm_l), roles_.first(upper_arm_r))
                      : named(skeleton_, {"upperchest", "chest", "spine"});
    Index hips = has_pair(roles_, thigh_l) ? skeleton_.common(roles_.first(thigh_l), roles_.first(thigh_r))
                                           : named(skeleton_, {"hips", "pelvis", "hip", "root"});
    // One joint may be both if legs and arms are attached to it; if they are on separate branches, hips come
    // above both.
    if (hips != kNone && chest != kNone && !skeleton_.is_below(chest, hips)) {
      hips = skeleton_.common(hips, chest);
      if (hips == chest) chest = kNone;
    }
    if (hips == kNone || !skeleton_.is_joint(hips)) return;
    roles_.of(JointRole::hips) = {hips};
    if (chest != kNone) roles_.of(spine) = skeleton_.path(hips, chest);
    map_head(chest != kNone ? chest : hips, named_head);
  }

 private:
  bool is_taken(Index node) const {
    return std::any_of(roles_.joints.begin(), roles_.joints.end(), [&](const std::vector<Index>& list) {
      return std::any_of(list.begin(), list.end(),
                         [&](Index joint) { return joint == node || skeleton_.is_below(joint, node); });
    });
  }

  void map_head(Index chest, Index head_joint) {
    std::vector<Index> way = skeleton_.path(chest, head_joint);
    if (way.empty()) {
      // The branch above the arms without limbs, the longest if there are several.
      double longest = 0;
      Index first = kNone;
      for (const Index child : skeleton_.children(chest)) {
        const double reach = skeleton_.reach(child) + skeleton_.length_between(chest, child);
        if (!is_taken(child) && reach > longest) longest = reach, first = child;
      }
      if (first != kNone) way = skeleton_.main_chain(first);
      // Jaws and eyes are not the head: a neck seldom has more than three joints.
      constexpr std::size_t kMostNeck = 4;
      if (way.size() > kMostNeck) way.resize(kMostNeck);
    }
    if (way.empty()) return;
    roles_.of(head) = {way.back()};
    way.pop_back();
    roles_.of(neck) = way;
  }

  const Skeleton& skeleton_;
  RoleMap& roles_;
};

// True if a leg found by its shape goes up by more than this fraction of its length: it is then another part
// of the body. Bodies that lie down, or files with another up axis, do not trigger this.
bool has_raised_leg(const Skeleton& skeleton, const RoleMap& roles) {
  constexpr double kRaised = 0.3;
  for (const int side : {0, 1}) {
    const Index thigh = roles.first(on_side(thigh_l, side)), foot = roles.first(on_side(foot_l, side));
    if (thigh == kNone || foot == kNone) continue;
    const Vec3d way = skeleton.place(foot) - skeleton.place(thigh);
    if (way.y > kRaised * length(way)) return true;
  }
  return false;
}

// ---- Equal names ----------------------------------------------------------------------------------------

// Two skeletons are of one kind if at least this fraction of the smaller one's joints have the same names,
// and parents with the same names, as joints of the other.
constexpr double kSameNames = 0.75;

// For each joint of the source, the target joint with the same name, or kNone; empty for skeletons of
// different kinds.
std::vector<Index> equal_names(const Skeleton& source, const Skeleton& target) {
  std::unordered_map<std::string_view, Index> by_name;
  std::size_t source_count = 0, target_count = 0, shared = 0;
  for (const Index node : target.order()) {
    by_name.emplace(target.character().nodes[at(node)].name, node);
    target_count += target.name(node).is_helper ? 0 : 1;
  }
  std::vector<Index> twin(source.character().nodes.size(), kNone);
  for (const Index node : source.order()) {
    const std::string& name = source.character().nodes[at(node)].name;
    const auto found = by_name.find(name);
    const Index parent = source.parent(node);
    const bool is_top = parent == kNone || !source.is_joint(parent);
    source_count += source.name(node).is_helper ? 0 : 1;
    if (name.empty() || found == by_name.end() ||
        (!is_top && twin[at(parent)] != target.parent(found->second)))
      continue;
    twin[at(node)] = found->second;
    shared += source.name(node).is_helper ? 0 : 1;
  }
  const auto fewer = static_cast<double>(std::min(source_count, target_count));
  if (static_cast<double>(shared) < kSameNames * fewer || shared < 2) twin.clear();
  return twin;
}

// The roles, transferred to the joints' twins.
RoleMap roles_of_twins(const RoleMap& roles, const std::vector<Index>& twin) {
  RoleMap other;
  for (std::size_t r = 0; r < kRoleCount; ++r) {
    for (const Index joint : roles.joints[r]) {
      if (twin[at(joint)] != kNone) other.joints[r].push_back(twin[at(joint)]);
    }
  }
  return other;
}

// ---- Parts ----------------------------------------------------------------------------------------------

// Hands, tails and chains; none if nothing corresponds. If one of them is a body, equal names map them
// better.
std::optional<MappedMotion> map_parts(const Skeleton& from, const Skeleton& to, bool is_one_a_body) {
  if (is_one_a_body && !equal_names(from, to).empty()) return std::nullopt;
  MappedMotion mapped;
  mapped.map.pairs = pair_parts(from, to);
  if (mapped.map.pairs.empty()) return std::nullopt;
  mapped.notes.push_back(
      {Note::Kind::guess, "mapped-by-parts",
       fmt::format("no body with hips is found in both; {} of hands or chains correspond, and "
                   "only rotations are carried over",
                   counted(mapped.map.pairs.size(), "joint", "joints"))});
  return mapped;
}

// No joint plays two roles: a role of one joint comes before a chain, and an earlier one before a later one.
void drop_repeats(RoleMap& roles) {
  std::set<Index> taken;
  for (const bool is_chain : {false, true}) {
    for (std::size_t r = 0; r < kRoleCount; ++r) {
      if (joint_roles()[r].is_chain != is_chain) continue;
      std::erase_if(roles.joints[r], [&](Index joint) { return !taken.insert(joint).second; });
    }
  }
}

// Joints that drivers turn follow the others.
void leave_out_driven(const Character& character, RoleMap& roles) {
  const std::vector<NodeParts> driven = driven_parts(character);
  if (driven.empty()) return;
  for (std::vector<Index>& joints : roles.joints)
    std::erase_if(joints, [&](Index joint) { return driven[at(joint)].rotation; });
}

Result<MappedJoints> map_skeleton(const Skeleton& skeleton, const Progress& progress) {
  if (Status going = progress.at(kMappingJoints, 0); !going) return going.error();
  MappedJoints mapped;
  map_limbs_by_name(skeleton, mapped.roles);
  if (!has_pair(mapped.roles, thigh_l) && !has_pair(mapped.roles, upper_arm_l)) {
    mapped.roles = {};
    mapped.is_by_structure = true;
    if (Status found = map_limbs_by_structure(skeleton, mapped.roles, mapped.notes, progress); !found)
      return found.error();
  }
  TrunkMapper(skeleton, mapped.roles).map();
  leave_out_driven(skeleton.character(), mapped.roles);
  drop_repeats(mapped.roles);
  if (mapped.roles.first(hips) == kNone || mapped.roles.count() < 2) {
    return Error{Errc::bad_rig,
                 "no body is found in the joints: names identify no hips and limbs, and no two pairs of "
                 "branches are similar"}
        .with_remedy("map");
  }
  if (mapped.is_by_structure && has_raised_leg(skeleton, mapped.roles)) {
    return Error{Errc::bad_rig, "names identify no limbs, and what is shaped like a leg ends above the hips"}
        .with_remedy("map");
  }
  return mapped;
}

Result<MappedMotion> map_skeletons(const Skeleton& from_tree, const Skeleton& to_tree,
                                   const Progress& progress) {
  const Character &source = from_tree.character(), &target = to_tree.character();
  Result<MappedJoints> from = map_skeleton(from_tree, progress.part(0, 0.4));
  Result<MappedJoints> to = map_skeleton(to_tree, progress.part(0.4, 0.8));
  if (Status going = progress.at(kMappingJoints, 0.8); !going) return going.error();
  if (!from || !to) {
    if (std::optional<MappedMotion> parts = map_parts(from_tree, to_tree, from.ok() != to.ok()))
      return *parts;
  }
  if (!from) return prefixed("the motion", from.error());
  if (from->is_by_structure || !to || to->is_by_structure) {
    const std::vector<Index> twin = equal_names(from_tree, to_tree);
    if (!twin.empty()) to = MappedJoints{roles_of_twins(from->roles, twin), from->is_by_structure, {}};
  }
  if (!to) return prefixed("the character", to.error());
  MappedMotion mapped;
  mapped.map.source = std::move(from->roles);
  mapped.map.target = std::move(to->roles);
  mapped.notes = from->notes;
  mapped.notes.insert(mapped.notes.end(), to->notes.begin(), to->notes.end());
  if (from->is_by_structure || to->is_by_structure) {
    mapped.notes.push_back(
        {Note::Kind::guess, "mapped-by-structure",
         fmt::format("joint names of {} identify no limbs; limbs were found by their shape",
                     !to->is_by_structure     ? "the motion"
                     : !from->is_by_structure ? "the character"
                                              : "both files")});
  }
  std::unordered_map<std::string_view, Index> by_name;
  for (const Index node : joints_without_role(from_tree, mapped.map.source))
    by_name.emplace(source.nodes[at(node)].name, node);
  const std::vector<NodeParts> driven = driven_parts(target);
  for (const Index node : joints_without_role(to_tree, mapped.map.target)) {
    if (!driven.empty() && driven[at(node)].rotation) continue;
    const auto found = by_name.find(target.nodes[at(node)].name);
    if (found == by_name.end() || found->first.empty()) continue;
    mapped.map.pairs.emplace_back(found->second, node);
  }
  return mapped;
}

}  // namespace

Result<MappedJoints> map_joints(const Character& character, const Progress& progress) {
  return without_throwing(kMappingJoints, [&] { return map_skeleton(Skeleton(character), progress); });
}

Result<MappedMotion> map_motion(const Character& source, const Character& target, const Progress& progress) {
  return without_throwing(kMappingJoints, [&]() -> Result<MappedMotion> {
    const Skeleton from(source);
    if (Status going = progress.at(kMappingJoints, 0); !going) return going.error();
    return map_skeletons(from, Skeleton(target), progress);
  });
}

}  // namespace dermis
