// SPDX-License-Identifier: MIT
// Poses instances and whole scenes: shapes, then the stack or the node's transform, in world space.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "deform/prepared_mesh.h"
#include "dermis/deform.h"

namespace dermis {
namespace {

// What moves one instance: the palette of its skin, or its node alone.
std::span<const Affined> palette_of(const PreparedMesh& prepared, const Instance& instance,
                                    const PoseFrame& frame) {
  if (prepared.is_skinned) return frame.palette_of(instance.skin);
  return {&frame.world_from_node[static_cast<std::size_t>(instance.node)], 1};
}

Result<PreparedMesh> prepare_instance(const Character& character, const Instance& instance,
                                      const DeformOptions& options, const Progress& progress) {
  const Mesh& mesh = character.meshes[static_cast<std::size_t>(instance.mesh)];
  return prepare_mesh(mesh, instance.skin != kNone, options, progress);
}

std::string named(const PreparedMesh& prepared, Index mesh) {
  const std::string& name = prepared.mesh->name;
  return fmt::format("mesh {}{}", mesh, name.empty() ? std::string() : fmt::format(" {}", quoted_name(name)));
}

void note_assumed_share(const PreparedMesh& prepared, Index mesh, const Stack& stack, Notes& notes) {
  if (stack.skin != SkinMethod::lbs_dqs || !prepared.is_skinned || !prepared.mesh->dqs_share.empty()) return;
  notes.push_back(
      {Note::Kind::guess, "no-dqs-share",
       fmt::format("{} has no shares of dqs (in a glTF extras.dermis.dqs_share of its primitives, "
                   "an accessor index), so lbs_dqs takes half of lbs and half of dqs at every point",
                   named(prepared, mesh)),
       "mesh", mesh});
}

// What the stack does to a mesh without a surface, of all that needs one.
std::vector<std::string> effects_of_no_surface(const DeformOptions& options) {
  std::vector<std::string> effects;
  const SkinMethod skin = options.stack.skin;
  if (skin == SkinMethod::cor) effects.emplace_back("cor poses it as lbs does");
  if (skin == SkinMethod::direct_delta_mush) effects.emplace_back("direct_delta_mush poses it as lbs does");
  if (skin == SkinMethod::dqs && options.bulge_correction != 0)
    effects.emplace_back("the bulge correction changes nothing");
  if (!options.stack.posed.empty()) effects.emplace_back("delta_mush changes nothing");
  return effects;
}

void note_missing_surface(const PreparedMesh& prepared, Index mesh, const DeformOptions& options,
                          Notes& notes) {
  if (!prepared.is_skinned) return;
  if (prepared.mesh->polygons.count() == 0) {
    const std::vector<std::string> effects = effects_of_no_surface(options);
    if (effects.empty()) return;
    notes.push_back(
        {Note::Kind::info, "no-surface",
         fmt::format("{} has no polygons, so {}", named(prepared, mesh), fmt::join(effects, " and ")), "mesh",
         mesh});
    return;
  }
  const std::size_t count = prepared.centreless_count;
  if (count == 0) return;
  const bool is_cor = options.stack.skin == SkinMethod::cor;
  notes.push_back(
      {Note::Kind::info, "no-centres",
       fmt::format("{}: near {} of {} no surface follows two of their joints, so {}", named(prepared, mesh),
                   count == 1 ? "1 point" : fmt::format("{} points", count), prepared.point_count(),
                   is_cor ? "cor blends them linearly" : "the bulge correction leaves them as they are"),
       "mesh", mesh, kNone, count});
}

// The methods that take stretches off before they blend what is left. Away from the mesh's origin a mirror,
// or the scale of one joint alone, is then a long way for what is left.
bool stretches_about_origin(SkinMethod method) {
  switch (method) {
    case SkinMethod::dqs:
    case SkinMethod::quaternion:
    case SkinMethod::log_matrix:
    case SkinMethod::spherical:
    case SkinMethod::lbs_dqs:
      return true;
    case SkinMethod::rigid:
    case SkinMethod::lbs:
    case SkinMethod::cor:
    case SkinMethod::direct_delta_mush:
      break;
  }
  return false;
}

// Points that follow joints that mirror and joints that do not.
std::size_t half_mirrored_count(const WeightRows& rows, std::span<const Affined> palette) {
  std::vector<bool> is_mirroring;
  for (const Affined& joint : palette) is_mirroring.push_back(determinant(joint.linear) < 0);
  if (std::find(is_mirroring.begin(), is_mirroring.end(), true) == is_mirroring.end()) return 0;
  std::size_t count = 0;
  for (std::size_t v = 0; v + 1 < rows.first.size(); ++v) {
    const std::span<const Influence> row = rows.row(v);
    const auto mirrors = [&](const Influence& i) { return is_mirroring[static_cast<std::size_t>(i.slot)]; };
    const bool is_mixed =
        std::any_of(row.begin(), row.end(), mirrors) && !std::all_of(row.begin(), row.end(), mirrors);
    count += is_mixed ? 1 : 0;
  }
  return count;
}

Result<Surface> posed_entries(const Deformer& deformer, const PreparedMesh& prepared, const PoseFrame& frame,
                              std::size_t k) {
  const std::span<const Affined> palette = palette_of(prepared, deformer.character->instances[k], frame);
  return pose_entries(prepared, deformer.options, palette, frame.shape_weights[k]);
}

// Leaves the entries of the points, of attributes that are per point.
void keep_points(const PreparedMesh& prepared, Surface& posed) {
  const std::size_t count = prepared.point_count();
  posed.points.resize(count);
  posed.normals.resize(prepared.mesh->normals.is_per_point() && !posed.normals.empty() ? count : 0);
  posed.tangents.resize(prepared.mesh->tangents.is_per_point() && !posed.tangents.empty() ? count : 0);
}

// ---- Meshes of the posed scene ------------------------------------------------------------------------

template <class Value>
Attribute<Value> on_corners(const CornerValues& corners, const std::vector<Value>& of_entries) {
  Attribute<Value> attribute;
  attribute.values.reserve(corners.entries.size());
  for (const std::size_t entry : corners.entries) attribute.values.push_back(of_entries[entry]);
  attribute.corner_value = corners.corner_value;
  return attribute;
}

// Reverses each polygon but for its first corner, and whatever runs along the corners.
void flip_winding(Mesh& mesh) {
  const std::vector<std::uint32_t>& first = mesh.polygons.first;
  const auto flip = [&](std::vector<Index>& along) {
    if (along.empty()) return;
    for (std::size_t p = 0; p + 1 < first.size(); ++p) {
      std::reverse(along.begin() + first[p] + 1, along.begin() + first[p + 1]);
    }
  };
  flip(mesh.polygons.corners);
  flip(mesh.normals.corner_value);
  flip(mesh.tangents.corner_value);
  for (Attribute<Vec2>& uv : mesh.uvs) flip(uv.corner_value);
  for (Attribute<Vec4>& colour : mesh.colours) flip(colour.corner_value);
}

Result<Mesh> posed_mesh(const Deformer& deformer, const PoseFrame& frame, std::size_t k) {
  const PreparedMesh& prepared = *deformer.meshes[k];
  Result<Surface> posed = posed_entries(deformer, prepared, frame, k);
  if (!posed) return posed.error();
  const Mesh& from = *prepared.mesh;
  Mesh mesh;
  mesh.name = from.name;
  mesh.polygons = from.polygons;
  mesh.parts = from.parts;
  mesh.uvs = from.uvs;
  mesh.colours = from.colours;
  if (!from.normals.is_per_point()) mesh.normals = on_corners(prepared.corner_normals, posed->normals);
  const bool has_corner_tangents = !prepared.corner_tangents.corner_value.empty();
  if (has_corner_tangents) mesh.tangents = on_corners(prepared.corner_tangents, posed->tangents);
  keep_points(prepared, *posed);
  mesh.points = std::move(posed->points);
  if (from.normals.is_per_point()) mesh.normals.values = std::move(posed->normals);
  if (!has_corner_tangents) mesh.tangents.values = std::move(posed->tangents);
  mesh.weld = weld_coincident(mesh.points);
  const Instance& instance = deformer.character->instances[k];
  if (is_turned_inside_out(prepared, palette_of(prepared, instance, frame))) flip_winding(mesh);
  return mesh;
}

// A deformer with no instance made ready.
Deformer unprepared(const Character& character, const DeformOptions& options) {
  Deformer deformer{&character, options, {}, {}};
  deformer.meshes.resize(character.instances.size());
  return deformer;
}

std::vector<std::size_t> instances_in_scene(const Character& character) {
  std::vector<std::size_t> instances;
  for (std::size_t k = 0; k < character.instances.size(); ++k) {
    if (character.instances[k].in_scene) instances.push_back(k);
  }
  return instances;
}

}  // namespace

Result<Deformer> prepare_deformer(const Character& character, const DeformOptions& options,
                                  const Progress& progress) {
  return without_throwing("preparing to pose", [&]() -> Result<Deformer> {
    Deformer deformer = unprepared(character, options);
    std::map<std::pair<Index, bool>, std::shared_ptr<const PreparedMesh>> known;  // by mesh and has skin
    for (const std::size_t k : instances_in_scene(character)) {
      const Instance& instance = character.instances[k];
      std::shared_ptr<const PreparedMesh>& prepared = known[{instance.mesh, instance.skin != kNone}];
      if (prepared == nullptr) {
        Result<PreparedMesh> made = prepare_instance(character, instance, options, progress);
        if (!made) return made.error();
        note_assumed_share(*made, instance.mesh, options.stack, deformer.notes);
        note_missing_surface(*made, instance.mesh, options, deformer.notes);
        prepared = std::make_shared<const PreparedMesh>(std::move(*made));
      }
      deformer.meshes[k] = prepared;
    }
    return deformer;
  });
}

Notes pose_notes(const Deformer& deformer, const PoseFrame& frame) {
  Notes notes;
  if (!stretches_about_origin(deformer.options.stack.skin)) return notes;
  std::set<Index> told;
  for (const std::size_t k : instances_in_scene(*deformer.character)) {
    const Instance& instance = deformer.character->instances[k];
    const PreparedMesh* prepared = deformer.meshes[k].get();
    if (prepared == nullptr || !prepared->is_skinned || told.contains(instance.mesh)) continue;
    const std::size_t count =
        half_mirrored_count(prepared->mesh->weights, palette_of(*prepared, instance, frame));
    if (count == 0) continue;
    told.insert(instance.mesh);
    notes.push_back(
        {Note::Kind::info, "half-mirrored",
         fmt::format("{}: {} joints that mirror together with joints that do not, which lbs and cor "
                     "keep together and this method tears apart",
                     named(*prepared, instance.mesh),
                     count == 1 ? "1 point follows" : fmt::format("{} points follow", count)),
         "mesh", instance.mesh, kNone, count});
  }
  return notes;
}

Result<Surface> pose_instance(const Deformer& deformer, const PoseFrame& frame, Index instance) {
  return without_throwing("posing a mesh", [&]() -> Result<Surface> {
    const std::size_t k = static_cast<std::size_t>(instance);
    std::shared_ptr<const PreparedMesh> prepared = deformer.meshes[k];
    if (prepared == nullptr) {
      const Character& character = *deformer.character;
      Result<PreparedMesh> made = prepare_instance(character, character.instances[k], deformer.options, {});
      if (!made) return made.error();
      prepared = std::make_shared<const PreparedMesh>(std::move(*made));
    }
    Result<Surface> posed = posed_entries(deformer, *prepared, frame, k);
    if (posed) keep_points(*prepared, *posed);
    return posed;
  });
}

Result<Character> pose_character(const Deformer& deformer, const PoseFrame& frame, const Progress& progress) {
  return without_throwing("posing the scene", [&]() -> Result<Character> {
    const Character& character = *deformer.character;
    Character still;
    still.name = character.name;
    still.materials = character.materials;
    still.images = character.images;
    still.metres_per_unit = character.metres_per_unit;
    still.is_unit_guessed = character.is_unit_guessed;
    const std::vector<std::size_t> instances = instances_in_scene(character);
    for (std::size_t k = 0; k < instances.size(); ++k) {
      const double fraction = static_cast<double>(k) / static_cast<double>(instances.size());
      if (Status s = progress.at("posing meshes", fraction); !s) return s.error();
      Result<Mesh> mesh = posed_mesh(deformer, frame, instances[k]);
      if (!mesh) return mesh.error();
      Node node;
      node.name = character.nodes[static_cast<std::size_t>(character.instances[instances[k]].node)].name;
      still.nodes.push_back(std::move(node));
      still.meshes.push_back(std::move(*mesh));
      Instance posed;
      posed.node = posed.mesh = static_cast<Index>(k);
      still.instances.push_back(std::move(posed));
    }
    if (Status s = progress.at("posing meshes", 1.0); !s) return s.error();
    return still;
  });
}

Result<Surface> deform_instance(const Character& character, const PoseFrame& frame, Index instance,
                                const DeformOptions& options) {
  // Of all instances only this one is made ready, by pose_instance itself.
  return without_throwing("posing a mesh",
                          [&] { return pose_instance(unprepared(character, options), frame, instance); });
}

Result<Character> deform_character(const Character& character, const PoseFrame& frame,
                                   const DeformOptions& options, const Progress& progress) {
  const Result<Deformer> deformer = prepare_deformer(character, options, progress);
  if (!deformer) return deformer.error();
  return pose_character(*deformer, frame, progress);
}

}  // namespace dermis
