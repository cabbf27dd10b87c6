// SPDX-License-Identifier: MIT
// What a file holds, and what is wrong with it: the verbs info and check.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dermis/base.h"
#include "dermis/deform.h"
#include "dermis/math.h"
#include "dermis/measure.h"
#include "dermis/model.h"
#include "dermis/ops/files.h"
#include "dermis/ops/report.h"
#include "dermis/ops/run.h"

namespace dermis {

// ---- info ----------------------------------------------------------------------------------------------

struct InfoJob {
  std::string input;  // a character, a vertex cache, or a sequence: "walk_####.obj"
  RunOptions run;
  double fps = 0;  // of a cache that counts frames; 0: kDefaultFps, with a note
};
struct InfoReport : FileReport {
  static constexpr const char* kVerb = "info";
  struct Clip {
    std::string name;
    float start = 0, end = 0;  // seconds
    std::size_t channel_count = 0;
  };
  struct Skin {
    std::string name;
    std::size_t joint_count = 0;
    std::size_t unused_joint_count = 0;  // joints that no point follows
    // How far the rest pose is from the bind pose: the largest distance between where two used joints of the
    // skin take a corner of the bounding box, as a fraction of its diagonal. 0 if they agree.
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
    // Of the surface; see surface_corners.
    std::size_t shell_count = 0, open_edge_count = 0, nonmanifold_edge_count = 0;
    bool is_closed = false;
  };
  struct Node {
    std::string label;  // as used in pose files
    std::string name;
    Index parent = kNone;
    bool is_joint = false;
  };
  // Of a vertex cache, which has no mesh and no nodes.
  struct Cache {
    std::size_t frame_count = 0, point_count = 0;
    float start = 0, end = 0;  // seconds
  };
  std::optional<Cache> cache;  // set if the file is one; then only the box of the fields below is used
  std::vector<Node> nodes;     // in file order
  std::size_t node_count = 0, root_count = 0, instance_count = 0, skinned_instance_count = 0;
  std::size_t point_count = 0, polygon_count = 0;  // of the scene, once per instance
  std::vector<Mesh> meshes;
  std::vector<Skin> skins;
  std::vector<Clip> clips;
  std::vector<std::string> controls;
  struct Driven {
    std::string name;   // of a driver or pose space, or the shape of a rule
    std::string words;  // "turns 'knee' by 'hip'"
  };
  std::vector<Driven> drivers, shape_rules, pose_spaces;
  std::size_t material_count = 0, image_count = 0;
  Findings findings;  // errors and warnings of check_character, worst first
  double metres_per_unit = 1;
  bool is_unit_guessed = false;
  Box box;  // of the scene at rest, in world space; for a cache, over all frames
};
void describe(ReportFields& fields, const InfoReport& report);
// What an asset holds, and what looks wrong. Its notes are those from loading it.
Result<InfoReport> info(const Asset& asset, const Run& run = {});
// The same for a file, which may be a vertex cache or a sequence.
Result<InfoReport> info(const InfoJob& job);

// ---- check ---------------------------------------------------------------------------------------------

struct CheckRequest {
  CheckLimits limits;
  // Whether to also bend the skins through the range of motion; everything else is always checked. Unset: if
  // there is a skin and it takes only seconds (kQuickPosedPoints), or if a quality limit is set.
  std::optional<bool> has_quality{};
  DeformOptions deform{};  // the stack to bend them with
};
// Up to this many points of skinned instances times poses of the range of motion take only seconds.
inline constexpr std::size_t kQuickPosedPoints = 60'000'000;
// Up to this many points times joints, points are compared with all joints even if the skins are not bent.
inline constexpr std::size_t kQuickDistances = 100'000'000;
struct CheckReport : FileReport {
  static constexpr const char* kVerb = "check";
  static constexpr bool kHasVerdict = true;  // its text ends with it
  std::string profile;
  Findings findings;  // of the input, or of the written file; worst first
  std::size_t error_count = 0, warning_count = 0;
  std::size_t mended_count = 0;  // repairs, each with a note
  std::optional<Quality>
      quality;                 // of the same asset as the findings; none without a skin, or if not requested
  bool is_skinned = false;     // the scene shows a skin
  std::string method;          // the stack it was measured with
  std::string unjudged;        // why there is no quality, as in a note; empty if there is
  ClipsSeen clips;             // how much of them was posed
  bool has_distances = false;  // points were compared with far joints: always, unless that would take long
  double seconds_checking = 0, seconds_quality = 0;
};
void describe(ReportFields& fields, const CheckReport& report);
// What is wrong with an asset, from the asset itself and from the notes of loading it.
Result<CheckReport> check(const Asset& asset, const CheckRequest& request, const Run& run = {});
// The same for a file. With an output, everything that can be repaired is, and the findings are those of the
// written file. A repaired glTF keeps its document except for the repairs. Other formats are rewritten; those
// that cannot store skins accept only characters without one.
struct CheckJob : FileJob, CheckRequest {};
Result<CheckReport> check(const CheckJob& job);
// The tables of rules and profiles as JSON.
std::string check_rules_json();

}  // namespace dermis
