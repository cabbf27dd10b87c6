// SPDX-License-Identifier: MIT
// The verb check: what is wrong with a file, and a mended copy of it.
#include <fmt/format.h>

#include <algorithm>

#include "dermis/ops/inspect.h"
#include "dermis/ops/methods.h"
#include "ops/page.h"
#include "ops/verb_pages.h"

namespace dermis {
namespace {

// Names are found again by the check, and mended; the reader's note would still send the user to numbers.
bool is_about_names(const Note& note) { return note.id == "names-shared" || note.id == "names-missing"; }

// Repairs, losses and guesses of the reader are findings; what is left is said as it was.
Notes without_findings(const Notes& loading) {
  Notes rest;
  for (const Note& note : loading) {
    if (note.kind == Note::Kind::info && !is_about_names(note)) rest.push_back(note);
  }
  return rest;
}

// The others: findings tell of them, and the page says once more what reading changed.
Notes with_findings(const Notes& loading) {
  Notes repairs;
  for (const Note& note : loading) {
    if (note.kind != Note::Kind::info && !is_about_names(note)) repairs.push_back(note);
  }
  return repairs;
}

bool is_motionless(const Character& character) {
  const auto has_shapes = [](const Mesh& mesh) { return !mesh.shapes.empty(); };
  return character.skins.empty() && character.clips.empty() &&
         std::none_of(character.meshes.begin(), character.meshes.end(), has_shapes);
}

Status check_mended_output(const CheckJob& job) {
  return check_output(job.output, {job.input}, {".glb", ".gltf", ".obj", ".ply"}, job.run);
}

// Says all that reading the input had to say. A repair that reading the written file did not need again is in
// the file, and counts as mended.
void say_reading(const Notes& loading, const Notes& written, CheckReport& report) {
  for (Note note : loading) {
    if (is_about_names(note)) continue;
    const auto is_same = [&](const Note& other) {
      return other.id == note.id && other.thing == note.thing && other.index == note.index;
    };
    if (note.kind == Note::Kind::repair && std::none_of(written.begin(), written.end(), is_same)) {
      note.sentence += "; gone from the written file";
      ++report.mended_count;
    }
    report.notes.push_back(std::move(note));
  }
}

Result<Notes> save_mended(const CheckJob& job, const Asset& asset, const SaveOptions& options) {
  if (!is_still_file(job.output)) return save(job.output, asset, options);
  if (!is_motionless(asset.character)) {
    return Error{Errc::usage,
                 fmt::format("{}: cannot hold a skin, shapes or clips; write a .glb or .gltf", job.output)};
  }
  if (asset.character.instances.empty()) {
    return Error{Errc::bad_argument,
                 fmt::format("{}: shows no mesh, so {} would be empty; write a .glb", job.input, job.output)};
  }
  const Result<Character> still = still_at_rest(asset.character, job.input, part_of(job.run, 0, 0));
  if (!still) return still.error();
  return save_posed(job.output, asset, *still, options);
}

// What mending and writing did.
struct Mending {
  Notes mended, lost;
};

Result<Mending> mend_and_save(const CheckJob& job, Asset& asset) {
  Mending mending{mend_character(asset.character, job.limits), {}};
  SaveOptions options;
  options.overwrite_side_files = job.run.force;
  options.mended_weights = true;
  if (is_still_file(job.output)) {
    note_lost_surface(asset.character, job.output, mending.lost);
    note_lost_shares(asset.character, job.output, mending.lost);
  }
  const Result<Notes> saved = save_mended(job, asset, options);
  if (!saved) return saved.error();
  append(mending.lost, *saved);
  return mending;
}

// What was mended, on reading and after it, and what was lost.
void say_mending(const Notes& loading, const Notes& written, const Mending& mending, CheckReport& report) {
  report.notes.clear();
  say_reading(loading, written, report);
  report.mended_count += mending.mended.size();
  append(report.notes, mending.mended);
  append(report.notes, mending.lost);
  if (report.mended_count == 0) {
    report.notes.push_back({Note::Kind::info, "nothing-mended",
                            "nothing here can be mended; the copy holds the file as it was read"});
  }
}

void take_findings(const Checkup& checkup, CheckReport& report) {
  report.findings = checkup.findings;
  report.error_count = checkup.count(Severity::error);
  report.warning_count = checkup.count(Severity::warning);
  report.quality = checkup.quality;
}

bool has_quality_limit(const CheckLimits& limits) {
  return limits.max_strain || limits.max_volume_loss || limits.max_new_intersections || limits.max_bleed ||
         limits.max_asymmetry;
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

// Bends the skins where that was asked for, or takes seconds.
Status add_quality(const CheckJob& job, const Character& character, const Progress& progress,
                   Checkup& checkup, CheckReport& report) {
  if (!shows_skin(character)) {
    report.notes.push_back(
        {Note::Kind::info, "quality-left-out",
         "nothing in the scene has a skin, so nothing was bent and no limit of its quality "
         "can be exceeded"});
    return Done{};
  }
  if (!job.has_quality.value_or(true)) {
    report.notes.push_back({Note::Kind::info, "quality-left-out",
                            "the skins were not bent (--no-quality), so strain, volume, crossings, bleed and "
                            "symmetry are unknown"});
    return Done{};
  }
  const bool is_wanted = job.has_quality || has_quality_limit(job.limits);
  if (!is_wanted && posed_point_count(character) > kQuickPosedPoints) {
    report.notes.push_back({Note::Kind::info, "quality-left-out",
                            "bending the skins through the range of motion would take long and was left out; "
                            "--quality insists on it"});
    return Done{};
  }
  Stopwatch watch;
  if (Status s = check_quality(character, job.deform, job.limits, checkup, progress); !s) {
    if (is_wanted || s.error().code == Errc::cancelled) return in_file(job.input, s.error());
    // Nobody insists: the rest of the report is worth having.
    report.notes.push_back({Note::Kind::loss, "quality-failed",
                            fmt::format("the skins could not be bent: {}", s.error().sentence)});
    return Done{};
  }
  report.seconds_quality = watch.lap();
  report.method = name_of(job.deform.stack);
  append(report.notes, checkup.quality->notes);
  return Done{};
}

}  // namespace

Result<CheckReport> check(const CheckJob& job) {
  return without_throwing(job.input, [&]() -> Result<CheckReport> {
    if (!job.output.empty()) {
      if (Status good = check_mended_output(job); !good) return good.error();
    }
    if (!job.has_quality.value_or(true) && has_quality_limit(job.limits)) {
      return Error{Errc::usage,
                   "limits of strain, volume, intersections, bleed or asymmetry need the skins bent; leave "
                   "--no-quality out"};
    }
    if (Status good = check_report(job.report, {job.input}, job.run); !good) return good.error();
    const Progress progress = before_report(job.run, job.report).progress;
    Stopwatch watch;
    Result<Asset> asset = load(job.input, job.run.load, progress.part(0, 0.15));
    if (!asset) return asset.error();
    CheckReport report;
    report.input = job.input;
    report.output = job.output;
    report.profile = job.limits.profile->name;
    report.seconds_loading = watch.lap();
    report.notes = without_findings(asset->notes);
    Result<Checkup> checkup = check_character(asset->character, asset->notes, job.limits);
    if (!checkup) return checkup.error();
    report.seconds_checking = watch.lap();
    if (job.output.empty()) {
      if (Status s = add_quality(job, asset->character, progress.part(0.15, 1), *checkup, report); !s)
        return s.error();
      take_findings(*checkup, report);
      if (Status done = report_check(job, report, asset->character, with_findings(asset->notes)); !done)
        return done.error();
      return report;
    }
    const Result<Mending> mending = mend_and_save(job, *asset);
    if (!mending) return mending.error();
    // What remains is read from the file that was written, not from what was meant to be in it.
    LoadOptions options = job.run.load;
    options.up = UpAxis::guess;  // what was said of the input has been obeyed
    const Result<Asset> written = load(job.output, options, progress.part(0.2, 0.3));
    if (!written) return written.error();
    Result<Checkup> remaining = check_character(written->character, written->notes, job.limits);
    if (!remaining) return remaining.error();
    say_mending(asset->notes, written->notes, *mending, report);
    if (Status s = add_quality(job, written->character, progress.part(0.3, 1), *remaining, report); !s)
      return s.error();
    take_findings(*remaining, report);
    if (Status done = report_check(job, report, written->character, {}); !done) return done.error();
    return report;
  });
}

}  // namespace dermis
