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
  std::vector<Vec4> tangents;  // unit xyz, w = +1 or -1 says on which side the bitangent lies
};

// What a deformer reads. All spans have one entry for each point, or none.
struct RestSurface {
  std::span<const Vec3> points;
  std::span<const Vec3> normals;
  std::span<const Vec4> tangents;
};

// What a deformer writes: same sizes as its RestSurface; an empty span is not wanted.
struct PosedSurface {
  std::span<Vec3> points;
  std::span<Vec3> normals;
  std::span<Vec4> tangents;
};

// How normals follow the joints. In every mode they come out unit and pointing outward, also where joints
// mirror (cofactors count with the sign of their determinant). Where a blend cancels to nothing, the heaviest
// joint alone turns the normal, and if that has no direction either, it stays as at rest. A zero rest normal
// stays zero.
enum class NormalMode {
  shading,            // cofactors of the joints, blended with the weights: what engines draw
  inverse_transpose,  // cofactor of the blended matrix: right where the weights are constant
  exact,              // cofactor of the whole derivative, the gradient of the weights included
};

// Surface gradients of the weights, for NormalMode::exact: row v holds (slot, gradient) for every joint that
// acts on v or on a neighbour of v.
struct WeightGradients {
  struct Entry {
    Index slot = 0;
    Vec3 gradient;  // per unit of length, tangent to the rest surface
  };
  std::vector<std::uint32_t> first;  // point count + 1
  std::vector<Entry> entries;
};

// Gradients of the mesh's weights over its welded surface: linear on each triangle (polygons are fans of
// them), averaged over the triangles around a point by their area. In a row slots rise. Fails when the mesh
// has no weights. Points without a polygon, or only with empty ones, get none.
Result<WeightGradients> prepare_weight_gradients(const Mesh& mesh);

// ---- Plain references ---------------------------------------------------------------------------------
// Readable, one point at a time, against which the kernels are tested. The palette is that of the skin in
// the mesh's rows; there is a row for each point. Sizes that do not agree end the program. `posed` may be the
// memory of `rest`. Same bytes on any thread count.
// Tangents turn with the blended matrix, are made unit and orthogonal to the posed normal and keep their
// handedness, which flips where that matrix mirrors (in mode exact: where the joints do).

struct ReferenceOptions {
  NormalMode normals = NormalMode::shading;
  // For the rest points at hand. Needed by every method that blends in mode exact, not read otherwise.
  const WeightGradients* gradients = nullptr;
};

// Each point with its heaviest joint, in double. The same bytes as skin_lbs_reference with that joint alone.
void skin_rigid_reference(const WeightRows& rows, std::span<const Affined> palette, RestSurface rest,
                          PosedSurface posed, const ReferenceOptions& options = {});
// Linear blend skinning, accumulated in double, rounded once at the end.
void skin_lbs_reference(const WeightRows& rows, std::span<const Affined> palette, RestSurface rest,
                        PosedSurface posed, const ReferenceOptions& options = {});
// The same in float throughout: what a kernel may differ from by rounding only. With n influences it is
// within (n + 8) * 2^-23 of the double one, times the largest |linear entries| * |point| + |translation| of a
// row.
void skin_lbs_reference_float(const WeightRows& rows, std::span<const Affine> palette, RestSurface rest,
                              PosedSurface posed, const ReferenceOptions& options = {});

// The methods below blend rotations, in double. A joint's stretch (scale, shear, mirror) is split off and
// blended linearly, then the rigid parts move the stretched point (two phases, Kavan et al. 2008). Rows of
// one influence are that joint to the last bit. Quaternions join a sum with the sign that turns them towards
// the row's heaviest joint.
// Normals: `shading` blends the cofactors of the stretches with the weights and turns them by the blended
// rotation; `exact` measures how the posed point moves while the weights follow their gradients, to 1e-8,
// the signs being kept. Shares of lbs_dqs, and centres without gradients, count as constant along the surface
// there.

struct DqsOptions {
  // Bent elbows bulge under dual quaternions. 0 lets them; 1 lets no blended point stand farther from its
  // axis point, itself posed by linear blending, than its stretches explain; between, that part of the way.
  // Points alone are pulled back: normals and tangents stay those of the bulge.
  float bulge_correction = 0;
  // Where bulge_correction is not 0, for each point the middle of its limb at rest: the nearest point of the
  // bones, or its centre of rotation. Where it is not finite there is none, and the point stays.
  std::span<const Vec3> axis_points;
};

