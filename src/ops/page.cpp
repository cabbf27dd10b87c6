// SPDX-License-Identifier: MIT
// Sections of reports, from characters, measurements and notes.
#include "ops/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dermis {
namespace {

constexpr int kWidth = 480, kHeight = 420, kSamples = 9;
constexpr double kAspect = static_cast<double>(kWidth) / kHeight;
constexpr View kView{0.52, 0.2};
constexpr double kPosed = 0.2;          // of the work of a section, before its pictures; as progress tells it
constexpr std::size_t kMostJoints = 6;  // shown as heat maps
constexpr std::size_t kMostListed = 10, kMostWorst = 2;  // worst joints by a measure, in tables and pictures

RenderOptions small_picture() {
  RenderOptions options;
  options.width = kWidth;
  options.height = kHeight;
  options.samples = kSamples;
  return options;
}

// In place of pictures that would be empty.
ReportText nothing_to_draw() { return {"There are no triangles to draw."}; }

ReportTable table_of(std::vector<std::string> columns, const Facts& facts) {
  ReportTable table{std::move(columns), {}};
  for (const auto& [what, much] : facts) table.rows.push_back({what, much});
  return table;
}

Result<ReportFigure> shoot(const Shot& shot, const Camera& camera, const RunOptions& run,
                           const std::optional<ColourScale>& scale, std::string caption, std::string number) {
  Result<Pixels> pixels = render(shot.drawing, camera, small_picture(), run.progress);
  if (!pixels) return pixels.error();
  if (scale) draw_legend(*pixels, *scale);
  return figure_of(*pixels, std::move(caption), std::move(number));
}

// The sum of the weights of each node over all points that are shown.
std::vector<double> carried_weight(const Character& character) {
  std::vector<double> sums(character.nodes.size(), 0.0);
  for (const Instance& instance : character.instances) {
    if (!instance.in_scene || instance.skin == kNone) continue;
    const Skin& skin = character.skins[static_cast<std::size_t>(instance.skin)];
    for (const Influence& influence :
         character.meshes[static_cast<std::size_t>(instance.mesh)].weights.influences) {
      const Index node = skin.node[static_cast<std::size_t>(influence.slot)];
      sums[static_cast<std::size_t>(node)] += static_cast<double>(influence.weight);
    }
  }
  return sums;
}

// The joints that carry most, at most `count` of them.
std::vector<Index> heaviest_joints(const Character& character, std::size_t count) {
  const std::vector<double> sums = carried_weight(character);
  std::vector<Index> nodes(sums.size());
  std::iota(nodes.begin(), nodes.end(), 0);
  std::stable_sort(nodes.begin(), nodes.end(), [&](Index a, Index b) {
    return sums[static_cast<std::size_t>(a)] > sums[static_cast<std::size_t>(b)];
  });
  const auto is_idle = [&](Index node) { return sums[static_cast<std::size_t>(node)] == 0; };
  nodes.erase(std::remove_if(nodes.begin(), nodes.end(), is_idle), nodes.end());
  nodes.resize(std::min(nodes.size(), count));
  return nodes;
}

std::string volume_text(const Shot& shot, const Shot& rest) {
  const std::vector<MeasuredSurface> surfaces = measured_scene(rest.still);
  const double before = volume_of_scene(surfaces, rest.still);
  if (before == 0) return {};
  return fmt::format("volume {:+.1f} %", 100 * (volume_of_scene(surfaces, shot.still) / before - 1));
}

// Nodes that a skin names.
std::vector<bool> joints_of(const Character& character) {
  std::vector<bool> is_joint(character.nodes.size(), false);
  for (const Skin& skin : character.skins) {
    for (const Index node : skin.node) is_joint[static_cast<std::size_t>(node)] = true;
  }
  return is_joint;
}

bool has_joint_above(const Character& character, const std::vector<bool>& is_joint, Index node) {
  const auto parent = [&](Index n) { return character.nodes[static_cast<std::size_t>(n)].parent; };
  for (Index above = parent(node); above != kNone; above = parent(above)) {
    if (is_joint[static_cast<std::size_t>(above)]) return true;
  }
  return false;
}

// How the heaviest joints below another joint bend: what is above them holds the rest of the body still.
std::vector<RangePose> first_bends(const Character& character, std::size_t count) {
  const std::vector<RangePose> range = range_of_motion(character);
  const std::vector<bool> is_joint = joints_of(character);
  std::vector<RangePose> bends;
  for (const Index joint : heaviest_joints(character, character.nodes.size())) {
    const auto is_bend = [&](const RangePose& pose) {
      return pose.node == joint && pose.movement == Movement::bend;
    };
    const auto found = std::find_if(range.begin(), range.end(), is_bend);
    if (found != range.end() && bends.size() < count && has_joint_above(character, is_joint, joint))
      bends.push_back(*found);
  }
  return bends;
}

// What joints are ranked by.
struct Ranking {
  const char* name;
  double (*value)(const JointQuality&);
  std::string (*words)(const JointQuality&);
  std::string JointQuality::*pose;
};
const Ranking kRankings[] = {
    {"strain", [](const JointQuality& joint) { return joint.strain; },
     [](const JointQuality& joint) { return fmt::format("strain {:.0f} %", 100 * joint.strain); },
     &JointQuality::strain_pose},
    {"volume lost", [](const JointQuality& joint) { return joint.volume_loss; },
     [](const JointQuality& joint) { return fmt::format("{:.1f} % lost", 100 * joint.volume_loss); },
     &JointQuality::volume_loss_pose},
    {"new crossings", [](const JointQuality& joint) { return static_cast<double>(joint.new_intersections); },
     [](const JointQuality& joint) {
       return fmt::format("{}{}", joint.is_intersection_count_exact ? "" : "at least ",
                          counted(joint.new_intersections, "crossing", "crossings"));
     },
     &JointQuality::intersections_pose}};

// The joints that do worst by one measure, the worst first; without those that it says nothing about.
std::vector<JointQuality> worst_joints(const Quality& quality, const Ranking& ranking) {
  std::vector<JointQuality> worst;
  for (const JointQuality& joint : quality.joints) {
    if (ranking.value(joint) > 0) worst.push_back(joint);
  }
  std::stable_sort(worst.begin(), worst.end(), [&](const JointQuality& a, const JointQuality& b) {
    return ranking.value(a) > ranking.value(b);
  });
  worst.resize(std::min(worst.size(), kMostListed));
  return worst;
}

// The worst by each measure beside each other.
ReportTable ranking_table(const Quality& quality) {
  ReportTable table{{"by strain", "by volume lost", "by new crossings"}, {}};
  for (std::size_t c = 0; c < std::size(kRankings); ++c) {
    const std::vector<JointQuality> worst = worst_joints(quality, kRankings[c]);
    for (std::size_t k = 0; k < worst.size(); ++k) {
      if (table.rows.size() <= k) table.rows.emplace_back(std::size(kRankings));
      table.rows[k][c] = fmt::format("{}: {}", worst[k].*kRankings[c].pose, kRankings[c].words(worst[k]));
    }
  }
  return table;
}

// All measures of the joints that strain most.
ReportTable joint_table(const Quality& quality) {
  ReportTable table{
      {"joint", "strain", "shear", "area change", "normals off by", "volume lost", "gained", "new crossings"},
      {}};
  for (const JointQuality& joint : worst_joints(quality, kRankings[0])) {
    table.rows.push_back(
        {joint.label, fmt::format("{:.0f} %", 100 * joint.strain),
         fmt::format("{:.0f}°", degrees_from_radians(joint.shear)), fmt::format("{:.0f} %", 100 * joint.area),
         fmt::format("{:.1f}°", degrees_from_radians(joint.normal_error)),
         fmt::format("{:.1f} %", 100 * joint.volume_loss), fmt::format("{:.1f} %", 100 * joint.volume_gain),
         fmt::format("{}{}", joint.is_intersection_count_exact ? "" : "at least ", joint.new_intersections)});
  }
  return table;
}

// Volume in % of rest, from rest to 120 degrees.
Result<Curve> sweep_curve(const Deformer& deformer, const RangePose& bend, const RunOptions& run) {
  constexpr int kMost = 120, kStep = 10;
  Curve curve{name_of(deformer.options.stack), {}, {}};
  std::vector<double> angles;
  for (int degrees = 0; degrees <= kMost; degrees += kStep) {
    curve.x.push_back(degrees);
    angles.push_back(std::copysign(radians_from_degrees(degrees), bend.angle));
  }
  const Result<std::vector<double>> volumes =
      volume_sweep(deformer, bend.node, bend.axis, angles, run.progress);
  if (!volumes) return volumes.error();
  for (const double volume : *volumes)
    curve.y.push_back(volumes->front() != 0 ? 100 * volume / volumes->front() : NAN);
  return curve;
}

// The points that a joint moves, where they are in a shot.
std::vector<Vec3> moved_points(const Character& character, const Shot& shot, Index node) {
  std::vector<Vec3> points;
  std::size_t m = 0;
  for (const Instance& instance : character.instances) {
    if (!instance.in_scene) continue;
    const std::vector<Vec3>& posed = shot.still.meshes[m++].points;
    if (instance.skin == kNone) continue;
    const Skin& skin = character.skins[static_cast<std::size_t>(instance.skin)];
    const WeightRows& rows = character.meshes[static_cast<std::size_t>(instance.mesh)].weights;
    for (std::size_t v = 0; v < posed.size(); ++v) {
      for (const Influence& influence : rows.row(v)) {
        if (skin.node[static_cast<std::size_t>(influence.slot)] == node) points.push_back(posed[v]);
      }
    }
  }
  return points;
}

// The joints that do worst by each measure, in the pose that shows it, painted by strain.
Result<ReportRow> worst_row(const ShotMaker& maker, const Quality& quality, const DeformOptions& options,
                            const RunOptions& run) {
  const Character& character = maker.character();
  const RunOptions drawing = part_of(run, kPosed, 1);
  const Result<Deformer> deformer =
      ready_to_pose(character, options, maker.file(), part_of(run, 0, kPosed / 2));
  if (!deformer) return deformer.error();
  const Result<HeatPainter> painter =
      HeatPainter::prepare(maker, {HeatMap::Kind::strain, {}, {}, {}}, run.progress.part(kPosed / 2, kPosed));
  if (!painter) return painter.error();
  const std::vector<RangePose> range = range_of_motion(character);
  ReportRow row;
  for (const Ranking& ranking : kRankings) {
    std::vector<JointQuality> worst = worst_joints(quality, ranking);
    worst.resize(std::min(worst.size(), kMostWorst));
    for (const JointQuality& joint : worst) {
      const auto found = std::find_if(range.begin(), range.end(), [&](const RangePose& pose) {
        return pose.name == joint.*ranking.pose;
      });
      if (found == range.end()) continue;
      const RunOptions piece = piece_of(drawing, row.figures.size(), kMostWorst * std::size(kRankings));
      const Result<PoseFrame> frame = pose_frame(character, {kNone, 0, &found->pose});
      if (!frame) return frame.error();
      Result<Shot> shot = maker.take(*deformer, *frame, piece.progress.part(0, 0.1));
      if (!shot) return shot.error();
      const Result<std::optional<ColourScale>> scale =
          painter->paint({&*shot, 1}, piece.progress.part(0.1, 0.2));
      if (!scale) return scale.error();
      const std::vector<Vec3> moved = moved_points(character, *shot, joint.node);
      if (moved.empty()) continue;
      Result<ReportFigure> figure =
          shoot(*shot, frame_points(moved, kView, kAspect), part_of(piece, 0.2, 1), *scale,
                fmt::format("by {}: {}", ranking.name, found->name), ranking.words(joint));
      if (!figure) return figure.error();
      row.figures.push_back(std::move(*figure));
    }
  }
  return row;
}

}  // namespace

