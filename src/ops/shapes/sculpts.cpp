// SPDX-License-Identifier: MIT
// Which meshes a sculpt is of, and where its points are.
#include "ops/shapes/sculpts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace dermis {
namespace {

std::span<const Vec3> start_of(Index m, const Character& character, const MeshPoints& posed) {
  if (at(m) < posed.size() && !posed[at(m)].empty()) return posed[at(m)];
  return character.meshes[at(m)].points;
}

// `start` has the points that the sculpt does not have.
Sculpted taken(Index m, std::span<const Vec3> start, const Mesh& sculpt, const SamePoints& same) {
  Sculpted one{m, {start.begin(), start.end()}, {}};
  const bool has_normals = !sculpt.normals.empty();
  if (has_normals) one.normals.assign(start.size(), Vec3{});
  for (std::size_t v = 0; v < start.size(); ++v) {
    if (same.other[v] == kNone) continue;
    one.points[v] = sculpt.points[at(same.other[v])];
    if (!has_normals) continue;
    if (sculpt.normals.is_per_point())
      one.normals[v] = sculpt.normals.values[at(same.other[v])];
    else if (same.corner[v] != kNone)
      one.normals[v] = sculpt.normals.values[at(sculpt.normals.corner_value[at(same.corner[v])])];
  }
  return one;
}

// All meshes of the scene one after another, as `deform` and `convert` write them, without attributes.
struct WholeScene {
  Mesh mesh;
  std::vector<std::pair<Index, std::size_t>> first;  // mesh of each instance, and where its points begin
};
WholeScene whole_scene(const Character& character, const MeshPoints& posed) {
  WholeScene scene;
  for (const Instance& instance : character.instances) {
    if (!instance.in_scene) continue;
    const Mesh& mesh = character.meshes[at(instance.mesh)];
    const auto first = static_cast<Index>(scene.mesh.points.size());
    scene.first.emplace_back(instance.mesh, at(first));
    const std::span<const Vec3> start = start_of(instance.mesh, character, posed);
    scene.mesh.points.insert(scene.mesh.points.end(), start.begin(), start.end());
    for (const Index v : mesh.polygons.corners) scene.mesh.polygons.corners.push_back(v + first);
    for (std::size_t p = 1; p < mesh.polygons.first.size(); ++p)
      scene.mesh.polygons.first.push_back(scene.mesh.polygons.first.back() +
                                          static_cast<std::uint32_t>(mesh.polygons.polygon(p - 1).size()));
    for (const Index w : mesh.weld) scene.mesh.weld.push_back(w + first);
  }
  return scene;
}

Error no_topology(const NamedSculpt& sculpt, const std::string& difference) {
  return {Errc::bad_argument,
          fmt::format("{}: is another topology: {}; export the mesh without changing its points or polygons",
                      sculpt.sculpt->name, difference)};
}

}  // namespace

Result<std::vector<Sculpted>> sculpted_meshes(const NamedSculpt& named, const ShapesWork& work,
                                              const MeshPoints& posed) {
  const std::vector<Mesh>& meshes = named.sculpt->character.meshes;
  if (meshes.empty()) return Error{Errc::bad_argument, fmt::format("{}: holds no mesh", named.sculpt->name)};
  std::vector<Sculpted> found;
  std::optional<std::string> difference;
  std::size_t most = 0;
  const auto is_of_another = [&](Index m, const Mesh& sculpt) {
    const std::string& name = work.mesh(m).name;
    return name != sculpt.name &&
           std::any_of(meshes.begin(), meshes.end(), [&](const Mesh& other) { return other.name == name; });
  };
  for (const Mesh& sculpt : meshes) {
    std::vector<Sculpted> fitting;
    for (const Index m : work.meshes) {
      if (is_of_another(m, sculpt)) continue;
      const Result<SamePoints> same = same_points(work.mesh(m), sculpt);
      if (same) {
        fitting.push_back(taken(m, start_of(m, work.character(), posed), sculpt, *same));
      } else if (work.mesh(m).points.size() > most) {
        most = work.mesh(m).points.size();
        difference = same.error().sentence;
      }
    }
    if (fitting.size() > 1) {
      // Of several meshes with one topology (two eyes), the one with its name.
      std::erase_if(fitting, [&](const Sculpted& one) { return work.mesh(one.mesh).name != sculpt.name; });
      if (fitting.size() != 1)
        return Error{Errc::bad_argument,
                     fmt::format("{}: several meshes have its topology", named.sculpt->name)}
            .with_remedy("shapes_mesh");
    }
    for (Sculpted& one : fitting) {
      const auto is_same = [&](const Sculpted& other) { return other.mesh == one.mesh; };
      if (std::any_of(found.begin(), found.end(), is_same))
        return Error{Errc::bad_argument,
                     fmt::format("{}: holds several meshes with the topology of {}", named.sculpt->name,
                                 quoted_name(work.mesh(one.mesh).name))};
      found.push_back(std::move(one));
    }
  }
  if (!found.empty()) return found;
  if (meshes.size() != 1) return no_topology(named, difference.value_or("it holds several meshes"));
  const WholeScene scene = whole_scene(work.asset.character, posed);
  const Result<SamePoints> same = same_points(scene.mesh, meshes[0]);
  if (!same) return no_topology(named, difference.value_or("it holds several meshes"));
  const Sculpted whole = taken(kNone, scene.mesh.points, meshes[0], *same);
  for (const auto& [m, first] : scene.first) {
    if (std::find(work.meshes.begin(), work.meshes.end(), m) == work.meshes.end()) continue;
    if (std::any_of(found.begin(), found.end(),
                    [&, mesh = m](const Sculpted& one) { return one.mesh == mesh; }))
      continue;
    const auto begin = static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(work.mesh(m).points.size());
    Sculpted& one = found.emplace_back();
    one.mesh = m;
    one.points.assign(whole.points.begin() + begin, whole.points.begin() + end);
    if (!whole.normals.empty())
      one.normals.assign(whole.normals.begin() + begin, whole.normals.begin() + end);
  }
  return found;
}

}  // namespace dermis