// Dual quaternion linear blending (Kavan et al. 2008).
void skin_dqs_reference(const WeightRows& rows, std::span<const Affined> palette, RestSurface rest,
                        PosedSurface posed, const ReferenceOptions& options = {}, const DqsOptions& dqs = {});
// Quaternions and translations blended apart. Right only where all joints turn about the origin: kept as the
// baseline that others are compared with.
void skin_quaternion_reference(const WeightRows& rows, std::span<const Affined> palette, RestSurface rest,
                               PosedSurface posed, const ReferenceOptions& options = {});
// Logarithms of the rigid motions blended, each the shorter way round (Alexa 2002).
void skin_log_matrix_reference(const WeightRows& rows, std::span<const Affined> palette, RestSurface rest,
                               PosedSurface posed, const ReferenceOptions& options = {});
// Turns about the centre where the joints of a point's set agree best (Kavan and Zara 2005). In mode exact,
// the set of a point is that of its gradients as well: next to a region with more joints this is the side
// with more of them.
void skin_spherical_reference(const WeightRows& rows, std::span<const Affined> palette, RestSurface rest,
                              PosedSurface posed, const ReferenceOptions& options = {});
// Linear and dual quaternion blending, mixed at each point: `dqs_share` has an entry in [0, 1] for each, 0 is
// lbs and 1 is dqs, both to the last bit. Points are mixed linearly, and so are the maps of the normals
// before they are made unit.
void skin_lbs_dqs_reference(const WeightRows& rows, std::span<const Affined> palette,
                            std::span<const float> dqs_share, RestSurface rest, PosedSurface posed,
                            const ReferenceOptions& options = {});
// Turns about a centre of its own for each point, at rest in the same space as the points (Le and Hodgins
// 2016). Where a row has one influence the centre matters to `exact` alone, which alone reads
// `centre_gradients`: one for each point (prepare_centre_gradients), or none.
void skin_cor_reference(const WeightRows& rows, std::span<const Affined> palette,
                        std::span<const Vec3> centres, RestSurface rest, PosedSurface posed,
                        const ReferenceOptions& options = {}, std::span<const Mat3> centre_gradients = {});
// ---- Kernels ------------------------------------------------------------------------------------------
// The same methods for every frame of many points: float, vectors of what the processor has (AVX2, SSE4, NEON
// or plain), chosen when the program runs. A mesh is arranged once (SkinBlocks, RestBlocks), the palette of a
// pose is packed once (PackedJoints), then a kernel poses a range of points in one pass: no failure, no
// allocation. Points come
// out in the order they went in. A point's bytes depend on its own row, rest values and the pose alone, not
// on its neighbours, the range or the number of threads: points that coincide with equal weights stay
// together. Normals are those of NormalMode::shading, except that a blend below 1e-5 of its terms counts as
// nothing. Sizes that do not agree end the program.

// Points that are blended together.
inline constexpr std::size_t kBlockPoints = 8;
// Ranges given to kernels start at multiples of this.
inline constexpr std::size_t kRangePoints = 128;

// Weight rows for the kernels: eight neighbouring points share one list of joints where their rows are alike,
// and have a list each where they are not. Rows may have any length.
struct SkinBlocks {
  struct Block {
    std::uint32_t first_slot = 0;    // in `slots`; neighbours with the same list share it
    std::uint32_t first_weight = 0;  // in `weights`, counted in eights
    std::uint16_t width = 0;         // joints in the list, or the longest row of a scattered block
    bool is_scattered = false;  // slots are (width + 1) * 8, of each point and then its heaviest; else width
  };
  std::size_t point_count = 0;
  std::size_t slot_count = 0;        // one more than the highest slot used
  std::vector<Block> blocks;         // the last one is filled up with points without weight
  std::vector<std::uint32_t> slots;  // rising in a list
  AlignedVector<float> weights;      // [joint of the list][point of the block]
};
// Fails when a mesh has more rows than blocks can number. Linear in the influences.
Result<SkinBlocks> prepare_blocks(const WeightRows& rows);
// For rigid skinning: each point with its heaviest joint alone.
Result<SkinBlocks> prepare_rigid_blocks(const WeightRows& rows);

// A rest surface for the kernels: of eight points all x, then all y, then all z. Tangents have their w
// behind.
struct RestBlocks {
  std::size_t point_count = 0;
  AlignedVector<float> points;    // 24 for each block
  AlignedVector<float> normals;   // 24, or empty
  AlignedVector<float> tangents;  // 32, or empty
};
// Allocates when `out` is too small for the surface, so not when it is reused.
void set_rest_blocks(RestSurface rest, RestBlocks& out);

