// SPDX-License-Identifier: MIT
// The operations of the verb shapes, from file to file.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "ops/shapes/work.h"

namespace dermis {
namespace {

// `operation` is called with the asset and a FileRun, and may read further files.
template <class Operation>
Result<ShapesReport> on_shape_files(const ShapesJob& job, const std::vector<std::string>& others,
                                    const Operation& operation, bool needs_output = true) {
  FileVerb<ShapesReport> verb{.extensions = {".glb", ".gltf"}, .also_read = others};
  verb.names_files = !others.empty();
  verb.needs_output = needs_output;
  verb.work = [&](Asset& asset, const FileRun& run) -> Result<ShapesReport> {
    Result<ShapesReport> report = operation(asset, run);
    if (!report) return report;
    report->inputs = {job.input};
    report->inputs.insert(report->inputs.end(), others.begin(), others.end());
    return report;
  };
  return run_on_files(job, verb);
}

constexpr std::uint64_t kMostPairBytes = std::uint64_t{16} << 20;

Result<std::vector<PointPair>> load_pairs(const std::string& path) {
  const Result<std::vector<std::byte>> bytes = load_bytes(path, kMostPairBytes);
  if (!bytes) return bytes.error();
  std::istringstream lines{std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size())};
  std::vector<PointPair> pairs;
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    line.resize(std::min(line.find('#'), line.size()));
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c == ',' || c == '\r'; }, ' ');
    if (line.find_first_not_of(" \t") == std::string::npos) continue;
    std::istringstream words(line);
    std::array<double, 6> n{};
    std::string more;
    if (!(words >> n[0] >> n[1] >> n[2] >> n[3] >> n[4] >> n[5]) || words >> more ||
        !is_finite(Vec3d{n[0], n[1], n[2]}) || !is_finite(Vec3d{n[3], n[4], n[5]}))
      return Error{
          Errc::bad_file,
          fmt::format("{}: line {} must have six numbers: a place of the source, and that of the target",
                      path, number)};
    pairs.push_back({{n[0], n[1], n[2]}, {n[3], n[4], n[5]}});
  }
  if (pairs.empty()) return Error{Errc::bad_file, fmt::format("{}: holds no pair of places", path)};
  return pairs;
}

}  // namespace

Result<ShapesReport> list_shapes(const ShapesJob& job) {
  return on_shape_files(
      job, {}, [&](Asset& asset, const FileRun& run) { return list_shapes(asset, job, run); }, false);
}

Result<ShapesReport> add_shapes(const ShapesJob& job, const ShapeNames& sculpts,
                                const SculptOptions& options) {
  std::vector<std::string> files;
  for (const auto& [name, file] : sculpts) files.push_back(file);
  return on_shape_files(job, files, [&](Asset& asset, const FileRun& run) -> Result<ShapesReport> {
    std::vector<Asset> opened;
    std::vector<NamedSculpt> named;
    Notes reading;
    for (std::size_t k = 0; k < sculpts.size(); ++k) {
      Result<Asset> sculpt = open_file(files[k], piece_of(part_of(run, 0, 0.5), k, files.size()));
      if (!sculpt) return sculpt.error();
      append(reading, notes_of_file(files[k], sculpt->notes));
      opened.push_back(std::move(*sculpt));
    }
    for (std::size_t k = 0; k < sculpts.size(); ++k) named.push_back({sculpts[k].first, &opened[k]});
    Result<ShapesReport> report = add_shapes(asset, job, named, options, part_of(run, 0.5, 1));
    if (report) report->notes = joined(reading, report->notes);
    return report;
  });
}

Result<ShapesReport> correct_shape(const ShapesJob& job, const std::string& sculpt, const PoseChoice& pose,
                                   CorrectiveRequest how) {
  std::vector<std::string> others = {sculpt};
  if (!pose.pose_file.empty()) others.push_back(pose.pose_file);
  return on_shape_files(job, others, [&](Asset& asset, const FileRun& run) -> Result<ShapesReport> {
    Result<ChosenPose> chosen = run.reading([&] { return read_choice(asset.character, pose); });
    if (!chosen) return prefixed(job.input, chosen.error());
    how.pose = std::move(*chosen);
    const Result<Asset> opened = open_file(sculpt, part_of(run, 0, 0.3));
    if (!opened) return opened.error();
    Result<ShapesReport> report = correct_shape(asset, job, *opened, how, part_of(run, 0.3, 1));
    if (report) report->notes = joined(notes_of_file(sculpt, opened->notes), report->notes);
    return report;
  });
}

Result<ShapesReport> list_correctives(const ShapesJob& job, const PoseChoice& pose) {
  std::vector<std::string> others;
  if (!pose.pose_file.empty()) others.push_back(pose.pose_file);
  return on_shape_files(
      job, others,
      [&](Asset& asset, const FileRun& run) -> Result<ShapesReport> {
        const Result<ChosenPose> chosen = run.reading([&] { return read_choice(asset.character, pose); });
        if (!chosen) return prefixed(job.input, chosen.error());
        return list_correctives(asset, job, *chosen, run);
      },
      false);
}

