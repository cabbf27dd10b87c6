// SPDX-License-Identifier: MIT
// Bodies whose skeletons are known, for the search to find.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "characters.h"
#include "dermis/made.h"
#include "dermis/rig.h"
#include "geometry/soups.h"
#include "rig/graph.h"

namespace dermis::test {

struct Capsule {
  Vec3d from, to;
  double radius = 1;
};

// The union of capsules; the distance is exact outside and near the surface.
class CapsuleField : public Field {
 public:
  explicit CapsuleField(std::vector<Capsule> capsules) : capsules_(std::move(capsules)) {}
  double value(const Vec3d& point) const override {
    double nearest = INFINITY;
    for (const Capsule& capsule : capsules_)
      nearest = std::min(nearest, distance_to_segment(point, capsule.from, capsule.to) - capsule.radius);
    return nearest;
  }
  std::shared_ptr<const Field> restricted(const Vec3d&, double) const override {
    return std::make_shared<CapsuleField>(capsules_);
  }

 private:
  std::vector<Capsule> capsules_;
};

// One closed surface around all of the capsules.
inline Soup capsule_soup(const std::vector<Capsule>& capsules, double cell) {
  IsosurfaceOptions options;
  options.cell = cell;
  for (const Capsule& capsule : capsules) {
    const double margin = capsule.radius + 3 * cell;
    for (const Vec3d& end : {capsule.from, capsule.to}) {
      options.box.add(end - Vec3d{margin, margin, margin});
      options.box.add(end + Vec3d{margin, margin, margin});
    }
  }
  const Result<SurfaceMesh> mesh = mesh_isosurface(CapsuleField(capsules), options);
  EXPECT_TRUE(mesh) << (mesh ? "" : mesh.error().sentence);
  Soup soup;
  if (!mesh) return soup;
  for (const Vec3d& point : mesh->points) soup.points.push_back(Vec3(point));
  soup.triangles = mesh->triangles;
  return soup;
}

inline VoxelSolid solid_of(const Soup& soup, double cell) {
  Result<VoxelSolid> solid = voxelize_solid(soup.points, soup.triangles, {.cell = cell});
  EXPECT_TRUE(solid) << (solid ? "" : solid.error().sentence);
  return solid ? std::move(solid).value() : VoxelSolid{};
}

inline BodySolid body_of(const Soup& soup, double cell) { return survey_solid(solid_of(soup, cell)); }

// Five arms of different lengths about the origin, in the plane z = 0 but for the last.
inline std::vector<Vec3d> star_tips() { return {{10, 0, 0}, {-8, 0, 0}, {0, 9, 0}, {0, -7, 0}, {0, 0, 6}}; }
inline constexpr double kStarRadius = 0.8;
inline Soup star_soup() {
  std::vector<Capsule> arms;
  for (const Vec3d& tip : star_tips()) arms.push_back({{}, tip - normalized(tip) * kStarRadius, kStarRadius});
  return capsule_soup(arms, 0.3);
}

// A person of capsules with the arms out: head, trunk, limbs with waists at wrists and ankles.
inline std::vector<Capsule> doll() {
  std::vector<Capsule> parts{{{0, 1.0, 0}, {0, 1.4, 0}, 0.13},
                             {{0, 1.4, 0}, {0, 1.55, 0}, 0.055},
                             {{0, 1.64, 0}, {0, 1.68, 0}, 0.1}};
  for (const double side : {1.0, -1.0}) {
    parts.push_back({{side * 0.1, 1.42, 0}, {side * 0.66, 1.42, 0}, 0.045});
    parts.push_back({{side * 0.66, 1.42, 0}, {side * 0.7, 1.42, 0}, 0.03});
    parts.push_back({{side * 0.75, 1.42, 0}, {side * 0.82, 1.42, 0}, 0.045});
    parts.push_back({{side * 0.09, 0.95, 0}, {side * 0.11, 0.08, 0}, 0.07});
    parts.push_back({{side * 0.11, 0.05, 0}, {side * 0.11, 0.04, 0.17}, 0.04});
  }
  return parts;
}
inline const Soup& doll_soup() {
  static const Soup soup = capsule_soup(doll(), 0.022);
  return soup;
}

// Whether joints deform most of what a character shows: the rest is worn or carried.
inline bool is_mostly_skinned(const Character& character) {
  double skinned = 0, all = 0;
  for (const Instance& instance : character.instances) {
    if (!instance.in_scene || instance.mesh == kNone) continue;
    const auto count = static_cast<double>(character.meshes[at(instance.mesh)].points.size());
    all += count;
    skinned += instance.skin == kNone ? 0 : count;
  }
  return skinned > 0.5 * all;
}

// The body of a character where it rests, coincident points of a mesh as one. With a group, only the polygons
// of that group.
inline Soup rest_soup(const Character& character, const std::string& group = "") {
  Soup soup;
  const bool is_skinned_alone = is_mostly_skinned(character);
  const Result<PoseFrame> rest = pose_frame(character, {});
  EXPECT_TRUE(rest);
  for (const Instance& instance : character.instances) {
    if (!instance.in_scene || instance.mesh == kNone || (is_skinned_alone && instance.skin == kNone))
      continue;
    const Mesh& mesh = character.meshes[at(instance.mesh)];
    Soup own;
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
      const Vec3d point(mesh.points[v]);
      Vec3d place;
      if (instance.skin == kNone) {
        place = rest->world_from_node[at(instance.node)] * point;
      } else {
        const std::span<const Affined> palette = rest->palette_of(instance.skin);
        for (const Influence& one : mesh.weights.row(v))
          place += (palette[at(one.slot)] * point) * double{one.weight};
      }
      own.points.push_back(Vec3(place));
    }
    for (const MeshPart& part : mesh.parts) {
      if (!group.empty() && part.groups != group) continue;
      for (Index p = part.first_polygon; p < part.first_polygon + part.polygon_count; ++p) {
        const std::span<const Index> c = mesh.polygons.polygon(at(p));
        const auto corner = [&](std::size_t k) { return static_cast<std::uint32_t>(mesh.weld[at(c[k])]); };
        for (std::size_t k = 1; k + 1 < c.size(); ++k)
          own.triangles.push_back({corner(0), corner(k), corner(k + 1)});
      }
    }
    soup.add(own);
  }
  // Points that no triangle uses fill cells too: leave them out.
  std::vector<std::uint32_t> place(soup.points.size(), UINT32_MAX);
  Soup used;
  for (SurfaceMesh::Triangle triangle : soup.triangles) {
    for (std::uint32_t& v : triangle) {
      if (place[v] == UINT32_MAX) {
        place[v] = static_cast<std::uint32_t>(used.points.size());
        used.points.push_back(soup.points[v]);
      }
      v = place[v];
    }
    used.triangles.push_back(triangle);
  }
  return used;
}