// Sorts the points of a mesh by joint set and heaviest joint, each part for itself, for the fastest path
// through the kernels; everything that names points follows. The result says for each point where it stood:
// posed values go back to file order by out[source[v]] = in[v]. Meshes without weights stay as they are.
std::vector<Index> reorder_for_skinning(Mesh& mesh);

// The kernels. Rigid skinning is the one of lbs on prepare_rigid_blocks; direct_delta_mush has one of its
// own.
enum class SkinKernel { lbs, dqs, quaternion, log_matrix, spherical, lbs_dqs, cor };

// The palette of one pose as one kernel reads it.
struct PackedJoints {
  SkinKernel kernel = SkinKernel::lbs;
  std::size_t slot_count = 0;
  bool is_rigid = true;         // no joint scales, shears or mirrors
  AlignedVector<float> values;  // for each slot the numbers that are blended
};
// Allocates only when `out` was never as large. Rigid palettes take the shorter path by themselves.
void pack_joints(SkinKernel kernel, std::span<const Affined> palette, PackedJoints& out);

// A range of points; `end` beyond the last point means all of them.
struct PointRange {
  std::size_t begin = 0;  // a multiple of kRangePoints
  std::size_t end = SIZE_MAX;
};

// `posed` spans the whole mesh; what lies outside the range is not touched.
void skin_lbs(const SkinBlocks& skin, const PackedJoints& joints, const RestBlocks& rest, PosedSurface posed,
              PointRange range = {});
void skin_dqs(const SkinBlocks& skin, const PackedJoints& joints, const RestBlocks& rest, PosedSurface posed,
              PointRange range = {});
void skin_quaternion(const SkinBlocks& skin, const PackedJoints& joints, const RestBlocks& rest,
                     PosedSurface posed, PointRange range = {});
void skin_log_matrix(const SkinBlocks& skin, const PackedJoints& joints, const RestBlocks& rest,
                     PosedSurface posed, PointRange range = {});

// Linear and dual quaternion blending mixed by `dqs_share`, 0 to 1, one for each point.
void skin_lbs_dqs(const SkinBlocks& skin, const PackedJoints& joints, std::span<const float> dqs_share,
                  const RestBlocks& rest, PosedSurface posed, PointRange range = {});

// About a centre for each point, `centres` being their RestBlocks::points.
void skin_cor(const SkinBlocks& skin, const PackedJoints& joints, const RestBlocks& centres,
              const RestBlocks& rest, PosedSurface posed, PointRange range = {});

// The joint sets of a skin, once for each mesh, and where they agree best, once for each pose.
struct JointSets {
  std::vector<std::vector<std::uint32_t>> sets;  // slots rise in a set; sets in order of first use
  std::vector<std::uint32_t> set_of_point;       // filled up to whole blocks
};
JointSets joint_sets(const WeightRows& rows);
struct RotationCentres {
  AlignedVector<float> values;  // x y z 0 for each set
  std::vector<Affined> rigid;   // the rigid parts of the palette, from which they are found
};
// Allocates only when `out` was never as large.
void set_rotation_centres(const JointSets& sets, std::span<const Affined> palette, RotationCentres& out);
void skin_spherical(const SkinBlocks& skin, const PackedJoints& joints, const JointSets& sets,
                    std::span<const float> set_centres, const RestBlocks& rest, PosedSurface posed,
                    PointRange range = {});

// The kernel that the joints were packed for. Each takes of `extras` what it reads and leaves the rest.
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
// The instruction sets this machine can run, best first, and a way to insist on one of them, for tests and
// comparisons; an empty name goes back to the best. False when it is not among them.
const std::vector<std::string>& kernel_targets();
bool use_kernel_target(std::string_view name);

// ---- Stages -------------------------------------------------------------------------------------------
// What stacks are made of. A room exports its stages as rows of a table. A stage is prepared once for a mesh,
// is immutable then, and is applied to each pose; what changes from pose to pose is in a state that belongs
// to the caller, so that threads can share a stage.

// When a stage works: on the rest surface, from the rest surface to the posed one, or on the posed one.
enum class StagePhase { rest, skin, posed };
const char* name_of(StagePhase phase);  // "skin"

