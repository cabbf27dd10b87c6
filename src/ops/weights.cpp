// SPDX-License-Identifier: MIT
// The operations of the verb weights, but for transfer: load, change the rows, report, save.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dermis/ops/weights.h"
#include "ops/weights_job.h"

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

// Opens a job on skinned meshes, changes each of them, saves.
template <class Change>
Result<WeightsReport> on_each_mesh(const WeightsJob& job, const char* operation,
                                   std::initializer_list<std::string> further, const Change& change) {
  return without_throwing(job.input, [&]() -> Result<WeightsReport> {
    Result<WeightsWork> work = open_work(job, operation, further);
    if (!work) return work.error();
    if (Status chosen = choose_meshes(job, *work); !chosen) return chosen.error();
    for (std::size_t k = 0; k < work->chosen.size(); ++k) {
      if (Status done = change(*work, k); !done) return done.error();
    }
    return save_work(job, std::move(*work));
  });
}

// Rows may have grown past what engines take.
void note_long_rows(WeightsWork& work, std::size_t k, const WeightsReport::Mesh& said) {
  constexpr std::size_t kUsual = 4;
  if (said.longest_after <= std::max(said.longest_before, kUsual)) return;
  note_mesh(work, k, Note::Kind::info, "rows-longer", 0, -1,
            fmt::format("points now follow up to {} joints; 'dermis weights limit' brings that down",
                        said.longest_after));
}

// What subdividing takes at its peak, about. Corners, and with them nearly all that a mesh holds, become four
// times as many with each level.
std::uint64_t subdivided_bytes(const Mesh& mesh, int levels) {
  // Beside the finest mesh stand how its points come from the coarser one, and that one.
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
      return Error{error.code, fmt::format("{}: {}", file, error.sentence)};
    }
    for (const NodePair& other : pairs) {
      if (other.from == *a && other.to != *b)
        return Error{Errc::usage, fmt::format("joint {} is mapped to two joints", quoted_name(from))};
    }
    pairs.push_back({*a, *b});
  }
  return pairs;
}

