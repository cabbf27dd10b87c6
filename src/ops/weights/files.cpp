// SPDX-License-Identifier: MIT
// The operations of the verb weights, from file to file.
#include <fmt/format.h>

#include "ops/weights/work.h"

namespace dermis {
namespace {

// The notes from reading the input. Weights repaired on loading are written as repaired.
Notes notes_of_mended(const Notes& reading, bool is_written, WeightsReport& report) {
  Notes notes = reading;
  for (Note& note : notes) {
    const CheckRule* rule = find_rule(note.id);
    const bool is_rewritten = rule != nullptr && *rule->mending != '\0';
    if (!is_written || note.kind != Note::Kind::repair || !is_rewritten) continue;
    ++report.mended_count;
    note.sentence += "; repaired in the written file";
  }
  return notes;
}

// `operation` is called with the asset and a FileRun, and may read one more file.
template <class Operation>
Result<WeightsReport> on_files(const WeightsJob& job, const std::string& other, const Operation& operation,
                               bool needs_output = true) {
  return without_throwing(job.input, [&]() -> Result<WeightsReport> {
    FileJob files = job;
    files.save.mended_weights = true;
    FileVerb<WeightsReport> verb{.extensions = {".glb", ".gltf"}, .also_read = {other}};
    verb.tells_reading = true;
    verb.needs_output = needs_output;
    verb.work = [&](Asset& asset, const FileRun& run) -> Result<WeightsReport> {
      Result<WeightsReport> report =
          noting_correctives(asset, [&]() -> Result<WeightsReport> { return operation(asset, run); });
      if (!report) return report;
      report->notes = joined(notes_of_mended(asset.notes, !job.output.empty(), *report), report->notes);
      report->inputs = {job.input};
      if (!other.empty()) report->inputs.push_back(other);
      return report;
    };
    return run_on_files(files, verb);
  });
}

// The same for an operation that is also called with the weights of another file.
template <class ForeignOperation>
auto with_weights_of(const std::string& other, const ForeignOperation& operation) {
  return [&other, operation](Asset& asset, const FileRun& run) -> Result<WeightsReport> {
    const Result<ForeignWeights> foreign = load_foreign_weights(other, part_of(run, 0, kLoaded));
    if (!foreign) return foreign.error();
    Result<WeightsReport> report = operation(asset, *foreign, part_of(run, kLoaded, 1));
    if (!report) return report;
    report->notes = joined(foreign->notes, report->notes);
    return report;
  };
}

Result<Notes> write_exported(const WeightsJob& job, const Asset& asset,
                             const std::vector<WeightTable>& tables, const SaveOptions& options) {
  if (extension_of(job.output) != ".out") {
    if (Status saved = save_weight_tables(job.output, tables); !saved) return saved.error();
    return Notes{};
  }
  if (tables.size() > 1)
    return Error{Errc::bad_argument,
                 fmt::format("{}: holds one mesh, but {} are selected", job.output, tables.size())}
        .with_remedy("mesh");
  // The writer uses the first skinned mesh of the scene.
  Asset one = asset;
  for (Instance& instance : one.character.instances)
    instance.in_scene = instance.in_scene && mesh_label(one.character, instance.mesh) == tables.front().mesh;
  return save(job.output, one, options);
}

}  // namespace

Result<WeightsReport> normalize_weights(const WeightsJob& job) {
  return on_files(job, {},
                  [&](Asset& asset, const RunOptions& run) { return normalize_weights(asset, job, run); });
}

Result<WeightsReport> rigid_weights(const WeightsJob& job) {
  return on_files(job, {},
                  [&](Asset& asset, const RunOptions& run) { return rigid_weights(asset, job, run); });
}

Result<WeightsReport> limit_weights(const WeightsJob& job, int max_influences) {
  return on_files(job, {}, [&](Asset& asset, const RunOptions& run) {
    return limit_weights(asset, job, max_influences, run);
  });
}

Result<WeightsReport> prune_weights(const WeightsJob& job, double threshold) {
  return on_files(job, {}, [&](Asset& asset, const RunOptions& run) {
    return prune_weights(asset, job, threshold, run);
  });
}

Result<WeightsReport> smooth_weights(const WeightsJob& job, const SmoothOptions& options) {
  return on_files(
      job, {}, [&](Asset& asset, const RunOptions& run) { return smooth_weights(asset, job, options, run); });
}

Result<WeightsReport> mirror_weights(const WeightsJob& job, MirrorDirection direction) {
  return on_files(job, {}, [&](Asset& asset, const RunOptions& run) {
    return mirror_weights(asset, job, direction, run);
  });
}

Result<WeightsReport> transfer_weights(const WeightsJob& job, const std::string& source,
                                       const std::vector<std::string>& source_meshes,
                                       const TransferOptions& options) {
  return on_files(job, source, [&](Asset& asset, const FileRun& run) -> Result<WeightsReport> {
    if (is_one_file(source, job.input))
      return transfer_weights(asset, job, asset, source_meshes, options, run);
    const Result<Asset> opened = open_file(source, part_of(run, 0, kLoaded));
    if (!opened) return opened.error();
    Result<WeightsReport> report =
        transfer_weights(asset, job, *opened, source_meshes, options, part_of(run, kLoaded, 1));
    if (!report) return report;
    report->notes = joined(opened->notes, report->notes);
    return report;
  });
}

Result<WeightsReport> subdivide_weights(const WeightsJob& job, const SubdivideOptions& options) {
  return on_files(job, {}, [&](Asset& asset, const RunOptions& run) {
    return subdivide_weights(asset, job, options, run);
  });
}

Result<WeightsReport> remap_weights(const WeightsJob& job, const JointMap& map, const char* operation) {
  return on_files(job, {}, [&](Asset& asset, const RunOptions& run) {
    Result<WeightsReport> report = remap_weights(asset, job, map, run);
    if (report) report->operation = operation;
    return report;
  });
}

Result<WeightsReport> rename_joints(const WeightsJob& job, const JointMap& map) {
  return without_throwing(job.input, [&]() -> Result<WeightsReport> {
    // Only names change: weights stay as in the file.
    FileVerb<WeightsReport> verb{.extensions = {".glb", ".gltf"}};
    verb.work = [&](Asset& asset, const RunOptions& run) -> Result<WeightsReport> {
      Result<WeightsReport> report = rename_joints(asset, job, map, run);
      if (report) report->inputs = {job.input};
      return report;
    };
    return run_on_files(job, verb);
  });
}

Result<WeightsReport> blend_weights(const WeightsJob& job, const std::string& other, double factor) {
  return on_files(
      job, other,
      with_weights_of(other, [&](Asset& asset, const ForeignWeights& foreign, const RunOptions& run) {
        return blend_weights(asset, job, foreign, factor, run);
      }));
}

Result<WeightsReport> import_weights(const WeightsJob& job, const std::string& table) {
  Result<WeightsReport> report = blend_weights(job, table, 1);
  if (report) report->operation = "import";
  return report;
}

Result<WeightsReport> export_weights(const WeightsJob& job) {
  return without_throwing(job.input, [&]() -> Result<WeightsReport> {
    std::vector<WeightTable> tables;
    FileVerb<WeightsReport> verb{.extensions = {".csv", ".json", ".out"}};
    verb.work = [&](Asset& asset, const RunOptions& run) -> Result<WeightsReport> {
      Result<WeightsReport> report = export_weights(asset, job, tables, run);
      if (report) report->inputs = {job.input};
      return report;
    };
    verb.write = [&](const Asset& asset, const SaveOptions& options) {
      return write_exported(job, asset, tables, options);
    };
    return run_on_files(job, verb);
  });
}

Result<WeightsReport> diff_weights(const WeightsJob& job, const std::string& other) {
  return on_files(
      job, other,
      with_weights_of(other, [&](Asset& asset, const ForeignWeights& foreign,
                                 const RunOptions& run) { return diff_weights(asset, job, foreign, run); }),
      false);
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
        return Error{Errc::bad_file, fmt::format("{}: line {} is not 'joint=joint'", path, line)};
      map.emplace_back(row.substr(0, cut), row.substr(cut + 1));
    }
    if (map.empty()) return Error{Errc::bad_file, fmt::format("{}: maps no joint", path)};
    return map;
  });
}

}  // namespace dermis