// A number that a stage can be given.
struct StageOption {
  enum class Type { number, count };
  const char* name;  // "iterations"
  Type type;
  double least, most;              // both allowed
  std::optional<double> fallback;  // empty: chosen for each mesh
  const char* help;
};

struct StageTraits {
  bool needs_surface = false;     // reads the welded polygons of the mesh
  bool measures_normals = false;  // moves points alone; after the last stage turn_surface measures normals
  bool is_sequential = false;     // its state lives from frame to frame: it must see them in order
};

struct StageRow;

// A stage in a stack. The row must outlive it; two uses are equal when name and options are.
struct StageUse {
  struct Value {
    std::string option;
    double value = 0;
    friend bool operator==(const Value&, const Value&) = default;
  };
  const StageRow* row = nullptr;
  std::vector<Value> values = {};  // as given, no option twice

  // As given, or the option's default; empty where that is chosen for each mesh.
  std::optional<double> value_of(std::string_view option) const;
  friend bool operator==(const StageUse& a, const StageUse& b);
};

// What a stage is prepared for. Surfaces of stages have an entry for each point of the mesh. Where normals or
// tangents are on corners, more entries follow, one for each combination that corners show. All but `use`
// outlives the stage.
struct StageInput {
  const Character* character = nullptr;
  Index mesh = kNone;
  bool is_skinned = false;
  const StageUse* use = nullptr;
  const Surface* rest = nullptr;  // before rest stages; normals and tangents on corners are zero at points
  std::span<const Index> corner_points;  // the point of each entry after those of the points
  std::span<const Index> used_slots;     // of the skin: those that a point follows
  NormalMode normals = NormalMode::shading;
  bool are_normals_measured = false;  // some stage of the stack measures_normals, so none has to turn them
};

// What a stage needs beside itself to pose one instance: its scratch, and what lives from frame to frame.
// Stages derive from it. The stack fills in what the base has before each apply.
class StageState {
 public:
  virtual ~StageState() = default;
  Index instance = kNone;
  const Surface* rest = nullptr;  // of all entries, after the rest stages
  bool is_rest_moved = false;     // a rest stage changed it
  // blended_scales of the points, for posed stages; empty unless a stage measures normals.
  std::span<const float> scales;
};

// Must be safe to use by several threads at once, each with its own state.
class Stage {
 public:
  virtual ~Stage() = default;
  virtual std::unique_ptr<StageState> make_state() const { return std::make_unique<StageState>(); }
  // True when apply would change nothing in this frame, and can be left out.
  virtual bool is_idle(const PoseFrame& /*frame*/, Index /*instance*/) const { return false; }
  // Rest and posed stages change the entries of the points in place; the stack carries rest values on to
  // corners, and checks that posed points are finite. Skin stages read state.rest and write all entries of
  // `surface`, which has the same sizes; its normals and tangents only unless they are measured. `state` was
  // made by this stage.
  virtual Status apply(const PoseFrame& frame, Surface& surface, StageState& state) const = 0;
  // What a pose asks of the stage that it cannot do.
  virtual Notes pose_notes(const PoseFrame& /*frame*/, Index /*instance*/) const { return {}; }
};

struct PreparedStage {
  std::shared_ptr<const Stage> stage;
  Notes notes;  // what was assumed
  // What becomes of a mesh without polygons, where its options make it need a surface: "the bulge correction
  // changes nothing".
  std::string without_surface{};
};

// One stage the user can name in a stack. Help, documents and errors come from these.
struct StageRow {
  const char* name = "";  // one spelling everywhere
  StagePhase phase = StagePhase::skin;
  StageTraits traits = {};
  std::span<const StageOption> options = {};
  const char* keeps = "";
  const char* breaks = "";             // where it breaks
  const char* scalars_per_joint = "";  // numbers that a pose gives it
  const char* cost = "";               // in E, the time of a plain Eigen loop of lbs, as the benchmark has it
  const char* paper = "";
  const char* without_surface = "";       // if needs_surface, what a mesh without polygons gets of it
  std::optional<SkinKernel> kernel = {};  // the one it runs on in NormalMode::shading
  // Of rest stages: true where the mesh has data for it. Then the stage joins every stack. Null: never.
  bool (*has_data)(const Mesh& mesh) = nullptr;
  // May fail, for instance with cancelled. Must be set.
  Result<PreparedStage> (*prepare)(const StageInput& input, const Progress& progress) = nullptr;
};

// shapes, rigid, lbs, dqs, quaternion, log_matrix, spherical, lbs_dqs, cor, direct_delta_mush, delta_mush.
std::span<const StageRow> deform_stages();