Result<ReportFigure> figure_of(const Pixels& pixels, std::string caption, std::string number) {
  Result<std::vector<std::byte>> png = encode_png(pixels);
  if (!png) return png.error();
  return ReportFigure{std::move(*png), {}, std::move(caption), std::move(number)};
}

std::string seconds_text(double seconds) {
  return seconds < 0.1 ? fmt::format("{:.1f} ms", 1000 * seconds) : fmt::format("{:.2f} s", seconds);
}

// ---- In words --------------------------------------------------------------------------------------------

ReportSection facts_section(const Facts& facts) {
  Facts all = facts;
  all.push_back({"dermis", version()});
  all.push_back({"kernels", kernel_target()});
  return {"What was done", {table_of({"", ""}, all)}};
}

ReportSection timings_section(const Facts& timings) {
  return {"Timings", {table_of({"step", "time"}, timings)}};
}

ReportSection notes_section(const Notes& notes) {
  ReportSection section{"Notes and warnings", {}};
  if (notes.empty()) {
    section.items.emplace_back(ReportText{"Nothing was repaired, guessed or lost."});
    return section;
  }
  ReportTable table{{"kind", "id", "what"}, {}};
  for (const Note& note : notes) table.rows.push_back({name_of(note.kind), note.id, note.sentence});
  section.items.emplace_back(std::move(table));
  return section;
}

