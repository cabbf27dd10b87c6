// SPDX-License-Identifier: MIT
// Spheres packed into a solid and the ways between them: where a skeleton may run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dermis/deform.h"
#include "rig/field.h"

namespace dermis {

inline double square(double v) { return v * v; }

struct GraphNode {
  Vec3d centre;
  double radius = 0;
  double prominence = 0;    // of a limb end; 0: a sphere
  std::int32_t plane = -1;  // an end among the cells of this mirror plane alone

  bool is_end() const { return prominence > 0; }
};
struct GraphEdge {
  std::uint32_t to = 0;
  double length = 0;
};
// Connected. Spheres come first, fattest first; then the limb ends, in their order; then those in mirror
// planes.
struct BodyGraph {
  std::vector<GraphNode> nodes;
  std::size_t sphere_count = 0;
  std::vector<std::vector<GraphEdge>> edges;  // of each node; each edge stands at both ends
};

// A solid as the search sees it.
struct BodySolid {
  VoxelSolid solid;
  DepthField field;
  std::uint32_t middle = 0;  // the cell from which nothing is far
  double span = 0;           // the longest way through the body
  std::vector<float> way;    // from the middle, of each cell
  std::vector<LimbEnd> ends;
};

// A plane that a body is nearly its own mirror image in.
struct BodyMirror {
  MirrorPlane plane;
  double share = 0;  // of the cells whose mirror image is in the body too
};
// Bodies of which so many cells mirror each other get joints that do.
inline constexpr double kForceMirror = 0.9;

BodySolid survey_solid(VoxelSolid solid);
BodyGraph pack_spheres(const BodySolid& body, std::span<const BodyMirror> planes);

// The shortest ways from some nodes to all: lengths, and for each node the one before it (itself at a start).
// A way begins with `head_start` of its start, zero where that is empty.
struct Ways {
  std::vector<double> length;
  std::vector<std::uint32_t> before;
};
Ways shortest_ways(const BodyGraph& graph, std::span<const std::uint32_t> from,
                   std::span<const double> head_start = {});

}  // namespace dermis