// ---- Stacks -------------------------------------------------------------------------------------------

std::vector<StageUse> linear_blending();  // lbs alone
// Stages in the order of their phases, none twice, exactly one of phase skin. Instances without a skin have
// their rest stages and their node alone.
struct Stack {
  std::vector<StageUse> stages = linear_blending();
  friend bool operator==(const Stack&, const Stack&) = default;
};

// "lbs", "shapes,dqs:bulge_correction=0.5,delta_mush": names of `table` joined by commas, each with its
// options after colons; blanks around names do not count. Errc::usage says what is wrong with it.
Result<Stack> read_stack(std::string_view text, std::span<const StageRow> table);
// What read_stack reads back.
std::string name_of(const Stack& stack);
// A stack of deform_stages(), for names that stand in code: text that is none ends the program.
Stack deform_stack(std::string_view text);
// Errc::bad_argument says which rule of stacks or range of an option is broken.
Status check_stack(const Stack& stack);

const StageRow& skin_row(const Stack& stack);
bool has_phase(const Stack& stack, StagePhase phase);
bool is_sequential(const Stack& stack);
bool measures_normals(const Stack& stack);

// An option given apart from the stack: for the stage of that name, if the stack has it.
struct StageSetting {
  std::string stage, option;
  double value = 0;
};

// Mode `shading` of the methods that have a kernel runs on it, in float; the other modes, dqs with bulge
// correction (about the centres of prepare_cor), instances without a skin, and poses that the kernel's floats
// cannot hold (a mesh bound far away and posed near the origin) run on the rules of the plain references.
// After a stage that measures normals, the normals and tangents of every mode are those of turn_surface.
struct DeformOptions {
  Stack stack{};
  NormalMode normals = NormalMode::shading;
  std::vector<StageSetting> settings = {};
  bool adds_rest_stages = true;  // those of `table` that have data, in front of the stack
  std::span<const StageRow> table = deform_stages();
};

// The stack that poses `character`: settings taken over where the stack does not say otherwise, and rest
// stages put in front for which a mesh has data.
Stack full_stack(const Character& character, const DeformOptions& options);

// ---- Whole instances ----------------------------------------------------------------------------------

// The mesh's points with its blend shapes added, before any skinning; `shape_weights` has one entry for each
// shape. Normals and tangents are taken when they are per point, and made unit again where a shape moved
// them; per-corner ones are left to the caller. Sums in double, rounded once.
Surface shaped_surface(const Mesh& mesh, std::span<const float> shape_weights);

// A character made ready for a stack: all that does not change with the pose, once for each mesh.
struct PreparedMesh;
struct Deformer {
  const Character* character = nullptr;
  DeformOptions options;
  Stack stack;  // full_stack
  // One for each instance, shared where they agree; null for instances outside the scene.
  std::vector<std::shared_ptr<const PreparedMesh>> meshes;
  Notes notes;  // what was assumed, and which stages change nothing
};

// Makes the instances in the scene ready; those outside cost nothing and cannot fail here. What is prepared
// (centres of rotation, smoothing) is that of the mesh without its shapes. `character` must be valid, and
// outlive the result unchanged. Fails as check_stack and the stages' own preparations do, and with cancelled.
Result<Deformer> prepare_deformer(const Character& character, const DeformOptions& options,
                                  const Progress& progress = {});

// The states of all stages and instances of one deformer: empty at first, filled as instances are posed.
// Belongs to one thread at a time. Sequential stages remember in it the frames it has seen.
struct InstanceState;
struct DeformState {
  DeformState() = default;
  DeformState(DeformState&&) = default;
  DeformState& operator=(DeformState&&) = default;
  std::vector<std::shared_ptr<InstanceState>> instances;  // by instance; null: not posed yet
};

// One instance in world space: rest stages, then its skin and posed stages, or its node's transform. Points
// in mesh order; normals and tangents when they are per point. Gradients for mode exact are those of the rest
// surface as rest stages leave it. An instance outside the scene is made ready anew by each call, without
// notes. Fails when the pose takes a point out of the range of float, and for such an instance as
// prepare_deformer does. Same bytes for any thread count and any number of calls.
// On kernels it does not allocate when `state` and `out` were used for the instance before.
Status pose_surface(const Deformer& deformer, const PoseFrame& frame, Index instance, DeformState& state,
                    Surface& out);
// The same with a state of its own: sequential stages start at this frame.
Result<Surface> pose_instance(const Deformer& deformer, const PoseFrame& frame, Index instance);

