// SPDX-License-Identifier: MIT
// Sculpts as shapes: which mesh a sculpt is of, and what it moves.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "dermis/motion.h"
#include "ops/shapes/sculpts.h"
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
  Result<std::vector<Sculpted>> sculpts = sculpted_meshes(named, work, {});
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
