// SPDX-License-Identifier: MIT
// Automatic weights for a mesh and a skeleton, and operations on weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dermis/base.h"
#include "dermis/geometry.h"
#include "dermis/math.h"
#include "dermis/model.h"

namespace dermis {

// ---- Which joints deform --------------------------------------------------------------------------------

// Nodes chosen by the user, by label.
struct JointChoice {
  std::vector<std::string> include;  // deform, whatever the rules decide
  std::vector<std::string> exclude;  // do not deform, likewise
};
// Why a joint gets no weights.
enum class IdleReason {
  excluded,    // by the user
  unfollowed,  // the character has weights, but no point follows the joint
  control,     // its name is that of a control (ik, pole, target, control, ...), or its place
  end,         // marks the end of a limb: nothing below it, and named end, nub, tip, site, ...
  root,        // stands for the whole character: nothing above it, one joint or more below, named root, ...
  unreached,   // no point is near enough; known only after binding, never from deforming_joints
};
const char* name_of(IdleReason reason);
struct DeformingJoints {
  struct Idle {
    Index node = kNone;
    IdleReason reason = IdleReason::excluded;
  };
  std::vector<Index> nodes;     // rising; at least one
  std::vector<Index> unproven;  // of them: neither points that follow them nor the user show that they deform
  std::vector<Idle> idle;       // by node
  Notes notes;                  // if names decided although there are weights
};
// The joints of all skins, or all nodes without a mesh if there is no skin, except those that do not deform.
// If points already follow joints, exactly those deform: a rig's author knows best. Otherwise names decide,
// by whole words (see docs/binding.md): for the skins of `unweighted` meshes, whose rows the loader made up,
// and for all skins if points follow less than a third of the joints that names would select. If nothing
// would be left, all joints are taken. Fails if there is no joint at all, a label is unknown, or a label is
// in both lists.
Result<DeformingJoints> deforming_joints(const Character& character, const JointChoice& choice = {},
                                         std::span<const Index> unweighted = {});

// A body with joints from another character, and skins that name all of them. Its weights are not set yet.
struct AttachedBody {
  Character character;
  Index first_node = kNone;  // node n of the skeleton is node first_node + n
  Notes notes;
};
struct AttachOptions {
  // The factor for the lengths of the skeleton; 0: derived from the units of both files, except if a unit is
  // guessed and the sizes agree better unscaled.
  double scale = 0;
  bool is_of_body = false;  // found in this body: has its size, however little of it the joints span
};
// Adds the nodes of `skeleton`, without its meshes, and its clips. Every mesh of `body` in the scene gets a
// skin, bound where it rests; a mesh with several instances gets a copy for each further one, after the other
// meshes, with a note. The skins and clips of `body` are dropped, and so are nodes that only those skins
// needed, with notes. Notes report how the skeleton was scaled, and warn if its size differs by a factor that
// is hardly intended. Fails if `body` shows no point or `skeleton` has no joint.
Result<AttachedBody> attach_skeleton(const Character& body, const Character& skeleton,
                                     const AttachOptions& options = {});

// ---- Fitting a skeleton to a body -----------------------------------------------------------------------

// How a skeleton is carried to a body as a whole: to scale * turn(point) + shift.
struct SkeletonMove {
  Quatd turn;
  double scale = 1;
  Vec3d shift;

