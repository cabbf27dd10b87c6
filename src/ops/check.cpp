// SPDX-License-Identifier: MIT
// The verb check: what is wrong with a file, and a mended copy of it.
#include <fmt/format.h>

#include <algorithm>

#include "ops/job.h"

namespace dermis {
namespace {

// Repairs, losses and guesses of the loader are findings; what is left is said as it was.
Notes without_findings(const Notes& loading) {
  Notes rest;
  for (const Note& note : loading) {
    if (note.kind == Note::Kind::info && !note.id.starts_with("names-")) rest.push_back(note);
  }
  return rest;
}

bool is_motionless(const Character& character) {
  const auto has_shapes = [](const Mesh& mesh) { return !mesh.shapes.empty(); };
  return character.skins.empty() && character.clips.empty() &&
         std::none_of(character.meshes.begin(), character.meshes.end(), has_shapes);
}

Status check_mended_output(const CheckJob& job) {
  return check_output(job.output, {job.input}, {".glb", ".gltf", ".obj", ".ply"}, job.run);
}

// What loading mended is written as it was mended, and said.
bool note_written_weights(const Findings& findings, Notes& notes) {
  bool has_any = false;
  for (const Finding& finding : findings) {
    if (!finding.is_mended_on_loading || !finding.is_mendable) continue;
    has_any = true;
    const std::string place = place_of(finding);
    notes.push_back({Note::Kind::repair, finding.id,
                     fmt::format("{}{}{}; written so", place, place.empty() ? "" : ": ", finding.sentence),
                     finding.thing, finding.index, finding.point, finding.count});
  }
  return has_any;
}

Result<Notes> save_mended(const CheckJob& job, const Asset& asset, const SaveOptions& options) {
  if (!is_still_file(job.output)) return save(job.output, asset, options);
  if (!is_motionless(asset.character)) {
    return Error{Errc::usage,
                 fmt::format("{}: cannot hold a skin, shapes or clips; write a .glb or .gltf", job.output)};
  }
  const Result<Character> still = still_at_rest(asset.character, job.input, job.run);
  if (!still) return still.error();
  return save_posed(job.output, asset, *still, options);
}

// Mends `asset`, writes it, and leaves in `report` what was done.
Status mend_and_save(const CheckJob& job, Asset& asset, const Findings& findings, CheckReport& report) {
  Mended mended = mend_character(asset.character, job.limits);
  SaveOptions options;
  options.overwrite_side_files = job.run.force;
  const bool has_loaded_repairs = note_written_weights(findings, report.notes);
  if (has_loaded_repairs || mended.has_new_weights) options.weights = WeightFormat::float32;
  options.names = mended.has_new_names;
  options.surfaces = mended.resurfaced;
  append(report.notes, mended.notes);
  report.mended_count =
      static_cast<std::size_t>(std::count_if(report.notes.begin(), report.notes.end(), [](const Note& note) {
        return note.kind == Note::Kind::repair;
      }));
  if (report.mended_count == 0) {
    report.notes.push_back(
        {Note::Kind::info, "nothing-mended", "nothing here can be mended; the file was written as it is"});
  }
  const Result<Notes> saved = save_mended(job, asset, options);
  if (!saved) return saved.error();
  append(report.notes, *saved);
  return Done{};
}

void take_findings(const Checkup& checkup, CheckReport& report) {
  report.findings = checkup.findings;
  report.error_count = checkup.count(Severity::error);
  report.warning_count = checkup.count(Severity::warning);
}

}  // namespace

Result<CheckReport> check(const CheckJob& job) {
  return without_throwing(job.input, [&]() -> Result<CheckReport> {
    if (!job.output.empty()) {
      if (Status good = check_mended_output(job); !good) return good.error();
    }
    Result<Asset> asset = load(job.input, job.run.load, job.run.progress);
    if (!asset) return asset.error();
    CheckReport report;
    report.input = job.input;
    report.output = job.output;
    report.profile = job.limits.profile->name;
    report.notes = without_findings(asset->notes);
    const Result<Checkup> checkup = check_character(asset->character, asset->notes, job.limits);
    if (!checkup) return checkup.error();
    take_findings(*checkup, report);
    if (job.output.empty()) return report;
    if (Status mended = mend_and_save(job, *asset, checkup->findings, report); !mended) return mended.error();
    // What remains is read from the file that was written, not from what was meant to be in it.
    if (!is_character_file(job.output)) return report;
    const Result<Asset> written = load(job.output, job.run.load, job.run.progress);
    if (!written) return written.error();
    const Result<Checkup> remaining = check_character(written->character, written->notes, job.limits);
    if (!remaining) return remaining.error();
    take_findings(*remaining, report);
    return report;
  });
}

}  // namespace dermis
