// SPDX-License-Identifier: MIT
// A part of the demo: what a skeleton alone cannot do. A corrected elbow, twist joints, breathing, a face.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "dermis/ops/helpers.h"
#include "dermis/ops/shapes.h"
#include "ops/demo/parts.h"
#include "ops/page/page.h"

namespace dermis {
namespace {

// ---- Pictures -------------------------------------------------------------------------------------------

// A character in a pose, by linear blending and what its file adds to that.
struct Sight {
  const Character* character = nullptr;
  Pose pose;
  std::string caption;
  Character still{};
  PoseFrame frame{};
};

Result<Sight> seen(const Character& character, Pose pose, std::string caption, const Stack& stack = {}) {
  Sight sight{&character, std::move(pose), std::move(caption)};
  Result<PoseFrame> frame = pose_frame(character, {kNone, 0, &sight.pose});
  if (!frame) return frame.error();
  Result<Character> still = deform_character(character, *frame, from_all_rooms({stack, NormalMode::exact}));
  if (!still) return still.error();
  sight.frame = std::move(*frame);
  sight.still = std::move(*still);
  return sight;
}

// Around a joint, as far as `reach` of the size; or everything, without a joint.
struct Close {
  std::string joint{};
  double reach = 0;
};

Result<Camera> camera_for(std::span<const Sight> sights, const Close& close, const View& view) {
  std::vector<Vec3> all, near;
  for (const Sight& sight : sights) {
    const std::vector<Vec3> points = all_points(sight.still);
    all.insert(all.end(), points.begin(), points.end());
    if (close.joint.empty()) continue;
    const Result<Index> joint = find_node(*sight.character, close.joint);
    if (!joint) return joint.error();
    const Vec3d middle = sight.frame.world_from_node[at(*joint)].translation;
    const double reach = close.reach * size_of(sight.still).box.diagonal();
    for (const Vec3& point : points) {
      if (length(Vec3d(point) - middle) < reach) near.push_back(point);
    }
  }
  return near.empty() ? frame_points(all, view, kPageAspect) : frame_region(all, near, view, kPageAspect);
}

Result<ReportRow> row_of(std::span<const Sight> sights, const Close& close, const View& view,
                         const Run& run) {
  const Result<Camera> camera = camera_for(sights, close, view);
  if (!camera) return camera.error();
  ReportRow row;
  RenderOptions options;
  options.width = kPageWidth;
  options.height = kPageHeight;
  for (const Sight& sight : sights) {
    const Run piece = piece_of(run, row.figures.size(), sights.size());
    const Result<Pixels> pixels =
        render(draw_character(sight.still, nullptr), *camera, options, piece.progress);
    if (!pixels) return pixels.error();
    Result<ReportFigure> figure = figure_of(*pixels, sight.caption);
    if (!figure) return figure.error();
    row.figures.push_back(std::move(*figure));
  }
  return row;
}

Pose turned(const std::string& joint, const Vec3& axis, double degrees) {
  NodePose node;
  node.node = joint;
  node.turn = Quat(quat_from_axis_angle(Vec3d(axis), radians_from_degrees(degrees)));
  Pose pose;
  pose.nodes.push_back(std::move(node));
  return pose;
}

// A joint turned about its bone, as in the range of motion.
Result<Pose> twisted(const Character& character, const std::string& joint, double degrees) {
  const Result<Index> node = find_node(character, joint);
  if (!node) return node.error();
  for (const RangePose& pose : range_of_motion(character)) {
    if (pose.node == *node && pose.movement == Movement::twist)
      return turned(joint, Vec3(pose.axis), degrees);
  }
  return Error{Errc::internal, fmt::format("the range of motion does not twist '{}'", joint)};
}

// The largest distance, as a fraction of the size.
Result<double> largest_distance(const Sight& a, const Sight& b) {
  const Result<PointDistance> distance = point_distance(a.still.meshes[0].points, b.still.meshes[0].points);
  if (!distance) return distance.error();
  return distance->max / distance->diagonal;
}

Status write_asset(const std::string& path, const Asset& asset, const FileRun& run, DemoReport& report) {
  const auto write = [&](const SaveOptions& options) { return save(path, asset, options); };
  if (Status written = write_demo_file(write, run, report); !written) return written;
  report.files.push_back(path);
  return Done{};
}

// ---- The exhibits ---------------------------------------------------------------------------------------

// The elbow as centres of rotation pose it becomes the corrective of linear blending.
Result<ReportSection> elbow_section(const DemoJob& job, const FileRun& run, DemoReport& report) {
  constexpr double kSculpted = 120, kBetween = 75;
  const Vec3 axis{1, 0, 0};
  const char* const joint = "elbow_L";
  Asset arm;
  const Result<MakeReport> made = make({MadeKind::arm, {job.points}}, arm, part_of(run, 0, 0.1));
  if (!made) return made.error();
  const Character plain = arm.character;
  Result<Sight> sculpt = seen(plain, turned(joint, axis, kSculpted), "the sculpt", deform_stack("cor"));
  if (!sculpt) return sculpt.error();
  const Asset sculpted{.character = sculpt->still, .name = "elbow_120"};
  CorrectiveRequest how;
  how.pose.pose = sculpt->pose;
  how.name = "elbow_120";
  const Result<ShapesReport> corrected = correct_shape(arm, {}, sculpted, how, part_of(run, 0.1, 0.5));
  if (!corrected) return corrected.error();
  append(report.notes, corrected->notes);
  if (Status written = write_asset(demo_file(job, "elbow.glb"), arm, run, report); !written)
    return written.error();
  std::vector<Sight> sights;
  for (const double degrees : {kBetween, kSculpted}) {
    for (const Character* character : {&plain, &std::as_const(arm).character}) {
      Result<Sight> sight = seen(
          *character, turned(joint, axis, degrees),
          fmt::format("{:g} degrees, {} the corrective", degrees, character == &plain ? "without" : "with"));
      if (!sight) return sight.error();
      sights.push_back(std::move(*sight));
    }
  }
  const Result<double> without = largest_distance(sights[2], *sculpt),
                       with = largest_distance(sights[3], *sculpt);
  if (!without) return without.error();
  if (!with) return with.error();
  report.shown.push_back(
      {"elbow at 120 degrees", "farthest point from the sculpt, of the size", *without, *with});
  Result<ReportRow> row = row_of(sights, {joint, 0.16}, {1.2, 0.1}, part_of(run, 0.6, 1));
  if (!row) return row.error();
  return ReportSection{
      "The elbow, corrected",
      {ReportText{
           "An artist sculpts the elbow as it should look at 120 degrees (here the sculpt is what centres of "
           "rotation give). dermis pulls it back through linear blending, and adds it by how near a pose is "
           "to that of the sculpt."},
       std::move(*row)}};
}

// Twist and half-angle joints for all limbs, and a chest that breathes.
Result<std::vector<ReportSection>> helper_sections(const DemoJob& job, const FileRun& run,
                                                   DemoReport& report) {
  constexpr double kTurnedHand = 120;
  Asset asset;
  const Result<MakeReport> made = make({MadeKind::humanoid, {job.points}}, asset, part_of(run, 0, 0.1));
  if (!made) return made.error();
  report.point_count = made->point_count;
  report.joint_count = made->joint_count;
  const Character plain = asset.character;
  HelpersRequest request;
  request.proposes = true;
  request.helpers.push_back(
      {.kind = HelperKind::breathe, .joint = "chest", .count = 1, .scale = 1.08, .control = "breathe"});
  const Result<HelpersReport> helped = add_helpers(asset, request, part_of(run, 0.1, 0.5));
  if (!helped) return helped.error();
  append(report.notes, helped->notes);
  if (Status written = write_asset(demo_file(job, "helpers.glb"), asset, run, report); !written)
    return written.error();
  const Character& character = std::as_const(asset).character;

  std::vector<Sight> twists;
  for (const Character* one : {&plain, &character}) {
    const Result<Pose> pose = twisted(*one, "hand_L", kTurnedHand);
    if (!pose) return pose.error();
    Result<Sight> sight = seen(*one, *pose,
                               fmt::format("the hand turned by {:g} degrees, {} twist joints", kTurnedHand,
                                           one == &plain ? "without" : "with"));
    if (!sight) return sight.error();
    twists.push_back(std::move(*sight));
  }
  Result<ReportRow> row = row_of(twists, {"forearm_L", 0.14}, kPageView, part_of(run, 0.6, 0.8));
  if (!row) return row.error();
  ReportTable table{{"joint", "twist: volume lost, %", "with helper joints", "bend: volume lost, %", "with"},
                    {}};
  for (const HelpersReport::Loss& loss : helped->losses) {
    table.rows.push_back({loss.joint, fmt::format("{:.2f}", 100 * loss.twist_before),
                          fmt::format("{:.2f}", 100 * loss.twist_after),
                          fmt::format("{:.2f}", 100 * loss.bend_before),
                          fmt::format("{:.2f}", 100 * loss.bend_after)});
    report.shown.push_back({fmt::format("twist of {}", loss.joint), "volume lost, of the limb",
                            loss.twist_before, loss.twist_after});
  }
  std::vector<ReportSection> sections;
  sections.push_back(
      {"The forearm, with twist joints",
       {ReportText{"Joints that take shares of a rotation spread a twist along the bone. Below: the "
                   "volume that each limb loses in the worst pose of the range of motion."},
        std::move(*row), std::move(table)}});

  Result<Sight> at_rest = seen(character, {}, "breathe = 0");
  if (!at_rest) return at_rest.error();
  Pose full;
  full.controls.push_back({"breathe", 1});
  Result<Sight> breathing = seen(character, full, "breathe = 1");
  if (!breathing) return breathing.error();
  const Sight breaths[] = {std::move(*at_rest), std::move(*breathing)};
  Result<ReportRow> breath = row_of(breaths, {"chest", 0.2}, {1.2, 0.1}, part_of(run, 0.8, 1));
  if (!breath) return breath.error();
  sections.push_back(
      {"The chest, breathing",
       {ReportText{"A joint whose scale follows a control. The same joints can follow the angle of an "
                   "elbow: a muscle that bulges."},
        std::move(*breath)}});
  return sections;
}

Result<ReportSection> face_section(const DemoJob& job, const FileRun& run, DemoReport& report) {
  Asset face;
  const Result<MakeReport> made = make({MadeKind::face, {job.points}}, face, part_of(run, 0, 0.1));
  if (!made) return made.error();
  if (Status written = write_asset(demo_file(job, "face.glb"), face, run, report); !written)
    return written.error();
  const std::vector<std::vector<NamedValue>> expressions = {{},
                                                            {{"smile", 1}},
                                                            {{"frown", 1}},
                                                            {{"surprised", 1}},
                                                            {{"pucker", 1}},
                                                            {{"mouth_open", 1}},
                                                            {{"jaw_open", 1}},
                                                            {{"blink_L", 1}, {"blink_R", 1}}};
  std::vector<Sight> sights;
  for (const std::vector<NamedValue>& shapes : expressions) {
    std::string caption = shapes.empty() ? "neutral" : "";
    for (const NamedValue& shape : shapes) caption += (caption.empty() ? "" : ", ") + shape.name;
    Pose pose;
    pose.shapes = shapes;
    Result<Sight> sight = seen(face.character, std::move(pose), std::move(caption));
    if (!sight) return sight.error();
    sights.push_back(std::move(*sight));
  }
  Result<ReportRow> row = row_of(sights, {}, {0.25, 0.05}, part_of(run, 0.3, 1));
  if (!row) return row.error();
  return ReportSection{"The face", {ReportText{"Blend shapes of the built-in face."}, std::move(*row)}};
}

}  // namespace

Result<DemoReport> demo_shapes(const DemoJob& job, const FileRun& run) {
  if (!job.stacks.empty())
    return Error{Errc::usage, "methods are chosen for the main part only"}.with_remedy("without_method");
  DemoReport report;
  report.part = "shapes";
  ReportPage page{"What a skeleton alone cannot do",
                  fmt::format("made by dermis {} on characters built by code", version()),
                  {}};
  Result<ReportSection> elbow = elbow_section(job, part_of(run, 0, 0.3), report);
  if (!elbow) return elbow.error();
  page.sections.push_back(std::move(*elbow));
  Result<std::vector<ReportSection>> helpers = helper_sections(job, part_of(run, 0.3, 0.7), report);
  if (!helpers) return helpers.error();
  for (ReportSection& section : *helpers) page.sections.push_back(std::move(section));
  Result<ReportSection> face = face_section(job, part_of(run, 0.7, 1), report);
  if (!face) return face.error();
  page.sections.push_back(std::move(*face));
  const std::string elbow_file = shell_word(report.files[0]), helpers_file = shell_word(report.files[1]);
  report.next = {fmt::format("dermis shapes poses {}", elbow_file),
                 fmt::format("dermis info {}", helpers_file),
                 fmt::format("dermis convert {} --bake-drivers -o baked.glb", helpers_file),
                 fmt::format("dermis shapes list {}", shell_word(report.files[2]))};
  page.sections.push_back(notes_section(report.notes, "demo"));
  page.sections.push_back(commands_section(run, report.next));
  const std::string path = demo_file(job, "shapes.html");
  Notes written;  // the list of files already has it
  if (Status saved = save_report(path, page, written); !saved) return saved.error();
  report.files.push_back(path);
  return report;
}

}  // namespace dermis
