// SPDX-License-Identifier: MIT
// Joints that the user marks, by their common names.
#include "rig/markers.h"

#include <fmt/format.h>

#include <algorithm>

namespace dermis {
namespace {

// Further than this fraction of the box's diagonal from the box, a marker is a mistake or in another unit.
constexpr double kNear = 0.1;

// Joints begin bones; people name the place where they bend.
struct BendName {
  std::string_view bend, joint;
};
constexpr std::array kBends{BendName{"wrist", "hand"}, BendName{"elbow", "forearm"}, BendName{"knee", "shin"},
                            BendName{"ankle", "foot"}, BendName{"hip", "thigh"},     BendName{"chin", "head"},
                            BendName{"groin", "hips"}};
// Mixamo's prefix; further characters in a file have a number before the colon, and programs that do not
// support colons leave it out.
constexpr std::string_view kMixamo = "mixamorig";

// "hand_L" for "wrist_L"; other names stay.
std::string joint_of_bend(std::string_view name) {
  for (const BendName& pair : kBends) {
    if (name.starts_with(pair.bend) && (name.size() == pair.bend.size() || name[pair.bend.size()] == '_'))
      return std::string(pair.joint) + std::string(name.substr(pair.bend.size()));
  }
  return std::string(name);
}

// "LeftHand" for "mixamorig:LeftHand" and "mixamorig4:LeftHand"; other names stay.
std::string_view without_prefix(std::string_view name) {
  const std::size_t colon = name.find(':');
  return name.starts_with(kMixamo) && colon != std::string_view::npos ? name.substr(colon + 1) : name;
}

double distance_to_box(const Box& box, const Vec3d& p) {
  Vec3d beyond;
  for (int axis = 0; axis < 3; ++axis)
    beyond[axis] = std::max({0.0, box.lower[axis] - p[axis], p[axis] - box.upper[axis]});
  return length(beyond);
}

}  // namespace

Index marked_joint(const RigTemplate& rig, std::string_view name) {
  const auto find = [&](const auto& is_meant) {
    const auto found = std::find_if(rig.joints.begin(), rig.joints.end(), is_meant);
    return found == rig.joints.end() ? kNone : static_cast<Index>(found - rig.joints.begin());
  };
  if (const Index own = find([&](const RigTemplate::Joint& joint) { return joint.name == name; });
      own != kNone)
    return own;
  const Index mixamo = find([&](const RigTemplate::Joint& joint) {
    const std::string called = mixamo_name(joint.name);
    return called != joint.name && without_prefix(called) == without_prefix(name);
  });
  if (mixamo != kNone) return mixamo;
  const std::string bent = joint_of_bend(name);
  return find([&](const RigTemplate::Joint& joint) { return joint.name == bent; });
}

std::vector<std::string> marker_names(const RigTemplate& rig) {
  std::vector<std::string> names;
  for (const RigTemplate::Joint& joint : rig.joints) {
    names.push_back(joint.name);
    if (const std::string mixamo = mixamo_name(joint.name); mixamo != joint.name) {
      names.push_back(mixamo);
      names.emplace_back(without_prefix(mixamo));
    }
    for (const BendName& pair : kBends) {
      if (joint.name.starts_with(std::string(pair.joint) + "_") && !joint.is_end)
        names.push_back(std::string(pair.bend) + joint.name.substr(pair.joint.size()));
    }
  }
  return names;
}

Status check_markers(std::span<const RigMarker> markers, std::span<const Vec3> points) {
  Box box;
  for (const Vec3& point : points)
    if (is_finite(point)) box.add(Vec3d(point));
  for (const RigMarker& marker : markers) {
    if (!is_finite(marker.at))
      return Error{Errc::bad_argument,
                   fmt::format("the marker '{}' needs three finite numbers", marker.joint)};
    if (distance_to_box(box, marker.at) <= kNear * box.diagonal()) continue;
    return Error{
        Errc::bad_argument,
        fmt::format("the marker '{}' at {:.4g}, {:.4g}, {:.4g} lies far outside the mesh, which reaches from "
                    "{:.4g}, {:.4g}, {:.4g} to {:.4g}, {:.4g}, {:.4g}; markers are in the units of the file",
                    marker.joint, marker.at.x, marker.at.y, marker.at.z, box.lower.x, box.lower.y,
                    box.lower.z, box.upper.x, box.upper.y, box.upper.z)};
  }
  return Done{};
}

std::vector<Pin> with_mirrored(const RigTemplate& rig, std::span<const Pin> pins, const MirrorPlane& plane,
                               const VoxelSolid& solid) {
  std::vector<Pin> all(pins.begin(), pins.end());
  const auto is_inside = [&](const Vec3d& place) { return solid.find(place) != VoxelSolid::kNoCell; };
  for (const Pin& pin : pins) {
    const Index other = rig.joints[at(pin.joint)].mirror;
    const bool is_known =
        std::any_of(all.begin(), all.end(), [&](const Pin& own) { return own.joint == other; });
    const Vec3d image = plane.mirrored(pin.at);
    if (other != kNone && !is_known && (is_inside(image) || !is_inside(pin.at)))
      all.push_back({other, image});
  }
  return all;
}

void note_markers(std::span<const RigMarker> markers, const VoxelSolid& solid, Notes& notes) {
  for (const RigMarker& marker : markers) {
    if (solid.find(marker.at) != VoxelSolid::kNoCell) continue;
    notes.push_back(
        {Note::Kind::guess, "marker-outside",
         fmt::format("the marker '{}' lies outside the body, and so does its joint", marker.joint)});
  }
}

}  // namespace dermis
