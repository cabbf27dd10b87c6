// SPDX-License-Identifier: MIT
// The description of what the operations on shapes report.
#include <fmt/format.h>

#include <algorithm>

#include "dermis/ops/shapes.h"
#include "ops/report/words.h"

namespace dermis {
namespace {

std::string headline(const ShapesReport& report) {
  if (report.operation == "poses")
    return fmt::format("{}: {}\n", report.input,
                       counted(report.correctives.size(), "corrective", "correctives"));
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

std::string pulled_table(const ShapesReport& report) {
  std::string text;
  for (const ShapesReport::Pulled& one : report.pulled) {
    text += fmt::format(
        "  mesh {}{}, pulled back through {} in {}: moves {} by up to {:.3g} % of the size; misses the "
        "sculpt by "
        "{:.2g} % (median), {:.2g} % (largest, point {}){}\n",
        one.mesh, one.mesh_name.empty() ? "" : " " + quoted_name(one.mesh_name), one.method,
        counted(static_cast<std::size_t>(one.round_count), "round", "rounds"),
        counted(one.point_count, "point", "points"), 100 * one.largest, 100 * one.median_miss,
        100 * one.largest_miss, one.worst_point,
        one.damped_count == 0 ? ""
                              : fmt::format("; {} damped", counted(one.damped_count, "point", "points")));
  }
  return text;
}

std::string corrective_table(const ShapesReport& report) {
  std::string text;
  std::string_view space;
  for (const ShapesReport::Corrective& one : report.correctives) {
    if (one.space != space)
      text += fmt::format("  pose space {} of {}, {}\n", quoted_name(one.space), fmt::join(one.joints, ", "),
                          one.kernel);
    space = one.space;
    text += fmt::format(
        "    {}: weight {:.3g}, {:.3g} degrees from rest{}{}; without it, others miss it by {:.2g} % of the "
        "size\n",
        one.shape, one.weight, degrees_from_radians(one.angle),
        one.radius > 0 ? fmt::format(", radius {:.3g} degrees", degrees_from_radians(one.radius)) : "",
        one.strength != 1 ? fmt::format(", strength {:g}", one.strength) : "", 100 * one.left_out);
  }
  return text;
}

void describe_correctives(ReportFields& fields, const ShapesReport& report) {
  fields.add_list(
      "pulled", report.pulled, "of correct: how well the sculpt was pulled back, on each mesh", {},
      [&](const ShapesReport::Pulled& one) {
        fields.add_index("mesh", one.mesh, "its number");
        fields.add_or_null("mesh_name", one.mesh_name, "its name");
        fields.add("method", one.method, "the stack that it was pulled back through");
        fields.add("points", one.point_count, "that the corrective moves");
        fields.add("largest", one.largest, "offset, as a fraction of the mesh's diagonal");
        fields.add("median_miss", one.median_miss, "distance from the sculpt of the median point, likewise");
        fields.add("largest_miss", one.largest_miss, "the same of the farthest point");
        fields.add_index("worst_point", one.worst_point, "the farthest point");
        fields.add("damped", one.damped_count, "points where the stack flattens space in this pose");
        fields.add("rounds", one.round_count, "of the iteration");
      });
  fields.add_list(
      "correctives", report.correctives, "of correct and poses: the correctives of all pose spaces", {},
      [&](const ShapesReport::Corrective& one) {
        fields.add("space", one.space, "its name");
        fields.add("shape", one.shape, "the name of the corrective");
        fields.add("kernel", one.kernel, "of the space: linear, gaussian or thin_plate");
        fields.add("joints", one.joints, "of the space");
        fields.add("angle_deg", degrees_from_radians(one.angle), "how far its pose is from rest, in degrees");
        fields.add("radius_deg", degrees_from_radians(one.radius), "in degrees; 0: automatic");
        fields.add("strength", one.strength, "its weight at its own pose");
        fields.add("weight", one.weight, "at the chosen pose");
        fields.add("left_out", one.left_out,
                   "how far the others miss its shape at its pose, as a fraction of the mesh's diagonal");
      });
}

}  // namespace

void describe(ReportFields& fields, const ShapesReport& report) {
  say_doubt(fields, report);
  fields.say_words([&] { return headline(report); });
  fields.say_words([&] { return pulled_table(report); });
  fields.say_words([&] { return corrective_table(report); });
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
  describe_correctives(fields, report);
  fields.add_object("seconds", kSecondsMeaning, [&] {
    fields.add("loading", report.seconds_loading, "reading the files", kSeconds);
    fields.add("working", report.seconds, "the operation", kSeconds);
    fields.add("saving", report.seconds_saving, "writing the file", kSeconds);
  });
  fields.add("notes", report.notes, kNotesMeaning);
}

}  // namespace dermis
