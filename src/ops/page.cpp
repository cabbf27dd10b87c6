// SPDX-License-Identifier: MIT
// Sections of reports, from characters, measurements and notes.
#include "ops/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>
#include <set>

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

Result<ReportFigure> shoot(const Shot& shot, const Camera& camera, const RunOptions& run, std::string caption,
                           std::string number) {
  Result<Pixels> pixels = render(shot.drawing, camera, small_picture(), run.progress);
  if (!pixels) return pixels.error();
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

// How the joints that have another above them bend: what is above holds the rest of the body still. Those
// that carry most come first.
std::vector<RangePose> all_bends(const Character& character) {
  const std::vector<RangePose> range = range_of_motion(character);
  const std::vector<bool> is_joint = joints_of(character);
  std::vector<RangePose> bends;
  for (const Index joint : heaviest_joints(character, character.nodes.size())) {
    if (!has_joint_above(character, is_joint, joint)) continue;
    std::copy_if(range.begin(), range.end(), std::back_inserter(bends), [&](const RangePose& pose) {
      return pose.node == joint && pose.movement == Movement::bend;
    });
  }
  return bends;
}

// The bends that lose most volume by linear blending, one of each joint, and not of its mirror image too.
Result<std::vector<RangePose>> worst_bends(const ShotMaker& maker, std::size_t count, const RunOptions& run) {
  const Character& character = maker.character();
  const std::vector<RangePose> bends = all_bends(character);
  const Result<Deformer> deformer = ready_to_pose(character, {}, maker.file(), part_of(run, 0, 0.2));
  if (!deformer) return deformer.error();
  std::vector<PoseFrame> frames;
  for (std::size_t k = 0; k <= bends.size(); ++k) {
    Result<PoseFrame> frame = pose_frame(character, {kNone, 0, k == 0 ? nullptr : &bends[k - 1].pose});
    if (!frame) return frame.error();
    frames.push_back(std::move(*frame));
  }
  const Result<std::vector<double>> volumes = volume_curve(*deformer, frames, run.progress.part(0.2, 1));
  if (!volumes) return volumes.error();
  std::vector<std::size_t> order(bends.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return (*volumes)[a + 1] < (*volumes)[b + 1]; });
  std::vector<RangePose> worst;
  std::set<std::string> seen;
  for (const std::size_t k : order) {
    if (worst.size() < count && seen.insert(without_side(node_label(character, bends[k].node))).second)
      worst.push_back(bends[k]);
  }
  return worst;
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
  Curve curve{name_of(deformer.options.stack), {}, {}, look_of(deformer.options.stack)};
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

// A plot of one bend, all methods; says so where none of them changes anything.
ReportFigure sweep_figure(const Plot& plot) {
  constexpr double kSeen = 0.05;  // % of the volume
  double most = 0;
  for (const Curve& curve : plot.curves) {
    for (const double y : curve.y) most = std::isfinite(y) ? std::max(most, std::abs(y - 100)) : most;
  }
  return {{}, plot_svg(plot), most < kSeen ? "no change: every method keeps the volume" : "", {}};
}

// Where a joint does worst: the point that strains most, or else the joint.
Vec3 spot_of(const Ranking& ranking, const JointQuality& joint, const Shot& shot) {
  const auto mesh = static_cast<std::size_t>(joint.strain_instance);
  const auto point = static_cast<std::size_t>(joint.strain_point);
  const bool is_point = &ranking == &kRankings[0] && joint.strain_instance != kNone &&
                        joint.strain_point != kNone && mesh < shot.still.meshes.size() &&
                        point < shot.still.meshes[mesh].points.size();
  if (is_point) return shot.still.meshes[mesh].points[point];
  return Vec3(shot.frame.world_from_node[static_cast<std::size_t>(joint.node)].translation);
}

// The spot with the limb around it: enough of the body to tell which part it is.
Camera frame_limb(const Shot& shot, const Vec3& spot) {
  constexpr double kReach = 0.22;  // of the size of the character
  const double reach = kReach * shot.drawing.box().diagonal();
  std::vector<Vec3> near = {spot};
  for (const DrawnMesh& mesh : shot.drawing.meshes) {
    for (const Vec3& point : mesh.points) {
      if (length(Vec3d(point) - Vec3d(spot)) < reach) near.push_back(point);
    }
  }
  return frame_points(near, kView, kAspect);
}

// What draws worst joints: a character bent by one stack and painted by strain.
struct WorstShooter {
  const ShotMaker* maker;
  const Deformer* deformer;
  const HeatPainter* painter;
};

Result<ReportFigure> shoot_worst(const WorstShooter& with, const RangePose& pose, const Ranking& ranking,
                                 const JointQuality& joint, const RunOptions& run) {
  const Result<PoseFrame> frame = pose_frame(with.maker->character(), {kNone, 0, &pose.pose});
  if (!frame) return frame.error();
  Result<Shot> shot = with.maker->take(*with.deformer, *frame, run.progress.part(0, 0.1));
  if (!shot) return shot.error();
  const Result<std::optional<ColourScale>> scale =
      with.painter->paint({&*shot, 1}, run.progress.part(0.1, 0.2));
  if (!scale) return scale.error();
  const Vec3 spot = spot_of(ranking, joint, *shot);
  const Camera camera = frame_limb(*shot, spot);
  shot->drawing.bones.push_back({spot, spot});
  Result<ReportFigure> figure =
      shoot(*shot, camera, part_of(run, 0.2, 1), fmt::format("by {}: {}", ranking.name, pose.name),
            ranking.words(joint));
  if (figure) figure->is_bad = true;
  return figure;
}

// The joints that do worst by each measure, in the pose that shows it, painted by strain; of a joint and its
// mirror image the worse one.
Status add_worst(const ShotMaker& maker, const Quality& quality, const DeformOptions& options,
                 const RunOptions& run, ReportSection& section) {
  const Character& character = maker.character();
  const RunOptions drawing = part_of(run, kPosed, 1);
  const Result<Deformer> deformer =
      ready_to_pose(character, options, maker.file(), part_of(run, 0, kPosed / 2));
  if (!deformer) return deformer.error();
  constexpr double kMostStrain = 100;  // %; beyond, a joint is bad however much
  HeatMap map{HeatMap::Kind::strain, {}, {}, std::min(100 * quality.max_strain(), kMostStrain)};
  if (!(*map.max > 0)) map.max.reset();
  const Result<HeatPainter> painter = HeatPainter::prepare(maker, map, run.progress.part(kPosed / 2, kPosed));
  if (!painter) return painter.error();
  const std::vector<RangePose> range = range_of_motion(character);
  ReportRow row;
  for (const Ranking& ranking : kRankings) {
    std::set<std::string> seen;
    for (const JointQuality& joint : worst_joints(quality, ranking)) {
      const auto found = std::find_if(range.begin(), range.end(), [&](const RangePose& pose) {
        return pose.name == joint.*ranking.pose;
      });
      if (found == range.end() || seen.size() == kMostWorst) continue;
      if (!seen.insert(without_side(joint.label)).second) continue;
      const RunOptions piece = piece_of(drawing, row.figures.size(), kMostWorst * std::size(kRankings));
      Result<ReportFigure> figure =
          shoot_worst({&maker, &*deformer, &*painter}, *found, ranking, joint, piece);
      if (!figure) return figure.error();
      row.figures.push_back(std::move(*figure));
    }
  }
  if (row.figures.empty()) return Done{};
  section.items.emplace_back(
      ReportText{"The orange dot is where the surface strains most, or else the joint that bends."});
  section.items.emplace_back(
      legend_of({map.max == kMostStrain ? "strain of edges (%), and all above" : "strain of edges (%)", 0,
                 map.max.value_or(1), false, !map.max}));
  section.items.emplace_back(std::move(row));
  return Done{};
}

}  // namespace