// What this pose asks of the stack that it cannot do: points that follow mirroring joints together with plain
// ones, where the method stretches about the mesh's origin (quaternion, log_matrix, spherical, dqs, lbs_dqs).
// One note for each such mesh in the scene. Linear in the influences.
Notes pose_notes(const Deformer& deformer, const PoseFrame& frame);

// The whole scene as a still character: one node and one mesh for each instance in the scene, in node order,
// points in world space, no skins, shapes or clips. Instance k of the result is instance k in the scene.
// Texture coordinates, colours, parts and polygons come along; normals and tangents on corners are posed
// with the point of each corner. Where everything an instance follows mirrors, the corners of its polygons
// run the other way round, so that outside stays outside. The result is a valid character. Fails as
// pose_surface does, and when `progress` is asked to stop.
Result<Character> pose_scene(const Deformer& deformer, const PoseFrame& frame, DeformState& state,
                             const Progress& progress = {});
// The same with a state of its own.
Result<Character> pose_character(const Deformer& deformer, const PoseFrame& frame,
                                 const Progress& progress = {});

// Both at once, for a single pose: deform_instance makes only its own instance ready, deform_character the
// whole scene. What was assumed is not told.
Result<Surface> deform_instance(const Character& character, const PoseFrame& frame, Index instance,
                                const DeformOptions& options);
Result<Character> deform_character(const Character& character, const PoseFrame& frame,
                                   const DeformOptions& options, const Progress& progress = {});

// ---- Optimised centres of rotation: rest time -----------------------------------------------------------

struct CorOptions {
  double sigma = 0.1;            // how much alike weights must be to share a centre; above zero
  double max_weight_step = 0.1;  // samples stand closer than this in weight space; above zero
};

// The centre of rotation p* of each point (Le and Hodgins 2016). Points without one (a single influence, or
// no surface near them that follows two of their joints) have themselves: R (v - p*) + sum_j w_j C_j p* is
// then linear blending, which is exact for a single joint, without a case of its own in kernels.
struct CorCentres {
  std::vector<Vec3> centres;             // one for each point, in rest space
  std::size_t without_centre_count = 0;  // points that have themselves
};

// The centre depends on the weights of a point alone: coincident points with equal weights share it. The
// surface is gathered in bins of weight pairs, 1/64 wide, which moves centres by less than a thousandth of
// the mesh's size (a third of that on CesiumMan). Fails when the mesh has no weights or an
// option is out of range, and with cancelled. 40,000 points take from 0.3 s (a humanoid) to 4 s (four joints
// out of nine at every point). Same bytes on any thread count.
Result<CorCentres> prepare_cor(const Mesh& mesh, const CorOptions& options = {},
                               const Progress& progress = {});

// How the centres change along the rest surface, one matrix for each point: linear on each triangle, averaged
// by area as in prepare_weight_gradients. The identity at points that are their own centre; triangles between
// those and others are left out, since centres jump there. `centres` has one entry for each point of the
// mesh.
std::vector<Mat3> prepare_centre_gradients(const Mesh& mesh, std::span<const Vec3> centres);

// ---- Delta mush -----------------------------------------------------------------------------------------

struct DeltaMushOptions {
  int iterations = 10;  // at least 0; 0 changes nothing
  float step = 0.5f;    // how far a point goes to the mean of its neighbours at once; in (0, 1]
};

// The defaults, but with fewer and smaller steps where they would reach further than 3 % of the size of the
// mesh: steps are counted in edges, and on a coarse mesh the defaults melt limbs together. What stacks use.
DeltaMushOptions delta_mush_options(const Mesh& mesh);

// How a posed mesh is smoothed and gets its detail back (Mancewicz et al. 2014). Works on the welded surface,
// whose points stand in an order of its own (neighbours close by). Border points are averaged along the
// border only, so that openings keep their rim.
struct DeltaMush {
  int iterations = 0;
  float step = 0.5f;
  std::size_t point_count = 0;             // of the mesh
  std::vector<std::uint32_t> copy_first;   // welded point i is the mean of copies[copy_first[i] .. [i + 1])
  std::vector<std::uint32_t> copies;       // points of the mesh
  std::vector<std::uint32_t> ring_first;   // what i is averaged over; empty where it is not smoothed
  std::vector<std::uint32_t> ring;         // welded points
  std::vector<std::uint32_t> frame_first;  // the edges whose sums span the surface at i; empty: no frame
  // Edge from i to `end`: adds `along` times itself to the first axis, `across` times itself to the second.
  struct FrameEdge {
    std::uint32_t end = 0;
    float along = 0, across = 0;
  };
  std::vector<FrameEdge> frame_edges;
  std::vector<std::uint32_t> frame_of;  // whose frame turns the detail of i: its own, or the nearest there is
  std::vector<Vec3> deltas;             // the detail at rest, in that frame
};

