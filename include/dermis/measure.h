// SPDX-License-Identifier: MIT
// Numbers that say how far two results are apart, how well a surface keeps its shape, and what is wrong with
// a character.
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

// In order when the counts agree, nearest otherwise: then rms and mean run over the points of both sets.
// Fails when one of them is empty or has a point that is not finite. Same numbers on any thread count.
Result<PointDistance> point_distance(std::span<const Vec3> a, std::span<const Vec3> b);

// ---- Surfaces to measure ------------------------------------------------------------------------------

// A mesh as it is measured: coincident points joined, polygons cut into triangles as they lie at rest,
// openings closed. The same triangles serve every pose.
struct MeasuredSurface {
  WeldedSurface welded;                // triangles in polygon order
  std::vector<std::uint32_t> polygon;  // of each triangle
  // Openings: where triangles are missing at an edge, or are wound against each other, the edges left over
  // form loops. Each loop gets one more point, the mean of its points, and a fan of caps around it: point
  // welded.point_count() + k for loop k.
  std::vector<std::uint32_t> loop_first;       // loop k is loop_points[loop_first[k] .. loop_first[k + 1])
  std::vector<std::uint32_t> loop_points;      // welded
  std::vector<SurfaceMesh::Triangle> caps;     // their last corner is the point of the loop
  std::vector<std::uint32_t> triangle_of_cap;  // the triangle at its edge
  std::size_t loop_count() const { return loop_first.size() - 1; }
  std::size_t triangle_count() const { return welded.triangles.size(); }
};
// Linear but for concave polygons. Works on any mesh, non-manifold ones included.
MeasuredSurface measured_surface(const Mesh& mesh);

// Of values that were measured in many places.
struct Spread {
  double max = 0, mean = 0;
  double p95 = 0;         // 95 of 100 values are at most this
  std::size_t worst = 0;  // the first place of `max`
  std::size_t count = 0;  // places; 0: nothing could be measured, and all is zero
};
// Of the sizes of `values`; with `is_measured`, of those for which it holds. Same on any thread count.
Spread spread_of(std::span<const float> values, const std::vector<bool>& is_measured = {});

// ---- Volume -------------------------------------------------------------------------------------------

// The volume inside the surface with its openings capped, in cubic units of the points; positive when it is
// wound anticlockwise seen from outside. Where shells overlap, what they share counts for each. `points` are
// those of the mesh, posed or not; the first of several coincident ones counts.
double volume_of(const MeasuredSurface& surface, std::span<const Vec3> points);

// The parts of a surface that follow one joint more than any other: a triangle belongs to the slot with the
// largest sum of weights over its corners (ties: the lower). Regions are closed along their borders: the
// points of borders that hang together have one centre, their mean, and each border edge spans a triangle
// with it, for the regions on both sides. So the volumes of the regions add up to that of the surface.
struct JointRegions {
  std::vector<Index> slots;                       // region r follows slot slots[r]; rising
  std::vector<std::uint32_t> region_of_triangle;  // of the surface, then of its caps
  struct BorderEdge {
    std::uint32_t from, to, region, centre;  // as walked by the region
  };
  std::vector<BorderEdge> border;
  std::vector<std::uint32_t> centre_first;   // centre c is the mean of centre_points[centre_first[c] ..)
  std::vector<std::uint32_t> centre_points;  // of the surface, those of loops included
};
// `rows` has one for each point of the mesh.
JointRegions joint_regions(const MeasuredSurface& surface, const WeightRows& rows);
// One for each region; may be negative where a region is turned inside out.
std::vector<double> region_volumes(const MeasuredSurface& surface, const JointRegions& regions,
                                   std::span<const Vec3> points);

// The volume of the scene, all its instances added up, in each of some frames: along a clip, or a sweep.
Result<std::vector<double>> volume_curve(const Deformer& deformer, std::span<const PoseFrame> frames,
                                         const Progress& progress = {});
// The same with one node turned from rest about `axis`, in its own frame, by each of `angles` (radians).
Result<std::vector<double>> volume_sweep(const Deformer& deformer, Index node, const Vec3d& axis,
                                         std::span<const double> angles, const Progress& progress = {});

// ---- Strain -------------------------------------------------------------------------------------------

