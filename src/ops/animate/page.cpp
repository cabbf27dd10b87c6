// SPDX-License-Identifier: MIT
// How report.html shows a retargeted motion.
#include <fmt/format.h>

#include "ops/page/page.h"
#include "ops/report/words.h"
#include "ops/verb_pages.h"

namespace dermis {

Status report_animate(const AnimateJob& job, AnimateReport& report, const Character& character) {
  const RetargetFigures& figures = report.figures;
  ReportPage page = page_of("animate", job.input);
  DescribedFacts told = facts_of(report);
  for (const MotionMapRow& row : report.map)
    told.facts.push_back(
        {row.role.empty() ? "pair" : row.role,
         fmt::format("{} from {}", fmt::join(row.target, ", "), fmt::join(row.source, ", "))});
  page.sections.push_back(facts_section(told.facts));
  Notes notes = report.notes;
  const ShotMaker maker = maker_of(character, job.input, job.run, notes);
  const RunOptions drawing = part_of(job.run, kWorked, 1);
  const Result<Deformer> deformer = ready_to_pose(character, {}, job.input, part_of(drawing, 0, 0.1));
  if (!deformer) return deformer.error();
  const Result<Index> made = find_clip(character, report.clip);
  if (!made) return made.error();
  const Index clip = *made;
  std::vector<Moment> moments;
  std::vector<double> times;
  const std::size_t count = std::min(kMoments, figures.frame_count);
  for (std::size_t k = 0; k < count; ++k) {
    const double time =
        count > 1 ? figures.seconds * static_cast<double>(k) / static_cast<double>(count - 1) : 0;
    Result<PoseFrame> frame = pose_frame(character, {clip, time, nullptr});
    if (!frame) return frame.error();
    moments.push_back({report.clip, std::move(*frame)});
    times.push_back(time);
  }
  add_times(times, moments);
  if (Status added = add_section(moments_section(maker, *deformer, moments, part_of(drawing, 0.1, 1)), page);
      !added)
    return added;
  page.sections.push_back(timings_section(told.timings));
  page.sections.push_back(notes_section(notes, "animate"));
  page.sections.push_back(
      commands_section(job.run, {fmt::format("dermis render {} --clip {} --moments 5 -o moments.png",
                                             shell_word(report.output), shell_word(report.clip))}));
  return save_report(job.report, page, report.notes);
}

}  // namespace dermis
