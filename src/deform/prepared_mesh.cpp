// SPDX-License-Identifier: MIT
// Prepares meshes for a stack: corner keys, blocks, and what each stage computes at rest.
#include "deform/prepared_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "deform/stages.h"

namespace dermis {
namespace {

// ---- Normals and tangents on corners ------------------------------------------------------------------

struct CornerKeyHash {
  std::size_t operator()(const CornerKey& key) const {
    std::uint64_t h = static_cast<std::uint32_t>(key.point);
    for (const Index part : {key.normal, key.tangent}) {
      h = (h ^ (h >> 29)) * 0x9e3779b97f4a7c15ULL + static_cast<std::uint32_t>(part);
    }
    return static_cast<std::size_t>(h ^ (h >> 32));
  }
};
using KeyNumbers = std::unordered_map<CornerKey, Index, CornerKeyHash>;

template <class Value>
Index value_at(const Attribute<Value>& attribute, const std::vector<Index>& corners, std::size_t c) {
  if (attribute.empty()) return kNone;
  return attribute.is_per_point() ? corners[c] : attribute.corner_value[c];
}

// Keys for the corners, if normals or tangents are per corner. If only a node moves them, the point does not
// matter.
void set_keys(PreparedMesh& prepared) {
  const Mesh& mesh = *prepared.mesh;
  const bool has_corner_normals = !mesh.normals.is_per_point();
  // Tangents are perpendicular to the normals, so they are per corner if normals are.
  const bool has_corner_tangents =
      !mesh.tangents.empty() && (has_corner_normals || !mesh.tangents.is_per_point());
  if (!has_corner_normals && !has_corner_tangents) return;
  const std::vector<Index>& corners = mesh.polygons.corners;
  const bool depends_on_point = prepared.is_skinned || !mesh.shapes.empty();
  KeyNumbers keys, normals;
  for (std::size_t c = 0; c < corners.size(); ++c) {
    CornerKey key{depends_on_point ? corners[c] : 0, value_at(mesh.normals, corners, c), kNone};
    CornerKey normal_key = key;
    if (has_corner_tangents) key.tangent = value_at(mesh.tangents, corners, c);
    const auto [known, is_new] = keys.try_emplace(key, static_cast<Index>(prepared.keys.size()));
    if (is_new) prepared.keys.push_back(key);
    const std::size_t entry = mesh.points.size() + static_cast<std::size_t>(known->second);
    if (has_corner_tangents) {
      if (is_new) prepared.corner_tangents.entries.push_back(entry);
      prepared.corner_tangents.corner_value.push_back(known->second);
    }
    if (!has_corner_normals) continue;
    CornerValues& values = prepared.corner_normals;
    const auto [place, is_new_normal] =
        normals.try_emplace(normal_key, static_cast<Index>(values.entries.size()));
    if (is_new_normal) values.entries.push_back(entry);
    values.corner_value.push_back(place->second);
  }
}

// ---- Values per entry ---------------------------------------------------------------------------------

std::size_t entry_count(const PreparedMesh& prepared) {
  return prepared.point_count() + prepared.keys.size();
}

template <class Value>
std::vector<Value> for_entries(const PreparedMesh& prepared, std::vector<Value> of_points) {
  of_points.reserve(entry_count(prepared));
  for (const CornerKey& key : prepared.keys)
    of_points.push_back(of_points[static_cast<std::size_t>(key.point)]);
  return of_points;
}

template <class Value>
std::vector<Value> attribute_of_entries(const PreparedMesh& prepared, const Attribute<Value>& attribute,
                                        Index CornerKey::*place) {
  if (attribute.empty()) return {};
  std::vector<Value> values;
  if (attribute.is_per_point()) values = attribute.values;
  values.resize(prepared.point_count());
  values.reserve(entry_count(prepared));
  for (const CornerKey& key : prepared.keys) {
    const std::size_t at = static_cast<std::size_t>(key.*place);
    values.push_back(attribute.is_per_point() ? values[at] : attribute.values[at]);
  }
  return values;
}

std::vector<Index> used_slots_of(const WeightRows& rows) {
  std::vector<bool> is_used;
  for (const Influence& influence : rows.influences) {
    const std::size_t slot = static_cast<std::size_t>(influence.slot);
    if (slot >= is_used.size()) is_used.resize(slot + 1);
    is_used[slot] = true;
  }
  std::vector<Index> slots;
  for (std::size_t s = 0; s < is_used.size(); ++s) {
    if (is_used[s]) slots.push_back(static_cast<Index>(s));
  }
  return slots;
}

Surface rest_surface(const PreparedMesh& prepared) {
  Surface entries;
  entries.points = for_entries(prepared, prepared.mesh->points);
  entries.normals = attribute_of_entries(prepared, prepared.mesh->normals, &CornerKey::normal);
  entries.tangents = attribute_of_entries(prepared, prepared.mesh->tangents, &CornerKey::tangent);
  return entries;
}

// ---- Stages -------------------------------------------------------------------------------------------

void prepare_turns(PreparedMesh& prepared) {
  SurfaceTurns turns = prepare_surface_turns(*prepared.mesh);
  turns.welded = for_entries(prepared, std::move(turns.welded));
  prepared.turns = std::move(turns);
}

// Notes the effects of all stages that need polygons on a mesh without any.
void note_missing_surface(const StageInput& input, const std::vector<std::string>& effects, Notes& notes) {
  if (mesh_of(input).polygons.count() > 0 || effects.empty()) return;
  notes.push_back({Note::Kind::info, "no-surface",
                   fmt::format("{} has no polygons, so {}", named_mesh(*input.character, input.mesh),
                               fmt::join(effects, " and ")),
                   "mesh", input.mesh});
}

// The stages of `stack` for one mesh; without a skin only its rest stages.
Status prepare_steps(PreparedMesh& prepared, const Stack& stack, StageInput input, const Progress& progress) {
  std::vector<std::string> effects;
  if (!prepared.is_skinned) prepared.skin.stage = node_stage(input);
  const double share = 1 / static_cast<double>(stack.stages.size());
  for (std::size_t k = 0; k < stack.stages.size(); ++k) {
    const StageUse& use = stack.stages[k];
    const StageRow& row = *use.row;
    const bool has_nothing = row.has_data != nullptr && !row.has_data(*input.character, input.mesh);
    if (has_nothing || (row.phase != StagePhase::rest && !prepared.is_skinned)) continue;
    input.use = &use;
    const double from = static_cast<double>(k) * share;
    Result<PreparedStage> made = row.prepare(input, progress.part(from, from + share));
    if (!made) return made.error();
    prepared.notes.insert(prepared.notes.end(), made->notes.begin(), made->notes.end());
    if (!made->without_surface.empty()) {
      effects.push_back(std::move(made->without_surface));
    } else if (row.traits.needs_surface) {
      effects.push_back(fmt::format("{} {}", row.name, row.without_surface));
    }
    PreparedMesh::Step step{&row, std::move(made->stage)};
    if (row.phase == StagePhase::rest)
      prepared.rest_steps.push_back(std::move(step));
    else if (row.phase == StagePhase::posed)
      prepared.posed_steps.push_back(std::move(step));
    else
      prepared.skin = std::move(step);
  }
  note_missing_surface(input, effects, prepared.notes);
  return Done{};
}

}  // namespace

Result<std::shared_ptr<const PreparedMesh>> prepare_mesh(const Character& character, Index mesh,
                                                         bool is_skinned, const Stack& stack,
                                                         NormalMode normals, const Progress& progress) {
  const auto prepared = std::make_shared<PreparedMesh>();
  prepared->mesh = &character.meshes[static_cast<std::size_t>(mesh)];
  prepared->is_skinned = is_skinned && !prepared->mesh->points.empty();
  set_keys(*prepared);
  for (const CornerKey& key : prepared->keys) prepared->corner_points.push_back(key.point);
  prepared->rest = rest_surface(*prepared);
  if (prepared->is_skinned) prepared->used_slots = used_slots_of(prepared->mesh->weights);
  const StageInput input{&character,
                         mesh,
                         prepared->is_skinned,
                         nullptr,
                         &prepared->rest,
                         prepared->corner_points,
                         prepared->used_slots,
                         normals,
                         measures_normals(stack)};
  if (Status s = prepare_steps(*prepared, stack, input, progress); !s) return s.error();
  if (prepared->is_skinned && measures_normals(stack)) prepare_turns(*prepared);
  return std::shared_ptr<const PreparedMesh>(prepared);
}

}  // namespace dermis
