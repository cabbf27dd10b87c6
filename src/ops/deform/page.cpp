// SPDX-License-Identifier: MIT
// How report.html shows a pose.
#include <fmt/format.h>

#include "dermis/ops/methods.h"
#include "ops/page/page.h"
#include "ops/verb_pages.h"

namespace dermis {

Status report_deform(const DeformJob& job, DeformReport& report, const Deformer& deformer,
                     const PoseFrame& frame) {
  ReportPage page = page_of("deform", job.input);
  DescribedFacts told = facts_of(report);
  told.facts.push_back({"normals", name_of(job.deform.normals)});
  add_stage_facts(deformer.stack, told.facts);
  page.sections.push_back(facts_section(told.facts));
  Notes notes = report.notes;
  const ShotMaker maker = maker_of(*deformer.character, job.input, job.run, notes);
  const std::string label =
      fmt::format("after: {}{}", report.method,
                  report.clip.empty() ? "" : fmt::format(", {} at {:g} s", report.clip, report.time));
  const RunOptions run = part_of(job.run, kWorked, 1);
  if (Status added =
          add_section(moments_section(maker, deformer, {{label, frame}}, part_of(run, 0, 0.2)), page);
      !added)
    return added;
  if (Status added = add_section(weights_section(maker, part_of(run, 0.2, 0.4)), page); !added) return added;
  if (Status added = add_section(quick_worst_section(maker, job.deform, part_of(run, 0.4, 0.6)), page);
      !added)
    return added;
  if (Status added = add_section(sweep_section(maker, kSweptJoints, part_of(run, 0.6, 1)), page); !added)
    return added;
  page.sections.push_back(timings_section(told.timings));
  page.sections.push_back(notes_section(notes, "deform"));
  page.sections.push_back(commands_section(job.run, {}));
  return save_report(job.report, page, report.notes);
}

}  // namespace dermis
