// SPDX-License-Identifier: MIT
// What skins show before a joint bends: edges torn between the bind pose and rest, and whom points follow.
#include <algorithm>
#include <cmath>
#include <map>

#include "measure/quality.h"
#include "measure/surface.h"

namespace dermis {
namespace {

using Triangle = SurfaceMesh::Triangle;

constexpr const char* kAtRest = "checking skins at rest";

// Points times joints that they are compared with.
std::size_t distance_count(const Character& character, const std::vector<SkinnedMesh>& shown) {
  std::size_t count = 0;
  for (const SkinnedMesh& one : shown)
    count += character.meshes[at(one.mesh)].points.size() * character.skins[at(one.skin)].node.size();
  return count;
}

// The rest pose against the bind pose, which may be in another unit: the median edge keeps its length.
RestStretch rest_stretch_of(const Mesh& mesh, const SkinnedMesh& shown, std::span<const Affined> palette,
                            double bind_size) {
  RestStretch found{shown.instance, kNone, 0};
  const MeasuredSurface surface = measured_surface(mesh);
  const std::vector<Triangle>& triangles = surface.welded.triangles;
  std::vector<Vec3> points(mesh.points.size());
  skin_lbs_reference(mesh.weights, palette, {mesh.points, {}, {}}, {points, {}, {}});
  const std::vector<Vec3> rest = welded_points(surface, points);
  std::vector<Vec3> bind = welded_points(surface, mesh.points);
  const double scale = median_edge(triangles, rest) / median_edge(triangles, bind);
  if (!(scale > 0) || !std::isfinite(scale)) return found;
  for (Vec3& p : bind) p = Vec3(Vec3d(p) * scale);
  const Growth growth = worst_growth(triangles, bind, rest);
  const double stretch = growth.most / (scale * bind_size);
  if (stretch > 0)
    found.stretch = stretch, found.point = surface.welded.source[triangles[growth.triangle][0]];
  return found;
}

}  // namespace

double median_edge(std::span<const Triangle> triangles, std::span<const Vec3> points) {
  std::vector<double> lengths;
  lengths.reserve(triangles.size());
  for (const Triangle& t : triangles) {
    const double edge = length(Vec3d(points[t[1]]) - Vec3d(points[t[0]]));
    if (std::isfinite(edge)) lengths.push_back(edge);
  }
  if (lengths.empty()) return 0;
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return *middle;
}

double SkinsAtRest::rest_stretch() const {
  double most = 0;
  for (const RestStretch& one : stretches) most = std::max(most, one.stretch);
  return most;
}

Result<SkinsAtRest> measure_skins_at_rest(const Character& character, std::size_t most_distances,
                                          const Progress& progress) {
  return without_throwing(kAtRest, [&]() -> Result<SkinsAtRest> {
    SkinsAtRest found;
    const std::vector<SkinnedMesh> shown = skinned_meshes(character);
    if (shown.empty()) return found;
    const Result<PoseFrame> rest = pose_frame(character, {});
    if (!rest) return rest.error();
    std::map<Index, Box> bind_box;  // of each skin
    for (const SkinnedMesh& one : shown) {
      for (const Vec3& p : character.meshes[at(one.mesh)].points) bind_box[one.skin].add(Vec3d(p));
    }
    for (const SkinnedMesh& one : shown) {
      if (Status going = progress.at(kAtRest, 0.1); !going) return going.error();
      found.stretches.push_back(rest_stretch_of(character.meshes[at(one.mesh)], one,
                                                rest->palette_of(one.skin), bind_box[one.skin].diagonal()));
    }
    found.coverage = measure_coverage(character, shown);
    if (Status going = progress.at(kAtRest, 0.3); !going) return going.error();
    if (distance_count(character, shown) > most_distances) return found;
    found.has_distances = true;
    found.bleed = measure_bleed(character, shown, rest_world(character), progress);
    if (Status going = progress.at(kAtRest, 0.4); !going) return going.error();
    found.placement = measure_placement(character, shown, progress);
    if (Status going = progress.at(kAtRest, 1); !going) return going.error();
    return found;
  });
}

}  // namespace dermis
