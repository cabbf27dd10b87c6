// SPDX-License-Identifier: MIT
// Renders characters as pictures and films: the verb render.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dermis/base.h"
#include "dermis/deform.h"
#include "dermis/image.h"
#include "dermis/ops/files.h"
#include "dermis/ops/report.h"
#include "dermis/ops/run.h"
#include "dermis/picture.h"

namespace dermis {

// A quantity shown by the colours of a surface in place of its materials.
struct HeatMap {
  enum class Kind { none, weight, strain, error };
  Kind kind = Kind::none;
  std::string joint;      // weight: a node label
  std::string reference;  // error: the name of the reference, for labels and errors
  // The value of the last colour; unset: the largest value in the picture. Films of a clip by strain or error
  // need it, so that colours mean the same in every frame.
  std::optional<double> max;
  // error: what the points are compared with: the same pose by another stack, another character, or points.
  // Nothing: the file named by `reference`, not read yet.
  std::variant<std::monostate, Stack, std::shared_ptr<const Asset>, std::shared_ptr<const std::vector<Vec3>>>
      truth{};

  const Stack* stack() const { return std::get_if<Stack>(&truth); }
  const Asset* asset() const {  // null: not a character
    const auto* held = std::get_if<std::shared_ptr<const Asset>>(&truth);
    return held != nullptr ? held->get() : nullptr;
  }
  const std::vector<Vec3>* points() const {  // null: not points
    const auto* held = std::get_if<std::shared_ptr<const std::vector<Vec3>>>(&truth);
    return held != nullptr ? held->get() : nullptr;
  }
};
// From "weight=elbow_L", "strain", "error=dqs" or "error=truth.obj".
Result<HeatMap> parse_heat_map(std::string_view text);
// Reads the reference of a heat map if it names a file.
Status load_reference(HeatMap& map, const FileRun& run);

// "front", "back", "left" and "right" (of the character; +X is its left), "top" or "quarter".
Result<View> parse_view(std::string_view name);

enum class RenderMotion { none, turntable, clip };

// Everything about a picture except the poses it shows.
struct RenderLook {
  // Above 0: the only pose's clip at this many times, evenly from first to last; if the clip ends as it
  // starts, the end is left out.
  std::size_t moments = 0;
  std::vector<Stack> stacks;  // one column or picture of the sheet per stack; empty: lbs
  RenderMotion motion = RenderMotion::none;
  double seconds = 4;  // per turn of the turntable
  double fps = 24;
  View view;
  // A joint, node or mesh that fills the picture: a joint's region is in the middle of every picture, and the
  // camera follows it. Empty: everything.
  std::string focus;
  double zoom = 1;            // above 0: times as large, about the middle of the picture
  int width = 0, height = 0;  // of one picture; 0: 1280 x 960, or 480 x 420 per cell of a sheet
  std::size_t columns = 0;    // of a sheet; 0: chosen, so that the sheet has the shape of a screen
  int samples = 0;            // rays per pixel; 0: 16, or 4 with a motion
  bool has_ground = true, has_textures = true, has_wireframe = false;
  bool has_joints = false;            // always drawn if there is no surface
  std::optional<NormalMode> normals;  // none: exact, if the method has modes
  bool adds_rest_stages = true;       // as in DeformOptions
  HeatMap heat;
};
// A file of a scene that several files make up.
struct SceneFile {
  std::string name;
  Index root = kNone;  // what it shows is below this node
};
struct RenderRequest : RenderLook {
  std::vector<ChosenPose> poses;   // one row or picture of the sheet per pose; empty: rest
  std::vector<SceneFile> named{};  // files whose names are written below what they show
};
struct RenderReport : FileReport {
  static constexpr const char* kVerb = "render";
  std::vector<std::string> others;  // further files in the scene
  std::vector<std::string> files;   // all files written
  std::vector<std::string> methods;
  int width = 0, height = 0;  // of the picture
  std::size_t pose_count = 0, frame_count = 0, triangle_count = 0;
  std::optional<double> heat_max;  // the largest value shown,
  std::string heat_unit;           // and its unit: "% of an edge"; empty for weights
  double seconds_posing = 0, seconds_rendering = 0;
};
void describe(ReportFields& fields, const RenderReport& report);
// Takes picture `number` of `count`; pictures come in order.
using PictureTaker = std::function<Status(const Pixels& pixels, std::size_t number, std::size_t count)>;
// One camera for all poses and methods; it shows all of them completely. Several poses or methods make a
// sheet. A motion needs one pose and one stack, and gives many pictures.
Result<RenderReport> render_character(const Asset& asset, const RenderRequest& request,
                                      const PictureTaker& take, const Run& run = {});

// The same from file to file: .png or .jpg; with a motion, .mp4 or a sequence, turn_####.png. Without ffmpeg,
// an .mp4 is an error, and its frames stay as numbered PNG files.
// Several files make up one scene, in the unit of the first: in place, or beside each other with their names.
// A clip moves every file that has one of that name; a node name that files share means the first file's, and
// that of another is "B.glb/hand_L".
struct RenderJob : FileJob, RenderLook {
  std::vector<std::string> others;  // further files in the scene
  bool is_beside = false;
  std::vector<PoseChoice> poses;  // as in the request
};
Result<RenderReport> render_character(const RenderJob& job);

}  // namespace dermis