ReportSection findings_section(const Findings& findings) {
  ReportSection section{"Findings", {}};
  if (findings.empty()) {
    section.items.emplace_back(ReportText{"Nothing is wrong."});
    return section;
  }
  ReportTable table{{"severity", "finding", "where", "what", "what to do"}, {}};
  for (const Finding& finding : findings) {
    table.rows.push_back(
        {name_of(finding.severity), finding.id, place_of(finding), finding.sentence, finding.advice});
  }
  section.items.emplace_back(std::move(table));
  return section;
}

ReportSection commands_section(const RunOptions& run, const std::vector<std::string>& more) {
  ReportSection section{"Do it again", {}};
  std::string lines = run.command;
  for (const std::string& command : more) lines += (lines.empty() ? "" : "\n") + command;
  section.items.emplace_back(ReportCode{lines});
  return section;
}

// ---- In pictures -----------------------------------------------------------------------------------------

Result<ReportSection> moments_section(const ShotMaker& maker, const Deformer& deformer,
                                      const std::vector<Moment>& moments, const RunOptions& run) {
  std::vector<Shot> shots;
  const Result<PoseFrame> rest = pose_frame(maker.character(), {});
  if (!rest) return rest.error();
  std::vector<const PoseFrame*> frames = {&*rest};
  for (const Moment& moment : moments) frames.push_back(&moment.frame);
  const Result<HeatPainter> painter =
      HeatPainter::prepare(maker, {HeatMap::Kind::strain, {}, {}, {}}, run.progress.part(0, kPosed / 2));
  if (!painter) return painter.error();
  const RunOptions posing = part_of(run, kPosed / 2, kPosed), drawing = part_of(run, kPosed, 1);
  for (const PoseFrame* frame : frames) {
    const Progress piece = piece_of(posing, shots.size(), frames.size()).progress;
    Result<Shot> shot = maker.take(deformer, *frame, piece);
    if (!shot) return shot.error();
    shots.push_back(std::move(*shot));
  }
  if (triangle_count(shots[0].drawing) == 0) return ReportSection{"Before and after", {nothing_to_draw()}};
  const Camera camera = frame_shots(shots, kView, kAspect);
  const std::size_t picture_count = shots.size() + moments.size();
  ReportRow plain, painted;
  for (std::size_t k = 0; k < shots.size(); ++k) {
    Result<ReportFigure> figure = shoot(shots[k], camera, piece_of(drawing, k, picture_count), {},
                                        k == 0 ? "before: at rest" : moments[k - 1].label,
                                        k == 0 ? std::string() : volume_text(shots[k], shots[0]));
    if (!figure) return figure.error();
    plain.figures.push_back(std::move(*figure));
  }
  const std::span<Shot> posed = std::span(shots).subspan(1);
  const Result<std::optional<ColourScale>> scale =
      painter->paint(posed, piece_of(drawing, shots.size(), picture_count).progress.part(0, 0));
  if (!scale) return scale.error();
  for (std::size_t k = 0; k < posed.size(); ++k) {
    Result<ReportFigure> figure =
        shoot(posed[k], camera, piece_of(drawing, shots.size() + k, picture_count), *scale,
              fmt::format("strain: {}", moments[k].label),
              fmt::format("edges up to {:.0f} % longer or shorter", largest_heat(posed.subspan(k, 1))));
    if (!figure) return figure.error();
    painted.figures.push_back(std::move(*figure));
  }
  return ReportSection{"Before and after", {std::move(plain), std::move(painted)}};
}

