// SPDX-License-Identifier: MIT
// Sculpts as shapes: which mesh a sculpt is of, and what it moves.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "dermis/motion.h"
#include "ops/shapes/work.h"

namespace dermis {
namespace {

// Transforms of a rest pose that differ by less than this, in units of the mesh, are one.
constexpr double kSameTransform = 1e-4;

// Where a mesh is drawn at rest, if all of it is moved as one: by its node, or by joints that rest as they
// were bound.
std::optional<Affined> world_from_mesh(const Character& character, const std::vector<Affined>& world,
                                       Index mesh, double size) {
  for (const Instance& instance : character.instances) {
    if (instance.mesh != mesh || !instance.in_scene) continue;
    if (instance.skin == kNone) return world[at(instance.node)];
    const Skin& skin = character.skins[at(instance.skin)];
    const Affined first = world[at(skin.node[0])] * Affined(skin.inverse_bind[0]);
    for (std::size_t s = 1; s < skin.node.size(); ++s) {
      const Affined other = world[at(skin.node[s])] * Affined(skin.inverse_bind[s]);
      if (!(max_difference(first, other) < kSameTransform * std::max(1.0, size))) return std::nullopt;
    }
    return first;
  }
  return std::nullopt;
}

// The points of a sculpt for the points of a mesh.
struct Sculpted {
  Index mesh = kNone;
  std::vector<Vec3> points, normals;  // normals may be empty
};

Sculpted taken(Index m, const Mesh& mesh, const Mesh& sculpt, const SamePoints& same) {
  Sculpted one{m, mesh.points, {}};
  const bool has_normals = !sculpt.normals.empty();
  if (has_normals) one.normals.assign(mesh.points.size(), Vec3{});
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
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
WholeScene whole_scene(const Character& character) {
  WholeScene scene;
  for (const Instance& instance : character.instances) {
    if (!instance.in_scene) continue;
    const Mesh& mesh = character.meshes[at(instance.mesh)];
    const auto first = static_cast<Index>(scene.mesh.points.size());
    scene.first.emplace_back(instance.mesh, at(first));
    scene.mesh.points.insert(scene.mesh.points.end(), mesh.points.begin(), mesh.points.end());
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

// The meshes that a sculpt is of, with its points.
Result<std::vector<Sculpted>> sculpted_meshes(const NamedSculpt& named, const ShapesWork& work) {
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
        fitting.push_back(taken(m, work.mesh(m), sculpt, *same));
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
  const WholeScene scene = whole_scene(work.asset.character);
  const Result<SamePoints> same = same_points(scene.mesh, meshes[0]);
  if (!same) return no_topology(named, difference.value_or("it holds several meshes"));
  const Sculpted whole = taken(kNone, scene.mesh, meshes[0], *same);
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

// A sculpt may be in the world's space, as posed scenes are written, or in that of the mesh: the nearer one.
void bring_to_mesh(const Mesh& mesh, const std::optional<Affined>& world, Sculpted& sculpt) {
  if (!world || max_difference(*world, Affined{}) == 0 || !(std::abs(determinant(world->linear)) > 0)) return;
  const Affined mesh_from_world = inverse(*world);
  Sculpted brought = sculpt;
  for (Vec3& point : brought.points) point = Vec3(mesh_from_world * Vec3d(point));
  for (Vec3& normal : brought.normals) normal = Vec3(normalized(transposed(world->linear) * Vec3d(normal)));
  SculptFit as_it_is, as_world;
  (void)shape_of_sculpt(mesh, sculpt.points, sculpt.normals, {}, &as_it_is);
  (void)shape_of_sculpt(mesh, brought.points, brought.normals, {}, &as_world);
  if (as_world.distance < as_it_is.distance) sculpt = std::move(brought);
}

void judge(const NamedSculpt& named, const SculptFit& fit, ShapesReport& report) {
  const auto doubt = [&](const std::string& clause) {
    report.doubt += fmt::format("{}{} {}", report.doubt.empty() ? "" : "; ", named.sculpt->name, clause);
  };
  if (fit.scale > kDoubtedSculptSize || fit.scale < 1 / kDoubtedSculptSize)
    doubt(fmt::format("is {:.3g} times as large as the mesh: is it in another unit?", fit.scale));
  else if (fit.distance > kDoubtedSculptDistance)
    doubt(fmt::format(
        "is far away: half of its points lie more than {:.2g} % of the size from where they rest; is "
        "it in another pose or place?",
        100 * fit.distance));
}

Status add_one(const NamedSculpt& named, const SculptOptions& options, const std::vector<Affined>& world,
               ShapesWork& work) {
  Result<std::vector<Sculpted>> sculpts = sculpted_meshes(named, work);
  if (!sculpts) return sculpts.error();
  std::size_t moved_count = 0;
  for (Sculpted& sculpt : *sculpts) {
    const Mesh& mesh = work.mesh(sculpt.mesh);
    Box box;
    for (const Vec3& point : mesh.points) box.add(Vec3d(point));
    bring_to_mesh(mesh, world_from_mesh(work.asset.character, world, sculpt.mesh, box.diagonal()), sculpt);
    SculptFit fit;
    Shape shape = shape_of_sculpt(mesh, sculpt.points, sculpt.normals, options, &fit);
    shape.name = named.name;
    // One of several meshes that the sculpt does not touch (the teeth of a frown) needs no shape.
    const bool is_touched =
        std::any_of(shape.offsets.begin(), shape.offsets.end(), [](const Vec3& o) { return o != Vec3{}; });
    if (!is_touched && sculpts->size() > 1) continue;
    moved_count += is_touched ? shape.points.size() : 0;
    judge(named, fit, work.report);
    put_shape(sculpt.mesh, std::move(shape), work);
  }
  if (moved_count == 0)
    work.report.notes.push_back({Note::Kind::guess, "shape-empty",
                                 fmt::format("{}: moves no point, so shape {} does nothing",
                                             named.sculpt->name, quoted_name(named.name))});
  return Done{};
}

}  // namespace

Result<ShapesReport> add_shapes(Asset& asset, const ShapesRequest& request,
                                const std::vector<NamedSculpt>& sculpts, const SculptOptions& options,
                                const Run& run) {
  return without_throwing(asset.name, [&] {
    return all_or_nothing(asset, [&](Asset& copy) -> Result<ShapesReport> {
      Result<ShapesWork> work = start_shapes(copy, request, "add");
      if (!work) return work.error();
      const std::vector<Affined> world = rest_world(copy.character);
      for (std::size_t k = 0; k < sculpts.size(); ++k) {
        const double fraction = static_cast<double>(k) / static_cast<double>(sculpts.size());
        if (Status going = run.progress.at("adding shapes", fraction); !going)
          return prefixed(asset.name, going.error());
        if (Status added = add_one(sculpts[k], options, world, *work); !added) return added.error();
      }
      if (Status valid = validate(copy.character); !valid) return prefixed(asset.name, valid.error());
      return end_shapes(*work);
    });
  });
}

}  // namespace dermis
