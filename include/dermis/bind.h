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

// ---- Which joints deform --------------------------------------------------------------------------------

// Nodes as the user picks them, by label.
struct JointChoice {
  std::vector<std::string> include;  // deform whatever the rule says
  std::vector<std::string> exclude;  // do not, likewise
};
// Why a joint gets no weights.
enum class IdleReason {
  excluded,    // the user says so
  unfollowed,  // the character has weights, and no point follows it
  control,     // named as what moves others: ik, pole, target, control, ...
  end,         // marks the end of a limb: nothing below it, and named end, nub, tip, site, ...
  root,        // stands for the whole character: nothing above it, one joint or more below, named root, ...
};
const char* name_of(IdleReason reason);
struct DeformingJoints {
  struct Idle {
    Index node = kNone;
    IdleReason reason = IdleReason::excluded;
  };
  std::vector<Index> nodes;  // rising; at least one
  std::vector<Idle> idle;    // by node
};
// The joints of all skins, or all nodes that show no mesh where there is no skin, without those that do not
// deform. Where points follow joints already, those are the ones that do: a rig's author knows best.
// Elsewhere names tell, by whole words (see docs/binding.md). When nothing would be left, all are taken.
// Fails when there is no joint at all, or a label that is none.
Result<DeformingJoints> deforming_joints(const Character& character, const JointChoice& choice = {});

// A body with joints of another character, and skins that name all of them. Its weights mean nothing yet.
struct AttachedBody {
  Character character;
  Index first_node = kNone;  // node n of the skeleton is node first_node + n
  Notes notes;
};
// Adds the nodes of `skeleton`, without its meshes, and its clips. Every mesh of `body` in the scene gets a
// skin, bound where it rests. Lengths are made those of `body`, by the units of both files. Skins and clips
// that `body` had are left out, with a note. Fails when `body` shows no point.
Result<AttachedBody> attach_skeleton(const Character& body, const Character& skeleton);

// ---- What is bound --------------------------------------------------------------------------------------

// All skinned meshes of a character as one surface, in the space in which its first skin was bound.
// Coincident points of a mesh are one point here.
struct BindSurface {
  std::vector<Vec3> points;
  std::vector<SurfaceMesh::Triangle> triangles;  // of three different points
  std::vector<Vec3> normals;  // unit and outwards, however a shell is wound; zero: no triangle with area
  std::vector<std::uint32_t> shell;  // of each point: points that triangles join have the same
  std::size_t shell_count = 0;
  // Instances that are bound, a mesh shown several times once: points_of[i][v] is the point here of point v
  // of the mesh of instances[i], surface_from_bind[i] takes it there.
  std::vector<Index> instances;
  std::vector<std::vector<std::uint32_t>> points_of;
  std::vector<Affined> surface_from_bind;
  double size =
      0;  // diagonal of the box around the points; around most of them, should single ones be far off
};
// Fails when no mesh in the scene has a skin and points.
Result<BindSurface> bind_surface(const Character& character);
// The same of plain triangles, as one instance; for solids that no character holds. Corners are points.
BindSurface bind_surface_of(std::vector<Vec3> points, std::vector<SurfaceMesh::Triangle> triangles);

// Where a joint's influence comes from: a line from the joint to the next one, or to the end of its limb.
struct JointSegment {
  Index joint = kNone;  // of the BindSkeleton
  Vec3d from, to;       // may coincide
};
// The joints that get weights, in the space of a BindSurface.
struct BindSkeleton {
  std::vector<Index> node;             // of each joint; rising
  std::vector<Index> parent;           // the nearest joint of these above it, or kNone
  std::vector<JointSegment> segments;  // by joint; at least one for each

  std::size_t joint_count() const { return node.size(); }
};
// Segments for `nodes` (from deforming_joints), as files rarely say where a bone ends:
// to the child where there is one; along the axis on which most joints of the rig have their only child, or
// to each child, where there are several; where there is none, on along that axis, or away from the parent,
// as far as the body reaches or another joint begins. A child behind a nearer one (a chain of twist joints
// under one parent) does not count. Joints that hang from nothing, as in hands that are listed flat, are
// taken as the shortest tree.
Result<BindSkeleton> bind_skeleton(const Character& character, const BindSurface& surface,
                                   std::span<const Index> nodes);

// ---- Methods --------------------------------------------------------------------------------------------
// Each gives a row for every point of the surface, whose slots are joints of the skeleton: at least one
// influence, sum one, as long as the method makes it. Nothing fails for what a mesh is like: open, in
// pieces, not manifold, inside out or flat. They fail when there is no joint or no point, and with cancelled.
// Same bytes on any thread count.

struct HeatOptions {
  // c in c / d^2. Along a limb of radius r, the next joint's weight falls by exp(-sqrt(c) x / r).
  double conduction = 4;
};
struct BoundRows {
  WeightRows rows;
  Notes notes;
};
// Heat from joints to the surface, in equilibrium along it (Baran and Popovic 2007): -Laplace w + H w = H p,
// H = c / d^2. p is 1 at the joint that is nearest to a point, told by d 2 / (1 + cos), the angle being
// between normal and way; counted as farther when the surface is between them. Joints at nearly the same
// distance share p. Shells that see no joint take the weights of what is nearest to them.
Result<BoundRows> bind_heat(const BindSurface& surface, const BindSkeleton& skeleton,
                            const HeatOptions& options = {}, const Progress& progress = {});

struct DistanceOptions {
  double radius = 0.1;  // in parts of the size of the body; above zero
};
// Envelopes: with d the distance of a joint and n that of the nearest, weights go as (1 - (d - n) / radius)^2
// as far as that is above zero.
Result<BoundRows> bind_distance(const BindSurface& surface, const BindSkeleton& skeleton,
                                const DistanceOptions& options = {}, const Progress& progress = {});
// All weight to the nearest joint.
Result<BoundRows> bind_rigid(const BindSurface& surface, const BindSkeleton& skeleton,
                             const Progress& progress = {});

// ---- Writing back ---------------------------------------------------------------------------------------

// Puts rows of a surface into the meshes of its instances: the heaviest `max_influences` (0: all) of at least
// a hundredth, in slots of the mesh's own skin. Joints that a skin does not name hand their weight to the
// nearest joint above that it does, or to its nearest. Coincident points get the same row. The notes say
// which meshes that befell, and of meshes shown with several skins that one was bound.
Notes set_weights(Character& character, const BindSurface& surface, const BindSkeleton& skeleton,
                  const WeightRows& rows, int max_influences);

// ---- Weight operations ----------------------------------------------------------------------------------

}  // namespace dermis
