// SPDX-License-Identifier: MIT
// What check reports, described.
#include "dermis/ops/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "dermis/ops/notes.h"
#include "ops/report/words.h"

namespace dermis {
namespace {

// "mesh 0 'body': has 12 edges …": a finding as one line.
std::string line_of(const Finding& finding) {
  return fmt::format("{}{}{}", place_of(finding), finding.thing.empty() ? "" : ": ", finding.sentence);
}

// Several findings of one id: how many, or how many meshes, and how many edges or points in all.
std::string total_of(const Findings& alike) {
  if (alike.front().thing.empty()) return fmt::format("; {} more like this", alike.size() - 1);
  std::set<Index> things;
  std::size_t count = 0;
  for (const Finding& finding : alike) {
    things.insert(finding.index);
    count += finding.count;
  }
  const std::string& thing = alike.front().thing;
  const std::string plural = thing == "mesh" ? "meshes" : thing + "s";
  return fmt::format("; {}{} {} in all", count > 0 ? fmt::format("{} in ", count) : "", things.size(),
                     plural);
}

// Findings by severity and what to do. Errors are listed, the first few of each kind; of anything else that
// repeats, one line names the worst and counts the rest. JSON has all.
std::string findings_text(const Findings& findings) {
  // Findings of one kind may have different advice.
  const auto kind_of = [](const Finding& finding) { return std::pair(finding.id, finding.advice); };
  std::map<std::pair<Severity, std::pair<std::string, std::string>>, Findings> alike;
  for (const Finding& finding : findings) alike[{finding.severity, kind_of(finding)}].push_back(finding);
  std::string text;
  std::set<std::pair<std::string, std::string>> said;
  for (std::size_t k = 0; k < findings.size(); ++k) {
    const Finding& finding = findings[k];
    if (k == 0 || finding.severity != findings[k - 1].severity) {
      text += fmt::format("{}:\n", name_of(finding.severity));
      said.clear();
    }
    if (!said.insert(kind_of(finding)).second) continue;
    const Findings& group = alike[{finding.severity, kind_of(finding)}];
    if (finding.severity == Severity::error) {
      for (std::size_t i = 0; i < std::min(group.size(), kMostAlike); ++i)
        text += fmt::format("  {} [{}]\n", line_of(group[i]), finding.id);
      if (group.size() > kMostAlike)
        text += fmt::format("  and {} more like this [{}]\n", group.size() - kMostAlike, finding.id);
    } else {
      const auto worst = std::max_element(
          group.begin(), group.end(), [](const Finding& a, const Finding& b) { return a.count < b.count; });
      text +=
          fmt::format("  {}{} [{}]\n", line_of(*worst), group.size() > 1 ? total_of(group) : "", finding.id);
    }
    text += fmt::format("    -> {}\n", advice_of(finding, "check"));
  }
  return text;
}

// The last line: whether it passed, and what is worst.
std::string verdict_of(const CheckReport& report) {
  const std::string counts = fmt::format("{}, {}", counted(report.error_count, "error", "errors"),
                                         counted(report.warning_count, "warning", "warnings"));
  if (report.error_count > 0)
    return fmt::format("failed: {}; {}\n", counts, line_of(report.findings.front()));
  if (report.quality || !report.is_skinned) return fmt::format("passed: {}\n", counts);
  return fmt::format("passed in part: {}; not checked: how the skins bend, symmetry{}\n", counts,
                     report.has_distances ? "" : ", points against far joints");
}

}  // namespace

void describe(ReportFields& fields, const CheckReport& report) {
  const Quality none;
  const Quality& quality = report.quality ? *report.quality : none;
  fields.say(report.output.empty() ? "{file}, profile {profile}\n" : "{output}, profile {profile}\n");
  fields.say_words([&] { return findings_text(report.findings); });
  fields.say_if(!report.quality, "skins: not bent, so how they bend is not judged\n");
  fields.add("file", report.input, "the file, as given");
  fields.add_or_null("output", report.output, "the repaired file; null: no repair was requested");
  fields.add("profile", report.profile, "the target it was checked against");
  fields.add("errors", report.error_count, "findings that are errors", counted_as("error", "errors"));
  fields.add("warnings", report.warning_count, "findings that are warnings",
             counted_as("warning", "warnings"));
  fields.add("mended", report.mended_count, "repairs, each with a note");
  fields.add("findings", report.findings, "of the file, or of the written file; worst first");
  fields.add_object_or_null("clips", report.clips.frame_count > 0,
                            "how much of the clips was posed; null: nothing, for lack of clips or skins",
                            [&] {
                              fields.say("clips: {frames} of {clips} posed\n");
                              fields.add("clips", report.clips.clip_count, "clips of which frames were posed",
                                         counted_as("clip", "clips"));
                              fields.add("frames", report.clips.frame_count, "in all, spread evenly",
                                         counted_as("frame", "frames"));
                            });
  fields.add_object_or_null("quality", report.quality.has_value(),
                            "how well the skins bend; null: no skin, or not requested", [&] {
                              fields.say("skins in {method}, {poses} of {joints} ({seconds}); the worst:\n");
                              fields.add("method", report.method, "the stack that bent them");
                              fields.add("seconds", report.seconds_quality, "how long it took, in seconds",
                                         scaled_as(1, "{:.1f} s"));
                              describe(fields, quality);
                            });
  fields.add_object("seconds", kSecondsMeaning, [&] {
    fields.add("loading", report.seconds_loading, "reading the file");
    fields.add("checking", report.seconds_checking, "looking for what is wrong");
  });
  fields.add("notes", report.notes, kNotesMeaning);
  fields.say_words([&] { return verdict_of(report); });
}

}  // namespace dermis
