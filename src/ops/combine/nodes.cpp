// SPDX-License-Identifier: MIT
// Nodes, skins and instances of a garment in the body.
#include <algorithm>
#include <cmath>

#include "dermis/geometry.h"
#include "dermis/motion.h"
#include "ops/combine/garment.h"

namespace dermis {
namespace {

// A matrix this close to one of rotation and scale has no shear: floats of about one are no finer.
constexpr double kNoShear = 1e-6;

Node node_at(const std::string& name, Index parent, const Affined& local) {
  Node node{name, parent, transform_from_affine(local), Affine(local)};
  const Affined plain = affine_from_transform(node.rest);
  double apart = 0;
  for (const Vec3d& arm : {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}})
    apart = std::max(apart, length(plain.linear * arm - local.linear * arm));
  if (apart < kNoShear) node.rest_matrix.reset();  // nothing but rotation and scale
  return node;
}

// True for the nodes that the result needs besides the matched ones: unmatched joints with what is below
// them, and what shows rigid meshes; each with its ancestors up to a matched one.
std::vector<bool> needed_nodes(const GarmentBeingAdded& adding) {
  const Character& garment = adding.garment;
  const std::vector<bool> is_joint = skin_joints(garment);
  const std::vector<Index> order = parents_first(garment.nodes);
  std::vector<bool> is_needed(garment.nodes.size(), false), is_below(garment.nodes.size(), false);
  for (const Index node : order) {
    const Index parent = garment.nodes[at(node)].parent;
    is_below[at(node)] =
        adding.match[at(node)] == kNone && (is_joint[at(node)] || (parent != kNone && is_below[at(parent)]));
    if (is_below[at(node)]) is_needed[at(node)] = true;
  }
  for (const Instance& instance : garment.instances)
    if (instance.skin == kNone) is_needed[at(instance.node)] = true;
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    const Index parent = garment.nodes[at(*node)].parent;
    if (is_needed[at(*node)] && parent != kNone && adding.match[at(parent)] == kNone)
      is_needed[at(parent)] = true;
  }
  return is_needed;
}

void note_left_nodes(GarmentBeingAdded& adding, const std::vector<bool>& is_needed) {
  const Character& garment = adding.garment;
  std::vector<bool> is_used = is_needed, leads_to_match(garment.nodes.size(), false);
  for (const Instance& instance : garment.instances) is_used[at(instance.node)] = true;
  const std::vector<Index> order = parents_first(garment.nodes);
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    const std::size_t n = at(*node);
    if (adding.match[n] == kNone && !leads_to_match[n]) continue;
    is_used[n] = true;
    if (const Index parent = garment.nodes[n].parent; parent != kNone) leads_to_match[at(parent)] = true;
  }
  const auto count = static_cast<std::size_t>(std::count(is_used.begin(), is_used.end(), false));
  if (count == 0) return;
  adding.note(Note::Kind::loss, "nodes-left-out",
              fmt::format("{} without mesh or weights {} left out", counted(count, "node", "nodes"),
                          count == 1 ? "was" : "were"));
}

// The node below which children of a matched joint are added: the joint itself, or, if its axes differ from
// the garment's, a helper node that has the garment's.
Index holder_of(GarmentBeingAdded& adding, Index garment_node) {
  const Index matched = adding.match[at(garment_node)];
  if (adding.is_alike) return matched;
  Index& holder = adding.holder[at(garment_node)];
  if (holder != kNone) return holder;
  const Affined local = inverse(adding.body_world[at(matched)]) * adding.garment_world[at(garment_node)];
  holder = static_cast<Index>(adding.body.nodes.size());
  adding.body.nodes.push_back(node_at(adding.garment.nodes[at(garment_node)].name + "_worn", matched, local));
  return holder;
}

// Whether a joint of the garment, or a match, moves a node.
bool hangs_on_joint(const GarmentBeingAdded& adding, const std::vector<bool>& is_joint, Index node) {
  for (; node != kNone; node = adding.garment.nodes[at(node)].parent)
    if (is_joint[at(node)] || adding.match[at(node)] != kNone) return true;
  return false;
}

