// SPDX-License-Identifier: MIT
// Posed characters ready to be rendered, and their heat maps.
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
  ChosenPose pose;                       // the source of the frame, for references that are files
  std::vector<std::vector<float>> heat;  // value of each mesh and point; empty: not coloured
};

struct ShotOptions {
  std::string file;  // for messages
  bool has_joints = false;
  std::shared_ptr<const std::vector<Pixels>> textures;  // one per image of the character, or null
  Run run;
};

// Refers to the character, which must outlive it.
class ShotMaker {
 public:
  ShotMaker(const Character& character, ShotOptions options)
      : character_(character), options_(std::move(options)) {}
  const Character& character() const { return character_; }
  const std::string& file() const { return options_.file; }
  // Its run, reporting to `progress`.
  Run run(const Progress& progress) const;
  // `state` is passed from frame to frame of a film; null: a single picture.
  Result<Shot> take(const Deformer& deformer, const PoseFrame& frame, const Progress& progress,
                    DeformState* state = nullptr) const;

 private:
  const Character& character_;
  ShotOptions options_;
};

// A heat map prepared for the shots of one character: its joint found, its reference prepared or loaded, its
// rest measured, once for all pictures. Refers to the maker and its character, which must outlive it.
class HeatPainter {
 public:
  // Refuses what no shot could be coloured by: a joint or method that does not exist, a file that does not
  // fit. A reference that can move is posed like each shot.
  static Result<HeatPainter> prepare(const ShotMaker& maker, const HeatMap& map, const Progress& progress);
  // Colours all shots on one scale and returns it; none without a heat map. Unless the map sets a largest
  // value, the scale is flat if no value reaches kLeastHeat. `state` of the reference is passed from frame to
  // frame of a film; null: single pictures.
  Result<std::optional<ColourScale>> paint(std::span<Shot> shots, const Progress& progress,
                                           DeformState* state = nullptr) const;
  // Notes of the reference.
  const Notes& notes() const { return notes_; }

 private:
  using Heat = std::vector<std::vector<float>>;  // of each mesh and point
  HeatPainter(const ShotMaker& maker, HeatMap map) : maker_(&maker), map_(std::move(map)) {}
  Status prepare_weights();
  Status prepare_rest(const Progress& progress);
  Status prepare_reference(const Progress& progress);
  Result<Heat> heat_of(const Shot& shot, const Progress& progress, DeformState* state) const;
  Heat strains_of(const Shot& shot) const;
  Result<Heat> errors_of(const Shot& shot, const Progress& progress, DeformState* state) const;
  Result<std::vector<Vec3>> points_of_reference(const Shot& shot, const Progress& progress,
                                                DeformState* state) const;

  const ShotMaker* maker_;
  HeatMap map_;
  Heat weights_;                                // for weight
  std::vector<MeasuredSurface> surfaces_;       // for strain: of each instance at rest,
  std::vector<std::vector<Vec3>> rest_;         // and its points
  std::optional<Deformer> reference_deformer_;  // for error: poses the reference; none: points of the map
  Notes notes_;
};
// In % of an edge or of the size: if all values are below this, they are only rounding.
inline constexpr double kLeastHeat = 0.01;
// Refuses a heat map that is wrong for any character.
Status check_heat(const HeatMap& map);

// True if a pose can move it. A still mesh is a result to compare with.
bool can_move(const Character& character);

// How far each point of `a` is from the same point of `b`, or from the nearest if the counts differ, in % of
// the size of `b`, which has points.
std::vector<std::vector<float>> distances(const Character& a, const Character& b);

// A camera that shows all shots completely.
Camera frame_shots(std::span<const Shot> shots, const View& view, double aspect);
// Points around everything that `points` sweep while they turn about the vertical through `axis`.
std::vector<Vec3> turning_points(std::span<const Vec3> points, const Vec3d& axis);
// The camera turned around the vertical through `middle` by `angle` (radians).
Camera walked_around(Camera camera, const Vec3d& middle, double angle);
// "0.25 s" for each, with two decimals, or as many as distinguish them, up to six.
std::vector<std::string> time_labels(std::span<const double> seconds);
// Approximate memory of a shot.
std::uint64_t bytes_of(const Shot& shot);
// The largest value of the shots' heat maps.
double largest_heat(std::span<const Shot> shots);
// The height of the lowest point in all shots.
double ground_of(std::span<const Shot> shots);
std::size_t triangle_count(const Drawing& drawing);
// Points of all instances in the scene.
std::size_t shown_point_count(const Character& character);

}  // namespace dermis
