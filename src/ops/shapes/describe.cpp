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
  if (report.operation == "export")
    return fmt::format("{}: a {} matrix of {} x {} written to {}\n", report.input, report.form,
                       report.matrix_rows, report.matrix_columns, report.output);
  return fmt::format("{}: {} of {} written to {}{}\n", report.operation, shapes, report.input, report.output,
                     changes);
}

// ", from 0 to 1, half at 0.5"
std::string rules_of(const ShapesReport::Shape& shape) {
  std::string text;
  if (shape.low && shape.high)
    text += fmt::format(", from {:g} to {:g}", *shape.low, *shape.high);
  else if (shape.low || shape.high)
    text +=
        shape.low ? fmt::format(", at least {:g}", *shape.low) : fmt::format(", at most {:g}", *shape.high);
  for (const InBetween& one : shape.in_betweens) text += fmt::format(", {} at {:g}", one.shape, one.weight);
  if (!shape.in_between_of.empty()) text += fmt::format(", between rest and {}", shape.in_between_of);
  if (!shape.product_of.empty()) text += fmt::format(", {}", fmt::join(shape.product_of, " * "));
  return text;
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
    text += fmt::format("    {:<{}}  moves {} by up to {:.3g} % of the size{}{}{}{}{}\n", shape.name,
                        std::min<std::size_t>(width, 40), counted(shape.point_count, "point", "points"),
                        100 * shape.largest, shape.has_normals ? ", with normals" : "",
                        shape.rest != 0 ? fmt::format(", {:g} at rest", shape.rest) : "",
                        shape.is_animated ? ", animated" : "", rules_of(shape),
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
  fields.add_or_null("matrix", report.matrix, "the matrix that was read or written");
  fields.add_or_null("form", report.form, "of the matrix: whole shapes, or displacements from the neutral");
  fields.add("matrix_rows", report.matrix_rows, "three for each point");
  fields.add("matrix_columns", report.matrix_columns,
             "one for each shape, and one for the neutral of whole shapes");
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
                    fields.add("low", shape.low, "the lower limit of its weight");
                    fields.add("high", shape.high, "the upper limit of its weight");
                    fields.add_list("in_betweens", shape.in_betweens, "other targets along its weight", {},
                                    [&](const InBetween& one) {
                                      fields.add("shape", one.shape, "its name");
                                      fields.add("weight", one.weight, "at which it is shown alone");
                                    });
                    fields.add_or_null("in_between_of", shape.in_between_of, "along whose weight it lies");
                    fields.add("product_of", shape.product_of,
                               "shapes whose weights multiply to its own; none: it is free");
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
