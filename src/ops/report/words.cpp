// SPDX-License-Identifier: MIT
// Words that several descriptions share: sizes, shares and shortened lists.
#include "ops/report/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "dermis/ops/notes.h"
#include "dermis/ops/run.h"

namespace dermis {

std::string bytes_text(std::uint64_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (bytes < 1000) return counted(bytes, "byte", "bytes");
  return bytes < 1000000 ? fmt::format("{:.3g} KB", std::min(size * 1e-3, 999.0))
                         : fmt::format("{:.2f} MB", size * 1e-6);
}

std::string size_text(const Box& box, double metres_per_unit) {
  if (box.is_empty()) return "empty";
  const Vec3d size = (box.upper - box.lower) * metres_per_unit;
  return fmt::format("{:.4g} x {:.4g} x {:.4g} m", size.x, size.y, size.z);
}

std::string influences_text(std::span<const std::size_t> points_by_influences, std::size_t point_count) {
  std::string text;
  for (std::size_t k = 1; k < points_by_influences.size(); ++k) {
    const double share = 100.0 * static_cast<double>(points_by_influences[k]) /
                         static_cast<double>(std::max<std::size_t>(point_count, 1));
    text += fmt::format("  {}: {:.1f} %", k, share);
  }
  return text;
}

std::string on_one_line(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
  return line;
}

std::string picture_word(const std::string& path) {
  return shell_word(std::filesystem::path(path).replace_extension(".png").string());
}

std::string first_of(std::span<const std::string> words, std::size_t most) {
  const std::span<const std::string> shown = words.first(std::min(words.size(), most));
  std::string text = on_one_line(fmt::format("{}", fmt::join(shown, ", ")));
  if (shown.size() < words.size()) text += fmt::format(" and {} more", words.size() - shown.size());
  return text;
}

void describe_files(ReportFields& fields, const FileReport& report) {
  fields.add("input", report.input, "the file that was read");
  fields.add("output", report.output, "the file that was written");
}

void say_doubt(ReportFields& fields, const FileReport& report) {
  if (report.doubt.empty()) return;
  fields.say_words([&] {
    return fmt::format(
        "{}: {}: {}{}\n", report.output, report.is_doubt_accepted ? "doubtful, but accepted" : "DOUBTFUL",
        report.doubt,
        report.is_doubt_accepted ? "" : "; it was written all the same (exit code 3; --accept makes that 0)");
  });
}

void describe_doubt(ReportFields& fields, const FileReport& report) {
  fields.add_or_null("doubt", report.doubt,
                     "why the result may be wrong, with exit code 3 unless accepted; null: no doubt");
  fields.add("doubt_accepted", report.is_doubt_accepted, "doubts were accepted beforehand (`--accept`)");
}

std::string doubt_text(const FileReport& report) {
  if (report.doubt.empty()) return "none";
  return report.is_doubt_accepted ? report.doubt + " (accepted)" : report.doubt;
}

void describe(ReportFields& fields, const Remedy& remedy) {
  fields.name_type("remedy");
  fields.add("option", remedy.option, "what to change, named as in the table of `dermis notes`");
  fields.add_or_null("value", remedy.value, "a value to try; null: the user's choice");
}

void describe(ReportFields& fields, const Note& note) {
  using Kind = Note::Kind;
  fields.name_type("note");
  fields.add_choice("kind", note.kind, {Kind::info, Kind::guess, Kind::repair, Kind::loss},
                    "a fact, an assumption, repaired data, or something that was lost");
  fields.add("id", note.id, "stable, for scripts");
  fields.add("sentence", note.sentence, "for people");
  fields.add_choice("severity", severity_of(note), {Severity::info, Severity::warning, Severity::error},
                    "how much it matters");
  fields.add("remedies", note.remedies, "what can be changed; any one of them helps, the best first");
}

void describe(ReportFields& fields, const Finding& finding) {
  fields.name_type("finding");
  fields.add("id", finding.id, "of the rule, or of the reader's note if the rule covers such notes");
  fields.add("rule", finding.rule, "as in the table that `dermis check --list` prints");
  fields.add_choice("severity", finding.severity, {Severity::info, Severity::warning, Severity::error},
                    "an error is broken, a warning may be intended");
  fields.add_object("where", "what it is about", [&] {
    fields.add("thing", finding.thing.empty() ? std::string("file") : finding.thing,
               "mesh, node, skin, clip or instance, or the whole file");
    fields.add_index("index", finding.index, "of the thing, in the order of the file");
    fields.add("name", finding.name, "of the thing");
    fields.add_index("point", finding.point, "the first affected point");
    fields.add_index("polygon", finding.polygon, "the first affected polygon");
    fields.add_index("node", finding.node, "the first affected node");
  });
  fields.add("count", finding.count > 0 ? std::optional(finding.count) : std::nullopt,
             "how many are affected");
  fields.add("figure", finding.figure, "the measured value that a limit applies to");
  fields.add("sentence", finding.sentence, "what is wrong, without the place");
  fields.add("advice", finding.advice, "what to do");
  fields.add("remedies", remedies_of(finding), "what can be changed; any one of them helps, the best first");
  fields.add("is_mendable", finding.is_mendable, "`dermis check --fix` repairs it");
}

void describe(ReportFields& fields, const Spread& spread) {
  fields.name_type("spread");
  fields.add("max", spread.max, "the largest value");
  fields.add("mean", spread.mean, "the mean");
  fields.add("p95", spread.p95, "95 % of the values are at most this");
  fields.add("count", spread.count, "places measured; 0: none, and all values are 0");
}

}  // namespace dermis
