// SPDX-License-Identifier: MIT
// The verb deform: a character in one pose.
#include <fmt/format.h>

#include "dermis/ops/pose.h"
#include "ops/job.h"
#include "ops/verb_pages.h"

namespace dermis {
namespace {

// A posed scene, and what posed it.
struct Deformed {
  std::optional<Deformer> deformer;
  PoseFrame frame;
  Character still;
};

Result<DeformReport> deform_scene(const Asset& asset, const DeformRequest& request, const Run& run,
                                  Deformed& deformed) {
  Stopwatch watch;
  DeformReport report;
  Result<PosedCharacter> posed = pose_as_asked(asset.character, request.pose.request());
  if (!posed) return prefixed(asset.name, posed.error());
  report.input = asset.name;
  report.clip = posed->clip;
  report.time = request.pose.time;
  report.pose_file = request.pose.name;
  report.shapes = request.pose.pose.shapes;
  report.controls = request.pose.pose.controls;
  append(report.notes, posed->notes);
  deformed.frame = std::move(posed->frame);
  Result<Deformer> deformer =
      ready_to_pose(asset.character, request.deform, asset.name, part_of(run, 0, 0.7));
  if (!deformer) return deformer.error();
  report.method = name_of(deformer->stack);
  append(report.notes, deformer->notes);
  note_pose(*deformer, deformed.frame, asset.name, report.notes);
  if (!shows_skin(asset.character)) note_nothing_skinned(request.deform.stack, asset.name, report.notes);
  note_unused_options({&request.deform, 1}, report.notes);
  Result<Character> still = still_scene(*deformer, deformed.frame, asset.name, part_of(run, 0.7, 1));
  if (!still) return still.error();
  const StillSize size = size_of(*still);
  report.instance_count = still->instances.size();
  report.point_count = size.points;
  report.polygon_count = size.polygons;
  report.box = size.box;
  deformed.deformer = std::move(*deformer);
  deformed.still = std::move(*still);
  report.seconds_deforming = watch.lap();
  return report;
}

}  // namespace

Result<DeformReport> deform(const Asset& asset, const DeformRequest& request, Character& still,
                            const Run& run) {
  return without_throwing(asset.name, [&]() -> Result<DeformReport> {
    Deformed deformed;
    Result<DeformReport> report = deform_scene(asset, request, run, deformed);
    if (report) still = std::move(deformed.still);
    return report;
  });
}

Result<DeformReport> deform(const DeformJob& job) {
  return without_throwing(job.input, [&]() -> Result<DeformReport> {
    if (Status good = check_save_options(job.output, job.save); !good) return good.error();
    Deformed deformed;
    FileVerb<DeformReport> verb{.extensions = {".obj", ".ply", ".glb", ".gltf"},
                                .also_read = {job.pose.pose_file}};
    verb.work = [&](Asset& asset, const RunOptions& run) -> Result<DeformReport> {
      if (is_still_file(job.output) && asset.character.instances.empty())
        return Error{
            Errc::bad_argument,
            fmt::format("{}: shows no mesh to deform, so {} would be empty; convert writes its motion "
                        "as .glb or .bvh",
                        job.input, job.output)};
      const Result<ChosenPose> chosen = read_choice(asset.character, job.pose);
      if (!chosen) return prefixed(job.input, chosen.error());
      Result<DeformReport> report = deform_scene(asset, {*chosen, job.deform}, run, deformed);
      if (!report) return report;
      report->time = job.pose.time;
      report->pose_file = job.pose.pose_file;
      report->shapes = job.pose.shapes;
      report->controls = job.pose.controls;
      if (is_still_file(job.output)) note_lost_surface(asset.character, job.output, report->notes);
      return report;
    };
    verb.write = [&](const Asset& asset, const SaveOptions& options) {
      return save_posed(job.output, asset, deformed.still, options);
    };
    verb.page = [&](const Asset&, DeformReport& report) {
      return report_deform(job, report, *deformed.deformer, deformed.frame);
    };
    return run_on_files(job, verb);
  });
}

}  // namespace dermis
