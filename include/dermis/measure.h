// SPDX-License-Identifier: MIT
// Measures how far two results are apart, how well a surface keeps its shape, and what is wrong with a
// character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dermis/base.h"
#include "dermis/deform.h"
#include "dermis/geometry.h"
#include "dermis/math.h"

namespace dermis {

// ---- Points -------------------------------------------------------------------------------------------

// Distances between two sets of points.
struct PointDistance {
  bool in_order = false;  // true: point k against point k; false: nearest points, both ways
  double max = 0;         // in the units of the points
  double rms = 0;
  double mean = 0;
  double diagonal = 0;    // of the bounding box of the first set
  std::size_t worst = 0;  // the point of the first set (or of the second, see is_worst_in_second) at `max`
  bool is_worst_in_second = false;
};

// In order if the counts agree; otherwise by nearest points, with rms and mean over the points of both sets.
// Fails if a set is empty or has a point that is not finite. Same numbers on any thread count.
Result<PointDistance> point_distance(std::span<const Vec3> a, std::span<const Vec3> b);

// ---- Surfaces to measure ------------------------------------------------------------------------------

// A mesh as it is measured: coincident points joined, polygons triangulated in the rest pose, openings
// closed. The same triangles serve every pose.
struct MeasuredSurface {
  WeldedSurface welded;                // triangles in polygon order
  std::vector<std::uint32_t> polygon;  // of each triangle
  // Openings: edges with a missing triangle, or between triangles of opposite winding, form loops. Each loop
  // gets one more point, the mean of its points, and a fan of caps around it: point welded.point_count() + k
  // for loop k.
  std::vector<std::uint32_t> loop_first;       // loop k is loop_points[loop_first[k] .. loop_first[k + 1])
  std::vector<std::uint32_t> loop_points;      // welded
  std::vector<SurfaceMesh::Triangle> caps;     // the last corner is the point of the loop
  std::vector<std::uint32_t> triangle_of_cap;  // the triangle at its edge
  std::size_t loop_count() const { return loop_first.size() - 1; }
  std::size_t triangle_count() const { return welded.triangles.size(); }
};
// Linear time, except for concave polygons. Works on any mesh, including non-manifold ones.
MeasuredSurface measured_surface(const Mesh& mesh);

// Statistics of values measured in many places.
struct Spread {
  double max = 0, mean = 0;
  double p95 = 0;         // 95 of 100 values are at most this
  std::size_t worst = 0;  // the first place of `max`
  std::size_t count = 0;  // places; 0: nothing could be measured, and all is zero
};
// Of the absolute `values`; with `is_measured`, only of those marked. Same on any thread count.
Spread spread_of(std::span<const float> values, const std::vector<bool>& is_measured = {});

// ---- Volume -------------------------------------------------------------------------------------------

// The volume inside the surface with its openings capped, in cubic units of the points; positive if it is
// wound anticlockwise seen from outside. Where shells overlap, the shared volume counts once per shell.
// `points` are those of the mesh, posed or not; of coincident points the first counts.
double volume_of(const MeasuredSurface& surface, std::span<const Vec3> points);

// The parts of a surface that follow one joint more than any other: a triangle belongs to the slot with the
// largest sum of weights over its corners (ties: the lower). Regions are closed along their borders:
// connected border points have one centre, their mean, and each border edge spans a triangle with it, for the
// regions on both sides. So the volumes of the regions add up to that of the surface.
struct JointRegions {
  std::vector<Index> slots;                       // region r follows slot slots[r]; rising
  std::vector<std::uint32_t> region_of_triangle;  // of the surface, then of its caps
  struct BorderEdge {
    std::uint32_t from, to, region, centre;  // in the region's winding
  };
  std::vector<BorderEdge> border;
  std::vector<std::uint32_t> centre_first;   // centre c is the mean of centre_points[centre_first[c] ..)
  std::vector<std::uint32_t> centre_points;  // of the surface, including those of loops
};
// `rows` has one row per point of the mesh.
JointRegions joint_regions(const MeasuredSurface& surface, const WeightRows& rows);
// One per region; may be negative if a region is turned inside out.
std::vector<double> region_volumes(const MeasuredSurface& surface, const JointRegions& regions,
                                   std::span<const Vec3> points);

// The volume of the scene, summed over its instances, in each frame: along a clip, or a sweep.
Result<std::vector<double>> volume_curve(const Deformer& deformer, std::span<const PoseFrame> frames,
                                         const Progress& progress = {});
// The same with one node turned from rest about `axis`, in its own frame, by each of `angles` (radians).
Result<std::vector<double>> volume_sweep(const Deformer& deformer, Index node, const Vec3d& axis,
                                         std::span<const double> angles, const Progress& progress = {});

// The joints that points in the scene follow, those with the largest sum of weights first.
std::vector<Index> heaviest_joints(const Character& character);
// The bends of range_of_motion for joints with a parent joint, which holds the rest of the body still; the
// heaviest joints first.
std::vector<RangePose> held_bends(const Character& character);
// The held bends that lose most volume, at most `count`, the worst first: one per joint, and none for the
// mirror image of a joint already listed. Fails as volume_curve does.
Result<std::vector<RangePose>> worst_bends(const Deformer& deformer, std::size_t count,
                                           const Progress& progress = {});

// ---- Strain -------------------------------------------------------------------------------------------

// How a posed surface differs from its rest, independent of rigid motion. Edges and heights of triangles
// below 1e-5 of the size of the mesh are not measured: there, float positions have no second digit. Never
// NaN.
struct Strain {
  // Per triangle; zero if it is not measured.
  std::vector<float> edge;   // relative change in length of its most changed edge; -1: length zero
  std::vector<float> shear;  // largest change of a right angle drawn on it: pi/2 - 2 atan(s2 / s1), radians,
                             // s1 and s2 being the singular values of its deformation gradient
  std::vector<float> area;   // relative change of its area
  std::vector<bool> is_measured;
  std::vector<float> at_point;  // per point of the mesh: the largest |edge| of the triangles around it
  Spread edges, shears, areas;  // of absolute values, over triangles
};
// `rest` and `posed` are the points of the mesh. Parallel; 100 k points take about 10 ms.
Strain measure_strain(const MeasuredSurface& surface, std::span<const Vec3> rest,
                      std::span<const Vec3> posed);

// ---- Self-intersections -------------------------------------------------------------------------------

// Pairs of triangles of the surface that cross (see do_triangles_cross); caps do not count.
Intersections measure_intersections(const MeasuredSurface& surface, std::span<const Vec3> points);
// Those of `posed` that are not in `rest`.
std::vector<TrianglePair> new_intersections(const Intersections& rest, const Intersections& posed);

// ---- Normals and weights ------------------------------------------------------------------------------

// The angle, in radians, between the normals of `posed` and those of its polygons, averaged by area around
// each point; coincident points whose given normals are within a degree share their polygons, so that texture
// seams are smooth and hard edges are not. A spread over points; those without a normal or a polygon with
// area do not count. Empty normals give an empty spread.
Spread normal_error(const Mesh& mesh, const Surface& posed);

// How the weights change along the surface.
struct WeightChange {
  // Over the edges of its triangles: share of weight that changes (half the sum of |difference|), divided by
  // the edge length as a fraction of the mesh's diagonal. 10: all weight changes within a tenth of its size.
  Spread gradient;
  Index gradient_point = kNone;  // a point of the worst edge
  // Over edges whose sides use different points of the file: share of weight that differs.
  Spread seam;
  Index seam_point = kNone;
};
WeightChange measure_weights(const Mesh& mesh, const MeasuredSurface& surface);

// ---- Sequences ----------------------------------------------------------------------------------------

// How far a sequence of frames is from the true one. With A the true coordinates, B the others, N points,
// F frames, D the diagonal of the rest pose's bounding box and |.| the root of the sum of squares:
struct SequenceError {
  double e_rms = 0;  // 1000 |A - B| / sqrt(3 N F) / (D / 2)   (Kavan et al. 2010; their R as D / 2)
  double kg = 0;     // percent: 100 |A - B| / |A - mean position of each frame|   (Karni, Gotsman 2004)
  double rmse = 0;   // sqrt(|A - B|^2 / (N F)), in units   (as Dem Bones prints it)
  double mean = 0, max = 0;          // of the distances, in units
  double diagonal = 0;               // D
  std::size_t frame = 0, point = 0;  // of `max`
};
// Frame after frame, each with as many points as `rest`. kg is 0 if the points of the truth coincide in every
// frame. Fails if sizes do not agree, there is no frame, a number is not finite, or the rest pose has no
// size. Same numbers on any thread count.
Result<SequenceError> sequence_error(std::span<const Vec3> truth, std::span<const Vec3> result,
                                     std::span<const Vec3> rest);

// ---- Skins in motion ------------------------------------------------------------------------------------

// How far the points of two skins are apart, over twelve frames of every clip, or over the range of motion if
// there is no clip.
struct SkinDistance {
  double rms = 0, p99 = 0, max = 0;  // in units
  double diagonal = 0;               // of the first at rest
  std::size_t frame_count = 0;
  bool is_by_range = false;     // by the range of motion
  std::size_t worst_point = 0;  // counted over the skinned instances in the scene
  std::string worst_moment;     // of `max`: "clip 'walk' at 0.5 s"; empty: nowhere
};
// Both are posed by linear blending with the first one's clips. Fails if they differ in nodes, instances or
// points, or have no skin.
Result<SkinDistance> skin_distance(const Character& a, const Character& b, const Progress& progress = {});

// ---- Quality of a skin ----------------------------------------------------------------------------------

// An edge that becomes longer by less than this factor bends a surface; beyond it, it spans a gap.
inline constexpr double kLongTimes = 3;
// The worst effects of the range of motion at one joint, over all skinned instances.
struct JointQuality {
  Index node = kNone;
  std::string label;  // as in pose files
  // Largest relative change in length of an edge of the surface.
  double strain = 0;
  std::string strain_pose;
  Index strain_instance = kNone, strain_point = kNone;
  // Largest growth of an edge that becomes more than kLongTimes as long, as a fraction of the size of all
  // skinned meshes at rest: what a picture shows, however short the edge was.
  double stretch = 0;
  std::string stretch_pose;
  Index stretch_instance = kNone, stretch_point = kNone;
  // Largest shear (radians) and largest relative change of area of a triangle, as in Strain.
  double shear = 0, area = 0;
  std::string shear_pose, area_pose;
  // Of the points that bend in a pose, 95 % have normals within this angle (radians) of those of their
  // polygons, as in normal_error; 0 if the mesh has no normals.
  double normal_error = 0;
  std::string normal_error_pose;
  // Change of the volume of all skinned instances, as a fraction of the volume that bends: of each joint's
  // region the fraction of its area that bends, and at least a thousandth of the whole. The largest loss and
  // the largest gain; a loss is at most 1, both are 0 if there is no significant volume.
  double volume_loss = 0, volume_gain = 0;
  std::string volume_loss_pose;
  // Pairs of triangles of one instance that cross in the pose but not at rest.
  std::size_t new_intersections = 0;
  bool is_intersection_count_exact = true;  // false: more than could be listed; this is a lower bound
  std::string intersections_pose;
};

// Points and joints that hardly follow each other.
struct Coverage {
  std::size_t point_count = 0;       // of the skinned instances; a mesh shown twice counts once
  std::size_t torn_point_count = 0;  // without an influence of at least a fifth: they follow no joint
  std::size_t joint_count = 0;       // nodes in skins
  std::size_t idle_joint_count = 0;  // no point follows them
  std::vector<Index> faint_joints;   // nodes that points follow, but that are not the heaviest joint of any
};

// Weight on joints that are far from a point's heaviest joint, relative to the size of all skinned meshes at
// rest: joints with the same parent whose bones are at least 15 % apart; others if the path between them
// along the skeleton is longer than 15 % (without the bone of the upper one if one is an ancestor of the
// other). It does not count if the point is less than twice as far from the other bone as from its own. A
// bone reaches from its joint to the child joints; joints without children count as their parent. Joints
// without a common ancestor are not compared.
struct Bleed {
  Spread share;                                   // over points: share of its weight on far joints
  std::size_t count = 0;                          // points with more than kVisibleBleed
  Index mesh = kNone, point = kNone;              // the worst point,
  Index heaviest_node = kNone, far_node = kNone;  // its heaviest joint and the heaviest of the far ones
};
inline constexpr double kVisibleBleed = 0.05;

// Points that follow joints which are not theirs. A joint is far from a point if its bone, in the bind pose,
// is twice as far away as another and further by 15 % of the size of everything the skin moves.
struct Placement {
  struct Group {
    std::size_t count = 0;                    // points, or shells
    double figure = 0;                        // of the worst
    Index mesh = kNone, point = kNone;        // the worst, or the first point of the worst shell,
    Index node = kNone, better_node = kNone;  // a joint it follows, and one that would be its own
    double share = 0;                         // its weight on that joint
  };
  // Points with more weight on a far joint than any neighbour has, and islands: points around which nothing
  // follows that joint. The figure is that weight times the joint's distance, as a fraction of the size: how
  // far a turn by 60 degrees pulls it from what is around it. Counted beyond kVisiblePull.
  Group stray;
  // Points with most of their weight on joints whose mirror image (see Symmetry) is near while they are far.
  // Shells that follow one joint only are judged by the majority of their points.
  Group wrong_side;
  // Points on seams whose other side follows a joint more or less, by that weight times the distance of the
  // joint, as a fraction of the size: how far a turn by 60 degrees opens the seam. Counted beyond
  // kVisiblePull.
  Group torn_seam;
  // Shells whose points follow joints that are, on average, far from them.
  Group far_shell;
  // The median over all points of the distance to the nearest bone, as a fraction of the size.
  double bone_distance = 0;
  Index far_skin = kNone;  // whose points have the largest median; kNone: none has a skeleton
};
inline constexpr double kVisiblePull = 0.05;

// How far the weights on the left are from those on the right. Joints pair as in mirror_skin and points as in
// pair_mirror_points, over all meshes whose skins share joints, in the bind pose; points paired only within a
// hundredth of the size are not compared. The mirror plane lies between the joints, and is then fitted to the
// points.
struct Symmetry {
  bool is_judged = false;  // joints name their sides, and at least half of the points have a pair
  Spread difference;       // over paired points: share of weight that differs from the mirrored row
  Index mesh = kNone, point = kNone;     // the worst
  std::size_t unpaired_point_count = 0;  // including those that follow unpaired joints
  std::vector<Index> unpaired_joints;    // nodes that points follow
};

// How the weights of one mesh change along its surface.
struct MeshWeightChange {
  Index mesh = kNone;
  WeightChange change;
};

// How far the skin of a mesh is stretched between the bind pose and rest.
struct RestStretch {
  Index instance = kNone, point = kNone;
  double stretch = 0;  // as for joints (JointQuality), with the bind pose for the rest and rest for the pose
};

// What skins show before a joint bends.
struct SkinsAtRest {
  std::vector<RestStretch> stretches;  // of each skinned mesh, in order
  Coverage coverage;
  bool has_distances = false;  // false: what follows was left out, see measure_skins_at_rest
  Bleed bleed;
  Placement placement;
  double rest_stretch() const;  // the largest
};
// Of the skinned instances in the scene, each pair of mesh and skin once; linear blending. Bleed and
// placement take points times joints, and are left out if these are more than `most_distances`; everything
// else is linear. Nothing is measured without a skin. Same numbers on any thread count. Fails as posing does,
// or with cancelled.
Result<SkinsAtRest> measure_skins_at_rest(const Character& character, std::size_t most_distances = SIZE_MAX,
                                          const Progress& progress = {});

struct Quality : SkinsAtRest {
  std::size_t pose_count = 0;
  std::vector<JointQuality> joints;       // in node order; all zero for a joint whose turn bends nothing
  std::size_t rest_intersections = 0;     // crossing pairs at rest, of all skinned instances
  bool is_rest_count_exact = true;        // false: more than could be listed; that count is a lower bound
  double rest_normal_error = 0;           // as for the joints, over all points at rest
  std::vector<MeshWeightChange> weights;  // of each skinned mesh, in order
  // Volumes are those of the shells whose openings, capped, have at most a tenth of the area of the shell at
  // rest; the others (capes, hair) enclose none.
  std::size_t solid_shell_count = 0, open_shell_count = 0;
  std::size_t open_loop_count = 0;  // openings that were capped to measure volumes
  bool has_volume = false;
  Symmetry symmetry;
  Notes notes;  // what the stack assumed
  // Of all joints: the largest.
  double max_strain() const;
  double max_stretch() const;
  double max_shear() const;
  double max_area_change() const;
  double max_normal_error() const;
  double max_volume_loss() const;
  std::size_t max_new_intersections() const;
  // Whether the counts of new intersections of all joints are exact. If the count at rest is not exact, they
  // may include pairs that cross at rest.
  bool are_new_counts_exact() const;
  // Of all meshes: where weights change most along an edge, and where they differ most across a seam; null if
  // they do not.
  const MeshWeightChange* steepest_weights() const;
  const MeshWeightChange* worst_seam() const;
};
// Runs range_of_motion with a stack and measures the skinned instances in the scene (each pair of mesh and
// skin once). Characters without a skin give an empty quality. Parallel over joints; same numbers on any
// thread count. Fails as posing does, or with cancelled. 20,000 points and 50 joints take a second or two
// with a direct method.
Result<Quality> measure_quality(const Character& character, const DeformOptions& options,
                                const Progress& progress = {});

// ---- A quick look at a skin in motion
// -----------------------------------------------------------------------

struct SkinInMotion {
  double bleeding = 0;  // share of the points with visible weight on far joints, as in Bleed
  double torn = 0;      // of the worst mesh, share of the triangles with an edge that more than doubles
};
// Bends every joint that a parent joint holds by 60 degrees, as in held_bends, with linear blending. A tenth
// of a second for 20,000 points and 20 joints. Zero if nothing is skinned. Fails as posing does, or with
// cancelled.
Result<SkinInMotion> measure_skin_in_motion(const Character& character, const Progress& progress = {});

// ---- Limbs in motion --------------------------------------------------------------------------------------

// Where the axis of a limb is deepest inside another part of the body.
struct LimbCrossing {
  double depth = 0;                   // as a fraction of the largest side of the joints at rest
  Index limb = kNone, other = kNone;  // nodes; kNone: nothing crosses
  double time = 0;                    // seconds
};
// Forearms, hands, shins and feet against the rest of the body, along a clip, at the moments at which bones
// come closest. A limb's axis runs along its bone; it is inside another part where the triangles that follow
// that part wind around it, and as deep as these are away. How deep it is at rest does not count. Nothing
// crosses if no roles are found or nothing is skinned. Fails as posing does, or with cancelled.
Result<LimbCrossing> measure_crossing(const Character& character, Index clip, const Progress& progress = {});

// ---- What is wrong with a character -------------------------------------------------------------------

// One kind of finding. Help, docs/check.md and the advice in reports come from this table.
struct CheckRule {
  const char* id;              // stable, for scripts; for repairs made on loading, the id of the note
  Severity severity;           // unless a limit or a profile raises it
  const char* meaning;         // what was found
  const char* advice;          // what to do
  const char* mending;         // what mend_character, or rewriting the weights, does about it; empty: nothing
  bool is_found_anew = false;  // found in the character itself, whatever the reader noted
};
std::span<const CheckRule> check_rules();
// The rule of an id, or null.
const CheckRule* find_rule(std::string_view id);

// What a target requires of a character besides being well-formed.
struct CheckProfile {
  const char* name;                // "unreal"
  const char* rules;               // in words
  const char* source;              // where that is documented
  int max_influences;              // of a point; 0: any number
  bool wants_common_root;          // the joints of a skin hang below one node
  bool wants_one_root_joint;       // all joints hang below one joint
  bool wants_joint_names;          // joints have names, and no two the same
  std::size_t short_index_points;  // parts with more points need 32-bit indices; 0: not checked
};
std::span<const CheckProfile> check_profiles();
// By name; fails with Errc::usage, listing the known names.
Result<const CheckProfile*> find_check_profile(std::string_view name);

// An edge that grows by more than this fraction of the character's size, to more than kLongTimes its length,
// is a spike or a web in every picture. Good rigs whose feet hang from the root reach 0.3 when the body
// bends.
inline constexpr double kVisibleStretch = 0.4;
// What a character is checked against. Exceeding a limit makes its finding an error.
struct CheckLimits {
  const CheckProfile* profile = &check_profiles()[0];  // never null
  std::optional<int> max_influences;                   // instead of the profile's; 0: any number
  std::optional<double> max_bind_gap;                  // of a skin, rest from bind, as a fraction of its size
  std::optional<double> max_seam;             // of a mesh, share of weight that differs across a seam
  std::optional<std::size_t> max_open_edges;  // these three of a mesh
  std::optional<std::size_t> max_nonmanifold_edges;
  std::optional<std::size_t> max_shells;
  // These limit the quality of the skins; see check_quality.
  double max_stretch = kVisibleStretch;  // of an edge, as a fraction of the character's size
  std::optional<double> max_strain;
  std::optional<double> max_volume_loss;
  std::optional<std::size_t> max_new_intersections;
  std::optional<double> max_bleed, max_asymmetry;
};

struct Finding {
  std::string id;    // of the rule, or of the reader's note if the rule covers all such notes
  std::string rule;  // the id in check_rules
  // A warning may be intended: a property of the mesh, a figure without a limit. An error is broken weights
  // or structure, or a broken rule of the profile.
  Severity severity = Severity::warning;
  std::string sentence;  // without the place
  std::string advice;
  bool is_mendable = false;           // mend_character, or rewriting the weights, removes it
  bool is_mended_on_loading = false;  // gone from the character, still in the file
  // Where: thing number `index` ("mesh" 3), first affected point, polygon or node; kNone: does not apply.
  std::string thing;  // "mesh", "node", "skin", "clip", "instance"; empty: the whole file
  Index index = kNone;
  std::string name;  // of the thing
  Index point = kNone, polygon = kNone, node = kNone;
  std::size_t count = 0;         // how many are affected; 0: does not apply
  std::optional<double> figure;  // the measured value that a limit applies to
  Remedies remedies{};           // of the reader's note; see is_mendable for mending
};
using Findings = std::vector<Finding>;
// "mesh 0 'body', point 17", or nothing for the whole file.
std::string place_of(const Finding& finding);

// How a skin sits on its meshes.
struct SkinFit {
  std::size_t unused_slot_count = 0;  // no point follows them
  // How far the rest pose is from the bind pose: the largest distance between the places to which two used
  // joints of the skin move a corner of the bounding box, as a fraction of its diagonal. 0 if they agree.
  double rest_from_bind = 0;
  std::vector<bool> is_used;  // of each slot
};
std::vector<SkinFit> measure_skins(const Character& character, const PoseFrame& rest);

// The surface a mesh describes: coincident points are one, because files such as glTF must split them; but if
// attributes are on corners (OBJ), points stay as their author joined them.
std::vector<Index> surface_corners(const Mesh& mesh);

// True for a diagonal that no character has: above 30 m, or below 1 cm.
bool is_size_unusual(double metres);
// The box of the scene at rest, approximate: every instance with its heaviest joints, points sampled; that of
// the nodes if no mesh is shown.
Box box_at_rest(const Character& character, const PoseFrame& rest);

// How much of the clips was posed.
struct ClipsSeen {
  std::size_t clip_count = 0;   // of which frames were posed
  std::size_t frame_count = 0;  // in all
};

struct Checkup {
  Findings findings;  // worst first; then in the order of check_rules: what a picture shows comes first
  std::vector<SurfaceReport> surfaces;  // of each mesh, by its surface_corners
  std::vector<SkinFit> skins;
  Box box;  // of the scene at rest, approximate: every instance with its heaviest joints, points sampled
  std::optional<SkinsAtRest> at_rest;  // set by check_rest
  ClipsSeen clips;                     // set by check_clip_poses
  std::optional<Quality> quality;      // set by check_quality
  std::size_t count(Severity severity) const;
};
// Everything check_rules lists. `loading` are the loader's notes: what it repaired is a fault of the file.
// Nearly linear, parallel over meshes, same result on any thread count. The character must be valid. Fails as
// posing does, or with cancelled.
Result<Checkup> check_character(const Character& character, const Notes& loading, const CheckLimits& limits,
                                const Progress& progress = {});

// Measures the skins at rest, with at most so many distances (measure_skins_at_rest), and adds what it finds:
// everything that takes no bending. A second or two for a million points.
Status check_rest(const Character& character, const CheckLimits& limits, std::size_t most_distances,
                  Checkup& checkup, const Progress& progress = {});

// Poses the skins, by linear blending, at moments spread evenly over the clips, and adds what it finds: skin
// torn in a clip, and joints that leave the body or fall together. All clips share the moments: 240, or fewer
// for more than about 25,000 points, 12,000 nodes or 100 meshes, in proportion, but at least 4. So the time
// is linear in these, and far below that of check_quality. Of more clips than moments, evenly spaced ones are
// posed, once each. Same findings on any thread count. Fails as posing does, or with cancelled.
Status check_clip_poses(const Character& character, Checkup& checkup, const Progress& progress = {});

// Measures the quality of the skins with a stack, and adds it and its findings to the checkup. Strain, volume
// and intersections are findings only if a limit is exceeded; every skin has some. Begins with check_rest
// unless that was called, with all distances.
Status check_quality(const Character& character, const DeformOptions& options, const CheckLimits& limits,
                     Checkup& checkup, const Progress& progress = {});

// Mends what check_rules lists as mendable: weights that differ across seams (averaged), more influences than
// allowed (the heaviest stay), missing or shared node names, collapsed polygons, surfaces inside out. What
// loading repaired needs no mending. The character stays valid, and points stay unchanged. Returns a note of
// kind repair for each kind of mending and mesh.
Notes mend_character(Character& character, const CheckLimits& limits);

// ---- Notes --------------------------------------------------------------------------------------------

// What the ids of this room's notes mean.
std::span<const NoteRow> measure_notes();

}  // namespace dermis