Result<ReportFigure> figure_of(const Pixels& pixels, std::string caption, std::string number) {
  Result<std::vector<std::byte>> png = encode_png(pixels);
  if (!png) return png.error();
  return ReportFigure{std::move(*png), {}, std::move(caption), std::move(number)};
}

ReportFigure legend_of(const ColourScale& scale) { return {{}, legend_svg(scale), {}, {}}; }

int look_of(const Stack& stack) {
  int look = 0;
  for (const MethodRow& row : methods()) {
    if (!row.skin) continue;
    if (*row.skin == stack.skin) break;
    ++look;
  }
  if (stack.posed.empty()) return look;
  // Smoothed linear blending stands beside the plain methods in every plot: it has a colour of its own.
  return stack.skin == SkinMethod::lbs ? kFullLooks : kFullLooks + 1 + look;
}

std::string without_side(std::string_view label) {
  std::string bare;
  const auto is_break = [&](std::size_t k) {
    return k >= label.size() || std::isalnum(static_cast<unsigned char>(label[k])) == 0;
  };
  for (std::size_t k = 0; k < label.size();) {
    const auto starts = [&](std::string_view word) {
      return label.size() - k >= word.size() &&
             std::equal(word.begin(), word.end(), label.begin() + static_cast<std::ptrdiff_t>(k),
                        [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
    };
    const bool is_alone = (k == 0 || is_break(k - 1)) && is_break(k + 1);
    if (starts("left"))
      k += 4;
    else if (starts("right"))
      k += 5;
    else if (is_alone && (starts("l") || starts("r")))
      ++k;
    else
      bare += static_cast<char>(std::tolower(static_cast<unsigned char>(label[k++])));
  }
  while (!bare.empty() && std::isalnum(static_cast<unsigned char>(bare.back())) == 0) bare.pop_back();
  return bare;
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

ReportSection findings_section(const Findings& findings, const std::string& unjudged) {
  ReportSection section{"Findings", {}};
  if (!unjudged.empty()) section.items.emplace_back(ReportText{"Not judged: " + unjudged + "."});
  if (findings.empty()) {
    section.items.emplace_back(
        ReportText{unjudged.empty() ? "Nothing is wrong." : "Nothing is wrong with the rest."});
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
    Result<ReportFigure> figure = shoot(shots[k], camera, piece_of(drawing, k, picture_count),
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
        shoot(posed[k], camera, piece_of(drawing, shots.size() + k, picture_count),
              fmt::format("strain: {}", moments[k].label),
              fmt::format("edges change by up to {:.0f} %", largest_heat(posed.subspan(k, 1))));
    if (!figure) return figure.error();
    painted.figures.push_back(std::move(*figure));
  }
  ReportSection section{"Before and after", {std::move(plain)}};
  if (*scale) section.items.emplace_back(legend_of(**scale));
  section.items.emplace_back(std::move(painted));
  return section;
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
    Result<ReportFigure> figure = shoot(shot, camera, piece, label, {});
    if (!figure) return figure.error();
    row.figures.push_back(std::move(*figure));
  }
  section.items.emplace_back(legend_of({"weight of the joint under the picture", 0, 1}));
  section.items.emplace_back(std::move(row));
  return section;
}

Result<std::vector<ReportFigure>> stacks_figures(const ShotMaker& maker, const PoseFrame& frame,
                                                 const std::vector<Stack>& stacks, std::optional<double> most,
                                                 const RunOptions& run) {
  constexpr double kStacksPosed = 0.5;  // of the work: some stacks prepare for seconds
  std::vector<Shot> shots;
  const Result<HeatPainter> painter =
      HeatPainter::prepare(maker, {HeatMap::Kind::error, {}, "lbs", most}, run.progress.part(0, 0));
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
  const Camera camera = frame_shots(shots, kView, kAspect);
  std::vector<ReportFigure> figures;
  for (std::size_t k = 0; k < shots.size(); ++k) {
    const RunOptions piece = piece_of(drawing, k, shots.size());
    std::string number = "what the others are measured from";
    if (stacks[k] != Stack{}) {
      const Result<std::optional<ColourScale>> scale =
          painter->paint({&shots[k], 1}, piece.progress.part(0, 0.1));
      if (!scale) return scale.error();
      number = fmt::format("{:.2f} % of its size from lbs", largest_heat({&shots[k], 1}));
    }
    Result<ReportFigure> figure =
        shoot(shots[k], camera, part_of(piece, 0.1, 1), name_of(stacks[k]), std::move(number));
    if (!figure) return figure.error();
    figures.push_back(std::move(*figure));
  }
  return figures;
}

Result<ReportSection> sweep_section(const ShotMaker& maker, std::size_t count, const RunOptions& run) {
  const Character& character = maker.character();
  ReportSection section{"Volume against the angle", {}};
  if (all_bends(character).empty()) {
    section.items.emplace_back(ReportText{"No joint moves a point."});
    return section;
  }
  const Result<std::vector<RangePose>> bends = worst_bends(maker, count, part_of(run, 0, 0.2));
  if (!bends) return bends.error();
  section.items.emplace_back(
      ReportText{"A joint bent further and further from rest, all others at rest: what is left of the volume "
                 "of the whole character. These are the joints that lose most by linear blending."});
  std::vector<Plot> plots;
  plots.reserve(bends->size());
  for (const RangePose& bend : *bends) {
    plots.push_back(
        {fmt::format("Bending {}", node_label(character, bend.node)), "degrees", "volume, % of rest", {}, 1});
  }
  const std::vector<Stack> stacks = every_stack();
  for (std::size_t s = 0; s < stacks.size(); ++s) {
    const Stack& stack = stacks[s];
    const RunOptions piece = piece_of(part_of(run, 0.2, 1), s, stacks.size());
    const RunOptions sweeping = part_of(piece, 0.5, 1);
    const Result<Deformer> deformer = ready_to_pose(character, {stack}, maker.file(), part_of(piece, 0, 0.5));
    for (std::size_t k = 0; k < bends->size(); ++k) {
      Result<Curve> curve = deformer
                                ? sweep_curve(*deformer, (*bends)[k], piece_of(sweeping, k, bends->size()))
                                : deformer.error();
      if (!curve && curve.error().code == Errc::cancelled) return curve.error();
      if (curve)
        plots[k].curves.push_back(std::move(*curve));
      else
        section.items.emplace_back(
            ReportText{fmt::format("Without {}: {}.", name_of(stack), curve.error().sentence)});
    }
  }
  ReportRow row;
  for (const Plot& plot : plots) row.figures.push_back(sweep_figure(plot));
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
  if (Status added = add_worst(maker, quality, options, run, section); !added) return added.error();
  return section;
}

Result<ReportSection> volume_section(const Deformer& deformer, Index clip, double from, double to,
                                     const RunOptions& run) {
  constexpr int kSteps = 40;
  std::vector<PoseFrame> frames;
  Curve curve{name_of(deformer.options.stack), {}, {}, look_of(deformer.options.stack)};
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
  const std::string svg = plot_svg({"Volume along the clip", "seconds", "% of the first frame", {curve}, 1});
  return ReportSection{"Volume along the clip", {ReportFigure{{}, svg, "the whole scene", {}}}};
}

Result<ReportSection> compared_section(const ComparedScene& a, const ComparedScene& b,
                                       const RunOptions& run) {
  std::array<Shot, 3> shots;  // A, B, and A painted
  for (std::size_t k = 0; k < shots.size(); ++k) {
    const ComparedScene& scene = k == 1 ? b : a;
    shots[k].still = *scene.still;
    shots[k].drawing = draw_character(shots[k].still, scene.textures);
  }
  if (triangle_count(shots[0].drawing) == 0 || triangle_count(shots[1].drawing) == 0)
    return ReportSection{"Side by side", {nothing_to_draw()}};
  shots[2].heat = distances(*a.still, *b.still);
  const double most = largest_heat({&shots[2], 1});
  const bool is_flat = most < kLeastHeat;
  const ColourScale scale = {"A off from B (% of size)", 0, is_flat ? 1 : most, false, is_flat};
  for (std::size_t m = 0; m < shots[2].heat.size(); ++m) paint(shots[2].drawing, m, scale, shots[2].heat[m]);
  const Camera camera = frame_shots(shots, kView, kAspect);
  const std::string labels[] = {a.label, b.label, "A, painted by its distance from B"};
  const std::string numbers[] = {"", "", is_flat ? "no difference" : fmt::format("up to {:.3g} %", most)};
  ReportRow row;
  for (std::size_t k = 0; k < shots.size(); ++k) {
    Result<ReportFigure> figure =
        shoot(shots[k], camera, piece_of(run, k, shots.size()), labels[k], numbers[k]);
    if (!figure) return figure.error();
    row.figures.push_back(std::move(*figure));
  }
  return ReportSection{"Side by side", {std::move(row), legend_of(scale)}};
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