// How a posed surface differs from its rest, free of any rigid motion. Edges and heights of triangles below
// 1e-5 of the size of the mesh are not measured: there, float positions have no second digit. NaN never.
struct Strain {
  // Of each triangle, zero where it is not measured.
  std::vector<float> edge;   // relative change in length of that of its edges that changed most; -1 is gone
  std::vector<float> shear;  // largest change of a right angle drawn on it: pi/2 - 2 atan(s2 / s1), radians,
                             // s1 and s2 being the singular values of its deformation gradient
  std::vector<float> area;   // relative change of its area
  std::vector<bool> is_measured;
  std::vector<float> at_point;  // of each point of the mesh: the largest |edge| of the triangles around it
  Spread edges, shears, areas;  // over triangles, of the sizes
};
// `rest` and `posed` are the points of the mesh. Parallel; 100 k points take some 10 ms.
Strain measure_strain(const MeasuredSurface& surface, std::span<const Vec3> rest,
                      std::span<const Vec3> posed);

// ---- Self-intersections -------------------------------------------------------------------------------

// Pairs of triangles of the surface that cross (see do_triangles_cross); caps do not count.
Intersections measure_intersections(const MeasuredSurface& surface, std::span<const Vec3> points);
// Those of `posed` that are not in `rest`.
std::vector<TrianglePair> new_intersections(const Intersections& rest, const Intersections& posed);

// ---- Normals and weights ------------------------------------------------------------------------------

// The angle, in radians, between the normals of `posed` and those of its polygons, averaged by area around
// each point; coincident points whose given normals are within a degree share their polygons, so that seams
// of texture coordinates are smooth and hard edges are not. A spread over points: those without a normal or
// a polygon with area do not count. Empty normals give an empty spread.
Spread normal_error(const Mesh& mesh, const Surface& posed);

// How the weights change along the surface.
struct WeightChange {
  // Over the edges of its triangles: share of weight that changes (half the sum of |difference|), by the
  // length of the edge in parts of the diagonal of the mesh. 10: all weight changes within a tenth of its
  // size.
  Spread gradient;
  Index gradient_point = kNone;  // a point of the worst edge
  // Over the places where the file has several points across an edge: share of weight that differs.
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
  std::size_t frame = 0, point = 0;  // where `max` is
};
// Frame after frame, each of as many points as `rest` has. kg is 0 where the points of the truth
// coincide in every frame. Fails when sizes do not agree, there is no frame, a number is not finite, or the
// rest pose has no size. Same numbers on any thread count.
Result<SequenceError> sequence_error(std::span<const Vec3> truth, std::span<const Vec3> result,
                                     std::span<const Vec3> rest);

// ---- Skins in motion ------------------------------------------------------------------------------------

// How far points of two skins are apart, over twelve frames of every clip, or the range of motion without
// any.
struct SkinDistance {
  double rms = 0, p99 = 0, max = 0;  // in units
  double diagonal = 0;               // of the first at rest
  std::size_t frame_count = 0;
  bool is_by_range = false;     // by the range of motion
  std::size_t worst_point = 0;  // counted over the skinned instances in the scene
  std::string worst_moment;     // where `max` is: "clip 'walk' at 0.5 s"; empty: nowhere
};
// Both by linear blending, moved as the first one's clips say. Fails when they differ in nodes, instances or
// points, or have no skin.
Result<SkinDistance> skin_distance(const Character& a, const Character& b, const Progress& progress = {});

// ---- Quality of a skin ----------------------------------------------------------------------------------

// The worst that the range of motion does at one joint, over all skinned instances.
struct JointQuality {
  Index node = kNone;
  std::string label;  // as pose files name it
  // Largest relative change in length of an edge of the surface.
  double strain = 0;
  std::string strain_pose;
  Index strain_instance = kNone, strain_point = kNone;
  // Largest shear (radians) and largest relative change of area of a triangle, as Strain has them.
  double shear = 0, area = 0;
  std::string shear_pose, area_pose;
  // Of the points that bend in a pose, 95 of 100 have normals within this angle (radians) of those of their
  // polygons, as normal_error has it; 0 where the mesh has no normals.
  double normal_error = 0;
  std::string normal_error_pose;
  // Change of the volume of all skinned instances, in parts of the volume that bends: of each joint's region
  // as much as bends of its area, and at least a thousandth of the whole. The largest loss and the largest
  // gain; both 0 where there is no volume to speak of.
  double volume_loss = 0, volume_gain = 0;
  std::string volume_loss_pose;
  // Pairs of triangles that cross in the pose and not at rest; of one instance with itself.
  std::size_t new_intersections = 0;
  bool is_intersection_count_exact = true;  // false: more than could be listed, and this is a lower bound
  std::string intersections_pose;
};