Result<ReportSection> weights_section(const ShotMaker& maker, const RunOptions& run) {
  const Character& character = maker.character();
  ReportSection section{"Weights", {}};
  const std::vector<Index> joints = heaviest_joints(character, kMostJoints);
  const bool is_drawable = std::any_of(character.meshes.begin(), character.meshes.end(),
                                       [](const Mesh& mesh) { return mesh.polygons.count() > 0; });
  if (!is_drawable) {
    section.items.emplace_back(nothing_to_draw());
    return section;
  }
  if (joints.empty()) {
    section.items.emplace_back(ReportText{"Nothing in the scene has weights."});
    return section;
  }
  section.items.emplace_back(ReportText{
      fmt::format("The {} that carry most of the surface, of {}.", counted(joints.size(), "joint", "joints"),
                  heaviest_joints(character, character.nodes.size()).size())});
  const Result<Deformer> deformer = ready_to_pose(character, {}, maker.file(), part_of(run, 0, kPosed / 2));
  if (!deformer) return deformer.error();
  const Result<PoseFrame> rest = pose_frame(character, {});
  if (!rest) return rest.error();
  const Result<Shot> plain = maker.take(*deformer, *rest, run.progress.part(kPosed / 2, kPosed));
  if (!plain) return plain.error();
  const Camera camera = frame_shots({&*plain, 1}, kView, kAspect);
  ReportRow row;
  for (const Index joint : joints) {
    const RunOptions piece = piece_of(part_of(run, kPosed, 1), row.figures.size(), joints.size());
    const std::string label = node_label(character, joint);
    const Result<HeatPainter> painter =
        HeatPainter::prepare(maker, {HeatMap::Kind::weight, label, {}, {}}, piece.progress);
    if (!painter) return painter.error();
    Shot shot = *plain;
    const Result<std::optional<ColourScale>> scale = painter->paint({&shot, 1}, piece.progress);
    if (!scale) return scale.error();
    Result<ReportFigure> figure = shoot(shot, camera, piece, *scale, label, {});
    if (!figure) return figure.error();
    row.figures.push_back(std::move(*figure));
  }
  section.items.emplace_back(std::move(row));
  return section;
}