// The joint whose bone is nearest to the points on average.
Index nearest_joint(const Character& body, const std::vector<Affined>& world, const Mesh& mesh,
                    const Affined& world_from_mesh) {
  constexpr std::size_t kSamples = 300;
  const std::vector<bool> is_joint = skin_joints(body);
  const std::size_t stride = mesh.points.size() / kSamples + 1;
  Index best = kNone;
  double least = INFINITY;
  const auto consider = [&](Index joint, const Vec3d& end) {
    double sum = 0;
    for (std::size_t v = 0; v < mesh.points.size(); v += stride)
      sum += distance_to_segment(world_from_mesh * Vec3d(mesh.points[v]), world[at(joint)].translation, end);
    if (sum >= least) return;
    least = sum;
    best = joint;
  };
  for (std::size_t n = 0; n < body.nodes.size(); ++n) {
    if (!is_joint[n]) continue;
    consider(static_cast<Index>(n), world[n].translation);
    const Index parent = body.nodes[n].parent;
    if (parent != kNone && is_joint[at(parent)]) consider(parent, world[n].translation);
  }
  return best;
}

}  // namespace

void add_nodes(GarmentBeingAdded& adding) {
  const Character& garment = adding.garment;
  const std::vector<bool> is_needed = needed_nodes(adding);
  note_left_nodes(adding, is_needed);
  adding.place = adding.match;
  adding.holder.assign(garment.nodes.size(), kNone);
  for (const Index n : parents_first(garment.nodes)) {
    if (!is_needed[at(n)] || adding.match[at(n)] != kNone) continue;
    Node node = garment.nodes[at(n)];
    const Index parent = node.parent;
    if (parent != kNone)
      node.parent = adding.match[at(parent)] != kNone ? holder_of(adding, parent) : adding.place[at(parent)];
    adding.place[at(n)] = static_cast<Index>(adding.body.nodes.size());
    adding.body.nodes.push_back(std::move(node));
  }
}

void add_skins(GarmentBeingAdded& adding) {
  const std::vector<Affined> world = rest_world(adding.body);
  for (Skin skin : adding.garment.skins) {
    for (std::size_t s = 0; s < skin.node.size(); ++s) {
      const Index node = skin.node[s], place = adding.place[at(node)];
      if (!adding.is_alike)
        skin.inverse_bind[s] = Affine(inverse(world[at(place)]) * adding.garment_world[at(node)] *
                                      Affined(skin.inverse_bind[s]));
      skin.node[s] = place;
    }
    adding.body.skins.push_back(std::move(skin));
  }
}

std::vector<Index> add_instances(GarmentBeingAdded& adding, Index first_mesh, Index first_skin) {
  Character& body = adding.body;
  const std::vector<bool> is_joint = skin_joints(adding.garment);
  const std::vector<Affined> world = rest_world(body);
  std::vector<bool> is_shown(adding.garment.meshes.size(), false);
  std::vector<Index> bare;
  for (Instance instance : adding.garment.instances) {
    const Index source = instance.mesh, source_node = instance.node;
    const std::string& name = adding.garment.nodes[at(source_node)].name;
    instance.mesh += first_mesh;
    if (instance.skin != kNone) {
      // A skinned mesh does not move with its node, which is best a root.
      instance.skin += first_skin;
      instance.node = static_cast<Index>(body.nodes.size());
      body.nodes.push_back({name, kNone, {}, {}});
      is_shown[at(source)] = true;
      body.instances.push_back(std::move(instance));
      continue;
    }
    const bool hangs = hangs_on_joint(adding, is_joint, source_node);
    const bool is_empty = body.meshes[at(instance.mesh)].points.empty();
    const bool takes_weights =
        instance.in_scene && !hangs && !is_empty && adding.request.weights != GarmentWeights::rigid;
    instance.node = adding.match[at(source_node)] != kNone ? holder_of(adding, source_node)
                                                           : adding.place[at(source_node)];
    if (takes_weights || is_shown[at(source)]) {
      // One mesh has one set of weights: further places show copies.
      if (is_shown[at(source)]) {
        Mesh copy = body.meshes[at(instance.mesh)];
        instance.mesh = static_cast<Index>(body.meshes.size());
        body.meshes.push_back(std::move(copy));
      }
      is_shown[at(source)] = true;
    }
    Mesh& mesh = body.meshes[at(instance.mesh)];
    if (takes_weights) {
      mesh.weights = {};
      bare.push_back(instance.mesh);
    } else if (!is_empty && instance.in_scene) {
      ++adding.part.rigid_count;
      if (!hangs) {
        const Affined world_from_mesh = world[at(instance.node)];
        const Index joint = nearest_joint(body, world, mesh, world_from_mesh);
        adding.note(Note::Kind::guess, "rigid-on-joint",
                    fmt::format("mesh {} follows joint {}, which is nearest", quoted_name(mesh.name),
                                quoted_name(body.nodes[at(joint)].name)));
        instance.node = static_cast<Index>(body.nodes.size());
        body.nodes.push_back(node_at(name, joint, inverse(world[at(joint)]) * world_from_mesh));
      }
    }
    body.instances.push_back(std::move(instance));
  }
  return bare;
}

}  // namespace dermis
