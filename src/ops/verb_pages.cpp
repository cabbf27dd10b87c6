// SPDX-License-Identifier: MIT
// Composes the sections of a verb's report.
#include "ops/verb_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "dermis/ops/methods.h"
#include "ops/drawn.h"
#include "ops/page.h"

namespace dermis {
namespace {

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

ReportPage page_of(const char* verb, const std::string& input) {
  return {fmt::format("dermis {}: {}", verb, file_name(input)), fmt::format("dermis {}", version()), {}};
}

// `notes` get the textures that cannot be drawn.
ShotMaker maker_of(const Character& character, const std::string& file, const RunOptions& run, Notes& notes) {
  return {character, {file, false, load_textures(character, run, notes), run}};
}

// What the stages of a stack were told, where that is not the default.
void add_stage_facts(const Stack& stack, Facts& facts) {
  for (const StageUse& use : stack.stages) {
    for (const StageUse::Value& given : use.values)
      facts.push_back(
          {fmt::format("{} of {}", given.option, use.row->name), fmt::format("{:g}", given.value)});
  }
}

Status add(Result<ReportSection> section, ReportPage& page) {
  if (!section) return section.error();
  page.sections.push_back(std::move(*section));
  return Done{};
}

// What the range of motion showed beside the joints.
void add_quality_facts(const CheckReport& report, Facts& facts) {
  const Quality& quality = *report.quality;
  facts.push_back(
      {"bent with", fmt::format("{} in {} ({})", report.method, counted(quality.pose_count, "pose", "poses"),
                                seconds_text(report.seconds_quality))});
  facts.push_back({"points that follow nobody", std::to_string(quality.coverage.torn_point_count)});
  facts.push_back({"joints without points", std::to_string(quality.coverage.idle_joint_count)});
  facts.push_back({"weight on far joints",
                   fmt::format("up to {:.1f} % of a point's, on {}", 100 * quality.bleed.share.max,
                               counted(quality.bleed.count, "point", "points"))});
  if (quality.symmetry.is_judged) {
    facts.push_back({"left against right", fmt::format("up to {:.1f} % of a point's weight differs",
                                                       100 * quality.symmetry.difference.max)});
  }
  const auto degrees = [](double radians) { return fmt::format("{:.1f}°", degrees_from_radians(radians)); };
  facts.push_back({"largest strain", fmt::format("{:.1f} % of an edge", 100 * quality.max_strain())});
  facts.push_back({"largest shear", degrees(quality.max_shear())});
  facts.push_back({"largest change of area", fmt::format("{:.1f} %", 100 * quality.max_area_change())});
  facts.push_back({"normals off their polygons (95 of 100 within)",
                   fmt::format("{} at rest, {} where joints bend", degrees(quality.rest_normal_error),
                               degrees(quality.max_normal_error()))});
  facts.push_back(
      {"crossing triangles at rest",
       fmt::format("{}{}", quality.is_rest_count_exact ? "" : "at least ", quality.rest_intersections)});
  if (!quality.is_rest_count_exact) {
    facts.push_back(
        {"new crossings", "may hold pairs that cross at rest too: those could not all be listed"});
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

// "hero.glb by dqs", or the file alone where no method moves it.
std::string side_label(const CompareReport& report, std::size_t k) {
  const std::string& method = report.methods[k];
  return fmt::format("{}: {}{}", k == 0 ? "A" : "B", file_name(report.inputs[k]),
                     method.empty() ? std::string() : " by " + method);
}

void add_pose_facts(const PoseChoice& pose, Facts& facts) {
  if (!pose.clip.empty()) facts.push_back({"clip", fmt::format("{} at {:g} s", pose.clip, pose.time)});
  if (!pose.pose_file.empty()) facts.push_back({"pose file", pose.pose_file});
  for (const auto& shape : pose.shapes)
    facts.push_back({"shape " + shape.name, fmt::format("{:g}", shape.value)});
  if (pose.clip.empty() && pose.pose_file.empty() && pose.shapes.empty()) facts.push_back({"pose", "rest"});
}

// Distances, weights and what the literature measures.
void add_distance_facts(const CompareReport& report, Facts& facts) {
  const PointDistance& distance = report.distance;
  const auto share = [&](double value) {
    return fmt::format("{:.6g} ({:.4g} % of the diagonal)", value,
                       distance.diagonal > 0 ? 100 * value / distance.diagonal : 0.0);
  };
  facts.push_back({"measured", distance.in_order ? "point by point" : "to the nearest point, both ways"});
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
    facts.push_back({"KG: all distances against the spread of A about its middle (Karni, Gotsman 2004)",
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
        {"normals off their polygons (95 of 100 within)",
         fmt::format("{:.3g}° and {:.3g}°", degrees_from_radians(a_error), degrees_from_radians(b_error))});
  }
}

// "walk at 0.25 s", so that no two labels are the same.
void add_times(std::span<const double> times, std::vector<Moment>& moments) {
  const std::vector<std::string> labels = time_labels(times);
  for (std::size_t k = 0; k < moments.size(); ++k) moments[k].label += " at " + labels[k];
}

// The joints with a sweep: those that lose most volume.
constexpr std::size_t kSweptJoints = 2;
// Moments of a clip in a report.
constexpr std::size_t kMoments = 5;

}  // namespace

Status report_deform(const DeformJob& job, DeformReport& report, const Deformer& deformer,
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
  add_stage_facts(deformer.stack, facts);
  page.sections.push_back(facts_section(facts));
  Notes notes = report.notes;
  const ShotMaker maker = maker_of(*deformer.character, job.input, job.run, notes);
  const std::string label =
      fmt::format("after: {}{}", report.method,
                  report.clip.empty() ? "" : fmt::format(", {} at {:g} s", report.clip, report.time));
  const RunOptions run = part_of(job.run, kWorked, 1);
  if (Status added = add(moments_section(maker, deformer, {{label, frame}}, part_of(run, 0, 0.2)), page);
      !added)
    return added;
  if (Status added = add(weights_section(maker, part_of(run, 0.2, 0.4)), page); !added) return added;
  if (Status added = add(quick_worst_section(maker, job.deform, part_of(run, 0.4, 0.6)), page); !added)
    return added;
  if (Status added = add(sweep_section(maker, kSweptJoints, part_of(run, 0.6, 1)), page); !added)
    return added;
  page.sections.push_back(timings_section({{"loading", seconds_text(report.seconds_loading)},
                                           {"deforming", seconds_text(report.seconds_deforming)},
                                           {"saving", seconds_text(report.seconds_saving)}}));
  page.sections.push_back(notes_section(notes, "deform"));
  page.sections.push_back(commands_section(job.run, {}));
  return save_report(job.report, page, report.notes);
}

Status report_bake(const BakeJob& job, BakeReport& report, const Deformer& deformer, Index clip) {
  if (job.report.empty()) return Done{};
  ReportPage page = page_of("bake", job.input);
  Facts facts = {
      {"input", report.input},
      {"output", fmt::format("{} ({})", report.output, counted(report.files.size(), "file", "files"))},
      {"clip", report.clip},
      {"from, to", fmt::format("{:g} s, {:g} s", report.from, report.to)},
      {"frames", fmt::format("{} at {:g} a second", report.frame_count, report.fps)},
      {"method", report.method},
      {"points a frame", std::to_string(report.point_count)}};
  add_stage_facts(deformer.stack, facts);
  page.sections.push_back(facts_section(facts));
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
  if (Status added = add(moments_section(maker, deformer, moments, part_of(run, 0, 0.5)), page); !added)
    return added;
  if (Status added =
          add(volume_section(maker, deformer, clip, report.from, report.to, part_of(run, 0.5, 0.7)), page);
      !added)
    return added;
  if (Status added = add(weights_section(maker, part_of(run, 0.7, 0.8)), page); !added) return added;
  if (Status added = add(quick_worst_section(maker, job.deform, part_of(run, 0.8, 1)), page); !added)
    return added;
  page.sections.push_back(timings_section(
      {{"loading", seconds_text(report.seconds_loading)}, {"baking", seconds_text(report.seconds_baking)}}));
  page.sections.push_back(notes_section(notes, "bake"));
  page.sections.push_back(commands_section(job.run, {}));
  return save_report(job.report, page, report.notes);
}

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
    if (Status added = add(compared_section(scene(0), scene(1), part_of(job.run, kWorked, 1)), page); !added)
      return added;
  }
  if (report.sequence) page.sections.push_back(frames_section(report));
  page.sections.push_back(timings_section({{"loading both", seconds_text(report.seconds_loading)},
                                           {"posing both", seconds_text(report.seconds_posing)},
                                           {"measuring", seconds_text(report.seconds_measuring)}}));
  page.sections.push_back(notes_section(notes, "compare"));
  page.sections.push_back(commands_section(job.run, {}));
  return save_report(job.report, page, report.notes);
}

Status report_bind(const BindJob& job, BindReport& report, const Character& character) {
  if (job.report.empty()) return Done{};
  ReportPage page = page_of("bind", job.input);
  Facts facts = {{"input", report.input},
                 {"skeleton", report.skeleton},
                 {"output", report.output},
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
  if (Status added = add(weights_section(maker, job.run), page); !added) return added;
  const DeformOptions linear;
  const Result<Quality> quality = measure_quality(character, linear, job.run.progress);
  if (!quality) return quality.error();
  if (Status added = add(worst_section(maker, *quality, linear, job.run), page); !added) return added;
  if (Status added = add(sweep_section(maker, kSweptJoints, job.run), page); !added) return added;
  page.sections.push_back(timings_section({{"loading", seconds_text(report.seconds_loading)},
                                           {"binding", seconds_text(report.seconds_binding)},
                                           {"saving", seconds_text(report.seconds_saving)}}));
  page.sections.push_back(notes_section(notes, "bind"));
  page.sections.push_back(commands_section(
      job.run, {fmt::format("dermis check {}", shell_word(report.output)),
                fmt::format("dermis weights smooth {} -o smooth.glb", shell_word(report.output))}));
  return save_report(job.report, page, report.notes);
}

Status report_animate(const AnimateJob& job, AnimateReport& report, const Character& character) {
  if (job.report.empty()) return Done{};
  const RetargetFigures& figures = report.figures;
  ReportPage page = page_of("animate", job.input);
  const auto percent = [](double share) { return fmt::format("{:.2f} % of the height", 100 * share); };
  Facts facts = {
      {"input", report.input},
      {"motion", report.motion},
      {"output", report.output},
      {"clip", report.clip},
      {"frames", fmt::format("{} at {:g} a second", figures.frame_count, figures.fps)},
      {"scale", fmt::format("{:.4g}", figures.scale)},
      {"contacts of feet", std::to_string(figures.contact_count)},
      {"longest slide", percent(figures.slide)},
      {"longest slide before locking", percent(figures.slide_carried)},
      {"deepest sink", percent(figures.sink)},
      {"deepest sink before locking", percent(figures.sink_carried)},
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
  if (Status added = add(moments_section(maker, *deformer, moments, part_of(job.run, kWorked, 1)), page);
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

Status report_check(const CheckJob& job, CheckReport& report, const Character& character,
                    const Notes& repairs) {
  if (job.report.empty()) return Done{};
  Stopwatch watch;
  ReportPage page = page_of("check", job.input);
  Facts facts = {{"input", report.input},
                 {"profile", report.profile},
                 {"errors", std::to_string(report.error_count)},
                 {"warnings", std::to_string(report.warning_count)}};
  if (!report.output.empty()) {
    facts.push_back({"mended copy", report.output});
    facts.push_back({"things mended", std::to_string(report.mended_count)});
  }
  if (report.quality) add_quality_facts(report, facts);
  page.sections.push_back(facts_section(facts));
  page.sections.push_back(findings_section(report.findings, report.unjudged));
  Notes notes = repairs;
  append(notes, report.notes);
  const ShotMaker maker = maker_of(character, job.input, job.run, notes);
  const RunOptions run = part_of(job.run, kWorked, 1);
  if (Status added = add(rest_section(maker, part_of(run, 0, 0.1)), page); !added) return added;
  if (report.quality) {
    if (Status added = add(worst_section(maker, *report.quality, job.deform, part_of(run, 0.1, 0.3)), page);
        !added)
      return added;
  }
  if (Status added = add(weights_section(maker, part_of(run, 0.3, 0.6)), page); !added) return added;
  if (Status added = add(sweep_section(maker, kSweptJoints, part_of(run, 0.6, 1)), page); !added)
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
