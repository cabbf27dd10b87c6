// SPDX-License-Identifier: MIT
// Posed characters drawn, painted by weights, strains or errors, and framed.
#include "ops/shot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dermis {
namespace {

using Heat = std::vector<std::vector<float>>;

ColourScale scale_of(const HeatMap& map, std::span<const Shot> shots) {
  ColourScale scale;
  switch (map.kind) {
    case HeatMap::Kind::weight:
      scale.title = "weight";
      break;
    case HeatMap::Kind::strain:
      scale.title = "strain (%)";
      break;
    default:
      scale.title = "off (% of size)";
  }
  const double most = map.kind == HeatMap::Kind::weight ? 1 : largest_heat(shots);
  scale.high = map.max.value_or(most > 0 ? most : 1);
  return scale;
}

// Each value spread over the points of the instances, which stand one after the other in `values`.
Heat by_mesh(const Character& still, std::span<const float> values) {
  Heat heat;
  for (const Mesh& mesh : still.meshes) {
    heat.emplace_back(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(mesh.points.size()));
    values = values.subspan(mesh.points.size());
  }
  return heat;
}

std::vector<Vec3> all_points(const Character& still) {
  std::vector<Vec3> points;
  for (const Mesh& mesh : still.meshes) points.insert(points.end(), mesh.points.begin(), mesh.points.end());
  return points;
}

// The distance of each point from its right place, in % of the diagonal of the right ones.
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
  } else {
    return Error{Errc::usage,
                 fmt::format("heat map '{}': write weight=JOINT, strain, error=METHOD or error=FILE", text)};
  }
  return map;
}

// ---- Shots ---------------------------------------------------------------------------------------------

Result<Shot> ShotMaker::take(const Deformer& deformer, const PoseFrame& frame) const {
  Result<Character> still = still_scene(deformer, frame, options_.file, options_.run);
  if (!still) return still.error();
  Shot shot;
  shot.drawing = draw_character(*still, options_.textures);
  if (options_.has_joints) shot.drawing.bones = draw_bones(character_, frame.world_from_node);
  shot.still = std::move(*still);
  shot.frame = frame;
  return shot;
}

Result<std::optional<ColourScale>> ShotMaker::paint_heat(std::span<Shot> shots, const HeatMap& map) const {
  if (map.kind == HeatMap::Kind::none) return std::optional<ColourScale>();
  for (Shot& shot : shots) {
    Result<Heat> heat = heat_of(shot, map);
    if (!heat) return Error{heat.error().code, fmt::format("{}: {}", options_.file, heat.error().sentence)};
    shot.heat = std::move(*heat);
  }
  const ColourScale scale = scale_of(map, shots);
  for (Shot& shot : shots) {
    for (std::size_t m = 0; m < shot.heat.size(); ++m) paint(shot.drawing, m, scale, shot.heat[m]);
  }
  return std::optional(scale);
}

Result<Heat> ShotMaker::heat_of(const Shot& shot, const HeatMap& map) const {
  switch (map.kind) {
    case HeatMap::Kind::weight:
      return weights_of(shot, map.joint);
    case HeatMap::Kind::strain:
      return strains_of(shot);
    default:
      return errors_of(shot, map.reference);
  }
}

Result<Heat> ShotMaker::weights_of(const Shot& shot, const std::string& joint) const {
  const Result<Index> node = find_node(character_, joint);
  if (!node) return node.error();
  Heat heat;
  bool is_joint = false;
  for (const Instance& instance : character_.instances) {
    if (!instance.in_scene) continue;
    std::vector<float> values(shot.still.meshes[heat.size()].points.size(), 0.0f);
    if (instance.skin != kNone) {
      const Skin& skin = character_.skins[static_cast<std::size_t>(instance.skin)];
      const WeightRows& rows = character_.meshes[static_cast<std::size_t>(instance.mesh)].weights;
      is_joint = is_joint || std::find(skin.node.begin(), skin.node.end(), *node) != skin.node.end();
      for (std::size_t v = 0; v < values.size(); ++v) {
        for (const Influence& influence : rows.row(v)) {
          if (skin.node[static_cast<std::size_t>(influence.slot)] == *node) values[v] += influence.weight;
        }
      }
    }
    heat.push_back(std::move(values));
  }
  if (!is_joint) {
    return Error{Errc::bad_argument,
                 fmt::format("node {} is no joint of a skin, so no point has a weight for it; see dermis "
                             "info --nodes",
                             quoted_name(joint))};
  }
  return heat;
}

