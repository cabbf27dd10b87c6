// SPDX-License-Identifier: MIT
// What deform reports, described.
#include "dermis/ops/pose.h"

#include <fmt/format.h>

#include "ops/report/words.h"

namespace dermis {
namespace {

// "clip 'walk' at 0.5 s, pose bend.json, smile=0.5", or "at rest".
std::string pose_text(const DeformReport& report) {
  std::string text = report.clip.empty()
                         ? std::string()
                         : fmt::format("clip {} at {:g} s", quoted_name(report.clip), report.time);
  const auto add = [&](const std::string& words) { text += (text.empty() ? "" : ", ") + words; };
  if (!report.pose_file.empty()) add("pose " + report.pose_file);
  for (const NamedValue& shape : report.shapes) add(fmt::format("{}={:g}", shape.name, shape.value));
  for (const NamedValue& control : report.controls) add(fmt::format("{}={:g}", control.name, control.value));
  return text.empty() ? "at rest" : text;
}

}  // namespace

void describe(ReportFields& fields, const DeformReport& report) {
  fields.say("{output}: {points} of {instances} in {method}, ");
  fields.say_words([&] { return pose_text(report); });
  fields.say(" (loaded in {seconds.loading}, posed in {seconds.deforming}, saved in {seconds.saving})\n");
  describe_files(fields, report);
  fields.add_or_null("clip", report.clip, "the clip; null: none");
  fields.add("time", report.time, "in the clip, in seconds");
  fields.add_or_null("pose_file", report.pose_file, "the pose file; null: none");
  fields.add_map(
      "shapes", report.shapes, "requested weights of shapes, by name",
      [](const NamedValue& shape) { return std::string_view(shape.name); },
      [](const NamedValue& shape) { return shape.value; });
  fields.add_map(
      "controls", report.controls, "requested values of controls, by name",
      [](const NamedValue& control) { return std::string_view(control.name); },
      [](const NamedValue& control) { return control.value; });
  fields.add("method", report.method, "the stack of stages");
  fields.add("instances", report.instance_count, "places that show a mesh",
             counted_as("instance", "instances"));
  fields.add("points", report.point_count, "posed points", counted_as("point", "points"));
  fields.add("polygons", report.polygon_count, "posed polygons");
  fields.add("box", report.box, "of the posed points");
  describe_end(fields, report, [&] {
    fields.add("deforming", report.seconds_deforming, "preparing and posing", kAsMilliseconds);
  });
}

}  // namespace dermis
