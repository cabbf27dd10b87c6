// SPDX-License-Identifier: MIT
// Spheres packed into a solid and the paths between them: where a skeleton may run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dermis/math.h"
#include "rig/field.h"

namespace dermis {

inline double square(double v) { return v * v; }

struct GraphNode {
  Vec3d centre;
  double radius = 0;
  double prominence = 0;    // of a limb end; 0: a sphere
  std::int32_t plane = -1;  // an end only among the cells of this mirror plane

  bool is_end() const { return prominence > 0; }
};
struct GraphEdge {
  std::uint32_t to = 0;
  double length = 0;
};
// Connected. Spheres come first, largest first; then the limb ends, in their order; then those in mirror
// planes.
struct BodyGraph {
  std::vector<GraphNode> nodes;
  std::size_t sphere_count = 0;
  std::vector<std::vector<GraphEdge>> edges;  // of each node; each edge is listed at both ends
};

// A solid as the search sees it.
struct BodySolid {
  VoxelSolid solid;
  std::vector<Vec3d>
      centres;  // of the cells of the solid: looked up more often than they are worth computing
  DepthField field;
  std::uint32_t middle = 0;  // the most central cell
  double span = 0;           // the longest path through the body
  std::vector<float> way;    // distance of each cell from the middle
  std::vector<LimbEnd> ends;
};

// A plane of approximate symmetry.
struct BodyMirror {
  MirrorPlane plane;
  double share = 0;  // of the cells whose mirror image is in the body too
};
// Bodies with at least this share of mirrored cells get mirrored joints.
inline constexpr double kForceMirror = 0.9;

BodySolid survey_solid(VoxelSolid solid);
BodyGraph pack_spheres(const BodySolid& body, std::span<const BodyMirror> planes);

// The shortest paths from some nodes to all: lengths, and for each node its predecessor (itself at a start).
// A path begins with the `head_start` of its start, or zero if that is empty.
struct Ways {
  std::vector<double> length;
  std::vector<std::uint32_t> before;
};
Ways shortest_ways(const BodyGraph& graph, std::span<const std::uint32_t> from,
                   std::span<const double> head_start = {});

}  // namespace dermis
