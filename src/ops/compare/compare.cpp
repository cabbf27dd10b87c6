// SPDX-License-Identifier: MIT
// The verb compare: how far apart two results, or two poses of characters, are.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dermis/ops/methods.h"
#include "dermis/ops/pose.h"
#include "ops/compare/sequence.h"
#include "ops/page/page.h"
#include "ops/verb_pages.h"

namespace dermis {
namespace {

// One side of the comparison: bare points, or a character with its posed scene.
struct Side {
  std::string name;
  std::vector<Vec3> points;
  const Character* rest = nullptr;
  std::optional<Character> still{};
  bool can_move = false;
};

// A posed character. Time and notes go into the report.
Result<Side> side_of(const Asset& asset, const CompareRequest& request, std::size_t k, const Run& run,
                     CompareReport& report) {
  Side side{asset.name, {}, &asset.character};
  Stopwatch watch;
  side.can_move = can_move(asset.character);
  const ChosenPose& pose = request.poses[k];
  const Result<PosedCharacter> posed =
      pose_as_asked(asset.character, side.can_move ? pose.request() : PoseRequest{});
  if (!posed) return prefixed(asset.name, posed.error());
  append(report.notes, posed->notes);
  const Result<Deformer> deformer =
      ready_to_pose(asset.character, request.deform[k], asset.name, part_of(run, 0, 0.8));
  if (!deformer) return deformer.error();
  if (shows_skin(asset.character)) report.methods[k] = name_of(deformer->stack);
  append(report.notes, deformer->notes);
  append(report.notes, notes_of_file(asset.name, pose_notes(*deformer, posed->frame)));
  Result<Character> still = still_scene(*deformer, posed->frame, asset.name, part_of(run, 0.8, 1));
  if (!still) return still.error();
  side.points = all_points(*still);
  side.still = std::move(*still);
  report.seconds_posing += watch.lap();
  return side;
}

// The same from a file, whose pose goes into the request; `asset` keeps what the side refers to alive.
Result<Side> load_side(const CompareJob& job, std::size_t k, const FileRun& run, CompareRequest& request,
                       Asset& asset, CompareReport& report) {
  const std::string& path = job.inputs[k];
  if (!is_character_file(path)) {
    Result<std::vector<Vec3>> points = run.reading([&] { return load_points(path); });
    if (!points) return points.error();
    return Side{path, std::move(*points)};
  }
  Result<Asset> opened = open_file(path, part_of(run, 0, 0.5));
  if (!opened) return opened.error();
  asset = std::move(*opened);
  append(report.notes, notes_of_file(path, asset.notes));
  if (can_move(asset.character)) {
    Result<ChosenPose> pose = read_choice(asset.character, job.pose);
    if (!pose) return prefixed(path, pose.error());
    request.poses[k] = std::move(*pose);
  }
  return side_of(asset, request, k, part_of(run, 0.5, 1), report);
}

// Two files, and what is posed and measured of them, for their page.
struct OpenedSides {
  std::array<Asset, 2> assets;  // `sides` refer to them
  std::array<Side, 2> sides;

