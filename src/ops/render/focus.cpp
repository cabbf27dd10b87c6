// SPDX-License-Identifier: MIT
// Finds the points that --focus names, and places cameras before them.
#include "ops/render/focus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dermis {
namespace {

// The least weight with which a point belongs to a joint: it takes in the crease, where two joints meet.
constexpr float kOwnShare = 0.25f;
// The only child of a joint counts if it begins within this part of the distance that the joint's own points
// reach: a wrist is at the end of the forearm, and is not a part of the elbow. Several children, such as
// fingers, always count.
constexpr double kWithin = 0.9;
// Points that follow descendants count if these have at least this share of them.
constexpr float kMostly = 0.5f;
// And up to this multiple of that distance: a hip has no feet.
constexpr double kNear = 2;

// How much each point of the drawn meshes follows the chosen nodes.
std::vector<std::vector<float>> shares_of(const Character& character, const std::vector<bool>& is_chosen) {
  std::vector<std::vector<float>> shares;
  for (const Instance& instance : character.instances) {
    if (!instance.in_scene) continue;
    const Mesh& mesh = character.meshes[at(instance.mesh)];
    const bool is_rigid = instance.skin == kNone;
    std::vector<float>& share =
        shares.emplace_back(mesh.points.size(), is_rigid && is_chosen[at(instance.node)] ? 1.0f : 0.0f);
    if (is_rigid) continue;
    const Skin& skin = character.skins[at(instance.skin)];
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
      for (const Influence& influence : mesh.weights.row(v))
        share[v] += is_chosen[at(skin.node[at(influence.slot)])] ? influence.weight : 0;
    }
  }
  return shares;
}

// A joint, and those below it that drivers move: they share its bone.
std::vector<bool> joint_with_helpers(const Character& character, Index joint) {
  std::vector<bool> is_part(character.nodes.size(), false);
  const std::vector<NodeParts> driven = driven_parts(character);
  for (std::size_t n = 0; n < driven.size(); ++n)
    is_part[n] = character.nodes[n].parent == joint && driven[n].any();
  is_part[at(joint)] = true;
  return is_part;
}

// True for a joint that several others continue: a hand with its fingers.
bool is_branching(const Character& character, const std::vector<bool>& is_part, Index joint) {
  std::size_t count = 0;
  for (std::size_t n = 0; n < character.nodes.size(); ++n)
    count += character.nodes[n].parent == joint && !is_part[n] ? 1 : 0;
  return count > 1;
}

// The joint and its descendants that are at most this far from it, and so are their ancestors in between.
std::vector<bool> near_nodes(const Character& character, const PoseFrame& rest, Index joint,
                             double distance) {
  const Vec3d place = rest.world_from_node[at(joint)].translation;
  std::vector<bool> is_near(character.nodes.size(), false);
  for (const Index node : parents_first(character.nodes)) {
    const Index parent = character.nodes[at(node)].parent;
    is_near[at(node)] =
        node == joint || (parent != kNone && is_near[at(parent)] &&
                          length(rest.world_from_node[at(node)].translation - place) <= distance);
  }
  return is_near;
}

// The longest bone at a joint: to its parent or a child.
double bone_length(const Character& character, const PoseFrame& rest, Index joint) {
  const auto place = [&](Index node) { return rest.world_from_node[at(node)].translation; };
  double longest = 0;
  for (std::size_t n = 0; n < character.nodes.size(); ++n) {
    const Index parent = character.nodes[n].parent;
    if (parent == kNone || (parent != joint && static_cast<Index>(n) != joint)) continue;
    longest = std::max(longest, length(place(static_cast<Index>(n)) - place(parent)));
  }
  return longest;
}

