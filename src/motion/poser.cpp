// SPDX-License-Identifier: MIT
// Poses characters: clip and pose over the rest pose, then forward kinematics over the forest.
#include "motion/poser.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "motion/driven.h"

namespace dermis {

// The names that poses use. Refers to the character.
struct PoseNames {
  struct ShapeOfMesh {
    std::size_t mesh, shape;
  };
  explicit PoseNames(const Character& character) : nodes(character) {
    for (std::size_t m = 0; m < character.meshes.size(); ++m) {
      for (std::size_t s = 0; s < character.meshes[m].shapes.size(); ++s)
        shapes[shape_label(character.meshes[m], s)].push_back({m, s});
    }
    instances_of_mesh.resize(character.meshes.size());
    for (std::size_t k = 0; k < character.instances.size(); ++k)
      instances_of_mesh[static_cast<std::size_t>(character.instances[k].mesh)].push_back(k);
    for (std::size_t k = 0; k < character.controls.size(); ++k) controls[character.controls[k].name] = k;
  }

  NodeFinder nodes;
  std::unordered_map<std::string, std::vector<ShapeOfMesh>> shapes;  // by label
  std::vector<std::vector<std::size_t>> instances_of_mesh;
  std::unordered_map<std::string_view, std::size_t> controls;
};

namespace {

Affined parent_from_rest(const Node& node) {
  return node.rest_matrix ? Affined(*node.rest_matrix) : affine_from_transform(node.rest);
}

void place_in_world(std::span<const Node> nodes, std::span<const Index> parents_first,
                    std::span<const Affined> locals, std::vector<Affined>& world) {
  world.resize(locals.size());
  for (const Index node : parents_first) {
    const std::size_t n = static_cast<std::size_t>(node);
    const Index parent = nodes[n].parent;
    world[n] = parent == kNone ? locals[n] : world[static_cast<std::size_t>(parent)] * locals[n];
  }
}

// ---- Clips --------------------------------------------------------------------------------------------

// True for keys of what drivers write.
bool is_driven(const DrivenPlan* plan, const Channel& channel) {
  if (plan == nullptr || plan->written.empty()) return false;
  const auto written = [&]() -> const NodeParts& { return plan->written[at(channel.target)]; };
  switch (channel.path) {
    case ChannelPath::translation:
      return written().translation;
    case ChannelPath::rotation:
      return written().rotation;
    case ChannelPath::scale:
      return written().scale;
    default:
      return false;
  }
}

void apply_channel(const Channel& channel, double time, PoseFrame& frame) {
  const std::size_t target = static_cast<std::size_t>(channel.target);
  std::array<float, 4> v{};
  switch (channel.path) {
    case ChannelPath::translation:
      sample_channel(channel, time, std::span(v).first(3));
      frame.local[target].transform.translation = {v[0], v[1], v[2]};
      break;
    case ChannelPath::rotation:
      sample_channel(channel, time, v);
      frame.local[target].transform.rotation = {v[0], v[1], v[2], v[3]};
      break;
    case ChannelPath::scale:
      sample_channel(channel, time, std::span(v).first(3));
      frame.local[target].transform.scale = {v[0], v[1], v[2]};
      break;
    case ChannelPath::shape_weights:
      sample_channel(channel, time, frame.shape_weights[target]);
      return;
    case ChannelPath::control:
      sample_channel(channel, time, std::span(&frame.controls[target], 1));
      return;
  }
  frame.local[target].is_replaced = true;
}

// ---- Poses --------------------------------------------------------------------------------------------

bool is_finite_quat(const Quat& q) { return std::isfinite(dot(q, q)); }

bool is_finite_pose(const NodePose& pose) {
  return (!pose.translation || is_finite(*pose.translation)) && (!pose.scale || is_finite(*pose.scale)) &&
         (!pose.rotation || is_finite_quat(*pose.rotation)) && (!pose.turn || is_finite_quat(*pose.turn));
}

Status apply_node_poses(const PoseNames& names, const Pose& pose, PoseFrame& frame) {
  for (const NodePose& posed : pose.nodes) {
    const Result<Index> found = names.nodes.find(posed.node);
    if (!found) return prefixed("the pose", found.error());
    if (!is_finite_pose(posed)) {
      return Error{Errc::bad_argument,
                   fmt::format("the pose: a number of node {} is not finite", quoted_name(posed.node))};
    }
    LocalPose& local = frame.local[static_cast<std::size_t>(*found)];
    if (posed.translation) local.transform.translation = *posed.translation;
    if (posed.rotation) local.transform.rotation = normalized(*posed.rotation);
    if (posed.scale) local.transform.scale = *posed.scale;
    local.posed = {posed.translation.has_value(), posed.rotation.has_value(), posed.scale.has_value()};
    if (local.posed.any()) local.is_replaced = true;
    if (posed.turn) local.turn = normalized(Quatd(*posed.turn));
  }
  return Done{};
}

Error unknown_name(const char* kind, std::string_view name, const std::vector<std::string_view>& known) {
  const std::string hint =
      known.empty() ? fmt::format(": the character has no {}s", kind) : did_you_mean(name, known);
  return {Errc::bad_argument, fmt::format("the pose: there is no {} {}{}", kind, quoted_name(name), hint)};
}

Error not_finite(const char* kind, std::string_view name) {
  return {Errc::bad_argument,
          fmt::format("the pose: the value of {} {} is not finite", kind, quoted_name(name))};
}

Error unknown_shape(const Character& character, std::string_view name) {
  std::vector<std::string_view> known;
  for (const Mesh& mesh : character.meshes) {
    for (const Shape& shape : mesh.shapes) {
      if (!shape.name.empty()) known.push_back(shape.name);
    }
  }
  return unknown_name("shape", name, known);
}

Status apply_shapes(const Poser& poser, const PoseNames& names, const Pose& pose, PoseFrame& frame) {
  for (const NamedValue& value : pose.shapes) {
    const auto entry = names.shapes.find(value.name);
    if (entry == names.shapes.end()) return unknown_shape(*poser.character, value.name);
    if (!std::isfinite(value.value)) return not_finite("shape", value.name);
    for (const PoseNames::ShapeOfMesh& s : entry->second) {
      for (const std::size_t k : names.instances_of_mesh[s.mesh])
        frame.shape_weights[k][s.shape] = value.value;
    }
  }
  return Done{};
}

Status apply_controls(const Poser& poser, const PoseNames& names, const Pose& pose, PoseFrame& frame) {
  for (const NamedValue& value : pose.controls) {
    const auto entry = names.controls.find(value.name);
    if (entry == names.controls.end()) {
      std::vector<std::string_view> known;
      for (const Control& control : poser.character->controls) known.push_back(control.name);
      return unknown_name("control", value.name, known);
    }
    if (!std::isfinite(value.value)) return not_finite("control", value.name);
    frame.controls[entry->second] = value.value;
  }
  return Done{};
}

Status apply_pose(const Poser& poser, const Pose& pose, PoseFrame& frame) {
  const PoseNames& names = *poser.names;
  if (Status s = apply_node_poses(names, pose, frame); !s) return s;
  if (Status s = apply_shapes(poser, names, pose, frame); !s) return s;
  return apply_controls(poser, names, pose, frame);
}

// ---- Kinematics ---------------------------------------------------------------------------------------

void place_nodes(const Poser& poser, PoseFrame& frame) {
  frame.parent_from_node.resize(frame.local.size());
  for (std::size_t n = 0; n < frame.local.size(); ++n) {
    frame.parent_from_node[n] = local_matrix(poser, frame, static_cast<Index>(n));
  }
  place_in_world(poser.character->nodes, poser.parents_first, frame.parent_from_node, frame.world_from_node);
}

void fill_palette(const Poser& poser, PoseFrame& frame) {
  frame.palette_first = poser.palette_first;
  frame.palette.resize(poser.joint_from_bind.size());
  std::size_t entry = 0;
  for (const Skin& skin : poser.character->skins) {
    for (const Index node : skin.node) {
      frame.palette[entry] =
          frame.world_from_node[static_cast<std::size_t>(node)] * poser.joint_from_bind[entry];
      ++entry;
    }
  }
}

void set_rest(const Character& character, PoseFrame& frame) {
  frame.local.resize(character.nodes.size());
  for (std::size_t n = 0; n < frame.local.size(); ++n)
    frame.local[n] = {character.nodes[n].rest, false, {}, {}};
  frame.shape_weights.resize(character.instances.size());
  for (std::size_t k = 0; k < frame.shape_weights.size(); ++k)
    frame.shape_weights[k] = character.instances[k].shape_weights;
  frame.controls.resize(character.controls.size());
  for (std::size_t k = 0; k < frame.controls.size(); ++k) frame.controls[k] = character.controls[k].rest;
  frame.example_weights.resize(character.pose_spaces.size());
  for (std::size_t k = 0; k < frame.example_weights.size(); ++k)
    frame.example_weights[k].assign(character.pose_spaces[k].examples.size(), 0.0f);
}

// In-betweens and correctives have no weights of their own. Those of in-betweens, at rest or from keys, are
// what a rule made of the weight of its shape when drivers were baked: they are joined to that weight again.
void clear_reserved(const DrivenPlan& plan, PoseFrame& frame) {
  for (const ShapeStops& rule : plan.rules) {
    std::vector<float>& weights = frame.shape_weights[rule.instance];
    for (const ShapeStops::Stop& stop : rule.stops) {
      if (stop.label != nullptr)
        weights[rule.shape] += static_cast<float>(stop.weight) * weights[at(stop.shape)];
    }
  }
  for (const DrivenPlan::Reserved& reserved : plan.reserved) {
    for (const ShapeOfInstance& shape : reserved.shapes) frame.shape_weights[shape.instance][shape.shape] = 0;
  }
}

Status check_request(const Character& character, const PoseRequest& request) {
  if (std::isnan(request.time)) return Error{Errc::bad_argument, "the time to pose at is not a number"};
  const std::size_t clip_count = character.clips.size();
  if (request.clip == kNone || (request.clip >= 0 && static_cast<std::size_t>(request.clip) < clip_count)) {
    return Done{};
  }
  return Error{Errc::bad_argument, fmt::format("there is no clip {}: the character has {}, from 0",
                                               request.clip, counted(clip_count, "clip", "clips"))};
}

// Without names: collecting them costs more than posing without them.
Poser unnamed_poser(const Character& character) {
  Poser poser;
  poser.character = &character;
  poser.parents_first = parents_first(character.nodes);
  poser.parent_from_rest.reserve(character.nodes.size());
  for (const Node& node : character.nodes) poser.parent_from_rest.push_back(parent_from_rest(node));
  poser.palette_first = {0};
  for (const Skin& skin : character.skins) {
    for (const auto& inverse_bind : skin.inverse_bind) poser.joint_from_bind.emplace_back(inverse_bind);
    poser.palette_first.push_back(poser.joint_from_bind.size());
  }
  return poser;
}

}  // namespace

std::vector<bool> moved_nodes(const Poser& poser, Index clip) {
  std::vector<bool> is_moved(poser.character->nodes.size());
  for (const Channel& channel : poser.character->clips[static_cast<std::size_t>(clip)].channels) {
    using enum ChannelPath;
    if (channel.path == translation || channel.path == rotation || channel.path == scale)
      is_moved[static_cast<std::size_t>(channel.target)] = true;
  }
  if (poser.driven == nullptr) return is_moved;
  for (std::size_t n = 0; n < poser.driven->written.size(); ++n)
    is_moved[n] = is_moved[n] || poser.driven->written[n].any();
  return is_moved;
}

Status pose_locally(const Poser& poser, const PoseRequest& request, PoseFrame& frame) {
  const Character& character = *poser.character;
  if (Status s = check_request(character, request); !s) return s;
  frame.time = request.time;
  set_rest(character, frame);
  if (request.clip != kNone) {
    for (const Channel& channel : character.clips[static_cast<std::size_t>(request.clip)].channels) {
      if (!is_driven(poser.driven.get(), channel)) apply_channel(channel, request.time, frame);
    }
  }
  if (poser.driven != nullptr) clear_reserved(*poser.driven, frame);
  if (request.pose != nullptr) {
    if (Status s = apply_pose(poser, *request.pose, frame); !s) return s;
  }
  if (poser.driven == nullptr) return Done{};
  apply_drivers(poser, request, frame);
  apply_shape_rules(poser, request, frame);
  weigh_examples(poser.driven->pose_spaces, frame);
  return Done{};
}

Result<Poser> prepare_poser(const Character& character) {
  return without_throwing("preparing to pose", [&]() -> Result<Poser> {
    Poser poser = unnamed_poser(character);
    poser.names = std::make_shared<const PoseNames>(character);
    if (Status s = prepare_driven(poser, kNone); !s) return s.error();
    return poser;
  });
}

Status pose(const Poser& poser, const PoseRequest& request, PoseFrame& frame) {
  return without_throwing("posing the character", [&]() -> Status {
    if (Status s = pose_locally(poser, request, frame); !s) return s;
    place_nodes(poser, frame);
    fill_palette(poser, frame);
    return Done{};
  });
}

Result<PoseFrame> pose_frame(const Character& character, const PoseRequest& request) {
  return without_throwing("posing the character", [&]() -> Result<PoseFrame> {
    Poser poser = unnamed_poser(character);
    if (request.pose != nullptr) poser.names = std::make_shared<const PoseNames>(character);
    if (Status s = check_request(character, request); !s) return s.error();
    if (Status s = prepare_driven(poser, request.clip); !s) return s.error();
    PoseFrame frame;
    if (Status s = pose(poser, request, frame); !s) return s.error();
    return frame;
  });
}

std::vector<Affined> rest_world(const Character& character) {
  if (!character.drivers.empty()) {
    // Only memory can run out.
    if (Result<PoseFrame> frame = pose_frame(character, {}); frame) return std::move(frame->world_from_node);
  }
  std::vector<Affined> locals, world;
  locals.reserve(character.nodes.size());
  for (const Node& node : character.nodes) locals.push_back(parent_from_rest(node));
  place_in_world(character.nodes, parents_first(character.nodes), locals, world);
  return world;
}

}  // namespace dermis