Result<ShapesReport> remove_shapes(const ShapesJob& job, const std::vector<std::string>& patterns) {
  return on_shape_files(
      job, {}, [&](Asset& asset, const FileRun& run) { return remove_shapes(asset, job, patterns, run); });
}

Result<ShapesReport> rename_shapes(const ShapesJob& job, const ShapeNames& names) {
  return on_shape_files(
      job, {}, [&](Asset& asset, const FileRun& run) { return rename_shapes(asset, job, names, run); });
}

Result<ShapesReport> split_shapes(const ShapesJob& job, const std::vector<std::string>& patterns,
                                  double falloff) {
  return on_shape_files(job, {}, [&](Asset& asset, const FileRun& run) {
    return split_shapes(asset, job, patterns, falloff, run);
  });
}

Result<ShapesReport> mirror_shapes(const ShapesJob& job, const std::vector<std::string>& patterns) {
  return on_shape_files(
      job, {}, [&](Asset& asset, const FileRun& run) { return mirror_shapes(asset, job, patterns, run); });
}

Result<ShapesReport> bake_shapes(const ShapesJob& job, const std::vector<NamedValue>& weights,
                                 const std::string& into) {
  return on_shape_files(
      job, {}, [&](Asset& asset, const FileRun& run) { return bake_shapes(asset, job, weights, into, run); });
}

Result<ShapesReport> clean_shapes(const ShapesJob& job, const std::vector<std::string>& patterns,
                                  double tolerance) {
  return on_shape_files(job, {}, [&](Asset& asset, const FileRun& run) {
    return clean_shapes(asset, job, patterns, tolerance, run);
  });
}

Result<ShapesReport> transfer_shapes(const ShapesJob& job, const std::string& source,
                                     const TransferShapesRequest& how, const std::string& pairs) {
  std::vector<std::string> others = {source};
  if (!pairs.empty()) others.push_back(pairs);
  return on_shape_files(job, others, [&](Asset& asset, const FileRun& run) -> Result<ShapesReport> {
    TransferShapesRequest request = how;
    if (!pairs.empty()) {
      Result<std::vector<PointPair>> read = run.reading([&] { return load_pairs(pairs); });
      if (!read) return read.error();
      request.options.pairs = std::move(*read);
      request.deforms = true;
    }
    const Result<Asset> opened = open_file(source, part_of(run, 0, kLoaded));
    if (!opened) return opened.error();
    Result<ShapesReport> report = transfer_shapes(asset, job, *opened, request, part_of(run, kLoaded, 1));
    if (report) report->notes = joined(notes_of_file(source, opened->notes), report->notes);
    return report;
  });
}

Result<ShapesReport> set_shapes(const ShapesJob& job, const SetShapesRequest& what) {
  return on_shape_files(job, {},
                        [&](Asset& asset, const FileRun& run) { return set_shapes(asset, job, what, run); });
}

Result<ShapesReport> export_shapes(const ShapesJob& job, const std::vector<std::string>& patterns,
                                   ShapeForm form, NumberWidth width) {
  NumberTable table;
  FileVerb<ShapesReport> verb{.extensions = {".npy", ".csv"}};
  verb.work = [&](Asset& asset, const FileRun& run) -> Result<ShapesReport> {
    Result<ShapeMatrixReport> exported = export_shapes(asset, job, patterns, form, run);
    if (!exported) return exported.error();
    table.row_count = 3 * exported->matrix.point_count;
    table.column_count = exported->matrix.names.size();
    table.values = std::move(exported->matrix.values);
    table.names = std::move(exported->matrix.names);
    exported->report.inputs = {job.input};
    exported->report.matrix = job.output;
    if (Status going = run.progress.at("writing shapes", 1); !going)
      return prefixed(asset.name, going.error());
    return std::move(exported->report);
  };
  verb.write = [&](const Asset& /*asset*/, const SaveOptions& /*options*/) -> Result<Notes> {
    if (Status saved = save_number_table(job.output, table, width); !saved) return saved.error();
    return Notes{};
  };
  return run_on_files(job, verb);
}

Result<ShapesReport> import_shapes(const ShapesJob& job, const std::string& matrix,
                                   std::optional<ShapeForm> form, const SculptOptions& options) {
  return on_shape_files(job, {matrix}, [&](Asset& asset, const FileRun& run) -> Result<ShapesReport> {
    Result<NumberTable> table = run.reading([&] { return load_number_table(matrix); });
    if (!table) return table.error();
    const Result<ShapeMatrix> read = matrix_of_table(std::move(*table), form);
    if (!read) return prefixed(matrix, read.error());
    Result<ShapesReport> report = import_shapes(asset, job, *read, options, run);
    if (!report) return prefixed(matrix, report.error());
    report->matrix = matrix;
    return report;
  });
}

}  // namespace dermis