Result<Focus> focus_on_joint(const RenderWork& work, const ShotMaker& maker, Index joint,
                             const Progress& progress, Notes& notes) {
  const Character& character = maker.character();
  const Result<PoseFrame> frame = pose_frame(character, {});
  if (!frame) return work.about(frame.error());
  const Result<Character> rest = bare_at_rest(character, work.input, maker.run(progress));
  if (!rest) return rest.error();
  const std::vector<bool> is_joint = joint_with_helpers(character, joint);
  const std::vector<std::vector<float>> own = shares_of(character, is_joint);
  const Vec3d place = frame->world_from_node[at(joint)].translation;
  const auto distance = [&](std::size_t m, std::size_t v) {
    return length(Vec3d(rest->meshes[m].points[v]) - place);
  };
  double reach = 0;
  for (std::size_t m = 0; m < own.size(); ++m) {
    for (std::size_t v = 0; v < own[m].size(); ++v)
      if (own[m][v] >= kOwnShare) reach = std::max(reach, distance(m, v));
  }
  if (reach == 0) reach = INFINITY;  // nothing follows the joint itself: its descendants count whole
  const std::vector<std::vector<float>> all =
      shares_of(character, near_nodes(character, *frame, joint,
                                      is_branching(character, is_joint, joint) ? INFINITY : kWithin * reach));
  Focus focus{.is_everything = false, .node = joint};
  std::size_t count = 0;
  for (std::size_t m = 0; m < own.size(); ++m) {
    std::vector<Index>& points = focus.points.emplace_back();
    for (std::size_t v = 0; v < own[m].size(); ++v) {
      const bool is_near = all[m][v] >= kMostly && distance(m, v) <= kNear * reach;
      if (own[m][v] >= kOwnShare || is_near) points.push_back(static_cast<Index>(v));
    }
    count += points.size();
  }
  if (count > 0) return focus;
  focus.radius = bone_length(character, *frame, joint);
  if (focus.radius > 0) {
    if (shown_point_count(character) == 0) return focus;
    notes.push_back(
        {Note::Kind::info, "focus-follows-nothing",
         fmt::format("{}: no point follows {}, so the picture shows the length of its bones around it",
                     work.input, quoted_name(work.focus))});
    return focus;
  }
  return Error{Errc::bad_argument, fmt::format("{}: no point follows node {}, so there is nothing to show",
                                               work.input, quoted_name(work.focus))};
}

// The drawn meshes for which `is_meant` holds, completely.
template <class IsMeant>
Focus focus_on_meshes(const Character& character, const IsMeant& is_meant) {
  Focus focus{.is_everything = false};
  for (const Instance& instance : character.instances) {
    if (!instance.in_scene) continue;
    std::vector<Index>& points = focus.points.emplace_back();
    if (!is_meant(instance)) continue;
    // What no polygon uses is invisible.
    std::vector<bool> is_used(character.meshes[at(instance.mesh)].points.size(), false);
    for (const Index v : character.meshes[at(instance.mesh)].polygons.corners) is_used[at(v)] = true;
    for (std::size_t v = 0; v < is_used.size(); ++v)
      if (is_used[v]) points.push_back(static_cast<Index>(v));
  }
  return focus;
}

Error no_such_focus(const RenderWork& work, const Character& character) {
  std::vector<std::string_view> names;
  for (const Node& node : character.nodes) {
    if (!node.name.empty()) names.emplace_back(node.name);
  }
  for (const Mesh& mesh : character.meshes) {
    if (!mesh.name.empty()) names.emplace_back(mesh.name);
  }
  return {Errc::bad_argument, fmt::format("{}: there is no joint, node or mesh {}{}", work.input,
                                          quoted_name(work.focus), did_you_mean(work.focus, names))};
}

void add_corners(const Box& box, std::vector<Vec3>& points) {
  if (box.is_empty()) return;
  for (const double x : {box.lower.x, box.upper.x}) {
    for (const double y : {box.lower.y, box.upper.y}) {
      for (const double z : {box.lower.z, box.upper.z}) points.emplace_back(Vec3d{x, y, z});
    }
  }
}

Box box_of_points(std::span<const Vec3> points) {
  Box box;
  for (const Vec3& point : points) {
    if (is_finite(point)) box.add(Vec3d(point));
  }
  return box;
}

}  // namespace

