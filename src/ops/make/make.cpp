// SPDX-License-Identifier: MIT
// The verb make: built-in characters written to files.
#include <fmt/format.h>

#include "dermis/ops/demo.h"
#include "ops/job.h"

namespace dermis {
namespace {

const char* name_of_kind(MadeKind kind) {
  for (const MadeRow& row : made_kinds()) {
    if (row.kind == kind) return row.name;
  }
  return "";
}

}  // namespace

Result<MakeReport> make(const MakeRequest& request, Asset& asset, const Run& run) {
  return without_throwing("make", [&]() -> Result<MakeReport> {
    Stopwatch watch;
    Result<Character> made = make_character(request.kind, request.options, run.progress);
    if (!made) return made.error();
    MakeReport report;
    report.seconds_making = watch.lap();
    report.kind = name_of_kind(request.kind);
    report.joint_count = joint_count(*made);
    for (const Mesh& mesh : made->meshes) {
      report.point_count += mesh.points.size();
      report.polygon_count += mesh.polygons.count();
      report.shape_count += mesh.shapes.size();
    }
    if (!made->clips.empty()) {
      report.clip = made->clips[0].name;
      report.clip_seconds = static_cast<double>(made->clips[0].end() - made->clips[0].start());
    }
    asset = {.character = std::move(*made), .name = report.kind};
    return report;
  });
}

Result<MakeReport> make(const MakeJob& job) {
  return without_throwing("make", [&]() -> Result<MakeReport> {
    FileVerb<MakeReport> verb{.extensions = {".glb", ".gltf", ".obj", ".ply"}, .opens_input = false};
    verb.work = [&](Asset& asset, const FileRun& run) { return make(job, asset, run); };
    verb.write = [&](const Asset& asset, const SaveOptions& options) -> Result<Notes> {
      if (!is_still_file(job.output)) return save(job.output, asset, options);
      const Result<Character> still = still_at_rest(asset.character, asset.name, part_of(job.run, kDone, 1));
      if (!still) return still.error();
      const Result<Notes> saved = save_posed(job.output, asset, *still, options);
      if (!saved) return saved.error();
      return joined(
          {{Note::Kind::loss, "not-in-format",
            fmt::format("{}: this format cannot store the skeleton, weights and clip", job.output)}},
          *saved);
    };
    return run_on_files({.output = job.output, .save = job.save, .run = job.run}, verb);
  });
}

}  // namespace dermis
