// SPDX-License-Identifier: MIT
// Converts a skin to the teaching format: joints by number, weights by bone.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/course/write_course.h"

namespace dermis {
namespace {

// How far an end joint is beyond its parent, as a fraction of the previous bone; nothing moves with it.
constexpr double kEndBone = 0.5;
// As a fraction of the figure's size: beyond this, rest and bind are different poses.
constexpr double kSamePose = 1e-4;

std::vector<Affined> world_at_rest(const Character& character) {
  std::vector<Affined> world(character.nodes.size());
  for (const Index n : parents_first(character.nodes)) {
    const Node& node = character.nodes[at(n)];
    const Affined local = node.rest_matrix ? Affined(*node.rest_matrix) : affine_from_transform(node.rest);
    world[at(n)] = node.parent == kNone ? local : world[at(node.parent)] * local;
  }
  return world;
}

// From a point to the segment between two others, squared.
double squared_distance(const Vec3d& point, const Vec3d& a, const Vec3d& b) {
  const Vec3d along = b - a;
  const double size = dot(along, along);
  const double t = size > 0 ? std::clamp(dot(point - a, along) / size, 0.0, 1.0) : 0.0;
  const Vec3d off = point - (a + along * t);
  return dot(off, off);
}

class RigMaker {
 public:
  RigMaker(const Character& character, const std::string& path)
      : character_(character), path_(path), world_(world_at_rest(character)) {}

  Result<CourseRig> make() {
    choose_instance();
    if (Status placed = place_nodes(); !placed) return placed.error();
    add_joints();
    if (rig_.skeleton.points.empty())
      return Error{Errc::unsupported, fmt::format("{}: there are no joints to write", path_)};
    add_end_joints();
    find_children();
    if (rig_.instance != kNone) add_weights();
    return std::move(rig_);
  }

 private:
  void note(Note::Kind kind, const char* id, std::string sentence) {
    rig_.notes.push_back({kind, id, std::move(sentence)});
  }
  const Instance& instance() const { return character_.instances[at(rig_.instance)]; }
  const Skin& skin() const { return character_.skins[at(instance().skin)]; }
  const Mesh& mesh() const { return character_.meshes[at(instance().mesh)]; }

  void choose_instance() {
    std::size_t others = 0;
    for (std::size_t k = 0; k < character_.instances.size(); ++k) {
      const Instance& candidate = character_.instances[k];
      const bool is_skinned = candidate.in_scene && candidate.skin != kNone;
      if (is_skinned && rig_.instance == kNone)
        rig_.instance = static_cast<Index>(k);
      else
        ++others;
    }
    if (others > 0)
      note(Note::Kind::loss, "meshes-left-out",
           fmt::format("the format stores one skinned mesh; {} others were left out", others));
  }

  // ---- Joints -------------------------------------------------------------------------------------------

  // The joint positions in mesh space: as bound, and from there as at rest. Nodes with meshes are not joints.
  Status place_nodes() {
    const std::size_t count = character_.nodes.size();
    mesh_from_node_ = world_;
    is_joint_.assign(count, true);
    for (const Instance& shown : character_.instances) is_joint_[at(shown.node)] = false;
    if (rig_.instance == kNone) return Done{};
    std::vector<Index> slot_of_node(count, kNone);
    for (std::size_t s = 0; s < skin().node.size(); ++s)
      slot_of_node[at(skin().node[s])] = static_cast<Index>(s);
    for (const Index n : parents_first(character_.nodes)) {
      const Index parent = character_.nodes[at(n)].parent, slot = slot_of_node[at(n)];
      const bool is_below = parent != kNone && is_joint_[at(parent)];
      is_joint_[at(n)] = slot != kNone || (is_below && is_joint_[at(n)]);
      if (slot != kNone)
        mesh_from_node_[at(n)] = inverse(Affined(skin().inverse_bind[at(slot)]));
      else if (is_below)
        mesh_from_node_[at(n)] = mesh_from_node_[at(parent)] * inverse(world_[at(parent)]) * world_[at(n)];
      if (is_joint_[at(n)] && !is_finite(mesh_from_node_[at(n)].translation))
        return Error{
            Errc::bad_rig,
            fmt::format(
                "{}: joint {} has a scale of zero at rest or in its bind pose, so its position is undefined",
                path_, quoted_name(character_.nodes[at(n)].name))};
    }
    note_other_rest();
    return Done{};
  }

  void note_other_rest() {
    Box box;
    for (const Vec3& point : mesh().points) box.add(Vec3d(point));
    const Affined world_from_mesh = world_[at(skin().node[0])] * Affined(skin().inverse_bind[0]);
    for (const Index n : skin().node) {
      const Vec3d bound = world_from_mesh * mesh_from_node_[at(n)].translation;
      const double size = box.diagonal() * std::cbrt(std::abs(determinant(world_from_mesh.linear)));
      if (length(bound - world_[at(n)].translation) <= kSamePose * size) continue;
      return note(Note::Kind::loss, "rest-not-bind",
                  "the rest pose of the file differs from its bind pose; the bind pose is written");
    }
  }

