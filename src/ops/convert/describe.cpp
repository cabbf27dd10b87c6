// SPDX-License-Identifier: MIT
// The description of what convert reports.
#include "dermis/ops/convert.h"

#include "ops/report/words.h"

namespace dermis {

void describe(ReportFields& fields, const ConvertReport& report) {
  fields.say("{input} ({input_bytes}) -> {output} ({output_bytes})\n");
  fields.add("input", report.input, "the file that was read");
  fields.add("output", report.output, "the file that was written");
  fields.add("input_bytes", report.input_bytes, "its size", kAsBytes);
  fields.add("output_bytes", report.output_bytes, "its size", kAsBytes);
  const bool has_baked = report.baked_key_count > 0;
  fields.say_if(has_baked, "  drivers baked: {baked_joints}, {baked_shapes}, {baked_keys}\n");
  fields.add("baked_joints", report.baked_joint_count, "driven joints that got keys",
             counted_as("joint", "joints"));
  fields.add("baked_shapes", report.baked_shape_count, "driven shapes that got keys",
             counted_as("shape", "shapes"));
  fields.add("baked_keys", report.baked_key_count, "moments at which they have keys, in all clips",
             counted_as("moment", "moments"));
  fields.add("notes", report.notes, kNotesMeaning);
}

}  // namespace dermis
