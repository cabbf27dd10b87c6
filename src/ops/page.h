// SPDX-License-Identifier: MIT
// Sections of report.html: what was done, how it looks, what it measures, and how to do it again.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "dermis/picture.h"
#include "ops/shot.h"

namespace dermis {

using Facts = std::vector<std::array<std::string, 2>>;  // what, and how much

// Pictures in reports: their size, and from where they are taken.
inline constexpr int kPageWidth = 480, kPageHeight = 420;
inline constexpr double kPageAspect = static_cast<double>(kPageWidth) / kPageHeight;
inline constexpr View kPageView{0.52, 0.2};
// Of the work of a section, what is done before its pictures; as progress tells it.
inline constexpr double kPagePosed = 0.2;

// A picture in a report.
Result<ReportFigure> figure_of(const Pixels& pixels, std::string caption, std::string number = {});
// A shot as a picture of that size.
Result<ReportFigure> shoot(const Shot& shot, const Camera& camera, const RunOptions& run, std::string caption,
                           std::string number);
// In place of pictures that would be empty.
ReportText nothing_to_draw();
// The colours of several pictures.
ReportFigure legend_of(const ColourScale& scale);
// The look of a stack's curve: the same in every plot, and of no other stack.
int look_of(const Stack& stack);
// "arm" for "arm_L", "Arm.R" and "LeftArm": what a joint and its mirror image share.
std::string without_side(std::string_view label);

ReportSection facts_section(const Facts& facts);
ReportSection timings_section(const Facts& timings);
ReportSection notes_section(const Notes& notes);
// `unjudged` is a sentence on what was left out, or empty.
ReportSection findings_section(const Findings& findings, const std::string& unjudged);
// The command as it was typed, where it is known, and others to try.
ReportSection commands_section(const RunOptions& run, const std::vector<std::string>& more);
// "0.123 s".
std::string seconds_text(double seconds);

// What a scene encloses at rest, openings capped.
struct SceneVolume {
  std::vector<MeasuredSurface> surfaces;  // of each mesh of the still scene
  double volume = 0;
  double diagonal = 0;
  std::size_t opening_count = 0;
  // Whether a volume is more than what rounding makes of a flat thing.
  bool is_told(double volume) const;
};
SceneVolume volume_at_rest(const Character& still);
// Says how many openings were capped; nothing where there are none.
void add_openings(const SceneVolume& volume, ReportSection& section);
// In place of volumes where there are none.
ReportText no_volume();

// A moment of a character in a report.
struct Moment {
  std::string label;
  PoseFrame frame;
};

// The character at rest by linear blending; with joints, those of its skins seen through it.
Result<Shot> shot_at_rest(const ShotMaker& maker, bool has_joints, const RunOptions& run);
// The same as pictures: the surface, and the joints in it where there is a skin.
Result<ReportSection> rest_section(const ShotMaker& maker, const RunOptions& run);
// The character at rest and in each moment, then the moments painted by strain.
Result<ReportSection> moments_section(const ShotMaker& maker, const Deformer& deformer,
                                      const std::vector<Moment>& moments, const RunOptions& run);
// The joints that carry most of the surface, each as a heat map.
Result<ReportSection> weights_section(const ShotMaker& maker, const RunOptions& run);
// A pose by several stacks: lbs as it is, the others painted by their distance from it; `most` (% of the
// size) has the last colour.
Result<std::vector<ReportFigure>> stacks_figures(const ShotMaker& maker, const PoseFrame& frame,
                                                 const std::vector<Stack>& stacks, std::optional<double> most,
                                                 const RunOptions& run);
// Volume against the angle of the joints that lose most of it, at most `count` of them, for each method.
Result<ReportSection> sweep_section(const ShotMaker& maker, std::size_t count, const RunOptions& run);
// The joints that do worst in the range of motion, each in its worst pose, painted by strain.
Result<ReportSection> worst_section(const ShotMaker& maker, const Quality& quality,
                                    const DeformOptions& options, const RunOptions& run);
// The same, measured here where that takes a second or two; else a sentence says how to see them.
Result<ReportSection> quick_worst_section(const ShotMaker& maker, const DeformOptions& options,
                                          const RunOptions& run);
// Volume along a clip, between two times (seconds).
Result<ReportSection> volume_section(const ShotMaker& maker, const Deformer& deformer, Index clip,
                                     double from, double to, const RunOptions& run);
// A posed scene in a comparison.
struct ComparedScene {
  const Character* still;
  std::shared_ptr<const std::vector<Pixels>> textures;
  std::string label;  // "A: hero.glb by lbs"
};
// Two posed scenes beside each other, then the first painted by its distance from the second.
Result<ReportSection> compared_section(const ComparedScene& a, const ComparedScene& b, const RunOptions& run);

// Refuses a report that is not .html or would replace an input.
Status check_report(const std::string& path, std::initializer_list<std::string> inputs,
                    const RunOptions& run);
// Notes that it is there.
Status save_report(const std::string& path, const ReportPage& page, Notes& notes);

}  // namespace dermis
