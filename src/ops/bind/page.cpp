// SPDX-License-Identifier: MIT
// How report.html shows new weights.
#include <fmt/format.h>

#include "ops/page/page.h"
#include "ops/report/words.h"
#include "ops/verb_pages.h"

namespace dermis {

Status report_bind(const BindJob& job, BindReport& report, const Character& character) {
  ReportPage page = page_of("bind", job.input);
  DescribedFacts told = facts_of(report);
  for (const BindReport::Idle& idle : report.idle) told.facts.push_back({"idle: " + idle.joint, idle.reason});
  page.sections.push_back(facts_section(told.facts));
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
  page.sections.push_back(timings_section(told.timings));
  page.sections.push_back(notes_section(notes, "bind"));
  page.sections.push_back(commands_section(
      job.run, {fmt::format("dermis check {}", shell_word(report.output)),
                fmt::format("dermis weights smooth {} -o smooth.glb", shell_word(report.output))}));
  return save_report(job.report, page, report.notes);
}

}  // namespace dermis
