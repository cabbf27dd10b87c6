// SPDX-License-Identifier: MIT
// Makes meshes ready for a stack: corner keys, blocks, and what each stage computes at rest.
#include "deform/prepared_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "deform/weight_gradients.h"

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

// Keys for the corners, where normals or tangents are on them. Without a skin the point does not matter.
void set_keys(PreparedMesh& prepared) {
  const Mesh& mesh = *prepared.mesh;
  const bool has_corner_normals = !mesh.normals.is_per_point();
  // Tangents lie along the surface that the normals say, so they follow them to the corners.
  const bool has_corner_tangents =
      !mesh.tangents.empty() && (has_corner_normals || !mesh.tangents.is_per_point());
  if (!has_corner_normals && !has_corner_tangents) return;
  const std::vector<Index>& corners = mesh.polygons.corners;
  KeyNumbers keys, normals;
  for (std::size_t c = 0; c < corners.size(); ++c) {
    CornerKey key{prepared.is_skinned ? corners[c] : 0, value_at(mesh.normals, corners, c), kNone};
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

// ---- Values for each entry ----------------------------------------------------------------------------

template <class Value>
std::vector<Value> for_entries(const PreparedMesh& prepared, std::vector<Value> of_points) {
  of_points.reserve(prepared.entry_count());
  for (const CornerKey& key : prepared.keys)
    of_points.push_back(of_points[static_cast<std::size_t>(key.point)]);
  return of_points;
}

WeightRows rows_of_entries(const PreparedMesh& prepared) {
  WeightRows rows = prepared.mesh->weights;
  for (const CornerKey& key : prepared.keys) {
    const std::span<const Influence> row = prepared.mesh->weights.row(static_cast<std::size_t>(key.point));
    rows.influences.insert(rows.influences.end(), row.begin(), row.end());
    rows.first.push_back(static_cast<std::uint32_t>(rows.influences.size()));
  }
  return rows;
}

// `of_points` are the shaped values when the attribute is per point, else empty.
template <class Value>
std::vector<Value> attribute_of_entries(const PreparedMesh& prepared, const Attribute<Value>& attribute,
                                        Index CornerKey::*place, std::vector<Value> of_points) {
  if (attribute.empty()) return {};
  std::vector<Value> values = std::move(of_points);
  values.resize(prepared.point_count());
  values.reserve(prepared.entry_count());
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

// ---- Stages -------------------------------------------------------------------------------------------

bool is_bulge_corrected(const DeformOptions& options) {
  return options.stack.skin == SkinMethod::dqs && options.bulge_correction != 0;
}

Status check_bulge_correction(float part) {
  if (part >= 0 && part <= 1) return Done{};
  return Error{Errc::bad_argument, fmt::format("the bulge correction is {:g}; give 0 to 1", part)};
}

// A point that prepare_cor gives itself as its centre says nothing of where its limb lies.
void drop_own_centres(const Mesh& mesh, std::vector<Vec3>& centres) {
  constexpr float kNowhere = std::numeric_limits<float>::quiet_NaN();
  for (std::size_t v = 0; v < centres.size(); ++v) {
    if (centres[v] == mesh.points[v]) centres[v] = {kNowhere, kNowhere, kNowhere};
  }
}

// Points of several joints that prepare_cor gives themselves: no surface near them follows two of their
// joints.
std::size_t centreless_count(const Mesh& mesh, std::span<const Vec3> centres) {
  std::size_t count = 0;
  for (std::size_t v = 0; v < centres.size(); ++v)
    count += mesh.weights.row(v).size() > 1 && centres[v] == mesh.points[v] ? 1 : 0;
  return count;
}

Status prepare_method(PreparedMesh& prepared, const DeformOptions& options, const Progress& progress) {
  const Mesh& mesh = *prepared.mesh;
  if (options.stack.skin == SkinMethod::lbs_dqs) {
    std::vector<float> share = mesh.dqs_share;
    if (share.empty()) share.assign(mesh.points.size(), kUnsaidDqsShare);
    prepared.dqs_share = for_entries(prepared, std::move(share));
  }
  if (options.stack.skin == SkinMethod::cor || is_bulge_corrected(options)) {
    Result<CorCentres> cor = prepare_cor(mesh, {}, progress);
    if (!cor) return cor.error();
    prepared.centreless_count = centreless_count(mesh, cor->centres);
    if (options.stack.skin == SkinMethod::dqs) drop_own_centres(mesh, cor->centres);
    prepared.centres = for_entries(prepared, std::move(cor->centres));
  }
  if (options.stack.skin == SkinMethod::direct_delta_mush) {
    Result<DirectDeltaMush> mush = prepare_direct_delta_mush(mesh, direct_delta_mush_options(mesh), progress);
    if (!mush) return mush.error();
    Result<DirectDeltaMushBlocks> blocks = prepare_direct_delta_mush_blocks(*mush);
    if (!blocks) return blocks.error();
    prepared.direct_delta_mush = std::move(*mush);
    prepared.direct_blocks = std::move(*blocks);
    set_rest_blocks({mesh.points, {}, {}}, prepared.rest_blocks);
  }
  return Done{};
}

Status prepare_kernel(PreparedMesh& prepared, SkinMethod method) {
  const WeightRows rows = rows_of_entries(prepared);
  Result<SkinBlocks> blocks = method == SkinMethod::rigid ? prepare_rigid_blocks(rows) : prepare_blocks(rows);
  if (!blocks) return blocks.error();
  prepared.blocks = std::move(*blocks);
  set_rest_blocks({prepared.rest.points, prepared.rest.normals, prepared.rest.tangents},
                  prepared.rest_blocks);
  if (method == SkinMethod::spherical) prepared.sets = joint_sets(rows);
  if (method == SkinMethod::cor) set_rest_blocks({prepared.centres, {}, {}}, prepared.centre_blocks);
  return Done{};
}

Status prepare_posed_stages(PreparedMesh& prepared, const DeformOptions& options) {
  for (const PosedStage stage : options.stack.posed) {
    switch (stage) {
      case PosedStage::delta_mush: {
        DeltaMushOptions mush_options{.iterations = options.mush_iterations};
        if (options.mush_iterations == kNone) mush_options = delta_mush_options(*prepared.mesh);
        Result<DeltaMush> mush = prepare_delta_mush(*prepared.mesh, mush_options);
        if (!mush) return mush.error();
        prepared.posed.push_back(std::move(*mush));
        break;
      }
    }
  }
  return Done{};
}

void prepare_turns(PreparedMesh& prepared) {
  SurfaceTurns turns = prepare_surface_turns(*prepared.mesh);
  turns.welded = for_entries(prepared, std::move(turns.welded));
  prepared.turns = std::move(turns);
}

}  // namespace

Surface entry_surface(const PreparedMesh& prepared, Surface shaped) {
  Surface entries;
  entries.normals =
      attribute_of_entries(prepared, prepared.mesh->normals, &CornerKey::normal, std::move(shaped.normals));
  entries.tangents = attribute_of_entries(prepared, prepared.mesh->tangents, &CornerKey::tangent,
                                          std::move(shaped.tangents));
  entries.points = for_entries(prepared, std::move(shaped.points));
  return entries;
}

Result<PreparedMesh> prepare_mesh(const Mesh& mesh, bool is_skinned, const DeformOptions& options,
                                  const Progress& progress) {
  PreparedMesh prepared;
  prepared.mesh = &mesh;
  prepared.is_skinned = is_skinned && !mesh.points.empty();
  set_keys(prepared);
  prepared.rest = entry_surface(prepared, shaped_surface(mesh, std::vector<float>(mesh.shapes.size())));
  if (!prepared.is_skinned) return prepared;

  const Stack& stack = options.stack;
  if (Status s = check_bulge_correction(options.bulge_correction); !s) return s.error();
  prepared.used_slots = used_slots_of(mesh.weights);
  if (Status s = prepare_method(prepared, options, progress); !s) return s.error();
  const bool is_direct_delta_mush = stack.skin == SkinMethod::direct_delta_mush;
  const bool is_measured = is_direct_delta_mush || !stack.posed.empty();
  prepared.is_on_kernel = !is_direct_delta_mush && !is_bulge_corrected(options) &&
                          (is_measured || options.normals == NormalMode::shading);
  if (prepared.is_on_kernel) {
    if (Status s = prepare_kernel(prepared, stack.skin); !s) return s.error();
  } else if (options.normals == NormalMode::exact && !is_measured && stack.skin != SkinMethod::rigid) {
    prepared.gradients = weight_gradients(mesh, mesh.points);
    if (stack.skin == SkinMethod::cor)
      prepared.centre_gradients = centre_gradients(mesh, mesh.points, prepared.point_centres());
  }
  if (Status s = prepare_posed_stages(prepared, options); !s) return s.error();
  if (is_measured) prepare_turns(prepared);
  return prepared;
}

}  // namespace dermis
