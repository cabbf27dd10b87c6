// SPDX-License-Identifier: MIT
// The operation weights transfer: both characters at rest, joints matched by name, the skeleton copied if
// missing.
#include <fmt/format.h>

#include <algorithm>

#include "dermis/ops/weights.h"
#include "ops/weights/work.h"

namespace dermis {
namespace {

// The skinned surface of the source at rest, by nodes instead of slots.
struct Source {
  Mesh mesh;                 // in world space; weights index `nodes`
  std::vector<Index> nodes;  // of the source
};

Result<Surface> surface_at_rest(const Character& character, Index instance, const std::string& file) {
  const Result<PoseFrame> rest = pose_frame(character, {});
  if (!rest) return prefixed(file, rest.error());
  Result<Surface> surface = deform_instance(character, *rest, instance, {});
  if (!surface) return prefixed(file, surface.error());
  return surface;
}

Status add_mesh(const Character& character, const ChosenMesh& chosen, const std::string& file,
                std::map<Index, Index>& place_of_node, WeightRowBuilder& rows, Source& source) {
  const Result<Surface> surface = surface_at_rest(character, chosen.instance, file);
  if (!surface) return surface.error();
  const Mesh& mesh = character.meshes[at(chosen.mesh)];
  const Skin& skin = character.skins[at(chosen.skin)];
  const auto base = static_cast<Index>(source.mesh.points.size());
  source.mesh.points.insert(source.mesh.points.end(), surface->points.begin(), surface->points.end());
  for (std::size_t p = 0; p < mesh.polygons.count(); ++p) {
    for (const Index v : mesh.polygons.polygon(p)) source.mesh.polygons.corners.push_back(base + v);
    source.mesh.polygons.first.push_back(static_cast<std::uint32_t>(source.mesh.polygons.corners.size()));
  }
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    for (const Influence& one : mesh.weights.row(v)) {
      const Index node = skin.node[at(one.slot)];
      const auto [found, is_new] = place_of_node.try_emplace(node, static_cast<Index>(source.nodes.size()));
      if (is_new) source.nodes.push_back(node);
      rows.add(found->second, one.weight);
    }
    rows.close_row(1);
  }
  return Done{};
}

Result<Source> source_of(const Character& character, const std::vector<ChosenMesh>& chosen,
                         const std::string& file) {
  Source source;
  source.mesh.name = character.name;
  std::map<Index, Index> place_of_node;
  WeightRowBuilder rows;
  for (const ChosenMesh& one : chosen) {
    if (Status added = add_mesh(character, one, file, place_of_node, rows, source); !added)
      return added.error();
  }
  source.mesh.weights = rows.take();
  source.mesh.weld = weld_coincident(source.mesh.points);
  return source;
}

// ---- Joints -----------------------------------------------------------------------------------------------

// The slot of the target's skin for each joint of the source: by name, or that of the nearest ancestor that
// has one.
Result<std::vector<Index>> slots_for(const Character& from, const Source& source, const Character& to,
                                     const Skin& skin, const std::string& file, Notes& notes) {
  const NodeFinder finder(to);
  const std::map<Index, Index> slots = slots_by_node(skin);
  const std::vector<std::string> labels = node_labels(from);
  std::vector<Index> found;
  found.reserve(source.nodes.size());
  for (const Index joint : source.nodes) {
    Index slot = kNone, above = joint;
    for (; above != kNone; above = from.nodes[at(above)].parent) {
      const Result<Index> node = finder.find(labels[at(above)]);
      if (!node || !slots.contains(*node)) continue;
      slot = slots.at(*node);
      break;
    }
    if (slot == kNone) {
      std::vector<std::string_view> names;
      names.reserve(skin.node.size());
      for (const Index node : skin.node) names.push_back(to.nodes[at(node)].name);
      return Error{Errc::bad_argument,
                   fmt::format("{}: its skin has neither joint {} nor one of its ancestors{}", file,
                               quoted_name(labels[at(joint)]), did_you_mean(labels[at(joint)], names))};
    }
    if (above != joint)
      notes.push_back({Note::Kind::guess, "joint-replaced",
                       fmt::format("{}: has no joint {}; its weights went to {}", file,
                                   quoted_name(labels[at(joint)]), quoted_name(labels[at(above)]))});
    found.push_back(slot);
  }
  return found;
}

// The nodes of the target with the names of the source's joints, if it has all of them.
std::vector<Index> nodes_by_name(const Character& from, const Source& source, const Character& to) {
  const NodeFinder finder(to);
  const std::vector<std::string> labels = node_labels(from);
  std::vector<Index> nodes;
  nodes.reserve(source.nodes.size());
  for (const Index joint : source.nodes) {
    const Result<Index> node = finder.find(labels[at(joint)]);
    if (!node) return {};
    nodes.push_back(*node);
  }
  return nodes;
}

// A skin that keeps an instance in place: bind space is that of its mesh.
Skin skin_at_rest(const Character& character, const std::vector<Index>& nodes, Index instance) {
  const std::vector<Affined> world = rest_world(character);
  const Affined& world_from_mesh = world[at(character.instances[at(instance)].node)];
  Skin skin;
  skin.name = character.meshes[at(character.instances[at(instance)].mesh)].name;
  skin.node = nodes;
  skin.inverse_bind.reserve(nodes.size());
  for (const Index node : nodes)
    skin.inverse_bind.push_back(Affine(inverse(world[at(node)]) * world_from_mesh));
  return skin;
}

// ---- Targets ----------------------------------------------------------------------------------------------

// Meshes in the scene: those of the labels; without labels the skinned ones, or all if none is skinned.
Result<std::vector<ChosenMesh>> choose_targets(const Character& character,
                                               const std::vector<std::string>& labels,
                                               const std::string& file) {
  std::vector<Index> wanted;
  wanted.reserve(labels.size());
  for (const std::string& label : labels) {
    const Result<Index> mesh = find_mesh(character, label);
    if (!mesh) return mesh.error();
    wanted.push_back(*mesh);
  }
  const bool has_skin = shows_skin(character);
  std::vector<ChosenMesh> chosen;
  for (std::size_t i = 0; i < character.instances.size(); ++i) {
    const Instance& instance = character.instances[i];
    const auto is_same = [&](const ChosenMesh& one) { return one.mesh == instance.mesh; };
    const bool is_wanted = labels.empty()
                               ? !has_skin || instance.skin != kNone
                               : std::find(wanted.begin(), wanted.end(), instance.mesh) != wanted.end();
    if (!instance.in_scene || !is_wanted || std::any_of(chosen.begin(), chosen.end(), is_same)) continue;
    chosen.push_back({instance.mesh, instance.skin, static_cast<Index>(i)});
  }
  if (chosen.empty())
    return Error{Errc::bad_argument, fmt::format("{}: shows no mesh that could take weights", file)};
  return chosen;
}

// Within one file, meshes that take weights give none.
Result<std::vector<ChosenMesh>> choose_sources(const WeightsWork& work, const Character& character,
                                               const std::vector<std::string>& labels,
                                               const std::string& file, bool is_same_file) {
  Result<std::vector<ChosenMesh>> chosen = choose_skinned(character, labels, file);
  if (!chosen || !is_same_file) return chosen;
  std::erase_if(*chosen, [&](const ChosenMesh& one) {
    return std::any_of(work.chosen.begin(), work.chosen.end(),
                       [&](const ChosenMesh& target) { return target.mesh == one.mesh; });
  });
  if (chosen->empty())
    return Error{Errc::usage, fmt::format("{}: is source and target, with the same meshes", file)}
        .with_remedy("source_mesh")
        .with_remedy("mesh");
  return chosen;
}

void note_transfer(WeightsWork& work, const WeightsReport::Mesh& said) {
  const TransferredWeights& counts = *said.transferred;
  if (counts.harmonic_count > 0) {
    work.report.notes.push_back(
        {Note::Kind::guess, "filled-harmonically",
         fmt::format("mesh {}{}: {} filled in less smoothly, because their triangles are too uneven",
                     said.index,
                     said.name.empty() ? std::string() : fmt::format(" {}", quoted_name(said.name)),
                     counted(counts.harmonic_count, "point was", "points were")),
         "mesh", said.index, -1, counts.harmonic_count});
  }
  if (counts.nearest_count == 0) return;
  work.report.notes.push_back(
      {Note::Kind::guess, "islands-unmatched",
       fmt::format("mesh {}{}: {} of {} had no match within the limits and took the nearest weights",
                   said.index, said.name.empty() ? std::string() : fmt::format(" {}", quoted_name(said.name)),
                   counted(counts.nearest_island_count, "island", "islands"),
                   counted(counts.nearest_count, "point", "points")),
       "mesh", said.index, -1, counts.nearest_count});
}

// Why the transfer as a whole may be wrong.
std::string transfer_doubt(const WeightsReport& report, const std::string& source) {
  std::size_t point_count = 0, unmatched_count = 0;
  for (const WeightsReport::Mesh& mesh : report.meshes) {
    point_count += mesh.point_count;
    unmatched_count += mesh.transferred->nearest_count;
  }
  const double share =
      static_cast<double>(unmatched_count) / static_cast<double>(std::max<std::size_t>(point_count, 1));
  if (share <= kDoubtedUnmatched) return {};
  return fmt::format(
      "{:.0f} % of the points lie on pieces that match nothing in {} and took the nearest weights",
      100 * share, source);
}

// Copies the skeleton once, however many meshes need it.
struct Lender {
  const Character& from;
  const Source& source;
  std::vector<Index> nodes{};  // of the target, for each joint of the source

