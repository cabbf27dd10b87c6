// SPDX-License-Identifier: MIT
// The operations of the verb weights, except transfer: change the rows, and report.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "dermis/ops/weights.h"
#include "ops/weights/selection.h"
#include "ops/weights/work.h"

namespace dermis {
namespace {

// "mesh 0 'body'"
std::string place_of_mesh(const WeightsWork& work, std::size_t k) {
  const Index mesh = work.chosen[k].mesh;
  const std::string& name = work.asset.character.meshes[at(mesh)].name;
  return fmt::format("mesh {}{}", mesh, name.empty() ? std::string() : " " + quoted_name(name));
}

void note_mesh(WeightsWork& work, std::size_t k, Note::Kind kind, const char* id, std::size_t count,
               Index first, const std::string& words) {
  work.report.notes.push_back({kind, id, fmt::format("{}: {}", place_of_mesh(work, k), words), "mesh",
                               work.chosen[k].mesh, first, count});
}

// Changes each of the selected skinned meshes; `finish` is called when all are changed.
template <class Change>
Result<WeightsReport> on_each_mesh(Asset& asset, const WeightsRequest& request, const char* operation,
                                   const Run& run, const Change& change,
                                   const std::function<void(WeightsWork&)>& finish = {}) {
  return without_throwing(asset.name, [&]() -> Result<WeightsReport> {
    Result<WeightsWork> work = start_work(asset, request, operation);
    if (!work) return work.error();
    if (Status chosen = choose_meshes(request, *work); !chosen) return chosen.error();
    for (std::size_t k = 0; k < work->chosen.size(); ++k) {
      work->piece = piece_of(run, k, work->chosen.size());
      if (Status going = work->piece.progress.at("changing weights", 0); !going)
        return prefixed(asset.name, going.error());
      if (Status done = change(*work, k); !done) return done.error();
    }
    if (finish) finish(*work);
    if (Status valid = validate(asset.character); !valid) return prefixed(asset.name, valid.error());
    return end_work(*work);
  });
}

// For operations that cannot leave some points of a mesh as they are.
Status check_whole_meshes(const WeightsRequest& request, const char* operation) {
  const char* option = !request.joints.empty()    ? "without_joint"
                       : !request.shells.empty()  ? "without_shell"
                       : !request.regions.empty() ? "without_region"
                       : request.makes_rigid      ? "without_rigid"
                                                  : nullptr;
  if (option == nullptr) return Done{};
  return Error{Errc::usage, fmt::format("{} works on whole meshes", operation)}.with_remedy(option);
}

// Rows may have grown beyond what engines support.
void note_long_rows(WeightsWork& work, std::size_t k, const WeightsReport::Mesh& said) {
  constexpr std::size_t kUsual = 4;
  if (said.longest_after <= std::max(said.longest_before, kUsual)) return;
  note_mesh(work, k, Note::Kind::info, "rows-longer", 0, -1,
            fmt::format("points now follow up to {} joints; 'dermis weights limit' reduces that",
                        said.longest_after));
}

// Approximate peak memory of subdividing. Corners, and with them nearly all data of a mesh, quadruple with
// each level.
std::uint64_t subdivided_bytes(const Mesh& mesh, int levels) {
  // Besides the finest mesh, memory holds the coarser one and how points derive from it.
  constexpr std::uint64_t kBeside = 3;
  const auto bytes_of = [](const auto& values) { return std::uint64_t{values.size()} * sizeof(values[0]); };
  const auto bytes_of_attribute = [&](const auto& attribute) {
    return bytes_of(attribute.values) + bytes_of(attribute.corner_value);
  };
  std::uint64_t bytes = bytes_of(mesh.points) + bytes_of(mesh.polygons.first) +
                        bytes_of(mesh.polygons.corners) + bytes_of_attribute(mesh.normals) +
                        bytes_of_attribute(mesh.tangents) + bytes_of(mesh.weights.first) +
                        bytes_of(mesh.weights.influences) + bytes_of(mesh.dqs_share) + bytes_of(mesh.weld);
  for (const auto& uvs : mesh.uvs) bytes += bytes_of_attribute(uvs);
  for (const auto& colours : mesh.colours) bytes += bytes_of_attribute(colours);
  for (const Shape& shape : mesh.shapes)
    bytes +=
        bytes_of(shape.points) + bytes_of(shape.offsets) + bytes_of(shape.normals) + bytes_of(shape.tangents);
  return (bytes * kBeside) << (2 * std::clamp(levels, 0, 4));
}

// ---- Joints by name -------------------------------------------------------------------------------------

struct NodePair {
  Index from = kNone, to = kNone;
  bool is_used = false;  // a point has weight on the first
};

Result<std::vector<NodePair>> node_pairs(const Character& character, const JointMap& map,
                                         const std::string& file) {
  const NodeFinder finder(character);
  std::vector<NodePair> pairs;
  pairs.reserve(map.size());
  for (const auto& [from, to] : map) {
    const Result<Index> a = finder.find(from), b = finder.find(to);
    if (!a || !b) {
      const Error& error = (a ? b : a).error();
      return prefixed(file, error);
    }
    for (const NodePair& other : pairs) {
      if (other.from == *a && other.to != *b)
        return Error{Errc::usage, fmt::format("joint {} is mapped to two joints", quoted_name(from))};
    }
    pairs.push_back({*a, *b});
  }
  return pairs;
}

// A node that no skin names has no weight to give and can take none.
Status check_joints(const Character& character, const JointMap& map, const std::string& file) {
  std::vector<std::string> labels;
  for (const auto& [from, to] : map) labels.insert(labels.end(), {from, to});
  const Result<std::vector<SlotLocks>> joints = joints_of(character, labels, file, "mapped joints");
  if (!joints) return joints.error();
  return Done{};
}

// The new slot of each slot of a skin; marks the pairs that move weight.
Result<std::vector<Index>> new_slots(const WeightsWork& work, std::size_t k, std::span<NodePair> pairs,
                                     const std::string& file) {
  const Character& character = work.asset.character;
  const Skin& skin = character.skins[at(work.chosen[k].skin)];
  const WeightRows& rows = character.meshes[at(work.chosen[k].mesh)].weights;
  std::vector<bool> is_used(skin.node.size(), false);
  for (const Influence& one : rows.influences) is_used[at(one.slot)] = true;
  const std::map<Index, Index> slots = slots_by_node(skin);
  std::vector<Index> new_slot(skin.node.size());
  for (std::size_t s = 0; s < new_slot.size(); ++s) {
    new_slot[s] = static_cast<Index>(s);
    for (NodePair& pair : pairs) {
      if (skin.node[s] != pair.from) continue;
      pair.is_used = pair.is_used || is_used[s];
      const auto found = slots.find(pair.to);
      if (found != slots.end()) {
        new_slot[s] = found->second;
      } else if (is_used[s]) {
        return Error{Errc::bad_argument,
                     fmt::format("{}: joint {} is not in the skin of {}, so it cannot take the weights of {}",
                                 file, quoted_name(work.labels[at(pair.to)]), place_of_mesh(work, k),
                                 quoted_name(work.labels[at(pair.from)]))};
      }
      const SlotLocks locks = work.locks_at(k);
      const auto is_locked = [&](std::size_t slot) { return slot < locks.size() && locks[slot]; };
      if (is_used[s] && (is_locked(s) || is_locked(at(new_slot[s]))))
        return Error{
            Errc::usage,
            fmt::format("joint {} or {} is locked, so weight cannot move from one to the other",
                        quoted_name(work.labels[at(pair.from)]), quoted_name(work.labels[at(pair.to)]))};
    }
  }
  return new_slot;
}

// ---- Differences ----------------------------------------------------------------------------------------

constexpr std::size_t kWorstPoints = 10;

// The joint whose weight differs most between two rows.
WeightsReport::Point worst_of(Index mesh, std::size_t v, std::span<const Influence> a,
                              std::span<const Influence> b, const std::vector<std::string>& labels) {
  WeightsReport::Point point;
  point.mesh = mesh;
  point.point = static_cast<Index>(v);
  point.distance = row_distance(a, b);
  const auto weight_in = [](std::span<const Influence> row, Index slot) {
    for (const Influence& one : row) {
      if (one.slot == slot) return static_cast<double>(one.weight);
    }
    return 0.0;
  };
  double most = 0;
  for (const std::span<const Influence> row : {a, b}) {
    for (const Influence& one : row) {
      const double before = weight_in(a, one.slot), after = weight_in(b, one.slot);
      if (std::abs(after - before) <= most) continue;
      most = std::abs(after - before);
      point.joint = labels[at(one.slot)];
      point.before = before;
      point.after = after;
    }
  }
  return point;
}

// Compares without changing anything.
void compare_rows(WeightsWork& work, std::size_t k, const TranslatedRows& other) {
  std::vector<WeightsReport::Point>& worst = work.report.worst;
  report_change(work, k, other.rows, other.labels, [&](std::size_t v, double distance) {
    if (worst.size() == kWorstPoints && !(distance > worst.back().distance)) return;
    const auto place =
        std::find_if(worst.begin(), worst.end(), [&](const auto& one) { return one.distance < distance; });
    worst.insert(place, worst_of(work.chosen[k].mesh, v, work.mesh(k).weights.row(v), other.rows.row(v),
                                 other.labels));
    if (worst.size() > kWorstPoints) worst.pop_back();
  });
}

}  // namespace

Result<WeightsReport> normalize_weights(Asset& asset, const WeightsRequest& request, const Run& run) {
  return on_each_mesh(asset, request, "normalize", run, [&](WeightsWork& work, std::size_t k) -> Status {
    set_rows(work, k, WeightRows(work.mesh(k).weights));
    return Done{};
  });
}

Result<WeightsReport> rigid_weights(Asset& asset, const WeightsRequest& request, const Run& run) {
  return without_throwing(asset.name, [&]() -> Result<WeightsReport> {
    WeightsRequest rigid = request;
    rigid.makes_rigid = true;
    return on_each_mesh(asset, rigid, "rigid", run, [&](WeightsWork& work, std::size_t k) -> Status {
      const WeightsReport::Mesh& said = set_rows(work, k, WeightRows(work.mesh(k).weights));
      if (*said.rigid_shell_count == 0 && said.selected_point_count.value_or(1) > 0)
        note_mesh(work, k, Note::Kind::info, "no-shell-whole", 0, -1,
                  "no shell is selected whole, so none became rigid");
      return Done{};
    });
  });
}

Result<WeightsReport> limit_weights(Asset& asset, const WeightsRequest& request, int max_influences,
                                    const Run& run) {
  return on_each_mesh(asset, request, "limit", run, [&](WeightsWork& work, std::size_t k) -> Status {
    const LimitOptions options{max_influences, work.locks_at(k), work.points[k]};
    Result<LimitedWeights> limited =
        limited_weights(work.asset.character, work.chosen[k].instance, options, work.piece.progress);
    if (!limited) return prefixed(asset.name, limited.error());
    WeightsReport::Mesh& said = set_rows(work, k, std::move(limited->rows));
    limited->rows = {};
    said.limited = std::move(*limited);
    if (said.limited->over_count > 0)
      note_mesh(work, k, Note::Kind::info, "locks-over-limit", said.limited->over_count, -1,
                fmt::format("{} more than {}, because locked influences stay",
                            counted(said.limited->over_count, "point has", "points have"),
                            counted(static_cast<std::size_t>(max_influences), "influence", "influences")));
    return Done{};
  });
}

Result<WeightsReport> prune_weights(Asset& asset, const WeightsRequest& request, double threshold,
                                    const Run& run) {
  return without_throwing(asset.name, [&]() -> Result<WeightsReport> {
    if (!(threshold >= 0 && threshold <= 1))
      return Error{Errc::usage, fmt::format("the threshold {:g} is not between 0 and 1", threshold)};
    return on_each_mesh(asset, request, "prune", run, [&](WeightsWork& work, std::size_t k) -> Status {
      set_rows(work, k,
               pruned_weights(work.mesh(k).weights, static_cast<float>(threshold), work.locks_at(k)));
      return Done{};
    });
  });
}

Result<WeightsReport> smooth_weights(Asset& asset, const WeightsRequest& request,
                                     const SmoothOptions& options, const Run& run) {
  return on_each_mesh(asset, request, "smooth", run, [&](WeightsWork& work, std::size_t k) -> Status {
    SmoothOptions with_locks = options;
    with_locks.locks = work.locks_at(k);
    with_locks.points = work.points[k];
    Result<WeightRows> rows = smoothed_weights(work.mesh(k), with_locks, work.piece.progress);
    if (!rows) return prefixed(asset.name, rows.error());
    note_long_rows(work, k, set_rows(work, k, std::move(*rows)));
    return Done{};
  });
}

Result<WeightsReport> mirror_weights(Asset& asset, const WeightsRequest& request, MirrorDirection direction,
                                     const Run& run) {
  return without_throwing(asset.name, [&]() -> Result<WeightsReport> {
    const Result<MirrorSides> sides = prepare_mirror(asset.character);
    if (!sides) return prefixed(asset.name, sides.error());
    return on_each_mesh(asset, request, "mirror", run, [&](WeightsWork& work, std::size_t k) -> Status {
      Result<MirroredWeights> mirrored = mirrored_weights(work.asset.character, *sides, work.chosen[k].mesh,
                                                          {direction, work.locks_at(k), work.points[k]});
      if (!mirrored) return prefixed(asset.name, mirrored.error());
      WeightsReport::Mesh& said = set_rows(work, k, std::move(mirrored->rows));
      mirrored->rows = {};
      said.mirrored = std::move(*mirrored);
      note_long_rows(work, k, said);
      const std::vector<Index>& unpaired = said.mirrored->unpaired;
      for (const Index node : said.mirrored->unpaired_joints) {
        work.report.notes.push_back(
            {Note::Kind::info, "joint-unpaired",
             fmt::format("joint {} has no counterpart on the other side", quoted_name(work.labels[at(node)])),
             "node", node});
      }
      if (!unpaired.empty())
        note_mesh(
            work, k, Note::Kind::info, "points-unpaired", unpaired.size(), unpaired.front(),
            fmt::format("{} on the other side, or {} joints without one, and {} unchanged (the first is "
                        "point {})",
                        counted(unpaired.size(), "point has no counterpart", "points have no counterpart"),
                        unpaired.size() == 1 ? "follows" : "follow", unpaired.size() == 1 ? "stays" : "stay",
                        unpaired.front()));
      return Done{};
    });
  });
}

Result<WeightsReport> subdivide_weights(Asset& asset, const WeightsRequest& request,
                                        const SubdivideOptions& options, const Run& run) {
  return without_throwing(asset.name, [&]() -> Result<WeightsReport> {
    if (Status whole = check_whole_meshes(request, "subdivide"); !whole) return whole.error();
    return on_each_mesh(asset, request, "subdivide", run, [&](WeightsWork& work, std::size_t k) -> Status {
      const Mesh& mesh = work.mesh(k);
      if (const std::uint64_t bytes = subdivided_bytes(mesh, options.levels); bytes > work.piece.max_memory) {
        return Error{Errc::too_large,
                     fmt::format("{}: {} would need about {} bytes after {}; use fewer", asset.name,
                                 place_of_mesh(work, k), bytes,
                                 counted(static_cast<std::size_t>(options.levels), "level", "levels"))}
            .with_remedy("max_memory");
      }
      Result<Mesh> finer = subdivided_mesh(mesh, options);
      if (!finer) return prefixed(asset.name, finer.error());
      WeightsReport::Mesh& said = report_mesh(work, k, finer->weights);
      said.polygon_count = finer->polygons.count();
      work.replaced->replace_mesh(work.chosen[k].mesh, std::move(*finer));
      note_long_rows(work, k, said);
      return Done{};
    });
  });
}

Result<WeightsReport> remap_weights(Asset& asset, const WeightsRequest& request, const JointMap& map,
                                    const Run& run) {
  return without_throwing(asset.name, [&]() -> Result<WeightsReport> {
    Result<std::vector<NodePair>> pairs = node_pairs(asset.character, map, asset.name);
    if (!pairs) return pairs.error();
    if (Status joints = check_joints(asset.character, map, asset.name); !joints) return joints.error();
    const auto remap = [&](WeightsWork& work, std::size_t k) -> Status {
      const Result<std::vector<Index>> slots = new_slots(work, k, *pairs, asset.name);
      if (!slots) return slots.error();
      set_rows(work, k, remapped_weights(work.mesh(k).weights, *slots));
      return Done{};
    };
    const auto note_unused = [&](WeightsWork& work) {
      for (const NodePair& pair : *pairs) {
        if (pair.is_used) continue;
        work.report.notes.push_back({Note::Kind::info, "joint-unweighted",
                                     fmt::format("no point follows joint {}, so nothing moved from it",
                                                 quoted_name(work.labels[at(pair.from)])),
                                     "node", pair.from});
      }
    };
    return on_each_mesh(asset, request, "remap", run, remap, note_unused);
  });
}

Result<WeightsReport> rename_joints(Asset& asset, const WeightsRequest& request, const JointMap& map,
                                    const Run& run) {
  return without_throwing(asset.name, [&]() -> Result<WeightsReport> {
    if (Status whole = check_whole_meshes(request, "rename"); !whole) return whole.error();
    if (Status going = run.progress.at("renaming joints", 0); !going)
      return prefixed(asset.name, going.error());
    Result<WeightsWork> work = start_work(asset, request, "rename");
    if (!work) return work.error();
    std::vector<Node> nodes = asset.character.nodes;
    const NodeFinder finder(asset.character);
    for (const auto& [from, to] : map) {
      const Result<Index> node = finder.find(from);
      if (!node) return prefixed(asset.name, node.error());
      if (to.empty())
        return Error{Errc::usage, fmt::format("the new name of {} is empty", quoted_name(from))};
      nodes[at(*node)].name = to;
    }
    for (const auto& entry : map) {
      const std::string& name = entry.second;
      const auto has_name = [&](const Node& other) { return other.name == name; };
      if (std::count_if(nodes.begin(), nodes.end(), has_name) > 1)
        return Error{Errc::bad_argument,
                     fmt::format("{}: several nodes would be called {}; joints are identified by name",
                                 asset.name, quoted_name(name))};
    }
    work->report.renamed_count = map.size();
    WeightsReport report = end_work(*work);
    asset.character.nodes = std::move(nodes);
    return report;
  });
}

Result<WeightsReport> blend_weights(Asset& asset, const WeightsRequest& request, const ForeignWeights& other,
                                    double factor, const Run& run) {
  return on_each_mesh(asset, request, "blend", run, [&](WeightsWork& work, std::size_t k) -> Status {
    const Result<const ForeignWeights::Mesh*> theirs = foreign_for(other, asset.character, work.chosen, k);
    if (!theirs) return theirs.error();
    const Result<TranslatedRows> rows =
        translate(**theirs, asset.character, work.chosen[k], other.name, true, work.report.notes);
    if (!rows) return rows.error();
    Result<WeightRows> blended = blended_weights(work.mesh(k).weights, rows->rows, factor, work.locks_at(k));
    if (!blended) return prefixed(asset.name, blended.error());
    note_long_rows(work, k, set_rows(work, k, std::move(*blended)));
    return Done{};
  });
}

Result<WeightsReport> export_weights(const Asset& asset, const WeightsRequest& request,
                                     std::vector<WeightTable>& tables, const Run& run) {
  return without_throwing(asset.name, [&]() -> Result<WeightsReport> {
    if (Status whole = check_whole_meshes(request, "export"); !whole) return whole.error();
    Asset same = asset;  // set_rows reports what it changes
    std::vector<WeightTable> exported;
    Result<WeightsReport> report =
        on_each_mesh(same, request, "export", run, [&](WeightsWork& work, std::size_t k) -> Status {
          exported.push_back(table_of(asset.character, work.chosen[k]));
          set_rows(work, k, WeightRows(work.mesh(k).weights));
          return Done{};
        });
    if (report) tables = std::move(exported);
    return report;
  });
}

Result<WeightsReport> diff_weights(const Asset& asset, const WeightsRequest& request,
                                   const ForeignWeights& other, const Run& run) {
  return without_throwing(asset.name, [&]() -> Result<WeightsReport> {
    if (Status whole = check_whole_meshes(request, "diff"); !whole) return whole.error();
    Asset moved = asset;
    bool can_move = true;
    Result<WeightsReport> report = on_each_mesh(
        moved, request, "diff", part_of(run, 0, 0.5), [&](WeightsWork& work, std::size_t k) -> Status {
          const Result<const ForeignWeights::Mesh*> theirs =
              foreign_for(other, asset.character, work.chosen, k);
          if (!theirs) return theirs.error();
          const Result<TranslatedRows> rows =
              translate(**theirs, asset.character, work.chosen[k], other.name, false, work.report.notes);
          if (!rows) return rows.error();
          compare_rows(work, k, *rows);
          // Joints that the skin does not have cannot move it.
          const Skin& skin = asset.character.skins[at(work.chosen[k].skin)];
          if (rows->labels.size() == skin.node.size())
            work.replaced->replace_rows(work.chosen[k].mesh, rows->rows);
          else
            can_move = false;
          return Done{};
        });
    if (!report || !can_move) return report;
    const Result<SkinDistance> motion =
        skin_distance(asset.character, moved.character, run.progress.part(0.5, 1));
    if (!motion) return motion.error();
    report->motion = *motion;
    return report;
  });
}

}  // namespace dermis