Result<ReportRow> stacks_row(const ShotMaker& maker, const PoseFrame& frame, const std::vector<Stack>& stacks,
                             const RunOptions& run) {
  constexpr double kStacksPosed = 0.5;  // of the work: some stacks prepare for seconds
  std::vector<Shot> shots;
  const Result<HeatPainter> painter =
      HeatPainter::prepare(maker, {HeatMap::Kind::error, {}, "lbs", {}}, run.progress.part(0, 0));
  if (!painter) return painter.error();
  for (const Stack& stack : stacks) {
    const RunOptions piece = piece_of(part_of(run, 0, kStacksPosed), shots.size(), stacks.size());
    const Result<Deformer> deformer =
        ready_to_pose(maker.character(), {stack, NormalMode::exact}, maker.file(), part_of(piece, 0, 0.9));
    if (!deformer) return deformer.error();
    Result<Shot> shot = maker.take(*deformer, frame, piece.progress.part(0.9, 1));
    if (!shot) return shot.error();
    shots.push_back(std::move(*shot));
  }
  const RunOptions drawing = part_of(run, kStacksPosed, 1);
  const Result<std::optional<ColourScale>> scale = painter->paint(shots, drawing.progress.part(0, 0));
  if (!scale) return scale.error();
  const Camera camera = frame_shots(shots, kView, kAspect);
  ReportRow row;
  for (std::size_t k = 0; k < shots.size(); ++k) {
    Result<ReportFigure> figure =
        shoot(shots[k], camera, piece_of(drawing, k, shots.size()), *scale, name_of(stacks[k]),
              fmt::format("{:.2f} % from lbs", largest_heat({&shots[k], 1})));
    if (!figure) return figure.error();
    row.figures.push_back(std::move(*figure));
  }
  return row;
}

Result<ReportSection> sweep_section(const ShotMaker& maker, std::size_t count, const RunOptions& run) {
  const Character& character = maker.character();
  ReportSection section{"Volume against the angle", {}};
  const std::vector<RangePose> bends = first_bends(character, count);
  if (bends.empty()) {
    section.items.emplace_back(ReportText{"No joint moves a point."});
    return section;
  }
  section.items.emplace_back(
      ReportText{"A joint bent further and further from rest, all others at rest: what is left of the volume "
                 "of the whole character."});
  std::vector<Plot> plots;
  plots.reserve(bends.size());
  for (const RangePose& bend : bends) {
    plots.push_back(
        {fmt::format("Bending {}", node_label(character, bend.node)), "degrees", "volume, % of rest", {}});
  }
  const std::vector<Stack> stacks = every_stack();
  for (std::size_t s = 0; s < stacks.size(); ++s) {
    const Stack& stack = stacks[s];
    const RunOptions piece = piece_of(run, s, stacks.size()), sweeping = part_of(piece, 0.5, 1);
    const Result<Deformer> deformer = ready_to_pose(character, {stack}, maker.file(), part_of(piece, 0, 0.5));
    for (std::size_t k = 0; k < bends.size(); ++k) {
      Result<Curve> curve =
          deformer ? sweep_curve(*deformer, bends[k], piece_of(sweeping, k, bends.size())) : deformer.error();
      if (!curve && curve.error().code == Errc::cancelled) return curve.error();
      if (curve)
        plots[k].curves.push_back(std::move(*curve));
      else
        section.items.emplace_back(
            ReportText{fmt::format("Without {}: {}.", name_of(stack), curve.error().sentence)});
    }
  }
  ReportRow row;
  for (const Plot& plot : plots) row.figures.push_back({{}, plot_svg(plot), {}, {}});
  section.items.emplace_back(std::move(row));
  return section;
}

