// SPDX-License-Identifier: MIT
// Characters as pictures and films: the verb render.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dermis/base.h"
#include "dermis/deform.h"
#include "dermis/ops/report.h"
#include "dermis/ops/run.h"
#include "dermis/picture.h"

namespace dermis {

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
  static constexpr const char* kVerb = "render";
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
void describe(ReportFields& fields, const RenderReport& report);
// One camera for all poses and methods of a picture, which shows all of them whole. Several of either make a
// sheet. A motion needs one pose and one stack. Without ffmpeg an .mp4 becomes numbered PNG files, with a
// note.
Result<RenderReport> render_character(const RenderJob& job);

}  // namespace dermis
