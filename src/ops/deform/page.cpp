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
  Facts facts = {{"input", report.input},
                 {"output", report.output},
                 {"method", report.method},
                 {"normals", name_of(job.deform.normals)},
                 {"points", std::to_string(report.point_count)},
                 {"polygons", std::to_string(report.polygon_count)},
                 {"instances", std::to_string(report.instance_count)}};
  if (!report.clip.empty()) facts.push_back({"clip", fmt::format("{} at {:g} s", report.clip, report.time)});
  if (!report.pose_file.empty()) facts.push_back({"pose file", report.pose_file});
  for (const NamedValue& shape : report.shapes)
    facts.push_back({"shape " + shape.name, fmt::format("{:g}", shape.value)});
  add_stage_facts(deformer.stack, facts);
  page.sections.push_back(facts_section(facts));
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
  page.sections.push_back(timings_section({{"loading", seconds_text(report.seconds_loading)},
                                           {"deforming", seconds_text(report.seconds_deforming)},
                                           {"saving", seconds_text(report.seconds_saving)}}));
  page.sections.push_back(notes_section(notes, "deform"));
  page.sections.push_back(commands_section(job.run, {}));
  return save_report(job.report, page, report.notes);
}

}  // namespace dermis
