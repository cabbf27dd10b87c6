// SPDX-License-Identifier: MIT
// The description of what the operations on shapes report.
#include <fmt/format.h>

#include <algorithm>

#include "dermis/ops/shapes.h"
#include "ops/report/words.h"

namespace dermis {
namespace {

std::string headline(const ShapesReport& report) {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t count, const char* words) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, words));
  };
  add(report.added_count, "added");
  add(report.changed_count, report.operation == "rename" ? "renamed" : "changed");
  add(report.removed_count, "removed");
  const std::string shapes = counted(report.shapes.size(), "shape", "shapes");
  const std::string changes = parts.empty() ? "" : fmt::format(" ({})", fmt::join(parts, ", "));
  if (report.output.empty()) return fmt::format("{}: {}{}\n", report.input, shapes, changes);
  return fmt::format("{}: {} of {} written to {}{}\n", report.operation, shapes, report.input, report.output,
                     changes);
}

std::string table(const ShapesReport& report) {
  std::size_t width = 0;
  for (const ShapesReport::Shape& shape : report.shapes) width = std::max(width, shape.name.size());
  std::string text;
  Index mesh = kNone;
  for (const ShapesReport::Shape& shape : report.shapes) {
    if (shape.mesh != mesh)
      text += fmt::format("  mesh {}{}\n", shape.mesh,
                          shape.mesh_name.empty() ? "" : " " + quoted_name(shape.mesh_name));
    mesh = shape.mesh;
    text += fmt::format("    {:<{}}  moves {} by up to {:.3g} % of the size{}{}{}{}\n", shape.name,
                        std::min<std::size_t>(width, 40), counted(shape.point_count, "point", "points"),
                        100 * shape.largest, shape.has_normals ? ", with normals" : "",
                        shape.rest != 0 ? fmt::format(", {:g} at rest", shape.rest) : "",
                        shape.is_animated ? ", animated" : "",
                        shape.change.empty() ? "" : fmt::format(" ({})", shape.change));
  }
  return text;
}

}  // namespace

void describe(ReportFields& fields, const ShapesReport& report) {
  say_doubt(fields, report);
  fields.say_words([&] { return headline(report); });
  fields.say_words([&] { return table(report); });
  if (report.distance && report.farthest)
    fields.say_words([&] {
      return fmt::format(
          "  the median point is {:.2g} % of the size from the source, the farthest {:.2g} %\n",
          100 * *report.distance, 100 * *report.farthest);
    });
  constexpr ReportForm kSeconds = scaled_as(1, "{:.2f} s");
  fields.add("operation", report.operation, "its name");
  fields.add("inputs", report.inputs, "the files, the character first");
  fields.add_or_null("output", report.output, "the file that was written");
  describe_doubt(fields, report);
  fields.add("added", report.added_count, "shapes that are new");
  fields.add("changed", report.changed_count, "shapes replaced, renamed or changed");
  fields.add("removed", report.removed_count, "shapes that are gone");
  fields.add("distance", report.distance,
             "of a transfer: of the median point from the aligned source, as a fraction of the diagonal");
  fields.add("farthest", report.farthest, "the same of the farthest point");
  fields.add_list("shapes", report.shapes, "all shapes of the chosen meshes, after the operation", {},
                  [&](const ShapesReport::Shape& shape) {
                    fields.add_index("mesh", shape.mesh, "its number");
                    fields.add_or_null("mesh_name", shape.mesh_name, "its name");
                    fields.add_index("index", shape.index, "of the shape on its mesh");
                    fields.add("name", shape.name, "or its number, as \"#3\"");
                    fields.add("points", shape.point_count, "that it moves");
                    fields.add("largest", shape.largest, "offset, as a fraction of the mesh's diagonal");
                    fields.add("normals", shape.has_normals, "whether it stores how normals change");
                    fields.add("rest", shape.rest, "its weight at rest");
                    fields.add("animated", shape.is_animated, "whether a clip changes its weight");
                    fields.add_or_null("change", shape.change, "added, replaced, renamed or changed");
                  });
  fields.add_object("seconds", kSecondsMeaning, [&] {
    fields.add("loading", report.seconds_loading, "reading the files", kSeconds);
    fields.add("working", report.seconds, "the operation", kSeconds);
    fields.add("saving", report.seconds_saving, "writing the file", kSeconds);
  });
  fields.add("notes", report.notes, kNotesMeaning);
}

}  // namespace dermis
