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
  fields.add("notes", report.notes, kNotesMeaning);
}

}  // namespace dermis
