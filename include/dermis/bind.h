// SPDX-License-Identifier: MIT
// Automatic weights for a mesh and a skeleton, and operations on weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dermis/base.h"
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
  unreached,   // no point is near enough: told after binding, never by deforming_joints
};
const char* name_of(IdleReason reason);
struct DeformingJoints {
  struct Idle {
    Index node = kNone;
    IdleReason reason = IdleReason::excluded;
  };
  std::vector<Index> nodes;  // rising; at least one
  std::vector<Idle> idle;    // by node
  Notes notes;               // when names told although there are weights
};
// The joints of all skins, or all nodes that show no mesh where there is no skin, without those that do not
// deform. Where points follow joints already, those are the ones that do: a rig's author knows best.
// Elsewhere names tell, by whole words (see docs/binding.md): for the skins of `unweighted` meshes, whose
// rows are the loader's own, and for all when points follow less than a third of the joints that names would
// take. When nothing would be left, all are taken. Fails when there is no joint at all, with a label that is
// none, and with one that is in both lists.
Result<DeformingJoints> deforming_joints(const Character& character, const JointChoice& choice = {},
                                         std::span<const Index> unweighted = {});

// A body with joints of another character, and skins that name all of them. Its weights mean nothing yet.
struct AttachedBody {
  Character character;
  Index first_node = kNone;  // node n of the skeleton is node first_node + n
  Notes notes;
};
struct AttachOptions {
  // What the lengths of the skeleton are multiplied with; 0: by the units of both files, but for guessed ones
  // where the numbers of both agree better in size as they stand.
  double scale = 0;
  bool is_of_body = false;  // found in this body: of its size, however little of it the joints span
};
// Adds the nodes of `skeleton`, without its meshes, and its clips. Every mesh of `body` in the scene gets a
// skin, bound where it rests; one that is shown at several places a copy for each further one, behind the
// others, with a note. Skins and clips that `body` had are left out, and the nodes that were there for
// these skins alone, with notes. Notes say how the skeleton was scaled, and when it is of another size by a
// factor that can hardly be meant. Fails when `body` shows no point or `skeleton` has no joint.
Result<AttachedBody> attach_skeleton(const Character& body, const Character& skeleton,
                                     const AttachOptions& options = {});

// ---- What is bound --------------------------------------------------------------------------------------