// What apply needs between its passes; grows once and is then reused.
struct DeltaMushScratch {
  std::vector<Vec4> now, next;  // welded points, w unused
};

// Deltas are those of mesh.points. Fails with bad_argument when an option is out of range. N log N.
Result<DeltaMush> prepare_delta_mush(const Mesh& mesh, const DeltaMushOptions& options = {});
// The detail of other rest points, such as those of shaped_surface: as many as the mesh has. Costs an apply.
// Without allocation when `scratch` and `deltas` were used before.
void set_deltas(const DeltaMush& mush, std::span<const Vec3> rest, DeltaMushScratch& scratch,
                std::vector<Vec3>& deltas);
// Smooths `points` (posed, all of the mesh) and adds the detail turned as the smoothed surface turned. Posed
// at rest, the rest points come back to rounding; rigid motions of the whole pose carry over. Coincident
// points come out coincident. `scales` says how much the detail grows at each point, and where it is mirrored
// (blended_scales); empty: nowhere. `deltas` are those of set_deltas; empty: mush.deltas. Sizes that do not
// agree end the program. Without allocation when `scratch` was used before; same bytes on any thread count.
void apply_delta_mush(const DeltaMush& mush, std::span<const float> scales, std::span<Vec3> points,
                      DeltaMushScratch& scratch, std::span<const Vec3> deltas = {});

// The size of each point's neighbourhood against rest: cube roots of the joints' |determinants|, blended with
// the weights. One for rigid joints. Negative where the joints, blended the same way, mirror. `scales` has
// one entry for each row.
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
  // How the surface at each welded point was carried, times an area; zero where there is no triangle. For
  // attributes on corners: point v has posed_from_rest[welded[v]].
  std::vector<Mat3> posed_from_rest;
  std::vector<std::uint8_t> is_mirrored;  // at each welded point
};

SurfaceTurns prepare_surface_turns(const Mesh& mesh);
// Turns rest normals and tangents as the surface between rest.points and `posed_points` was turned, whatever
// moved it: the deformation gradient J of each triangle (edges to edges, unit normal to unit normal),
// averaged over those around a point by area; normals by cofactor(J), tangents by J and made orthogonal, both
// unit. Where there is no surface (or it has no direction) they stay. The winding says where outside is, but
// for points whose entry in `scales` (blended_scales; of the mesh's points, or empty) is negative: a mirrored
// surface and one that was turned inside out look alike. There normals point outward and handedness flips.
// posed.points is not read or written. Without allocation when `scratch` was used before; same bytes on any
// thread count.
void turn_surface(const SurfaceTurns& turns, const RestSurface& rest, std::span<const Vec3> posed_points,
                  std::span<const float> scales, const PosedSurface& posed, SurfaceTurnsScratch& scratch);

// ---- Direct delta mush ----------------------------------------------------------------------------------

struct DirectDeltaMushOptions {
  int iterations = 4;   // implicit smoothing steps p; 0 is linear blending
  double lambda = 15;   // size of a step, on the Laplacian divided by its diagonal; at least 0
  double kappa = 2;     // the same for the translations
  double alpha = 0.8;   // how much of the translation is smoothed by kappa instead of lambda; in [0, 1]
  double prune = 1e-4;  // entries with less than this of a point's translation are dropped; in [0, 0.01]
  // Edges count by their clamped cotangents instead of all the same: smoothing by length instead of by edges,
  // which long thin triangles stretch out of shape.
  bool is_cotangent = false;
};

// The defaults, but smoothing reaches about 3 % of the size of the mesh where 15 would reach further: steps
// are counted in edges, and on a coarse mesh the default melts limbs together. What stacks use.
DirectDeltaMushOptions direct_delta_mush_options(const Mesh& mesh);

