// SPDX-License-Identifier: MIT
// Gathers the meshes of skins that share joints into one body.
#include <unordered_map>

#include "dermis/model.h"

namespace dermis {
namespace {

// The skin of each mesh with weights: of the first instance that shows it, those in the scene first.
std::vector<Index> skins_of_meshes(const Character& character) {
  std::vector<Index> skin(character.meshes.size(), kNone);
  for (const bool in_scene : {true, false}) {
    for (const Instance& instance : character.instances) {
      if (instance.skin == kNone || instance.in_scene != in_scene || skin[at(instance.mesh)] != kNone ||
          character.meshes[at(instance.mesh)].weights.empty())
        continue;
      skin[at(instance.mesh)] = instance.skin;
    }
  }
  return skin;
}

// Skins that share joints, directly or through others, with the transform of each into a common space.
class SkinGroups {
 public:
  struct Placed {
    Index group = kNone;
    Affined body_from_bind;
    std::vector<Index> joint;  // of each slot
  };

  SkinGroups(const Character& character, const std::vector<bool>& is_used)
      : character_(character),
        placed_(character.skins.size()),
        skins_of_node_(character.nodes.size()),
        visited_by_(character.nodes.size(), kNone) {
    for (std::size_t s = 0; s < character.skins.size(); ++s) {
      if (!is_used[s]) continue;
      for (const Index node : character.skins[s].node)
        skins_of_node_[at(node)].push_back(static_cast<Index>(s));
    }
    for (std::size_t s = 0; s < character.skins.size(); ++s) {
      if (is_used[s] && placed_[s].group == kNone) grow(static_cast<Index>(s));
    }
  }

  const Placed& placed(Index skin) const { return placed_[at(skin)]; }
  std::vector<Skin> take_joints() { return std::move(joints_); }

 private:
  // A group of the skin and all that can be reached from it.
  void grow(Index skin) {
    joints_.emplace_back();
    joint_of_node_.clear();
    const auto group = static_cast<Index>(joints_.size() - 1);
    std::vector<Index> open;
    add(skin, {}, open);
    for (std::size_t k = 0; k < open.size(); ++k) {
      const Index node = open[k];
      if (visited_by_[at(node)] == group) continue;
      visited_by_[at(node)] = group;
      for (const Index other : skins_of_node_[at(node)]) {
        if (placed_[at(other)].group != kNone) continue;
        const Affined body_from_bind = through(other, node);
        // A joint that flattens space places nothing; another one may.
        if (is_finite(body_from_bind)) add(other, body_from_bind, open);
      }
    }
  }

  // Both skins name the node, so that their bind poses agree there.
  Affined through(Index skin, Index node) const {
    const Skin& other = character_.skins[at(skin)];
    std::size_t slot = 0;
    while (other.node[slot] != node) ++slot;
    const Affine& own = joints_.back().inverse_bind[at(joint_of_node_.at(node))];
    return inverse(Affined(own)) * Affined(other.inverse_bind[slot]);
  }

  void add(Index skin, const Affined& body_from_bind, std::vector<Index>& open) {
    const Skin& slots = character_.skins[at(skin)];
    const Affined bind_from_body = inverse(body_from_bind);
    Skin& joints = joints_.back();
    Placed& placed = placed_[at(skin)];
    placed.group = static_cast<Index>(joints_.size() - 1);
    placed.body_from_bind = body_from_bind;
    for (std::size_t s = 0; s < slots.node.size(); ++s) {
      const auto [found, is_new] =
          joint_of_node_.try_emplace(slots.node[s], static_cast<Index>(joints.node.size()));
      placed.joint.push_back(found->second);
      if (!is_new) continue;
      joints.node.push_back(slots.node[s]);
      const Affined inverse_bind = Affined(slots.inverse_bind[s]) * bind_from_body;
      joints.inverse_bind.emplace_back(is_finite(inverse_bind) ? Affine(inverse_bind)
                                                               : slots.inverse_bind[s]);
      open.push_back(slots.node[s]);
    }
  }

  const Character& character_;
  std::vector<Placed> placed_;                      // of each skin
  std::vector<std::vector<Index>> skins_of_node_;   // that are used
  std::vector<Index> visited_by_;                   // the last group, of each node
  std::unordered_map<Index, Index> joint_of_node_;  // of the group that grows
  std::vector<Skin> joints_;                        // of each group
};

void add_part(const Mesh& mesh, Index mesh_index, Index skin, const SkinGroups::Placed& placed,
              SkinnedBody& body) {
  const std::size_t first_point = body.points.size();
  body.parts.push_back({mesh_index, skin, first_point, placed.joint});
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    const Vec3 place(placed.body_from_bind * Vec3d(mesh.points[v]));
    body.points.push_back(is_finite(place) ? place : Vec3{});
    body.weld.push_back(static_cast<Index>(first_point) + mesh.weld[v]);
  }
  for (std::size_t p = 0; p < mesh.polygons.count(); ++p) {
    for (const Index v : mesh.polygons.polygon(p))
      body.polygons.corners.push_back(static_cast<Index>(first_point) + v);
    body.polygons.first.push_back(static_cast<std::uint32_t>(body.polygons.corners.size()));
  }
}

}  // namespace

std::vector<SkinnedBody> skinned_bodies(const Character& character) {
  const std::vector<Index> skin = skins_of_meshes(character);
  std::vector<bool> is_used(character.skins.size(), false);
  for (const Index one : skin) {
    if (one != kNone) is_used[at(one)] = true;
  }
  SkinGroups groups(character, is_used);
  std::vector<SkinnedBody> bodies;
  for (Skin& joints : groups.take_joints()) bodies.emplace_back().joints = std::move(joints);
  for (std::size_t m = 0; m < skin.size(); ++m) {
    if (skin[m] == kNone) continue;
    const SkinGroups::Placed& placed = groups.placed(skin[m]);
    add_part(character.meshes[m], static_cast<Index>(m), skin[m], placed, bodies[at(placed.group)]);
  }
  return bodies;
}

}  // namespace dermis
