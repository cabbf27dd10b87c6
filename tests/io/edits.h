// SPDX-License-Identifier: MIT
// Edits of characters for laws about saving: one of each kind, at random places, each leaving a valid
// character.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "characters.h"
#include "dermis/model.h"

namespace dermis::test {

struct Edit {
  const char* name;
  std::vector<std::string> touches;  // members of the document that may differ; all others may not
  int most;  // items of these lists that may differ when none was added or removed; -1: any number
  bool (*make)(Character&, Random&);  // false: there is nothing here to edit so
};

template <class List>
std::size_t some(Random& random, const List& list) {
  return static_cast<std::size_t>(random.below(static_cast<int>(list.size())));
}

// A mesh with points, or kNone.
inline Index some_mesh(const Character& character, Random& random) {
  std::vector<Index> found;
  for (std::size_t m = 0; m < character.meshes.size(); ++m) {
    if (!character.meshes[m].points.empty()) found.push_back(static_cast<Index>(m));
  }
  return found.empty() ? kNone : found[some(random, found)];
}

// ---- Taking parts out ----

template <class Goes>
void drop_channels(Character& character, const Goes& goes) {
  for (Clip& clip : character.clips) std::erase_if(clip.channels, goes);
}

inline void lower(Index& number, Index gone) { number -= number > gone ? 1 : 0; }

inline void remove_instance(Character& character, Index i) {
  drop_channels(character, [&](const Channel& channel) {
    return channel.path == ChannelPath::shape_weights && channel.target == i;
  });
  for (Clip& clip : character.clips) {
    for (Channel& channel : clip.channels)
      if (channel.path == ChannelPath::shape_weights) lower(channel.target, i);
  }
  character.instances.erase(character.instances.begin() + i);
}

// Its children go to its parent. False when a skin or a mesh needs it.
inline bool remove_node(Character& character, Index n) {
  for (const Skin& skin : character.skins)
    if (std::find(skin.node.begin(), skin.node.end(), n) != skin.node.end()) return false;
  for (const Instance& instance : character.instances)
    if (instance.node == n) return false;
  const Index parent = character.nodes[at(n)].parent;
  const auto is_of_node = [](const Channel& channel) {
    return channel.path != ChannelPath::shape_weights && channel.path != ChannelPath::control;
  };
  drop_channels(character,
                [&](const Channel& channel) { return is_of_node(channel) && channel.target == n; });
  for (Node& node : character.nodes) {
    if (node.parent == n) node.parent = parent;
    lower(node.parent, n);
  }
  for (Skin& skin : character.skins)
    for (Index& node : skin.node) lower(node, n);
  for (Instance& instance : character.instances) lower(instance.node, n);
  for (Clip& clip : character.clips)
    for (Channel& channel : clip.channels)
      if (is_of_node(channel)) lower(channel.target, n);
  character.nodes.erase(character.nodes.begin() + n);
  return true;
}

// ---- The edits ----

inline bool rename_node(Character& character, Random& random) {
  if (character.nodes.empty()) return false;
  character.nodes[some(random, character.nodes)].name = "renamed";
  return true;
}
inline bool unname_node(Character& character, Random& random) {
  if (character.nodes.empty()) return false;
  std::string& name = character.nodes[some(random, character.nodes)].name;
  return !std::exchange(name, "").empty();
}
inline bool move_node(Character& character, Random& random) {
  if (character.nodes.empty()) return false;
  Node& node = character.nodes[some(random, character.nodes)];
  node.rest = {Vec3(random.vector()), Quat(random.rotation()), {1, 2, 1}};
  node.rest_matrix.reset();
  return true;
}
inline bool shear_node(Character& character, Random& random) {
  if (character.nodes.empty()) return false;
  Node& node = character.nodes[some(random, character.nodes)];
  node.rest_matrix = Affine(random.affine());
  node.rest = transform_from_affine(Affined(*node.rest_matrix));
  return true;
}
inline bool hang_elsewhere(Character& character, Random& random) {
  if (character.nodes.size() < 2) return false;
  const auto n = static_cast<Index>(some(random, character.nodes));
  const Index parent = static_cast<Index>(some(random, character.nodes));
  for (Index up = parent; up != kNone; up = character.nodes[at(up)].parent)
    if (up == n) return false;
  return std::exchange(character.nodes[at(n)].parent, parent) != parent;
}
inline bool make_root(Character& character, Random& random) {
  if (character.nodes.empty()) return false;
  return std::exchange(character.nodes[some(random, character.nodes)].parent, kNone) != kNone;
}
inline bool add_node(Character& character, Random& random) {
  Node node;
  node.name = "added";
  if (!character.nodes.empty() && random.below(2) == 0)
    node.parent = static_cast<Index>(some(random, character.nodes));
  character.nodes.push_back(std::move(node));
  return true;
}
inline bool remove_some_node(Character& character, Random& random) {
  return !character.nodes.empty() &&
         remove_node(character, static_cast<Index>(some(random, character.nodes)));
}
// All nodes in the opposite order.
inline bool turn_nodes_around(Character& character, Random&) {
  if (character.nodes.size() < 2) return false;
  const auto turned = [last = static_cast<Index>(character.nodes.size()) - 1](Index& n) {
    if (n != kNone) n = last - n;
  };
  std::reverse(character.nodes.begin(), character.nodes.end());
  for (Node& node : character.nodes) turned(node.parent);
  for (Skin& skin : character.skins) std::for_each(skin.node.begin(), skin.node.end(), turned);
  const auto last_instance = static_cast<Index>(character.instances.size()) - 1;
  std::reverse(character.instances.begin(), character.instances.end());
  for (Instance& instance : character.instances) turned(instance.node);
  for (Clip& clip : character.clips) {
    for (Channel& channel : clip.channels) {
      if (channel.path == ChannelPath::shape_weights)
        channel.target = last_instance - channel.target;
      else if (channel.path != ChannelPath::control)
        turned(channel.target);
    }
  }
  return true;
}

inline bool rename_mesh(Character& character, Random& random) {
  if (character.meshes.empty()) return false;
  character.meshes[some(random, character.meshes)].name = "renamed mesh";
  return true;
}
inline bool move_points(Character& character, Random& random) {
  const Index m = some_mesh(character, random);
  if (m == kNone) return false;
  Mesh& mesh = character.meshes[at(m)];
  mesh.points[some(random, mesh.points)] = Vec3(random.vector());
  mesh.weld = weld_coincident(mesh.points);
  return true;
}
inline bool turn_normals(Character& character, Random& random) {
  const Index m = some_mesh(character, random);
  if (m == kNone || character.meshes[at(m)].normals.empty()) return false;
  for (Vec3& normal : character.meshes[at(m)].normals.values) normal = -normal;
  return true;
}
inline bool add_normals(Character& character, Random& random) {
  const Index m = some_mesh(character, random);
  if (m == kNone || !character.meshes[at(m)].normals.empty()) return false;
  character.meshes[at(m)].normals.values.assign(character.meshes[at(m)].points.size(), {0, 0, 1});
  return true;
}
inline bool drop_tangents(Character& character, Random& random) {
  const Index m = some_mesh(character, random);
  return m != kNone && !std::exchange(character.meshes[at(m)].tangents, {}).empty();
}
inline bool move_uvs(Character& character, Random& random) {
  const Index m = some_mesh(character, random);
  if (m == kNone || character.meshes[at(m)].uvs.empty()) return false;
  for (Vec2& uv : character.meshes[at(m)].uvs[0].values) uv.x += 0.25f;
  return true;
}
inline bool add_uvs(Character& character, Random& random) {
  const Index m = some_mesh(character, random);
  if (m == kNone) return false;
  character.meshes[at(m)].uvs.push_back(
      {std::vector<Vec2>(character.meshes[at(m)].points.size(), {0.5f, 0}), {}});
  return true;
}
inline bool drop_uvs(Character& character, Random& random) {
  const Index m = some_mesh(character, random);
  if (m == kNone || character.meshes[at(m)].uvs.empty()) return false;
  character.meshes[at(m)].uvs.pop_back();
  return true;
}
inline bool add_colours(Character& character, Random& random) {
  const Index m = some_mesh(character, random);
  if (m == kNone) return false;
  character.meshes[at(m)].colours.push_back(
      {std::vector<Vec4>(character.meshes[at(m)].points.size(), {1, 0.5f, 0, 1}), {}});
  return true;
}
inline bool turn_polygons(Character& character, Random& random) {
  const Index m = some_mesh(character, random);
  if (m == kNone || character.meshes[at(m)].polygons.count() == 0) return false;
  const Polygons& polygons = character.meshes[at(m)].polygons;
  const std::size_t p = static_cast<std::size_t>(random.below(static_cast<int>(polygons.count())));
  std::vector<Index>& corners = character.meshes[at(m)].polygons.corners;
  std::swap(corners[polygons.first[p]], corners[polygons.first[p] + 1]);
  return corners[polygons.first[p]] != corners[polygons.first[p] + 1];
}
inline bool drop_polygon(Character& character, Random& random) {
  const Index m = some_mesh(character, random);
  if (m == kNone || character.meshes[at(m)].parts.back().polygon_count < 2) return false;
  Mesh& mesh = character.meshes[at(m)];
  mesh.polygons.first.pop_back();
  mesh.polygons.corners.resize(mesh.polygons.first.back());
  --mesh.parts.back().polygon_count;
  return true;
}
// One point more, which changes the layout of the mesh.
inline bool add_point(Character& character, Random& random) {
  const Index m = some_mesh(character, random);
  if (m == kNone) return false;
  Mesh& mesh = character.meshes[at(m)];
  // A primitive without an attribute that others have, or without points, would get one.
  for (const MeshPart& part : mesh.parts)
    if (part.point_count == 0) return false;
  for (const Vec3& normal : mesh.normals.values)
    if (normal == Vec3{}) return false;
  std::vector<Index> source;
  for (std::size_t v = 0; v < mesh.points.size(); ++v) source.push_back(static_cast<Index>(v));
  source.push_back(source.back());
  Mesh longer = take_points(mesh, source);
  longer.polygons = mesh.polygons;
  longer.parts = mesh.parts;
  ++longer.parts.back().point_count;
  mesh = std::move(longer);
  return true;
}
inline bool change_material(Character& character, Random& random) {
  if (character.meshes.empty() || character.materials.empty()) return false;
  Mesh& mesh = character.meshes[some(random, character.meshes)];
  if (mesh.parts.empty()) return false;
  Index& material = mesh.parts[some(random, mesh.parts)].material;
  material = material == kNone ? 0 : kNone;
  return true;
}
inline bool change_weights(Character& character, Random& random) {
  const Index m = some_mesh(character, random);
  if (m == kNone || character.meshes[at(m)].weights.empty()) return false;
  const WeightRows& rows = character.meshes[at(m)].weights;
  const std::size_t changed = some(random, character.meshes[at(m)].points);
  WeightRowBuilder builder;
  for (std::size_t v = 0; v + 1 < rows.first.size(); ++v) {
    for (const Influence& one : rows.row(v)) {
      if (v != changed) builder.add(one.slot, one.weight);
    }
    if (v == changed) builder.add(rows.row(v).back().slot, 1);
    builder.close_row(0);
  }
  character.meshes[at(m)].weights = builder.take();
  return true;
}
inline bool change_share(Character& character, Random& random) {
  const Index m = some_mesh(character, random);
  if (m == kNone) return false;
  Mesh& mesh = character.meshes[at(m)];
  if (mesh.dqs_share.empty())
    mesh.dqs_share.assign(mesh.points.size(), 0.25f);
  else
    mesh.dqs_share.clear();
  return true;
}
inline bool change_shape(Character& character, Random& random) {
  const Index m = some_mesh(character, random);
  if (m == kNone || character.meshes[at(m)].shapes.empty()) return false;
  Shape& shape = character.meshes[at(m)].shapes[some(random, character.meshes[at(m)].shapes)];
  if (shape.points.empty()) return false;
  shape.offsets[some(random, shape.offsets)] = {0.5f, 0.25f, 1};
  return true;
}
inline bool rename_shape(Character& character, Random& random) {
  const Index m = some_mesh(character, random);
  if (m == kNone || character.meshes[at(m)].shapes.empty()) return false;
  character.meshes[at(m)].shapes[some(random, character.meshes[at(m)].shapes)].name = "renamed shape";
  return true;
}
// The instances of a mesh, when no clip moves its shapes.
inline bool instances_with_still_shapes(Character& character, Index mesh, std::vector<Instance*>& found) {
  for (std::size_t i = 0; i < character.instances.size(); ++i) {
    if (character.instances[i].mesh != mesh) continue;
    found.push_back(&character.instances[i]);
    for (const Clip& clip : character.clips)
      for (const Channel& channel : clip.channels)
        if (channel.path == ChannelPath::shape_weights && at(channel.target) == i) return false;
  }
  return true;
}
inline bool add_shape(Character& character, Random& random) {
  const Index m = some_mesh(character, random);
  std::vector<Instance*> instances;
  if (m == kNone || !instances_with_still_shapes(character, m, instances)) return false;
  Shape shape;
  shape.name = "added shape";
  shape.points = {0};
  shape.offsets = {{0, 1, 0}};
  character.meshes[at(m)].shapes.push_back(std::move(shape));
  for (Instance* instance : instances) instance->shape_weights.push_back(0.5f);
  return true;
}
inline bool remove_shape(Character& character, Random& random) {
  const Index m = some_mesh(character, random);
  std::vector<Instance*> instances;
  if (m == kNone || character.meshes[at(m)].shapes.empty() ||
      !instances_with_still_shapes(character, m, instances))
    return false;
  character.meshes[at(m)].shapes.erase(character.meshes[at(m)].shapes.begin());
  for (Instance* instance : instances) instance->shape_weights.erase(instance->shape_weights.begin());
  return true;
}
inline bool add_mesh(Character& character, Random& random) {
  add_node(character, random);
  Mesh mesh;
  mesh.name = "added mesh";
  mesh.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  mesh.polygons = {{0, 3}, {0, 1, 2}};
  mesh.parts = {{0, 3, 0, 1}};
  mesh.weld = {0, 1, 2};
  character.meshes.push_back(std::move(mesh));
  character.nodes.back().parent = kNone;
  character.instances.push_back({static_cast<Index>(character.nodes.size()) - 1,
                                 static_cast<Index>(character.meshes.size()) - 1,
                                 kNone,
                                 {},
                                 true});
  return true;
}
// One instance gets a copy of its mesh, for itself.
inline bool copy_mesh(Character& character, Random& random) {
  if (character.instances.empty()) return false;
  Instance& instance = character.instances[some(random, character.instances)];
  const Mesh copy = character.meshes[at(instance.mesh)];
  instance.mesh = static_cast<Index>(character.meshes.size());
  character.meshes.push_back(copy);
  return true;
}
inline bool remove_mesh(Character& character, Random& random) {
  if (character.meshes.empty()) return false;
  const auto m = static_cast<Index>(some(random, character.meshes));
  for (std::size_t i = character.instances.size(); i-- > 0;)
    if (character.instances[i].mesh == m) remove_instance(character, static_cast<Index>(i));
  for (Instance& instance : character.instances) lower(instance.mesh, m);
  character.meshes.erase(character.meshes.begin() + m);
  return true;
}
inline bool remove_some_instance(Character& character, Random& random) {
  if (character.instances.empty()) return false;
  remove_instance(character, static_cast<Index>(some(random, character.instances)));
  return true;
}
// The last instance hangs from a node of its own below the one it had.
inline bool move_instance(Character& character, Random&) {
  if (character.instances.empty()) return false;
  Instance& instance = character.instances.back();
  Node node;
  node.name = "holder";
  node.parent = instance.node;
  instance.node = static_cast<Index>(character.nodes.size());
  character.nodes.push_back(std::move(node));
  return true;
}
inline bool change_shape_weight(Character& character, Random& random) {
  if (character.instances.empty()) return false;
  std::vector<float>& weights = character.instances[some(random, character.instances)].shape_weights;
  if (weights.empty()) return false;
  weights[some(random, weights)] += 0.125f;
  return true;
}
// Everything below one root leaves the scene or comes into it.
inline bool turn_scene(Character& character, Random& random) {
  if (character.instances.empty()) return false;
  const auto root_of = [&](Index n) {
    while (character.nodes[at(n)].parent != kNone) n = character.nodes[at(n)].parent;
    return n;
  };
  const Instance& chosen = character.instances[some(random, character.instances)];
  const bool is_in = !chosen.in_scene;
  const Index root = root_of(chosen.node);
  for (Instance& instance : character.instances)
    if (root_of(instance.node) == root) instance.in_scene = is_in;
  return true;
}

inline bool rename_skin(Character& character, Random& random) {
  if (character.skins.empty()) return false;
  character.skins[some(random, character.skins)].name = "renamed skin";
  return true;
}
inline bool change_bind(Character& character, Random& random) {
  if (character.skins.empty()) return false;
  Skin& skin = character.skins[some(random, character.skins)];
  skin.inverse_bind[some(random, skin.inverse_bind)] = Affine(random.rigid());
  return true;
}
inline bool add_joint(Character& character, Random& random) {
  if (character.skins.empty()) return false;
  Skin& skin = character.skins[some(random, character.skins)];
  skin.node.push_back(static_cast<Index>(some(random, character.nodes)));
  skin.inverse_bind.emplace_back();
  return true;
}
inline bool add_skin(Character& character, Random& random) {
  if (character.nodes.empty()) return false;
  character.skins.push_back({"added skin", {static_cast<Index>(some(random, character.nodes))}, {Affine{}}});
  return true;
}
inline bool remove_skin(Character& character, Random& random) {
  if (character.skins.empty()) return false;
  const auto s = static_cast<Index>(some(random, character.skins));
  for (Instance& instance : character.instances) {
    if (instance.skin == s) instance.skin = kNone;
    lower(instance.skin, s);
  }
  character.skins.erase(character.skins.begin() + s);
  return true;
}

inline bool rename_clip(Character& character, Random& random) {
  if (character.clips.empty()) return false;
  character.clips[some(random, character.clips)].name = "renamed clip";
  return true;
}
inline bool change_keys(Character& character, Random& random) {
  if (character.clips.empty()) return false;
  Clip& clip = character.clips[some(random, character.clips)];
  if (clip.channels.empty()) return false;
  Channel& channel = clip.channels[some(random, clip.channels)];
  channel.values[some(random, channel.values)] += 0.25f;
  return true;
}
inline bool drop_channel(Character& character, Random& random) {
  if (character.clips.empty()) return false;
  Clip& clip = character.clips[some(random, character.clips)];
  if (clip.channels.size() < 2) return false;
  clip.channels.erase(clip.channels.begin() + static_cast<std::ptrdiff_t>(some(random, clip.channels)));
  return true;
}
inline bool swap_channels(Character& character, Random& random) {
  if (character.clips.empty()) return false;
  Clip& clip = character.clips[some(random, character.clips)];
  if (clip.channels.size() < 2 || clip.channels[1].path == ChannelPath::control) return false;
  std::swap(clip.channels[0], clip.channels[1]);
  return true;
}
inline bool add_clip(Character& character, Random& random) {
  if (character.nodes.empty()) return false;
  Channel channel;
  channel.target = static_cast<Index>(some(random, character.nodes));
  channel.times = {0, 1};
  channel.values = {0, 0, 0, 1, 2, 3};
  character.clips.push_back({"added clip", {std::move(channel)}});
  return true;
}
inline bool remove_clip(Character& character, Random& random) {
  if (character.clips.empty()) return false;
  character.clips.erase(character.clips.begin() + static_cast<std::ptrdiff_t>(some(random, character.clips)));
  return true;
}
inline bool turn_clips_around(Character& character, Random&) {
  std::reverse(character.clips.begin(), character.clips.end());
  return character.clips.size() > 1;
}
inline bool add_control(Character& character, Random& random) {
  if (character.clips.empty()) return false;
  character.controls.push_back({"added control", 0.5f});
  Channel channel;
  channel.path = ChannelPath::control;
  channel.target = static_cast<Index>(character.controls.size()) - 1;
  channel.times = {0, 1};
  channel.values = {0, 1};
  character.clips[some(random, character.clips)].channels.push_back(std::move(channel));
  return true;
}

inline const std::vector<Edit>& edits() {
  static const std::vector<Edit> kEdits = {
      {"rename node", {"nodes"}, 1, rename_node},
      {"unname node", {"nodes"}, 1, unname_node},
      {"move node", {"nodes"}, 1, move_node},
      {"shear node", {"nodes"}, 1, shear_node},
      {"hang node elsewhere", {"nodes", "scenes"}, 3, hang_elsewhere},
      {"make node a root", {"nodes", "scenes"}, 2, make_root},
      {"add node", {"nodes", "scenes", "scene"}, -1, add_node},
      {"remove node", {"nodes", "scenes", "skins", "animations"}, -1, remove_some_node},
      {"turn nodes around", {"nodes", "scenes", "skins", "animations"}, -1, turn_nodes_around},
      {"rename mesh", {"meshes"}, 1, rename_mesh},
      {"move points", {"meshes"}, 1, move_points},
      {"turn normals", {"meshes"}, 1, turn_normals},
      {"add normals", {"meshes"}, 1, add_normals},
      {"drop tangents", {"meshes"}, 1, drop_tangents},
      {"move uvs", {"meshes"}, 1, move_uvs},
      {"add uvs", {"meshes"}, 1, add_uvs},
      {"drop uvs", {"meshes"}, 1, drop_uvs},
      {"add colours", {"meshes"}, 1, add_colours},
      {"turn polygons", {"meshes"}, 1, turn_polygons},
      {"drop polygon", {"meshes"}, 1, drop_polygon},
      {"add point", {"meshes"}, 1, add_point},
      {"change material", {"meshes"}, 1, change_material},
      {"change weights", {"meshes"}, 1, change_weights},
      {"change share", {"meshes"}, 1, change_share},
      {"change shape", {"meshes"}, 1, change_shape},
      {"rename shape", {"meshes"}, 1, rename_shape},
      {"add shape", {"meshes", "nodes"}, -1, add_shape},
      {"remove shape", {"meshes", "nodes"}, -1, remove_shape},
      {"add mesh", {"meshes", "nodes", "scenes", "scene"}, -1, add_mesh},
      {"copy mesh", {"meshes", "nodes"}, -1, copy_mesh},
      {"remove mesh", {"meshes", "nodes", "animations"}, -1, remove_mesh},
      {"remove instance", {"nodes", "animations"}, -1, remove_some_instance},
      {"move instance", {"nodes", "animations"}, -1, move_instance},
      {"change shape weight", {"nodes"}, 1, change_shape_weight},
      {"turn scene", {"scenes", "scene"}, 1, turn_scene},
      {"rename skin", {"skins"}, 1, rename_skin},
      {"change bind", {"skins"}, 1, change_bind},
      {"add joint", {"skins"}, 1, add_joint},
      {"add skin", {"skins"}, -1, add_skin},
      {"remove skin", {"skins", "nodes"}, -1, remove_skin},
      {"rename clip", {"animations"}, 1, rename_clip},
      {"change keys", {"animations"}, 1, change_keys},
      {"drop channel", {"animations"}, 1, drop_channel},
      {"swap channels", {"animations"}, 1, swap_channels},
      {"add clip", {"animations"}, -1, add_clip},
      {"remove clip", {"animations"}, -1, remove_clip},
      {"turn clips around", {"animations"}, -1, turn_clips_around},
      {"add control", {"animations", "asset"}, -1, add_control},
  };
  return kEdits;
}

}  // namespace dermis::test
