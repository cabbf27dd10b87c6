// SPDX-License-Identifier: MIT
// Which points follow which joints, and weight on joints far away along the skeleton.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "measure/quality.h"

namespace dermis {
namespace {

// A point whose heaviest joint has less than this is pulled by five or more.
constexpr float kHeld = 0.2f;
// Joints further apart than this fraction of the body's size should not share a point ...
constexpr double kFar = 0.15;
// ... unless the flesh there is thick: the point is less than this many times as far from the other bone as
// from its own. Legs of some rigs hang from the root and still start at the shoulder.
constexpr double kThick = 2;

// Distances between joints along the forest of nodes at rest.
class Skeleton {
 public:
  Skeleton(const Character& character, const std::vector<Affined>& rest_world)
      : nodes_(character.nodes),
        world_(rest_world),
        is_joint_(character.nodes.size(), false),
        children_(character.nodes.size()) {
    depth_.resize(nodes_.size(), 0);
    for (const Skin& skin : character.skins) {
      for (const Index node : skin.node) is_joint_[at(node)] = true;
    }
    for (const Index n : parents_first(nodes_)) {
      const Index parent = nodes_[at(n)].parent;
      if (parent == kNone) continue;
      depth_[at(n)] = depth_[at(parent)] + 1;
      if (is_joint_[at(n)]) children_[at(parent)].push_back(n);
    }
  }

  // For a point whose heaviest joint is `own`, in a body of that size.
  bool is_far(const Vec3d& point, Index own, Index other, double size) {
    const std::pair<Index, Index> key{std::min(own, other), std::max(own, other)};
    auto known = far_.find(key);
    if (known == far_.end()) known = far_.emplace(key, are_apart(trunk(own), trunk(other), size)).first;
    return known->second && bone_distance(point, other) > kThick * bone_distance(point, own);
  }

 private:
  Vec3d place(Index n) const { return world_[at(n)].translation; }
  double bone(Index n) const { return length(place(n) - place(nodes_[at(n)].parent)); }

  // Tips and helpers count as their parent joint.
  Index trunk(Index n) const {
    const Index parent = nodes_[at(n)].parent;
    return children_[at(n)].empty() && parent != kNone && is_joint_[at(parent)] ? parent : n;
  }

  bool are_apart(Index a, Index b, double size) const {
    const Index top = common(a, b);
    if (a == b || top == kNone || !is_joint_[at(top)]) return false;
    if (nodes_[at(a)].parent == top && nodes_[at(b)].parent == top) return bone_distance(a, b) > kFar * size;
    return way(a, b, top) > kFar * size;
  }

  // The lowest common ancestor, which may be one of them; kNone in different trees.
  Index common(Index a, Index b) const {
    while (a != b && a != kNone && b != kNone) {
      Index& lower = depth_[at(a)] >= depth_[at(b)] ? a : b;
      lower = nodes_[at(lower)].parent;
    }
    return a == b ? a : kNone;
  }

  // From node to node through their common ancestor, without the bone of a node that is that ancestor.
  double way(Index a, Index b, Index top) const {
    double sum = 0, last = 0;
    for (const Index end : {a, b}) {
      for (Index n = end; n != top; n = nodes_[at(n)].parent) sum += last = bone(n);
    }
    return a == top || b == top ? sum - last : sum;
  }

  // Calls visit(end) for each end of the bone of a joint: its child joints, or the joint itself.
  template <class Visit>
  void visit_ends(Index joint, const Visit& visit) const {
    if (children_[at(joint)].empty()) return visit(place(joint));
    for (const Index child : children_[at(joint)]) visit(place(child));
  }
  double bone_distance(Index a, Index b) const {
    double least = INFINITY;
    visit_ends(a, [&](const Vec3d& end_a) {
      visit_ends(b, [&](const Vec3d& end_b) {
        least = std::min(least, distance_of_segments(place(a), end_a, place(b), end_b));
      });
    });
    return least;
  }
  double bone_distance(const Vec3d& point, Index joint) const {
    double least = INFINITY;
    visit_ends(joint, [&](const Vec3d& end) {
      least = std::min(least, distance_to_segment(point, place(joint), end));
    });
    return least;
  }

