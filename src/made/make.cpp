// SPDX-License-Identifier: MIT
// The table of built-in characters, and the steps from a plan to a character of the requested size.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "dermis/made.h"
#include "made/plan.h"

namespace dermis {
namespace {

constexpr std::size_t kMinPoints = 1000;
constexpr std::size_t kMaxPoints = 1000000;

// The header's tolerance for the number of points, as a fraction of the requested one.
constexpr double kCountTolerance = 0.01;

// If a surface has a handle or too many points at one cell size, a finer one is tried.
constexpr int kMaxTries = 5;
constexpr double kFinerCell = 0.93;

struct KindRow {
  MadeRow row;
  BodyPlan (*plan)();
};
constexpr std::array<KindRow, 6> kKinds{{
    {{MadeKind::tube, "tube", "a capped tube with three joints along +Y, for closed forms"}, plan_tube},
    {{MadeKind::arm, "arm", "a left arm from shoulder to fist: one elbow, twist in the forearm"}, plan_arm},
    {{MadeKind::humanoid, "humanoid", "a whole person with hands, feet and a face, walking"}, plan_humanoid},
    {{MadeKind::quadruped, "quadruped", "a dog-like animal with tail and ears, walking"}, plan_quadruped},
    {{MadeKind::hand, "hand", "a left hand with five fingers that makes a fist"}, plan_hand},
    {{MadeKind::face, "face", "a head with lips, mouth cavity and eyelids, with blend shapes"}, plan_face},
}};

bool is_one_ball(const SurfaceMesh& mesh) {
  const SurfaceTopology t = measure_topology(mesh.points.size(), mesh.triangles);
  return t.is_closed && t.is_manifold && t.component_count == 1 && t.euler_characteristic == 2;
}

// Meshes at the plan's feature cell, or finer if more points are requested, until count and topology are
// right.
Result<SurfaceMesh> mesh_body(const BodyPlan& plan, std::size_t wanted, const Progress& progress) {
  IsosurfaceOptions options;
  options.box = plan.sculpture.bounds();
  options.cell = plan.feature_cell;
  options.is_mirrored = plan.is_mirrored;
  options.max_points = wanted;
  for (int i = 0; i < kMaxTries; ++i) {
    Result<SurfaceMesh> mesh = mesh_isosurface(plan.sculpture, options, progress);
    if (!mesh) return mesh;
    const double count = static_cast<double>(mesh->points.size()), goal = static_cast<double>(wanted);
    if (count < goal * (1 - kCountTolerance)) {
      // Points grow with the inverse square of the cell; a slight excess is removed by simplifying.
      options.cell *= std::sqrt(count / goal) * 0.999;
      continue;
    }
    // More remain if nothing more could be collapsed; another cell size may allow more.
    const bool is_near_goal = count <= goal * (1 + kCountTolerance);
    if (is_near_goal && is_one_ball(*mesh)) return mesh;
    options.cell *= kFinerCell;
  }
  return Error{Errc::internal,
               fmt::format("made {}: no clean surface with {} points was found", plan.name, wanted)};
}

Mesh mesh_of(const BodyPlan& plan, const SurfaceMesh& surface) {
  Mesh mesh;
  mesh.name = plan.name;
  mesh.points.reserve(surface.points.size());
  for (const Vec3d& p : surface.points) mesh.points.push_back(Vec3(p));
  for (const Vec3d& n : surface.normals) mesh.normals.values.push_back(Vec3(n));
  for (const auto& t : surface.triangles) {
    for (const std::uint32_t v : t) mesh.polygons.corners.push_back(static_cast<Index>(v));
    mesh.polygons.first.push_back(static_cast<std::uint32_t>(mesh.polygons.corners.size()));
  }
  mesh.parts.push_back(
      {0, static_cast<Index>(mesh.points.size()), 0, static_cast<Index>(mesh.polygons.count())});
  mesh.weld = weld_coincident(mesh.points);
  return mesh;
}

void add_shapes(const BodyPlan& plan, std::span<const Vec3d> points, Mesh& mesh) {
  // A hundredth of a millimetre: smaller movements are invisible.
  constexpr double kStill = 1e-5;
  for (const ShapePlan& s : plan.shapes) {
    Shape shape;
    shape.name = s.name;
    for (std::size_t v = 0; v < points.size(); ++v) {
      const Vec3d offset = s.offset(points[v]);
      if (!(length(offset) > kStill)) continue;
      shape.points.push_back(static_cast<Index>(v));
      shape.offsets.push_back(Vec3(offset));
    }
    mesh.shapes.push_back(std::move(shape));
  }
}

Result<Character> build(const BodyPlan& plan, const SurfaceMesh& surface, const Progress& progress) {
  Character character;
  character.name = plan.name;
  add_skeleton(plan, character);
  Mesh mesh = mesh_of(plan, surface);
  if (Status s = progress.at("weighting", 0.9); !s) return s.error();
  mesh.weights = weights_of(plan, surface.points);
  add_shapes(plan, surface.points, mesh);
  Instance instance;
  instance.mesh = 0;
  instance.skin = 0;
  instance.shape_weights.assign(mesh.shapes.size(), 0.0f);
  instance.node = static_cast<Index>(character.nodes.size());
  Node holder;
  // Not just the name of the kind: a joint may have that name, as in the hand.
  holder.name = plan.name + "_mesh";
  character.nodes.push_back(std::move(holder));
  character.meshes.push_back(std::move(mesh));
  character.instances.push_back(std::move(instance));
  character.clips.push_back(clip_of(plan, character));
  if (Status s = validate(character); !s) return s.error();
  return character;
}

}  // namespace

std::span<const MadeRow> made_kinds() {
  static const std::array<MadeRow, kKinds.size()> rows = [] {
    std::array<MadeRow, kKinds.size()> result{};
    for (std::size_t i = 0; i < kKinds.size(); ++i) result[i] = kKinds[i].row;
    return result;
  }();
  return rows;
}

Result<Character> make_character(MadeKind kind, const MakeOptions& options, const Progress& progress) {
  return without_throwing("making a character", [&]() -> Result<Character> {
    const auto found =
        std::find_if(kKinds.begin(), kKinds.end(), [&](const KindRow& k) { return k.row.kind == kind; });
    if (found == kKinds.end()) return Error{Errc::bad_argument, "this kind of character is not built in"};
    if (options.points < kMinPoints || options.points > kMaxPoints)
      return Error{Errc::bad_argument, fmt::format("{}: {} points were requested; use {} to {}",
                                                   found->row.name, options.points, kMinPoints, kMaxPoints)};
    const BodyPlan plan = found->plan();
    if (kind == MadeKind::tube) return build(plan, tube_surface(options.points), progress);
    Result<SurfaceMesh> surface = mesh_body(plan, options.points, progress);
    if (!surface) return surface.error();
    return build(plan, *surface, progress);
  });
}

}  // namespace dermis
