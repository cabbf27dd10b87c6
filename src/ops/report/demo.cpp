// SPDX-License-Identifier: MIT
// The descriptions of what make and demo report.
#include "dermis/ops/demo.h"

#include <fmt/format.h>

#include "ops/report/words.h"

namespace dermis {

void describe(ReportFields& fields, const MakeReport& report) {
  fields.say("{output}: {kind} with {points}, {polygons}, {joints}");
  fields.say_if(report.shape_count > 0, ", {shapes}");
  fields.say(", clip '{clip}' of {clip_seconds} (made in {seconds})\n");
  fields.add("kind", report.kind, "what was made");
  fields.add("output", report.output, "the file that was written");
  fields.add("points", report.point_count, "points of its meshes", counted_as("point", "points"));
  fields.add("polygons", report.polygon_count, "polygons of its meshes", counted_as("polygon", "polygons"));
  fields.add("joints", report.joint_count, "joints of its skins", counted_as("joint", "joints"));
  fields.add("shapes", report.shape_count, "blend shapes", counted_as("shape", "shapes"));
  fields.add("clip", report.clip, "its clip");
  fields.add("clip_seconds", report.clip_seconds, "how long that is", scaled_as(1, "{:.1f} s"));
  fields.add("seconds", report.seconds_making, "how long making took", scaled_as(1, "{:.2f} s"));
  fields.add("notes", report.notes, kNotesMeaning);
}

void describe(ReportFields& fields, const DemoReport& report) {
  fields.say(
      "A bare humanoid of {points} points: skeleton '{skeleton}' of {joints} joints found in "
      "{seconds.rigging}, bound in {seconds.binding}, walking for {clip_seconds}; posed at {posed_at} by "
      "each "
      "method:\n");
  fields.add("files", report.files, "all that were written");
  fields.add("skeleton", report.skeleton, "the template that was found in the bare mesh");
  fields.add_object("seconds", kSecondsMeaning, [&] {
    fields.add("rigging", report.seconds_rigging, "finding the skeleton", kAsMilliseconds);
    fields.add("binding", report.seconds_binding, "finding the weights", kAsMilliseconds);
  });
  fields.add("points", report.point_count, "points of the humanoid");
  fields.add("joints", report.joint_count, "joints that were found");
  fields.add("clip_seconds", report.clip_seconds, "how long it walks", scaled_as(1, "{:.1f} s"));
  fields.add("posed_at", report.posed_at, "seconds into the clip", scaled_as(1, "{:.2f} s"));
  fields.add_list(
      "posed", report.posed, "the humanoid posed by each stack", {}, [&](const DemoReport::Posed& posed) {
        fields.say_words([&] { return fmt::format("  {:<18}", posed.method); });
        fields.say(
            " up to {from_linear} of its size from lbs; prepared in {seconds.preparing}, posed in "
            "{seconds.posing}\n");
        fields.add("method", posed.method, "the stack of stages");
        fields.add("file", posed.file, "where it is");
        fields.add("from_linear", posed.from_linear, "largest distance from lbs, in parts of the diagonal",
                   scaled_as(100, "{:5.2f} %"));
        fields.add_object("seconds", kSecondsMeaning, [&] {
          fields.add("preparing", posed.seconds_preparing, "once for all poses", kAsMilliseconds);
          fields.add("posing", posed.seconds_posing, "one pose", scaled_as(1e3, "{:.1f} ms"));
        });
      });
  fields.say_words([&] {
    std::string text = "\nFiles:\n";
    for (const std::string& file : report.files) text += fmt::format("  {}\n", file);
    text += "\nTry next:\n";
    for (const std::string& command : report.next) text += fmt::format("  ./{}\n", command);
    return text;
  });
  fields.add("next", report.next, "commands to try");
  fields.add("notes", report.notes, kNotesMeaning);
}

}  // namespace dermis