// Which joints and points hold on to each other.
struct Coverage {
  std::size_t point_count = 0;       // of the skinned instances; shown twice counts once
  std::size_t torn_point_count = 0;  // with no influence of a fifth or more: they follow nobody
  std::size_t joint_count = 0;       // nodes that skins name
  std::size_t idle_joint_count = 0;  // no point follows them
  std::vector<Index> faint_joints;   // nodes that points follow, but none more than any other joint
};

// Weight on joints that are far from a point's heaviest joint, in parts of the size of all skinned meshes at
// rest: joints of one parent whose bones keep 15 % apart; others when the way between them along the
// skeleton, without the bone of the upper one where one is above the other, is longer than 15 %. Not where
// the point is less than twice as far from the other bone as from its own. A bone reaches from its joint to
// the joints below; joints without any count as the one above them. Joints with no joint above both are not
// compared.
struct Bleed {
  Spread share;                                   // over points: share of its weight on far joints
  std::size_t count = 0;                          // points with more than kVisibleBleed
  Index mesh = kNone, point = kNone;              // the worst point,
  Index heaviest_node = kNone, far_node = kNone;  // its heaviest joint and the heaviest of the far ones
};
inline constexpr double kVisibleBleed = 0.05;

// How far the weights of the left are from those of the right. Joints pair up by their names (left and right,
// l and r, as words of their own or by capitals; also fl, fr, bl, br) but for a number at the end, of several
// the ones that lie best as mirror images; joints without a side in the plane between are their own pair.
// The mirror lies between the pairs, and is then fitted to the points. Points pair up where the mirrored
// place has one within a thousandth of the size. All as it was bound.
struct Symmetry {
  bool is_judged = false;  // joints name their sides, and at least half of the points have a pair
  Spread difference;       // over paired points: share of weight that differs from the mirrored row
  Index mesh = kNone, point = kNone;     // the worst
  std::size_t unpaired_point_count = 0;  // those that follow unpaired joints included
  std::vector<Index> unpaired_joints;    // nodes, of those that points follow
};

// How the weights of one mesh change along its surface.
struct MeshWeightChange {
  Index mesh = kNone;
  WeightChange change;
};

struct Quality {
  std::size_t pose_count = 0;
  std::vector<JointQuality> joints;       // in node order; those whose turn bends nothing are zero throughout
  std::size_t rest_intersections = 0;     // crossing pairs at rest, of all skinned instances
  bool is_rest_count_exact = true;        // false: more than could be listed, and that count is a lower bound
  double rest_normal_error = 0;           // as that of the joints, over all points at rest
  std::vector<MeshWeightChange> weights;  // of each mesh that a skin moves, in order
  std::size_t open_loop_count = 0;        // openings that were capped to measure volumes
  bool has_volume = false;
  Coverage coverage;
  Bleed bleed;
  Symmetry symmetry;
  Notes notes;  // what the stack assumed
  // Of all joints: the largest.
  double max_strain() const;
  double max_shear() const;
  double max_area_change() const;
  double max_normal_error() const;
  double max_volume_loss() const;
  std::size_t max_new_intersections() const;
  // Whether the counts of new intersections of all joints are exact. With a count at rest that is not, they
  // may hold pairs that cross at rest too.
  bool are_new_counts_exact() const;
  // Of all meshes: where weights change most along an edge, and where they differ most across a seam; null
  // where they do not.
  const MeshWeightChange* steepest_weights() const;
  const MeshWeightChange* worst_seam() const;
};
// Runs range_of_motion with a stack and measures the skinned instances in the scene (a mesh that several show
// with the same skin once). Characters without a skin give an empty quality. Parallel over joints; same
// numbers on any thread count. Fails as posing does, and with cancelled. 20,000 points and 50 joints take a
// second or two with a direct method.
Result<Quality> measure_quality(const Character& character, const DeformOptions& options,
                                const Progress& progress = {});

// ---- What is wrong with a character -------------------------------------------------------------------

// How much a finding matters.
enum class Severity {
  info,     // worth knowing
  warning,  // may be meant so: a property of the mesh, a figure without a limit
  error,    // broken weights or structure, or a rule of the profile
};
// The stable name in JSON: "warning".
const char* name_of(Severity severity);

// One kind of finding. Help, docs/check.md and the advice in reports come from this table.
struct CheckRule {
  const char* id;       // stable, for scripts; for what loading mends, the id of its note
  Severity severity;    // unless a limit or a profile says more
  const char* meaning;  // what is so
  const char* advice;   // what to do
  const char* mending;  // what mend_character, or writing weights anew, does about it; empty: nothing
};
std::span<const CheckRule> check_rules();

