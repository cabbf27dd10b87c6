// SPDX-License-Identifier: MIT
// Adds parts of one character to another, renumbering what refers to them.
#include "ops/merge/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace dermis {
namespace {

Index moved_by(Index index, Index first) { return index == kNone ? kNone : index + first; }

}  // namespace

AddedSurfaces add_surfaces(const Character& from, Character& to) {
  const AddedSurfaces added{static_cast<Index>(to.meshes.size()), static_cast<Index>(to.materials.size()),
                            static_cast<Index>(to.images.size())};
  to.images.insert(to.images.end(), from.images.begin(), from.images.end());
  for (Material material : from.materials) {
    for (Index* image : {&material.base_colour_image, &material.normal_image, &material.emission_image})
      *image = moved_by(*image, added.first_image);
    to.materials.push_back(std::move(material));
  }
  for (Mesh mesh : from.meshes) {
    for (MeshPart& part : mesh.parts) part.material = moved_by(part.material, added.first_material);
    to.meshes.push_back(std::move(mesh));
  }
  return added;
}

std::vector<Index> add_controls(const Character& from, Character& to) {
  std::vector<Index> places;
  for (const Control& control : from.controls) {
    const auto same = std::find_if(to.controls.begin(), to.controls.end(),
                                   [&](const Control& other) { return other.name == control.name; });
    places.push_back(static_cast<Index>(same - to.controls.begin()));
    if (same == to.controls.end()) to.controls.push_back(control);
  }
  return places;
}

void sort_instances(Character& character) {
  std::vector<std::size_t> order(character.instances.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return character.instances[a].node < character.instances[b].node;
  });
  std::vector<Instance> sorted;
  std::vector<Index> place(order.size());
  for (const std::size_t old : order) {
    place[old] = static_cast<Index>(sorted.size());
    sorted.push_back(std::move(character.instances[old]));
  }
  character.instances = std::move(sorted);
  for (Clip& clip : character.clips) {
    for (Channel& channel : clip.channels)
      if (channel.path == ChannelPath::shape_weights) channel.target = place[at(channel.target)];
  }
}

void join_channels(std::vector<Channel> channels, Clip& clip) {
  std::set<std::pair<ChannelPath, Index>> animated;
  for (const Channel& channel : clip.channels) animated.emplace(channel.path, channel.target);
  for (Channel& channel : channels) {
    if (animated.emplace(channel.path, channel.target).second) clip.channels.push_back(std::move(channel));
  }
}

namespace {

// The labels of shapes that drivers, rules and pose spaces refer to.
std::set<std::string> driven_labels(const Character& character) {
  std::set<std::string> labels;
  for (const Driver& driver : character.drivers) {
    const auto* value = std::get_if<DrivenValue>(&driver.rule);
    if (value == nullptr) continue;
    labels.insert(value->shape);
    for (const DriverFactor& factor : value->factors) labels.insert(factor.shape);
  }
  for (const ShapeRule& rule : character.shape_rules) {
    labels.insert(rule.shape);
    for (const InBetween& between : rule.in_betweens) labels.insert(between.shape);
  }
  for (const PoseSpace& space : character.pose_spaces) {
    for (const PoseExample& example : space.examples) labels.insert(example.shape);
  }
  return labels;
}

// Drivers know shapes by their labels: those of one file must not move the other's.
void part_driven_shapes(Character& from, const Character& to) {
  std::set<std::string> labels = driven_labels(from), taken;
  labels.merge(driven_labels(to));
  for (const Mesh& mesh : to.meshes) {
    for (std::size_t s = 0; s < mesh.shapes.size(); ++s) taken.insert(shape_label(mesh, s));
  }
  for (const std::string& label : labels) {
    if (!taken.contains(label)) continue;
    std::string name;
    for (int k = 2; name.empty() || taken.contains(name) || labels.contains(name); ++k)
      name = fmt::format("{} {}", label, k);
    for (Mesh& mesh : from.meshes) {
      for (std::size_t s = 0; s < mesh.shapes.size(); ++s)
        if (shape_label(mesh, s) == label) mesh.shapes[s].name = name;
    }
    rename_driven_shape(from, label, name);
  }
}

}  // namespace

std::vector<DroppedDriving> add_to_scene(Character from, const std::string& name, const Vec3d& place,
                                         Character& to) {
  if (from.metres_per_unit != to.metres_per_unit)
    scale_lengths(from, from.metres_per_unit / to.metres_per_unit);
  if (has_driven_values(from) || has_driven_values(to)) part_driven_shapes(from, to);
  const AddedSurfaces surfaces = add_surfaces(from, to);
  const std::vector<Index> controls = add_controls(from, to);
  const auto root = static_cast<Index>(to.nodes.size()), first_skin = static_cast<Index>(to.skins.size()),
             first_instance = static_cast<Index>(to.instances.size());
  to.nodes.emplace_back().name = name;
  to.nodes.back().rest.translation = Vec3(place);
  for (Node& node : from.nodes) {
    node.parent = node.parent == kNone ? root : node.parent + root + 1;
    to.nodes.push_back(std::move(node));
  }
  for (Skin& skin : from.skins) {
    for (Index& node : skin.node) node += root + 1;
    to.skins.push_back(std::move(skin));
  }
  for (Instance& instance : from.instances) {
    instance.node += root + 1;
    instance.mesh += surfaces.first_mesh;
    instance.skin = moved_by(instance.skin, first_skin);
    to.instances.push_back(std::move(instance));
  }
  for (Clip& clip : from.clips) {
    for (Channel& channel : clip.channels) {
      const bool is_of_control = channel.path == ChannelPath::control;
      const bool is_of_shapes = channel.path == ChannelPath::shape_weights;
      channel.target = is_of_control  ? controls[at(channel.target)]
                       : is_of_shapes ? channel.target + first_instance
                                      : channel.target + root + 1;
    }
    const auto same = std::find_if(to.clips.begin(), to.clips.end(),
                                   [&](const Clip& other) { return other.name == clip.name; });
    if (same == to.clips.end()) {
      to.clips.push_back(std::move(clip));
      continue;
    }
    join_channels(std::move(clip.channels), *same);
  }
  std::vector<Index> new_node(from.nodes.size());
  std::iota(new_node.begin(), new_node.end(), root + 1);
  return add_driven(from, new_node, to);
}

}  // namespace dermis
