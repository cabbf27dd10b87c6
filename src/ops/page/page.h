// SPDX-License-Identifier: MIT
// Sections of report.html: what was done, how it looks, the measurements, and how to repeat it.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "dermis/ops/report.h"
#include "dermis/picture.h"
#include "ops/page/shot.h"

namespace dermis {

struct Fact {
  std::string name, value;
  std::string meaning{};  // a clause; empty: the name says it
};
using Facts = std::vector<Fact>;

// Pictures in reports: their size and view.
inline constexpr int kPageWidth = 480, kPageHeight = 420;
inline constexpr double kPageAspect = static_cast<double>(kPageWidth) / kPageHeight;
inline constexpr View kPageView{0.52, 0.2};
// The share of a section's progress before its pictures.
inline constexpr double kPagePosed = 0.2;

// A picture in a report.
Result<ReportFigure> figure_of(const Pixels& pixels, std::string caption, std::string number = {});
// A shot as a picture of that size.
Result<ReportFigure> shoot(const Shot& shot, const Camera& camera, const Run& run, std::string caption,
                           std::string number);
// Replaces pictures that would be empty.
ReportText nothing_to_draw();
// The colours of several pictures.
ReportFigure legend_of(const ColourScale& scale);
// The look of a stack's curve: the same in every plot, and unique to that stack.
int look_of(const Stack& stack);

// The single values of a described report, by the names of its fields ("feet: slide") and with their
// meanings, and its seconds. Lists and what is not known are left out.
struct DescribedFacts {
  Facts facts, timings;
};
DescribedFacts described_facts(const ReportDescription& description);
template <DescribedReport Report>
DescribedFacts facts_of(const Report& report) {
  return described_facts([&](ReportFields& fields) { describe(fields, report); });
}

ReportSection facts_section(const Facts& facts);
ReportSection timings_section(const Facts& timings);
ReportSection notes_section(const Notes& notes, std::string_view verb);
// `unjudged` is a sentence on what was left out, or empty.
ReportSection findings_section(const Findings& findings, const std::string& unjudged);
// The command as typed, if known, and others to try.
ReportSection commands_section(const RunOptions& run, const std::vector<std::string>& more);
// "0.123 s".
std::string seconds_text(double seconds);

// The volume of a scene at rest, openings capped.
struct SceneVolume {
  std::vector<MeasuredSurface> surfaces;  // of each mesh of the still scene
  double volume = 0;
  double diagonal = 0;
  std::size_t opening_count = 0;
  // Whether a volume is more than the rounding error of a flat shape.
  bool is_told(double volume) const;
};
SceneVolume volume_at_rest(const Character& still);
// States how many openings were capped; nothing if there are none.
void add_openings(const SceneVolume& volume, ReportSection& section);
// Replaces volumes if there are none.
ReportText no_volume();

// A moment of a character in a report.
struct Moment {
  std::string label;
  PoseFrame frame;
};

// The character at rest by linear blending; with joints, those of its skins are seen through it.
Result<Shot> shot_at_rest(const ShotMaker& maker, bool has_joints, const Run& run);
// The same as pictures: the surface, and the joints in it if there is a skin.
Result<ReportSection> rest_section(const ShotMaker& maker, const Run& run);
// The character at rest and in each moment, then the moments coloured by strain.
Result<ReportSection> moments_section(const ShotMaker& maker, const Deformer& deformer,
                                      const std::vector<Moment>& moments, const Run& run);
// The joints that move most of the surface, each as a heat map.
Result<ReportSection> weights_section(const ShotMaker& maker, const Run& run);
// A pose by several stacks: lbs plain, the others coloured by their distance from it; `most` (% of the size)
// has the last colour.
Result<std::vector<ReportFigure>> stacks_figures(const ShotMaker& maker, const PoseFrame& frame,
                                                 const std::vector<Stack>& stacks, std::optional<double> most,
                                                 const Run& run);
// Volume against the angle of the joints that lose most of it, at most `count` of them, for each method.
Result<ReportSection> sweep_section(const ShotMaker& maker, std::size_t count, const Run& run);
// The worst joints in the range of motion, each in its worst pose, coloured by strain.
Result<ReportSection> worst_section(const ShotMaker& maker, const Quality& quality,
                                    const DeformOptions& options, const Run& run);
// The same, measured here if that takes a second or two; else a sentence explains how to see them.
Result<ReportSection> quick_worst_section(const ShotMaker& maker, const DeformOptions& options,
                                          const Run& run);
// Volume along a clip, between two times (seconds).
Result<ReportSection> volume_section(const ShotMaker& maker, const Deformer& deformer, Index clip,
                                     double from, double to, const Run& run);
// A posed scene in a comparison.
struct ComparedScene {
  const Character* still;
  std::shared_ptr<const std::vector<Pixels>> textures;
  std::string label;  // "A: hero.glb by lbs"
};
// Two posed scenes side by side, then the first coloured by its distance from the second.
Result<ReportSection> compared_section(const ComparedScene& a, const ComparedScene& b, const Run& run);

// ---- Pages of verbs ----

// An empty page of a verb on a file.
ReportPage page_of(const char* verb, const std::string& input);
// `notes` get the textures that cannot be drawn.
ShotMaker maker_of(const Character& character, const std::string& file, const Run& run, Notes& notes);
// The options of a stack's stages that are not the default.
void add_stage_facts(const Stack& stack, Facts& facts);
// Adds a section, or returns why there is none.
Status add_section(Result<ReportSection> section, ReportPage& page);
// "walk at 0.25 s", so that no two labels are the same.
void add_times(std::span<const double> times, std::vector<Moment>& moments);
// The joints with a sweep: those that lose most volume.
inline constexpr std::size_t kSweptJoints = 2;
// Moments of a clip in a report.
inline constexpr std::size_t kMoments = 5;

// Refuses a report that is not .html or would replace an input.
Status check_report(const std::string& path, const std::vector<std::string>& inputs, const RunOptions& run);
// Notes its path.
Status save_report(const std::string& path, const ReportPage& page, Notes& notes);

}  // namespace dermis