// What direct delta mush (Le and Lewis 2019) knows of a point after smoothing its weights, about the smoothed
// point itself (nothing cancels far from the origin). With u the rest points, w their weights, B and C the
// smoothing matrices:
//   p_i = sum_k B_ki u_k,   A_ij = (1 - alpha) sum_k B_ki w_kj (u_k - p_i)(u_k - p_i)^T,
//   c_ij = (1 - alpha) sum_k B_ki w_kj (u_k - p_i),   d_ij = sum_k ((1 - alpha) B_ki + alpha C_ki) w_kj.
// sum_j c_ij = 0 and sum_j d_ij = 1 to float rounding.
struct DirectDeltaMush {
  std::vector<std::uint32_t> first;  // entries of point i: first[i] .. first[i + 1); point count + 1
  std::vector<Index> slots;          // rising in a row
  std::vector<float> omega;          // ten for each entry: A xx xy xz yy yz zz, c x y z, d
  std::vector<Vec3> centre;          // p_i
};
inline constexpr std::size_t kOmegaSize = 10;

// Smooths on the welded surface. To each A_ij a little of d_ij times the identity is added (1e-6 of the trace
// of their sum), so that a point whose neighbourhood is a line or a single point turns with its blended
// joints. Fails when the mesh has no weights or an option is out of range, and with cancelled. 40,000 points
// with 60 joints take some seconds. Same bytes on any thread count.
Result<DirectDeltaMush> prepare_direct_delta_mush(const Mesh& mesh,
                                                  const DirectDeltaMushOptions& options = {},
                                                  const Progress& progress = {});

// In double: with M_j = (L_j, t_j) the joints and S_j their stretches (L_j = R_j S_j),
//   Q = sum_j (L_j A_ij + (M_j p_i) c_ij^T),   S = sum_j d_ij S_j,   R = rotation of polar(Q S),
//   v' = R S (u_i - p_i) + sum_j (L_j c_ij + (M_j p_i) d_ij),
// which for rigid joints is the paper's, and makes a scaled character scale. Where all joints of a row move
// alike the point moves with them, so that the rest pose comes back to the last bit. Normals turn by R and
// the cofactor of S, tangents by R S; mirrored stretches point normals outward and flip handedness. Sizes
// that do not agree end the program; `posed` may be the memory of `rest`. u_i is the point of `rest`,
// not that of the mesh: what shapes moved turns along. Same bytes on any thread count.
void skin_direct_delta_mush_reference(const DirectDeltaMush& mush, std::span<const Affined> palette,
                                      RestSurface rest, PosedSurface posed);

// The same for the kernel: blocks of eight points, arranged as those of SkinBlocks.
struct DirectDeltaMushBlocks {
  std::size_t point_count = 0;
  std::size_t slot_count = 0;             // one more than the highest slot used
  std::vector<SkinBlocks::Block> blocks;  // first_weight counts eights in `omega`; scattered slots: width * 8
  std::vector<Index> slots;               // rising in a list
  std::vector<Index> heaviest;            // slot of the largest d, one for each point of a block
  AlignedVector<float> omega;             // [joint of the list][kOmegaSize][point of the block]
  AlignedVector<float> centres;           // 32 for each block: p_i x, y, z and the trace of all A_ij
};
// Fails when there are more entries than can be numbered. Linear in the entries.
Result<DirectDeltaMushBlocks> prepare_direct_delta_mush_blocks(const DirectDeltaMush& mush);

// The palette of one pose as the kernel reads it.
struct PackedDirectJoints {
  bool is_rigid = true;          // no joint scales, shears or mirrors
  double normal_scale = 1;       // what makes the largest cofactor of the joints one
  AlignedVector<float> values;   // for each slot three rows (x y z t), then where it counts the stretch
  std::vector<Affined> palette;  // for the few points that floats do not settle
  std::vector<Mat3d> stretches;
};
// Allocates only when `out` was never as large.
void pack_direct_joints(std::span<const Affined> palette, PackedDirectJoints& out);

// The reference within float rounding, by the rules of the kernels above: one pass, no allocation, a point's
// bytes are its own. Where all joints of a row move alike the point moves with them: the rest pose comes back
// to the last bit. A point whose rotation floats would not settle (a neighbourhood as thin as a line, joints
// that cancel) is posed in double, which takes 1 us, forty times as long (humanoid of 20,000 points, AVX2).
void skin_direct_delta_mush(const DirectDeltaMushBlocks& mush, const PackedDirectJoints& joints,
                            const RestBlocks& rest, PosedSurface posed, PointRange range = {});

// ---- Notes --------------------------------------------------------------------------------------------

// What the ids of this room's notes mean.
std::span<const NoteRow> deform_notes();

}  // namespace dermis
