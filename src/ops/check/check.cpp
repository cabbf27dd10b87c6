// SPDX-License-Identifier: MIT
// The verb check: what is wrong with a file, and a repaired copy of it.
#include <fmt/format.h>

#include <algorithm>

#include "dermis/ops/inspect.h"
#include "dermis/ops/methods.h"
#include "ops/job.h"
#include "ops/verb_pages.h"

namespace dermis {
namespace {

// Notes of things that the check finds itself and may have repaired: for names, the reader's note would still
// tell the user to use numbers.
bool is_found_anew(const Note& note) {
  const CheckRule* rule = find_rule(note.id);
  return rule != nullptr && rule->is_found_anew;
}

// Repairs, losses and guesses of the reader become findings; the other notes stay.
Notes without_findings(const Notes& loading) {
  Notes rest;
  for (const Note& note : loading) {
    if (note.kind == Note::Kind::info && !is_found_anew(note)) rest.push_back(note);
  }
  return rest;
}

// The others: findings report them, and the page lists again what reading changed.
Notes with_findings(const Notes& loading) {
  Notes repairs;
  for (const Note& note : loading) {
    if (note.kind != Note::Kind::info && !is_found_anew(note)) repairs.push_back(note);
  }
  return repairs;
}

bool is_motionless(const Character& character) {
  const auto has_shapes = [](const Mesh& mesh) { return !mesh.shapes.empty(); };
  return character.skins.empty() && character.clips.empty() &&
         std::none_of(character.meshes.begin(), character.meshes.end(), has_shapes);
}

// Adds all notes from reading the input. A repair that the written file did not need again is in the file,
// and counts as repaired.
void say_reading(const Notes& loading, const Notes& written, CheckReport& report) {
  for (Note note : loading) {
    if (is_found_anew(note)) continue;
    const auto is_same = [&](const Note& other) {
      return other.id == note.id && other.thing == note.thing && other.index == note.index;
    };
    if (note.kind == Note::Kind::repair && std::none_of(written.begin(), written.end(), is_same)) {
      note.sentence += "; repaired in the written file";
      ++report.mended_count;
    }
    report.notes.push_back(std::move(note));
  }
}

Result<Notes> save_mended(const CheckJob& job, const Run& run, const Asset& asset,
                          const SaveOptions& options) {
  if (!is_still_file(job.output)) return save(job.output, asset, options);
  if (!is_motionless(asset.character)) {
    return Error{Errc::usage,
                 fmt::format("{}: this format cannot store a skin, shapes or clips; write a .glb or .gltf",
                             job.output)};
  }
  if (asset.character.instances.empty()) {
    return Error{Errc::bad_argument,
                 fmt::format("{}: shows no mesh, so {} would be empty; write a .glb", job.input, job.output)};
  }
  const Result<Character> still = still_at_rest(asset.character, job.input, run);
  if (!still) return still.error();
  return save_posed(job.output, asset, *still, options);
}

// What repairing and writing did.
struct Mending {
  Notes mended, lost;
};

Result<Mending> mend_and_save(const CheckJob& job, const Run& run, Asset& asset) {
  Mending mending{mend_character(asset.character, job.limits), {}};
  SaveOptions options;
  options.overwrite_side_files = job.run.force;
  options.mended_weights = true;
  if (is_still_file(job.output)) {
    note_lost_surface(asset.character, job.output, mending.lost);
    note_lost_shares(asset.character, job.output, mending.lost);
  }
  const Result<Notes> saved = save_mended(job, run, asset, options);
  if (!saved) return saved.error();
  append(mending.lost, *saved);
  return mending;
}

// What was repaired, while reading and after it, and what was lost.
void say_mending(const Notes& loading, const Notes& written, const Mending& mending, CheckReport& report) {
  const Notes quality = std::move(report.notes);
  report.notes.clear();
  say_reading(loading, written, report);
  report.mended_count += mending.mended.size();
  append(report.notes, mending.mended);
  append(report.notes, mending.lost);
  if (report.mended_count == 0) {
    report.notes.push_back(
        {Note::Kind::info, "nothing-mended", "nothing here can be repaired; the copy is the file as read"});
  }
  append(report.notes, quality);
}

void take_findings(const Checkup& checkup, CheckReport& report) {
  report.findings = checkup.findings;
  report.error_count = checkup.count(Severity::error);
  report.warning_count = checkup.count(Severity::warning);
  report.quality = checkup.quality;
}

// Limits of what is left out with the quality.
bool has_quality_limit(const CheckLimits& limits) {
  return limits.max_strain || limits.max_volume_loss || limits.max_new_intersections || limits.max_asymmetry;
}

// Points of all skinned instances in all poses of the range of motion.
std::size_t posed_point_count(const Character& character) {
  std::size_t points = 0;
  for (const Instance& instance : character.instances) {
    if (instance.skin != kNone && instance.in_scene)
      points += character.meshes[static_cast<std::size_t>(instance.mesh)].points.size();
  }
  return points * range_of_motion(character).size();
}

// Notes why the skins were not bent.
void leave_unjudged(Note::Kind kind, const char* id, const std::string& why, CheckReport& report) {
  report.unjudged = why;
  report.notes.push_back({kind, id, why});
}

// What is unknown if the skins are not bent.
std::string unknown_without_bending(const Checkup& checkup) {
  std::string unknown =
      "stretch, strain, shear, areas, normals, volume, crossings, symmetry and how fast weights change are "
      "unknown";
  if (!checkup.at_rest->has_distances)
    unknown +=
        "; points were not compared with far joints either, so stray points, wrong sides, torn seams, "
        "shifted joint numbers, a skeleton outside the body and bleed are unknown too";
  return unknown;
}

// What takes no bending, and the clips.
Status look_at_skins(const Asset& asset, const CheckRequest& request, bool is_bending,
                     const Progress& progress, Checkup& checkup) {
  const std::size_t most_distances = is_bending || request.limits.max_bleed ? SIZE_MAX : kQuickDistances;
  if (Status s = check_rest(asset.character, request.limits, most_distances, checkup, progress.part(0, 0.5));
      !s)
    return s;
  return check_clip_poses(asset.character, checkup, progress.part(0.5, 1));
}

// Checks the skins at rest and in clips; bends them if requested, or if it takes only seconds.
Status add_quality(const Asset& asset, const CheckRequest& request, const Progress& progress,
                   Checkup& checkup, CheckReport& report) {
  const Character& character = asset.character;
  report.is_skinned = shows_skin(character);
  if (!report.is_skinned) {
    leave_unjudged(Note::Kind::info, "quality-left-out",
                   fmt::format("nothing in the scene has a skin, so nothing was bent{} and no limit of its "
                               "quality can be exceeded",
                               character.clips.empty() ? "" : ", no clip was posed"),
                   report);
    return Done{};
  }
  const bool is_wanted = request.has_quality.value_or(has_quality_limit(request.limits));
  const bool is_bending =
      request.has_quality.value_or(is_wanted || posed_point_count(character) <= kQuickPosedPoints);
  Stopwatch watch;
  Status done = look_at_skins(asset, request, is_bending, progress.part(0, 0.2), checkup);
  if (done && is_bending) {
    watch.lap();
    done = check_quality(character, from_all_rooms(request.deform), request.limits, checkup,
                         progress.part(0.2, 1));
  }
  if (!done) {
    const bool is_about_the_run = done.error().code == Errc::cancelled || done.error().code == Errc::internal;
    if (is_wanted || is_about_the_run) return prefixed(asset.name, done.error());
    // It was not requested: the rest of the report is still useful.
    leave_unjudged(Note::Kind::loss, "quality-failed",
                   fmt::format("the skins could not be bent: {}", done.error().sentence), report);
    return Done{};
  }
  report.clips = checkup.clips;
  report.has_distances = checkup.at_rest->has_distances;
  if (!is_bending) {
    leave_unjudged(Note::Kind::info, "quality-left-out",
                   fmt::format("the skins were not bent{}; {}",
                               request.has_quality ? ", as requested" : ", because that would take long",
                               unknown_without_bending(checkup)),
                   report);
    if (!request.has_quality) report.notes.back().remedies.push_back({"quality"});
    return Done{};
  }
  report.seconds_quality = watch.lap();
  report.method = name_of(full_stack(character, from_all_rooms(request.deform)));
  append(report.notes, checkup.quality->notes);
  return Done{};
}

// Findings and quality of an asset, without the notes from loading it.
Result<CheckReport> examine(const Asset& asset, const CheckRequest& request, const Run& run) {
  Stopwatch watch;
  CheckReport report;
  report.profile = request.limits.profile->name;
  Result<Checkup> checkup =
      check_character(asset.character, asset.notes, request.limits, run.progress.part(0, 0));
  if (!checkup) return checkup.error();
  const double seconds_file = watch.lap();
  if (Status added = add_quality(asset, request, run.progress, *checkup, report); !added)
    return added.error();
  report.seconds_checking = seconds_file + watch.lap() - report.seconds_quality;
  take_findings(*checkup, report);
  return report;
}

// A repaired copy in the job's output, and what is still wrong with it: read back from the written file, not
// from memory.
Result<CheckReport> mend(const CheckJob& job, const RunOptions& run, Asset& asset, Asset& written) {
  const Result<Mending> mending = mend_and_save(job, part_of(run, 0, 0), asset);
  if (!mending) return mending.error();
  RunOptions reading = part_of(run, 0, kLoaded);
  reading.up = UpAxis::guess;  // the option for the input is already applied
  Result<Asset> opened = open_file(job.output, FileRun{reading});
  if (!opened) return opened.error();
  written = std::move(*opened);
  Result<CheckReport> report = examine(written, job, part_of(run, kLoaded, 1));
  if (!report) return report;
  say_mending(asset.notes, written.notes, *mending, *report);
  return report;
}

}  // namespace

Result<CheckReport> check(const Asset& asset, const CheckRequest& request, const Run& run) {
  return without_throwing(asset.name, [&]() -> Result<CheckReport> {
    Result<CheckReport> report = examine(asset, request, run);
    if (!report) return report;
    report->input = asset.name;
    report->notes = joined(without_findings(asset.notes), report->notes);
    return report;
  });
}

Result<CheckReport> check(const CheckJob& job) {
  return without_throwing(job.input, [&]() -> Result<CheckReport> {
    if (!job.has_quality.value_or(true) && has_quality_limit(job.limits)) {
      return Error{Errc::usage,
                   "limits of strain, volume, intersections or asymmetry need the quality of the skins"}
          .with_remedy("without_no_quality");
    }
    FileVerb<CheckReport> verb{.extensions = {".glb", ".gltf", ".obj", ".ply"}};
    verb.tells_reading = true;
    verb.needs_output = false;
    Asset written;
    verb.work = [&](Asset& asset, const RunOptions& run) {
      return job.output.empty() ? check(asset, job, run) : mend(job, run, asset, written);
    };
    verb.write = [](const Asset&, const SaveOptions&) { return Notes{}; };  // `mend` has written it
    verb.page = [&](const Asset& asset, CheckReport& report) {
      return job.output.empty() ? report_check(job, report, asset.character, with_findings(asset.notes))
                                : report_check(job, report, written.character, {});
    };
    return run_on_files(job, verb);
  });
}

}  // namespace dermis
