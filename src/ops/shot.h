// SPDX-License-Identifier: MIT
// Posed characters ready to be rendered, and what their colours say.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dermis/deform.h"
#include "dermis/ops/render.h"
#include "dermis/picture.h"
#include "ops/job.h"

namespace dermis {

// A character in one pose by one stack.
struct Shot {
  Drawing drawing;
  Character still;  // what was drawn
  PoseFrame frame;
  PoseChoice pose;                       // what the frame came of, for references that are files
  std::vector<std::vector<float>> heat;  // of each mesh and point what it is painted by; empty: not painted
};

struct ShotOptions {
  std::string file;  // stands in sentences
  bool has_joints = false;
  std::shared_ptr<const std::vector<Pixels>> textures;  // one for each image of the character, or null
  RunOptions run;
};

// Refers to the character, which must outlive it.
class ShotMaker {
 public:
  ShotMaker(const Character& character, ShotOptions options)
      : character_(character), options_(std::move(options)) {}
  const Character& character() const { return character_; }
  const std::string& file() const { return options_.file; }
  // Its run, telling `progress`.
  RunOptions run(const Progress& progress) const;
  // `state` goes from frame to frame of a film; null: a picture for itself.
  Result<Shot> take(const Deformer& deformer, const PoseFrame& frame, const Progress& progress,
                    DeformState* state = nullptr) const;

 private:
  const Character& character_;
  ShotOptions options_;
};

// A heat map made ready for the shots of one character: its joint found, its reference prepared or loaded,
// its rest measured, once for all pictures. Refers to the character, which must outlive it.
class HeatPainter {
 public:
  // Refuses what no shot could be painted by: a joint or method that is not there, a file that does not fit.
  // A reference that can move is posed as each shot is.
  static Result<HeatPainter> prepare(const ShotMaker& maker, const HeatMap& map, const Progress& progress);
  // Paints all shots on one scale, which comes back; none without a heat map. Unless the map has a largest
  // value the scale is flat where no value reaches kLeastHeat.
  Result<std::optional<ColourScale>> paint(std::span<Shot> shots, const Progress& progress) const;
  // What the reference had to say.
  const Notes& notes() const { return notes_; }

 private:
  using Heat = std::vector<std::vector<float>>;  // of each mesh and point
  HeatPainter(const ShotMaker& maker, HeatMap map) : maker_(&maker), map_(std::move(map)) {}
  Status prepare_weights();
  Status prepare_rest(const Progress& progress);
  Status prepare_reference(const Progress& progress);
  Status load_reference(const Progress& progress);
  Result<Heat> heat_of(const Shot& shot, const Progress& progress) const;
  Heat strains_of(const Shot& shot) const;
  Result<Heat> errors_of(const Shot& shot, const Progress& progress) const;
  Result<std::vector<Vec3>> right_points(const Shot& shot, const Progress& progress) const;

  const ShotMaker* maker_;
  HeatMap map_;
  Heat weights_;                            // of weight
  std::vector<MeasuredSurface> surfaces_;   // of strain: of each instance at rest,
  std::vector<std::vector<Vec3>> rest_;     // and its points
  std::optional<Deformer> right_deformer_;  // of error: what poses right,
  std::shared_ptr<const Character> right_;  // the character that it poses, where that comes from a file,
  std::vector<Vec3> right_points_;          // or else all points where they are right
  Notes notes_;
};
// In % of an edge or of the size: where all values are below this there is rounding and nothing to see.
inline constexpr double kLeastHeat = 0.01;
// Refuses a heat map that is wrong for any character.
Status check_heat(const HeatMap& map);

// True when a pose says something about it. A mesh that stands still is a result to compare with.
bool can_move(const Character& character);

// How far each point of `a` is from its own in `b`, or from the nearest where the counts differ, in % of the
// size of those; b has points.
std::vector<std::vector<float>> distances(const Character& a, const Character& b);

// A camera that shows all shots whole, and one that does so while they turn about the vertical.
Camera frame_shots(std::span<const Shot> shots, const View& view, double aspect);
Camera frame_turning(const Box& box, const View& view, double aspect);
// The same for boxes: every corner shows.
Camera frame_boxes(std::span<const Box> boxes, const View& view, double aspect);
// The camera walked around the vertical through `middle` by `angle` (radians).
Camera walked_around(Camera camera, const Vec3d& middle, double angle);
// "0.25 s" for each, with two decimals or as many as tell them apart, up to six.
std::vector<std::string> time_labels(std::span<const double> seconds);
// Memory that a shot takes, about.
std::uint64_t bytes_of(const Shot& shot);
// The largest value that the shots are painted by.
double largest_heat(std::span<const Shot> shots);
// The height of the lowest point in all shots.
double ground_of(std::span<const Shot> shots);
std::size_t triangle_count(const Drawing& drawing);
// Points of all instances in the scene.
std::size_t shown_point_count(const Character& character);

}  // namespace dermis
