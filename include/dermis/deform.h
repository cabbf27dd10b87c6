// SPDX-License-Identifier: MIT
// Deformers: rest surface and palette in, posed surface out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dermis/base.h"
#include "dermis/math.h"
#include "dermis/model.h"
#include "dermis/motion.h"

namespace dermis {

// ---- Surfaces -----------------------------------------------------------------------------------------

// Points with per-point normals and tangents; empty normals or tangents are absent and stay absent.
struct Surface {
  std::vector<Vec3> points;
  std::vector<Vec3> normals;   // unit
  std::vector<Vec4> tangents;  // unit xyz; w = +1 or -1 gives the side of the bitangent
};

// What a deformer reads. Each span has one entry per point, or is empty.
struct RestSurface {
  std::span<const Vec3> points;
  std::span<const Vec3> normals;
  std::span<const Vec4> tangents;
};

// What a deformer writes: same sizes as its RestSurface; an empty span is not written.
struct PosedSurface {
  std::span<Vec3> points;
  std::span<Vec3> normals;
  std::span<Vec4> tangents;
};

// How normals follow the joints. In every mode they are unit and point outward, even where joints mirror
// (cofactors are multiplied by the sign of their determinant). Where a blend cancels to zero, the heaviest
// joint alone rotates the normal; if that has no direction either, the rest normal is kept. A zero rest
// normal stays zero.
enum class NormalMode {
  shading,            // cofactors of the joints, blended with the weights: what game engines do
  inverse_transpose,  // cofactor of the blended matrix: exact where weights are constant
  exact,              // cofactor of the full derivative, including the weight gradients
};

// Surface gradients of the weights, for NormalMode::exact: row v has (slot, gradient) for every joint that
// influences v or a neighbour of v.
struct WeightGradients {
  struct Entry {
    Index slot = 0;
    Vec3 gradient;  // per unit length, tangent to the rest surface
  };
  std::vector<std::uint32_t> first;  // point count + 1
  std::vector<Entry> entries;
};

// Gradients of the mesh's weights over its welded surface: linear on each triangle (polygons are split into
// fans), averaged over the triangles around a point by area. Slots ascend within a row. Fails if the mesh has
// no weights. Points without a polygon, or with only degenerate ones, get none.
Result<WeightGradients> prepare_weight_gradients(const Mesh& mesh);

// ---- Plain references ---------------------------------------------------------------------------------
// Readable, one point at a time; the kernels are tested against these. The palette belongs to the skin that
// the rows refer to; there is one row per point. Mismatched sizes end the program. `posed` may alias `rest`.
// Same bytes on any thread count.
// Tangents are transformed by the blended matrix, then made unit and orthogonal to the posed normal. They
// keep their handedness, except that it flips where that matrix mirrors (in mode exact: where the joints do).

struct ReferenceOptions {
  NormalMode normals = NormalMode::shading;
  // For the given rest points. Required by every method that blends in mode exact, otherwise not read.
  const WeightGradients* gradients = nullptr;
};

// Each point follows its heaviest joint, in double. Same bytes as skin_lbs_reference with that joint alone.
void skin_rigid_reference(const WeightRows& rows, std::span<const Affined> palette, RestSurface rest,
                          PosedSurface posed, const ReferenceOptions& options = {});
// Linear blend skinning, accumulated in double, rounded once at the end.
void skin_lbs_reference(const WeightRows& rows, std::span<const Affined> palette, RestSurface rest,
                        PosedSurface posed, const ReferenceOptions& options = {});
// The same in float throughout: kernels differ from it only by rounding. With n influences, it differs from
// the double version by at most 2^-23 (n + 8) times the largest |linear entries| * |point| + |translation| of
// a row.
void skin_lbs_reference_float(const WeightRows& rows, std::span<const Affine> palette, RestSurface rest,
                              PosedSurface posed, const ReferenceOptions& options = {});

// The methods below blend rotations, in double. A joint's stretch (scale, shear, mirror) is split off and
// blended linearly, then the rigid parts move the stretched point (two phases, Kavan et al. 2008). A row with
// one influence equals that joint exactly. Quaternions enter a sum with the sign that is closer to the row's
// heaviest joint.
// Normals: `shading` blends the cofactors of the stretches with the weights and rotates them by the blended
// rotation; `exact` differentiates the posed point while the weights follow their gradients, to 1e-8, with
// signs held fixed. It treats the shares of lbs_dqs, and centres without gradients, as constant along the
// surface.

struct DqsOptions {
  // Bent elbows bulge under dual quaternions. 0 keeps the bulge. At 1, no blended point is farther from its
  // axis point, itself posed by linear blending, than its stretches account for. Values in between
  // interpolate. Only points are pulled back: normals and tangents remain those of the bulge.
  float bulge_correction = 0;
  // Read if bulge_correction is not 0. For each point the middle of its limb at rest: the nearest point of
  // the bones, or its centre of rotation. If it is not finite, the point is not corrected.
  std::span<const Vec3> axis_points;
};

// Dual quaternion linear blending (Kavan et al. 2008).
void skin_dqs_reference(const WeightRows& rows, std::span<const Affined> palette, RestSurface rest,
                        PosedSurface posed, const ReferenceOptions& options = {}, const DqsOptions& dqs = {});
// Quaternions and translations blended separately. Correct only if all joints rotate about the origin: kept
// as a baseline for comparison.
void skin_quaternion_reference(const WeightRows& rows, std::span<const Affined> palette, RestSurface rest,
                               PosedSurface posed, const ReferenceOptions& options = {});
// Blends the logarithms of the rigid motions, each along the shorter arc (Alexa 2002).
void skin_log_matrix_reference(const WeightRows& rows, std::span<const Affined> palette, RestSurface rest,
                               PosedSurface posed, const ReferenceOptions& options = {});
// Rotates about the centre where the joints in the point's joint set agree best (Kavan and Zara 2005). In
// mode exact, the set includes the joints of the point's gradients: next to a region with more joints, it is
// the larger set.
void skin_spherical_reference(const WeightRows& rows, std::span<const Affined> palette, RestSurface rest,
                              PosedSurface posed, const ReferenceOptions& options = {});
// Linear and dual quaternion blending, mixed per point: `dqs_share` has an entry in [0, 1] for each; 0 is
// exactly lbs, 1 is exactly dqs. Points are mixed linearly, and so are the normal maps before normals are
// made unit.
void skin_lbs_dqs_reference(const WeightRows& rows, std::span<const Affined> palette,
                            std::span<const float> dqs_share, RestSurface rest, PosedSurface posed,
                            const ReferenceOptions& options = {});
// Rotates each point about its own centre, given at rest in the space of the points (Le and Hodgins 2016).
// For rows with one influence the centre only matters in mode exact. Only that mode reads `centre_gradients`:
// one per point (prepare_centre_gradients), or empty.
void skin_cor_reference(const WeightRows& rows, std::span<const Affined> palette,
                        std::span<const Vec3> centres, RestSurface rest, PosedSurface posed,
                        const ReferenceOptions& options = {}, std::span<const Mat3> centre_gradients = {});

// ---- Kernels ------------------------------------------------------------------------------------------
// The same methods for many points and every frame: in float, with the processor's vector instructions (AVX2,
// SSE4, NEON or none), chosen at run time. A mesh is arranged once (SkinBlocks, RestBlocks), the palette of a
// pose is packed once (PackedJoints), then a kernel poses a range of points in one pass: no failure, no
// allocation. Points keep their order. A point's bytes depend only on its own row, its rest values and the
// pose, not on its neighbours, the range or the thread count: coincident points with equal weights stay
// together. Normals are those of NormalMode::shading, except that a blend below 1e-5 of its terms counts as
// zero. Mismatched sizes end the program.

// The number of points that are blended together.
inline constexpr std::size_t kBlockPoints = 8;
// Ranges given to kernels start at multiples of this.
inline constexpr std::size_t kRangePoints = 128;

// Weight rows for the kernels: eight neighbouring points share one list of joints if their rows are similar,
// and have a list each otherwise. Rows may have any length.
struct SkinBlocks {
  struct Block {
    std::uint32_t first_slot = 0;    // in `slots`; neighbours with the same list share it
    std::uint32_t first_weight = 0;  // in `weights`, counted in eights
    std::uint16_t width = 0;         // joints in the list, or the longest row of a scattered block
    bool is_scattered = false;       // (width + 1) * 8 slots: each point's, then its heaviest; else width
  };
  std::size_t point_count = 0;
  std::size_t slot_count = 0;        // one more than the highest slot used
  std::vector<Block> blocks;         // the last one is padded with points without weight
  std::vector<std::uint32_t> slots;  // ascending within a list
  AlignedVector<float> weights;      // [joint of the list][point of the block]
};
// Fails if there are too many weights for 32-bit indices. Linear in the influences.
Result<SkinBlocks> prepare_blocks(const WeightRows& rows);
// For rigid skinning: each point follows its heaviest joint only.
Result<SkinBlocks> prepare_rigid_blocks(const WeightRows& rows);

// A rest surface for the kernels: per eight points all x, then all y, then all z; for tangents all w follow.
struct RestBlocks {
  std::size_t point_count = 0;
  AlignedVector<float> points;    // 24 per block
  AlignedVector<float> normals;   // 24, or empty
  AlignedVector<float> tangents;  // 32, or empty
};
// Allocates only if `out` is too small for the surface, so not when it is reused.
void set_rest_blocks(RestSurface rest, RestBlocks& out);

// Sorts the points of a mesh by joint set and heaviest joint, within each part, for the fastest path through
// the kernels; everything that refers to points is updated. The result is each point's old index:
// out[source[v]] = in[v] restores file order for posed values. Meshes without weights are unchanged.
std::vector<Index> reorder_for_skinning(Mesh& mesh);

// The kernels. Rigid skinning uses lbs on prepare_rigid_blocks; direct_delta_mush has its own kernel.
enum class SkinKernel { lbs, dqs, quaternion, log_matrix, spherical, lbs_dqs, cor };

// One pose's palette, packed for one kernel.
struct PackedJoints {
  SkinKernel kernel = SkinKernel::lbs;
  std::size_t slot_count = 0;
  bool is_rigid = true;         // no joint scales, shears or mirrors
  AlignedVector<float> values;  // for each slot, the numbers to blend
};
// Allocates only if `out` was never this large. Rigid palettes take the shorter path automatically.
void pack_joints(SkinKernel kernel, std::span<const Affined> palette, PackedJoints& out);

// A range of points; `end` beyond the last point means all of them.
struct PointRange {
  std::size_t begin = 0;  // a multiple of kRangePoints
  std::size_t end = SIZE_MAX;
};

// `posed` spans the whole mesh; points outside the range are not touched.
void skin_lbs(const SkinBlocks& skin, const PackedJoints& joints, const RestBlocks& rest, PosedSurface posed,
              PointRange range = {});
void skin_dqs(const SkinBlocks& skin, const PackedJoints& joints, const RestBlocks& rest, PosedSurface posed,
              PointRange range = {});
void skin_quaternion(const SkinBlocks& skin, const PackedJoints& joints, const RestBlocks& rest,
                     PosedSurface posed, PointRange range = {});
void skin_log_matrix(const SkinBlocks& skin, const PackedJoints& joints, const RestBlocks& rest,
                     PosedSurface posed, PointRange range = {});

// Linear and dual quaternion blending mixed by `dqs_share`, 0 to 1, one per point.
void skin_lbs_dqs(const SkinBlocks& skin, const PackedJoints& joints, std::span<const float> dqs_share,
                  const RestBlocks& rest, PosedSurface posed, PointRange range = {});

// Each point rotates about its own centre; `centres` stores the centres as RestBlocks::points.
void skin_cor(const SkinBlocks& skin, const PackedJoints& joints, const RestBlocks& centres,
              const RestBlocks& rest, PosedSurface posed, PointRange range = {});

// The joint sets of a skin, found once per mesh, and the centres where they agree best, found once per pose.
struct JointSets {
  std::vector<std::vector<std::uint32_t>> sets;  // slots ascend within a set; sets in order of first use
  std::vector<std::uint32_t> set_of_point;       // padded to whole blocks
};
JointSets joint_sets(const WeightRows& rows);
struct RotationCentres {
  AlignedVector<float> values;  // x y z 0 per set
  std::vector<Affined> rigid;   // rigid parts of the palette, from which the centres are computed
};
// Allocates only if `out` was never this large.
void set_rotation_centres(const JointSets& sets, std::span<const Affined> palette, RotationCentres& out);
void skin_spherical(const SkinBlocks& skin, const PackedJoints& joints, const JointSets& sets,
                    std::span<const float> set_centres, const RestBlocks& rest, PosedSurface posed,
                    PointRange range = {});

// Runs the kernel that the joints were packed for. Each kernel reads only its own fields of `extras`.
struct KernelExtras {
  std::span<const float> dqs_share;     // lbs_dqs
  const RestBlocks* centres = nullptr;  // cor
  const JointSets* sets = nullptr;      // spherical
  std::span<const float> set_centres;   // spherical
};
void skin_by_kernel(const SkinBlocks& skin, const PackedJoints& joints, const KernelExtras& extras,
                    const RestBlocks& rest, PosedSurface posed, PointRange range = {});

// The instruction set the kernels use: "AVX2", "SSE4", "NEON" or "SCALAR" (plain code).
const char* kernel_target();
// kernel_targets lists the instruction sets this machine can run, best first. use_kernel_target selects one
// of them, for tests and comparisons; an empty name selects the best. False if the name is not in the list.
const std::vector<std::string>& kernel_targets();
bool use_kernel_target(std::string_view name);

// ---- Stages -------------------------------------------------------------------------------------------
// Stacks consist of stages. A room exports its stages as rows of a table. A stage is prepared once per mesh,
// is then immutable, and is applied to each pose. Everything that changes from pose to pose is in a state
// owned by the caller, so that threads can share a stage.

// What a stage works on: the rest surface, the step from the rest surface to the posed one, or the posed
// surface.
enum class StagePhase { rest, skin, posed };
const char* name_of(StagePhase phase);  // "skin"

// A numeric option of a stage.
struct StageOption {
  enum class Type { number, count };
  const char* name;  // "iterations"
  Type type;
  double least, most;              // both allowed
  std::optional<double> fallback;  // empty: chosen per mesh
  const char* help;
};

struct StageTraits {
  bool needs_surface = false;     // reads the welded polygons of the mesh
  bool measures_normals = false;  // moves only points; turn_surface measures normals after the last stage
  bool is_sequential = false;     // its state carries over between frames: it must see them in order
};

struct StageRow;

// A stage in a stack. The row must outlive it; two uses are equal if their names and options are.
struct StageUse {
  struct Value {
    std::string option;
    double value = 0;
    friend bool operator==(const Value&, const Value&) = default;
  };
  const StageRow* row = nullptr;
  std::vector<Value> values = {};  // as given; each option at most once

