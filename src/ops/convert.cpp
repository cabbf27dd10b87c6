// SPDX-License-Identifier: MIT
// The verbs convert and deform: a file in, a file out.
#include <fmt/format.h>

#include <filesystem>

#include "ops/job.h"

namespace dermis {
namespace {

bool is_still_format(const std::string& path) {
  const std::filesystem::path extension = std::filesystem::path(path).extension();
  return extension == ".obj" || extension == ".ply";
}

std::uint64_t bytes_in(const std::string& path) {
  std::error_code failed;
  const auto size = std::filesystem::file_size(path, failed);
  return failed ? 0 : size;
}

// Says what a still format leaves behind.
void note_losses(const Character& character, const std::string& output, Notes& notes) {
  const auto say = [&](std::size_t count, const char* what) {
    if (count == 0) return;
    notes.push_back({Note::Kind::loss, "not-in-format",
                     fmt::format("{}: {} {} cannot be held by this format", output, count, what)});
  };
  say(character.skins.size(), "skins");
  say(character.clips.size(), "clips");
  std::size_t shape_count = 0;
  for (const Mesh& mesh : character.meshes) shape_count += mesh.shapes.size();
  say(shape_count, "shapes");
}

}  // namespace

Result<ConvertReport> convert(const ConvertJob& job) {
  return without_throwing(job.input, [&]() -> Result<ConvertReport> {
    if (Status good = check_output(job.output, {job.input}, {".gltf", ".glb", ".obj", ".ply"}, job.run);
        !good)
      return good.error();
    Result<Asset> asset = load(job.input, job.run.load, job.run.progress);
    if (!asset) return asset.error();
    ConvertReport report{job.input, job.output, bytes_in(job.input), 0, asset->notes};
    SaveOptions options = job.save;
    options.overwrite_side_files = job.run.force;
    Result<Notes> saved = Notes{};
    if (is_still_format(job.output)) {
      note_losses(asset->character, job.output, report.notes);
      const Result<Character> still = still_at_rest(asset->character, job.input, job.run);
      if (!still) return still.error();
      saved = save_posed(job.output, *asset, *still, options);
    } else {
      saved = save(job.output, *asset, options);
    }
    if (!saved) return saved.error();
    append(report.notes, *saved);
    report.output_bytes = bytes_in(job.output);
    return report;
  });
}

Result<DeformReport> deform(const DeformJob& job) {
  return without_throwing(job.input, [&]() -> Result<DeformReport> {
    if (Status good = check_output(job.output, {job.input, job.pose.pose_file},
                                   {".obj", ".ply", ".glb", ".gltf"}, job.run);
        !good) {
      return good.error();
    }
    Stopwatch watch;
    DeformReport report;
    report.input = job.input;
    report.output = job.output;
    report.time = job.pose.time;
    for (const MethodRow& row : methods()) {
      if (row.method == job.deform.method) report.method = row.name;
    }
    Result<Asset> asset = load(job.input, job.run.load, job.run.progress);
    if (!asset) return asset.error();
    report.notes = asset->notes;
    report.seconds_loading = watch.lap();
    const Result<PosedCharacter> posed = pose_by_choice(asset->character, job.pose);
    if (!posed) return Error{posed.error().code, fmt::format("{}: {}", job.input, posed.error().sentence)};
    report.clip = posed->clip;
    const Result<Character> still =
        still_scene(asset->character, posed->frame, job.deform, job.input, job.run);
    if (!still) return still.error();
    report.seconds_deforming = watch.lap();
    SaveOptions options = job.save;
    options.overwrite_side_files = job.run.force;
    const Result<Notes> saved = save_posed(job.output, *asset, *still, options);
    if (!saved) return saved.error();
    append(report.notes, *saved);
    report.seconds_saving = watch.lap();
    const StillSize size = size_of(*still);
    report.instance_count = still->instances.size();
    report.point_count = size.points;
    report.polygon_count = size.polygons;
    report.box = size.box;
    return report;
  });
}

}  // namespace dermis
