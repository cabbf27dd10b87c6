// SPDX-License-Identifier: MIT
// Volumes inside surfaces, of the whole and of the region of each joint, in one pose and along many.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "measure/sum.h"
#include "measure/surface.h"

namespace dermis {
namespace {

using Triangle = SurfaceMesh::Triangle;

// Six times the volume of the tetrahedron from the origin.
double cone(const std::vector<Vec3d>& points, const Triangle& t) {
  return dot(points[t[0]], cross(points[t[1]], points[t[2]]));
}

const Triangle& closed_triangle(const MeasuredSurface& surface, std::size_t t) {
  const std::size_t count = surface.triangle_count();
  return t < count ? surface.welded.triangles[t] : surface.caps[t - count];
}

Index heaviest_slot(const MeasuredSurface& surface, const WeightRows& rows, const Triangle& t) {
  std::map<Index, double> sums;
  for (const std::uint32_t v : t) {
    for (const Influence& influence : rows.row(at(surface.welded.source[v])))
      sums[influence.slot] += static_cast<double>(influence.weight);
  }
  return std::max_element(sums.begin(), sums.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

// Sorts the triangles and caps by their slots.
void assign_regions(const MeasuredSurface& surface, const WeightRows& rows, JointRegions& regions) {
  const std::size_t count = surface.triangle_count();
  std::vector<Index> slot(count);
  constexpr std::size_t kVolumeGrain = 1024;
  parallel_for(count, kVolumeGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t)
      slot[t] = heaviest_slot(surface, rows, surface.welded.triangles[t]);
  });
  regions.slots = slot;
  std::sort(regions.slots.begin(), regions.slots.end());
  regions.slots.erase(std::unique(regions.slots.begin(), regions.slots.end()), regions.slots.end());
  for (const Index s : slot) {
    const auto place = std::lower_bound(regions.slots.begin(), regions.slots.end(), s);
    regions.region_of_triangle.push_back(static_cast<std::uint32_t>(place - regions.slots.begin()));
  }
  for (const std::uint32_t t : surface.triangle_of_cap)
    regions.region_of_triangle.push_back(regions.region_of_triangle[t]);
}

// Numbers the sets of points connected by border edges, by their lowest point.
void find_centres(std::size_t point_count, JointRegions& regions) {
  std::vector<std::uint32_t> parent(point_count);
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  std::vector<bool> is_border(point_count, false);
  for (const JointRegions::BorderEdge& edge : regions.border) {
    const std::uint32_t a = root(edge.from), b = root(edge.to);
    parent[std::max(a, b)] = std::min(a, b);
    is_border[edge.from] = is_border[edge.to] = true;
  }
  std::vector<std::uint32_t> centre_of_root(point_count, 0), size;
  for (std::uint32_t v = 0; v < point_count; ++v) {
    if (!is_border[v]) continue;
    if (root(v) == v) {
      centre_of_root[v] = static_cast<std::uint32_t>(size.size());
      size.push_back(0);
    }
    ++size[centre_of_root[root(v)]];
  }
  regions.centre_first.assign(size.size() + 1, 0);
  std::partial_sum(size.begin(), size.end(), regions.centre_first.begin() + 1);
  regions.centre_points.resize(regions.centre_first.back());
  std::vector<std::uint32_t> next(regions.centre_first.begin(), regions.centre_first.end() - 1);
  for (std::uint32_t v = 0; v < point_count; ++v) {
    if (is_border[v]) regions.centre_points[next[centre_of_root[root(v)]]++] = v;
  }
  for (JointRegions::BorderEdge& edge : regions.border) edge.centre = centre_of_root[root(edge.from)];
}

// The instances in the scene, each mesh prepared for measuring once.
class Scene {
 public:
  explicit Scene(const Deformer& deformer) : deformer_(deformer) {
    for (std::size_t i = 0; i < deformer.character->instances.size(); ++i) {
      const Instance& instance = deformer.character->instances[i];
      if (!instance.in_scene) continue;
      instances_.push_back(static_cast<Index>(i));
      if (!surfaces_.contains(instance.mesh))
        surfaces_.emplace(instance.mesh, measured_surface(deformer.character->meshes[at(instance.mesh)]));
    }
  }