inline const Character& made(MadeKind kind) {
  static std::map<MadeKind, Character> kept;
  const auto found = kept.find(kind);
  if (found != kept.end()) return found->second;
  Result<Character> character = make_character(kind, {6000});
  EXPECT_TRUE(character);
  return kept.emplace(kind, std::move(character).value()).first->second;
}
inline const Soup& made_soup(MadeKind kind) {
  static std::map<MadeKind, Soup> kept;
  const auto found = kept.find(kind);
  return found != kept.end() ? found->second : kept.emplace(kind, rest_soup(made(kind))).first->second;
}

inline Soup moved(Soup soup, const Affined& map) {
  for (Vec3& point : soup.points) point = Vec3(map * Vec3d(point));
  return soup;
}

// The largest side of the box around the points.
inline double size_of(const Soup& soup) {
  Box box;
  for (const Vec3& point : soup.points) box.add(Vec3d(point));
  const Vec3d side = box.upper - box.lower;
  return std::max({side.x, side.y, side.z});
}

inline Result<FoundSkeleton> find_in(const Soup& soup, const RigOptions& options) {
  return find_skeleton(soup.points, soup.triangles, options);
}

// A third of what is usual: enough for limbs as thick as those here, and quicker.
inline constexpr std::size_t kFewCells = 30'000;

// All built-in templates; what fits best is taken.
inline RigOptions any_template() {
  RigOptions options;
  options.cells = kFewCells;
  options.templates.assign(rig_templates().begin(), rig_templates().end());
  return options;
}
inline RigOptions only(std::string_view name) {
  RigOptions options;
  options.cells = kFewCells;
  for (const RigTemplate& rig : rig_templates())
    if (rig.name == name) options.templates.push_back(rig);
  options.can_extract = false;
  return options;
}

inline const FoundJoint* joint_named(const FoundSkeleton& found, std::string_view name) {
  for (const FoundJoint& joint : found.joints)
    if (joint.name == name) return &joint;
  return nullptr;
}

// The farthest any joint of `b` is from where the joint of its name in `a` goes by the map.
inline double farthest_joint(const FoundSkeleton& a, const FoundSkeleton& b, const Affined& map) {
  double farthest = a.joints.size() == b.joints.size() ? 0 : INFINITY;
  for (const FoundJoint& joint : a.joints) {
    const FoundJoint* other = joint_named(b, joint.name);
    farthest = std::max(farthest, other == nullptr ? INFINITY : length(other->at - map * joint.at));
  }
  return farthest;
}

}  // namespace dermis::test