// All skinned meshes of a character as one surface, in the space in which its first skin was bound.
// Coincident points of a mesh are one point here, and so are those of two meshes along a border that they
// share.
struct BindSurface {
  std::vector<Vec3> points;
  std::vector<SurfaceMesh::Triangle> triangles;  // of three different points
  std::vector<Vec3> normals;  // unit and outwards, however a shell is wound; zero: no triangle with area,
                              // or only such that reach to points far off
  std::vector<std::uint32_t> shell;  // of each point: points that triangles join have the same
  std::size_t shell_count = 0;
  // Instances that are bound, a mesh shown several times once: points_of[i][v] is the point here of point v
  // of the mesh of instances[i], surface_from_bind[i] takes it there.
  std::vector<Index> instances;
  std::vector<std::vector<std::uint32_t>> points_of;
  std::vector<Affined> surface_from_bind;
  // The diagonal of the box around the points; around most of them, should single ones be far off.
  double size = 0;
  std::size_t far_point_count = 0;
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

// The joints (of the skeleton, rising) that begin outside the body: where it hardly winds around them, and
// further from its surface than two hundredths of its size. Without triangles its points are the surface.
std::vector<Index> joints_outside(const BindSurface& surface, const BindSkeleton& skeleton);

// ---- Methods --------------------------------------------------------------------------------------------
// Each gives a row for every point of the surface, whose slots are joints of the skeleton: at least one
// influence, sum one, as long as the method makes it. Nothing fails for what a mesh is like: open, in
// pieces, not manifold, inside out or flat. They fail when there is no joint or no point, when an option is
// out of range, and with cancelled. Same bytes on any thread count.

struct HeatOptions {
  // c in c / d^2; above zero. Along a limb of radius r, the next joint's weight falls by exp(-sqrt(c) x / r).
  double conduction = 4;
};
struct BoundRows {
  WeightRows rows;
  Notes notes;
};
// Heat from joints to the surface, in equilibrium along it (Baran and Popovic 2007): -Laplace w + H w = H p,
// H = c / d^2. p is 1 at the joint that is nearest to a point, told by d 2 / (1 + cos), the angle being
// between normal and way; counted as farther when the surface is between them. Joints at nearly the same
// distance share p. In shells of which hardly a point sees its joint, p is the weights of what is nearest
// to it and d the distance to that, with a note each.
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

// By distances through the body (Dionne and de Lasa 2013): w = (1 / ((1 - a) d + a d^2))^power, normalised,
// with d the way from the joint's segment through the body in parts of its size, at least half a cell. At
// most eight joints a point, none below a thousandth.
struct VoxelOptions {
  // Edge of a cell in the units of the surface; 0: some 400,000 cells in the body, fewer where more than
  // twelve joints reach each.
  double cell = 0;
  double smoothness = 0.2;  // a, from 0 to 1: more falls off faster far away
  double power = 6;         // 1 to 64; the paper has 2, which spreads far along limbs
};
// Points outside the grid, or that no joint reaches, take straight distances. Notes say which cell was
// chosen, where limbs share cells, which joints lie outside, and what was reached only across gaps.
Result<BoundRows> bind_voxel(const BindSurface& surface, const BindSkeleton& skeleton,
                             const VoxelOptions& options = {}, const Progress& progress = {});

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
Result<BoundRows> bind_biharmonic(const BindSurface& surface, const BindSkeleton& skeleton,
                                  const BiharmonicOptions& options = {}, const Progress& progress = {});

// ---- Writing back ---------------------------------------------------------------------------------------

// Puts rows of a surface into the meshes of its instances: the heaviest `max_influences` (0: all) of at least
// a hundredth, in slots of the mesh's own skin. What is cut goes to the joints that are left, those nearest
// in the skeleton before all; a joint fades to nothing where the next one takes its place, so that smooth
// rows stay smooth. Joints that a skin does not name hand their weight to the nearest joint above that it
// does, or to its nearest. Coincident points get the same row. The notes say which meshes that befell, and of
// meshes shown with several skins which one was bound, and which nodes have its weights all the same.
Notes set_weights(Character& character, const BindSurface& surface, const BindSkeleton& skeleton,
                  const WeightRows& rows, int max_influences);

// ---- Weight operations ----------------------------------------------------------------------------------
// Rows in, rows out: valid ones with a row for each point, whose sums are one but for the rounding of floats.
// Points whose rows were the same, and that coincide where the surface counts, have the same afterwards. Same
// bytes on any thread count.

// Slots whose weights an operation keeps to the last bit, the rest of a row sharing what they leave: an entry
// for each slot of the skin, or none at all.
using SlotLocks = std::vector<bool>;

// The sum of |difference| over the joints of two rows, 0 to 2.
double row_distance(std::span<const Influence> a, std::span<const Influence> b);

// Without the influences below `threshold`, in [0, 1]. What is locked stays, and of what is not the heaviest.
WeightRows pruned_weights(const WeightRows& rows, float threshold, const SlotLocks& locks = {});

// Slot s becomes new_slot[s]; weights that meet are added up. An entry for each slot.
WeightRows remapped_weights(const WeightRows& rows, std::span<const Index> new_slot);

// (1 - factor) a + factor b, the locked weights being those of a. Fails when the counts of points differ or
// the factor is not in [0, 1].
Result<WeightRows> blended_weights(const WeightRows& a, const WeightRows& b, double factor,
                                   const SlotLocks& locks = {});

struct SmoothOptions {
  double strength = 0.5;  // how far a point goes to the mean of its neighbours at once, in [0, 1]
  int iterations = 5;     // at least 0
  // Neighbours count by the clamped cotangents of their edges, so that the mesh's own tessellation matters
  // less; else all the same.
  bool is_cotangent = true;
  SlotLocks locks{};
};
// Smooths weights along the welded surface. Coincident points whose rows differed get their mean. Weights
// below 1e-5 are dropped at the end. Points without neighbours keep their rows. Fails when the mesh has no
// weights or an option is out of range, and with cancelled. Cost grows with iterations and influences.
Result<WeightRows> smoothed_weights(const Mesh& mesh, const SmoothOptions& options = {},
                                    const Progress& progress = {});

// How far posed points are from where they were, over all points of a mesh and all poses of the range of
// motion, in parts of the diagonal of the mesh at rest.
struct PoseError {
  double rms = 0, max = 0;
};

struct LimitOptions {
  int max_influences = 4;  // at least 1
  SlotLocks locks{};       // locked influences stay and count
};
struct LimitedWeights {
  WeightRows rows;
  std::size_t limited_count = 0;  // points that had more
  std::size_t over_count = 0;     // points that still have, because of locks
  std::size_t pose_count = 0;
  PoseError refitted, cut;  // of these rows, and of the heaviest scaled to one
};
// At most so many influences a point, chosen and weighed anew so that the points move least under linear
// blending over range_of_motion: starting from all influences (the heaviest 2 N + 4), the one whose loss
// costs least is dropped until N are left, each time with the best weights (least squares, at least zero, sum
// one); the N heaviest with their best weights stand in where they do better. Where no pose tells influences
// apart they keep their proportions. Points within the limit keep their rows. `instance` is one with a skin.
// Fails when an option is out of range, and with cancelled. Parallel; 20,000 points of eight influences take
// about a second.
Result<LimitedWeights> limited_weights(const Character& character, Index instance,
                                       const LimitOptions& options, const Progress& progress = {});

enum class MirrorDirection : std::uint8_t { left_to_right, right_to_left };
struct MirrorOptions {
  MirrorDirection direction = MirrorDirection::left_to_right;
  SlotLocks locks{};
};
struct MirroredWeights {
  WeightRows rows;
  std::size_t mirrored_count = 0;    // points that took the row of the other side
  std::size_t middle_count = 0;      // points that are their own image: the mean of the row and its mirror
  std::size_t walked_count = 0;      // of these two, those paired by topology
  std::size_t other_mesh_count = 0;  // of the mirrored points, those whose pair is in another mesh
  std::vector<Index> unpaired;  // points of the side that is written without a pair; they keep their rows
  std::vector<Index> unpaired_slots;  // with weight on the side that is read, or the middle; points that
                                      // would need them keep their rows and are among the unpaired
};
// Gives one side of a mesh the weights of the other. Joints pair as mirror_skin says. Points pair where one
// lies at the mirrored place (within a thousandth of the size, both ways); from there on along the edges of
// the welded surface, whose polygons are mirrored one by one, wherever places are not; what is left by
// place within a hundredth, and then, by place within a hundredth too, in other meshes of the scene whose
// skins name joints of this one: limbs may be meshes of their own. Fails when no joints name their
// sides, and when the mesh has no weights.
Result<MirroredWeights> mirrored_weights(const Character& character, Index mesh, Index skin,
                                         const MirrorOptions& options = {});

struct TransferOptions {
  double max_distance = 0.05;                   // in parts of the diagonal of the target; above zero
  double max_angle = radians_from_degrees(30);  // between the normals; radians, in (0, pi]
};
struct TransferredWeights {
  WeightRows rows;  // of the target, by the slots of the source
  std::size_t matched_count = 0, inpainted_count = 0;
  std::size_t harmonic_count = 0;  // of the inpainted: on islands whose triangles are too uneven for more
  std::size_t nearest_count = 0, nearest_island_count = 0;  // points of islands without any match
};
// Weights for a mesh from the surface of another that stands where it does (Abdrashitov et al. 2023): points
// whose closest point on the source is near and faces the same way take its weights; the others are filled in
// along the welded surface of the target, so that w^T L M^-1 L w is least (M being areas: as smooth as the
// matched weights around them, slopes too), then held within 0 and 1. The authors' code adds w^T L w, so that
// its result depends on the unit. Islands without a match take the closest point whatever it is. Weights
// below 1e-4 are dropped. Fails when the source has no weights or no triangle, the target no point, an option
// is out of range, and with cancelled. 40,000 points to fill take about a second.
Result<TransferredWeights> transferred_weights(const Mesh& source, const Mesh& target,
                                               const TransferOptions& options = {},
                                               const Progress& progress = {});

struct SubdivideOptions {
  int levels = 1;        // 1 to 4
  bool is_flat = false;  // new points lie on edges and polygons, and old ones stay
};
// Each triangle becomes four where there are only triangles (Loop 1987); else each polygon becomes a
// quadrilateral for each of its corners (Catmull and Clark 1978). Both on the welded surface, with borders
// and edges of more than two polygons as creases; corners of a border that belong to one polygon stay.
// Points, weights and shape offsets follow the same rule, so that weights stay at least zero and sum to one.
// Texture coordinates, colours, normals (made unit again), tangents and shares of dqs are carried to the
// middle of edges and polygons, and stay at old points. Parts and materials stay. Old points come first in
// each part. Fails when there is no polygon, an option is out of range, or there would be more points than
// can be numbered.
Result<Mesh> subdivided_mesh(const Mesh& mesh, const SubdivideOptions& options = {});

// ---- Notes --------------------------------------------------------------------------------------------

// What the ids of this room's notes mean.
std::span<const NoteRow> bind_notes();

}  // namespace dermis
