// SPDX-License-Identifier: MIT
// Which joints lie outside the body that they move.
#include <algorithm>
#include <cmath>
#include <vector>

#include "bind/places.h"

namespace dermis {
namespace {

// Bodies are open at the neck or the cuffs, but still wind this much around joints inside.
constexpr double kWindsAround = 0.25;
// As a fraction of the size: joints this near the skin belong to the body (toes, ears, faces of flat meshes).
constexpr double kAtSkin = 0.02;
constexpr std::size_t kJointsAtOnce = 8;
// As a fraction of the size: targets beside the body are further from it, joints of feet and toes nearer.
constexpr double kFarTarget = 0.05;
// As a fraction of the size: joints this near each other lie at one place.
constexpr double kSamePlaceOfTarget = 1e-3;
// Of more joints than this, no two are compared.
constexpr std::size_t kMostCompared = 5000;

// Wound to match the normals, which point outwards on every shell.
std::vector<SurfaceMesh::Triangle> outward_triangles(const BindSurface& surface) {
  std::vector<SurfaceMesh::Triangle> triangles = surface.triangles;
  for (SurfaceMesh::Triangle& t : triangles) {
    const Vec3d a(surface.points[t[0]]), b(surface.points[t[1]]), c(surface.points[t[2]]);
    const Vec3d outwards(surface.normals[t[0]] + surface.normals[t[1]] + surface.normals[t[2]]);
    if (dot(cross(b - a, c - a), outwards) < 0) std::swap(t[1], t[2]);
  }
  return triangles;
}

double distance_to_points(std::span<const Vec3> points, const Vec3d& place) {
  double least = INFINITY;
  for (const Vec3& point : points) least = std::min(least, length(Vec3d(point) - place));
  return least;
}

}  // namespace

Result<std::vector<Index>> joints_outside(const BindSurface& surface, const BindSkeleton& skeleton,
                                          const Progress& progress) {
  return without_throwing("joints outside", [&]() -> Result<std::vector<Index>> {
    const std::vector<SurfaceMesh::Triangle> triangles = outward_triangles(surface);
    const WindingTree winding = winding_tree(surface.points, triangles);
    std::vector<Vec3d> places(skeleton.joint_count());
    for (auto segment = skeleton.segments.rbegin(); segment != skeleton.segments.rend(); ++segment)
      places[at(segment->joint)] = segment->from;
    std::vector<char> is_outside(places.size(), 0);
    const auto each_joint = [&](const auto& judge) {
      parallel_for(places.size(), kJointsAtOnce, [&](std::size_t begin, std::size_t end) {
        for (std::size_t j = begin; j < end && !progress.is_stopped(); ++j) is_outside[j] = judge(j) ? 1 : 0;
      });
    };
    each_joint([&](std::size_t j) {
      return triangles.empty() || !(winding_number(winding, places[j]) > kWindsAround);
    });
    // Most skeletons lie inside; then nothing needs to be near.
    if (std::find(is_outside.begin(), is_outside.end(), 1) != is_outside.end()) {
      const TriangleTree tree = triangle_tree(surface.points, triangles);
      each_joint([&](std::size_t j) {
        if (is_outside[j] == 0) return false;
        const double distance = triangles.empty()
                                    ? distance_to_points(surface.points, places[j])
                                    : closest_point(tree, surface.points, triangles, places[j]).distance;
        return distance > kAtSkin * surface.size;
      });
    }
    if (const Status go = progress.at("preparing joints", 0); !go) return go.error();
    std::vector<Index> outside;
    for (std::size_t j = 0; j < places.size(); ++j)
      if (is_outside[j] != 0) outside.push_back(static_cast<Index>(j));
    return outside;
  });
}

std::vector<DeformingJoints::Idle> controls_by_place(const BindSurface& surface, const BindSkeleton& skeleton,
                                                     std::span<const Index> outside) {
  const std::size_t count = skeleton.joint_count();
  std::vector<DeformingJoints::Idle> controls;
  if (count > kMostCompared) return controls;
  std::vector<bool> is_outside(count), is_target(count);
  std::vector<int> child_count(count, 0);
  for (const Index joint : outside) is_outside[at(joint)] = true;
  for (const Index parent : skeleton.parent) {
    if (parent != kNone) ++child_count[at(parent)];
  }
  const auto is_root = [&](std::size_t j) {
    return skeleton.parent[j] == kNone && child_count[j] >= 2 && is_outside[j];
  };
  // The topmost joint below such a root that each joint is, or hangs from, and how many hang from it.
  std::vector<std::size_t> branch(count), size(count, 0);
  for (std::size_t j = 0; j < count; ++j) {
    branch[j] = j;
    while (skeleton.parent[branch[j]] != kNone && !is_root(at(skeleton.parent[branch[j]])))
      branch[j] = at(skeleton.parent[branch[j]]);
    ++size[branch[j]];
  }
  const auto is_below_root = [&](std::size_t top) { return skeleton.parent[top] != kNone; };
  std::vector<Vec3d> places(count);
  for (auto segment = skeleton.segments.rbegin(); segment != skeleton.segments.rend(); ++segment)
    places[at(segment->joint)] = segment->from;
  for (std::size_t j = 0; j < count; ++j) {
    const std::size_t top = branch[j];
    if (!is_below_root(top) || is_target[top]) continue;
    is_target[top] = size[top] == 1 && is_outside[j] &&
                     distance_to_points(surface.points, places[j]) > kFarTarget * surface.size;
    for (std::size_t other = 0; other < count && !is_target[top]; ++other) {
      is_target[top] = is_below_root(branch[other]) && size[branch[other]] > size[top] &&
                       length(places[other] - places[j]) < kSamePlaceOfTarget * surface.size;
    }
  }
  for (std::size_t j = 0; j < count; ++j) {
    if (is_root(j)) {
      controls.push_back({skeleton.node[j], IdleReason::root});
    } else if (is_target[branch[j]]) {
      controls.push_back({skeleton.node[j], IdleReason::control});
    }
  }
  return controls;
}

}  // namespace dermis
