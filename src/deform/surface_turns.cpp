// SPDX-License-Identifier: MIT
// Normals and tangents after a stage that moved points without a matrix: rotated with the surface.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "deform/sizes.h"
#include "dermis/deform.h"
#include "dermis/geometry.h"

namespace dermis {
namespace {

constexpr std::size_t kTurnGrain = 1024;

// Scaled first: the maps contain an area, and its square may underflow.
Vec3d unit(const Vec3d& v) {
  const double largest = std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)});
  return largest > 0 && std::isfinite(largest) ? normalized(v * (1 / largest)) : Vec3d{};
}

// Area times the map of edges to edges and unit normal to unit normal:
//   F = e1' g1^T + e2' g2^T + n' n^T with g1 = (e2 x N) / |N|^2, g2 = (N x e1) / |N|^2, N = e1 x e2.
// n' points outward: against the winding if the triangle is mirrored. Zero for a triangle without area at
// rest.
Mat3d carried(const std::array<Vec3d, 3>& rest, const std::array<Vec3d, 3>& posed, bool is_mirrored) {
  const Vec3d e1 = rest[1] - rest[0], e2 = rest[2] - rest[0], normal = cross(e1, e2);
  const double doubled = length(normal);
  if (!(doubled > 0)) return diagonal(Vec3d{});
  const Vec3d f1 = posed[1] - posed[0], f2 = posed[2] - posed[0];
  const Vec3d wound = normalized(cross(f1, f2)), turned = is_mirrored ? -wound : wound;
  const double half = 0.5 / doubled;
  return outer(f1, cross(e2, normal) * half) + outer(f2, cross(normal, e1) * half) +
         outer(turned, normal * 0.5);
}

struct Job {
  const SurfaceTurns& turns;
  const RestSurface& rest;
  std::span<const Vec3> posed_points;
  std::span<const float> scales;
  const PosedSurface& posed;
  SurfaceTurnsScratch& scratch;

  void map_triangles(std::size_t begin, std::size_t end) const {
    for (std::size_t t = begin; t < end; ++t) {
      std::array<Vec3d, 3> from, to;
      int mirrored_count = 0;
      for (std::size_t c = 0; c < 3; ++c) {
        const std::size_t v = turns.triangles[3 * t + c];
        from[c] = Vec3d(rest.points[v]);
        to[c] = Vec3d(posed_points[v]);
        mirrored_count += is_mirrored(v) ? 1 : 0;
      }
      scratch.triangle_maps[t] = Mat3(carried(from, to, mirrored_count > 1));
    }
  }

  void map_points(std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i < end; ++i) {
      Mat3d sum = diagonal(Vec3d{});
      bool is_any_mirrored = false;
      for (std::uint32_t k = turns.around_first[i]; k < turns.around_first[i + 1]; ++k) {
        const std::size_t t = turns.around[k];
        sum = sum + Mat3d(scratch.triangle_maps[t]);
        for (std::size_t c = 0; c < 3 && !scales.empty(); ++c) {
          const std::size_t v = turns.triangles[3 * t + c];
          is_any_mirrored = is_any_mirrored || (turns.welded[v] == i && is_mirrored(v));
        }
      }
      scratch.posed_from_rest[i] = Mat3(sum);
      scratch.is_mirrored[i] = is_any_mirrored ? 1 : 0;
    }
  }

  void turn_points(std::size_t begin, std::size_t end) const {
    for (std::size_t v = begin; v < end; ++v) {
      const Mat3d map(scratch.posed_from_rest[turns.welded[v]]);
      const double side = scratch.is_mirrored[turns.welded[v]] != 0 ? -1 : 1;
      Vec3d normal;
      if (!rest.normals.empty()) normal = turned_normal(map, Vec3d(rest.normals[v]), side);
      if (!posed.tangents.empty()) posed.tangents[v] = turned_tangent(map, rest.tangents[v], normal, side);
      if (!posed.normals.empty()) posed.normals[v] = Vec3(normal);
    }
  }

 private:
  bool is_mirrored(std::size_t v) const { return !scales.empty() && scales[v] < 0; }

  // `side` is -1 if the surface is mirrored: there a cofactor points inward.
  static Vec3d turned_normal(const Mat3d& map, const Vec3d& at_rest, double side) {
    const Vec3d normal = unit(cofactor(map) * at_rest);
    return dot(normal, normal) > 0 ? normal * side : normalized(at_rest);
  }

  static Vec4 turned_tangent(const Mat3d& map, const Vec4& at_rest, const Vec3d& normal, double side) {
    // What is left of a vector parallel to the normal is rounding, not a direction.
    constexpr double kParallel = 16 * std::numeric_limits<float>::epsilon();
    Vec3d tangent(at_rest.xyz());
    for (const Vec3d& wanted : {unit(map * tangent), unit(tangent)}) {
      const Vec3d flat = wanted - normal * dot(normal, wanted);
      if (length(flat) > kParallel) {
        tangent = normalized(flat);
        break;
      }
    }
    const Vec3 t(tangent);
    return {t.x, t.y, t.z, at_rest.w * static_cast<float>(side)};
  }
};

}  // namespace

