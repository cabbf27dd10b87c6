// SPDX-License-Identifier: MIT
// Composes the sections of a verb's report.
#include "ops/verb_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "ops/drawn.h"
#include "ops/page.h"

namespace dermis {
namespace {

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

ReportPage page_of(const char* verb, const std::string& input) {
  return {fmt::format("dermis {}: {}", verb, file_name(input)), fmt::format("dermis {}", version()), {}};
}

ShotMaker maker_of(const Character& character, const std::string& file, const RunOptions& run) {
  Notes told_before;  // the textures that cannot be read are not what this report is about
  return {character, {file, false, load_textures(character, run, told_before), run}};
}

Status add(Result<ReportSection> section, ReportPage& page) {
  if (!section) return section.error();
  page.sections.push_back(std::move(*section));
  return Done{};
}

// The joints with a sweep: those that bend the most points, heaviest first.
constexpr std::size_t kSweptJoints = 2;
// Moments of a clip in a report.
constexpr std::size_t kMoments = 5;

}  // namespace

Status report_deform(const DeformJob& job, const DeformReport& report, const Deformer& deformer,
                     const PoseFrame& frame) {
  if (job.report.empty()) return Done{};
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
  page.sections.push_back(facts_section(facts));
  const ShotMaker maker = maker_of(*deformer.character, job.input, job.run);
  const std::string label =
      fmt::format("after: {}{}", report.method,
                  report.clip.empty() ? "" : fmt::format(", {} at {:g} s", report.clip, report.time));
  if (Status added = add(moments_section(maker, deformer, {{label, frame}}, job.run), page); !added)
    return added;
  if (Status added = add(weights_section(maker, job.run), page); !added) return added;
  if (Status added = add(sweep_section(maker, kSweptJoints, job.run), page); !added) return added;
  page.sections.push_back(timings_section({{"loading", seconds_text(report.seconds_loading)},
                                           {"deforming", seconds_text(report.seconds_deforming)},
                                           {"saving", seconds_text(report.seconds_saving)}}));
  page.sections.push_back(notes_section(report.notes));
  page.sections.push_back(commands_section(job.run, {}));
  return save_report(job.report, page);
}

Status report_bake(const BakeJob& job, const BakeReport& report, const Deformer& deformer, Index clip) {
  if (job.report.empty()) return Done{};
  ReportPage page = page_of("bake", job.input);
  page.sections.push_back(facts_section(
      {{"input", report.input},
       {"output", fmt::format("{} ({})", report.output, counted(report.files.size(), "file", "files"))},
       {"clip", report.clip},
       {"from, to", fmt::format("{:g} s, {:g} s", report.from, report.to)},
       {"frames", fmt::format("{} at {:g} a second", report.frame_count, report.fps)},
       {"method", report.method},
       {"points a frame", std::to_string(report.point_count)}}));
  const Character& character = *deformer.character;
  const ShotMaker maker = maker_of(character, job.input, job.run);
  std::vector<Moment> moments;
  const std::size_t count = std::min(kMoments, report.frame_count);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t frame_number = count > 1 ? k * (report.frame_count - 1) / (count - 1) : 0;
    const double time = report.from + static_cast<double>(frame_number) / report.fps;
    Result<PoseFrame> frame = pose_frame(character, {clip, time, nullptr});
    if (!frame) return frame.error();
    moments.push_back({fmt::format("{} at {:.3g} s", report.clip, time), std::move(*frame)});
  }
  if (Status added = add(moments_section(maker, deformer, moments, job.run), page); !added) return added;
  if (Status added = add(volume_section(deformer, clip, report.from, report.to, job.run), page); !added)
    return added;
  if (Status added = add(weights_section(maker, job.run), page); !added) return added;
  page.sections.push_back(timings_section(
      {{"loading", seconds_text(report.seconds_loading)}, {"baking", seconds_text(report.seconds_baking)}}));
  page.sections.push_back(notes_section(report.notes));
  page.sections.push_back(commands_section(job.run, {}));
  return save_report(job.report, page);
}

Status report_compare(const CompareJob& job, const CompareReport& report, const Character* a,
                      const Character* b) {
  if (job.report.empty()) return Done{};
  ReportPage page = page_of("compare", job.inputs[0]);
  const PointDistance& distance = report.distance;
  const auto share = [&](double value) {
    return fmt::format("{:.6g} ({:.4g} % of the diagonal)", value,
                       distance.diagonal > 0 ? 100 * value / distance.diagonal : 0.0);
  };
  Facts facts = {
      {"A", fmt::format("{}, {}, {} points", report.inputs[0], report.methods[0], report.point_count[0])},
      {"B", fmt::format("{}, {}, {} points", report.inputs[1], report.methods[1], report.point_count[1])},
      {"measured", distance.in_order ? "point by point" : "to the nearest point, both ways"},
      {"largest distance", share(distance.max)},
      {"at", report.worst_place},
      {"root mean square", share(distance.rms)},
      {"mean", share(distance.mean)}};
  if (report.max_weight_difference) {
    facts.push_back({"largest difference of weights", fmt::format("{:.4g}", *report.max_weight_difference)});
    facts.push_back({"mean difference of weights", fmt::format("{:.4g}", *report.mean_weight_difference)});
  }
  if (report.limit)
    facts.push_back({"limit", fmt::format("{:g} % of the diagonal, {}", 100 * *report.limit,
                                          report.is_within_limit ? "kept" : "exceeded")});
  page.sections.push_back(facts_section(facts));
  if (a != nullptr && b != nullptr) {
    if (Status added = add(compared_section(*a, *b, job.run), page); !added) return added;
  }
  page.sections.push_back(notes_section(report.notes));
  page.sections.push_back(commands_section(job.run, {}));
  return save_report(job.report, page);
}

Status report_check(const CheckJob& job, const CheckReport& report, const Character& character) {
  if (job.report.empty()) return Done{};
  ReportPage page = page_of("check", job.input);
  Facts facts = {{"input", report.input},
                 {"profile", report.profile},
                 {"errors", std::to_string(report.error_count)},
                 {"warnings", std::to_string(report.warning_count)}};
  if (!report.output.empty()) {
    facts.push_back({"mended copy", report.output});
    facts.push_back({"things mended", std::to_string(report.mended_count)});
  }
  page.sections.push_back(facts_section(facts));
  page.sections.push_back(findings_section(report.findings));
  const ShotMaker maker = maker_of(character, job.input, job.run);
  if (report.quality) {
    if (Status added = add(worst_section(maker, *report.quality, job.deform.stack, job.run), page); !added)
      return added;
  }
  if (Status added = add(weights_section(maker, job.run), page); !added) return added;
  if (Status added = add(sweep_section(maker, kSweptJoints, job.run), page); !added) return added;
  page.sections.push_back(notes_section(report.notes));
  page.sections.push_back(commands_section(job.run, {}));
  return save_report(job.report, page);
}

}  // namespace dermis
