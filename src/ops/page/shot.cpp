// SPDX-License-Identifier: MIT
// Draws posed characters, colours them by weights, strains or errors, and frames them.
#include "ops/page/shot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "dermis/ops/methods.h"

namespace dermis {
namespace {

// A pose of `from` for another character: its clip by name, or by number if there is none of that name. A
// character that cannot move stays at rest.
Result<ChosenPose> same_pose(const ChosenPose& pose, const Character& from, const Character& to) {
  if (!can_move(to)) return ChosenPose{};
  ChosenPose same = pose;
  if (pose.clip == kNone) return same;
  const std::string& name = from.clips[at(pose.clip)].name;
  Result<Index> clip = find_clip(to, name);
  if (name.empty() || !clip) clip = find_clip(to, std::to_string(pose.clip));
  if (!clip) return clip.error();
  same.clip = *clip;
  return same;
}

using Heat = std::vector<std::vector<float>>;

std::string title_of(const HeatMap& map) {
  switch (map.kind) {
    case HeatMap::Kind::weight:
      return "weight of " + map.joint;
    case HeatMap::Kind::strain:
      return "strain of edges (%)";
    default:
      return fmt::format("distance from {} (% of size)",
                         std::filesystem::path(map.reference).filename().string());
  }
}

ColourScale scale_of(const HeatMap& map, std::span<const Shot> shots) {
  ColourScale scale;
  scale.title = title_of(map);
  const double most = map.kind == HeatMap::Kind::weight ? 1 : largest_heat(shots);
  scale.is_flat = !map.max && most < kLeastHeat;
  scale.high = map.max.value_or(scale.is_flat ? 1 : most);
  return scale;
}

// Distributes `values`, which hold the points of all instances in sequence, to the instances.
Heat by_mesh(const Character& still, std::span<const float> values) {
  Heat heat;
  for (const Mesh& mesh : still.meshes) {
    heat.emplace_back(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(mesh.points.size()));
    values = values.subspan(mesh.points.size());
  }
  return heat;
}

// The distance of each point from its reference, in % of the diagonal of the reference.
std::vector<float> percent_apart(std::span<const Vec3> shown, std::span<const Vec3> right) {
  Box box;
  for (const Vec3& point : right) box.add(Vec3d(point));
  const double diagonal = box.diagonal() > 0 ? box.diagonal() : 1;
  std::vector<float> errors(shown.size());
  for (std::size_t v = 0; v < shown.size(); ++v)
    errors[v] = static_cast<float>(100 * length(Vec3d(shown[v]) - Vec3d(right[v])) / diagonal);
  return errors;
}

}  // namespace

std::size_t shown_point_count(const Character& character) {
  std::size_t count = 0;
  for (const Instance& instance : character.instances)
    count += instance.in_scene ? character.meshes[static_cast<std::size_t>(instance.mesh)].points.size() : 0;
  return count;
}

double largest_heat(std::span<const Shot> shots) {
  float most = 0;
  for (const Shot& shot : shots) {
    for (const std::vector<float>& values : shot.heat) {
      for (const float value : values) most = std::isfinite(value) ? std::max(most, value) : most;
    }
  }
  return static_cast<double>(most);
}

Result<HeatMap> parse_heat_map(std::string_view text) {
  HeatMap map;
  const std::size_t equals = text.find('=');
  const std::string_view kind = text.substr(0, equals);
  const std::string what(equals == std::string_view::npos ? std::string_view{} : text.substr(equals + 1));
  if (kind == "weight" && !what.empty()) {
    map.kind = HeatMap::Kind::weight;
    map.joint = what;
  } else if (kind == "strain" && equals == std::string_view::npos) {
    map.kind = HeatMap::Kind::strain;
  } else if (kind == "error" && !what.empty()) {
    map.kind = HeatMap::Kind::error;
    map.reference = what;
    const Result<Stack> stack = parse_stack(what);
    if (!stack && extension_of(what).empty()) return stack.error();
    if (stack) map.truth = *stack;
  } else {
    return Error{Errc::usage,
                 fmt::format("heat map '{}': write weight=JOINT, strain, error=METHOD or error=FILE", text)};
  }
  return map;
}

// ---- Shots ---------------------------------------------------------------------------------------------

Run ShotMaker::run(const Progress& progress) const {
  Run run = options_.run;
  run.progress = progress;
  return run;
}

Result<Shot> ShotMaker::take(const Deformer& deformer, const PoseFrame& frame, const Progress& progress,
                             DeformState* state) const {
  Result<Character> still = still_scene(deformer, frame, options_.file, run(progress), state);
  if (!still) return still.error();
  Shot shot;
  shot.drawing = draw_character(*still, options_.textures);
  if (options_.has_joints) shot.drawing.bones = draw_bones(character_, frame.world_from_node);
  shot.still = std::move(*still);
  shot.frame = frame;
  return shot;
}

// ---- Heat ----------------------------------------------------------------------------------------------

Status check_heat(const HeatMap& map) {
  const bool has_reference = map.stack() != nullptr || map.asset() != nullptr || map.points() != nullptr;
  if (map.kind != HeatMap::Kind::error || has_reference) return Done{};
  return Error{Errc::usage, "a heat map of errors needs a reference: a stack, a character or points"};
}

Result<HeatPainter> HeatPainter::prepare(const ShotMaker& maker, const HeatMap& map,
                                         const Progress& progress) {
  HeatPainter painter(maker, map);
  if (Status good = check_heat(map); !good) return good.error();
  const Status ready = map.kind == HeatMap::Kind::none     ? Status(Done{})
                       : map.kind == HeatMap::Kind::weight ? painter.prepare_weights()
                       : map.kind == HeatMap::Kind::strain ? painter.prepare_rest(progress)
                                                           : painter.prepare_reference(progress);
  if (!ready) return ready.error();
  return painter;
}

Status HeatPainter::prepare_weights() {
  const Character& character = maker_->character();
  const auto refused = [&](Errc code, const std::string& why) {
    return Error{code, fmt::format("{}: {}", maker_->file(), why)};
  };
  const Result<Index> node = find_node(character, map_.joint);
  if (!node) return refused(node.error().code, node.error().sentence);
  bool is_joint = false;
  for (const Instance& instance : character.instances) {
    if (!instance.in_scene) continue;
    const Mesh& mesh = character.meshes[static_cast<std::size_t>(instance.mesh)];
    std::vector<float>& values = weights_.emplace_back(mesh.points.size(), 0.0f);
    if (instance.skin == kNone) continue;
    const Skin& skin = character.skins[static_cast<std::size_t>(instance.skin)];
    is_joint = is_joint || std::find(skin.node.begin(), skin.node.end(), *node) != skin.node.end();
    for (std::size_t v = 0; v < values.size(); ++v) {
      for (const Influence& influence : mesh.weights.row(v)) {
        if (skin.node[static_cast<std::size_t>(influence.slot)] == *node) values[v] += influence.weight;
      }
    }
  }
  if (is_joint) return Done{};
  return refused(
      Errc::bad_argument,
      fmt::format(
          "node {} is not a joint of a skin, so no point has a weight for it; see dermis info --nodes",
          quoted_name(map_.joint)));
}

Status HeatPainter::prepare_rest(const Progress& progress) {
  Result<Character> rest = bare_at_rest(maker_->character(), maker_->file(), maker_->run(progress));
  if (!rest) return rest.error();
  for (Mesh& mesh : rest->meshes) {
    surfaces_.push_back(measured_surface(mesh));
    rest_.push_back(std::move(mesh.points));
  }
  return Done{};
}

// The reference: the same pose by another stack, another character, or points.
Status HeatPainter::prepare_reference(const Progress& progress) {
  const Character& character = maker_->character();
  const bool is_own = map_.stack() != nullptr;
  DeformOptions options;
  if (is_own) options.stack = *map_.stack();
  if (map_.points() == nullptr) {
    const Character& posed = is_own ? character : map_.asset()->character;
    Result<Deformer> deformer =
        ready_to_pose(posed, options, is_own ? maker_->file() : map_.reference, maker_->run(progress));
    if (!deformer) return deformer.error();
    append(notes_, deformer->notes);
    reference_deformer_ = std::move(*deformer);
  }
  if (is_own) return Done{};
  const std::size_t shown_count = shown_point_count(character);
  const std::size_t reference_count =
      map_.asset() != nullptr ? shown_point_count(map_.asset()->character) : map_.points()->size();
  if (reference_count == shown_count) return Done{};
  return Error{Errc::bad_argument,
               fmt::format("{}: has {} points, but {} has {}; errors are measured point by point",
                           maker_->file(), shown_count, map_.reference, reference_count)};
}

Status load_reference(HeatMap& map, const FileRun& run) {
  if (map.kind != HeatMap::Kind::error || map.stack() != nullptr) return Done{};
  return without_throwing(map.reference, [&]() -> Status {
    if (!is_character_file(map.reference)) {
      Result<std::vector<Vec3>> points = run.reading([&] { return load_points(map.reference); });
      if (!points) return points.error();
      map.truth = std::make_shared<const std::vector<Vec3>>(std::move(*points));
      return Done{};
    }
    Result<Asset> opened = open_file(map.reference, run);
    if (!opened) return opened.error();
    map.truth = std::make_shared<const Asset>(std::move(*opened));
    return Done{};
  });
}

Result<std::optional<ColourScale>> HeatPainter::paint(std::span<Shot> shots, const Progress& progress,
                                                      DeformState* state) const {
  if (map_.kind == HeatMap::Kind::none) return std::optional<ColourScale>();
  const double share = 1 / static_cast<double>(std::max<std::size_t>(shots.size(), 1));
  for (std::size_t k = 0; k < shots.size(); ++k) {
    const double from = static_cast<double>(k) * share;
    Result<Heat> heat = heat_of(shots[k], progress.part(from, from + share), state);
    if (!heat) return heat.error();
    shots[k].heat = std::move(*heat);
  }
  const ColourScale scale = scale_of(map_, shots);
  for (Shot& shot : shots) {
    for (std::size_t m = 0; m < shot.heat.size(); ++m) dermis::paint(shot.drawing, m, scale, shot.heat[m]);
  }
  return std::optional(scale);
}

Result<Heat> HeatPainter::heat_of(const Shot& shot, const Progress& progress, DeformState* state) const {
  switch (map_.kind) {
    case HeatMap::Kind::weight:
      return weights_;
    case HeatMap::Kind::strain:
      return strains_of(shot);
    default:
      return errors_of(shot, progress, state);
  }
}

Heat HeatPainter::strains_of(const Shot& shot) const {
  Heat heat;
  for (std::size_t m = 0; m < shot.still.meshes.size(); ++m) {
    heat.push_back(measure_strain(surfaces_[m], rest_[m], shot.still.meshes[m].points).at_point);
    for (float& value : heat.back()) value *= 100;
  }
  return heat;
}

Result<Heat> HeatPainter::errors_of(const Shot& shot, const Progress& progress, DeformState* state) const {
  const Result<std::vector<Vec3>> reference = points_of_reference(shot, progress, state);
  if (!reference) return reference.error();
  return by_mesh(shot.still, percent_apart(all_points(shot.still), *reference));
}

Result<std::vector<Vec3>> HeatPainter::points_of_reference(const Shot& shot, const Progress& progress,
                                                           DeformState* state) const {
  if (!reference_deformer_) return *map_.points();
  PoseFrame frame = shot.frame;
  if (map_.asset() != nullptr) {
    const Character& reference = map_.asset()->character;
    const Result<ChosenPose> same = same_pose(shot.pose, maker_->character(), reference);
    if (!same) return prefixed(map_.reference, same.error());
    Result<PosedCharacter> posed = pose_as_asked(reference, same->request());
    if (!posed) return prefixed(map_.reference, posed.error());
    frame = std::move(posed->frame);
  }
  const std::string& file = map_.asset() != nullptr ? map_.reference : maker_->file();
  const Result<Character> posed =
      still_scene(*reference_deformer_, frame, file, maker_->run(progress), state);
  if (!posed) return posed.error();
  return all_points(*posed);
}

bool can_move(const Character& character) {
  const auto has_shapes = [](const Mesh& mesh) { return !mesh.shapes.empty(); };
  return !is_still(character) || !character.clips.empty() ||
         std::any_of(character.meshes.begin(), character.meshes.end(), has_shapes);
}

Heat distances(const Character& a, const Character& b) {
  const std::vector<Vec3> a_points = all_points(a), b_points = all_points(b);
  if (a_points.size() == b_points.size()) return by_mesh(a, percent_apart(a_points, b_points));
  const std::vector<Nearest> nearest = nearest_points(a_points, b_points);
  std::vector<Vec3> met(a_points.size());
  for (std::size_t v = 0; v < met.size(); ++v) met[v] = b_points[nearest[v].point];
  return by_mesh(a, percent_apart(a_points, met));
}

// ---- Cameras -------------------------------------------------------------------------------------------

Camera frame_shots(std::span<const Shot> shots, const View& view, double aspect) {
  std::vector<Vec3> points;
  for (const Shot& shot : shots) {
    const std::vector<Vec3> more = points_of(shot.drawing);
    points.insert(points.end(), more.begin(), more.end());
  }
  return frame_points(points, view, aspect);
}

std::vector<Vec3> turning_points(std::span<const Vec3> points, const Vec3d& axis) {
  // The cylinder that the points sweep, as corners of a prism around it.
  constexpr int kSides = 24;
  double radius = 0;
  Box box;
  for (const Vec3& point : points) {
    if (!is_finite(point)) continue;
    box.add(Vec3d(point));
    radius = std::max(
        radius, std::hypot(static_cast<double>(point.x) - axis.x, static_cast<double>(point.z) - axis.z));
  }
  if (box.is_empty()) return {};
  radius /= std::cos(kPi / kSides);
  std::vector<Vec3> rim;
  for (int k = 0; k < kSides; ++k) {
    const double angle = 2 * kPi * k / kSides;
    for (const double height : {box.lower.y, box.upper.y})
      rim.emplace_back(Vec3d{axis.x + radius * std::sin(angle), height, axis.z + radius * std::cos(angle)});
  }
  return rim;
}

Camera walked_around(Camera camera, const Vec3d& middle, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  const auto turned = [&](const Vec3d& arm) {
    return Vec3d{c * arm.x + s * arm.z, arm.y, c * arm.z - s * arm.x};
  };
  camera.eye = middle + turned(camera.eye - middle);
  camera.target = middle + turned(camera.target - middle);
  camera.up = turned(camera.up);  // that of a lifted camera leans back
  return camera;
}

std::vector<std::string> time_labels(std::span<const double> seconds) {
  constexpr int kLeastDecimals = 2, kMostDecimals = 6;
  constexpr double kExact = 0.0005;  // seconds that a label may be off
  std::vector<std::string> labels;
  for (int decimals = kLeastDecimals; decimals <= kMostDecimals; ++decimals) {
    labels.clear();
    bool is_exact = true;
    for (const double time : seconds) {
      labels.push_back(fmt::format("{:.{}f} s", time, decimals));
      is_exact = is_exact && !(std::abs(std::stod(labels.back()) - time) > kExact);
    }
    const std::set<double> times(seconds.begin(), seconds.end());
    if (is_exact && std::set(labels.begin(), labels.end()).size() == times.size()) break;
  }
  return labels;
}

std::uint64_t bytes_of(const Shot& shot) {
  std::uint64_t bytes = 0;
  for (const Mesh& mesh : shot.still.meshes) {
    // The posed mesh, the drawn one, its colours and heat.
    bytes += mesh.points.size() * (3 * sizeof(Vec3) + 3 * sizeof(Vec3) + 2 * sizeof(Vec4));
    bytes += mesh.polygons.corners.size() * 10 * sizeof(Index);
  }
  return bytes;
}

double ground_of(std::span<const Shot> shots) {
  double lowest = INFINITY;
  for (const Shot& shot : shots) lowest = std::min(lowest, shot.drawing.box().lower.y);
  return lowest;
}

std::size_t triangle_count(const Drawing& drawing) {
  std::size_t count = 0;
  for (const DrawnMesh& mesh : drawing.meshes) count += mesh.triangles.size();
  return count;
}

}  // namespace dermis
