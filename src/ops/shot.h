// SPDX-License-Identifier: MIT
// Posed characters ready to be rendered, and what their colours say.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ops/job.h"

namespace dermis {

// A character in one pose by one stack.
struct Shot {
  Drawing drawing;
  Character still;  // what was drawn
  PoseFrame frame;
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
  Result<Shot> take(const Deformer& deformer, const PoseFrame& frame) const;
  // Paints all shots on one scale, which comes back; none without a heat map.
  Result<std::optional<ColourScale>> paint_heat(std::span<Shot> shots, const HeatMap& map) const;

 private:
  Result<std::vector<std::vector<float>>> heat_of(const Shot& shot, const HeatMap& map) const;
  Result<std::vector<std::vector<float>>> weights_of(const Shot& shot, const std::string& joint) const;
  Result<std::vector<std::vector<float>>> strains_of(const Shot& shot) const;
  Result<std::vector<std::vector<float>>> errors_of(const Shot& shot, const std::string& reference) const;
  Result<std::vector<Vec3>> right_points(const Shot& shot, const std::string& reference) const;

  const Character& character_;
  ShotOptions options_;
};

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
// Memory that a shot takes, about.
std::uint64_t bytes_of(const Shot& shot);
// The largest value that the shots are painted by.
double largest_heat(std::span<const Shot> shots);
// The height of the lowest point in all shots.
double ground_of(std::span<const Shot> shots);
std::size_t triangle_count(const Drawing& drawing);

}  // namespace dermis