  Result<double> volume(const PoseFrame& frame) const {
    double sum = 0;
    for (const Index i : instances_) {
      const Result<Surface> posed = pose_instance(deformer_, frame, i);
      if (!posed) return posed.error();
      sum += volume_of(surfaces_.at(deformer_.character->instances[at(i)].mesh), posed->points);
    }
    return sum;
  }

 private:
  const Deformer& deformer_;
  std::vector<Index> instances_;
  std::map<Index, MeasuredSurface> surfaces_;
};

}  // namespace

double volume_of(const MeasuredSurface& surface, std::span<const Vec3> points) {
  const std::vector<Vec3d> closed = closed_points(surface, points);
  const std::size_t count = surface.triangle_count() + surface.caps.size();
  return ordered_sum(count, [&](std::size_t t) { return cone(closed, closed_triangle(surface, t)); }) / 6;
}

JointRegions joint_regions(const MeasuredSurface& surface, const WeightRows& rows) {
  JointRegions regions;
  assign_regions(surface, rows, regions);
  std::vector<Triangle> closed = surface.welded.triangles;
  closed.insert(closed.end(), surface.caps.begin(), surface.caps.end());
  const std::size_t point_count = surface.welded.point_count() + surface.loop_count();
  for (const LooseEdge& edge : loose_edges(point_count, closed, regions.region_of_triangle))
    regions.border.push_back({edge.from, edge.to, edge.group, 0});
  find_centres(point_count, regions);
  return regions;
}

std::vector<double> region_volumes(const MeasuredSurface& surface, const JointRegions& regions,
                                   std::span<const Vec3> points) {
  const std::vector<Vec3d> closed = closed_points(surface, points);
  std::vector<Vec3d> centres(regions.centre_first.size() - 1);
  for (std::size_t c = 0; c < centres.size(); ++c)
    centres[c] = mean_of(closed, regions.centre_points, regions.centre_first[c], regions.centre_first[c + 1]);
  std::vector<double> volumes(regions.slots.size(), 0.0);
  for (std::size_t t = 0; t < regions.region_of_triangle.size(); ++t)
    volumes[regions.region_of_triangle[t]] += cone(closed, closed_triangle(surface, t)) / 6;
  for (const JointRegions::BorderEdge& edge : regions.border)
    volumes[edge.region] += dot(centres[edge.centre], cross(closed[edge.to], closed[edge.from])) / 6;
  return volumes;
}

Result<std::vector<double>> volume_curve(const Deformer& deformer, std::span<const PoseFrame> frames,
                                         const Progress& progress) {
  return without_throwing("measuring volumes", [&]() -> Result<std::vector<double>> {
    const Scene scene(deformer);
    std::vector<double> volumes;
    for (const PoseFrame& frame : frames) {
      const double fraction = static_cast<double>(volumes.size()) / static_cast<double>(frames.size());
      if (Status go = progress.at("measuring volumes", fraction); !go) return go.error();
      const Result<double> volume = scene.volume(frame);
      if (!volume) return volume.error();
      volumes.push_back(*volume);
    }
    return volumes;
  });
}

Result<std::vector<double>> volume_sweep(const Deformer& deformer, Index node, const Vec3d& axis,
                                         std::span<const double> angles, const Progress& progress) {
  return without_throwing("measuring volumes", [&]() -> Result<std::vector<double>> {
    const Character& character = *deformer.character;
    if (node < 0 || at(node) >= character.nodes.size())
      return Error{Errc::bad_argument, fmt::format("there is no node {} to turn", node)};
    std::vector<PoseFrame> frames;
    for (const double angle : angles) {
      Pose pose;
      pose.nodes.emplace_back().node = fmt::format("#{}", node);
      pose.nodes.back().turn = Quat(quat_from_axis_angle(axis, angle));
      Result<PoseFrame> frame = pose_frame(character, {kNone, 0, &pose});
      if (!frame) return frame.error();
      frames.push_back(std::move(*frame));
    }
    return volume_curve(deformer, frames, progress);
  });
}

}  // namespace dermis
