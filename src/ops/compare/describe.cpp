// SPDX-License-Identifier: MIT
// What compare reports, described.
#include "dermis/ops/pose.h"

#include <fmt/format.h>

#include "ops/report/words.h"

namespace dermis {
namespace {

// The sides of a comparison, what moved them, and how far apart they are.
std::string distance_text(const CompareReport& report) {
  const PointDistance& d = report.distance;
  const double size = d.diagonal > 0 ? d.diagonal : 1.0;
  const auto method = [&](std::size_t k) {
    const char* none = report.sequence ? "none (a cache)" : "none (no skin)";
    return report.methods[k].empty() ? std::string(none) : report.methods[k];
  };
  std::string text = fmt::format("{} and {}: {} and {} points, {}\n", report.inputs[0], report.inputs[1],
                                 report.point_count[0], report.point_count[1],
                                 d.in_order ? "compared point by point" : "compared with the nearest");
  if (report.sequence)
    text += fmt::format("  {}, all measured\n", counted(report.sequence->times.size(), "frame", "frames"));
  text += method(0) == method(1) ? fmt::format("  method {}\n", method(0))
                                 : fmt::format("  methods {} and {}\n", method(0), method(1));
  return text +
         fmt::format("  max  {:.6g} ({:.4g} % of the diagonal) at {} of {}\n", d.max, 100 * d.max / size,
                     report.worst_place, report.inputs[d.is_worst_in_second ? 1 : 0]) +
         fmt::format("  rms  {:.6g} ({:.4g} %)\n  mean {:.6g} ({:.4g} %)\n", d.rms, 100 * d.rms / size,
                     d.mean, 100 * d.mean / size);
}

// The last line: how far apart they are at most.
std::string apart_text(const PointDistance& distance) {
  if (distance.max == 0) return "no point differs\n";
  return fmt::format("they differ by up to {:.4g} % of the size\n",
                     100 * distance.max / (distance.diagonal > 0 ? distance.diagonal : 1.0));
}

std::string volumes_text(const std::array<double, 2>& volumes) {
  const auto [first, second] = volumes;
  return fmt::format("  volumes {:.6g} and {:.6g}{}\n", first, second,
                     first == 0 ? "" : fmt::format(" ({:+.3g} %)", 100 * (second / first - 1)));
}

void say_comparison(ReportFields& fields, const CompareReport& report) {
  fields.say_words([&] { return distance_text(report); });
  fields.say_if(report.max_weight_difference.has_value(),
                "  weights differ by at most {weights.max}, on average {weights.mean} per point\n");
  fields.say_if(report.e_rms.has_value(), "  E_RMS {e_rms}, KG {kg} %\n");
  if (report.volumes) fields.say_words([&] { return volumes_text(*report.volumes); });
  fields.say_if(report.surface.has_value(),
                "  surface: edges change by up to {surface.max_strain}, shear {surface.max_shear}, areas "
                "{surface.max_area_change}\n");
  if (report.normal_errors) {
    fields.say_words([&] {
      return fmt::format("  normals (95 % within): {:.3g} and {:.3g} deg from those of their polygons\n",
                         degrees_from_radians((*report.normal_errors)[0]),
                         degrees_from_radians((*report.normal_errors)[1]));
    });
  }
  fields.say_words([&] { return apart_text(report.distance); });
  fields.say_if(report.limit.has_value(),
                report.is_within_limit ? "  within the limit of {limit}\n" : "  over the limit of {limit}\n");
}

void describe_distance(ReportFields& fields, const CompareReport& report) {
  const PointDistance& distance = report.distance;
  const double size = distance.diagonal > 0 ? distance.diagonal : 1.0;
  fields.add("in_order", distance.in_order,
             "point k against point k; else against the nearest, in both directions");
  fields.add("max", distance.max, "largest distance, in units of the points");
  fields.add("rms", distance.rms, "root mean square of the distances");
  fields.add("mean", distance.mean, "mean of the distances");
  fields.add("diagonal", distance.diagonal, "of the bounding box of the first input");
  fields.add("max_relative", distance.max / size, "as a fraction of the diagonal");
  fields.add("rms_relative", distance.rms / size, "as a fraction of the diagonal");
  fields.add_object("worst", "where the largest distance is", [&] {
    fields.add("place", report.worst_place, "instance and point");
    fields.add("input", report.inputs[distance.is_worst_in_second ? 1 : 0], "the input that has this place");
  });
}

// What is measured if the inputs allow it.
void describe_more(ReportFields& fields, const CompareReport& report) {
  constexpr ReportForm kFourDigits = scaled_as(1, "{:.4g}");
  constexpr ReportForm kPercent = scaled_as(100, "{:.3g} %");
  fields.add_object_if("weights", report.max_weight_difference.has_value(),
                       "of characters with the same points: sum of |difference| over a point's weights", [&] {
                         fields.add("max", report.max_weight_difference.value_or(0), "largest", kFourDigits);
                         fields.add("mean", report.mean_weight_difference.value_or(0), "mean", kFourDigits);
                       });
  fields.add_if_set("e_rms", report.e_rms, "error of compared sequences, as in the literature", kFourDigits);
  fields.add_if_set("kg", report.kg, "error by Karni and Gotsman, in %", kFourDigits);
  fields.add_object_if("frames", report.sequence.has_value(), "of caches and sequences", [&] {
    const CompareReport::Sequence sequence = report.sequence.value_or(CompareReport::Sequence{});
    fields.add("count", sequence.times.size(), "frames compared");
    fields.add("worst", sequence.worst_frame, "the frame with the largest distance");
    fields.add("times", sequence.times, "seconds of each frame");
    fields.add("max", sequence.max, "the largest distance in each");
  });
  fields.add_if_set("volumes", report.volumes, "of each input, openings capped, in cubic units of its file");
  fields.add_object_if("surface", report.surface.has_value(),
                       "largest changes of a triangle from the first to the second", [&] {
                         const auto surface = report.surface.value_or(CompareReport::SurfaceChange{});
                         fields.add("max_strain", surface.edge, "relative change of an edge", kPercent);
                         fields.add("max_shear", surface.shear, "radians",
                                    scaled_as(degrees_from_radians(1), "{:.3g} deg"));
                         fields.add("max_area_change", surface.area, "relative change of an area", kPercent);
                       });
  fields.add_if_set(
      "normal_errors", report.normal_errors,
      "of each input: 95 % of the normals are within this angle of their polygons', in radians");
}

}  // namespace

void describe(ReportFields& fields, const CompareReport& report) {
  std::array<std::optional<std::string>, 2> methods;
  for (std::size_t k = 0; k < 2; ++k) {
    if (!report.methods[k].empty()) methods[k] = report.methods[k];
  }
  say_comparison(fields, report);
  fields.add("inputs", report.inputs, "the two files");
  fields.add("methods", methods, "the stack that moved each; null: it has no skin");
  fields.add("points", report.point_count, "points of each");
  describe_distance(fields, report);
  describe_more(fields, report);
  fields.add_object("seconds", "how long each step took for both inputs, in seconds", [&] {
    fields.add("loading", report.seconds_loading, "reading the files");
    fields.add("posing", report.seconds_posing, "preparing and posing");
    fields.add("measuring", report.seconds_measuring, "measuring");
  });
  fields.add_if_set("limit", report.limit, "of the largest distance, as a fraction of the diagonal",
                    scaled_as(100, "{:g} %"));
  fields.add("is_within_limit", report.is_within_limit, "true without a limit");
  fields.add("notes", report.notes, kNotesMeaning);
}

}  // namespace dermis