// What a target asks of a character beyond being well-formed.
struct CheckProfile {
  const char* name;                // "unreal"
  const char* rules;               // in words
  const char* source;              // where that is documented
  int max_influences;              // of a point; 0: any number
  bool wants_common_root;          // the joints of a skin hang below one node
  bool wants_one_root_joint;       // all joints hang below one joint
  bool wants_joint_names;          // joints have names, and no two the same
  std::size_t short_index_points;  // parts with more points need 32-bit indices there; 0: no matter
};
std::span<const CheckProfile> check_profiles();
// By name; Errc::usage lists the known ones.
Result<const CheckProfile*> find_check_profile(std::string_view name);

// What a character is held against. A limit that is exceeded makes its finding an error.
struct CheckLimits {
  const CheckProfile* profile = &check_profiles()[0];  // never null
  std::optional<int> max_influences;                   // in place of the profile's; 0: any number
  std::optional<double> max_bind_gap;                  // of a skin, rest from bind, in parts of its size
  std::optional<double> max_seam;             // of a mesh, share of weight that differs across a seam
  std::optional<std::size_t> max_open_edges;  // these three of a mesh
  std::optional<std::size_t> max_nonmanifold_edges;
  std::optional<std::size_t> max_shells;
  // These of the quality of the skins; see check_quality.
  std::optional<double> max_strain;
  std::optional<double> max_volume_loss;
  std::optional<std::size_t> max_new_intersections;
  std::optional<double> max_bleed, max_asymmetry;
};

struct Finding {
  std::string id;    // of the rule, or of the reader's note where the rule stands for all such notes
  std::string rule;  // the id in check_rules
  Severity severity = Severity::warning;
  std::string sentence;  // without the place
  std::string advice;
  bool is_mendable = false;           // mend_character, or writing the weights anew, ends it
  bool is_mended_on_loading = false;  // the character has it no more, the file still does
  // Where: thing number `index` ("mesh" 3), first point, polygon or node concerned; kNone: does not apply.
  std::string thing;  // "mesh", "node", "skin", "clip", "instance"; empty: the whole file
  Index index = kNone;
  std::string name;  // of the thing
  Index point = kNone, polygon = kNone, node = kNone;
  std::size_t count = 0;         // how many are concerned; 0: does not apply
  std::optional<double> figure;  // the measured value that a limit speaks of
};
using Findings = std::vector<Finding>;
// "mesh 0 'body', point 17", or nothing for the whole file.
std::string place_of(const Finding& finding);

// How a skin sits on its meshes.
struct SkinFit {
  std::size_t unused_slot_count = 0;  // no point follows them
  // How far the rest pose is from the bind pose: the largest distance between where two used joints of the
  // skin take a corner of the bounding box, in parts of its diagonal. 0 when they agree.
  double rest_from_bind = 0;
  std::vector<bool> is_used;  // of each slot
};
std::vector<SkinFit> measure_skins(const Character& character, const PoseFrame& rest);

// The surface a mesh describes: points that lie exactly on one another are one, as files such as glTF must
// split them; but where attributes sit on corners (OBJ) the points are as their author joined them.
std::vector<Index> surface_corners(const Mesh& mesh);

struct Checkup {
  Findings findings;  // worst first; of equal ones those of the file, then of nodes, meshes, skins, clips
  std::vector<SurfaceReport> surfaces;  // of each mesh, by its surface_corners
  std::vector<SkinFit> skins;
  Box box;  // of the scene at rest, about: every instance with its heaviest joints, points sampled
  std::optional<Quality> quality;  // where check_quality was asked for it
  std::size_t count(Severity severity) const;
};
// Everything check_rules lists. `loading` are the notes of the loader: what it mended is a fault of the file.
// Nearly linear, parallel over meshes, same result on any thread count. The character must be valid.
Result<Checkup> check_character(const Character& character, const Notes& loading, const CheckLimits& limits);

// Measures the quality of the skins with a stack, and adds it and what it finds to the checkup. Strain,
// volume and intersections are findings only where a limit is exceeded; every skin has some.
Status check_quality(const Character& character, const DeformOptions& options, const CheckLimits& limits,
                     Checkup& checkup, const Progress& progress = {});

// Mends what check_rules says can be mended: weights that differ across seams (averaged), more influences
// than allowed (the heaviest stay), node names missing or shared, polygons that collapsed, surfaces inside
// out. What loading mended is mended already. The character stays valid, and points stay as they are. Returns
// a note of kind repair for each thing mended and mesh.
Notes mend_character(Character& character, const CheckLimits& limits);

}  // namespace dermis