  std::span<const Node> nodes_;
  const std::vector<Affined>& world_;
  std::vector<bool> is_joint_;
  std::vector<int> depth_;
  std::vector<std::vector<Index>> children_;  // child joints of each node
  std::map<std::pair<Index, Index>, bool> far_;
};

// The approximate rest position of a point: as moved by its heaviest joint.
Vec3d rest_place(const Mesh& mesh, const Skin& skin, const std::vector<Affined>& rest_world, std::size_t v) {
  const std::size_t slot = at(mesh.weights.row(v)[0].slot);
  return rest_world[at(skin.node[slot])] * (Affined(skin.inverse_bind[slot]) * Vec3d(mesh.points[v]));
}

double rest_size(const Character& character, const std::vector<SkinnedMesh>& shown,
                 const std::vector<Affined>& rest_world) {
  Box box;
  for (const SkinnedMesh& one : shown) {
    const Mesh& mesh = character.meshes[at(one.mesh)];
    for (std::size_t v = 0; v < mesh.points.size(); ++v)
      box.add(rest_place(mesh, character.skins[at(one.skin)], rest_world, v));
  }
  return box.diagonal();
}

}  // namespace

Coverage measure_coverage(const Character& character, const std::vector<SkinnedMesh>& shown) {
  Coverage coverage;
  const std::size_t node_count = character.nodes.size();
  std::vector<bool> is_joint(node_count, false), is_followed(node_count, false), leads(node_count, false);
  std::set<Index> counted_meshes;
  for (const SkinnedMesh& one : shown) {
    const Skin& skin = character.skins[at(one.skin)];
    const Mesh& mesh = character.meshes[at(one.mesh)];
    for (const Index node : skin.node) is_joint[at(node)] = true;
    const bool is_first = counted_meshes.insert(one.mesh).second;
    if (is_first) coverage.point_count += mesh.points.size();
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
      const std::span<const Influence> row = mesh.weights.row(v);
      if (is_first && row[0].weight < kHeld) ++coverage.torn_point_count;
      leads[at(skin.node[at(row[0].slot)])] = true;
      for (const Influence& influence : row) is_followed[at(skin.node[at(influence.slot)])] = true;
    }
  }
  for (std::size_t n = 0; n < node_count; ++n) {
    if (!is_joint[n]) continue;
    ++coverage.joint_count;
    if (!is_followed[n]) ++coverage.idle_joint_count;
    if (is_followed[n] && !leads[n]) coverage.faint_joints.push_back(static_cast<Index>(n));
  }
  return coverage;
}

Bleed measure_bleed(const Character& character, const std::vector<SkinnedMesh>& shown,
                    const std::vector<Affined>& rest_world, const Progress& progress) {
  Bleed bleed;
  Skeleton skeleton(character, rest_world);
  const double size = rest_size(character, shown, rest_world);
  struct Place {
    Index mesh, point, heaviest, far;
  };
  std::vector<float> shares;
  std::vector<Place> places;
  for (const SkinnedMesh& one : shown) {
    const Skin& skin = character.skins[at(one.skin)];
    const Mesh& mesh = character.meshes[at(one.mesh)];
    for (std::size_t v = 0; v < mesh.points.size() && !progress.is_stopped(); ++v) {
      const std::span<const Influence> row = mesh.weights.row(v);
      Place place{one.mesh, static_cast<Index>(v), skin.node[at(row[0].slot)], kNone};
      const Vec3d point = row.size() < 2 ? Vec3d{} : rest_place(mesh, skin, rest_world, v);
      double share = 0;
      for (const Influence& influence : row.subspan(1)) {
        const Index other = skin.node[at(influence.slot)];
        if (!skeleton.is_far(point, place.heaviest, other, size)) continue;
        share += static_cast<double>(influence.weight);
        if (place.far == kNone) place.far = other;
      }
      shares.push_back(static_cast<float>(share));
      places.push_back(place);
      if (share > kVisibleBleed) ++bleed.count;
    }
  }
  bleed.share = spread_of(shares);
  if (!(bleed.share.max > 0)) return bleed;
  const Place& worst = places[bleed.share.worst];
  bleed.mesh = worst.mesh;
  bleed.point = worst.point;
  bleed.heaviest_node = worst.heaviest;
  bleed.far_node = worst.far;
  return bleed;
}

}  // namespace dermis
