// SPDX-License-Identifier: MIT
// How report.html shows a comparison.
#include <fmt/format.h>

#include <filesystem>

#include "ops/page/drawn.h"
#include "ops/page/page.h"
#include "ops/verb_pages.h"

namespace dermis {
namespace {

// "hero.glb by dqs", or only the file if no method moves it.
std::string side_label(const CompareReport& report, std::size_t k) {
  const std::string& method = report.methods[k];
  return fmt::format("{}: {}{}", k == 0 ? "A" : "B",
                     std::filesystem::path(report.inputs[k]).filename().string(),
                     method.empty() ? std::string() : " by " + method);
}

void add_pose_facts(const PoseChoice& pose, Facts& facts) {
  if (!pose.clip.empty()) facts.push_back({"clip", fmt::format("{} at {:g} s", pose.clip, pose.time)});
  if (!pose.pose_file.empty()) facts.push_back({"pose file", pose.pose_file});
  for (const auto& shape : pose.shapes)
    facts.push_back({"shape " + shape.name, fmt::format("{:g}", shape.value)});
  if (pose.is_rest()) facts.push_back({"pose", "rest"});
}

// Distances, weights and the measures of the literature.
void add_distance_facts(const CompareReport& report, Facts& facts) {
  const PointDistance& distance = report.distance;
  const auto share = [&](double value) {
    return fmt::format("{:.6g} ({:.4g} % of the diagonal)", value,
                       distance.diagonal > 0 ? 100 * value / distance.diagonal : 0.0);
  };
  facts.push_back(
      {"measured", distance.in_order ? "point by point" : "to the nearest point, in both directions"});
  facts.push_back({"largest distance", share(distance.max)});
  facts.push_back({"at", report.worst_place});
  facts.push_back({"root mean square", share(distance.rms)});
  facts.push_back({"mean", share(distance.mean)});
  if (report.max_weight_difference) {
    facts.push_back({"largest difference of weights", fmt::format("{:.4g}", *report.max_weight_difference)});
    facts.push_back({"mean difference of weights", fmt::format("{:.4g}", *report.mean_weight_difference)});
  }
  if (report.e_rms) {
    facts.push_back(
        {"E_RMS: root mean square of the differences of all coordinates, in thousandths of half "
         "the diagonal (Kavan et al. 2010)",
         fmt::format("{:.4g}", *report.e_rms)});
  }
  if (report.kg) {
    facts.push_back({"KG: all distances relative to the spread of A about its middle (Karni, Gotsman 2004)",
                     fmt::format("{:.4g} %", *report.kg)});
  }
}

// The largest distance in each frame.
ReportSection frames_section(const CompareReport& report) {
  const double diagonal = report.distance.diagonal;
  Curve curve{"B against A", report.sequence->times, report.sequence->max};
  for (double& y : curve.y) y *= 100 / diagonal;
  const std::string svg =
      plot_svg({"Largest distance in each frame", "seconds", "% of the diagonal", {curve}, kLeastHeat});
  return {"Frame by frame", {ReportFigure{{}, svg, report.worst_place, {}}}};
}

void add_surface_facts(const CompareReport& report, Facts& facts) {
  if (report.volumes) {
    const auto& [a_volume, b_volume] = *report.volumes;
    facts.push_back(
        {"volumes, openings capped",
         fmt::format("{:.6g} and {:.6g}{}", a_volume, b_volume,
                     a_volume == 0 ? "" : fmt::format(" ({:+.3g} %)", 100 * (b_volume / a_volume - 1)))});
  }
  if (report.surface) {
    facts.push_back({"surface of B against A",
                     fmt::format("edges up to {:.3g} %, shear up to {:.3g}°, areas up to {:.3g} %",
                                 100 * report.surface->edge, degrees_from_radians(report.surface->shear),
                                 100 * report.surface->area)});
  }
  if (report.normal_errors) {
    const auto& [a_error, b_error] = *report.normal_errors;
    facts.push_back(
        {"normals from their polygons (95 % within)",
         fmt::format("{:.3g}° and {:.3g}°", degrees_from_radians(a_error), degrees_from_radians(b_error))});
  }
}

}  // namespace

Status report_compare(const CompareJob& job, CompareReport& report,
                      const std::array<ComparedSide, 2>& sides) {
  if (job.report.empty()) return Done{};
  ReportPage page = page_of("compare", job.inputs[0]);
  Facts facts;
  for (std::size_t k = 0; k < 2; ++k) {
    facts.push_back(
        {k == 0 ? "A" : "B", fmt::format("{}, {}, {}", report.inputs[k],
                                         report.methods[k].empty() ? "no method" : report.methods[k],
                                         counted(report.point_count[k], "point", "points"))});
  }
  if (report.sequence)
    facts.push_back({"frames", std::to_string(report.sequence->times.size())});
  else
    add_pose_facts(job.pose, facts);
  add_distance_facts(report, facts);
  add_surface_facts(report, facts);
  if (report.limit)
    facts.push_back({"limit", fmt::format("{:g} % of the diagonal, {}", 100 * *report.limit,
                                          report.is_within_limit ? "kept" : "exceeded")});
  page.sections.push_back(facts_section(facts));
  Notes notes = report.notes;
  if (sides[0].still != nullptr && sides[1].still != nullptr) {
    const auto scene = [&](std::size_t k) {
      return ComparedScene{sides[k].still, load_textures(*sides[k].rest, job.run, notes),
                           side_label(report, k)};
    };
    if (Status added = add_section(compared_section(scene(0), scene(1), part_of(job.run, kWorked, 1)), page);
        !added)
      return added;
  }
  if (report.sequence) page.sections.push_back(frames_section(report));
  page.sections.push_back(timings_section(facts_of(report).timings));
  page.sections.push_back(notes_section(notes, "compare"));
  page.sections.push_back(commands_section(job.run, {}));
  return save_report(job.report, page, report.notes);
}

}  // namespace dermis
