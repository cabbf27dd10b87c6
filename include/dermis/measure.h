// SPDX-License-Identifier: MIT
// Numbers that say how far two results are apart, and what is wrong with a character.
#pragma once

#include <cstddef>
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
  std::size_t count(Severity severity) const;
};
// Everything check_rules lists. `loading` are the notes of the loader: what it mended is a fault of the file.
// Nearly linear, parallel over meshes, same result on any thread count. The character must be valid.
Result<Checkup> check_character(const Character& character, const Notes& loading, const CheckLimits& limits);

// What was changed by mend_character.
struct Mended {
  Notes notes;  // of kind repair, one for each thing mended and mesh
  bool has_new_weights = false, has_new_names = false;
  std::vector<Index> resurfaced;  // meshes whose polygons or normals changed; points stay as they are
};
// Mends what check_rules says can be mended: weights that differ across seams (averaged), more influences
// than allowed (the heaviest stay), node names missing or shared, polygons that collapsed, surfaces inside
// out. What loading mended is mended already. The character stays valid.
Mended mend_character(Character& character, const CheckLimits& limits);

}  // namespace dermis