  Vec3d operator()(const Vec3d& point) const { return rotate(turn, point) * scale + shift; }
};
// Where single joints belong, in the space of the body.
struct JointPlace {
  Index node = kNone;
  Vec3d at;
  bool is_middle = true;     // in the trunk: joints between two of these follow them, not the limbs beside
  std::optional<Vec3d> tip;  // where the limb beyond the joint ends: the far end of a hand
};
struct SkeletonFitting {
  SkeletonMove whole;
  std::vector<JointPlace> places;  // each node at most once; may be none
  std::vector<Index> feet;         // the nodes that stand on the ground
  Vec3d up{0, 1, 0};               // of the body; unit
};
struct FittedSkeleton {
  Character character;            // nodes, clips and one skin that names the joints; no meshes
  std::size_t carried_count = 0;  // joints that moved without a place of their own
  Notes notes{};                  // channels of shapes and controls that were left out
};
// The skeleton of a character with joints at their places. Joints between two placed ones keep their
// proportions along the line between them; what hangs from a placed joint (fingers, twist joints) is moved,
// turned and scaled with its bone; the rest moves with the whole. Frames of limbs turn with their bones and
// rotation keys stay (those of roots are turned): clips point limbs where they pointed, and turn the trunk
// from where it rests. Translation keys are scaled with their bones. A clip that moves its roots is
// shifted along `up` so that the lowest of the feet comes down to where it stands at rest.
// Linear in nodes and keys. Fails with bad_rig if a joint that is turned has an unevenly scaled or mirrored
// parent, and with cancelled.
Result<FittedSkeleton> fit_skeleton(const Character& skeleton, const SkeletonFitting& fitting,
                                    const Progress& progress = {});

// ---- What is bound --------------------------------------------------------------------------------------

// All skinned meshes of a character as one surface, in the bind space of its first skin. Coincident points of
// a mesh are one point here, and so are those of two meshes along a shared border.
struct BindSurface {
  std::vector<Vec3> points;
  std::vector<SurfaceMesh::Triangle> triangles;  // of three different points
  std::vector<Vec3> normals;  // unit and outwards, whatever the winding of a shell; zero: no triangle with
                              // area, or only triangles that reach to far points
  std::vector<std::uint32_t> shell;  // of each point: points joined by triangles have the same
  std::size_t shell_count = 0;
  // The bound instances, each mesh once: points_of[i][v] is the point of this surface for point v of the mesh
  // of instances[i], and surface_from_bind[i] is the transform to it.
  std::vector<Index> instances;
  std::vector<std::vector<std::uint32_t>> points_of;
  std::vector<Affined> surface_from_bind;
  // The diagonal of the bounding box of the points, or of most of them if single ones are far away.
  double size = 0;
  std::size_t far_point_count = 0;
  // The triangles sorted for rays, if bind_surface made this; without it, functions that need it sort anew.
  std::shared_ptr<const RayTree> rays;
};
// Fails if no mesh in the scene has a skin and points, or with cancelled.
Result<BindSurface> bind_surface(const Character& character, const Progress& progress = {});
// The same for plain triangles, as one instance; for solids without a character. Corners are points.
BindSurface bind_surface_of(std::vector<Vec3> points, std::vector<SurfaceMesh::Triangle> triangles);

// The source of a joint's influence: a line from the joint to the next one, or to the end of its limb.
struct JointSegment {
  Index joint = kNone;  // in the BindSkeleton
  Vec3d from, to;       // may coincide
};
// The joints that get weights, in the space of a BindSurface.
struct BindSkeleton {
  std::vector<Index> node;             // of each joint; rising
  std::vector<Index> parent;           // its nearest ancestor among these joints, or kNone
  std::vector<JointSegment> segments;  // by joint; at least one for each

