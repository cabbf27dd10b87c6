// SPDX-License-Identifier: MIT
// The verb animate: a motion from a file, or a built-in one, as a clip of a character.
#include "dermis/ops/animate.h"

#include <utility>

#include "ops/animate/takes.h"

#include "ops/animate/motion.h"
#include "ops/verb_pages.h"

namespace dermis {
namespace {

// The map of joints that the user gives.
Status take_map(const AnimateJob& job, const FileRun& run, MotionRequest& motion) {
  if (job.map.empty()) return Done{};
  Result<std::vector<MotionMapRow>> rows = run.reading([&] { return load_motion_map(job.map); });
  if (!rows) return rows.error();
  motion.map = std::move(*rows);
  motion.map_name = job.map;
  return Done{};
}

// Puts the clips of a character back as they were, unless the work on them is done: a copy of the whole asset
// (all_or_nothing) can cost more than the work.
class ClipsInWork {
 public:
  ClipsInWork(Character& character, bool drops) : character_(character), count_(character.clips.size()) {
    if (drops) dropped_ = std::exchange(character.clips, {});
  }
  ~ClipsInWork() {
    if (is_done_) return;
    if (!dropped_.empty()) character_.clips = std::move(dropped_);
    character_.clips.erase(character_.clips.begin() + static_cast<std::ptrdiff_t>(count_),
                           character_.clips.end());
  }
  ClipsInWork(const ClipsInWork&) = delete;
  ClipsInWork& operator=(const ClipsInWork&) = delete;
  void done() { is_done_ = true; }

 private:
  Character& character_;
  std::vector<Clip> dropped_;
  std::size_t count_;  // before the work
  bool is_done_ = false;
};

}  // namespace

Result<AnimateReport> animate(Asset& asset, const AnimateRequest& request, const Run& run) {
  return without_throwing(asset.name, [&]() -> Result<AnimateReport> {
    Stopwatch watch;
    Character& character = asset.character;
    // The motion may be a clip of the asset itself.
    const bool is_own = request.motion.motion == &asset;
    ClipsInWork clips(character, request.drops_clips && !is_own);
    Result<AppliedMotion> applied = apply_motion(request.motion, character, asset.name, run);
    if (!applied) return applied.error();
    if (const Status valid = validate(character); !valid) return prefixed(asset.name, valid.error());
    AnimateReport report;
    report.notes = std::move(applied->notes);
    report.input = asset.name;
    report.motion = request.motion.motion->name;
    report.source_clip = applied->source_clip;
    report.clip = applied->clip;
    report.figures = applied->figures;
    report.crossing = applied->crossing;
    report.crossing_limb = applied->crossing_limb;
    report.crossing_other = applied->crossing_other;
    report.doubt = applied->doubt;
    report.map = std::move(applied->map);
    clips.done();
    if (request.drops_clips && is_own)
      character.clips.erase(character.clips.begin(), character.clips.end() - 1);
    report.clip_count = character.clips.size();
    report.seconds_retargeting = watch.lap();
    return report;
  });
}

Result<AnimateReport> animate(const AnimateJob& job) {
  return without_throwing(job.input, [&]() -> Result<AnimateReport> {
    if (job.take.empty() && (!job.shape_map.empty() || !job.save_shape_map.empty()))
      return Error{Errc::usage, "a map of shapes is for recorded weights, and none are given"};
    if (!job.keys.empty()) return animate_by_keys(job);
    if (job.motion.empty()) return animate_by_take(job);
    if (Status good = check_motion(job.motion); !good) return good.error();
    if (!job.save_map.empty()) {
      if (Status good = check_output(job.save_map, {job.input, job.motion, job.map}, {".json"}, job.run);
          !good)
        return good.error();
    }
    if (Status good = check_shape_map_output(job); !good) return good.error();
    std::vector<MotionMapRow> map;
    std::vector<ShapeMapRow> shape_map;
    FileVerb<AnimateReport> verb{.extensions = {".glb", ".gltf"}, .also_read = {job.motion, job.map}};
    if (!job.take.empty()) verb.also_read.push_back(job.take);
    if (!job.shape_map.empty()) verb.also_read.push_back(job.shape_map);
    verb.work = [&](Asset& asset, const FileRun& run) -> Result<AnimateReport> {
      const Result<OpenedMotion> motion = open_motion(job.motion, job.clip, part_of(run, 0, kLoaded));
      if (!motion) return motion.error();
      AnimateRequest request{{&motion->asset, motion->clip, job.retarget}, job.drops_clips};
      if (Status taken = take_map(job, run, request.motion); !taken) return taken.error();
      Result<AnimateReport> report = animate(asset, request, part_of(run, kLoaded, 1));
      if (!report) return report;
      report->notes = joined(notes_of_file(job.motion, motion->asset.notes), report->notes);
      map = report->map;
      if (job.take.empty()) return report;
      // Into the clip of the motion, which is the last one.
      const Index clip = static_cast<Index>(asset.character.clips.size() - 1);
      Result<AnimateReport> faces = take_onto(job, asset, run, {{}, clip, false});
      if (!faces) return faces;
      report->take = faces->take;
      report->shape_map = shape_map = faces->shape_map;
      report->unused_columns = faces->unused_columns;
      report->notes = joined(report->notes, faces->notes);
      return report;
    };
    verb.write = [&](const Asset& asset, const SaveOptions& options) -> Result<Notes> {
      Result<Notes> saved = save(job.output, asset, options);
      if (!saved) return saved;
      if (!job.save_map.empty())
        if (Status written = save_motion_map(job.save_map, map); !written) return written.error();
      if (!job.save_shape_map.empty())
        if (Status written = save_shape_map(job.save_shape_map, shape_map); !written) return written.error();
      return saved;
    };
    verb.page = [&](const Asset& asset, AnimateReport& report) {
      return report_animate(job, report, asset.character);
    };
    return run_on_files(job, verb);
  });
}

}  // namespace dermis
