// SPDX-License-Identifier: MIT
// Joins a body and a skeleton that came in different files.
#include <fmt/format.h>

#include <cmath>

#include "bind/places.h"
#include "dermis/motion.h"

namespace dermis {
namespace {

// Files whose units differ by less than this mean the same.
constexpr double kSameUnit = 1e-6;

void scale_clip(Clip& clip, double scale) {
  for (Channel& channel : clip.channels) {
    if (channel.path != ChannelPath::translation) continue;
    for (float& value : channel.values) value = static_cast<float>(value * scale);
  }
}

// The nodes of the skeleton behind those of the body, in the body's units.
void add_nodes(const Character& skeleton, double scale, AttachedBody& attached) {
  std::vector<Node>& nodes = attached.character.nodes;
  attached.first_node = static_cast<Index>(nodes.size());
  for (Node node : skeleton.nodes) {
    if (node.parent != kNone) node.parent += attached.first_node;
    node.rest.translation = Vec3(Vec3d(node.rest.translation) * scale);
    if (node.rest_matrix) node.rest_matrix->translation = Vec3(Vec3d(node.rest_matrix->translation) * scale);
    nodes.push_back(std::move(node));
  }
  for (Clip clip : skeleton.clips) {
    std::erase_if(clip.channels, [](const Channel& channel) {
      return channel.path == ChannelPath::shape_weights || channel.path == ChannelPath::control;
    });
    if (clip.channels.empty()) continue;
    for (Channel& channel : clip.channels) channel.target += attached.first_node;
    scale_clip(clip, scale);
    attached.character.clips.push_back(std::move(clip));
  }
}

// One skin for each instance: its mesh may be shown at several places, and each is bound where it rests.
void add_skins(std::span<const Index> joints, AttachedBody& attached) {
  Character& character = attached.character;
  const std::vector<Affined> world = rest_world(character);
  for (Instance& instance : character.instances) {
    Mesh& mesh = character.meshes[at(instance.mesh)];
    if (!instance.in_scene || mesh.points.empty()) continue;
    Skin skin;
    skin.name = character.nodes[at(instance.node)].name;
    for (const Index joint : joints) {
      skin.node.push_back(joint);
      skin.inverse_bind.push_back(Affine(inverse(world[at(joint)]) * world[at(instance.node)]));
    }
    WeightRowBuilder builder;
    builder.reserve(mesh.points.size(), mesh.points.size());
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
      builder.add(0, 1);
      builder.close_row(0);
    }
    mesh.weights = builder.take();
    instance.skin = static_cast<Index>(character.skins.size());
    character.skins.push_back(std::move(skin));
  }
}

std::vector<Index> joints_of(const Character& skeleton, Index first_node) {
  std::vector<bool> is_joint(skeleton.nodes.size(), skeleton.skins.empty());
  for (const Skin& skin : skeleton.skins) {
    for (const Index node : skin.node) is_joint[at(node)] = true;
  }
  if (skeleton.skins.empty()) {
    for (const Instance& instance : skeleton.instances) is_joint[at(instance.node)] = false;
  }
  std::vector<Index> joints;
  for (std::size_t n = 0; n < is_joint.size(); ++n) {
    if (is_joint[n]) joints.push_back(first_node + static_cast<Index>(n));
  }
  return joints;
}

}  // namespace

Result<AttachedBody> attach_skeleton(const Character& body, const Character& skeleton) {
  return without_throwing("joining body and skeleton", [&]() -> Result<AttachedBody> {
    AttachedBody attached;
    attached.character = body;
    Character& character = attached.character;
    if (!character.skins.empty()) {
      attached.notes.push_back({Note::Kind::loss, "skins-replaced",
                                fmt::format("{} of the body replaced by the new skeleton",
                                            counted(character.skins.size(), "skin was", "skins were"))});
    }
    if (!character.clips.empty()) {
      attached.notes.push_back({Note::Kind::loss, "clips-replaced",
                                fmt::format("{} of the body left out: the new skeleton brings its own",
                                            counted(character.clips.size(), "clip was", "clips were"))});
    }
    character.skins.clear();
    character.clips.clear();
    for (Instance& instance : character.instances) instance.skin = kNone;
    const double scale = skeleton.metres_per_unit / body.metres_per_unit;
    const bool is_rescaled = std::abs(scale - 1) > kSameUnit;
    if (is_rescaled) {
      attached.notes.push_back(
          {skeleton.is_unit_guessed || body.is_unit_guessed ? Note::Kind::guess : Note::Kind::info,
           "skeleton-rescaled",
           fmt::format(
               "the skeleton was scaled by {:.6g}, from its unit of {:.6g} m to the body's of {:.6g} m",
               scale, skeleton.metres_per_unit, body.metres_per_unit)});
    }
    add_nodes(skeleton, is_rescaled ? scale : 1, attached);
    const std::vector<Index> joints = joints_of(skeleton, attached.first_node);
    if (joints.empty()) return Error{Errc::bad_rig, "the skeleton has no joint"};
    add_skins(joints, attached);
    if (character.skins.empty()) return Error{Errc::bad_rig, "the body shows no mesh with points"};
    if (const Status valid = validate(character); !valid) return valid.error();
    return attached;
  });
}

}  // namespace dermis