  // As given, or the option's default; empty if the default is chosen per mesh.
  std::optional<double> value_of(std::string_view option) const;
  friend bool operator==(const StageUse& a, const StageUse& b);
};

// What a stage is prepared for. Surfaces of stages have one entry per point of the mesh. If normals or
// tangents are on corners, more entries follow: one per distinct combination on the corners. Everything
// except `use` outlives the stage.
struct StageInput {
  const Character* character = nullptr;
  Index mesh = kNone;
  bool is_skinned = false;
  const StageUse* use = nullptr;
  const Surface* rest = nullptr;  // before rest stages; per-corner normals and tangents are zero at points
  std::span<const Index> corner_points;  // the point of each entry that follows the point entries
  std::span<const Index> used_slots;     // slots of the skin that some point follows
  NormalMode normals = NormalMode::shading;
  bool are_normals_measured = false;  // some stage measures_normals; no stage needs to rotate them
};

// What a stage needs to pose one instance: its scratch memory, and whatever carries over between frames.
// Stages derive from it. The stack sets the fields of this base class before each apply.
class StageState {
 public:
  virtual ~StageState() = default;
  Index instance = kNone;
  const Surface* rest = nullptr;  // all entries, after the rest stages
  bool is_rest_moved = false;     // a rest stage changed it
  // blended_scales of the points, for posed stages; empty unless a stage measures normals.
  std::span<const float> scales;
};

// Must be safe to use from several threads at once, each with its own state.
class Stage {
 public:
  virtual ~Stage() = default;
  virtual std::unique_ptr<StageState> make_state() const { return std::make_unique<StageState>(); }
  // True if apply would change nothing in this frame and can be skipped.
  virtual bool is_idle(const PoseFrame& /*frame*/, Index /*instance*/) const { return false; }
  // Rest and posed stages change the point entries in place; the stack copies rest values to corners, and
  // checks that posed points are finite. Skin stages read state.rest and write all entries of `surface`,
  // which has the same sizes; they skip normals and tangents if those are measured. `state` was made by this
  // stage.
  virtual Status apply(const PoseFrame& frame, Surface& surface, StageState& state) const = 0;
  // Notes on what a pose requires that the stage cannot do.
  virtual Notes pose_notes(const PoseFrame& /*frame*/, Index /*instance*/) const { return {}; }
};

struct PreparedStage {
  std::shared_ptr<const Stage> stage;
  Notes notes;  // what was assumed
  // If its options make the stage need a surface, the effect on a mesh without polygons: "the bulge
  // correction changes nothing".
  std::string without_surface{};
};

// One stage the user can name in a stack. Help, documents and errors come from these rows.
struct StageRow {
  const char* name = "";  // one spelling everywhere
  StagePhase phase = StagePhase::skin;
  StageTraits traits = {};
  std::span<const StageOption> options = {};
  const char* keeps = "";
  const char* breaks = "";             // where it breaks
  const char* scalars_per_joint = "";  // numbers per joint that a pose provides
  const char* cost = "";               // in E, the benchmark's time for lbs as a plain Eigen loop
  const char* paper = "";
  const char* without_surface = "";       // if needs_surface, the effect on a mesh without polygons
  std::optional<SkinKernel> kernel = {};  // the kernel it uses in NormalMode::shading
  // For rest stages: true if the character has data for it on this mesh. The stage then joins every stack.
  // Null: never.
  bool (*has_data)(const Character& character, Index mesh) = nullptr;
  // May fail, for instance with cancelled. Must be set.
  Result<PreparedStage> (*prepare)(const StageInput& input, const Progress& progress) = nullptr;
};

// shapes, psd, rigid, lbs, dqs, quaternion, log_matrix, spherical, lbs_dqs, cor, direct_delta_mush,
// delta_mush.
std::span<const StageRow> deform_stages();

// ---- Stacks -------------------------------------------------------------------------------------------

std::vector<StageUse> linear_blending();  // lbs alone
// Stages in phase order, no duplicates, exactly one of phase skin. Instances without a skin use only their
// rest stages and their node.
struct Stack {
  std::vector<StageUse> stages = linear_blending();
  friend bool operator==(const Stack&, const Stack&) = default;
};

// "lbs", "shapes,dqs:bulge_correction=0.5,delta_mush": names from `table` joined by commas, each with its
// options after colons; spaces around names are ignored. Errc::usage explains what is wrong with the text.
Result<Stack> read_stack(std::string_view text, std::span<const StageRow> table);
// Text that read_stack turns back into the same stack.
std::string name_of(const Stack& stack);
// A stack of deform_stages(), for text written in code: invalid text ends the program.
Stack deform_stack(std::string_view text);
// Errc::bad_argument names the broken stack rule or option range.
Status check_stack(const Stack& stack);

const StageRow& skin_row(const Stack& stack);
bool has_phase(const Stack& stack, StagePhase phase);
bool is_sequential(const Stack& stack);
bool measures_normals(const Stack& stack);

// An option given separately from the stack; it applies to the stage of that name, if the stack has it.
struct StageSetting {
  std::string stage, option;
  double value = 0;
};

// In mode `shading`, methods that have a kernel run on it, in float. The code of the plain references handles
// the rest: other modes, dqs with bulge correction (about the centres of prepare_cor), instances without a
// skin, and poses that exceed the kernel's float precision (a mesh bound far away and posed near the origin).
// After a stage that measures normals, normals and tangents come from turn_surface in every mode.
struct DeformOptions {
  Stack stack{};
  NormalMode normals = NormalMode::shading;
  std::vector<StageSetting> settings = {};
  bool adds_rest_stages = true;  // puts those of `table` that have data before the stack
  std::span<const StageRow> table = deform_stages();
};

// The stack that poses `character`: the given stack, with settings applied where it does not set the option
// itself, preceded by the rest stages that some mesh has data for.
Stack full_stack(const Character& character, const DeformOptions& options);

// ---- Whole instances ----------------------------------------------------------------------------------

// The mesh's points with its blend shapes added, before any skinning; `shape_weights` has one entry per
// shape. Per-point normals and tangents are included, and made unit again where a shape moved them;
// per-corner ones are left to the caller. Sums in double, rounded once.
Surface shaped_surface(const Mesh& mesh, std::span<const float> shape_weights);

// A character prepared for a stack: everything that does not depend on the pose, once per mesh.
struct PreparedMesh;
struct Deformer {
  const Character* character = nullptr;
  DeformOptions options;
  Stack stack;  // full_stack
  // One per instance, shared where they agree; null for instances outside the scene.
  std::vector<std::shared_ptr<const PreparedMesh>> meshes;
  Notes notes;  // what was assumed, and which stages change nothing
};

// Prepares the instances in the scene; those outside cost nothing and cannot fail here. Preparation (centres
// of rotation, smoothing) uses the mesh without its shapes. `character` must be valid and outlive the result
// unchanged. Fails as check_stack and the stages' own preparations do, and with cancelled.
Result<Deformer> prepare_deformer(const Character& character, const DeformOptions& options,
                                  const Progress& progress = {});

// The states of all stages and instances of one deformer: empty at first, filled as instances are posed. Used
// by one thread at a time. Sequential stages keep what they remember of earlier frames here.
struct InstanceState;
struct DeformState {
  DeformState() = default;
  DeformState(DeformState&&) = default;
  DeformState& operator=(DeformState&&) = default;
  std::vector<std::shared_ptr<InstanceState>> instances;  // by instance; null: not posed yet
};

// One instance in world space: rest stages, then its skin and posed stages, or its node's transform. Points
// in mesh order; normals and tangents if they are per point. Gradients for mode exact are those of the rest
// surface after the rest stages. An instance outside the scene is prepared again by each call, without notes.
// Fails if the pose moves a point out of the range of float, and for such an instance as prepare_deformer
// does. Same bytes for any thread count and any number of calls.
// On kernels it does not allocate if `state` and `out` were used for the instance before.
Status pose_surface(const Deformer& deformer, const PoseFrame& frame, Index instance, DeformState& state,
                    Surface& out);
// The same with a new state: sequential stages start at this frame.
Result<Surface> pose_instance(const Deformer& deformer, const PoseFrame& frame, Index instance);

// Notes on what this pose requires that the stack cannot do: points that follow both mirroring and
// non-mirroring joints, if the method stretches about the mesh's origin (quaternion, log_matrix, spherical,
// dqs, lbs_dqs). One note for each such mesh in the scene. Linear in the influences.
Notes pose_notes(const Deformer& deformer, const PoseFrame& frame);

// The whole scene as a still character: one node and one mesh per instance in the scene, in node order,
// points in world space, no skins, shapes or clips. Instance k of the result is instance k in the scene.
// Texture coordinates, colours, parts and polygons are kept; normals and tangents on corners are posed with
// the point of each corner. If everything an instance follows mirrors, its polygons are wound the other way,
// so that outside stays outside. The result is a valid character. Fails as pose_surface does, and when
// `progress` is asked to stop.
Result<Character> pose_scene(const Deformer& deformer, const PoseFrame& frame, DeformState& state,
                             const Progress& progress = {});
// The same with a new state.
Result<Character> pose_character(const Deformer& deformer, const PoseFrame& frame,
                                 const Progress& progress = {});

// Preparation and posing in one call, for a single pose: deform_instance prepares only its own instance,
// deform_character the whole scene. Notes are dropped.
Result<Surface> deform_instance(const Character& character, const PoseFrame& frame, Index instance,
                                const DeformOptions& options);
Result<Character> deform_character(const Character& character, const PoseFrame& frame,
                                   const DeformOptions& options, const Progress& progress = {});

// ---- Sculpts pulled back --------------------------------------------------------------------------------

struct PullBackOptions {
  double tolerance = 1e-6;  // as a fraction of the diagonal of the mesh
  int max_rounds = 40;
};
// What a rest surface lacks in a pose.
struct PulledBack {
  std::vector<Vec3> offsets;  // of the rest points, after the rest stages of the pose
  // How far the posed points then are from the target, as fractions of the diagonal of the mesh at rest.
  double median = 0, largest = 0;
  Index worst = kNone;  // the point that is farthest
  // Points that move, where the stack flattens space at this pose: a direction of rest space keeps less than
  // a twentieth of its length. Offsets there are damped, so that they stay small.
  std::size_t damped_count = 0;
  int round_count = 0;
};
// Offsets which, added to the rest surface, make the deformer pose an instance as `target`: points in world
// space, one per point of the mesh. Shapes and correctives of the frame stay as they are. Each point is
// solved by the inverse of its own 3x3 matrix, measured by moving the rest surface, which is exact for every
// skinning stage, because each poses a point as an affine function of its rest (damped least squares where
// that is singular: Nakamura, Hanafusa 1986). Posed stages couple points: Newton's method, whose linear
// problems GMRES solves with these inverses as preconditioner (Saad, Schultz 1986), until the tolerance is
// met or it no longer improves. Fails as pose_surface does, for targets of another size or with coordinates
// that are not finite, and with cancelled.
Result<PulledBack> pull_back(const Deformer& deformer, const PoseFrame& frame, Index instance,
                             std::span<const Vec3> target, const PullBackOptions& options = {},
                             const Progress& progress = {});

// ---- Another rest pose ---------------------------------------------------------------------------------

// The character with the rest pose of `nodes` (its own nodes with other rests). Skinned surfaces are deformed
// into it with the stack, once: points, normals, tangents, and the offsets of shapes, which turn with their
// points. Bind and rest pose are then the same, and at rest the surface is the deformed one. Where skin and
// rest already agreed, meshes keep their space and unit. Clips show what they showed before, except for
// blending: nodes that a clip does not move get a key with their old rest. Nodes of meshes without a skin
// move with their parents. A mesh that several skins show is copied, one for each. Skins whose joints stay
// are not changed. Fails as posing does, or with cancelled.
Result<Character> rest_in_pose(const Character& character, std::vector<Node> nodes,
                               const DeformOptions& options, const Progress& progress = {});

// ---- Optimised centres of rotation: rest time -----------------------------------------------------------

struct CorOptions {
  double sigma = 0.1;            // how similar weights must be to share a centre; above zero
  double max_weight_step = 0.1;  // samples are closer than this in weight space; above zero
};

// The centre of rotation p* of each point (Le and Hodgins 2016). Points without one (a single influence, or
// no surface near them that follows two of their joints) are their own centre: R (v - p*) + sum_j w_j C_j p*
// is then linear blending, which is exact for a single joint, and kernels need no special case.
struct CorCentres {
  std::vector<Vec3> centres;             // one per point, in rest space
  std::size_t without_centre_count = 0;  // points that are their own centre
};

// The centre depends only on the weights of a point: coincident points with equal weights share it. The
// surface is collected into bins of weight pairs, 1/64 wide, which moves centres by less than a thousandth of
// the mesh's size (a third of that on CesiumMan). Fails if the mesh has no weights or an option is out of
// range, and with cancelled. 40,000 points take from 0.3 s (a humanoid) to 4 s (four joints out of nine at
// every point). Same bytes on any thread count.
Result<CorCentres> prepare_cor(const Mesh& mesh, const CorOptions& options = {},
                               const Progress& progress = {});

// How the centres change along the rest surface, one matrix per point: linear on each triangle, averaged by
// area as in prepare_weight_gradients. The identity at points that are their own centre; triangles between
// those and others are left out, since centres jump there. `centres` has one entry per point of the mesh.
std::vector<Mat3> prepare_centre_gradients(const Mesh& mesh, std::span<const Vec3> centres);

// ---- Delta mush -----------------------------------------------------------------------------------------

struct DeltaMushOptions {
  int iterations = 10;  // at least 0; 0 changes nothing
  float step = 0.5f;    // fraction of the distance to its neighbours' mean that a point moves; in (0, 1]
};

// The defaults, but with fewer and smaller steps if they would reach further than 3 % of the mesh's size:
// steps are counted in edges, and on a coarse mesh the defaults melt limbs together. Stacks use these.
DeltaMushOptions delta_mush_options(const Mesh& mesh);

// How a posed mesh is smoothed and gets its detail back (Mancewicz et al. 2014). Works on the welded surface,
// whose points are reordered (neighbours close together). Border points are averaged along the border only,
// so that openings keep their rim.
struct DeltaMush {
  int iterations = 0;
  float step = 0.5f;
  std::size_t point_count = 0;             // of the mesh
  std::vector<std::uint32_t> copy_first;   // welded point i is the mean of copies[copy_first[i] .. [i + 1])
  std::vector<std::uint32_t> copies;       // points of the mesh
  std::vector<std::uint32_t> ring_first;   // what i is averaged over; empty if it is not smoothed
  std::vector<std::uint32_t> ring;         // welded points
  std::vector<std::uint32_t> frame_first;  // edges whose sums span the surface at i; empty: no frame
  // Edge from i to `end`: adds `along` times itself to the first axis, `across` times itself to the second.
  struct FrameEdge {
    std::uint32_t end = 0;
    float along = 0, across = 0;
  };
  std::vector<FrameEdge> frame_edges;
  std::vector<std::uint32_t> frame_of;  // whose frame rotates the detail of i: its own, or the nearest one
  std::vector<Vec3> deltas;             // the detail at rest, in that frame
};

// Memory for apply between its passes; grows once and is then reused.
struct DeltaMushScratch {
  std::vector<Vec4> now, next;  // welded points, w unused
};

// Deltas are those of mesh.points. Fails with bad_argument if an option is out of range. N log N.
Result<DeltaMush> prepare_delta_mush(const Mesh& mesh, const DeltaMushOptions& options = {});
// The detail for other rest points, such as those of shaped_surface; the mesh's point count. Costs as much as
// an apply. No allocation if `scratch` and `deltas` were used before.
void set_deltas(const DeltaMush& mush, std::span<const Vec3> rest, DeltaMushScratch& scratch,
                std::vector<Vec3>& deltas);
// Smooths `points` (posed, all of the mesh) and adds the detail, rotated with the smoothed surface. In the
// rest pose the result is the rest points, up to rounding; a rigid motion of the whole pose moves the result
// the same way. Coincident points stay coincident. `scales` gives the scale of the detail at each point,
// negative where it is mirrored (blended_scales); empty: 1 everywhere. `deltas` are those of set_deltas;
// empty: mush.deltas. Mismatched sizes end the program. No allocation if `scratch` was used before; same
// bytes on any thread count.
void apply_delta_mush(const DeltaMush& mush, std::span<const float> scales, std::span<Vec3> points,
                      DeltaMushScratch& scratch, std::span<const Vec3> deltas = {});

// The size of each point's neighbourhood relative to rest: cube roots of the joints' |determinants|, blended
// with the weights. 1 for rigid joints. Negative where the joints, blended the same way, mirror. `scales` has
// one entry per row.
void blended_scales(const WeightRows& rows, std::span<const Affined> palette, std::span<float> scales);

// ---- Normals of measured deformations ---------------------------------------------------------------------

// Which triangles of the welded surface lie around each point.
struct SurfaceTurns {
  std::size_t point_count = 0;              // of the mesh
  std::vector<std::uint32_t> triangles;     // three points of the mesh each
  std::vector<std::uint32_t> welded;        // welded point of each point of the mesh
  std::vector<std::uint32_t> around_first;  // around welded point i: around[around_first[i] .. [i + 1])
  std::vector<std::uint32_t> around;        // triangles
};
struct SurfaceTurnsScratch {
  std::vector<Mat3> triangle_maps;
  // How the surface at each welded point was transformed, times an area; zero if there is no triangle. For
  // attributes on corners: point v has posed_from_rest[welded[v]].
  std::vector<Mat3> posed_from_rest;
  std::vector<std::uint8_t> is_mirrored;  // at each welded point
};

SurfaceTurns prepare_surface_turns(const Mesh& mesh);
// Rotates rest normals and tangents as the surface rotated between rest.points and `posed_points`, whatever
// moved it. J is the deformation gradient of each triangle (edges to edges, unit normal to unit normal),
// averaged by area over the triangles around a point; normals are transformed by cofactor(J), tangents by J
// and then made orthogonal, both unit. Where there is no surface (or it has no direction) they are unchanged.
// The winding determines the outside, except at points whose entry in `scales` (blended_scales; one per point
// of the mesh, or empty) is negative, since a mirrored surface and one turned inside out look alike: there
// normals point outward and handedness flips. posed.points is not read or written. No allocation if `scratch`
// was used before; same bytes on any thread count.
void turn_surface(const SurfaceTurns& turns, const RestSurface& rest, std::span<const Vec3> posed_points,
                  std::span<const float> scales, const PosedSurface& posed, SurfaceTurnsScratch& scratch);

// ---- Direct delta mush ----------------------------------------------------------------------------------

struct DirectDeltaMushOptions {
  int iterations = 4;   // implicit smoothing steps p; 0 is linear blending
  double lambda = 15;   // size of a step, on the Laplacian divided by its diagonal; at least 0
  double kappa = 2;     // the same for the translations
  double alpha = 0.8;   // fraction of the translation that kappa smooths instead of lambda; in [0, 1]
  double prune = 1e-4;  // entries below this fraction of a point's translation are dropped; in [0, 0.01]
  // Edges are weighted by their clamped cotangents instead of uniformly: smoothing follows length instead of
  // edge count, which long thin triangles distort.
  bool is_cotangent = false;
};

// The defaults, but with a smaller lambda if 15 would reach further than about 3 % of the mesh's size: steps
// are counted in edges, and on a coarse mesh the default melts limbs together. Stacks use these.
DirectDeltaMushOptions direct_delta_mush_options(const Mesh& mesh);

// The data of direct delta mush (Le and Lewis 2019) for each point after smoothing its weights, relative to
// the smoothed point (no cancellation far from the origin). With u the rest points, w their weights, B and C
// the smoothing matrices:
//   p_i = sum_k B_ki u_k,   A_ij = (1 - alpha) sum_k B_ki w_kj (u_k - p_i)(u_k - p_i)^T,
//   c_ij = (1 - alpha) sum_k B_ki w_kj (u_k - p_i),   d_ij = sum_k ((1 - alpha) B_ki + alpha C_ki) w_kj.
// sum_j c_ij = 0 and sum_j d_ij = 1 to float rounding.
struct DirectDeltaMush {
  std::vector<std::uint32_t> first;  // entries of point i: first[i] .. first[i + 1); point count + 1
  std::vector<Index> slots;          // ascending within a row
  std::vector<float> omega;          // ten per entry: A xx xy xz yy yz zz, c x y z, d
  std::vector<Vec3> centre;          // p_i
};
inline constexpr std::size_t kOmegaSize = 10;

// Smooths on the welded surface. A small multiple of the identity, proportional to d_ij, is added to each
// A_ij (1e-6 of the trace of their sum), so that a point whose neighbourhood is a line or a single point
// rotates with its blended joints. Fails if the mesh has no weights or an option is out of range, and with
// cancelled. 40,000 points with 60 joints take a few seconds. Same bytes on any thread count.
Result<DirectDeltaMush> prepare_direct_delta_mush(const Mesh& mesh,
                                                  const DirectDeltaMushOptions& options = {},
                                                  const Progress& progress = {});

// In double: with M_j = (L_j, t_j) the joints and S_j their stretches (L_j = R_j S_j),
//   Q = sum_j (L_j A_ij + (M_j p_i) c_ij^T),   S = sum_j d_ij S_j,   R = rotation of polar(Q S),
//   v' = R S (u_i - p_i) + sum_j (L_j c_ij + (M_j p_i) d_ij),
// which for rigid joints is the paper's formula, and makes a scaled character scale. If all joints of a row
// move alike, the point moves with them, so that the rest pose is reproduced exactly. Normals are transformed
// by R and the cofactor of S, tangents by R S; under mirrored stretches normals still point outward and
// handedness flips. Mismatched sizes end the program; `posed` may alias `rest`. u_i is the point of `rest`,
// not of the mesh: what shapes moved rotates along. Same bytes on any thread count.
void skin_direct_delta_mush_reference(const DirectDeltaMush& mush, std::span<const Affined> palette,
                                      RestSurface rest, PosedSurface posed);

// The same for the kernel: blocks of eight points, arranged as in SkinBlocks.
struct DirectDeltaMushBlocks {
  std::size_t point_count = 0;
  std::size_t slot_count = 0;             // one more than the highest slot used
  std::vector<SkinBlocks::Block> blocks;  // first_weight counts eights in `omega`; scattered: width * 8 slots
  std::vector<Index> slots;               // ascending within a list
  std::vector<Index> heaviest;            // slot of the largest d, one per point of a block
  AlignedVector<float> omega;             // [joint of the list][kOmegaSize][point of the block]
  AlignedVector<float> centres;           // 32 per block: p_i x, y, z and the trace of all A_ij
};
// Fails if there are too many entries for 32-bit indices. Linear in the entries.
Result<DirectDeltaMushBlocks> prepare_direct_delta_mush_blocks(const DirectDeltaMush& mush);

// One pose's palette, packed for the kernel.
struct PackedDirectJoints {
  bool is_rigid = true;          // no joint scales, shears or mirrors
  double normal_scale = 1;       // makes the largest cofactor of the joints one
  AlignedVector<float> values;   // per slot three rows (x y z t), then the stretch if not rigid
  std::vector<Affined> palette;  // for the few points that float cannot decide
  std::vector<Mat3d> stretches;
};
// Allocates only if `out` was never this large.
void pack_direct_joints(std::span<const Affined> palette, PackedDirectJoints& out);

// Matches the reference within float rounding, under the rules of the kernels above: one pass, no allocation,
// and a point's bytes do not depend on other points. If all joints of a row move alike, the point moves with
// them: the rest pose is reproduced exactly. A point whose rotation float cannot decide (a neighbourhood as
// thin as a line, joints that cancel) is posed in double, which takes 1 us, forty times as long (humanoid of
// 20,000 points, AVX2).
void skin_direct_delta_mush(const DirectDeltaMushBlocks& mush, const PackedDirectJoints& joints,
                            const RestBlocks& rest, PosedSurface posed, PointRange range = {});

// ---- Notes --------------------------------------------------------------------------------------------

// The meanings of this room's note ids.
std::span<const NoteRow> deform_notes();

}  // namespace dermis

// After what it builds on.
#include "dermis/deform/shapes.h"
