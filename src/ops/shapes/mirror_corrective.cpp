// SPDX-License-Identifier: MIT
// The mirror image of a corrective: its name, its shape, its pose, and the space of the joints on the other
// side.
#include "ops/shapes/mirror_corrective.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "dermis/geometry.h"

namespace dermis {
namespace {

// A body that has the joints of a space, and what mirrors it.
struct Mirroring {
  SkinnedBody body;
  MirrorPlane plane;          // in the space of the body
  Vec3d normal;               // of the plane, in the world at rest
  std::vector<Index> joints;  // the nodes on the other side
};

bool has_example(const PoseSpace& space, const std::string& shape) {
  return std::any_of(space.examples.begin(), space.examples.end(),
                     [&](const PoseExample& example) { return example.shape == shape; });
}

Quatd turn_at_rest(const std::vector<Affined>& world, Index node) {
  return quat_from_matrix(polar(world[at(node)].linear).rotation);
}

Vec3d across(const Vec3d& v, const Vec3d& normal) { return v - normal * (2 * dot(normal, v)); }

std::optional<Mirroring> mirroring_of(const Character& character, const PoseSpace& space,
                                      const std::vector<Affined>& world) {
  for (SkinnedBody& body : skinned_bodies(character)) {
    std::vector<std::size_t> slots;
    for (const PoseJoint& joint : space.joints) {
      const auto found = std::find(body.joints.node.begin(), body.joints.node.end(), joint.node);
      if (found != body.joints.node.end())
        slots.push_back(static_cast<std::size_t>(found - body.joints.node.begin()));
    }
    if (slots.size() != space.joints.size()) continue;
    Box box;
    for (const Vec3& point : body.points) box.add(Vec3d(point));
    const std::optional<MirrorPlane> between = plane_between_sides(character, body.joints, box.diagonal());
    if (!between) continue;
    const MirroredSkin mirrored =
        mirror_skin(character, body.joints, fit_mirror_plane(body.points, *between), box.diagonal());
    Mirroring mirroring;
    mirroring.plane = mirrored.plane;
    for (const std::size_t slot : slots) {
      if (mirrored.mirror[slot] == kNone) return std::nullopt;
      mirroring.joints.push_back(body.joints.node[at(mirrored.mirror[slot])]);
    }
    const Affined world_from_body =
        world[at(body.joints.node[slots[0]])] * Affined(body.joints.inverse_bind[slots[0]]);
    mirroring.normal = normalized(world_from_body.linear * mirrored.plane.normal);
    mirroring.body = std::move(body);
    return mirroring;
  }
  return std::nullopt;
}

// A rotation from rest of one joint, as that of the joint on the other side.
Quat mirrored_rotation(const Quat& rotation, const Quatd& own, const Quatd& other, const Vec3d& normal) {
  const Quatd in_world = own * Quatd(rotation) * conjugate(own);
  const Vec3d axis = -across(in_world.xyz(), normal);
  return Quat(normalized(conjugate(other) * Quatd{axis.x, axis.y, axis.z, in_world.w} * other));
}

// The space of the joints on the other side; a new one is like the original.
PoseSpace& other_space(Character& character, const PoseSpace& space, const Mirroring& mirroring,
                       const std::vector<Affined>& world) {
  for (PoseSpace& known : character.pose_spaces) {
    const bool is_it = known.joints.size() == mirroring.joints.size() &&
                       std::all_of(known.joints.begin(), known.joints.end(), [&](const PoseJoint& joint) {
                         return std::count(mirroring.joints.begin(), mirroring.joints.end(), joint.node) > 0;
                       });
    if (is_it) return known;
  }
  PoseSpace made = space;
  made.examples.clear();
  made.name = other_side_of(space.name);
  const auto is_taken = [&] {
    return std::any_of(character.pose_spaces.begin(), character.pose_spaces.end(),
                       [&](const PoseSpace& known) { return known.name == made.name; });
  };
  while (is_taken()) made.name += " mirrored";
  for (std::size_t j = 0; j < made.joints.size(); ++j) {
    PoseJoint& joint = made.joints[j];
    const Vec3d axis = rotate(turn_at_rest(world, joint.node), Vec3d(joint.axis));
    joint.node = mirroring.joints[j];
    joint.axis =
        Vec3(normalized(rotate(conjugate(turn_at_rest(world, joint.node)), across(axis, mirroring.normal))));
  }
  character.pose_spaces.push_back(std::move(made));
  return character.pose_spaces.back();
}

}  // namespace

Status mirror_corrective(const std::string& name, ShapesWork& work) {
  Character& character = work.character();
  const auto owns_it = [&](const PoseSpace& space) { return has_example(space, name); };
  // A copy, because a new space moves the others.
  const PoseSpace space = *std::find_if(character.pose_spaces.begin(), character.pose_spaces.end(), owns_it);
  const PoseExample example = *std::find_if(space.examples.begin(), space.examples.end(),
                                            [&](const PoseExample& one) { return one.shape == name; });
  const std::vector<Affined> world = rest_world(character);
  const std::optional<Mirroring> mirroring = mirroring_of(character, space, world);
  if (!mirroring)
    return Error{Errc::bad_argument,
                 fmt::format("the joints of pose space {} have no mirror images", quoted_name(space.name))};
  PoseExample image = example;
  image.shape = other_side_of(name) != name ? other_side_of(name) : name + "_mirrored";
  PoseSpace& other = other_space(character, space, *mirroring, world);
  if (Status good = check_corrective_name(character, image.shape, other); !good) return good;
  for (std::size_t k = 0; k < other.joints.size(); ++k) {
    const auto found = std::find(mirroring->joints.begin(), mirroring->joints.end(), other.joints[k].node);
    const auto j = static_cast<std::size_t>(found - mirroring->joints.begin());
    image.rotation[k] = mirrored_rotation(example.rotation[j], turn_at_rest(world, space.joints[j].node),
                                          turn_at_rest(world, other.joints[k].node), mirroring->normal);
  }
  std::erase_if(other.examples, [&](const PoseExample& one) { return one.shape == image.shape; });
  other.examples.push_back(image);
  for (const SkinnedBody::Part& part : mirroring->body.parts) {
    const Mesh& mesh = work.mesh(part.mesh);
    const auto shape = std::find_if(mesh.shapes.begin(), mesh.shapes.end(),
                                    [&](const Shape& one) { return one.name == name; });
    if (shape == mesh.shapes.end()) continue;
    const MirrorPairs pairs = pair_mirror_points(mesh.points, mesh.weld, mesh.polygons.first,
                                                 mesh.polygons.corners, mirroring->plane);
    MirroredShape mirrored = mirror_shape(mesh, *shape, mirroring->plane, pairs);
    mirrored.shape.name = image.shape;
    if (mirrored.unpaired_count > 0)
      work.report.notes.push_back(
          {Note::Kind::loss, "shape-points-unpaired",
           fmt::format("corrective {}: {} no mirror image, and nothing on the other side moves with {}",
                       quoted_name(name), counted(mirrored.unpaired_count, "point has", "points have"),
                       mirrored.unpaired_count == 1 ? "it" : "them"),
           "mesh", part.mesh, kNone, mirrored.unpaired_count});
    put_shape(part.mesh, std::move(mirrored.shape), work);
  }
  return Done{};
}

Status check_corrective_name(const Character& character, const std::string& name, const PoseSpace& space) {
  const auto owner = std::find_if(character.pose_spaces.begin(), character.pose_spaces.end(),
                                  [&](const PoseSpace& candidate) { return has_example(candidate, name); });
  if (owner != character.pose_spaces.end()) {
    if (&*owner == &space) return Done{};
    return Error{Errc::bad_argument, fmt::format("{} is a corrective of pose space {}", quoted_name(name),
                                                 quoted_name(owner->name))}
        .with_remedy("name");
  }
  for (const Mesh& mesh : character.meshes)
    for (std::size_t s = 0; s < mesh.shapes.size(); ++s)
      if (shape_label(mesh, s) == name)
        return Error{Errc::bad_argument,
                     fmt::format("there is already a shape {}, which is no corrective", quoted_name(name))}
            .with_remedy("name");
  return Done{};
}

}  // namespace dermis
