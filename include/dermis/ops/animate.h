// SPDX-License-Identifier: MIT
// Puts a motion onto a character: the verb animate.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dermis/base.h"
#include "dermis/io.h"
#include "dermis/io/tables.h"
#include "dermis/measure.h"
#include "dermis/motion.h"
#include "dermis/motion/takes.h"
#include "dermis/ops/files.h"
#include "dermis/ops/report.h"
#include "dermis/ops/run.h"

namespace dermis {

// A motion to put onto a character.
struct MotionRequest {
  const Asset* motion = nullptr;  // an asset with a clip,
  Index clip = 0;                 // and which of its clips
  RetargetOptions retarget;
  std::vector<MotionMapRow> map{};   // which joint follows which; empty: found by names and structure
  std::string map_name = "the map";  // for messages: the path it was loaded from
};
struct AnimateRequest {
  MotionRequest motion;
  bool drops_clips = false;  // removes the clips that the character has
};
// A motion in which more than this share of the height is below the floor, or of a limb's axis that deep in
// another part of the body, is doubted.
inline constexpr double kDoubtedSink = 0.03, kDoubtedCrossing = 0.05;
// A trunk whose lean differs this much from that of the motion, in degrees, lies or stands on its head.
inline constexpr double kDoubtedTilt = 60;
struct AnimateReport : FileReport {
  static constexpr const char* kVerb = "animate";
  std::string motion;
  std::string source_clip, clip;  // the motion's clip, and the name of the new one
  std::size_t clip_count = 0;     // in the output
  RetargetFigures figures;
  LimbCrossing crossing;
  std::string crossing_limb, crossing_other;  // labels of its joints; empty: nothing crosses
  std::vector<MotionMapRow> map;              // which joint follows which
  std::string take;                           // the file of weights over time; empty: none
  std::vector<ShapeMapRow> shape_map;         // which shapes follow which columns of the take
  std::vector<std::string> unused_columns;    // of the take
  std::string keys;                           // the file of keys that was read or written; empty: none
  std::size_t key_count = 0;                  // in it
  double seconds_retargeting = 0;
};
void describe(ReportFields& fields, const AnimateReport& report);
// Adds one clip to the character: the motion, retargeted to it.
Result<AnimateReport> animate(Asset& asset, const AnimateRequest& request, const Run& run = {});

// Where a clip made from a file goes.
struct ClipPlace {
  std::string name;          // of a new clip; empty: that of the file
  Index into = kNone;        // the clip that gets the channels; kNone: a new one
  bool drops_clips = false;  // removes the other clips
};
// Weights over time on the character's shapes.
struct TakeRequest {
  const WeightTake* take = nullptr;
  double fps = 0;                  // its rate, for the report
  std::vector<ShapeMapRow> map{};  // empty: found by names
  std::string name = "the take";   // for messages, and for the clip
  ClipPlace place{};
};
Result<AnimateReport> animate_take(Asset& asset, const TakeRequest& request, const Run& run = {});
// Keys by hand.
struct KeysRequest {
  const KeyedPoses* keys = nullptr;
  std::string name = "the keys";  // for messages, and for a clip without a name
  ClipPlace place{};
};
Result<AnimateReport> animate_keys(Asset& asset, const KeysRequest& request, const Run& run = {});

// The same from file to file. In a glTF, everything else is kept. A motion and a take make one clip.
struct AnimateJob : FileJob {
  std::string motion;  // a file with a clip, or the name of a built-in motion; a name with an extension is a
                       // file; empty: none
  std::string clip;    // of the motion: name or number; empty: the only one
  std::string take{};  // a .csv; empty: none
  std::string shape_map{}, save_shape_map{};  // maps of shapes; empty: mapped by names, not saved
  std::string keys{};                         // a .json of keys by hand; empty: none
  std::string into{};                         // the clip that gets take or keys; empty: a new one
  RetargetOptions retarget;
  std::string map{}, save_map{};  // .json; empty: mapped by names and structure, not saved
  bool drops_clips = false;
};
Result<AnimateReport> animate(const AnimateJob& job);
// Writes `clip` of the character as keys by hand, into a .json.
Result<AnimateReport> write_keys(const AnimateJob& job);
// The tables of built-in motions and of roles as JSON.
std::string motions_json();
std::string roles_json();

}  // namespace dermis
