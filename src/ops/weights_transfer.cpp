// SPDX-License-Identifier: MIT
// The operation weights transfer: both characters as they rest, joints matched by name, a skeleton lent.
#include <fmt/format.h>

#include <algorithm>

#include "dermis/ops/weights.h"
#include "ops/weights_job.h"

namespace dermis {
namespace {

// The skinned surface of the source as it rests, by nodes instead of slots.
struct Source {
  Mesh mesh;                 // in world space; weights index `nodes`
  std::vector<Index> nodes;  // of the source
};

Result<Surface> surface_at_rest(const Character& character, Index instance, const std::string& file) {
  const Result<PoseFrame> rest = pose_frame(character, {});
  if (!rest) return in_file(file, rest.error());
  Result<Surface> surface = deform_instance(character, *rest, instance, {});
  if (!surface) return in_file(file, surface.error());
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

// The slot of the target's skin for each joint of the source: by name, or that of the nearest joint above
// that has one.
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
                   fmt::format("{}: its skin has no joint {}, nor one of those above it{}", file,
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

// The nodes of the target that the joints of the source are there, where it has all of them by name.
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

// Joints of the source and all they hang from, put into the target behind its own nodes, with the clips that
// move them. Returns the new node of each node of the source, kNone for those that stay.
std::vector<Index> lend_skeleton(const Character& from, const Source& source, Character& to) {
  std::vector<bool> is_lent(from.nodes.size(), false);
  for (Index node : source.nodes) {
    for (; node != kNone && !is_lent[at(node)]; node = from.nodes[at(node)].parent) is_lent[at(node)] = true;
  }
  std::vector<Index> lent(from.nodes.size(), kNone);
  auto next = static_cast<Index>(to.nodes.size());
  for (std::size_t n = 0; n < from.nodes.size(); ++n)
    if (is_lent[n]) lent[n] = next++;
  for (std::size_t n = 0; n < from.nodes.size(); ++n) {
    if (!is_lent[n]) continue;
    Node node = from.nodes[n];
    node.parent = node.parent == kNone ? kNone : lent[at(node.parent)];
    to.nodes.push_back(std::move(node));
  }
  for (const Clip& clip : from.clips) {
    Clip kept;
    kept.name = clip.name;
    for (const Channel& channel : clip.channels) {
      const bool is_of_node = channel.path == ChannelPath::translation ||
                              channel.path == ChannelPath::rotation || channel.path == ChannelPath::scale;
      if (!is_of_node || lent[at(channel.target)] == kNone) continue;
      kept.channels.push_back(channel);
      kept.channels.back().target = lent[at(channel.target)];
    }
    if (!kept.channels.empty()) to.clips.push_back(std::move(kept));
  }
  return lent;
}

// A skin that holds an instance where it stands: bind space is that of its mesh.
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

// Meshes in the scene: those of the labels; without any the skinned ones, or all when none is.
Result<std::vector<ChosenMesh>> choose_targets(const Character& character,
                                               const std::vector<std::string>& labels,
                                               const std::string& file) {
  std::vector<Index> wanted;
  wanted.reserve(labels.size());
  for (const std::string& label : labels) {
    const Result<Index> mesh = find_mesh(character, label, file);
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

// In one file, what takes weights gives none.
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
    return Error{Errc::usage,
                 fmt::format("{}: is source and target; pick different meshes with --from and --mesh", file)};
  return chosen;
}

void note_transfer(WeightsWork& work, const WeightsReport::Mesh& said) {
  const TransferredWeights& counts = *said.transferred;
  if (counts.harmonic_count > 0) {
    work.report.notes.push_back(
        {Note::Kind::guess, "filled-harmonically",
         fmt::format("mesh {}{}: {} filled in less smoothly, because triangles around are too uneven",
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

// Lends the skeleton once, however many meshes need it.
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
    const std::vector<Index> lent = lend_skeleton(from, source, to);
    nodes.reserve(source.nodes.size());
    for (const Index joint : source.nodes) nodes.push_back(lent[at(joint)]);
    work.labels = node_labels(to);
    work.report.notes.push_back(
        {Note::Kind::info, "skeleton-lent",
         fmt::format("{}: had no skeleton of its own and got {} with {} and what they hang from", file,
                     counted(source.nodes.size(), "joint", "joints"),
                     counted(to.clips.size() - own_clips, "clip", "clips"))});
  }
};

}  // namespace

Result<WeightsReport> transfer_weights(const WeightsJob& job, const std::string& source_file,
                                       const std::vector<std::string>& source_meshes,
                                       const TransferOptions& options) {
  return without_throwing(job.input, [&]() -> Result<WeightsReport> {
    Result<WeightsWork> work = open_work(job, "transfer", {source_file});
    if (!work) return work.error();
    Result<std::vector<ChosenMesh>> targets = choose_targets(work->asset.character, job.meshes, job.input);
    if (!targets) return targets.error();
    work->chosen = std::move(*targets);
    note_several_skins(*work);
    const Result<Asset> given = load(source_file, job.run.load, job.run.progress);
    if (!given) return given.error();
    append(work->report.notes, given->notes);
    const Result<std::vector<ChosenMesh>> sources = choose_sources(
        *work, given->character, source_meshes, source_file, is_one_file(source_file, job.input));
    if (!sources) return sources.error();
    const Result<Source> source = source_of(given->character, *sources, source_file);
    if (!source) return source.error();

    Lender lender{given->character, *source};
    for (std::size_t k = 0; k < work->chosen.size(); ++k) {
      ChosenMesh& chosen = work->chosen[k];
      Result<Surface> surface = surface_at_rest(work->asset.character, chosen.instance, job.input);
      if (!surface) return surface.error();
      Mesh target;
      target.name = work->mesh(k).name;
      target.points = std::move(surface->points);
      target.polygons = work->mesh(k).polygons;
      target.weld = work->mesh(k).weld;
      Result<TransferredWeights> moved = transferred_weights(source->mesh, target, options, job.run.progress);
      if (!moved) return in_file(job.input, moved.error());
      Character& character = work->asset.character;
      if (chosen.skin != kNone) {
        const Result<std::vector<Index>> slots =
            slots_for(given->character, *source, character, character.skins[at(chosen.skin)], job.input,
                      work->report.notes);
        if (!slots) return slots.error();
        moved->rows = remapped_weights(moved->rows, *slots);
      } else {
        lender.lend(*work, job.input);
        chosen.skin = static_cast<Index>(character.skins.size());
        character.skins.push_back(skin_at_rest(character, lender.nodes, chosen.instance));
        character.instances[at(chosen.instance)].skin = chosen.skin;
      }
      WeightsReport::Mesh& said = set_rows(*work, k, std::move(moved->rows));
      moved->rows = {};
      said.transferred = std::move(*moved);
      note_transfer(*work, said);
    }
    return save_work(job, std::move(*work));
  });
}

}  // namespace dermis