  std::size_t joint_count() const { return node.size(); }
};
// Segments for `nodes` (from deforming_joints), because files rarely state where a bone ends. With one child:
// to the child. With several: along the axis on which most joints of the rig have their only child, or else
// to each child. With children at its own place only: a point, because these continue it. With none: onwards
// along that axis, or away from the parent, as far as the body reaches or another joint begins. A child
// behind a nearer one (a chain of twist joints under one parent) does not count. Joints without a parent, as
// in hands stored as a flat list, are joined into the shortest tree.
Result<BindSkeleton> bind_skeleton(const Character& character, const BindSurface& surface,
                                   std::span<const Index> nodes, const Progress& progress = {});

// The joints (of the skeleton, rising) that begin outside the body: the body hardly winds around them, and
// they are further from its surface than 2 % of its size. Without triangles its points are the surface.
Result<std::vector<Index>> joints_outside(const BindSurface& surface, const BindSkeleton& skeleton,
                                          const Progress& progress = {});

// The joints that control others, to judge by their places (`outside`: by joints_outside), by node. A joint
// that lies outside the body, with nothing above it and several joints directly below, is the root of the
// whole character. Of the branches below it, those of one joint far from the body are targets, and so are
// whole branches in which a joint lies where one of a larger branch does, as a hand's target lies in the
// wrist. Quadratic in joints; none of more than 5,000.
std::vector<DeformingJoints::Idle> controls_by_place(const BindSurface& surface, const BindSkeleton& skeleton,
                                                     std::span<const Index> outside);

// ---- Methods --------------------------------------------------------------------------------------------
// Each returns a row for every point of the surface, whose slots are joints of the skeleton: at least one
// influence, sum one, any length. Every kind of mesh works: open, in pieces, non-manifold, inside out or
// flat. They fail if there is no joint or no point, if an option is out of range, or with cancelled. Same
// bytes on any thread count.

struct HeatOptions {
  // c in c / d^2; above zero. Along a limb of radius r, the next joint's weight falls by exp(-sqrt(c) x / r).
  double conduction = 4;
  // Surfaces with more points are not solved by a factorization, which grows faster than the surface, but by
  // iteration on several levels. A note states how far from the exact equilibrium heat can be.
  std::size_t most_factored = 200'000;
};
struct BoundRows {
  WeightRows rows;
  Notes notes;
};
// Heat from joints to the surface, in equilibrium along it (Baran and Popovic 2007): -Laplace w + H w = H p,
// H = c / d^2. p is 1 at the joint nearest to a point by d 2 / (1 + cos), where the angle is between the
// normal and the direction to the joint; joints hidden by the surface count as farther. Joints at nearly the
// same distance share p. In shells where hardly a point sees its joint, p is the weights of the nearest point
// of the other shells and d the distance to it, with a note each.
Result<BoundRows> bind_heat(const BindSurface& surface, const BindSkeleton& skeleton,
                            const HeatOptions& options = {}, const Progress& progress = {});

struct DistanceOptions {
  double radius = 0.1;  // as a fraction of the size of the body; above zero
};
// Envelopes: weights are proportional to max(0, 1 - (d - n) / radius)^2, with d the distance of a joint and n
// that of the nearest.
Result<BoundRows> bind_distance(const BindSurface& surface, const BindSkeleton& skeleton,
                                const DistanceOptions& options = {}, const Progress& progress = {});
// All weight to the nearest joint.
Result<BoundRows> bind_rigid(const BindSurface& surface, const BindSkeleton& skeleton,
                             const Progress& progress = {});

// By distances through the body (Dionne and de Lasa 2013): w = (1 / ((1 - a) d + a d^2))^power, normalised,
// with d the distance from the joint's segment through the body as a fraction of its size, at least half a
// cell. At most eight joints per point, none below 0.001.
struct VoxelOptions {
  // Edge of a cell in the units of the surface; 0: about 400,000 cells in the body, fewer if more than twelve
  // joints reach each.
  double cell = 0;
  double smoothness = 0.2;  // a, from 0 to 1: higher values fall off faster far away
  double power = 6;         // 1 to 64; the paper uses 2, which spreads far along limbs
};
// Points outside the grid, or that no joint reaches, use straight distances. Notes report the cell chosen,
// limbs that share cells, joints outside the body, and pieces reached only across gaps.
Result<BoundRows> bind_voxel(const BindSurface& surface, const BindSkeleton& skeleton,
                             const VoxelOptions& options = {}, const Progress& progress = {});

// Bounded biharmonic weights (Jacobson et al. 2011): the smoothest weights that are one on a joint's own
// segment, zero on those of others, within 0 and 1, and sum to one. Solved on a lattice of cells that fill
// the body, so time hardly depends on the number of points.
struct BiharmonicOptions {
  double cell = 0;               // edge of a cell in the units of the surface; 0: derived from `cells`
  std::size_t cells = 10'000;    // approximate; time grows much faster than their number
  double tolerance = 3e-3;       // of weights, at which the iteration ends
  std::size_t iterations = 100;  // at most
};
// If segments of several joints pass through a cell, they share it by length. Points outside the lattice take
// the row of the nearest cell. Notes as for bind_voxel, and one if the iteration ended above its tolerance.
Result<BoundRows> bind_biharmonic(const BindSurface& surface, const BindSkeleton& skeleton,
                                  const BiharmonicOptions& options = {}, const Progress& progress = {});

// ---- Shells that do not bend ----------------------------------------------------------------------------

// A shell of a BindSurface that follows one joint as a whole.
struct StiffShell {
  std::uint32_t shell = 0;
  Index joint = kNone;  // of the BindSkeleton
};
// The shells that artists keep rigid (plates, eyes, buttons, glasses, ball joints), judged by the rows of a
// method: those that one joint holds by 70 % of their area, or by less if no pivot is inside them or if they
// are small and round; balls around a pivot, which turn with its joint; and closed ones between several
// branches of the skeleton, which follow the joint where the branches meet. In the order of the shells; none
// in a body of one shell, nor a shell with half of its area. Rows of at least one influence for each point.
// Shells in `whole` follow the joint that holds most of them, whatever they look like. About linear in the
// points. Fails only with cancelled or out of memory.
Result<std::vector<StiffShell>> find_stiff_shells(const BindSurface& surface, const BindSkeleton& skeleton,
                                                  const WeightRows& rows,
                                                  std::span<const std::uint32_t> whole = {},
                                                  const Progress& progress = {});
// The same rows, except that the points of these shells follow their joints.
WeightRows stiffened(const BindSurface& surface, const WeightRows& rows, std::span<const StiffShell> stiff);

// ---- Writing back ---------------------------------------------------------------------------------------

// Writes rows of a surface into the meshes of its instances: the heaviest `max_influences` (0: all) of at
// least 0.01, in slots of the mesh's own skin. The weight removed goes to the remaining joints, first to
// those nearest in the skeleton; a joint fades to nothing where the next one replaces it, so smooth rows stay
// smooth. A joint that a skin does not name gives its weight to its nearest ancestor in the skin, or else to
// the nearest joint in it. Coincident points get the same row. Notes list the affected meshes; for meshes
// shown with several skins, which one was bound and which nodes share its weights.
Notes set_weights(Character& character, const BindSurface& surface, const BindSkeleton& skeleton,
                  const WeightRows& rows, int max_influences);

// ---- Weight operations ----------------------------------------------------------------------------------
// Rows in, rows out: valid, one for each point, with sums of one up to float rounding. Points whose rows were
// the same (and that coincide, for operations on the surface) have the same rows afterwards. Same bytes on
// any thread count.

// Slots whose weights an operation keeps to the last bit; the rest of a row shares what is left. One entry
// per slot of the skin, or empty.
using SlotLocks = std::vector<bool>;

// The points that an operation may change; the others keep their rows to the last bit. One entry per point of
// the mesh, or empty: all.
using PointChoice = std::vector<bool>;

// The sum of |difference| over the joints of two rows, 0 to 2.
double row_distance(std::span<const Influence> a, std::span<const Influence> b);

// Without the influences below `threshold`, in [0, 1]. Locked influences stay, and so does the heaviest other
// one.
WeightRows pruned_weights(const WeightRows& rows, float threshold, const SlotLocks& locks = {});

// Slot s becomes new_slot[s]; weights on the same new slot are added. One entry per slot.
WeightRows remapped_weights(const WeightRows& rows, std::span<const Index> new_slot);

// (1 - factor) a + factor b; locked weights are those of a. Fails if the counts of points differ or the
// factor is not in [0, 1].
Result<WeightRows> blended_weights(const WeightRows& a, const WeightRows& b, double factor,
                                   const SlotLocks& locks = {});

struct SmoothOptions {
  double strength = 0.5;  // the fraction by which a point moves to the mean of its neighbours, in [0, 1]
  int iterations = 5;     // at least 0
  // Neighbours are weighted by the clamped cotangents of their edges, so that the tessellation matters less;
  // else equally.
  bool is_cotangent = true;
  SlotLocks locks{};
  PointChoice points{};  // coincident points must be chosen together; their neighbours stay and pull on them
};
// Smooths weights along the welded surface. Coincident points whose rows differed get their mean. Weights
// below 1e-5 are dropped at the end. Points without neighbours keep their rows. Fails if the mesh has no
// weights or an option is out of range, or with cancelled. Cost grows with iterations and influences.
Result<WeightRows> smoothed_weights(const Mesh& mesh, const SmoothOptions& options = {},
                                    const Progress& progress = {});

// The distance of posed points from their original positions, over all points of a mesh and all poses of the
// range of motion, as a fraction of the mesh's diagonal at rest.
struct PoseError {
  double rms = 0, max = 0;
};

struct LimitOptions {
  int max_influences = 4;  // at least 1
  SlotLocks locks{};       // locked influences stay and count
  PointChoice points{};    // counts and errors are of these only
};
struct LimitedWeights {
  WeightRows rows;
  std::size_t limited_count = 0;  // points that had more
  std::size_t over_count = 0;     // points that still have more, because of locks
  std::size_t pose_count = 0;
  PoseError refitted, cut;  // of these rows, and of the N heaviest scaled to sum one
};
// At most N influences per point, chosen and refitted so that the points move least under linear blending
// over range_of_motion: starting from all influences (the heaviest 2 N + 4), the one whose loss costs least
// is dropped until N are left, each time with the best weights (least squares, at least zero, sum one); the N
// heaviest, refitted or only scaled, are used instead where they do better. So no point is further off, by
// squares over all poses, than by cutting, nor the worst point in its worst pose. Influences that no pose
// tells apart keep their proportions. Points within the limit keep their rows. `instance` must have a skin.
// Fails if an option is out of range, or with cancelled. Parallel; 20,000 points with eight influences take
// about a second.
Result<LimitedWeights> limited_weights(const Character& character, Index instance,
                                       const LimitOptions& options, const Progress& progress = {});

enum class MirrorDirection : std::uint8_t { left_to_right, right_to_left };
struct MirrorOptions {
  MirrorDirection direction = MirrorDirection::left_to_right;
  SlotLocks locks{};
  PointChoice points{};  // counts are of these only
};
struct MirroredWeights {
  WeightRows rows;
  std::size_t mirrored_count = 0;  // points that took the row from the other side
  std::size_t middle_count = 0;  // points that are their own image: the mean of the row and its mirror image
  std::size_t walked_count = 0;  // of these two, those paired by topology
  std::size_t other_mesh_count = 0;    // of the mirrored points, those whose pair is in another mesh
  std::vector<Index> unpaired;         // points without a pair on the written side; they keep their rows
  std::vector<Index> unpaired_joints;  // nodes with weight on the side that is read, or the middle, whose
                                       // partner does not exist or is not in the skin; points that would need
                                       // it keep their rows and count as unpaired
};

// Left and right of all skinned meshes: which joints and which points mirror each other. It stays valid while
// weights change, and nothing else.
struct MirrorSides {
  struct Body {
    SkinnedBody body;
    std::optional<MirroredSkin> joints;  // those of the body; none: they name no sides
    MirrorPairs points;                  // those of the body; empty if there are no sides
  };
  std::vector<Body> bodies;
};
// Joints pair as in mirror_skin and points as in pair_mirror_points, over all meshes whose skins share
// joints: limbs and eyes may be separate meshes. About n log n; parallel.
Result<MirrorSides> prepare_mirror(const Character& character);

// Gives one side of a mesh the weights of the other. A row that already is the mirror image of its pair's
// stays to the last bit. Fails if no joints name their sides, or if the mesh has no weights under a skin.
Result<MirroredWeights> mirrored_weights(const Character& character, const MirrorSides& sides, Index mesh,
                                         const MirrorOptions& options = {});

// Every shell of a mesh whose points are all chosen follows one joint: the one with most weight in `rows`,
// which has one row per point. Shells with weight on a locked joint keep their rows.
struct RigidShells {
  WeightRows rows;
  std::size_t shell_count = 0, locked_count = 0;  // made rigid; left because of locks
};
RigidShells rigid_shells(const Mesh& mesh, const WeightRows& rows, const SlotLocks& locks = {},
                         const PointChoice& points = {});

struct TransferOptions {
  double max_distance = 0.05;                   // as a fraction of the target's diagonal; above zero
  double max_angle = radians_from_degrees(30);  // between the normals; radians, in (0, pi]
};
struct TransferredWeights {
  WeightRows rows;  // of the target, in slots of the source
  std::size_t matched_count = 0, inpainted_count = 0;
  std::size_t harmonic_count = 0;  // of the inpainted: on islands too uneven for the biharmonic solve
  std::size_t nearest_count = 0, nearest_island_count = 0;  // points of islands without any match
};
// Weights for a mesh from the surface of another in the same place (Abdrashitov et al. 2023): points whose
// closest point on the source is near and faces the same direction take its weights; the others are filled in
// along the welded surface of the target by minimising w^T L M^-1 L w (M: areas; this continues the matched
// weights and their slopes), then clamped to 0 to 1. The authors' code adds w^T L w, so its result depends on
// the unit. Islands without a match take the closest point, whatever it is. Weights below 1e-4 are dropped.
// Fails if the source has no weights or no triangle, the target has no point, or an option is out of range,
// or with cancelled. Filling in 40,000 points takes about a second.
Result<TransferredWeights> transferred_weights(const Mesh& source, const Mesh& target,
                                               const TransferOptions& options = {},
                                               const Progress& progress = {});

struct SubdivideOptions {
  int levels = 1;        // 1 to 4
  bool is_flat = false;  // new points lie on edges and polygons; old points stay in place
};
// If there are only triangles, each becomes four (Loop 1987); otherwise each polygon becomes one
// quadrilateral per corner (Catmull and Clark 1978). Both on the welded surface, with borders and edges of
// more than two polygons as creases; corners of a border that belong to one polygon stay. Points, weights and
// shape offsets follow the same rule, so that weights stay at least zero and sum to one. Texture coordinates,
// colours, normals (renormalised), tangents and shares of dqs are interpolated to the middle of edges and
// polygons, and keep their values at old points. Parts and materials stay. Old points come first in each
// part. Fails if there is no polygon, an option is out of range, or there would be more points than indices
// can hold.
Result<Mesh> subdivided_mesh(const Mesh& mesh, const SubdivideOptions& options = {});

// ---- Helper joints --------------------------------------------------------------------------------------
// Joints that drivers move and that take weight from the joints they help. At rest they move as these do, so
// that nothing changes until a driver reads something.

enum class HelperKind : std::uint8_t {
  // Joints along a bone that spread twists over its length. Its own twist grows from nothing at its root to
  // all at its end, and that of the next joint likewise; see TwistSpread.
  twist,
  half,     // at a joint, in its parent's frame: turns half as far
  bulge,    // in the middle of a bone: thicker and shorter, by as much volume, while another joint is bent
  breathe,  // in the middle of what follows a joint: thicker while a control is set
};
const char* name_of(HelperKind kind);

// The twists that the twist joints of a bone spread. Upper arms and thighs spread their own, which is
// otherwise lost at their root; forearms and shins also that of hands and feet. Other bones spread their own
// if a joint above them has weight, and that of the next joint if it hangs from the bone and has weight.
enum class TwistSpread : std::uint8_t { own, next, both };
const char* name_of(TwistSpread spread);

inline constexpr int kMostTwistJoints = 16;
struct HelperRequest {
  HelperKind kind = HelperKind::twist;
  Index joint = kNone;  // at which the bone begins
  int count = 3;        // twist joints: 1 to kMostTwistJoints; those that no point would follow are left out
  std::optional<TwistSpread> spread{};  // of twist joints; unset: decided as for TwistSpread
  Index bend = kNone;                   // bulge: the joint that bends
  // Bulge and breathe: how much thicker, 0.1 to 10, when the joint is bent by `angle` (radians, above 0, at
  // most pi) or the control is 1.
  double scale = 1.3;
  double angle = radians_from_degrees(90);
  std::string control{};  // empty: "flex." and the name of the joint for a bulge, "breathe" to breathe
};
// The same for the joints on the other side, by role or name; requests that exist keep their numbers.
// `unpaired` gets the joints that name a side but have no partner.
std::vector<HelperRequest> with_other_side(const Character& character,
                                           std::span<const HelperRequest> requests,
                                           std::vector<Index>& unpaired);
// Twist joints (`count` per bone; 0: none) for the bones of arms and legs, and half-angle joints where these
// begin and end, as far as points follow them. Fails as map_joints does.
Result<std::vector<HelperRequest>> proposed_helpers(const Character& character, int count, bool has_halves,
                                                    const Progress& progress = {});

struct AddedHelper {
  HelperKind kind = HelperKind::twist;
  std::size_t request = 0;      // the number of the request
  Index node = kNone;           // new, at the end of the nodes
  Index joint = kNone;          // that it helps
  Index source = kNone;         // twist: the end of the bone; half: the joint; bulge: what bends
  double place = 0;             // along the bone: 0 at its joint, 1 at its end
  double share = 0;             // twist, half: of the rotation that it shows
  TwistSpread spread{};         // twist
  std::string control{};        // bulge, breathe
  std::size_t point_count = 0;  // that follow it
};
struct AddedHelpers {
  std::vector<AddedHelper> joints;
  std::vector<std::size_t> present;  // requests that were met before
  std::vector<std::size_t> useless;  // requests without a point that would follow the joint
  struct Mesh {
    Index mesh = kNone;
    std::size_t point_count = 0;  // whose weights changed
    std::size_t longest_before = 0, longest_after = 0;
    std::size_t cut_count = 0;  // points that needed more influences than the mesh allows
  };
  std::vector<Mesh> meshes;  // that changed
  Notes notes;
};
// Adds the joints, their drivers and controls, and gives them weight: half-angle joints first, then bulges,
// then twist joints, whatever the order. No point gets more influences than the longest row of its mesh has,
// or four; what exceeds them is cut as by set_weights. Clips and the rest of the character stay. Fails,
// without a change, if a joint does not exist or lies in no skin, a bone has no length, a half-angle joint
// has no joint above it, or a number is out of range.
Result<AddedHelpers> add_helper_joints(Character& character, std::span<const HelperRequest> requests,
                                       const Progress& progress = {});

// ---- Notes --------------------------------------------------------------------------------------------

// What the ids of this room's notes mean.
std::span<const NoteRow> bind_notes();

}  // namespace dermis
