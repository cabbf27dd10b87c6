// SPDX-License-Identifier: MIT
// How report.html shows new weights.
#include <fmt/format.h>

#include "ops/page/page.h"
#include "ops/report/words.h"
#include "ops/verb_pages.h"

namespace dermis {

Status report_bind(const BindJob& job, BindReport& report, const Character& character) {
  ReportPage page = page_of("bind", job.input);
  Facts facts = {{"input", report.input},
                 {"skeleton", report.skeleton},
                 {"output", report.output},
                 {"doubt", doubt_text(report)},
                 {"method", report.method},
                 {"meshes", std::to_string(report.mesh_count)},
                 {"points", std::to_string(report.point_count)},
                 {"shells", std::to_string(report.shell_count)},
                 {"joints with weights", std::to_string(report.joint_count)},
                 {"most influences", std::to_string(report.max_influences)}};
  for (const BindReport::Idle& idle : report.idle) facts.push_back({"idle: " + idle.joint, idle.reason});
  page.sections.push_back(facts_section(facts));
  Notes notes = report.notes;
  const ShotMaker maker = maker_of(character, job.input, job.run, notes);
  const RunOptions run = part_of(job.run, kWorked, 1);
  if (Status added = add_section(weights_section(maker, part_of(run, 0, 0.3)), page); !added) return added;
  const DeformOptions linear;
  const Result<Quality> quality = measure_quality(character, linear, run.progress.part(0.3, 0.6));
  if (!quality) return quality.error();
  if (Status added = add_section(worst_section(maker, *quality, linear, part_of(run, 0.6, 0.8)), page);
      !added)
    return added;
  if (Status added = add_section(sweep_section(maker, kSweptJoints, part_of(run, 0.8, 1)), page); !added)
    return added;
  page.sections.push_back(timings_section({{"loading", seconds_text(report.seconds_loading)},
                                           {"binding", seconds_text(report.seconds_binding)},
                                           {"saving", seconds_text(report.seconds_saving)}}));
  page.sections.push_back(notes_section(notes, "bind"));
  page.sections.push_back(commands_section(
      job.run, {fmt::format("dermis check {}", shell_word(report.output)),
                fmt::format("dermis weights smooth {} -o smooth.glb", shell_word(report.output))}));
  return save_report(job.report, page, report.notes);
}

}  // namespace dermis