SurfaceTurns prepare_surface_turns(const Mesh& mesh) {
  const WeldedSurface surface = weld_surface(mesh.weld, mesh.polygons.first, mesh.polygons.corners);
  SurfaceTurns turns;
  turns.point_count = mesh.points.size();
  turns.welded.assign(surface.welded.begin(), surface.welded.end());
  turns.around_first.assign(surface.point_count() + 1, 0);
  for (const SurfaceMesh::Triangle& t : surface.triangles) {
    for (const std::uint32_t i : t) {
      turns.triangles.push_back(static_cast<std::uint32_t>(surface.source[i]));
      ++turns.around_first[i + 1];
    }
  }
  for (std::size_t i = 0; i < surface.point_count(); ++i) turns.around_first[i + 1] += turns.around_first[i];
  turns.around.resize(turns.around_first.back());
  std::vector<std::uint32_t> next(turns.around_first.begin(), turns.around_first.end() - 1);
  for (std::uint32_t t = 0; t < surface.triangles.size(); ++t) {
    for (const std::uint32_t i : surface.triangles[t]) turns.around[next[i]++] = t;
  }
  return turns;
}

void turn_surface(const SurfaceTurns& turns, const RestSurface& rest, std::span<const Vec3> posed_points,
                  std::span<const float> scales, const PosedSurface& posed, SurfaceTurnsScratch& scratch) {
  const std::size_t count = turns.welded.size();
  require(rest.points.size() == count && posed_points.size() == count);
  require(scales.empty() || scales.size() == turns.point_count);
  require(rest.normals.empty() || rest.normals.size() == count);
  require(rest.tangents.empty() || rest.tangents.size() == count);
  require(posed.normals.empty() || posed.normals.size() == rest.normals.size());
  require(posed.tangents.empty() || posed.tangents.size() == rest.tangents.size());
  scratch.triangle_maps.resize(turns.triangles.size() / 3);
  scratch.posed_from_rest.resize(turns.around_first.size() - 1);
  scratch.is_mirrored.resize(turns.around_first.size() - 1);
  // Loop bodies capture only the job, which std::function stores without allocating.
  const Job job{turns, rest, posed_points, scales, posed, scratch};
  parallel_for(scratch.triangle_maps.size(), kTurnGrain,
               [&job](std::size_t begin, std::size_t end) { job.map_triangles(begin, end); });
  parallel_for(scratch.posed_from_rest.size(), kTurnGrain,
               [&job](std::size_t begin, std::size_t end) { job.map_points(begin, end); });
  parallel_for(count, kTurnGrain,
               [&job](std::size_t begin, std::size_t end) { job.turn_points(begin, end); });
}

}  // namespace dermis