  void lend(WeightsWork& work, const std::string& file) {
    if (!nodes.empty()) return;
    Character& to = work.asset.character;
    nodes = nodes_by_name(from, source, to);
    if (!nodes.empty()) return;
    const std::size_t own_clips = to.clips.size();
    const std::vector<Index> lent = copy_skeleton(from, source.nodes, to);
    nodes.reserve(source.nodes.size());
    for (const Index joint : source.nodes) nodes.push_back(lent[at(joint)]);
    work.labels = node_labels(to);
    work.report.notes.push_back({Note::Kind::info, "skeleton-lent",
                                 fmt::format("{}: had no skeleton and got {} with {} and their ancestors",
                                             file, counted(source.nodes.size(), "joint", "joints"),
                                             counted(to.clips.size() - own_clips, "clip", "clips"))});
  }
};

// `is_same`: the weights come from other meshes of the same asset.
Result<WeightsReport> transfer_into(Asset& asset, const WeightsRequest& request, const Asset& given,
                                    bool is_same, const std::vector<std::string>& source_meshes,
                                    const TransferOptions& options, const Run& run) {
  Result<WeightsWork> work = start_work(asset, request, "transfer");
  if (!work) return work.error();
  Character& character = asset.character;
  Result<std::vector<ChosenMesh>> targets = choose_targets(character, request.meshes, asset.name);
  if (!targets) return targets.error();
  work->chosen = std::move(*targets);
  note_several_skins(*work);
  if (Status selected = choose_points(request, *work); !selected) return selected.error();
  const Result<std::vector<ChosenMesh>> sources =
      choose_sources(*work, given.character, source_meshes, given.name, is_same);
  if (!sources) return sources.error();
  const Result<Source> source = source_of(given.character, *sources, given.name);
  if (!source) return source.error();
  Lender lender{given.character, *source};
  for (std::size_t k = 0; k < work->chosen.size(); ++k) {
    ChosenMesh& chosen = work->chosen[k];
    Result<Surface> surface = surface_at_rest(character, chosen.instance, asset.name);
    if (!surface) return surface.error();
    Mesh target;
    target.name = work->mesh(k).name;
    target.points = std::move(surface->points);
    target.polygons = work->mesh(k).polygons;
    target.weld = work->mesh(k).weld;
    Result<TransferredWeights> moved =
        transferred_weights(source->mesh, target, options, piece_of(run, k, work->chosen.size()).progress);
    if (!moved) return prefixed(asset.name, moved.error());
    if (chosen.skin != kNone) {
      const Result<std::vector<Index>> slots =
          slots_for(given.character, *source, character, character.skins[at(chosen.skin)], asset.name,
                    work->report.notes);
      if (!slots) return slots.error();
      moved->rows = remapped_weights(moved->rows, *slots);
      if (const SlotLocks locks = work->locks_at(k); !locks.empty()) {
        // All of the new rows, except for what is locked.
        Result<WeightRows> kept = blended_weights(work->mesh(k).weights, moved->rows, 1, locks);
        if (!kept) return prefixed(asset.name, kept.error());
        moved->rows = std::move(*kept);
      }
    } else {
      lender.lend(*work, asset.name);
      // Its rows, if there are any, name slots of a skin that does not show it.
      work->mesh(k).weights = {};
      chosen.skin = static_cast<Index>(character.skins.size());
      character.skins.push_back(skin_at_rest(character, lender.nodes, chosen.instance));
      character.instances[at(chosen.instance)].skin = chosen.skin;
    }
    WeightsReport::Mesh& said = set_rows(*work, k, std::move(moved->rows));
    moved->rows = {};
    said.transferred = std::move(*moved);
    note_transfer(*work, said);
  }
  if (Status valid = validate(character); !valid) return prefixed(asset.name, valid.error());
  work->report.doubt = transfer_doubt(work->report, given.name);
  return end_work(*work);
}

}  // namespace

Result<WeightsReport> transfer_weights(Asset& asset, const WeightsRequest& request, const Asset& given,
                                       const std::vector<std::string>& source_meshes,
                                       const TransferOptions& options, const Run& run) {
  return without_throwing(asset.name, [&] {
    return all_or_nothing(asset, [&](Asset& copy) {
      return transfer_into(copy, request, given, &given == &asset, source_meshes, options, run);
    });
  });
}

}  // namespace dermis
