// SPDX-License-Identifier: MIT
// Characters posed, and results compared: the verbs deform, bake and compare.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dermis/base.h"
#include "dermis/deform.h"
#include "dermis/math.h"
#include "dermis/measure.h"
#include "dermis/model.h"
#include "dermis/motion.h"
#include "dermis/ops/run.h"

namespace dermis {

// ---- deform --------------------------------------------------------------------------------------------

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

// ---- bake ----------------------------------------------------------------------------------------------

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

// ---- compare -------------------------------------------------------------------------------------------

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

}  // namespace dermis