Result<ReportSection> worst_section(const ShotMaker& maker, const Quality& quality,
                                    const DeformOptions& options, const RunOptions& run) {
  ReportSection section{"Worst joints", {}};
  section.items.emplace_back(
      ReportText{fmt::format("Each joint was bent, tilted and twisted from rest ({}), with {}.",
                             counted(quality.pose_count, "pose", "poses"), name_of(options.stack))});
  section.items.emplace_back(ranking_table(quality));
  section.items.emplace_back(
      ReportText{"All measures of the joints that strain most. Shear is the largest change of a right angle "
                 "drawn on the surface; of the normals where it bends, 95 of 100 are nearer than that to "
                 "those of their polygons."});
  section.items.emplace_back(joint_table(quality));
  Result<ReportRow> row = worst_row(maker, quality, options, run);
  if (!row) return row.error();
  section.items.emplace_back(std::move(*row));
  return section;
}

Result<ReportSection> volume_section(const Deformer& deformer, Index clip, double from, double to,
                                     const RunOptions& run) {
  constexpr int kSteps = 40;
  std::vector<PoseFrame> frames;
  Curve curve{name_of(deformer.options.stack), {}, {}};
  for (int k = 0; k <= kSteps; ++k) {
    const double time = from + (to - from) * k / kSteps;
    Result<PoseFrame> frame = pose_frame(*deformer.character, {clip, time, nullptr});
    if (!frame) return frame.error();
    frames.push_back(std::move(*frame));
    curve.x.push_back(time);
  }
  const Result<std::vector<double>> volumes = volume_curve(deformer, frames, run.progress);
  if (!volumes) return volumes.error();
  if (volumes->front() == 0)
    return ReportSection{"Volume along the clip", {ReportText{"Nothing here encloses a volume."}}};
  for (const double volume : *volumes) curve.y.push_back(100 * volume / volumes->front());
  const std::string svg = plot_svg({"Volume along the clip", "seconds", "% of the first frame", {curve}});
  return ReportSection{"Volume along the clip", {ReportFigure{{}, svg, "the whole scene", {}}}};
}

Result<ReportSection> compared_section(const Character& a, const Character& b, const RunOptions& run) {
  std::array<Shot, 3> shots;  // A, B, and A painted
  for (std::size_t k = 0; k < shots.size(); ++k) {
    shots[k].still = k == 1 ? b : a;
    shots[k].drawing = draw_character(shots[k].still, nullptr);
  }
  if (triangle_count(shots[0].drawing) == 0 || triangle_count(shots[1].drawing) == 0)
    return ReportSection{"Side by side", {nothing_to_draw()}};
  shots[2].heat = distances(a, b);
  const ColourScale scale = {"distance (% of size)", 0, std::max(largest_heat({&shots[2], 1}), 1e-9), false};
  for (std::size_t m = 0; m < shots[2].heat.size(); ++m) paint(shots[2].drawing, m, scale, shots[2].heat[m]);
  const Camera camera = frame_shots(shots, kView, kAspect);
  ReportRow row;
  for (std::size_t k = 0; k < shots.size(); ++k) {
    static constexpr const char* kCaptions[] = {"A", "B", "A, painted by its distance from B"};
    Result<ReportFigure> figure = shoot(shots[k], camera, piece_of(run, k, shots.size()),
                                        k == 2 ? std::optional(scale) : std::nullopt, kCaptions[k], {});
    if (!figure) return figure.error();
    row.figures.push_back(std::move(*figure));
  }
  return ReportSection{"Side by side", {std::move(row)}};
}

// ---- Files -----------------------------------------------------------------------------------------------

Status check_report(const std::string& path, std::initializer_list<std::string> inputs,
                    const RunOptions& run) {
  if (path.empty()) return Done{};
  return check_output(path, inputs, {".html", ".htm"}, run);
}

Status save_report(const std::string& path, const ReportPage& page) {
  const std::string html = report_html(page);
  return save_bytes(path, std::as_bytes(std::span(html)));
}

}  // namespace dermis