  std::array<ComparedSide, 2> scenes() const {
    const auto scene = [](const Side& side) {
      return side.still ? ComparedSide{side.rest, &*side.still} : ComparedSide{};
    };
    return {scene(sides[0]), scene(sides[1])};
  }
};

// A result without a skin is only compared against; if neither side has one, the methods do nothing.
void note_no_skins(const CompareRequest& request, const std::array<Side, 2>& sides, Notes& notes) {
  const auto has_skin = [](const Side& side) { return side.rest != nullptr && shows_skin(*side.rest); };
  if (has_skin(sides[0]) || has_skin(sides[1])) return;
  note_nothing_skinned(request.deform[0].stack, sides[0].name, notes);
  const bool is_same = sides[0].name == sides[1].name && request.deform[0].stack == request.deform[1].stack;
  if (!is_same) note_nothing_skinned(request.deform[1].stack, sides[1].name, notes);
}

std::string place_of(const Side& side, std::size_t point) {
  if (!side.still) return fmt::format("point {}", point);
  for (std::size_t i = 0; i < side.still->meshes.size(); ++i) {
    const std::size_t count = side.still->meshes[i].points.size();
    if (point < count)
      return fmt::format("instance {}{}, point {}", i,
                         side.still->nodes[i].name.empty()
                             ? std::string()
                             : fmt::format(" {}", quoted_name(side.still->nodes[i].name)),
                         point);
    point -= count;
  }
  return {};
}

// The corners of a whole scene, points counted through all its meshes.
struct SceneCorners {
  std::vector<std::size_t> sizes;  // of polygons
  std::vector<std::size_t> points;
};

SceneCorners corners_of(const Character& still) {
  SceneCorners scene;
  std::size_t base = 0;
  for (const Mesh& mesh : still.meshes) {
    for (std::size_t p = 0; p < mesh.polygons.count(); ++p)
      scene.sizes.push_back(mesh.polygons.polygon(p).size());
    for (const Index v : mesh.polygons.corners) scene.points.push_back(base + static_cast<std::size_t>(v));
    base += mesh.points.size();
  }
  return scene;
}

// For each point of `a` the one of `b` at the same corners, if polygons agree corner by corner and every
// point has one partner; empty if they do not, or if the points are in order anyway.
std::vector<std::size_t> partners_by_corners(const Side& a, const Side& b) {
  if (!a.still || !b.still || a.points.size() != b.points.size()) return {};
  const SceneCorners ours = corners_of(*a.still), theirs = corners_of(*b.still);
  if (ours.sizes != theirs.sizes || ours.points == theirs.points) return {};
  constexpr std::size_t kNobody = SIZE_MAX;
  std::vector<std::size_t> partner(a.points.size(), kNobody), back(b.points.size(), kNobody);
  for (std::size_t c = 0; c < ours.points.size(); ++c) {
    const std::size_t one = ours.points[c], other = theirs.points[c];
    if (partner[one] == kNobody && back[other] == kNobody) {
      partner[one] = other;
      back[other] = one;
    }
    if (partner[one] != other || back[other] != one) return {};
  }
  if (std::find(partner.begin(), partner.end(), kNobody) != partner.end()) return {};
  return partner;
}

// Reading FBX and Collada renumbers points; their polygons still identify them. Polygons that only look alike
// do not: the partners must be nearer than the points in order.
bool match_by_corners(std::array<Side, 2>& sides, PointDistance& distance, Notes& notes) {
  const std::vector<std::size_t> partner = partners_by_corners(sides[0], sides[1]);
  if (partner.empty()) return false;
  std::vector<Vec3> matched;
  matched.reserve(partner.size());
  for (const std::size_t v : partner) matched.push_back(sides[1].points[v]);
  const Result<PointDistance> by_corners = point_distance(sides[0].points, matched);
  if (!by_corners || !(by_corners->rms < distance.rms)) return false;
  sides[1].points = std::move(matched);
  distance = *by_corners;
  notes.push_back({Note::Kind::guess, "matched-by-corners",
                   "the points of the two are in a different order, so they were matched by the corners of "
                   "their polygons, which agree"});
  return true;
}

// Sum of |difference| over the slots of one point.
double row_difference(std::span<const Influence> a, std::span<const Influence> b) {
  double sum = 0;
  for (const Influence& mine : a) {
    double other = 0;
    for (const Influence& theirs : b)
      other = theirs.slot == mine.slot ? static_cast<double>(theirs.weight) : other;
    sum += std::abs(static_cast<double>(mine.weight) - other);
  }
  for (const Influence& theirs : b) {
    bool is_shared = false;
    for (const Influence& mine : a) is_shared = is_shared || mine.slot == theirs.slot;
    if (!is_shared) sum += static_cast<double>(theirs.weight);
  }
  return sum;
}

// Only if the meshes agree point by point; slots are compared by number.
void compare_weights(const Character& a, const Character& b, CompareReport& report) {
  if (a.meshes.size() != b.meshes.size()) return;
  double max = 0, sum = 0;
  std::size_t count = 0;
  for (std::size_t m = 0; m < a.meshes.size(); ++m) {
    if (a.meshes[m].points.size() != b.meshes[m].points.size()) return;
    if (a.meshes[m].weights.empty() || b.meshes[m].weights.empty()) continue;
    for (std::size_t v = 0; v < a.meshes[m].points.size(); ++v) {
      const double difference = row_difference(a.meshes[m].weights.row(v), b.meshes[m].weights.row(v));
      max = std::max(max, difference);
      sum += difference;
      ++count;
    }
  }
  if (count == 0) return;
  report.max_weight_difference = max;
  report.mean_weight_difference = sum / static_cast<double>(count);
}

// Compares the points in order, as a sequence of one frame; sizes are those of the first.
void compare_as_sequence(const std::array<Side, 2>& sides, CompareReport& report) {
  const Result<SequenceError> error = sequence_error(sides[0].points, sides[1].points, sides[0].points);
  if (!error) return;  // all points in one place
  report.e_rms = error->e_rms;
  report.kg = error->kg;
}

bool are_alike(const Character& a, const Character& b) {
  return std::equal(a.meshes.begin(), a.meshes.end(), b.meshes.begin(), b.meshes.end(),
                    [](const Mesh& one, const Mesh& other) {
                      return one.points.size() == other.points.size() &&
                             one.polygons.first == other.polygons.first &&
                             one.polygons.corners == other.polygons.corners;
                    });
}

// The normal error of a posed scene, in its worst mesh; nothing without normals.
std::optional<double> normal_error_of_scene(const Character& still) {
  std::optional<double> most;
  for (const Mesh& mesh : still.meshes) {
    if (mesh.normals.empty() || !mesh.normals.is_per_point()) continue;
    const Spread error = normal_error(mesh, {mesh.points, mesh.normals.values, {}});
    if (error.count > 0) most = std::max(most.value_or(0), error.p95);
  }
  return most;
}

// How the surfaces of two posed scenes differ.
void compare_surfaces(const Character& a, const Character& b, CompareReport& report) {
  const std::vector<MeasuredSurface> surfaces = measured_scene(a);
  report.volumes = {{volume_of_scene(surfaces, a), volume_of_scene(measured_scene(b), b)}};
  const std::optional<double> error_a = normal_error_of_scene(a), error_b = normal_error_of_scene(b);
  if (error_a && error_b) report.normal_errors = {{*error_a, *error_b}};
  if (!are_alike(a, b)) return;
  CompareReport::SurfaceChange change;
  for (std::size_t m = 0; m < surfaces.size(); ++m) {
    const Strain strain = measure_strain(surfaces[m], a.meshes[m].points, b.meshes[m].points);
    change.edge = std::max(change.edge, strain.edges.max);
    change.shear = std::max(change.shear, strain.shears.max);
    change.area = std::max(change.area, strain.areas.max);
  }
  report.surface = change;
}

// Everything measured between two sides.
Status compare_sides(std::array<Side, 2>& sides, const CompareRequest& request, CompareReport& report) {
  Stopwatch watch;
  report.inputs = {sides[0].name, sides[1].name};
  report.point_count = {sides[0].points.size(), sides[1].points.size()};
  report.limit = request.limit;
  note_no_skins(request, sides, report.notes);
  note_unused_options(request.deform, report.notes);
  Result<PointDistance> distance = point_distance(sides[0].points, sides[1].points);
  if (!distance) return prefixed(fmt::format("{} and {}", sides[0].name, sides[1].name), distance.error());
  const bool is_matched = match_by_corners(sides, *distance, report.notes);
  report.distance = *distance;
  report.worst_place = place_of(sides[distance->is_worst_in_second ? 1 : 0], distance->worst);
  if (!distance->in_order) {
    report.notes.push_back({Note::Kind::info, "nearest",
                            fmt::format("the numbers of points differ ({} and {}), so each point was "
                                        "compared with its nearest on the other side",
                                        report.point_count[0], report.point_count[1])});
  }
  if (distance->in_order) compare_as_sequence(sides, report);
  if (sides[0].still && sides[1].still) compare_surfaces(*sides[0].still, *sides[1].still, report);
  if (sides[0].rest != nullptr && sides[1].rest != nullptr && !is_matched)
    compare_weights(*sides[0].rest, *sides[1].rest, report);
  if (report.limit) report.is_within_limit = report.distance.max <= *report.limit * report.distance.diagonal;
  report.seconds_measuring = watch.lap();
  return Done{};
}

Result<CompareReport> compare_files(const CompareJob& job, const FileRun& run, OpenedSides& opened) {
  CompareReport report;
  CompareRequest request{{}, job.deform, job.limit};
  std::array<Side, 2>& sides = opened.sides;
  for (std::size_t k = 0; k < 2; ++k) {
    Result<Side> side = load_side(job, k, piece_of(run, k, 2), request, opened.assets[k], report);
    if (!side) return side.error();
    sides[k] = std::move(*side);
  }
  if (!job.pose.is_rest() && !sides[0].can_move && !sides[1].can_move) {
    return Error{Errc::usage,
                 "neither input has a skin, a clip, shapes or a node to move, so there is nothing to pose; "
                 "remove the pose options"};
  }
  if (Status done = compare_sides(sides, request, report); !done) return done.error();
  return report;
}

}  // namespace

Result<CompareReport> compare(const Asset& a, const Asset& b, const CompareRequest& request, const Run& run) {
  return without_throwing("compare", [&]() -> Result<CompareReport> {
    CompareReport report;
    Result<Side> first = side_of(a, request, 0, part_of(run, 0, 0.4), report);
    if (!first) return first.error();
    Result<Side> second = side_of(b, request, 1, part_of(run, 0.4, 0.8), report);
    if (!second) return second.error();
    std::array<Side, 2> sides{std::move(*first), std::move(*second)};
    if (Status done = compare_sides(sides, request, report); !done) return done.error();
    return report;
  });
}

Result<CompareReport> compare(const CompareJob& job) {
  return without_throwing("compare", [&]() -> Result<CompareReport> {
    if (job.fps > 0 && !has_frames(job))
      return Error{Errc::usage, "a rate is for vertex caches and sequences; neither input is one"}
          .with_remedy("without_fps");
    OpenedSides opened;
    FileVerb<CompareReport> verb{.also_read = {job.inputs[1], job.pose.pose_file}, .opens_input = false};
    verb.needs_output = false;
    verb.work = [&](Asset&, const FileRun& run) {
      return has_frames(job) ? compare_frames(job, run) : compare_files(job, run, opened);
    };
    verb.page = [&](const Asset&, CompareReport& report) {
      return report_compare(job, report, opened.scenes());
    };
    return run_on_files({.input = job.inputs[0], .run = job.run, .report = job.report}, verb);
  });
}

}  // namespace dermis
