// SPDX-License-Identifier: MIT
// The report of rig: what the search saw in the body, what it chose, and what is doubtful.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "dermis/ops/notes.h"
#include "dermis/ops/rig.h"
#include "ops/page/drawn.h"
#include "ops/page/page.h"
#include "ops/report/words.h"
#include "ops/verb_pages.h"

namespace dermis {
namespace {

constexpr int kRigWidth = 640, kRigHeight = 640, kRigSamples = 4;
constexpr std::size_t kRigMoments = 4;
// Balls are drawn slightly smaller, so that they can be distinguished.
constexpr double kBallShare = 0.92;
constexpr int kRings = 8, kSectors = 12;
// Ends of limbs are drawn as red balls, this fraction of the thickest ball.
constexpr double kEndShare = 0.15;
constexpr Index kBall = 0, kEnd = 1;
constexpr Vec4 kEndColour{0.75f, 0.12f, 0.10f, 1};
constexpr std::array<View, 2> kViews{View{0, 0.05}, View{1.2, 0.15}};

RenderOptions picture_size() {
  RenderOptions options;
  options.width = kRigWidth;
  options.height = kRigHeight;
  options.samples = kRigSamples;
  return options;
}

void add_ball(const Vec3d& centre, double radius, Index material, DrawnMesh& mesh) {
  const auto base = static_cast<std::uint32_t>(mesh.points.size());
  for (int ring = 0; ring <= kRings; ++ring) {
    const double polar = std::numbers::pi * ring / kRings;
    for (int sector = 0; sector < kSectors; ++sector) {
      const double around = 2 * std::numbers::pi * sector / kSectors;
      const Vec3d normal{std::sin(polar) * std::cos(around), std::cos(polar),
                         std::sin(polar) * std::sin(around)};
      mesh.points.push_back(Vec3(centre + normal * (kBallShare * radius)));
      mesh.normals.push_back(Vec3(normal));
    }
  }
  for (std::uint32_t ring = 0; ring < kRings; ++ring) {
    for (std::uint32_t sector = 0; sector < kSectors; ++sector) {
      const std::uint32_t next = (sector + 1) % kSectors;
      const std::uint32_t a = base + ring * kSectors + sector, b = base + ring * kSectors + next;
      const std::uint32_t c = a + kSectors, d = b + kSectors;
      mesh.triangles.push_back({a, b, c});
      mesh.triangles.push_back({b, d, c});
    }
  }
  mesh.material.resize(mesh.triangles.size(), material);
}

Drawing draw_map(const BodyMap& map) {
  Drawing drawing;
  drawing.materials.resize(2);
  drawing.materials[kEnd].colour = kEndColour;
  DrawnMesh mesh;
  double thickest = 0;
  for (const BodyMap::Ball& ball : map.balls) {
    add_ball(ball.centre, ball.radius, kBall, mesh);
    thickest = std::max(thickest, ball.radius);
  }
  for (const Vec3d& end : map.ends) add_ball(end, kEndShare * thickest, kEnd, mesh);
  drawing.meshes.push_back(std::move(mesh));
  for (const std::array<std::uint32_t, 2>& edge : map.edges)
    drawing.bones.push_back({Vec3(map.balls[edge[0]].centre), Vec3(map.balls[edge[1]].centre)});
  return drawing;
}

Status add_views(const Drawing& drawing, const std::string& caption, const RunOptions& run,
                 ReportSection& section) {
  ReportRow row;
  for (const View& view : kViews) {
    const RunOptions piece = piece_of(run, row.figures.size(), std::size(kViews));
    const Camera camera = frame_points(points_of(drawing), view, double{kRigWidth} / kRigHeight);
    const Result<Pixels> pixels = render(drawing, camera, picture_size(), piece.progress);
    if (!pixels) return pixels.error();
    Result<ReportFigure> figure = figure_of(*pixels, caption);
    if (!figure) return figure.error();
    row.figures.push_back(std::move(*figure));
  }
  section.items.emplace_back(std::move(row));
  return Done{};
}

ReportSection scores_section(const FoundSkeleton& found) {
  ReportSection section{found.joints.empty() ? "Why none fits" : "Why this skeleton", {}};
  if (found.scores.empty()) {
    section.items.emplace_back(
        ReportText{"No template was requested: the limbs of the body are its skeleton."});
    return section;
  }
  section.items.emplace_back(
      ReportText{"The winning template is placed where its cost is lowest; for the others, one placement is "
                 "listed. Costs are sums of penalties."});
  ReportTable table{{"penalty"}, {}};
  std::vector<std::string> names;
  for (const RigScore& score : found.scores) {
    table.columns.push_back(score.name);
    if (score.penalties.size() > names.size()) {
      names.clear();
      for (const RigScore::Penalty& penalty : score.penalties) names.emplace_back(penalty.name);
    }
  }
  const auto cell = [](const RigScore& score, std::size_t k) {
    return score.penalties.empty() ? std::string("-") : fmt::format("{:.3f}", score.penalties[k].cost);
  };
  for (std::size_t k = 0; k < names.size(); ++k) {
    std::vector<std::string> row{names[k]};
    for (const RigScore& score : found.scores) row.push_back(cell(score, k));
    table.rows.push_back(std::move(row));
  }
  std::vector<std::string> totals{"all"};
  for (const RigScore& score : found.scores)
    totals.push_back(fmt::format("{}{}", score.penalties.empty() ? "" : fmt::format("{:.3f}", score.cost),
                                 score.does_fit            ? ""
                                 : score.penalties.empty() ? "does not fit"
                                                           : ", does not fit"));
  table.rows.push_back(std::move(totals));
  section.items.emplace_back(std::move(table));
  return section;
}

ReportSection reasons_section(const RigJudgement& judgement) {
  ReportSection section{"What speaks against it", {}};
  if (judgement.doubts.empty()) {
    section.items.emplace_back(ReportText{"Nothing."});
    return section;
  }
  ReportTable table{{"reason", "measured", "leaves of the confidence"}, {}};
  for (const RigDoubt& doubt : judgement.doubts)
    table.rows.push_back(
        {doubt.sentence, fmt::format("{:.2f}", doubt.figure), fmt::format("{:.0f} %", 100 * doubt.trust)});
  section.items.emplace_back(std::move(table));
  return section;
}

Result<ReportSection> pictures_section(const RigReport& report, const ShotMaker& maker,
                                       const RunOptions& run) {
  const bool is_found = !report.skeleton.joints.empty();
  ReportSection section{is_found ? "What was found" : "What was seen", {}};
  const Result<PoseFrame> rest = pose_frame(maker.character(), {});
  if (!rest) return rest.error();
  const Result<Deformer> deformer = ready_to_pose(maker.character(), {}, maker.file(), part_of(run, 0, 0.05));
  if (!deformer) return deformer.error();
  Result<Shot> shot = maker.take(*deformer, *rest, run.progress.part(0.05, 0.1));
  if (!shot) return shot.error();
  if (Status added = add_views(shot->drawing, is_found ? "the joints in the body" : "the body",
                               part_of(run, 0.1, 0.5), section);
      !added)
    return added.error();
  const BodyMap& map = report.skeleton.map;
  const std::string words = fmt::format(
      "{} in the body{}, {} between them, and {} (red)", counted(map.balls.size(), "sphere", "spheres"),
      report.straight ? " as it was posed" : "", counted(map.edges.size(), "path", "paths"),
      counted(map.ends.size(), "end of a limb", "ends of limbs"));
  if (Status added = add_views(draw_map(map), words, part_of(run, 0.5, 1), section); !added)
    return added.error();
  return section;
}

Result<ReportSection> motion_section(const RigReport& report, const ShotMaker& maker, const RunOptions& run) {
  const Result<Deformer> deformer = ready_to_pose(maker.character(), {}, maker.file(), part_of(run, 0, 0.1));
  if (!deformer) return deformer.error();
  const auto clip = static_cast<Index>(maker.character().clips.size() - 1);
  std::vector<Moment> moments;
  for (std::size_t k = 0; k < kRigMoments; ++k) {
    const double time = report.figures.seconds * static_cast<double>(k) / kRigMoments;
    Result<PoseFrame> frame = pose_frame(maker.character(), {clip, time, nullptr});
    if (!frame) return frame.error();
    moments.push_back({fmt::format("{} at {:.2f} s", report.clip, time), std::move(*frame)});
  }
  return moments_section(maker, *deformer, moments, part_of(run, 0.1, 1));
}

// "0 errors, 2 warnings: 2 shell-inside-out".
std::string faults_text(const RigReport& report) {
  std::string text = fmt::format("{}, {}", counted(report.error_count, "error", "errors"),
                                 counted(report.warning_count, "warning", "warnings"));
  for (const RigReport::Found& rule : report.findings)
    text += fmt::format("{}{} {}", &rule == report.findings.data() ? ": " : ", ", rule.count, rule.rule);
  return text;
}

std::string axis_text(const Vec3d& v) { return fmt::format("{:.2f}, {:.2f}, {:.2f}", v.x, v.y, v.z); }

// The built-in motion worth trying; empty for skeletons that none is made for, and for doubtful ones.
std::string motion_for(const RigReport& report) {
  if (report.judgement.confidence < kLeastConfidence) return "";
  if (report.skeleton.name == "biped") return "walk";
  return report.skeleton.name == "quadruped" ? "trot" : "";
}

}  // namespace

Status report_rig(const RigJob& job, RigReport& report, const Character& character) {
  const FoundSkeleton& found = report.skeleton;
  ReportPage page{fmt::format("dermis rig: {}", job.input), fmt::format("dermis {}", version()), {}};
  Facts facts = {
      {"input", report.input},
      {"output", report.output},
      {"skeleton", found.name},
      {"confidence", fmt::format("{:.0f} %", 100 * report.judgement.confidence)},
      {"doubt", doubt_text(report)},
      {"joints", fmt::format("{}, {} with weights", found.joints.size(), report.bound_joint_count)},
      {"up", axis_text(found.up)},
      {"front", axis_text(found.front)},
      {"matches its mirror image",
       found.symmetry > 0 ? fmt::format("{:.1f} %", 100 * found.symmetry) : "not judged"},
      {"points", std::to_string(report.point_count)},
      {"bound by", report.method},
      {"faults found by check", faults_text(report)}};
  if (report.straight) {
    facts.push_back({"rest pose", fmt::format("straightened ({}); the largest turn is {:.0f} degrees, at {}",
                                              report.straight->pose, report.straight->largest_turn,
                                              quoted_name(report.straight->turned_joint))});
    facts.push_back({"straightening changed",
                     fmt::format("the volume by {:+.1f} %, and stretched {:.1f} % of the "
                                 "triangles to more than twice their length",
                                 100 * report.straight->volume_change, 100 * report.straight->torn)});
  }
  if (!report.clip.empty()) {
    facts.push_back({"motion", fmt::format("{} as clip '{}'", report.motion, report.clip)});
    const auto percent = [](double share) { return fmt::format("{:.2f} % of the height", 100 * share); };
    const RetargetFigures& figures = report.figures;
    const bool has_contacts = figures.contact_count > 0;
    facts.push_back(
        {"longest slide of a foot", has_contacts ? percent(figures.slide) : "no foot contacts found"});
    if (has_contacts) facts.push_back({"deepest sink of a foot", percent(figures.sink)});
  }
  page.sections.push_back(facts_section(facts));
  Notes notes = report.notes;
  const auto textures = load_textures(character, job.run, notes);
  const ShotMaker with_joints(character, {job.input, true, textures, job.run});
  const ShotMaker plain(character, {job.input, false, textures, job.run});
  const RunOptions drawing = part_of(job.run, kWorked, 1);
  if (Status added = add_section(pictures_section(report, with_joints, part_of(drawing, 0, 0.3)), page);
      !added)
    return added;
  page.sections.push_back(reasons_section(report.judgement));
  page.sections.push_back(scores_section(found));
  page.sections.push_back(notes_section(notes, "rig"));
  if (Status added = add_section(weights_section(plain, part_of(drawing, 0.3, 0.7)), page); !added)
    return added;
  if (!report.clip.empty()) {
    if (Status added = add_section(motion_section(report, plain, part_of(drawing, 0.7, 1)), page); !added)
      return added;
  }
  page.sections.push_back(timings_section(facts_of(report).timings));
  std::vector<std::string> commands = {fmt::format("dermis check {}", shell_word(report.output))};
  if (const std::string motion = motion_for(report); !motion.empty())
    commands.push_back(
        fmt::format("dermis animate {} --motion {} -o moving.glb", shell_word(report.output), motion));
  page.sections.push_back(commands_section(job.run, commands));
  return save_report(job.report, page, report.notes);
}

Status report_unrigged(const RigJob& job, RigReport& report, const Error& error, const Character& body) {
  const FoundSkeleton& seen = report.skeleton;
  ReportPage page{fmt::format("dermis rig: {}", job.input), fmt::format("dermis {}", version()), {}};
  page.sections.push_back(facts_section({{"input", report.input},
                                         {"skeleton", "none found"},
                                         {"why", words_of(error, "rig")},
                                         {"longest path through the body", fmt::format("{:.3g}", seen.size)},
                                         {"ends of limbs", std::to_string(seen.map.ends.size())}}));
  Notes notes = report.notes;
  const auto textures = load_textures(body, job.run, notes);
  const ShotMaker maker(body, {job.input, false, textures, job.run});
  Result<ReportSection> pictures = pictures_section(report, maker, part_of(job.run, kWorked, 1));
  if (!pictures) return pictures.error();
  page.sections.push_back(std::move(*pictures));
  page.sections.push_back(scores_section(seen));
  page.sections.push_back(notes_section(notes, "rig"));
  const std::string again = fmt::format("dermis rig {}", shell_word(job.input));
  page.sections.push_back(commands_section(
      job.run,
      {fmt::format("{} --template extract -o {}", again, shell_word(job.output)),
       fmt::format("{} --template biped --marker wrist_L=X,Y,Z -o {}", again, shell_word(job.output))}));
  return save_report(job.report, page, report.notes);
}

}  // namespace dermis
