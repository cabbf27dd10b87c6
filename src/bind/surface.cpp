// SPDX-License-Identifier: MIT
// The skinned meshes of a character as one surface, and rows of that surface written back into the meshes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>

#include "bind/body_box.h"
#include "bind/mesh_seams.h"
#include "bind/places.h"
#include "bind/row_cut.h"
#include "dermis/motion.h"

namespace dermis {
namespace {

// Weights below this are cut when rows are written into meshes: too small to see, since the rest fades to it.
constexpr double kFaint = 0.01;
// A weight that faded to less than this moves nothing visibly, and would only use up a place in the row.
constexpr double kFaded = 1e-4;

// Points of a mesh whose rows are written at a time.
constexpr std::size_t kRowsTogether = 4096;

// Binds that differ by less than this, in units of the file, are equal up to rounding.
constexpr double kSameBind = 1e-6;

// The shells of points joined by triangles, numbered by their lowest point.
std::size_t number_shells(std::span<const SurfaceMesh::Triangle> triangles,
                          std::vector<std::uint32_t>& shell) {
  std::iota(shell.begin(), shell.end(), 0u);
  const auto root = [&](std::uint32_t v) {
    while (shell[v] != v) v = shell[v] = shell[shell[v]];
    return v;
  };
  for (const SurfaceMesh::Triangle& triangle : triangles) {
    for (const std::uint32_t other : {triangle[1], triangle[2]}) {
      const std::uint32_t a = root(triangle[0]), b = root(other);
      shell[std::max(a, b)] = std::min(a, b);
    }
  }
  std::uint32_t count = 0;
  for (std::uint32_t v = 0; v < shell.size(); ++v) shell[v] = shell[v] == v ? count++ : shell[shell[v]];
  return count;
}

bool holds(const BodyBox& box, const BindSurface& surface, const SurfaceMesh::Triangle& t) {
  return box.holds(surface.points[t[0]]) && box.holds(surface.points[t[1]]) &&
         box.holds(surface.points[t[2]]);
}

// Turns the normals of shells that are wound inside out: those whose triangles face their middle more than
// away from it. Far points are left out: the area of one triangle to them would outweigh all others.
void turn_outwards(const BodyBox& box, BindSurface& surface) {
  std::vector<Vec3d> middle(surface.shell_count);
  std::vector<double> area(surface.shell_count, 0), facing(surface.shell_count, 0);
  const auto each = [&](const auto& visit) {
    for (const SurfaceMesh::Triangle& t : surface.triangles) {
      if (!holds(box, surface, t)) continue;
      const Vec3d a(surface.points[t[0]]), b(surface.points[t[1]]), c(surface.points[t[2]]);
      visit(surface.shell[t[0]], (a + b + c) * (1.0 / 3), cross(b - a, c - a));
    }
  };
  each([&](std::uint32_t shell, const Vec3d& centre, const Vec3d& normal) {
    middle[shell] += centre * length(normal);
    area[shell] += length(normal);
  });
  for (std::size_t s = 0; s < middle.size(); ++s) {
    if (area[s] > 0) middle[s] *= 1 / area[s];
  }
  each([&](std::uint32_t shell, const Vec3d& centre, const Vec3d& normal) {
    facing[shell] += dot(centre - middle[shell], normal);
  });
  for (std::size_t v = 0; v < surface.points.size(); ++v) {
    if (facing[surface.shell[v]] < 0) surface.normals[v] = -surface.normals[v];
  }
}

void finish(BindSurface& surface) {
  const BodyBox box = surface.points.empty() ? BodyBox{} : body_box(surface.points);
  std::vector<std::uint32_t> first{0};
  std::vector<std::int32_t> corners;
  first.reserve(surface.triangles.size() + 1);
  corners.reserve(3 * surface.triangles.size());
  for (const SurfaceMesh::Triangle& t : surface.triangles) {
    if (!holds(box, surface, t)) continue;
    for (const std::uint32_t v : t) corners.push_back(static_cast<std::int32_t>(v));
    first.push_back(static_cast<std::uint32_t>(corners.size()));
  }
  surface.normals = point_normals(surface.points, first, corners);
  surface.shell.resize(surface.points.size());
  surface.shell_count = number_shells(surface.triangles, surface.shell);
  turn_outwards(box, surface);
  surface.size = box.near.diagonal();
  surface.far_point_count = box.far_count;
  // A body without size is one point: any size will do.
  if (!(surface.size > 0)) surface.size = 1;
}

// The transform from the bind space of `skin` to that of the first: through a joint that both name, or
// through their rest poses.
Affined between_binds(const Character& character, const PoseFrame& rest, Index first, Index skin) {
  if (skin == first) return {};
  const Skin& a = character.skins[at(first)];
  const Skin& b = character.skins[at(skin)];
  for (std::size_t s = 0; s < b.node.size(); ++s) {
    const auto shared = std::find(a.node.begin(), a.node.end(), b.node[s]);
    if (shared == a.node.end()) continue;
    const Affined between =
        inverse(Affined(a.inverse_bind[at(static_cast<Index>(shared - a.node.begin()))])) *
        Affined(b.inverse_bind[s]);
    // Copies of one skin: coincident points must stay so to the last bit.
    if (max_difference(between, Affined{}) < kSameBind) return {};
    if (is_finite(between)) return between;
  }
  const std::span<const Affined> to = rest.palette_of(first), from = rest.palette_of(skin);
  if (to.empty() || from.empty()) return {};
  const Affined between = inverse(to[0]) * from[0];
  return is_finite(between) ? between : Affined{};
}

void add_instance(const Character& character, Index instance, const Affined& surface_from_bind,
                  BindSurface& surface) {
  const Mesh& mesh = character.meshes[at(character.instances[at(instance)].mesh)];
  const WeldedSurface welded = weld_surface(mesh.weld, mesh.polygons.first, mesh.polygons.corners);
  const auto base = static_cast<std::uint32_t>(surface.points.size());
  surface.instances.push_back(instance);
  surface.surface_from_bind.push_back(surface_from_bind);
  std::vector<std::uint32_t>& points_of = surface.points_of.emplace_back();
  points_of.reserve(mesh.points.size());
  for (const std::int32_t v : welded.welded) points_of.push_back(base + static_cast<std::uint32_t>(v));
  surface.points.reserve(surface.points.size() + welded.point_count());
  for (const std::int32_t v : welded.source) {
    const Vec3 point(surface_from_bind * Vec3d(mesh.points[at(v)]));
    surface.points.push_back(is_finite(point) ? point : Vec3{});
  }
  for (const SurfaceMesh::Triangle& triangle : welded.triangles)
    surface.triangles.push_back({triangle[0] + base, triangle[1] + base, triangle[2] + base});
}

// For each joint the slot of `skin` that takes its weight: its own, that of its nearest ancestor, or the
// nearest one.
std::vector<Index> slots_for(const Character& character, const Skin& skin, const BindSkeleton& skeleton,
                             const Affined& surface_from_bind) {
  std::unordered_map<Index, Index> slot_of;
  std::vector<Vec3d> places;
  places.reserve(skin.node.size());
  for (std::size_t s = 0; s < skin.node.size(); ++s) {
    slot_of.emplace(skin.node[s], static_cast<Index>(s));
    places.push_back(surface_from_bind * inverse(Affined(skin.inverse_bind[s])).translation);
  }
  const auto slot_above = [&](Index node) {
    for (; node != kNone; node = character.nodes[at(node)].parent) {
      if (const auto found = slot_of.find(node); found != slot_of.end()) return found->second;
    }
    return kNone;
  };
  std::vector<Index> slots(skeleton.joint_count(), kNone);
  for (const JointSegment& segment : skeleton.segments) {
    Index& slot = slots[at(segment.joint)];
    if (slot == kNone) slot = slot_above(skeleton.node[at(segment.joint)]);
    if (slot != kNone) continue;
    const auto nearer = [&](const Vec3d& a, const Vec3d& b) {
      return length(a - segment.from) < length(b - segment.from);
    };
    slot = static_cast<Index>(std::min_element(places.begin(), places.end(), nearer) - places.begin());
  }
  return slots;
}

// Notes the instances of a mesh whose weights were made for another skin.
void note_other_skins(const Character& character, Index bound, Notes& notes) {
  const Instance& instance = character.instances[at(bound)];
  std::vector<Index> others;
  for (std::size_t i = 0; i < character.instances.size(); ++i) {
    const Instance& other = character.instances[i];
    if (other.mesh == instance.mesh && other.skin != kNone && other.skin != instance.skin)
      others.push_back(static_cast<Index>(i));
  }
  if (others.empty()) return;
  const std::string& skin = character.skins[at(instance.skin)].name;
  notes.push_back(
      {Note::Kind::loss, "mesh-with-several-skins",
       fmt::format("mesh {} {} is shown with several skins; it was bound to skin {}{}, used by {}; at {} its "
                   "weights may not fit (a separate mesh for each node would)",
                   instance.mesh, quoted_name(character.meshes[at(instance.mesh)].name), instance.skin,
                   skin.empty() ? std::string() : fmt::format(" {}", quoted_name(skin)),
                   nodes_showing(character, {&bound, 1}), nodes_showing(character, others)),
       "mesh", instance.mesh, -1, others.size()});
}

// Rows of some points of a mesh, and how many of these follow a joint that the skin does not name.
struct RowsOfPart {
  WeightRows rows;
  std::size_t handed_on = 0;
};

WeightRows joined_rows(std::span<const RowsOfPart> parts) {
  WeightRows all;
  std::size_t row_count = 0, influence_count = 0;
  for (const RowsOfPart& part : parts) {
    row_count += part.rows.first.size() - 1;
    influence_count += part.rows.influences.size();
  }
  all.first.reserve(row_count + 1);
  all.influences.reserve(influence_count);
  all.first.push_back(0);
  for (const RowsOfPart& part : parts) {
    const auto base = static_cast<std::uint32_t>(all.influences.size());
    for (std::size_t r = 1; r < part.rows.first.size(); ++r) all.first.push_back(base + part.rows.first[r]);
    all.influences.insert(all.influences.end(), part.rows.influences.begin(), part.rows.influences.end());
  }
  return all;
}

}  // namespace

Status check_bindable(const BindSurface& surface, const BindSkeleton& skeleton) {
  if (skeleton.joint_count() == 0) return Error{Errc::bad_rig, "there is no joint to bind to"};
  if (surface.points.empty()) return Error{Errc::bad_rig, "there is no point to bind"};
  return Done{};
}

Result<std::shared_ptr<const RayTree>> rays_of(const BindSurface& surface, const Progress& progress) {
  if (surface.rays != nullptr) return surface.rays;
  Result<RayTree> rays = build_ray_tree(surface.points, surface.triangles, progress);
  if (!rays) return rays.error();
  return std::make_shared<const RayTree>(std::move(*rays));
}

Result<BindSurface> bind_surface(const Character& character, const Progress& progress) {
  return without_throwing("gathering the surface to bind", [&]() -> Result<BindSurface> {
    const Result<PoseFrame> rest = pose_frame(character, {});
    if (!rest) return rest.error();
    BindSurface surface;
    std::vector<bool> is_taken(character.meshes.size());
    Index first = kNone;
    for (std::size_t i = 0; i < character.instances.size(); ++i) {
      const Instance& instance = character.instances[i];
      if (instance.skin == kNone || !instance.in_scene || is_taken[at(instance.mesh)] ||
          character.meshes[at(instance.mesh)].points.empty())
        continue;
      if (first == kNone) first = instance.skin;
      is_taken[at(instance.mesh)] = true;
      add_instance(character, static_cast<Index>(i), between_binds(character, *rest, first, instance.skin),
                   surface);
    }
    if (surface.points.empty())
      return Error{Errc::bad_rig,
                   "no mesh in the scene has a skin and points; give a skeleton to bind it to"};
    close_mesh_seams(surface);
    finish(surface);
    Result<std::shared_ptr<const RayTree>> rays = rays_of(surface, progress);
    if (!rays) return rays.error();
    surface.rays = std::move(*rays);
    return surface;
  });
}

BindSurface bind_surface_of(std::vector<Vec3> points, std::vector<SurfaceMesh::Triangle> triangles) {
  BindSurface surface;
  surface.points = std::move(points);
  surface.triangles = std::move(triangles);
  surface.instances = {0};
  surface.points_of.emplace_back(surface.points.size());
  std::iota(surface.points_of[0].begin(), surface.points_of[0].end(), 0u);
  surface.surface_from_bind.emplace_back();
  finish(surface);
  return surface;
}

Notes set_weights(Character& character, const BindSurface& surface, const BindSkeleton& skeleton,
                  const WeightRows& rows, int max_influences) {
  Notes notes;
  const auto most = static_cast<std::size_t>(std::max(max_influences, 0));
  for (std::size_t i = 0; i < surface.instances.size(); ++i) {
    const Instance& instance = character.instances[at(surface.instances[i])];
    const Skin& skin = character.skins[at(instance.skin)];
    Mesh& mesh = character.meshes[at(instance.mesh)];
    const std::vector<Index> slots = slots_for(character, skin, skeleton, surface.surface_from_bind[i]);
    const RowCut cut(character.nodes, skin);
    std::vector<RowsOfPart> parts((mesh.points.size() + kRowsTogether - 1) / kRowsTogether);
    parallel_for(mesh.points.size(), kRowsTogether, [&](std::size_t begin, std::size_t end) {
      RowsOfPart& part = parts[begin / kRowsTogether];
      WeightRowBuilder builder;
      builder.reserve(end - begin, 4 * (end - begin));
      std::map<Index, double> sums;
      for (std::size_t v = begin; v < end; ++v) {
        sums.clear();
        bool is_handed_on = false;
        for (const Influence& influence : rows.row(surface.points_of[i][v])) {
          const Index slot = slots[at(influence.slot)];
          sums[slot] += double{influence.weight};
          is_handed_on |= skin.node[at(slot)] != skeleton.node[at(influence.slot)];
        }
        part.handed_on += is_handed_on ? 1 : 0;
        for (const auto& [slot, weight] : cut.cut(sums, most, kFaint)) {
          if (weight >= kFaded) builder.add(slot, static_cast<float>(weight));
        }
        // Sums are one up to rounding; that is not a repair.
        builder.close_row(1);
      }
      part.rows = builder.take();
    });
    std::size_t handed_on = 0;
    for (const RowsOfPart& part : parts) handed_on += part.handed_on;
    mesh.weights = joined_rows(parts);
    if (handed_on > 0) {
      notes.push_back(
          {Note::Kind::loss, "joints-not-in-skin",
           fmt::format(
               "mesh {} {}: {} joints that its skin does not name; their nearest ancestor takes the weight",
               instance.mesh, quoted_name(mesh.name),
               counted(handed_on, "point would follow", "points would follow")),
           "mesh", instance.mesh, -1, handed_on});
    }
    note_other_skins(character, surface.instances[i], notes);
  }
  return notes;
}

}  // namespace dermis
