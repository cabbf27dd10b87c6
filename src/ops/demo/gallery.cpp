// SPDX-License-Identifier: MIT
// Exhibits of the gallery: a made body, a turned joint, methods next to each other.
#include "ops/demo/gallery.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dermis/made.h"
#include "dermis/ops/methods.h"
#include "ops/page/page.h"

namespace dermis {
namespace {

constexpr int kGalleryWidth = 360, kGalleryHeight = 360, kGallerySamples = 9;
constexpr std::size_t kPoints = 6000;

// ---- Bodies and poses ----------------------------------------------------------------------------------

// A made body with a joint that turns about an axis.
struct Hinge {
  MadeKind kind;
  const char* joint;
  Vec3d axis;
};
constexpr Hinge kTwist{MadeKind::tube, "middle", {0, 1, 0}};
constexpr Hinge kBend{MadeKind::tube, "middle", {0, 0, 1}};
constexpr Hinge kElbow{MadeKind::arm, "elbow_L", {1, 0, 0}};

Result<PoseFrame> turned(const Character& character, const Hinge& hinge, double degrees) {
  Pose pose;
  NodePose node;
  node.node = hinge.joint;
  node.turn = Quat(quat_from_axis_angle(hinge.axis, radians_from_degrees(degrees)));
  pose.nodes.push_back(node);
  PoseRequest request;
  request.pose = &pose;
  return pose_frame(character, request);
}

// One method on one body, at rest and turned.
struct Trial {
  const Character* body = nullptr;
  std::string name;
  double degrees = 0;
  Character rest, still, before;  // `before`: two degrees earlier
  PoseFrame frame;
};

Result<Trial> try_method(const Character& body, const Hinge& hinge, const Stack& stack, double degrees) {
  const Result<Deformer> deformer = prepare_deformer(body, from_all_rooms({stack, NormalMode::exact}));
  if (!deformer) return deformer.error();
  Trial trial{&body, name_of(stack), degrees, {}, {}, {}, {}};
  for (const auto& [angle, place] :
       {std::pair{0.0, &trial.rest}, {degrees - 2, &trial.before}, {degrees, &trial.still}}) {
    Result<PoseFrame> frame = turned(body, hinge, angle);
    if (!frame) return frame.error();
    Result<Character> still = pose_character(*deformer, *frame);
    if (!still) return still.error();
    *place = std::move(*still);
    trial.frame = std::move(*frame);
  }
  return trial;
}

// ---- Numbers under the pictures --------------------------------------------------------------------------

// A measured value of a trial, and whether it is a fault.
struct Number {
  std::string text;
  bool is_bad = false;
};

Number volume_change(const Trial& trial) {
  constexpr double kBad = -5;  // % of the volume
  const Mesh& rest = trial.rest.meshes[0];
  const MeasuredSurface surface = measured_surface(rest);
  const double before = volume_of(surface, rest.points);
  const double after = volume_of(surface, trial.still.meshes[0].points);
  const double change = 100 * (after / before - 1);
  return {fmt::format("volume {:+.1f} %", std::abs(change) < 0.05 ? 0.0 : change), change < kBad};
}

Number largest_stretch(const Trial& trial) {
  constexpr float kBad = 3;  // a bend of a right angle stretches the outside to twice its length
  const Mesh& rest = trial.rest.meshes[0];
  const Strain strain = measure_strain(measured_surface(rest), rest.points, trial.still.meshes[0].points);
  const float most = *std::max_element(strain.edge.begin(), strain.edge.end());
  return {fmt::format("edges up to {:.1f} times as long", 1 + most), 1 + most > kBad};
}

Number jump(const Trial& trial) {
  constexpr double kBad = 5;  // % of the size within two degrees
  const Result<PointDistance> moved =
      point_distance(trial.before.meshes[0].points, trial.still.meshes[0].points);
  if (!moved) return {};
  const double percent = 100 * moved->max / moved->diagonal;
  return {fmt::format("from {:g} to {:g} degrees points move by up to {:.1f} % of the size",
                      trial.degrees - 2, trial.degrees, percent),
          percent > kBad};
}

// The posed axis of the tube: its joints and its tip.
std::vector<Vec3d> posed_axis(const Trial& trial) {
  std::vector<Vec3d> axis;
  const std::vector<Index>& joints = trial.body->skins[0].node;
  axis.reserve(joints.size() + 1);
  for (const Index joint : joints)
    axis.push_back(trial.frame.world_from_node[static_cast<std::size_t>(joint)].translation);
  // The tip in the bind pose: joint frames are parallel to the world there.
  const Affined joint_from_bind(trial.body->skins[0].inverse_bind.back());
  axis.push_back(trial.frame.world_from_node[static_cast<std::size_t>(joints.back())] *
                 (joint_from_bind * Vec3d{0, kTubeHeight, 0}));
  return axis;
}

// The largest distance of the tube from its posed axis, relative to its radius: 0.1 stands out by a tenth.
double swelling(const Trial& trial) {
  const std::vector<Vec3d> axis = posed_axis(trial);
  double most = 0;
  for (const Vec3& point : trial.still.meshes[0].points) {
    double nearest = INFINITY;
    for (std::size_t k = 0; k + 1 < axis.size(); ++k)
      nearest = std::min(nearest, distance_to_segment(Vec3d(point), axis[k], axis[k + 1]));
    most = std::max(most, nearest);
  }
  return most / kTubeRadius - 1;
}

// How far the outside of the bend is from the joint, relative to the radius: -0.5 is flattened to half.
double outside(const Trial& trial, const Vec3d& bent) {
  const std::vector<Vec3d> axis = posed_axis(trial);
  const Vec3d out = normalized(normalized(bent - axis.front()) + normalized(bent - axis.back()));
  double most = 0;
  for (const Vec3& point : trial.still.meshes[0].points) most = std::max(most, dot(Vec3d(point) - bent, out));
  return most / kTubeRadius - 1;
}

constexpr double kBadSwelling = 0.1;

Number bulge(const Trial& trial) {
  const double swollen = swelling(trial);
  return {fmt::format("stands out by {:.0f} % of its radius", 100 * swollen), swollen > kBadSwelling};
}

Number bulge_and_flattening(const Trial& trial) {
  const Result<Index> joint = find_node(*trial.body, kBend.joint);
  if (!joint) return {};
  const Vec3d bent = trial.frame.world_from_node[static_cast<std::size_t>(*joint)].translation;
  const double swollen = swelling(trial), out = outside(trial, bent);
  // If a bend is both, the worse counts.
  const std::string words = -out > swollen ? fmt::format("flattened by {:.0f} % of its radius", -100 * out)
                                           : fmt::format("swollen by {:.0f} % of its radius", 100 * swollen);
  return {words, -out > 2 * kBadSwelling || swollen > kBadSwelling};
}

// ---- Exhibits --------------------------------------------------------------------------------------------

struct Exhibit {
  const char* title;
  const char* text;
  Hinge hinge;
  View view;
  Number (*number)(const Trial&);
  struct Picture {
    Stack stack;
    double degrees;
  };
  std::vector<Picture> pictures;
  bool is_close = false;  // only the joint is framed
};

std::vector<Exhibit::Picture> all_at(double degrees, std::initializer_list<const char*> stacks) {
  std::vector<Exhibit::Picture> pictures;
  for (const char* stack : stacks) pictures.push_back({deform_stack(stack), degrees});
  return pictures;
}

constexpr View kSide{0, 0.1}, kQuarter{0.5, 0.15}, kFlank{1.2, 0.1};

std::vector<Exhibit> first_minute() {
  return {{"Twist",
           "A tube twisted by 175 degrees. Linear blending (lbs), which every engine uses, closes it like a "
           "candy wrapper. Dual quaternions (dqs) and centres of rotation (cor) keep it open.",
           kTwist, kQuarter, volume_change, all_at(175, {"lbs", "dqs", "cor"})},
          {"Bend",
           "The tube bent by 120 degrees, in close-up. Numbers are distances from its axis relative to the "
           "radius at rest. Linear blending flattens the outside of the joint, dual quaternions swell there, "
           "centres of rotation lie between the two.",
           kBend, kSide, bulge_and_flattening, all_at(120, {"lbs", "dqs", "cor"}), true}};
}

std::vector<Exhibit> artifacts() {
  const auto keep_volume = {"lbs",        "lbs,delta_mush",    "dqs",    "cor", "spherical",
                            "log_matrix", "direct_delta_mush", "lbs_dqs"};
  return {
      {"Rigid cracks",
       "Each point follows only one joint. Nothing shrinks, but where joints meet, the surface tears: the "
       "edges across the gap are stretched to bridge it. Every other method spreads the rotation.",
       kBend, kSide, largest_stretch, all_at(80, {"rigid", "lbs", "dqs", "cor"})},
      {"The collapsing elbow",
       "Linear blending averages matrices, and the average of two rotations is not a rotation: it shrinks. "
       "The "
       "joint folds into itself and loses volume.",
       kBend, kSide, volume_change, all_at(120, keep_volume)},
      {"The candy wrapper",
       "Twisted by 175 degrees, linear blending passes close to the axis. Methods that blend rotations keep "
       "the radius; smoothing afterwards (delta_mush) cannot restore it.",
       kTwist, kQuarter, volume_change, all_at(175, keep_volume)},
      {"The dual-quaternion bulge",
       "Dual quaternions keep every point at its distance from the joint, so a bend swells beyond the limb's "
       "own radius. Centres of rotation turn each point about the middle of its limb.",
       kBend, kSide, bulge, all_at(120, {"dqs", "lbs", "cor", "lbs_dqs"})},
      {"The dual-quaternion flip",
       "Rotations are blended along the shorter path, and past half a turn that is the opposite direction: "
       "within two degrees the skin flips over. No method that knows only the current pose can avoid it; "
       "split the twist over several joints.",
       kTwist,
       kQuarter,
       jump,
       {{deform_stack("dqs"), 179},
        {deform_stack("dqs"), 181},
        {deform_stack("log_matrix"), 181},
        {deform_stack("cor"), 181},
        {deform_stack("lbs"), 181}}},
      {"The origin matters to quaternions",
       "Rotation and translation blended separately (quaternion) are right only if joints turn about the "
       "origin. Away from it the skin leaves its bones. It is kept as the baseline of the literature.",
       kBend, kSide, largest_stretch, all_at(100, {"quaternion", "lbs", "dqs"})},
  };
}

// Stripes along the rest body, so that a twist shows: sectors around the vertical through its middle.
std::vector<Vec4> striped(const Mesh& rest) {
  constexpr int kStripes = 12;
  constexpr Vec4 kLight{0.78f, 0.72f, 0.65f, 1}, kDark{0.30f, 0.45f, 0.62f, 1};
  Box box;
  for (const Vec3& point : rest.points) box.add(Vec3d(point));
  const Vec3d middle = box.centre();
  std::vector<Vec4> colours;
  colours.reserve(rest.points.size());
  for (const Vec3& point : rest.points) {
    const Vec3d arm = Vec3d(point) - middle;
    const double turn = std::atan2(arm.z, arm.x) / (2 * kPi) + 0.5;
    colours.push_back(static_cast<int>(turn * kStripes) % 2 == 0 ? kLight : kDark);
  }
  return colours;
}

// The body in its pose, with the stripes of its rest.
Result<ReportFigure> picture_of(const Mesh& rest, const Character& still, const Camera& camera,
                                const Run& run) {
  Drawing drawing = draw_character(still, nullptr);
  DrawnMesh& mesh = drawing.meshes[0];
  const std::vector<Vec4> colours = striped(rest);
  mesh.colours.resize(mesh.points.size());
  for (std::size_t v = 0; v < mesh.points.size(); ++v)
    mesh.colours[v] = colours[static_cast<std::size_t>(mesh.source[v])];
  RenderOptions options;
  options.width = kGalleryWidth;
  options.height = kGalleryHeight;
  options.samples = kGallerySamples;
  const Result<Pixels> pixels = render(drawing, camera, options, run.progress);
  if (!pixels) return pixels.error();
  return figure_of(*pixels, {});
}

Camera frame_stills(std::span<const Character* const> stills, const View& view) {
  std::vector<Vec3> points;
  for (const Character* still : stills)
    points.insert(points.end(), still->meshes[0].points.begin(), still->meshes[0].points.end());
  return frame_points(points, view, static_cast<double>(kGalleryWidth) / kGalleryHeight);
}

// The joint that turns, with enough of its limbs to recognise it.
Result<Camera> frame_joint(const Character& body, const Hinge& hinge, std::span<const Trial> trials,
                           const View& view) {
  constexpr double kReach = 3.2;  // radii of the tube
  const Result<Index> joint = find_node(body, hinge.joint);
  if (!joint) return joint.error();
  std::vector<Vec3> points;
  for (const Trial& trial : trials) {
    const Vec3d at = trial.frame.world_from_node[static_cast<std::size_t>(*joint)].translation;
    for (const Vec3& point : trial.still.meshes[0].points) {
      if (length(Vec3d(point) - at) < kReach * kTubeRadius) points.push_back(point);
    }
  }
  return frame_points(points, view, static_cast<double>(kGalleryWidth) / kGalleryHeight);
}

Result<ReportRow> show(const Exhibit& exhibit, const Run& run) {
  const Run drawing = part_of(run, 0.3, 1);
  const Result<Character> body = make_character(exhibit.hinge.kind, {kPoints}, run.progress.part(0, 0.1));
  if (!body) return body.error();
  std::vector<Trial> trials;
  std::vector<const Character*> stills;
  for (const auto& [stack, degrees] : exhibit.pictures) {
    Result<Trial> trial = try_method(*body, exhibit.hinge, stack, degrees);
    if (!trial) return trial.error();
    trials.push_back(std::move(*trial));
  }
  stills.reserve(trials.size());
  for (const Trial& trial : trials) stills.push_back(&trial.still);
  const Result<Camera> camera = exhibit.is_close ? frame_joint(*body, exhibit.hinge, trials, exhibit.view)
                                                 : frame_stills(stills, exhibit.view);
  if (!camera) return camera.error();
  ReportRow row;
  for (const Trial& trial : trials) {
    const Run piece = piece_of(drawing, row.figures.size(), trials.size());
    Result<ReportFigure> figure = picture_of(trial.rest.meshes[0], trial.still, *camera, piece);
    if (!figure) return figure.error();
    const Number number = exhibit.number(trial);
    figure->number = number.text;
    figure->is_bad = number.is_bad;
    figure->caption = fmt::format("{}, {:g} degrees", trial.name, trial.degrees);
    row.figures.push_back(std::move(*figure));
  }
  return row;
}

// ---- Broken weights --------------------------------------------------------------------------------------

// Rows that no valid character can have: every weight times `scale`, and the heaviest two pulled apart.
WeightRows broken_rows(const WeightRows& rows, float scale, float apart) {
  WeightRows broken = rows;
  for (Influence& influence : broken.influences) influence.weight *= scale;
  for (std::size_t v = 0; v + 1 < rows.first.size(); ++v) {
    if (rows.row(v).size() < 2) continue;
    broken.influences[rows.first[v]].weight += apart;
    broken.influences[rows.first[v] + 1].weight -= apart;
  }
  return broken;
}

// The body posed by the given rows, with the plain reference: normals are measured on the surface.
Result<Character> posed_by_rows(const Character& body, const WeightRows& rows, const PoseFrame& frame) {
  Result<Character> still = deform_character(body, frame, from_all_rooms({}));
  if (!still) return still.error();
  Mesh& mesh = still->meshes[0];
  skin_lbs_reference(rows, frame.palette_of(0), {body.meshes[0].points, {}, {}}, {mesh.points, {}, {}});
  mesh.normals.values = point_normals(mesh.points, mesh.polygons.first, mesh.polygons.corners);
  return still;
}

Result<ReportRow> show_broken_weights(const Run& run) {
  struct Case {
    const char* caption;
    float scale, apart;
  };
  constexpr Case kCases[] = {{"weights that sum to one", 1, 0},
                             {"weights that sum to 0.9", 0.9f, 0},
                             {"weights that sum to 1.1", 1.1f, 0},
                             {"0.4 too much on one joint, 0.4 below zero on another", 1, 0.4f}};
  const Result<Character> body = make_character(MadeKind::arm, {kPoints}, run.progress.part(0, 0.2));
  if (!body) return body.error();
  const Result<PoseFrame> frame = turned(*body, kElbow, 70);
  if (!frame) return frame.error();
  std::vector<Character> stills;
  for (const Case& broken : kCases) {
    Result<Character> still =
        posed_by_rows(*body, broken_rows(body->meshes[0].weights, broken.scale, broken.apart), *frame);
    if (!still) return still.error();
    stills.push_back(std::move(*still));
  }
  std::vector<const Character*> shown;
  shown.reserve(stills.size());
  for (const Character& still : stills) shown.push_back(&still);
  const Camera camera = frame_stills(shown, kFlank);
  ReportRow row;
  for (std::size_t k = 0; k < stills.size(); ++k) {
    Result<ReportFigure> figure =
        picture_of(body->meshes[0], stills[k], camera, piece_of(part_of(run, 0.2, 1), k, stills.size()));
    if (!figure) return figure.error();
    const Result<PointDistance> off = point_distance(stills[0].meshes[0].points, stills[k].meshes[0].points);
    if (!off) return off.error();
    figure->number =
        k == 0 ? "correct" : fmt::format("off by up to {:.1f} % of the size", 100 * off->max / off->diagonal);
    figure->is_bad = k > 0;
    figure->caption = kCases[k].caption;
    row.figures.push_back(std::move(*figure));
  }
  return row;
}

// ---- Sweeps ----------------------------------------------------------------------------------------------

constexpr double kSweepStep = 7.5;

Result<std::string> sweep(const char* title, const Hinge& hinge, double most, const Run& run) {
  const Result<Character> body = make_character(hinge.kind, {kPoints}, run.progress.part(0, 0.1));
  if (!body) return body.error();
  const Result<Index> joint = find_node(*body, hinge.joint);
  if (!joint) return joint.error();
  std::vector<double> degrees, angles;
  for (double angle = 0; angle <= most; angle += kSweepStep) {
    degrees.push_back(angle);
    angles.push_back(radians_from_degrees(angle));
  }
  Plot plot{title, "degrees", "volume, % of rest", {}, 1};
  constexpr const char* kStacks[] = {
      "lbs", "dqs", "cor", "spherical", "log_matrix", "direct_delta_mush", "lbs,delta_mush"};
  for (const char* name : kStacks) {
    const Stack stack = deform_stack(name);
    const Progress piece = piece_of(part_of(run, 0.1, 1), plot.curves.size(), std::size(kStacks)).progress;
    const Result<Deformer> deformer =
        prepare_deformer(*body, from_all_rooms({stack, NormalMode::shading}), piece.part(0, 0.6));
    if (!deformer) return deformer.error();
    const Result<std::vector<double>> volumes =
        volume_sweep(*deformer, *joint, hinge.axis, angles, piece.part(0.6, 1));
    if (!volumes) return volumes.error();
    Curve curve{name, degrees, {}, look_of(stack)};
    for (const double volume : *volumes) curve.y.push_back(100 * volume / volumes->front());
    plot.curves.push_back(std::move(curve));
  }
  return plot_svg(plot);
}

Status add_exhibits(const std::vector<Exhibit>& exhibits, ReportSection& section, const Run& run) {
  for (std::size_t k = 0; k < exhibits.size(); ++k) {
    const Exhibit& exhibit = exhibits[k];
    Result<ReportRow> row = show(exhibit, piece_of(run, k, exhibits.size()));
    if (!row) return row.error();
    section.items.emplace_back(ReportHeading{exhibit.title});
    section.items.emplace_back(ReportText{exhibit.text});
    section.items.emplace_back(std::move(*row));
  }
  return Done{};
}

// What each method keeps and breaks, and what it costs.
ReportTable verdicts() {
  ReportTable table{{"method", "keeps", "breaks", "time"}, {}};
  for (const StageRow& row : methods()) {
    if (row.phase != StagePhase::rest) table.rows.push_back({row.name, row.keeps, row.breaks, row.cost});
  }
  return table;
}

}  // namespace

Result<std::vector<ReportSection>> artifact_gallery(const Run& run) {
  std::vector<ReportSection> sections = {
      {"In one minute", {}}, {"Artifact gallery", {}}, {"Volume against the angle", {}}};
  // The share of the work of each is about its share of the pictures.
  if (Status done = add_exhibits(first_minute(), sections[0], part_of(run, 0, 0.15)); !done)
    return done.error();
  sections[0].items.emplace_back(ReportHeading{"Every method in one line"});
  sections[0].items.emplace_back(
      ReportText{"E is the time of a plain loop of linear blending on one thread. delta_mush smooths what "
                 "another method has posed."});
  sections[0].items.emplace_back(verdicts());
  if (Status done = add_exhibits(artifacts(), sections[1], part_of(run, 0.15, 0.75)); !done)
    return done.error();
  Result<ReportRow> broken = show_broken_weights(part_of(run, 0.75, 0.85));
  if (!broken) return broken.error();
  sections[1].items.emplace_back(ReportHeading{"Broken weights"});
  sections[1].items.emplace_back(
      ReportText{"Weights must be at least zero and sum to one. If they are not, points are pulled towards "
                 "the origin, pushed away from it, or thrown past their joints. dermis repairs such files "
                 "when it loads them, with a note; here the raw numbers went through the plain formula."});
  sections[1].items.emplace_back(std::move(*broken));
  sections[2].items.emplace_back(
      ReportText{"The remaining volume of the tube in the pictures above, as its joint turns further."});
  const Run sweeping = part_of(run, 0.85, 1);
  ReportRow plots;
  for (const auto& [title, hinge, most] :
       {std::tuple{"Twisting the tube", &kTwist, 180.0}, {"Bending the tube", &kBend, 135.0}}) {
    Result<std::string> svg = sweep(title, *hinge, most, piece_of(sweeping, plots.figures.size(), 2));
    if (!svg) return svg.error();
    plots.figures.push_back({{}, std::move(*svg), title, {}});
  }
  sections[2].items.emplace_back(std::move(plots));
  return sections;
}

}  // namespace dermis
