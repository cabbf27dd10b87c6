// SPDX-License-Identifier: MIT
// What make reports, described.
#include "dermis/ops/demo.h"

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
  fields.add("clip_seconds", report.clip_seconds, "how long it lasts", scaled_as(1, "{:.1f} s"));
  fields.add("seconds", report.seconds_making, "how long making took", scaled_as(1, "{:.2f} s"));
  fields.add("notes", report.notes, kNotesMeaning);
}

}  // namespace dermis
