// SPDX-License-Identifier: MIT
// The verb animate: a motion from a file, or a built-in one, as a clip of a character.
#include <fmt/format.h>

#include "dermis/ops/animate.h"
#include "ops/motion.h"
#include "ops/page.h"
#include "ops/verb_pages.h"

namespace dermis {

Result<AnimateReport> animate(const AnimateJob& job) {
  return without_throwing(job.input, [&]() -> Result<AnimateReport> {
    const MotionRequest request{job.motion, job.clip, job.retarget, job.map, job.save_map};
    if (Status good = check_motion(request, {job.input, job.motion}, job.run); !good) return good.error();
    if (Status good = check_output(job.output, {job.input, job.motion, job.map}, {".glb", ".gltf"}, job.run);
        !good)
      return good.error();
    if (Status good = check_report(job.report, {job.input, job.motion, job.map}, job.run); !good)
      return good.error();
    Stopwatch watch;
    AnimateReport report;
    report.input = job.input;
    report.output = job.output;
    report.motion = job.motion;
    const RunOptions run = before_report(job.run, job.report);
    Result<Asset> asset = load(job.input, run.load, run.progress.part(0, 0.3));
    if (!asset) return asset.error();
    report.notes = asset->notes;
    report.seconds_loading = watch.lap();
    Character& character = asset->character;
    if (job.drops_clips) character.clips.clear();
    SaveOptions options = job.save;
    options.overwrite_side_files = job.run.force;
    Result<AppliedMotion> applied = apply_motion(request, character, job.input, part_of(run, 0.3, 0.9));
    if (!applied) return applied.error();
    append(report.notes, applied->notes);
    if (const Status valid = validate(character); !valid)
      return Error{valid.error().code, fmt::format("{}: {}", job.input, valid.error().sentence)};
    report.source_clip = applied->source_clip;
    report.clip = applied->clip;
    report.figures = applied->figures;
    report.map = std::move(applied->map);
    report.clip_count = character.clips.size();
    report.seconds_retargeting = watch.lap();
    const Result<Notes> saved = save(job.output, *asset, options);
    if (!saved) return saved.error();
    append(report.notes, *saved);
    report.seconds_saving = watch.lap();
    if (Status done = report_animate(job, report, character); !done) return done.error();
    return report;
  });
}

}  // namespace dermis
