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
#include "dermis/ops/run.h"

namespace dermis {

// ---- info ----------------------------------------------------------------------------------------------

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

// ---- check ---------------------------------------------------------------------------------------------

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
// A mended glTF keeps its document except for what was mended. Other formats are written anew; those without
// skins take only characters without.
Result<CheckReport> check(const CheckJob& job);

}  // namespace dermis