Result<Heat> ShotMaker::strains_of(const Shot& shot) const {
  const Result<Character> rest = bare_at_rest(character_, options_.file, options_.run);
  if (!rest) return rest.error();
  Heat heat;
  for (std::size_t m = 0; m < shot.still.meshes.size(); ++m) {
    const Mesh& before = rest->meshes[m];
    heat.push_back(
        measure_strain(measured_surface(before), before.points, shot.still.meshes[m].points).at_point);
    for (float& value : heat.back()) value *= 100;
  }
  return heat;
}

// What counts as right: the same pose by another stack, or the points of a file.
Result<std::vector<Vec3>> ShotMaker::right_points(const Shot& shot, const std::string& reference) const {
  const Result<Stack> stack = parse_stack(reference);
  if (!stack && extension_of(reference).empty()) return stack.error();
  if (!stack) return load_points(reference);
  const Result<Deformer> deformer =
      ready_to_pose(character_, {*stack, NormalMode::shading}, options_.file, options_.run);
  if (!deformer) return deformer.error();
  const Result<Character> right = still_scene(*deformer, shot.frame, options_.file, options_.run);
  if (!right) return right.error();
  return all_points(*right);
}

Result<Heat> ShotMaker::errors_of(const Shot& shot, const std::string& reference) const {
  const Result<std::vector<Vec3>> right = right_points(shot, reference);
  if (!right) return right.error();
  const std::vector<Vec3> shown = all_points(shot.still);
  if (right->size() != shown.size()) {
    return Error{Errc::bad_argument, fmt::format("has {} points where {} has {}; errors go point by point",
                                                 shown.size(), reference, right->size())};
  }
  return by_mesh(shot.still, percent_apart(shown, *right));
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

Camera frame_turning(const Box& box, const View& view, double aspect) {
  // The cylinder that the turning box sweeps, as corners of a prism around it.
  constexpr int kSides = 24;
  const Vec3d middle = box.centre();
  const double radius = std::hypot(box.upper.x - middle.x, box.upper.z - middle.z) / std::cos(kPi / kSides);
  std::vector<Vec3> rim;
  for (int k = 0; k < kSides; ++k) {
    const double angle = 2 * kPi * k / kSides;
    for (const double height : {box.lower.y, box.upper.y})
      rim.emplace_back(
          Vec3d{middle.x + radius * std::sin(angle), height, middle.z + radius * std::cos(angle)});
  }
  return frame_points(rim, view, aspect);
}

Camera frame_boxes(std::span<const Box> boxes, const View& view, double aspect) {
  std::vector<Vec3> corners;
  for (const Box& box : boxes) {
    if (box.is_empty()) continue;
    for (const double x : {box.lower.x, box.upper.x}) {
      for (const double y : {box.lower.y, box.upper.y}) {
        for (const double z : {box.lower.z, box.upper.z}) corners.emplace_back(Vec3d{x, y, z});
      }
    }
  }
  return frame_points(corners, view, aspect);
}

Camera walked_around(Camera camera, const Vec3d& middle, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  for (Vec3d* place : {&camera.eye, &camera.target}) {
    const Vec3d arm = *place - middle;
    *place = middle + Vec3d{c * arm.x + s * arm.z, arm.y, c * arm.z - s * arm.x};
  }
  return camera;
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