// The new slot of each slot of a skin.
Result<std::vector<Index>> new_slots(const WeightsWork& work, std::size_t k, std::span<const NodePair> pairs,
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
    for (const NodePair& pair : pairs) {
      if (skin.node[s] != pair.from) continue;
      const auto found = slots.find(pair.to);
      if (found != slots.end()) {
        new_slot[s] = found->second;
      } else if (is_used[s]) {
        return Error{Errc::bad_argument,
                     fmt::format("{}: joint {} is not in the skin of {}, so it cannot take over from {}",
                                 file, quoted_name(work.labels[at(pair.to)]), place_of_mesh(work, k),
                                 quoted_name(work.labels[at(pair.from)]))};
      }
      const SlotLocks& locks = work.locks_at(k);
      const auto is_locked = [&](std::size_t slot) { return slot < locks.size() && locks[slot]; };
      if (is_used[s] && (is_locked(s) || is_locked(at(new_slot[s]))))
        return Error{
            Errc::usage,
            fmt::format("joint {} or {} is locked, so weight cannot go from one to the other",
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

Result<WeightsReport> normalize_weights(const WeightsJob& job) {
  return on_each_mesh(job, "normalize", {}, [&](WeightsWork& work, std::size_t k) -> Status {
    set_rows(work, k, WeightRows(work.mesh(k).weights));
    return Done{};
  });
}

Result<WeightsReport> limit_weights(const WeightsJob& job, int max_influences) {
  return on_each_mesh(job, "limit", {}, [&](WeightsWork& work, std::size_t k) -> Status {
    const LimitOptions options{max_influences, work.locks_at(k)};
    Result<LimitedWeights> limited =
        limited_weights(work.asset.character, work.chosen[k].instance, options, job.run.progress);
    if (!limited) return in_file(job.input, limited.error());
    WeightsReport::Mesh& said = set_rows(work, k, std::move(limited->rows));
    limited->rows = {};
    said.limited = std::move(*limited);
    if (said.limited->over_count > 0)
      note_mesh(work, k, Note::Kind::info, "locks-over-limit", said.limited->over_count, -1,
                fmt::format("{} more than {}, because locked ones stay",
                            counted(said.limited->over_count, "point has", "points have"),
                            counted(static_cast<std::size_t>(max_influences), "influence", "influences")));
    return Done{};
  });
}

Result<WeightsReport> prune_weights(const WeightsJob& job, double threshold) {
  if (!(threshold >= 0 && threshold <= 1))
    return Error{Errc::usage, fmt::format("the threshold {:g} is not between 0 and 1", threshold)};
  return on_each_mesh(job, "prune", {}, [&](WeightsWork& work, std::size_t k) -> Status {
    set_rows(work, k, pruned_weights(work.mesh(k).weights, static_cast<float>(threshold), work.locks_at(k)));
    return Done{};
  });
}

Result<WeightsReport> smooth_weights(const WeightsJob& job, const SmoothOptions& options) {
  return on_each_mesh(job, "smooth", {}, [&](WeightsWork& work, std::size_t k) -> Status {
    SmoothOptions with_locks = options;
    with_locks.locks = work.locks_at(k);
    Result<WeightRows> rows = smoothed_weights(work.mesh(k), with_locks, job.run.progress);
    if (!rows) return in_file(job.input, rows.error());
    note_long_rows(work, k, set_rows(work, k, std::move(*rows)));
    return Done{};
  });
}

Result<WeightsReport> mirror_weights(const WeightsJob& job, MirrorDirection direction) {
  return on_each_mesh(job, "mirror", {}, [&](WeightsWork& work, std::size_t k) -> Status {
    const ChosenMesh& chosen = work.chosen[k];
    Result<MirroredWeights> mirrored =
        mirrored_weights(work.asset.character, chosen.mesh, chosen.skin, {direction, work.locks_at(k)});
    if (!mirrored) return in_file(job.input, mirrored.error());
    WeightsReport::Mesh& said = set_rows(work, k, std::move(mirrored->rows));
    mirrored->rows = {};
    said.mirrored = std::move(*mirrored);
    note_long_rows(work, k, said);
    const std::vector<Index>& unpaired = said.mirrored->unpaired;
    const Skin& skin = work.asset.character.skins[at(chosen.skin)];
    for (const Index slot : said.mirrored->unpaired_slots) {
      work.report.notes.push_back({Note::Kind::info, "joint-unpaired",
                                   fmt::format("joint {} has no pair on the other side",
                                               quoted_name(work.labels[at(skin.node[at(slot)])])),
                                   "node", skin.node[at(slot)]});
    }
    if (!unpaired.empty())
      note_mesh(
          work, k, Note::Kind::info, "points-unpaired", unpaired.size(), unpaired.front(),
          fmt::format("{} on the other side, or {} joints that have none, and {} as before (the first is "
                      "point {})",
                      counted(unpaired.size(), "point has no pair", "points have no pair"),
                      unpaired.size() == 1 ? "follows" : "follow", unpaired.size() == 1 ? "stays" : "stay",
                      unpaired.front()));
    return Done{};
  });
}

Result<WeightsReport> subdivide_weights(const WeightsJob& job, const SubdivideOptions& options) {
  return without_throwing(job.input, [&]() -> Result<WeightsReport> {
    Result<WeightsWork> work = open_work(job, "subdivide", {});
    if (!work) return work.error();
    if (Status chosen = choose_meshes(job, *work); !chosen) return chosen.error();
    for (std::size_t k = 0; k < work->chosen.size(); ++k) {
      Mesh& mesh = work->mesh(k);
      if (const std::uint64_t bytes = subdivided_bytes(mesh, options.levels);
          bytes > job.run.load.max_memory) {
        return Error{
            Errc::too_large,
            fmt::format("{}: {} would take about {} bytes after {}; raise --max-memory or ask for fewer",
                        job.input, place_of_mesh(*work, k), bytes,
                        counted(static_cast<std::size_t>(options.levels), "level", "levels"))};
      }
      Result<Mesh> finer = subdivided_mesh(mesh, options);
      if (!finer) return in_file(job.input, finer.error());
      WeightsReport::Mesh& said = report_mesh(*work, k, finer->weights);
      said.polygon_count = finer->polygons.count();
      mesh = std::move(*finer);
      note_long_rows(*work, k, said);
    }
    return save_work(job, std::move(*work));
  });
}

Result<WeightsReport> remap_weights(const WeightsJob& job, const JointMap& map, const char* operation) {
  std::vector<NodePair> pairs;
  return on_each_mesh(job, operation, {}, [&](WeightsWork& work, std::size_t k) -> Status {
    if (k == 0) {
      Result<std::vector<NodePair>> found = node_pairs(work.asset.character, map, job.input);
      if (!found) return found.error();
      pairs = std::move(*found);
    }
    const Result<std::vector<Index>> slots = new_slots(work, k, pairs, job.input);
    if (!slots) return slots.error();
    set_rows(work, k, remapped_weights(work.mesh(k).weights, *slots));
    return Done{};
  });
}

Result<WeightsReport> rename_joints(const WeightsJob& job, const JointMap& map) {
  return without_throwing(job.input, [&]() -> Result<WeightsReport> {
    Result<WeightsWork> work = open_work(job, "rename", {});
    if (!work) return work.error();
    std::vector<Node>& nodes = work->asset.character.nodes;
    std::vector<std::pair<Index, std::string>> renamed;
    {
      const NodeFinder finder(work->asset.character);
      for (const auto& [from, to] : map) {
        const Result<Index> node = finder.find(from);
        if (!node) return in_file(job.input, node.error());
        if (to.empty())
          return Error{Errc::usage, fmt::format("the new name of {} is empty", quoted_name(from))};
        renamed.emplace_back(*node, to);
      }
    }
    for (const auto& [node, name] : renamed) nodes[at(node)].name = name;
    for (const auto& entry : renamed) {
      const std::string& name = entry.second;
      const auto has_name = [&](const Node& other) { return other.name == name; };
      if (std::count_if(nodes.begin(), nodes.end(), has_name) > 1)
        return Error{Errc::bad_argument,
                     fmt::format("{}: several nodes would be called {}; joints are known by their names",
                                 job.input, quoted_name(name))};
    }
    work->report.renamed_count = renamed.size();
    work->report.seconds = work->watch.lap();
    SaveOptions options = job.save;
    options.overwrite_side_files = job.run.force;
    const Result<Notes> saved = save(job.output, work->asset, options);
    if (!saved) return saved.error();
    append(work->report.notes, *saved);
    return std::move(work->report);
  });
}

Result<WeightsReport> blend_weights(const WeightsJob& job, const std::string& other, double factor) {
  std::vector<ForeignWeights> foreign;
  return on_each_mesh(job, "blend", {other}, [&](WeightsWork& work, std::size_t k) -> Status {
    if (k == 0) {
      Result<std::vector<ForeignWeights>> loaded = load_foreign(other, job.run, work.report.notes);
      if (!loaded) return loaded.error();
      foreign = std::move(*loaded);
    }
    const Result<const ForeignWeights*> theirs =
        foreign_for(foreign, work.asset.character, work.chosen, k, other);
    if (!theirs) return theirs.error();
    const Result<TranslatedRows> rows =
        translate(**theirs, work.asset.character, work.chosen[k], other, true, work.report.notes);
    if (!rows) return rows.error();
    Result<WeightRows> blended = blended_weights(work.mesh(k).weights, rows->rows, factor, work.locks_at(k));
    if (!blended) return in_file(job.input, blended.error());
    note_long_rows(work, k, set_rows(work, k, std::move(*blended)));
    return Done{};
  });
}

Result<WeightsReport> import_weights(const WeightsJob& job, const std::string& table) {
  Result<WeightsReport> report = blend_weights(job, table, 1);
  if (report) report->operation = "import";
  return report;
}

Result<WeightsReport> export_weights(const WeightsJob& job) {
  return without_throwing(job.input, [&]() -> Result<WeightsReport> {
    Result<WeightsWork> work = open_work(job, "export", {}, {".csv", ".json", ".out"});
    if (!work) return work.error();
    if (Status chosen = choose_meshes(job, *work); !chosen) return chosen.error();
    std::vector<WeightTable> tables;
    tables.reserve(work->chosen.size());
    for (std::size_t k = 0; k < work->chosen.size(); ++k) {
      tables.push_back(table_of(work->asset.character, work->chosen[k]));
      set_rows(*work, k, WeightRows(work->mesh(k).weights));
    }
    if (extension_of(job.output) == ".out") {
      if (work->chosen.size() > 1)
        return Error{Errc::bad_argument,
                     fmt::format("{}: holds one mesh, and {} are meant; pick one with --mesh", job.output,
                                 work->chosen.size())};
      // The writer takes the first skinned mesh of the scene.
      for (Instance& instance : work->asset.character.instances)
        instance.in_scene = instance.in_scene && instance.mesh == work->chosen[0].mesh;
      SaveOptions options = job.save;
      options.overwrite_side_files = job.run.force;
      const Result<Notes> saved = save(job.output, work->asset, options);
      if (!saved) return saved.error();
      append(work->report.notes, *saved);
    } else if (Status saved = save_weight_tables(job.output, tables); !saved) {
      return saved.error();
    }
    work->report.seconds = work->watch.lap();
    return std::move(work->report);
  });
}

Result<WeightsReport> diff_weights(const WeightsJob& job, const std::string& other) {
  return without_throwing(job.input, [&]() -> Result<WeightsReport> {
    Result<WeightsWork> work = open_work(job, "diff", {other});
    if (!work) return work.error();
    if (Status chosen = choose_meshes(job, *work); !chosen) return chosen.error();
    const Result<std::vector<ForeignWeights>> foreign = load_foreign(other, job.run, work->report.notes);
    if (!foreign) return foreign.error();
    Character moved = work->asset.character;
    bool can_move = true;
    for (std::size_t k = 0; k < work->chosen.size(); ++k) {
      const Result<const ForeignWeights*> theirs =
          foreign_for(*foreign, work->asset.character, work->chosen, k, other);
      if (!theirs) return theirs.error();
      const Result<TranslatedRows> rows =
          translate(**theirs, work->asset.character, work->chosen[k], other, false, work->report.notes);
      if (!rows) return rows.error();
      compare_rows(*work, k, *rows);
      // Joints that the skin does not have cannot move it.
      const Skin& skin = moved.skins[at(work->chosen[k].skin)];
      can_move &= rows->labels.size() == skin.node.size();
      moved.meshes[at(work->chosen[k].mesh)].weights = rows->rows;
    }
    if (can_move) {
      const Result<SkinDistance> motion = skin_distance(work->asset.character, moved, job.run.progress);
      if (!motion) return motion.error();
      work->report.motion = *motion;
    }
    end_report(*work);
    return std::move(work->report);
  });
}

Result<JointMap> load_joint_map(const std::string& path) {
  return without_throwing(path, [&]() -> Result<JointMap> {
    constexpr std::uint64_t kLargest = std::uint64_t{16} << 20;
    const Result<std::vector<std::byte>> bytes = load_bytes(path, kLargest);
    if (!bytes) return bytes.error();
    const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    JointMap map;
    std::size_t line = 0;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
      const std::string_view row = text.substr(begin, end - begin);
      begin = end + 1;
      ++line;
      if (row.empty() || row.front() == '#') continue;
      const std::size_t cut = row.find_first_of("=,");
      if (cut == std::string_view::npos || cut == 0 || cut + 1 == row.size())
        return Error{Errc::bad_file, fmt::format("{}: line {}: is not 'joint=joint'", path, line)};
      map.emplace_back(row.substr(0, cut), row.substr(cut + 1));
    }
    if (map.empty()) return Error{Errc::bad_file, fmt::format("{}: maps no joint", path)};
    return map;
  });
}

}  // namespace dermis
