// SPDX-License-Identifier: MIT
// How report.html shows a checkup.
#include <fmt/format.h>

#include "ops/page/page.h"
#include "ops/verb_pages.h"

namespace dermis {
namespace {

// What the range of motion showed besides the joints.
void add_quality_facts(const CheckReport& report, Facts& facts) {
  const Quality& quality = *report.quality;
  facts.push_back(
      {"bent with", fmt::format("{} in {} ({})", report.method, counted(quality.pose_count, "pose", "poses"),
                                seconds_text(report.seconds_quality))});
  facts.push_back({"points without a main joint", std::to_string(quality.coverage.torn_point_count)});
  facts.push_back({"joints without points", std::to_string(quality.coverage.idle_joint_count)});
  facts.push_back({"weight on distant joints",
                   fmt::format("up to {:.1f} % of a point's, on {}", 100 * quality.bleed.share.max,
                               counted(quality.bleed.count, "point", "points"))});
  if (quality.symmetry.is_judged) {
    facts.push_back({"left against right", fmt::format("up to {:.1f} % of a point's weight differs",
                                                       100 * quality.symmetry.difference.max)});
  }
  const auto degrees = [](double radians) { return fmt::format("{:.1f}°", degrees_from_radians(radians)); };
  facts.push_back({"largest stretch", fmt::format("{:.1f} % of the size", 100 * quality.max_stretch())});
  facts.push_back({"largest strain", fmt::format("{:.1f} % of an edge", 100 * quality.max_strain())});
  facts.push_back({"largest shear", degrees(quality.max_shear())});
  facts.push_back({"largest change of area", fmt::format("{:.1f} %", 100 * quality.max_area_change())});
  facts.push_back({"normals from their polygons (95 % within)",
                   fmt::format("{} at rest, {} where joints bend", degrees(quality.rest_normal_error),
                               degrees(quality.max_normal_error()))});
  facts.push_back(
      {"crossing triangles at rest",
       fmt::format("{}{}", quality.is_rest_count_exact ? "" : "at least ", quality.rest_intersections)});
  if (!quality.is_rest_count_exact) {
    facts.push_back({"new crossings", "may include pairs that cross at rest: those could not all be listed"});
  }
  if (quality.has_volume && quality.open_loop_count > 0)
    facts.push_back({"openings capped to measure volumes", std::to_string(quality.open_loop_count)});
  if (const MeshWeightChange* worst = quality.steepest_weights(); worst != nullptr) {
    facts.push_back(
        {"steepest weights",
         fmt::format("all change within {:.2g} % of the size of mesh {}, at point {}",
                     100 / worst->change.gradient.max, worst->mesh, worst->change.gradient_point)});
  }
  if (const MeshWeightChange* worst = quality.worst_seam(); worst != nullptr) {
    facts.push_back({"weights across seams",
                     fmt::format("up to {:.1f} % differ, on mesh {} at point {}",
                                 100 * worst->change.seam.max, worst->mesh, worst->change.seam_point)});
  }
}

}  // namespace

Status report_check(const CheckJob& job, CheckReport& report, const Character& character,
                    const Notes& repairs) {
  Stopwatch watch;
  ReportPage page = page_of("check", job.input);
  Facts facts = {{"input", report.input},
                 {"profile", report.profile},
                 {"errors", std::to_string(report.error_count)},
                 {"warnings", std::to_string(report.warning_count)}};
  if (!report.output.empty()) {
    facts.push_back({"repaired copy", report.output});
    facts.push_back({"repairs", std::to_string(report.mended_count)});
  }
  if (report.clips.frame_count > 0) {
    facts.push_back({"frames of clips", fmt::format("{} of {}", report.clips.frame_count,
                                                    counted(report.clips.clip_count, "clip", "clips"))});
  }
  if (report.quality) add_quality_facts(report, facts);
  page.sections.push_back(facts_section(facts));
  page.sections.push_back(findings_section(report.findings, report.unjudged));
  Notes notes = repairs;
  append(notes, report.notes);
  const ShotMaker maker = maker_of(character, job.input, job.run, notes);
  const RunOptions run = part_of(job.run, kWorked, 1);
  if (Status added = add_section(rest_section(maker, part_of(run, 0, 0.1)), page); !added) return added;
  if (report.quality) {
    if (Status added =
            add_section(worst_section(maker, *report.quality, job.deform, part_of(run, 0.1, 0.3)), page);
        !added)
      return added;
  }
  if (Status added = add_section(weights_section(maker, part_of(run, 0.3, 0.6)), page); !added) return added;
  if (Status added = add_section(sweep_section(maker, kSweptJoints, part_of(run, 0.6, 1)), page); !added)
    return added;
  Facts timings = {{"loading", seconds_text(report.seconds_loading)},
                   {"checking", seconds_text(report.seconds_checking)}};
  if (report.quality) timings.push_back({"bending the skins", seconds_text(report.seconds_quality)});
  timings.push_back({"drawing this report", seconds_text(watch.lap())});
  page.sections.push_back(timings_section(timings));
  page.sections.push_back(notes_section(notes, "check"));
  page.sections.push_back(commands_section(job.run, {}));
  return save_report(job.report, page, report.notes);
}

}  // namespace dermis
