// SPDX-License-Identifier: MIT
// Lays a clip and a pose over the rest pose and runs forward kinematics over the forest.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "dermis/motion.h"

namespace dermis {
namespace {

// The local pose of a node while clip and pose are laid over it.
struct LocalPose {
  Transform transform;
  bool is_replaced = false;  // something set translation, rotation or scale: a rest matrix no longer counts
  Quatd turn;
};

std::vector<LocalPose> rest_locals(const Character& character) {
  std::vector<LocalPose> locals(character.nodes.size());
  for (std::size_t n = 0; n < locals.size(); ++n) locals[n].transform = character.nodes[n].rest;
  return locals;
}

Affined parent_from_rest(const Node& node) {
  return node.rest_matrix ? Affined(*node.rest_matrix) : affine_from_transform(node.rest);
}

std::vector<Affined> world_from_locals(const Character& character, const std::vector<Affined>& locals) {
  std::vector<Affined> world(locals.size());
  for (const Index node : parents_first(character.nodes)) {
    const std::size_t n = static_cast<std::size_t>(node);
    const Index parent = character.nodes[n].parent;
    world[n] = parent == kNone ? locals[n] : world[static_cast<std::size_t>(parent)] * locals[n];
  }
  return world;
}

// ---- Clips --------------------------------------------------------------------------------------------

void apply_channel(const Channel& channel, double time, std::vector<LocalPose>& locals, PoseFrame& frame) {
  const std::size_t target = static_cast<std::size_t>(channel.target);
  std::array<float, 4> v{};
  switch (channel.path) {
    case ChannelPath::translation:
      sample_channel(channel, time, std::span(v).first(3));
      locals[target].transform.translation = {v[0], v[1], v[2]};
      break;
    case ChannelPath::rotation:
      sample_channel(channel, time, v);
      locals[target].transform.rotation = {v[0], v[1], v[2], v[3]};
      break;
    case ChannelPath::scale:
      sample_channel(channel, time, std::span(v).first(3));
      locals[target].transform.scale = {v[0], v[1], v[2]};
      break;
    case ChannelPath::shape_weights:
      sample_channel(channel, time, frame.shape_weights[target]);
      return;
    case ChannelPath::control:
      sample_channel(channel, time, std::span(&frame.controls[target], 1));
      return;
  }
  locals[target].is_replaced = true;
}

// ---- Poses --------------------------------------------------------------------------------------------

bool is_finite_quat(const Quat& q) { return std::isfinite(dot(q, q)); }

bool is_finite_pose(const NodePose& pose) {
  return (!pose.translation || is_finite(*pose.translation)) && (!pose.scale || is_finite(*pose.scale)) &&
         (!pose.rotation || is_finite_quat(*pose.rotation)) && (!pose.turn || is_finite_quat(*pose.turn));
}

Status apply_node_poses(const Character& character, const Pose& pose, std::vector<LocalPose>& locals) {
  if (pose.nodes.empty()) return Done{};
  const NodeFinder finder(character);
  for (const NodePose& posed : pose.nodes) {
    const Result<Index> found = finder.find(posed.node);
    if (!found) return prefixed("the pose", found.error());
    if (!is_finite_pose(posed)) {
      return Error{Errc::bad_argument,
                   fmt::format("the pose: a number of node {} is not finite", quoted_name(posed.node))};
    }
    LocalPose& local = locals[static_cast<std::size_t>(*found)];
    if (posed.translation) local.transform.translation = *posed.translation;
    if (posed.rotation) local.transform.rotation = normalized(*posed.rotation);
    if (posed.scale) local.transform.scale = *posed.scale;
    if (posed.translation || posed.rotation || posed.scale) local.is_replaced = true;
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

Status apply_shapes(const Character& character, const Pose& pose, PoseFrame& frame) {
  if (pose.shapes.empty()) return Done{};
  struct ShapeOfMesh {
    std::size_t mesh, shape;
  };
  std::unordered_map<std::string, std::vector<ShapeOfMesh>> by_label;
  for (std::size_t m = 0; m < character.meshes.size(); ++m) {
    for (std::size_t s = 0; s < character.meshes[m].shapes.size(); ++s) {
      by_label[shape_label(character.meshes[m], s)].push_back({m, s});
    }
  }
  // Gathered for each mesh first, so that a mesh with many instances is looked up once.
  std::vector<std::vector<std::pair<std::size_t, float>>> values_of_mesh(character.meshes.size());
  for (const NamedValue& value : pose.shapes) {
    const auto entry = by_label.find(value.name);
    if (entry == by_label.end()) {
      std::vector<std::string_view> known;
      for (const Mesh& mesh : character.meshes) {
        for (const Shape& shape : mesh.shapes) {
          if (!shape.name.empty()) known.push_back(shape.name);
        }
      }
      return unknown_name("shape", value.name, known);
    }
    if (!std::isfinite(value.value)) return not_finite("shape", value.name);
    for (const ShapeOfMesh& s : entry->second) values_of_mesh[s.mesh].emplace_back(s.shape, value.value);
  }
  for (std::size_t k = 0; k < character.instances.size(); ++k) {
    const std::size_t mesh = static_cast<std::size_t>(character.instances[k].mesh);
    for (const auto& [shape, value] : values_of_mesh[mesh]) frame.shape_weights[k][shape] = value;
  }
  return Done{};
}

Status apply_controls(const Character& character, const Pose& pose, PoseFrame& frame) {
  if (pose.controls.empty()) return Done{};
  std::unordered_map<std::string_view, std::size_t> by_name;
  for (std::size_t k = 0; k < character.controls.size(); ++k) by_name[character.controls[k].name] = k;
  for (const NamedValue& value : pose.controls) {
    const auto entry = by_name.find(value.name);
    if (entry == by_name.end()) {
      std::vector<std::string_view> known;
      for (const Control& control : character.controls) known.push_back(control.name);
      return unknown_name("control", value.name, known);
    }
    if (!std::isfinite(value.value)) return not_finite("control", value.name);
    frame.controls[entry->second] = value.value;
  }
  return Done{};
}

Status apply_pose(const Character& character, const Pose& pose, std::vector<LocalPose>& locals,
                  PoseFrame& frame) {
  if (Status s = apply_node_poses(character, pose, locals); !s) return s;
  if (Status s = apply_shapes(character, pose, frame); !s) return s;
  return apply_controls(character, pose, frame);
}

// ---- Kinematics ---------------------------------------------------------------------------------------

void place_nodes(const Character& character, const std::vector<LocalPose>& locals, PoseFrame& frame) {
  frame.parent_from_node.resize(locals.size());
  for (std::size_t n = 0; n < locals.size(); ++n) {
    const LocalPose& local = locals[n];
    const Affined parent_from_node =
        local.is_replaced ? affine_from_transform(local.transform) : parent_from_rest(character.nodes[n]);
    frame.parent_from_node[n] = parent_from_node * Affined(matrix_from_quat(local.turn), Vec3d{});
  }
  frame.world_from_node = world_from_locals(character, frame.parent_from_node);
}

void fill_palette(const Character& character, PoseFrame& frame) {
  frame.palette_first = {0};
  for (const Skin& skin : character.skins) {
    for (std::size_t s = 0; s < skin.node.size(); ++s) {
      const Affined& world_from_joint = frame.world_from_node[static_cast<std::size_t>(skin.node[s])];
      frame.palette.push_back(world_from_joint * Affined(skin.inverse_bind[s]));
    }
    frame.palette_first.push_back(frame.palette.size());
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

}  // namespace

Result<PoseFrame> pose_frame(const Character& character, const PoseRequest& request) {
  return without_throwing("posing the character", [&]() -> Result<PoseFrame> {
    if (Status s = check_request(character, request); !s) return s.error();
    PoseFrame frame;
    frame.time = request.time;
    for (const Instance& instance : character.instances)
      frame.shape_weights.push_back(instance.shape_weights);
    for (const Control& control : character.controls) frame.controls.push_back(control.rest);
    std::vector<LocalPose> locals = rest_locals(character);
    if (request.clip != kNone) {
      for (const Channel& channel : character.clips[static_cast<std::size_t>(request.clip)].channels) {
        apply_channel(channel, request.time, locals, frame);
      }
    }
    if (request.pose != nullptr) {
      if (Status s = apply_pose(character, *request.pose, locals, frame); !s) return s.error();
    }
    place_nodes(character, locals, frame);
    fill_palette(character, frame);
    return frame;
  });
}

std::vector<Affined> rest_world(const Character& character) {
  std::vector<Affined> locals;
  locals.reserve(character.nodes.size());
  for (const Node& node : character.nodes) locals.push_back(parent_from_rest(node));
  return world_from_locals(character, locals);
}

}  // namespace dermis
