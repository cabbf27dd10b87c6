// SPDX-License-Identifier: MIT
// Poses characters and compares results: the verbs deform, bake and compare.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dermis/base.h"
#include "dermis/deform.h"
#include "dermis/math.h"
#include "dermis/measure.h"
#include "dermis/model.h"
#include "dermis/motion.h"
#include "dermis/ops/files.h"
#include "dermis/ops/report.h"
#include "dermis/ops/run.h"

namespace dermis {

// ---- deform --------------------------------------------------------------------------------------------

struct DeformRequest {
  ChosenPose pose;  // the rest pose by default
  DeformOptions deform;
};
struct DeformReport : FileReport {
  static constexpr const char* kVerb = "deform";
  std::string clip;  // empty: none
  double time = 0;
  std::string pose_file;  // empty: none
  std::vector<NamedValue> shapes, controls{};
  std::string method;
  std::size_t instance_count = 0, point_count = 0, polygon_count = 0;
  Box box;
  double seconds_deforming = 0;
};
void describe(ReportFields& fields, const DeformReport& report);
// Poses the whole scene of a character once, in world space: `still` gets the result. The asset does not
// change.
Result<DeformReport> deform(const Asset& asset, const DeformRequest& request, Character& still,
                            const Run& run = {});

// The same from file to file.
struct DeformJob : FileJob {
  PoseChoice pose;
  DeformOptions deform;
};
Result<DeformReport> deform(const DeformJob& job);

// ---- bake ----------------------------------------------------------------------------------------------

struct BakeRequest {
  Index clip = 0;
  double fps = kDefaultFps;        // above zero
  std::optional<double> from, to;  // seconds; unset: the clip's start and end
  DeformOptions deform;
};
struct BakeReport : FileReport {
  static constexpr const char* kVerb = "bake";
  std::string clip, method;
  double fps = 0, from = 0, to = 0;                                  // `to` is the time of the last frame
  std::size_t frame_count = 0, instance_count = 0, point_count = 0;  // points per frame
  std::vector<std::string> files;                                    // all files written
  double seconds_baking = 0;
};
void describe(ReportFields& fields, const BakeReport& report);
// Takes the posed scene of a frame; frames come in order.
using FrameTaker = std::function<Status(std::size_t frame, const Character& still)>;
// A clip as points: frame k equals, bit for bit, the result of `deform` at from + k / fps. The last frame is
// the last one not after `to` (by more than a hundredth of a frame: clips end at float times).
Result<BakeReport> bake(const Asset& asset, const BakeRequest& request, const FrameTaker& take,
                        const Run& run = {});

// The same from file to file. With several instances, each becomes its own .pc2 or .mdd, named after mesh and
// node. The mesh it moves is written next to it as NAME_rest.obj. Files of a sequence are numbered by their
// time in frames. Frames are written as they are made, except for glTF; a failure leaves no file.
struct BakeJob : FileJob {
  // The output is .pc2, .mdd, .glb, .gltf, or a sequence: walk_####.obj, walk_%04d.ply.
  std::string clip;  // name or number; empty: the only one
  double fps = kDefaultFps;
  std::optional<double> from, to;
  DeformOptions deform;
};
Result<BakeReport> bake(const BakeJob& job);

// ---- compare -------------------------------------------------------------------------------------------

struct CompareRequest {
  std::array<ChosenPose, 2> poses;  // of each; a side that cannot move stays as it is
  std::array<DeformOptions, 2> deform;
  std::optional<double> limit;  // of the largest distance, as a fraction of the diagonal
};
struct CompareReport : FileReport {
  static constexpr const char* kVerb = "compare";
  std::array<std::string, 2> inputs;
  std::array<std::string, 2> methods;  // of each; empty if it has no skin, so no method moves it
  std::array<std::size_t, 2> point_count{};
  PointDistance distance;
  std::string worst_place;  // "instance 0 'body', point 17" for characters
  // Of characters whose meshes agree in points: largest and mean sum of |difference| over a point's weights.
  std::optional<double> max_weight_difference, mean_weight_difference;
  // Of results compared point by point, as a sequence of one frame; the first is the reference. See
  // SequenceError.
  std::optional<double> e_rms, kg;
  // Of caches: distance, e_rms and kg cover all frames; the diagonal is that of the first cache's first
  // frame.
  struct Sequence {
    std::vector<double> times;  // seconds of each frame,
    std::vector<double> max;    // and the largest distance in it
    std::size_t worst_frame = 0;
  };
  std::optional<Sequence> sequence;
  // Of two posed characters: the volume of each with openings capped, in cubic units of its file.
  std::optional<std::array<double, 2>> volumes;
  // Of two posed characters whose polygons agree: the largest changes of a triangle from the first to the
  // second, as in Strain (of an edge, radians of shear, of the area).
  struct SurfaceChange {
    double edge = 0, shear = 0, area = 0;
  };
  std::optional<SurfaceChange> surface;
  // Of two posed characters with normals: 95 % of them are within this angle (radians) of the normals of
  // their polygons, in the worst mesh; see normal_error.
  std::optional<std::array<double, 2>> normal_errors;
  std::optional<double> limit;  // as requested
  bool is_within_limit = true;
  double seconds_posing = 0, seconds_measuring = 0;  // of both sides
};
void describe(ReportFields& fields, const CompareReport& report);
// How far apart two characters are in the same pose.
Result<CompareReport> compare(const Asset& a, const Asset& b, const CompareRequest& request,
                              const Run& run = {});

// The same for files.
struct CompareJob {
  // Characters or files of points; vertex caches and sequences of the same points; or one of these and a
  // character, whose clip is evaluated at the times of the cache. An .f32 has as many points as the other
  // side.
  std::array<std::string, 2> inputs;
  PoseChoice pose;  // of both; a side that cannot move stays as it is
  std::array<DeformOptions, 2> deform;
  std::optional<double> limit;  // as in the request
  double fps = 0;               // of caches that count frames; 0: kDefaultFps, with a note
  RunOptions run;
  std::string report{};  // .html; empty: none
};
Result<CompareReport> compare(const CompareJob& job);

}  // namespace dermis
