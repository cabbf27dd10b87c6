// SPDX-License-Identifier: MIT
// Where the bones of a skin are in its bind pose.
#include "measure/bind_bones.h"

#include <algorithm>
#include <cmath>

namespace dermis {

BindBones::BindBones(const Character& character, Index skin_index) {
  const Skin& skin = character.skins[at(skin_index)];
  const std::vector<Index> parents = parent_slots(character, skin);
  place_.reserve(skin.node.size());
  for (const Affine& bind : skin.inverse_bind) place_.push_back(inverse(Affined(bind)).translation);
  ends_.resize(skin.node.size());
  for (std::size_t s = 0; s < skin.node.size(); ++s) {
    if (parents[s] != kNone && is_known(static_cast<Index>(s))) ends_[at(parents[s])].push_back(place_[s]);
  }
}

Vec3d BindBones::offset(const Vec3d& point, Index slot) const {
  const Vec3d from = point - place_[at(slot)];
  Vec3d least = from;
  for (const Vec3d& end : ends_[at(slot)]) {
    const Vec3d bone = end - place_[at(slot)];
    const double squared = dot(bone, bone);
    const double along = squared > 0 ? std::clamp(dot(from, bone) / squared, 0.0, 1.0) : 0;
    const Vec3d off = from - bone * along;
    if (dot(off, off) < dot(least, least)) least = off;
  }
  return least;
}

BindBones::Near BindBones::nearest(const Vec3d& point, std::span<const Index> slots) const {
  Near best;
  for (const Index slot : slots) {
    const double d = distance(point, slot);
    if (d < best.distance) best = {slot, d};
  }
  return best;
}

std::vector<Index> parent_slots(const Character& character, const Skin& skin) {
  std::vector<Index> slot_of(character.nodes.size(), kNone), parents;
  for (std::size_t s = 0; s < skin.node.size(); ++s) slot_of[at(skin.node[s])] = static_cast<Index>(s);
  // The slot of the nearest joint above each node.
  std::vector<Index> above(character.nodes.size(), kNone);
  for (const Index node : parents_first(character.nodes)) {
    const Index parent = character.nodes[at(node)].parent;
    if (parent != kNone)
      above[at(node)] = slot_of[at(parent)] != kNone ? slot_of[at(parent)] : above[at(parent)];
  }
  parents.reserve(skin.node.size());
  for (const Index node : skin.node) parents.push_back(above[at(node)]);
  return parents;
}

}  // namespace dermis
