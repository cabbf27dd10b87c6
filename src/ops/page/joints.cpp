// SPDX-License-Identifier: MIT
// Sections of reports about joints: what each moves, which lose volume, which are worst.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "dermis/ops/methods.h"
#include "dermis/ops/render.h"
#include "ops/page/page.h"

namespace dermis {
namespace {

constexpr std::size_t kMostJoints = 6;  // shown as heat maps
// Points times poses of the range of motion that take a second or two.
constexpr std::size_t kQuickReport = 10'000'000;
constexpr std::size_t kMostListed = 10, kMostWorst = 2;  // worst joints per measure, in tables and pictures

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

// The worst joints by one measure, the worst first; without joints whose value is zero.
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

// The worst by each measure, side by side.
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
      {"joint", "strain", "shear", "area change", "normal error", "volume lost", "gained", "new crossings"},
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
Result<Curve> sweep_curve(const Deformer& deformer, const RangePose& bend, const Run& run) {
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

// A plot of one bend, all methods; the caption says if none of them changes anything.
ReportFigure sweep_figure(const Plot& plot) {
  constexpr double kSeen = 0.05;  // % of the volume
  double most = 0;
  for (const Curve& curve : plot.curves) {
    for (const double y : curve.y) most = std::isfinite(y) ? std::max(most, std::abs(y - 100)) : most;
  }
  return {{}, plot_svg(plot), most < kSeen ? "no change: every method keeps the volume" : "", {}};
}

// The worst place of a joint: the point with the most strain, or else the joint.
Vec3 spot_of(const Ranking& ranking, const JointQuality& joint, const Character& character,
             const Shot& shot) {
  // A still has only the instances in the scene.
  const auto mesh = static_cast<std::size_t>(std::count_if(
      character.instances.begin(), character.instances.begin() + std::max(joint.strain_instance, 0),
      [](const Instance& instance) { return instance.in_scene; }));
  const auto point = static_cast<std::size_t>(joint.strain_point);
  const bool is_point = &ranking == &kRankings[0] && joint.strain_instance != kNone &&
                        joint.strain_point != kNone && mesh < shot.still.meshes.size() &&
                        point < shot.still.meshes[mesh].points.size();
  if (is_point) return shot.still.meshes[mesh].points[point];
  return Vec3(shot.frame.world_from_node[static_cast<std::size_t>(joint.node)].translation);
}

// The spot and the limb around it: enough of the body to recognise the part.
Camera frame_limb(const Shot& shot, const Vec3& spot) {
  constexpr double kReach = 0.22;  // of the size of the character
  const double reach = kReach * shot.drawing.box().diagonal();
  std::vector<Vec3> near = {spot};
  for (const DrawnMesh& mesh : shot.drawing.meshes) {
    for (const Vec3& point : mesh.points) {
      if (length(Vec3d(point) - Vec3d(spot)) < reach) near.push_back(point);
    }
  }
  return frame_points(near, kPageView, kPageAspect);
}

// Draws the worst joints: a character bent by one stack and coloured by strain.
struct WorstShooter {
  const ShotMaker* maker;
  const Deformer* deformer;
  const HeatPainter* painter;
};

Result<ReportFigure> shoot_worst(const WorstShooter& with, const RangePose& pose, const Ranking& ranking,
                                 const JointQuality& joint, const Run& run) {
  const Result<PoseFrame> frame = pose_frame(with.maker->character(), {kNone, 0, &pose.pose});
  if (!frame) return frame.error();
  Result<Shot> shot = with.maker->take(*with.deformer, *frame, run.progress.part(0, 0.1));
  if (!shot) return shot.error();
  const Result<std::optional<ColourScale>> scale =
      with.painter->paint({&*shot, 1}, run.progress.part(0.1, 0.2));
  if (!scale) return scale.error();
  const Vec3 spot = spot_of(ranking, joint, with.maker->character(), *shot);
  const Camera camera = frame_limb(*shot, spot);
  shot->drawing.bones.push_back({spot, spot});
  Result<ReportFigure> figure =
      shoot(*shot, camera, part_of(run, 0.2, 1), fmt::format("by {}: {}", ranking.name, pose.name),
            ranking.words(joint));
  if (figure) figure->is_bad = true;
  return figure;
}

// The worst joints by each measure, in their worst pose, coloured by strain; of a joint and its mirror image,
// the worse one.
Status add_worst(const ShotMaker& maker, const Quality& quality, const DeformOptions& options, const Run& run,
                 ReportSection& section) {
  const Character& character = maker.character();
  const Run drawing = part_of(run, kPagePosed, 1);
  const Result<Deformer> deformer =
      ready_to_pose(character, options, maker.file(), part_of(run, 0, kPagePosed / 2));
  if (!deformer) return deformer.error();
  constexpr double kMostStrain = 100;  // %; beyond it, a joint is bad anyway
  HeatMap map{HeatMap::Kind::strain, {}, {}, std::min(100 * quality.max_strain(), kMostStrain)};
  if (!(*map.max > 0)) map.max.reset();
  const Result<HeatPainter> painter =
      HeatPainter::prepare(maker, map, run.progress.part(kPagePosed / 2, kPagePosed));
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
      const Run piece = piece_of(drawing, row.figures.size(), kMostWorst * std::size(kRankings));
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
      legend_of({map.max == kMostStrain ? "strain of edges (%), and above" : "strain of edges (%)", 0,
                 map.max.value_or(1), false, !map.max}));
  section.items.emplace_back(std::move(row));
  return Done{};
}

}  // namespace

Result<ReportSection> weights_section(const ShotMaker& maker, const Run& run) {
  const Character& character = maker.character();
  ReportSection section{"Weights", {}};
  std::vector<Index> joints = heaviest_joints(character);
  const std::size_t all = joints.size();
  joints.resize(std::min(all, kMostJoints));
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
  section.items.emplace_back(ReportText{fmt::format("The {} that move most of the surface, of {}.",
                                                    counted(joints.size(), "joint", "joints"), all)});
  const Result<Deformer> deformer =
      ready_to_pose(character, {}, maker.file(), part_of(run, 0, kPagePosed / 2));
  if (!deformer) return deformer.error();
  const Result<PoseFrame> rest = pose_frame(character, {});
  if (!rest) return rest.error();
  const Result<Shot> plain = maker.take(*deformer, *rest, run.progress.part(kPagePosed / 2, kPagePosed));
  if (!plain) return plain.error();
  const Camera camera = frame_shots({&*plain, 1}, kPageView, kPageAspect);
  ReportRow row;
  for (const Index joint : joints) {
    const Run piece = piece_of(part_of(run, kPagePosed, 1), row.figures.size(), joints.size());
    const std::string label = node_label(character, joint);
    const Result<HeatPainter> painter =
        HeatPainter::prepare(maker, {HeatMap::Kind::weight, label, {}, {}}, piece.progress.part(0, 0.1));
    if (!painter) return painter.error();
    Shot shot = *plain;
    const Result<std::optional<ColourScale>> scale =
        painter->paint({&shot, 1}, piece.progress.part(0.1, 0.2));
    if (!scale) return scale.error();
    Result<ReportFigure> figure = shoot(shot, camera, part_of(piece, 0.2, 1), label, {});
    if (!figure) return figure.error();
    row.figures.push_back(std::move(*figure));
  }
  section.items.emplace_back(legend_of({"weight of the joint under the picture", 0, 1}));
  section.items.emplace_back(std::move(row));
  return section;
}

Result<ReportSection> sweep_section(const ShotMaker& maker, std::size_t count, const Run& run) {
  const Character& character = maker.character();
  ReportSection section{"Volume against the angle", {}};
  if (held_bends(character).empty()) {
    section.items.emplace_back(ReportText{"No joint moves a point."});
    return section;
  }
  const Result<Character> still = bare_at_rest(character, maker.file(), part_of(run, 0, 0));
  if (!still) return still.error();
  const SceneVolume rest = volume_at_rest(*still);
  if (!rest.is_told(rest.volume)) {
    section.items.emplace_back(no_volume());
    return section;
  }
  const Result<Deformer> linear = ready_to_pose(character, {}, maker.file(), part_of(run, 0, 0.04));
  if (!linear) return linear.error();
  const Result<std::vector<RangePose>> bends = worst_bends(*linear, count, run.progress.part(0.04, 0.2));
  if (!bends) return bends.error();
  section.items.emplace_back(
      ReportText{"The remaining volume of the whole character as one joint bends further from rest, all "
                 "others at rest. These joints lose most with linear blending."});
  add_openings(rest, section);
  std::vector<Plot> plots;
  plots.reserve(bends->size());
  for (const RangePose& bend : *bends) {
    plots.push_back(
        {fmt::format("Bending {}", node_label(character, bend.node)), "degrees", "volume, % of rest", {}, 1});
  }
  const std::vector<Stack> stacks = every_stack();
  for (std::size_t s = 0; s < stacks.size(); ++s) {
    const Stack& stack = stacks[s];
    const Run piece = piece_of(part_of(run, 0.2, 1), s, stacks.size());
    const Run sweeping = part_of(piece, 0.5, 1);
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
                                    const DeformOptions& options, const Run& run) {
  ReportSection section{"Worst joints", {}};
  section.items.emplace_back(
      ReportText{fmt::format("Each joint was bent, tilted and twisted from rest ({}), with {}.",
                             counted(quality.pose_count, "pose", "poses"), name_of(options.stack))});
  section.items.emplace_back(ranking_table(quality));
  section.items.emplace_back(
      ReportText{"All measures of the joints that strain most. Shear is the largest change of a right angle "
                 "drawn on the surface; the normal error is the angle that 95 % of the normals stay within, "
                 "measured from their polygons where the surface bends."});
  section.items.emplace_back(joint_table(quality));
  if (Status added = add_worst(maker, quality, options, run, section); !added) return added.error();
  return section;
}

Result<ReportSection> quick_worst_section(const ShotMaker& maker, const DeformOptions& options,
                                          const Run& run) {
  const Character& character = maker.character();
  if (!shows_skin(character)) return ReportSection{"Worst joints", {ReportText{"Nothing here has a skin."}}};
  std::size_t point_count = 0;
  for (const Instance& instance : character.instances) {
    if (instance.in_scene && instance.skin != kNone)
      point_count += character.meshes[static_cast<std::size_t>(instance.mesh)].points.size();
  }
  if (point_count * range_of_motion(character).size() > kQuickReport) {
    const std::string command =
        fmt::format("dermis check {} --quality --report check.html", shell_word(maker.file()));
    return ReportSection{
        "Worst joints",
        {ReportText{"Bending every joint would take long and was skipped. To see it:"}, ReportCode{command}}};
  }
  const Result<Quality> quality =
      measure_quality(character, from_all_rooms(options), run.progress.part(0, 0.4));
  if (!quality) return quality.error();
  return worst_section(maker, *quality, options, part_of(run, 0.4, 1));
}

}  // namespace dermis
