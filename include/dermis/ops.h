// SPDX-License-Identifier: MIT
// One function for each verb: a job in, a report or an error out. The command line, the page and Python
// translate and call these; nothing here prints.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dermis/base.h"
#include "dermis/bind.h"
#include "dermis/deform.h"
#include "dermis/io.h"
#include "dermis/made.h"
#include "dermis/math.h"
#include "dermis/measure.h"
#include "dermis/model.h"
#include "dermis/motion.h"
#include "dermis/picture.h"
#include "dermis/rig.h"

namespace dermis {

// ---- What verbs share ---------------------------------------------------------------------------------

// A word as it can be pasted into a shell.
std::string shell_word(std::string_view word);

// How to run a job; the same for every verb.
struct RunOptions {
  LoadOptions load;
  Progress progress;
  bool force = false;   // may overwrite an input
  std::string command;  // as it was typed, for reports; may be empty
};

// The one table of stages: the rows of all rooms, in the order of their phases. Help, documents, errors, the
// benchmark and the demo come from it.
std::span<const StageRow> methods();
// "rigid, lbs, ...": the names of one phase.
std::string method_names(StagePhase phase);

// "lbs", "dqs,delta_mush:iterations=20": read_stack of methods(). Rest stages for which the file has data
// come first, named or not (DeformOptions::adds_rest_stages).
Result<Stack> parse_stack(std::string_view text);
// Each method that skins, and lbs with each posed stage.
std::vector<Stack> every_stack();
// "shading", "inverse_transpose", "exact".
Result<NormalMode> parse_normal_mode(std::string_view name);
const char* name_of(NormalMode mode);

// Where a character stands: a clip at a time, then a pose file, then single shapes.
struct PoseChoice {
  std::string clip;  // name or number; empty: as the file rests
  double time = 0;   // seconds
  std::string pose_file;
  std::vector<NamedValue> shapes;
};

// ---- info ---------------------------------------------------------------------------------------------

struct InfoJob {
  std::string input;  // a character, a vertex cache, or a sequence: "walk_####.obj"
  RunOptions run;
  double fps = 0;  // of a cache that counts frames; 0: kDefaultFps, with a note
};
struct InfoReport {
  struct Clip {
    std::string name;
    float start = 0, end = 0;  // seconds
    std::size_t channel_count = 0;
  };
  struct Skin {
    std::string name;
    std::size_t joint_count = 0;
    std::size_t unused_joint_count = 0;  // no point follows them
    // How far the rest pose is from the bind pose: the largest distance between where two used joints of the
    // skin take a corner of the bounding box, in parts of its diagonal. 0 when they agree.
    double rest_from_bind = 0;
  };
  struct Mesh {
    std::string name;
    std::size_t point_count = 0, welded_point_count = 0, polygon_count = 0, part_count = 0;
    std::size_t instance_count = 0;
    bool has_normals = false, has_tangents = false, has_dqs_share = false;
    std::size_t uv_set_count = 0, colour_set_count = 0;
    std::vector<std::string> shapes;
    std::vector<std::size_t> points_by_influences;  // entry k: points with k influences; empty: no weights
    // Of the surface, see surface_corners.
    std::size_t shell_count = 0, open_edge_count = 0, nonmanifold_edge_count = 0;
    bool is_closed = false;
  };
  struct Node {
    std::string label;  // how a pose file addresses it
    std::string name;
    Index parent = kNone;
    bool is_joint = false;
  };
  // Of a vertex cache, which has no mesh and no nodes.
  struct Cache {
    std::size_t frame_count = 0, point_count = 0;
    float start = 0, end = 0;  // seconds
  };
  std::string file;
  std::optional<Cache> cache;  // set: the file is one, and of the rest only the box counts
  std::vector<Node> nodes;     // in file order
  std::size_t node_count = 0, root_count = 0, instance_count = 0, skinned_instance_count = 0;
  std::size_t point_count = 0, polygon_count = 0;  // of the scene: instances counted
  std::vector<Mesh> meshes;
  std::vector<Skin> skins;
  std::vector<Clip> clips;
  std::vector<std::string> controls;
  std::size_t material_count = 0, image_count = 0;
  Findings findings;  // errors and warnings of check_character, worst first
  double metres_per_unit = 1;
  bool is_unit_guessed = false;
  Box box;  // of the scene at rest, in world space; of a cache, of all its frames
  Notes notes;
};
Result<InfoReport> info(const InfoJob& job);

// ---- check --------------------------------------------------------------------------------------------

struct CheckJob {
  std::string input;
  CheckLimits limits;
  std::string output;  // where the mended character goes; empty: nothing is mended
  RunOptions run;
  // Whether the skins are bent through the range of motion, too; unset: when there is a skin and that is a
  // matter of seconds (kQuickPosedPoints), or a limit of the quality is set.
  std::optional<bool> has_quality{};
  DeformOptions deform{};  // the stack to bend them with
  std::string report{};    // .html; empty: none
};
// Points of the skinned instances times poses of the range of motion that take seconds.
inline constexpr std::size_t kQuickPosedPoints = 60'000'000;
struct CheckReport {
  std::string input, output;
  std::string profile;
  Findings findings;  // of the input, or of what was written: worst first
  std::size_t error_count = 0, warning_count = 0;
  std::size_t mended_count = 0;    // things mended, a note for each
  std::optional<Quality> quality;  // of what the findings are of; without a skin, or not asked for: none
  std::string method;              // the stack it was measured with
  double seconds_loading = 0, seconds_checking = 0, seconds_quality = 0;
  Notes notes;
};
// A mended glTF keeps its document but for what was mended. Other formats are written anew; those without
// skins take only characters without.
Result<CheckReport> check(const CheckJob& job);

// ---- convert ------------------------------------------------------------------------------------------

struct ConvertJob {
  std::string input, output;
  SaveOptions save;
  RunOptions run;
  std::string clip{};   // for formats that hold one clip: name or number; empty: the first
  double fps = 0;       // for formats that hold frames; 0: as the clip is, or kDefaultFps
  std::string cache{};  // a vertex cache that moves the input; empty: none
};
struct ConvertReport {
  std::string input, output;
  std::uint64_t input_bytes = 0, output_bytes = 0;
  Notes notes;
};
// glTF to glTF keeps the document, and BVH to BVH the numbers unless a clip, a rate or Z up is asked for;
// .obj and .ply hold the rest pose. A vertex cache or a sequence becomes another one, or, with the mesh it
// moves (for a sequence, its first file), a glTF of shapes and a clip.
Result<ConvertReport> convert(const ConvertJob& job);

// ---- deform -------------------------------------------------------------------------------------------

struct DeformJob {
  std::string input, output;
  PoseChoice pose;
  DeformOptions deform;
  RunOptions run;
  std::string report{};  // .html; empty: none
  bool ascii = false;    // .ply only: text instead of bytes
};
struct DeformReport {
  std::string input, output;
  std::string clip;  // empty: none
  double time = 0;
  std::string pose_file;  // empty: none
  std::vector<NamedValue> shapes;
  std::string method;
  std::size_t instance_count = 0, point_count = 0, polygon_count = 0;
  Box box;
  double seconds_loading = 0, seconds_deforming = 0, seconds_saving = 0;
  Notes notes;
};
Result<DeformReport> deform(const DeformJob& job);

// ---- bake ---------------------------------------------------------------------------------------------

struct BakeJob {
  std::string input;
  std::string output;              // .pc2, .mdd, .glb, .gltf, or a sequence: walk_####.obj, walk_%04d.ply
  std::string clip;                // name or number; empty: the only one
  double fps = kDefaultFps;        // above zero
  std::optional<double> from, to;  // seconds; without them the clip's start and end
  DeformOptions deform;
  RunOptions run;
  std::string report{};  // .html; empty: none
};
struct BakeReport {
  std::string input, output, clip, method;
  double fps = 0, from = 0, to = 0;                                  // `to` is the time of the last frame
  std::size_t frame_count = 0, instance_count = 0, point_count = 0;  // points of a frame
  std::vector<std::string> files;                                    // all that were written
  double seconds_loading = 0, seconds_baking = 0;
  Notes notes;
};
// A clip as points: frame k is what `deform` gives at from + k / fps, bit for bit, as long as that is not
// behind `to` (by more than a hundredth of a frame: clips end at float times). Several instances become a
// .pc2 or .mdd each, named after mesh and node; beside each stands the mesh it moves, as NAME_rest.obj. Files
// of a sequence are numbered by their frame, which is their time in frames. Frames are written as they are
// made, but for glTF; a failure leaves no file.
Result<BakeReport> bake(const BakeJob& job);

// ---- compare ------------------------------------------------------------------------------------------

struct CompareJob {
  // Characters (posed as below) or files of points; or vertex caches and sequences of the same points, or one
  // of these and a character, whose clip is shown at the times of the cache. An .f32 has as many points as
  // the other side.
  std::array<std::string, 2> inputs;
  PoseChoice pose;
  std::array<DeformOptions, 2> deform;
  std::optional<double> limit;  // of the largest distance, in parts of the diagonal
  RunOptions run;
  std::string report{};  // .html; empty: none
};
struct CompareReport {
  std::array<std::string, 2> inputs;
  std::array<std::string, 2> methods;  // of each; empty where nothing has a skin: no method moves it
  std::array<std::size_t, 2> point_count{};
  PointDistance distance;
  std::string worst_place;  // "instance 0 'body', point 17" for characters
  // Of characters whose meshes agree in points: largest and mean sum of |difference| over a point's weights.
  std::optional<double> max_weight_difference, mean_weight_difference;
  // Of results compared in order, as of a sequence of one frame, the first being the truth: see
  // SequenceError.
  std::optional<double> e_rms, kg;
  // Of caches: distance, e_rms and kg are over all frames, the diagonal is that of the first one's first.
  struct Sequence {
    std::vector<double> times;  // seconds of each frame,
    std::vector<double> max;    // and the largest distance in it
    std::size_t worst_frame = 0;
  };
  std::optional<Sequence> sequence;
  // Of two posed characters: the volume of each, openings capped, in cubic units of its file.
  std::optional<std::array<double, 2>> volumes;
  // Of two posed characters whose polygons agree: the largest changes of a triangle from the first to the
  // second, as Strain has them (of an edge, radians of shear, of the area).
  struct SurfaceChange {
    double edge = 0, shear = 0, area = 0;
  };
  std::optional<SurfaceChange> surface;
  // Of two posed characters with normals: 95 of 100 are within this angle (radians) of those of their
  // polygons, in the worst mesh; see normal_error.
  std::optional<std::array<double, 2>> normal_errors;
  std::optional<double> limit;  // as asked for
  bool is_within_limit = true;
  double seconds_loading = 0, seconds_posing = 0, seconds_measuring = 0;  // of both sides
  Notes notes;
};
Result<CompareReport> compare(const CompareJob& job);

// ---- bind ---------------------------------------------------------------------------------------------

// Options of all methods; each reads its own.
struct BindOptions {
  HeatOptions heat;
  VoxelOptions voxel;
  BiharmonicOptions biharmonic;
  DistanceOptions distance;
};
// One way to automatic weights. Help, documents and errors come from this table.
struct BindMethodRow {
  const char* name;  // one spelling everywhere
  const char* idea;
  const char* suits;   // what it is good for
  const char* limits;  // where it is not
  const char* paper;
  Result<BoundRows> (*bind)(const BindSurface& surface, const BindSkeleton& skeleton,
                            const BindOptions& options, const Progress& progress);
};
std::span<const BindMethodRow> bind_methods();  // the default first
// By name; Errc::usage lists the known ones.
Result<const BindMethodRow*> find_bind_method(std::string_view name);

// Joints that a point follows at most unless a job says otherwise: what every engine takes.
inline constexpr int kBindInfluences = 4;
struct BindJob {
  std::string input;
  std::string output;    // .glb or .gltf
  std::string skeleton;  // a file with joints; empty, or the input: its own
  std::string method = "heat";
  JointChoice joints;
  AttachOptions attach{};  // for the joints of another file alone
  BindOptions options;
  SaveOptions save;  // max_influences 0: kBindInfluences; weights unset: float32
  RunOptions run;
  std::string report{};  // .html; empty: none
};
struct BindReport {
  struct Idle {
    std::string joint;   // a node label
    std::string reason;  // of IdleReason
  };
  std::string input, output, skeleton, method;
  std::size_t mesh_count = 0, point_count = 0, shell_count = 0;
  int max_influences = 0;
  std::size_t joint_count = 0;                    // that have weight somewhere
  std::vector<Idle> idle;                         // joints that do not, and why
  std::vector<std::size_t> points_by_influences;  // entry k: points with k influences
  double seconds_loading = 0, seconds_binding = 0, seconds_saving = 0;
  Notes notes;
};
// All skinned meshes as one body; rigid ones stay rigid. With its own skeleton a glTF keeps everything but
// joints and weights. With another file's, every mesh is bound where it rests.
Result<BindReport> bind(const BindJob& job);

// ---- animate ------------------------------------------------------------------------------------------

struct AnimateJob {
  std::string input;
  std::string output;  // .glb or .gltf
  std::string motion;  // a file with a clip, or the name of a built-in motion; a name with an extension is a
                       // file
  std::string clip;    // of the motion: name or number; empty: the only one
  RetargetOptions retarget;
  std::string map{}, save_map{};  // .json; empty: joints are mapped by names and structure; not saved
  bool drops_clips = false;       // the clips that the character has do not come along
  SaveOptions save;
  RunOptions run;
  std::string report{};  // .html; empty: none
};
struct AnimateReport {
  std::string input, output, motion;
  std::string source_clip, clip;  // of the motion, and the new one's name
  std::size_t clip_count = 0;     // in the output
  RetargetFigures figures;
  std::vector<MotionMapRow> map;  // what follows what
  double seconds_loading = 0, seconds_retargeting = 0, seconds_saving = 0;
  Notes notes;
};
// The character with one more clip, the motion retargeted to it. A glTF keeps everything else.
Result<AnimateReport> animate(const AnimateJob& job);

// ---- rig ----------------------------------------------------------------------------------------------

struct RigJob {
  std::string input;
  std::string output;             // .glb or .gltf
  std::string skeleton = "auto";  // a template: auto, extract, a built-in name, or a file
  std::string motion;             // a file with a clip, or the name of a built-in motion; empty: none
  std::string clip;               // of the motion: name or number; empty: the only one
  std::string names = "dermis";   // of the joints: dermis or mixamo
  std::vector<std::string>
      markers;  // "wrist_L=0.7,1.4,0": joints that the user knows, in the units and axes of the file
  std::vector<std::string> groups;  // of an OBJ; empty: all of the file
  std::string up, front;            // of the body: x, -x, y, -y, z, -z; empty: found
  std::string method = "heat";      // of binding
  BindOptions binding;
  SaveOptions save;  // as of a BindJob
  RunOptions run;
  std::string report{};  // .html; empty: none
};
struct RigReport {
  // Findings of one rule, in the check of the output.
  struct Found {
    std::string rule;
    Severity severity = Severity::warning;
    std::size_t count = 0;
  };
  std::string input, output, motion, method;
  FoundSkeleton skeleton;  // in the space of the output
  std::size_t mesh_count = 0, point_count = 0;
  std::size_t bound_joint_count = 0;               // that get weights
  std::string clip;                                // the name of the motion's clip in the output
  RetargetFigures figures;                         // of the motion
  std::size_t error_count = 0, warning_count = 0;  // of checking the output
  std::vector<Found> findings;                     // those, by rule
  double seconds_loading = 0, seconds_rigging = 0, seconds_binding = 0, seconds_moving = 0,
         seconds_saving = 0;
  Notes notes;
};
// Finds a skeleton in what the file shows, binds it, moves it where a motion is given, checks it and writes
// it, standing on its feet, with +Y up. A skeleton that the file has is left out, with its clips and a note;
// what else a glTF holds stays. Where no skeleton is found, the report is written all the same.
Result<RigReport> rig(const RigJob& job);
// The names that RigJob::skeleton knows, for help: "auto, extract, biped, ...".
std::string rig_template_names();

// ---- weights ------------------------------------------------------------------------------------------

// What the operations on weights share. Unless meshes are named, all skinned meshes of the scene are meant.
struct WeightsJob {
  std::string input;
  std::string output;               // .glb or .gltf; of exports .csv, .json or .out
  std::vector<std::string> meshes;  // names, or numbers as "#2"
  std::vector<std::string> locked;  // joints that keep their weights to the last bit
  SaveOptions save;                 // weights are written as float32 unless it says otherwise
  RunOptions run;
};
// Joints by label: what stands first becomes what stands second.
using JointMap = std::vector<std::pair<std::string, std::string>>;

struct WeightsReport {
  struct Mesh {
    Index index = kNone;
    std::string name;
    std::size_t point_count = 0;
    std::size_t changed_point_count = 0;
    double max_change = 0, mean_change = 0;  // of row_distance, over all points
    Index worst_point = kNone;
    std::size_t longest_before = 0, longest_after = 0;  // influences of a point
    std::optional<LimitedWeights> limited;              // without its rows
    std::optional<MirroredWeights> mirrored;            // likewise
    std::optional<TransferredWeights> transferred;      // likewise
    std::optional<std::size_t> polygon_count;           // of a subdivided mesh
  };
  // How much weight a joint has more or less, summed over the points, and how much moved at all.
  struct Joint {
    std::string label;
    double gained = 0, moved = 0;
  };
  struct Point {
    Index mesh = kNone, point = kNone;
    double distance = 0;
    std::string joint;  // whose weight differs most
    double before = 0, after = 0;
  };
  std::string operation;            // "limit"
  std::vector<std::string> inputs;  // the character first
  std::string output;               // empty: nothing was written
  std::vector<Mesh> meshes;
  std::vector<Joint> joints;  // those whose weights differ, most moved first
  std::vector<Point> worst;   // of a diff: the points that differ most
  // Of a diff: how far the points are apart in motion; none where the other names joints that are not there.
  std::optional<SkinDistance> motion;
  std::size_t renamed_count = 0;
  std::size_t mended_count = 0;  // repairs of weights on loading
  double seconds = 0;            // of the operation itself
  Notes notes;
};

// Writes the weights as loading mended them.
Result<WeightsReport> normalize_weights(const WeightsJob& job);
Result<WeightsReport> limit_weights(const WeightsJob& job, int max_influences);
Result<WeightsReport> prune_weights(const WeightsJob& job, double threshold);
// The locks of these options come from the job.
Result<WeightsReport> smooth_weights(const WeightsJob& job, const SmoothOptions& options);
Result<WeightsReport> mirror_weights(const WeightsJob& job, MirrorDirection direction);
// The job's input is the target. `source_meshes` of the source, by name; none: all skinned ones.
Result<WeightsReport> transfer_weights(const WeightsJob& job, const std::string& source,
                                       const std::vector<std::string>& source_meshes,
                                       const TransferOptions& options);
Result<WeightsReport> subdivide_weights(const WeightsJob& job, const SubdivideOptions& options);
// Weights go from joint to joint; both must be in the skin of a mesh that has weight on the first.
Result<WeightsReport> remap_weights(const WeightsJob& job, const JointMap& map, const char* operation);
Result<WeightsReport> rename_joints(const WeightsJob& job, const JointMap& map);
// With another character or table of the same points, joints matched by name.
Result<WeightsReport> blend_weights(const WeightsJob& job, const std::string& other, double factor);
Result<WeightsReport> export_weights(const WeightsJob& job);
Result<WeightsReport> import_weights(const WeightsJob& job, const std::string& table);
Result<WeightsReport> diff_weights(const WeightsJob& job, const std::string& other);
// "A=B" a line, or "A,B"; blank lines and lines that start with # do not count.
Result<JointMap> load_joint_map(const std::string& path);

// ---- render -------------------------------------------------------------------------------------------

// What the colours of a surface say in place of its materials.
struct HeatMap {
  enum class Kind { none, weight, strain, error };
  Kind kind = Kind::none;
  std::string joint;      // weight: a node label
  std::string reference;  // error: the stack, or the file of points, that counts as right
  // The value with the last colour; without it the largest of the picture. Films of a clip by strain or error
  // need it: colours mean the same in every frame.
  std::optional<double> max;
};
// From "weight=elbow_L", "strain", "error=dqs" or "error=truth.obj".
Result<HeatMap> parse_heat_map(std::string_view text);

// "front", "back", "left" and "right" (of the character, +X being its left), "top" or "quarter".
Result<View> parse_view(std::string_view name);

enum class RenderMotion { none, turntable, clip };

struct RenderJob {
  std::string input;
  std::string output;             // .png, .jpg; with a motion .mp4 or a sequence: turn_####.png
  std::vector<PoseChoice> poses;  // a row of the sheet each; empty: rest
  // Above 0: the only pose's clip at so many times, evenly from first to last; of a clip that ends as it
  // starts the end is left out.
  std::size_t moments = 0;
  std::vector<Stack> stacks;  // a column of the sheet each; empty: lbs
  RenderMotion motion = RenderMotion::none;
  double seconds = 4;  // of a whole turn of the turntable
  double fps = 24;
  View view;
  int width = 0, height = 0;  // of one picture; 0: 1280 x 960, cells of a sheet 480 x 420
  int samples = 0;            // rays a pixel; 0: 16, and 4 with a motion
  bool has_ground = true, has_textures = true, has_wireframe = false;
  bool has_joints = false;            // drawn anyhow where there is no surface
  std::optional<NormalMode> normals;  // none: exact, where a method asks for a mode
  bool adds_rest_stages = true;       // as in DeformOptions
  HeatMap heat;
  RunOptions run;
};
struct RenderReport {
  std::string input, output;
  std::vector<std::string> files;  // all that were written
  std::vector<std::string> methods;
  int width = 0, height = 0;  // of the picture
  std::size_t pose_count = 0, frame_count = 0, triangle_count = 0;
  std::optional<double> heat_max;  // the largest value that was painted,
  std::string heat_unit;           // and of what: "% of an edge"; of weights nothing
  double seconds_loading = 0, seconds_posing = 0, seconds_rendering = 0;
  Notes notes;
};
// One camera for all poses and methods of a picture, which shows all of them whole. Several of either make a
// sheet. A motion needs one pose and one stack. Without ffmpeg an .mp4 becomes numbered PNG files, with a
// note.
Result<RenderReport> render_character(const RenderJob& job);

// ---- make ---------------------------------------------------------------------------------------------

struct MakeJob {
  MadeKind kind = MadeKind::humanoid;
  MakeOptions options;
  std::string output;
  SaveOptions save;
  RunOptions run;
};
struct MakeReport {
  std::string kind, output;
  std::size_t point_count = 0, polygon_count = 0, joint_count = 0, shape_count = 0;
  std::string clip;
  double clip_seconds = 0;
  double seconds_making = 0;
  Notes notes;
};
Result<MakeReport> make(const MakeJob& job);

// ---- demo ---------------------------------------------------------------------------------------------

struct DemoJob {
  std::string folder = "demo-out";
  std::size_t points = 20000;
  std::vector<Stack> stacks;  // each is posed once; empty: every method, and lbs with every posed stage
  RunOptions run;
};
struct DemoReport {
  // The humanoid posed by one stack.
  struct Posed {
    std::string method, file;
    double from_linear = 0;  // largest distance from lbs, in parts of the diagonal
    double seconds_preparing = 0, seconds_posing = 0;
  };
  std::vector<std::string> files;
  std::vector<Posed> posed;
  std::string skeleton;  // the template that was found in the bare mesh
  double seconds_rigging = 0, seconds_binding = 0;
  std::size_t point_count = 0, joint_count = 0;
  double clip_seconds = 0;
  double posed_at = 0;            // seconds into the clip
  std::vector<std::string> next;  // commands to try
  Notes notes;
};
Result<DemoReport> demo(const DemoJob& job);

// ---- JSON ---------------------------------------------------------------------------------------------

// {"schema": 1, "verb": "info", "version": "0.1.0", ..., "notes": [...]}; docs/conventions.md has the
// envelope.
inline constexpr int kJsonSchema = 1;
std::string to_json(const InfoReport& report);
std::string to_json(const CheckReport& report);
std::string to_json(const ConvertReport& report);
std::string to_json(const DeformReport& report);
std::string to_json(const BakeReport& report);
std::string to_json(const BindReport& report);
std::string to_json(const RigReport& report);
std::string to_json(const AnimateReport& report);
std::string to_json(const CompareReport& report);
std::string to_json(const WeightsReport& report);
std::string to_json(const RenderReport& report);
std::string to_json(const MakeReport& report);
std::string to_json(const DemoReport& report);
std::string to_json(std::string_view verb, const Error& error);
// The method table in the same envelope.
std::string methods_json();
// The table of binding methods, likewise.
std::string bind_methods_json();
// The table of formats, likewise.
std::string formats_json();
// The tables of rules and profiles likewise.
std::string check_rules_json();

}  // namespace dermis
