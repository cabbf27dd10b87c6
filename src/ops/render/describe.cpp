// SPDX-License-Identifier: MIT
// The description of what render reports.
#include "dermis/ops/render.h"

#include <fmt/format.h>

#include "ops/report/words.h"

namespace dermis {

void describe(ReportFields& fields, const RenderReport& report) {
  fields.say_words([&] {
    const std::size_t more = report.files.empty() ? 0 : report.files.size() - 1;
    return (report.files.empty() ? report.output : report.files.front()) +
           (more > 0 ? fmt::format(" and {} more", more) : std::string()) +
           fmt::format(": {} x {}", report.width, report.height);
  });
  fields.say(report.frame_count > 0 ? ", {triangles} in {frames}, by {methods}"
                                    : ", {triangles} in {poses}, by {methods}");
  fields.say_if(report.heat_max.has_value(), ", values up to {heat_max}");
  fields.say_if(report.heat_max && !report.heat_unit.empty(), " {heat_unit}");
  fields.say(" (loading {seconds.loading}, posing {seconds.posing}, rendering {seconds.rendering})\n");
  constexpr ReportForm kSeconds = scaled_as(1, "{:.2f} s");
  fields.add("input", report.input, "the file that was read");
  fields.add("others", report.others, "further files in the same scene");
  fields.add("output", report.output, "the requested file or pattern of files");
  fields.add("files", report.files, "all files written");
  fields.add("methods", report.methods, "the stacks shown");
  fields.add("size", std::array{report.width, report.height}, "width and height of the picture, in pixels");
  fields.add("poses", report.pose_count, "poses shown", counted_as("pose", "poses"));
  fields.add("frames", report.frame_count, "frames of a film; 0: a picture", counted_as("frame", "frames"));
  fields.add("triangles", report.triangle_count, "triangles drawn", counted_as("triangle", "triangles"));
  fields.add("heat_max", report.heat_max, "the largest value shown; null: materials are shown",
             scaled_as(1, "{:.4g}"));
  fields.add_if_set("heat_unit", report.heat_max ? std::optional(report.heat_unit) : std::nullopt,
                    "its unit: '% of an edge'; empty for weights");
  fields.add_object("seconds", kSecondsMeaning, [&] {
    fields.add("loading", report.seconds_loading, "reading the file", kSeconds);
    fields.add("posing", report.seconds_posing, "preparing and posing", kSeconds);
    fields.add("rendering", report.seconds_rendering, "drawing and writing", kSeconds);
  });
  fields.add("notes", report.notes, kNotesMeaning);
}

}  // namespace dermis
