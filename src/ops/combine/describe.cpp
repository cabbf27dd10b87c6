// SPDX-License-Identifier: MIT
// The description of what combine reports.
#include <fmt/format.h>

#include "dermis/ops/combine.h"
#include "ops/report/words.h"

namespace dermis {
namespace {

std::string part_text(const CombineReport::Part& part) {
  std::string text = fmt::format("  {}: {}, {}", part.name, counted(part.mesh_count, "mesh", "meshes"),
                                 counted(part.point_count, "point", "points"));
  const auto add = [&](std::size_t count, const char* one, const char* many) {
    if (count > 0) text += ", " + counted(count, one, many);
  };
  add(part.matched_count, "joint of the body", "joints of the body");
  add(part.added_count, "further joint", "further joints");
  add(part.transferred_count, "mesh with the body's weights", "meshes with the body's weights");
  add(part.rigid_count, "rigid mesh", "rigid meshes");
  add(part.clip_count, "clip", "clips");
  return text + "\n";
}

}  // namespace

void describe(ReportFields& fields, const CombineReport& report) {
  say_doubt(fields, report);
  fields.say(
      "{output}: {meshes} on {joints}, {clips} (loading {seconds.loading}, combining {seconds.combining})\n");
  fields.say_words([&] {
    std::string text;
    for (const CombineReport::Part& part : report.parts) text += part_text(part);
    return text;
  });
  constexpr ReportForm kSeconds = scaled_as(1, "{:.2f} s");
  fields.add("input", report.input, "the body");
  fields.add("output", report.output, "the file that was written");
  describe_doubt(fields, report);
  fields.add_list(
      "parts", report.parts, "the other files, in order", {}, [&](const CombineReport::Part& part) {
        fields.add("file", part.name, "its name");
        fields.add("meshes", part.mesh_count, "meshes added");
        fields.add("points", part.point_count, "their points");
        fields.add("clips", part.clip_count, "clips added");
        fields.add("matched_joints", part.matched_count, "its joints that are joints of the body");
        fields.add("added_joints", part.added_count, "its joints that the body did not have");
        fields.add("transferred_meshes", part.transferred_count, "meshes that took the weights of the body");
        fields.add("rigid_meshes", part.rigid_count, "meshes that follow one joint");
        fields.add("scale", part.scale, "of its lengths, to the unit of the body");
        fields.add(
            "apart", part.apart,
            "largest distance between a joint and its match at rest, as a fraction of the body's size");
        fields.add("size", part.size, "of its box at rest, as a multiple of the body's");
        fields.add_or_null("doubt", part.doubt, "why it may look wrong; null: no doubt");
      });
  fields.add("joints", report.joint_count, "joints of the result", counted_as("joint", "joints"));
  fields.add("meshes", report.mesh_count, "meshes of the result", counted_as("mesh", "meshes"));
  fields.add("clips", report.clip_count, "clips of the result", counted_as("clip", "clips"));
  fields.add_object("seconds", kSecondsMeaning, [&] {
    fields.add("loading", report.seconds_loading, "reading the files", kSeconds);
    fields.add("combining", report.seconds_combining, "matching, adding and transferring", kSeconds);
    fields.add("saving", report.seconds_saving, "writing the file", kSeconds);
  });
  fields.add("notes", report.notes, kNotesMeaning);
}

}  // namespace dermis