  Index joint_above(Index n) const {
    Index parent = character_.nodes[at(n)].parent;
    while (parent != kNone && !is_joint_[at(parent)]) parent = character_.nodes[at(parent)].parent;
    return parent;
  }

  void add(const Vec3d& point, Index parent) {
    rig_.skeleton.points.push_back(point);
    rig_.skeleton.parents.push_back(parent);
  }

  // In file order, except that the root comes first: it is the only joint that ends no bone.
  void add_joints() {
    std::vector<Index> nodes, roots;
    for (std::size_t n = 0; n < is_joint_.size(); ++n) {
      if (!is_joint_[n]) continue;
      nodes.push_back(static_cast<Index>(n));
      if (joint_above(nodes.back()) == kNone) roots.push_back(nodes.back());
    }
    if (nodes.empty()) return;
    const Index root = roots[0];
    const bool has_common_root = roots.size() > 1;
    if (!has_common_root)
      std::stable_partition(nodes.begin(), nodes.end(), [&](Index n) { return n == root; });
    joint_of_node_.assign(character_.nodes.size(), kNone);
    Index count = has_common_root ? 1 : 0;
    for (const Index n : nodes) joint_of_node_[at(n)] = count++;
    if (has_common_root) {
      add(mesh_from_node_[at(root)].translation, kNone);
      note(Note::Kind::info, "root-added",
           fmt::format("{} joints have no parent; joint 0 was added above them", roots.size()));
    }
    for (const Index n : nodes) {
      const Index above = joint_above(n);
      add(mesh_from_node_[at(n)].translation, above != kNone    ? joint_of_node_[at(above)]
                                              : has_common_root ? 0
                                                                : kNone);
    }
    note_lost_names(nodes);
  }

  void note_lost_names(const std::vector<Index>& nodes) {
    const auto lost = std::count_if(nodes.begin(), nodes.end(), [&](Index n) {
      const std::string& name = character_.nodes[at(n)].name;
      return !name.empty() && name != fmt::format("joint_{}", joint_of_node_[at(n)]);
    });
    if (lost > 0)
      note(Note::Kind::loss, "names-left-out",
           fmt::format("the format numbers its joints; {} left out",
                       counted(static_cast<std::size_t>(lost), "name was", "names were")));
  }

  // A joint with weights needs a bone that starts there.
  void add_end_joints() {
    if (rig_.instance == kNone) return;
    std::vector<bool> has_weight(rig_.skeleton.points.size(), false), has_child = has_weight;
    for (const Influence& influence : mesh().weights.influences)
      has_weight[at(joint_of(influence.slot))] = true;
    for (const Index parent : rig_.skeleton.parents) {
      if (parent != kNone) has_child[at(parent)] = true;
    }
    std::size_t added = 0;
    for (std::size_t j = 0; j < has_weight.size(); ++j) {
      if (!has_weight[j] || has_child[j]) continue;
      const Vec3d point = rig_.skeleton.points[j];
      const Index parent = rig_.skeleton.parents[j];
      const Vec3d bone = parent == kNone ? Vec3d{0, 1, 0} : point - rig_.skeleton.points[at(parent)];
      add(point + bone * kEndBone, static_cast<Index>(j));
      ++added;
    }
    if (added > 0)
      note(Note::Kind::info, "end-joints-added",
           fmt::format("{} got an end joint, because bones "
                       "move with the joint they start from",
                       counted(added, "joint at the end of its chain has weights; it",
                               "joints at the end of their chain have weights; each")));
  }

  // ---- Weights ------------------------------------------------------------------------------------------

  Index joint_of(Index slot) const { return joint_of_node_[at(skin().node[at(slot)])]; }

  void find_children() {
    children_.resize(rig_.skeleton.points.size());
    for (std::size_t j = 1; j < rig_.skeleton.points.size(); ++j)
      children_[at(rig_.skeleton.parents[j])].push_back(static_cast<Index>(j));
  }

  void add_weights() {
    const Mesh& from = mesh();
    rig_.first.push_back(0);
    for (std::size_t v = 0; v < from.points.size(); ++v) {
      for (const Influence& influence : from.weights.row(v))
        rig_.bones.push_back(
            {nearest_bone(joint_of(influence.slot), Vec3d(from.points[v])), influence.weight});
      rig_.first.push_back(rig_.bones.size());
    }
  }

  Index nearest_bone(Index joint, const Vec3d& point) const {
    Index nearest = kNone;
    double least = INFINITY;
    for (const Index child : children_[at(joint)]) {
      const double distance =
          squared_distance(point, rig_.skeleton.points[at(joint)], rig_.skeleton.points[at(child)]);
      if (nearest != kNone && !(distance < least)) continue;
      nearest = child - 1;
      least = distance;
    }
    return nearest;
  }

  const Character& character_;
  const std::string& path_;
  std::vector<Affined> world_, mesh_from_node_;  // of each node
  std::vector<bool> is_joint_;                   // nodes that become joints
  std::vector<Index> joint_of_node_;
  std::vector<std::vector<Index>> children_;  // of each joint
  CourseRig rig_;
};

}  // namespace

Result<CourseRig> course_rig(const Character& character, const std::string& path) {
  return RigMaker(character, path).make();
}

}  // namespace dermis
