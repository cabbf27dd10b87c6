// SPDX-License-Identifier: MIT
// How report.html shows a baked clip.
#include <fmt/format.h>

#include "ops/page/page.h"
#include "ops/verb_pages.h"

namespace dermis {

Status report_bake(const BakeJob& job, BakeReport& report, const Deformer& deformer, Index clip) {
  ReportPage page = page_of("bake", job.input);
  DescribedFacts told = facts_of(report);
  add_stage_facts(deformer.stack, told.facts);
  page.sections.push_back(facts_section(told.facts));
  const Character& character = *deformer.character;
  Notes notes = report.notes;
  const ShotMaker maker = maker_of(character, job.input, job.run, notes);
  std::vector<Moment> moments;
  std::vector<double> times;
  const std::size_t count = std::min(kMoments, report.frame_count);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t frame_number = count > 1 ? k * (report.frame_count - 1) / (count - 1) : 0;
    const double time = report.from + static_cast<double>(frame_number) / report.fps;
    Result<PoseFrame> frame = pose_frame(character, {clip, time, nullptr});
    if (!frame) return frame.error();
    moments.push_back({report.clip, std::move(*frame)});
    times.push_back(time);
  }
  add_times(times, moments);
  const RunOptions run = part_of(job.run, kWorked, 1);
  if (Status added = add_section(moments_section(maker, deformer, moments, part_of(run, 0, 0.5)), page);
      !added)
    return added;
  if (Status added = add_section(
          volume_section(maker, deformer, clip, report.from, report.to, part_of(run, 0.5, 0.7)), page);
      !added)
    return added;
  if (Status added = add_section(weights_section(maker, part_of(run, 0.7, 0.8)), page); !added) return added;
  if (Status added = add_section(quick_worst_section(maker, job.deform, part_of(run, 0.8, 1)), page); !added)
    return added;
  page.sections.push_back(timings_section(told.timings));
  page.sections.push_back(notes_section(notes, "bake"));
  page.sections.push_back(commands_section(job.run, {}));
  return save_report(job.report, page, report.notes);
}

}  // namespace dermis
