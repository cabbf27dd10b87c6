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
  const auto percent = [](double share) { return fmt::format("{:.2f} % of the height", 100 * share); };
  Facts facts = {
      {"input", report.input},
      {"motion", report.motion},
      {"output", report.output},
      {"clip", report.clip},
      {"frames", fmt::format("{} at {:g} per second", figures.frame_count, figures.fps)},
      {"scale", fmt::format("{:.4g}", figures.scale)},
      {"contacts of feet", std::to_string(figures.contact_count)},
      {"longest slide", percent(figures.slide)},
      {"longest slide before locking", percent(figures.slide_carried)},
      {"deepest sink", percent(figures.sink)},
      {"deepest sink before locking", percent(figures.sink_carried)},
      {"deepest sink of the rest of the body", percent(figures.body_sink)},
      {"the same before raising", percent(figures.body_sink_carried)},
      {"deepest a limb is in another part", percent(report.crossing.depth)},
      {"doubt", doubt_text(report)},
      {"flipped elbows and knees", fmt::format("{} of {}", figures.flipped_count, figures.hinge_count)}};
  for (const MotionMapRow& row : report.map)
    facts.push_back({row.role.empty() ? "pair" : row.role,
                     fmt::format("{} from {}", fmt::join(row.target, ", "), fmt::join(row.source, ", "))});
  page.sections.push_back(facts_section(facts));
  Notes notes = report.notes;
  const ShotMaker maker = maker_of(character, job.input, job.run, notes);
  const Result<Deformer> deformer = ready_to_pose(character, {}, job.input, job.run);
  if (!deformer) return deformer.error();
  const auto clip = static_cast<Index>(character.clips.size() - 1);
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
  if (Status added =
          add_section(moments_section(maker, *deformer, moments, part_of(job.run, kWorked, 1)), page);
      !added)
    return added;
  page.sections.push_back(timings_section({{"loading", seconds_text(report.seconds_loading)},
                                           {"retargeting", seconds_text(report.seconds_retargeting)},
                                           {"saving", seconds_text(report.seconds_saving)}}));
  page.sections.push_back(notes_section(notes, "animate"));
  page.sections.push_back(
      commands_section(job.run, {fmt::format("dermis render {} --clip {} --moments 5 -o moments.png",
                                             shell_word(report.output), shell_word(report.clip))}));
  return save_report(job.report, page, report.notes);
}

}  // namespace dermis
