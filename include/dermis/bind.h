// SPDX-License-Identifier: MIT
// Automatic weights for a mesh and a skeleton, and operations on weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dermis/base.h"
#include "dermis/deform.h"
#include "dermis/geometry.h"
#include "dermis/math.h"
#include "dermis/model.h"

namespace dermis {

// ---- What is bound --------------------------------------------------------------------------------------

// All skinned meshes of a character as one surface in one space: that of its bind pose, or of its rest pose
// where it has no skin yet. Coincident points of a mesh are one point here.
struct BindSurface {
  std::vector<Vec3> points;
  std::vector<SurfaceMesh::Triangle> triangles;  // of three different points
  std::vector<Vec3> normals;                     // unit, or zero where a point has no triangle with area
  std::vector<std::uint32_t> shell;              // of each point: points that triangles join have the same
  std::size_t shell_count = 0;
  // Points of instance i of `instances`: points_of[i][v] is the point here of point v of its mesh.
  std::vector<Index> instances;
  std::vector<std::vector<std::uint32_t>> points_of;
  double size = 0;  // diagonal of the box around all points; where single ones are far off, around the rest
};

// Where a joint's influence comes from: a line from the joint to the next one, or to the end of its limb.
struct JointSegment {
  Index joint = kNone;  // of the BindSkeleton
  Vec3d from, to;       // may coincide
};

// The joints that get weights.
struct BindSkeleton {
  std::vector<Index> node;             // of each joint; rising
  std::vector<Index> parent;           // the nearest joint of these above it, or kNone
  std::vector<JointSegment> segments;  // by joint; at least one for each

  std::size_t joint_count() const { return node.size(); }
};

// ---- Methods --------------------------------------------------------------------------------------------
// Each gives a row for every point of the surface, whose slots are joints of the skeleton: at least one
// influence, sum one, as long as the method makes it. Nothing fails for what a mesh is like: open, in
// pieces, not manifold, inside out or flat. They fail when there is no joint or no point, and with cancelled.
// Same bytes on any thread count.

// By distances through the body (Dionne and de Lasa 2013): w = (1 / ((1 - a) d + a d^2))^power, normalised,
// with d the way from the joint's segment through the body in parts of its size, at least half a cell. At
// most eight joints a point, none below a thousandth.
struct VoxelOptions {
  double cell = 0;          // edge of a cell in the units of the surface; 0: some 400,000 cells in the body
  double smoothness = 0.2;  // a, from 0 to 1: more falls off faster far away
  // The paper has 2, which spreads far along limbs. Mean sum of differences from the weights of the made
  // humanoid, a point: 0.78 with 2, 0.49 with 4, 0.38 with 6, 0.33 with 8. Not yet measured against artists'
  // weights.
  double power = 6;
};
// Points outside the grid, or that no joint reaches, take straight distances. Notes say which cell was
// chosen, where limbs share cells, which joints lie outside, and what was reached only across gaps.
Result<WeightRows> bind_voxel(const BindSurface& surface, const BindSkeleton& skeleton,
                              const VoxelOptions& options, Notes& notes, const Progress& progress = {});

// Bounded biharmonic weights (Jacobson et al. 2011): the smoothest that are one on a joint's own segment,
// zero on those of others, within 0 and 1, and sum to one. Solved on a lattice of cells that fill the body,
// so that time hardly depends on the points.
struct BiharmonicOptions {
  double cell = 0;               // edge of a cell in the units of the surface; 0: by the number of cells
  std::size_t cells = 10'000;    // about; time grows much faster than their number
  double tolerance = 3e-3;       // of weights, at which the iteration ends
  std::size_t iterations = 100;  // at most
};
// Where segments of several joints pass a cell they share it by length. Points outside the lattice take the
// row of the nearest cell. Notes as those of bind_voxel, and when the iteration ended above its tolerance.
Result<WeightRows> bind_biharmonic(const BindSurface& surface, const BindSkeleton& skeleton,
                                   const BiharmonicOptions& options, Notes& notes,
                                   const Progress& progress = {});

// ---- Weight operations ----------------------------------------------------------------------------------

}  // namespace dermis
