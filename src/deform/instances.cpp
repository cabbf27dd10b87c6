// SPDX-License-Identifier: MIT
// Poses instances and whole scenes: shapes, then the stack or the node's transform, in world space.
#include <algorithm>
#include <map>
#include <set>

#include "deform/prepared_mesh.h"
#include "dermis/deform.h"

namespace dermis {
namespace {

Result<std::shared_ptr<const PreparedMesh>> prepare_instance(const Deformer& deformer,
                                                             const Instance& instance,
                                                             const Progress& progress) {
  return prepare_mesh(*deformer.character, instance.mesh, instance.skin != kNone, deformer.stack,
                      deformer.options.normals, progress);
}

InstanceState& state_of(const Deformer& deformer, Index instance, DeformState& state) {
  state.instances.resize(deformer.character->instances.size());
  std::shared_ptr<InstanceState>& own = state.instances[static_cast<std::size_t>(instance)];
  if (own == nullptr) own = std::make_shared<InstanceState>();
  return *own;
}

// Keeps only the point entries of attributes that are per point.
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

// Reverses each polygon except for its first corner, and all per-corner data.
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

Result<Mesh> posed_mesh(const Deformer& deformer, const PoseFrame& frame, std::size_t k,
                        InstanceState& state) {
  const PreparedMesh& prepared = *deformer.meshes[k];
  Surface posed;
  if (Status s =
          pose_entries(deformer.meshes[k], *deformer.character, frame, static_cast<Index>(k), state, posed);
      !s)
    return s.error();
  const Mesh& from = *prepared.mesh;
  Mesh mesh;
  mesh.name = from.name;
  mesh.polygons = from.polygons;
  mesh.parts = from.parts;
  mesh.uvs = from.uvs;
  mesh.colours = from.colours;
  if (!from.normals.is_per_point()) mesh.normals = on_corners(prepared.corner_normals, posed.normals);
  const bool has_corner_tangents = !prepared.corner_tangents.corner_value.empty();
  if (has_corner_tangents) mesh.tangents = on_corners(prepared.corner_tangents, posed.tangents);
  keep_points(prepared, posed);
  mesh.points = std::move(posed.points);
  if (from.normals.is_per_point()) mesh.normals.values = std::move(posed.normals);
  if (!has_corner_tangents) mesh.tangents.values = std::move(posed.tangents);
  mesh.weld = weld_coincident(mesh.points);
  const Instance& instance = deformer.character->instances[k];
  if (is_turned_inside_out(prepared, transforms_of(prepared, instance, frame))) flip_winding(mesh);
  return mesh;
}

// A deformer with no instance prepared.
Deformer unprepared(const Character& character, const DeformOptions& options) {
  Deformer deformer{&character, options, full_stack(character, options), {}, {}};
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

// Without a state, the memory of each instance is freed after it is posed.
Result<Character> posed_scene(const Deformer& deformer, const PoseFrame& frame, DeformState* state,
                              const Progress& progress) {
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
      InstanceState passing;
      InstanceState& own =
          state != nullptr ? state_of(deformer, static_cast<Index>(instances[k]), *state) : passing;
      Result<Mesh> mesh = posed_mesh(deformer, frame, instances[k], own);
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

}  // namespace

Result<Deformer> prepare_deformer(const Character& character, const DeformOptions& options,
                                  const Progress& progress) {
  return without_throwing("preparing to pose", [&]() -> Result<Deformer> {
    Deformer deformer = unprepared(character, options);
    if (Status s = check_stack(deformer.stack); !s) return s.error();
    std::map<std::pair<Index, bool>, std::shared_ptr<const PreparedMesh>> known;  // by mesh and has skin
    const std::vector<std::size_t> shown = instances_in_scene(character);
    const double share = 1 / static_cast<double>(std::max<std::size_t>(shown.size(), 1));
    for (std::size_t s = 0; s < shown.size(); ++s) {
      const std::size_t k = shown[s];
      const Instance& instance = character.instances[k];
      std::shared_ptr<const PreparedMesh>& prepared = known[{instance.mesh, instance.skin != kNone}];
      if (prepared == nullptr) {
        const double from = static_cast<double>(s) * share;
        const Progress piece = progress.part(from, from + share);
        Result<std::shared_ptr<const PreparedMesh>> made = prepare_instance(deformer, instance, piece);
        if (!made) return made.error();
        prepared = std::move(*made);
        deformer.notes.insert(deformer.notes.end(), prepared->notes.begin(), prepared->notes.end());
      }
      deformer.meshes[k] = prepared;
    }
    return deformer;
  });
}

Notes pose_notes(const Deformer& deformer, const PoseFrame& frame) {
  Notes notes;
  std::set<Index> told;
  for (const std::size_t k : instances_in_scene(*deformer.character)) {
    const PreparedMesh* prepared = deformer.meshes[k].get();
    const Index mesh = deformer.character->instances[k].mesh;
    if (prepared == nullptr || !prepared->is_skinned || told.contains(mesh)) continue;
    const std::size_t before = notes.size();
    const auto ask = [&](const PreparedMesh::Step& step) {
      const Notes more = step.stage->pose_notes(frame, static_cast<Index>(k));
      notes.insert(notes.end(), more.begin(), more.end());
    };
    std::for_each(prepared->rest_steps.begin(), prepared->rest_steps.end(), ask);
    ask(prepared->skin);
    std::for_each(prepared->posed_steps.begin(), prepared->posed_steps.end(), ask);
    if (notes.size() > before) told.insert(mesh);
  }
  return notes;
}

Status pose_surface(const Deformer& deformer, const PoseFrame& frame, Index instance, DeformState& state,
                    Surface& out) {
  return without_throwing("posing a mesh", [&]() -> Status {
    const Character& character = *deformer.character;
    std::shared_ptr<const PreparedMesh> prepared = deformer.meshes[static_cast<std::size_t>(instance)];
    InstanceState passing;  // of an instance that is prepared for this call only
    const bool is_ready = prepared != nullptr;
    if (!is_ready) {
      if (Status s = check_stack(deformer.stack); !s) return s;
      const Instance& shown = character.instances[static_cast<std::size_t>(instance)];
      Result<std::shared_ptr<const PreparedMesh>> made = prepare_instance(deformer, shown, {});
      if (!made) return made.error();
      prepared = std::move(*made);
    }
    InstanceState& own = is_ready ? state_of(deformer, instance, state) : passing;
    if (Status s = pose_entries(prepared, character, frame, instance, own, out); !s) return s;
    keep_points(*prepared, out);
    return Done{};
  });
}

Result<Surface> pose_instance(const Deformer& deformer, const PoseFrame& frame, Index instance) {
  return without_throwing("posing a mesh", [&]() -> Result<Surface> {
    DeformState state;
    Surface posed;
    if (Status s = pose_surface(deformer, frame, instance, state, posed); !s) return s.error();
    return posed;
  });
}

Result<Character> pose_scene(const Deformer& deformer, const PoseFrame& frame, DeformState& state,
                             const Progress& progress) {
  return posed_scene(deformer, frame, &state, progress);
}

Result<Character> pose_character(const Deformer& deformer, const PoseFrame& frame, const Progress& progress) {
  return posed_scene(deformer, frame, nullptr, progress);
}

Result<Surface> deform_instance(const Character& character, const PoseFrame& frame, Index instance,
                                const DeformOptions& options) {
  // Only this instance is prepared, by pose_instance itself.
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
