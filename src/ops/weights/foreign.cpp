// SPDX-License-Identifier: MIT
// Weights from tables and other characters, matched to the joints of a skin by name or by position.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ops/weights/work.h"

namespace dermis {
namespace {

// As a fraction of the size of the joints: how near a joint must be to its match.
constexpr double kSamePlace = 1e-3;

bool is_table(const std::string& path) {
  const std::string extension = extension_of(path);
  return extension == ".csv" || extension == ".json";
}

std::vector<Vec3d> places_of(const Skin& skin) {
  std::vector<Vec3d> places;
  places.reserve(skin.inverse_bind.size());
  for (const Affine& joint_from_bind : skin.inverse_bind)
    places.push_back(inverse(Affined(joint_from_bind)).translation);
  return places;
}

// The slot whose joint is at the position of a foreign one; kNone without one.
Index slot_at(const std::vector<Vec3d>& places, const Vec3d& wanted) {
  Box box;
  for (const Vec3d& place : places) {
    if (is_finite(place)) box.add(place);
  }
  Index nearest = kNone;
  double least = kSamePlace * box.diagonal();
  for (std::size_t s = 0; s < places.size(); ++s) {
    const double distance = length(places[s] - wanted);
    if (distance <= least && (nearest == kNone || distance < least)) {
      least = distance;
      nearest = static_cast<Index>(s);
    }
  }
  return nearest;
}

Error joint_unknown(const ForeignWeights::Mesh& foreign, std::size_t joint, const Character& character,
                    const ChosenMesh& chosen, const std::string& file) {
  const std::vector<std::string> labels = node_labels(character);
  std::vector<std::string_view> names;
  names.reserve(character.skins[at(chosen.skin)].node.size());
  for (const Index node : character.skins[at(chosen.skin)].node) names.push_back(labels[at(node)]);
  const std::string& wanted = foreign.table.joints[joint];
  const std::string advice = foreign.places.empty() ? did_you_mean(wanted, names)
                                                    : " (joints of this format are matched by position)";
  return {Errc::bad_argument,
          fmt::format("{}: joint {} has weight on mesh {} but is not in its skin{}", file,
                      quoted_name(wanted), quoted_name(mesh_label(character, chosen.mesh)), advice)};
}

}  // namespace

WeightTable table_of(const Character& character, const ChosenMesh& chosen) {
  WeightTable table;
  table.mesh = mesh_label(character, chosen.mesh);
  const Skin& skin = character.skins[at(chosen.skin)];
  const std::vector<std::string> labels = node_labels(character);
  table.joints.reserve(skin.node.size());
  std::vector<Index> first_slot(skin.node.size());
  const std::map<Index, Index> slots = slots_by_node(skin);
  for (std::size_t s = 0; s < skin.node.size(); ++s) {
    first_slot[s] = slots.at(skin.node[s]);
    // A node that a skin names twice has its weights in its first slot.
    const bool is_first = first_slot[s] == static_cast<Index>(s);
    table.joints.push_back(is_first ? labels[at(skin.node[s])] : fmt::format("#{}+{}", skin.node[s], s));
  }
  table.rows = remapped_weights(character.meshes[at(chosen.mesh)].weights, first_slot);
  return table;
}

Result<ForeignWeights> weights_of(const Asset& asset) {
  return without_throwing(asset.name, [&]() -> Result<ForeignWeights> {
    const Result<std::vector<ChosenMesh>> chosen = choose_skinned(asset.character, {}, asset.name);
    if (!chosen) return chosen.error();
    ForeignWeights all{{}, asset.name, asset.notes};
    // Listings have no names.
    const bool is_nameless = extension_of(asset.name) == ".out";
    for (const ChosenMesh& one : *chosen) {
      ForeignWeights::Mesh& mesh = all.meshes.emplace_back();
      mesh.table = table_of(asset.character, one);
      if (is_nameless) mesh.places = places_of(asset.character.skins[at(one.skin)]);
    }
    return all;
  });
}

Result<ForeignWeights> load_foreign_weights(const std::string& path, const FileRun& run) {
  return without_throwing(path, [&]() -> Result<ForeignWeights> {
    if (!is_table(path)) {
      const Result<Asset> opened = open_file(path, run);
      if (!opened) return opened.error();
      return weights_of(*opened);
    }
    Result<WeightTables> tables = run.reading([&] { return load_weight_tables(path, run.load()); });
    if (!tables) return tables.error();
    ForeignWeights all{{}, path, std::move(tables->notes)};
    all.meshes.reserve(tables->tables.size());
    for (WeightTable& table : tables->tables) all.meshes.push_back({std::move(table)});
    return all;
  });
}

Result<const ForeignWeights::Mesh*> foreign_for(const ForeignWeights& all, const Character& character,
                                                const std::vector<ChosenMesh>& chosen, std::size_t k) {
  const std::string label = mesh_label(character, chosen[k].mesh);
  for (const ForeignWeights::Mesh& one : all.meshes) {
    if (one.table.mesh == label) return &one;
  }
  if (all.meshes.size() == chosen.size()) {
    const auto is_named_elsewhere = [&](const ForeignWeights::Mesh& one) {
      return std::any_of(chosen.begin(), chosen.end(), [&](const ChosenMesh& other) {
        return mesh_label(character, other.mesh) == one.table.mesh;
      });
    };
    if (!is_named_elsewhere(all.meshes[k])) return &all.meshes[k];
  }
  std::vector<std::string_view> names;
  names.reserve(all.meshes.size());
  for (const ForeignWeights::Mesh& one : all.meshes) names.push_back(one.table.mesh);
  return Error{Errc::bad_argument, fmt::format("{}: has no weights for mesh {}{}", all.name,
                                               quoted_name(label), did_you_mean(label, names))};
}

Result<TranslatedRows> translate(const ForeignWeights::Mesh& foreign, const Character& character,
                                 const ChosenMesh& chosen, const std::string& file, bool is_strict,
                                 Notes& notes) {
  const Mesh& mesh = character.meshes[at(chosen.mesh)];
  const Skin& skin = character.skins[at(chosen.skin)];
  const std::size_t rows = foreign.table.rows.empty() ? 0 : foreign.table.rows.first.size() - 1;
  if (rows != mesh.points.size()) {
    return Error{Errc::bad_argument,
                 fmt::format("{}: has weights for {} of mesh {}, which has {} here", file,
                             counted(rows, "point", "points"),
                             quoted_name(mesh_label(character, chosen.mesh)), mesh.points.size())};
  }
  std::vector<bool> is_used(foreign.table.joints.size(), false);
  for (const Influence& one : foreign.table.rows.influences) is_used[at(one.slot)] = true;
  TranslatedRows translated;
  const std::vector<std::string> labels = node_labels(character);
  translated.labels.reserve(skin.node.size());
  for (const Index node : skin.node) translated.labels.push_back(labels[at(node)]);
  const NodeFinder finder(character);
  const std::map<Index, Index> slots = slots_by_node(skin);
  const std::vector<Vec3d> places = foreign.places.empty() ? std::vector<Vec3d>() : places_of(skin);
  std::vector<Index> new_slot(foreign.table.joints.size(), 0);
  for (std::size_t j = 0; j < new_slot.size(); ++j) {
    if (!is_used[j]) continue;
    Index slot = kNone;
    if (!foreign.places.empty()) {
      slot = slot_at(places, foreign.places[j]);
    } else if (const Result<Index> node = finder.find(foreign.table.joints[j]);
               node && slots.contains(*node)) {
      slot = slots.at(*node);
    }
    if (slot == kNone && is_strict) return joint_unknown(foreign, j, character, chosen, file);
    if (slot == kNone) {
      slot = static_cast<Index>(translated.labels.size());
      translated.labels.push_back(foreign.table.joints[j]);
    }
    new_slot[j] = slot;
  }
  if (!foreign.places.empty()) {
    notes.push_back({Note::Kind::guess, "joints-by-place",
                     fmt::format("{}: its joints have no names and were matched by position", file)});
  }
  translated.rows = remapped_weights(foreign.table.rows, new_slot);
  return translated;
}

}  // namespace dermis