Result<Focus> find_focus(const RenderWork& work, const ShotMaker& maker, const Progress& progress,
                         Notes& notes) {
  if (work.focus.empty()) return Focus{};
  const Character& character = maker.character();
  const Result<Index> node = find_node(character, work.focus);
  if (node && skin_joints(character)[at(*node)]) return focus_on_joint(work, maker, *node, progress, notes);
  const auto shows = [&](const Instance& instance) {
    return instance.in_scene && !character.meshes[at(instance.mesh)].polygons.corners.empty();
  };
  const auto is_of_mesh = [&](const Instance& instance) {
    return shows(instance) && character.meshes[at(instance.mesh)].name == work.focus;
  };
  if (std::any_of(character.instances.begin(), character.instances.end(), is_of_mesh))
    return focus_on_meshes(character, is_of_mesh);
  if (!node) {
    const auto has_name = [&](const Node& one) { return one.name == work.focus; };
    if (std::any_of(character.nodes.begin(), character.nodes.end(), has_name))
      return work.about(node.error());
    return no_such_focus(work, character);
  }
  // A node does not move the skinned mesh that it shows.
  const auto is_shown_here = [&](const Instance& instance) {
    return shows(instance) && instance.node == *node && instance.skin != kNone;
  };
  if (std::any_of(character.instances.begin(), character.instances.end(), is_shown_here))
    return focus_on_meshes(character, is_shown_here);
  return focus_on_joint(work, maker, *node, progress, notes);
}

Vec3d Framing::place(const Shot& shot) const {
  return focus_.node == kNone ? Vec3d{} : shot.frame.world_from_node[at(focus_.node)].translation;
}

// Relative to the place. A joint is in the middle: each point counts on both sides of it.
std::vector<Vec3> Framing::region(const Shot& shot) const {
  std::vector<Vec3> points;
  if (focus_.node == kNone && focus_.is_everything) return points_of(shot.drawing);
  for (std::size_t m = 0; m < focus_.points.size(); ++m) {
    for (const Index v : focus_.points[m]) {
      const Vec3d arm = Vec3d(shot.still.meshes[m].points[at(v)]) - place(shot);
      points.emplace_back(arm);
      if (focus_.node != kNone) points.emplace_back(-arm);
    }
  }
  const double r = focus_.radius;
  if (points.empty()) add_corners(Box{Vec3d{-r, -r, -r}, Vec3d{r, r, r}}, points);
  return points;
}

void Framing::add_points(const Shot& shot) {
  for (const Vec3& point : points_of(shot.drawing)) all_.emplace_back(Vec3d(point) - place(shot));
  if (focus_.is_everything) return;
  const std::vector<Vec3> more = region(shot);
  shown_.insert(shown_.end(), more.begin(), more.end());
}

void Framing::add_box(const Shot& shot) {
  const Box box = shot.drawing.box();
  if (!box.is_empty()) add_corners(Box{box.lower - place(shot), box.upper - place(shot)}, all_);
  if (!focus_.is_everything) add_corners(box_of_points(region(shot)), shown_);
}

Camera Framing::placed(const std::vector<Vec3>& all, const std::vector<Vec3>& shown, const Vec3d& place,
                       double aspect) const {
  Camera camera = focus_.is_everything ? frame_points(all, work_.view, aspect)
                                       : frame_region(all, shown, work_.view, aspect);
  camera = zoomed(camera, work_.zoom);
  camera.eye = camera.eye + place;
  camera.target = camera.target + place;
  return camera;
}

Camera Framing::camera(const Shot& shot, double aspect) const {
  return placed(all_, shown_, place(shot), aspect);
}

Vec3d Framing::middle(const Shot& shot) const { return place(shot) + box_of_points(region(shot)).centre(); }

Camera Framing::turning_camera(const Shot& shot, double aspect) const {
  const Vec3d axis = middle(shot) - place(shot);
  return placed(turning_points(all_, axis), turning_points(shown_, axis), place(shot), aspect);
}

}  // namespace dermis
