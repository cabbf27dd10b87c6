// SPDX-License-Identifier: MIT
// What check reports, described.
#include "dermis/ops/inspect.h"

#include <fmt/format.h>

#include <map>

#include "dermis/ops/notes.h"
#include "ops/report/words.h"

namespace dermis {
namespace {

// Findings by severity, the first few of each kind, and what to do.
std::string findings_text(const Findings& findings) {
  std::map<std::pair<std::string, Severity>, std::size_t> total, shown;
  for (const Finding& finding : findings) ++total[{finding.id, finding.severity}];
  std::string text;
  for (std::size_t k = 0; k < findings.size(); ++k) {
    const Finding& finding = findings[k];
    if (k == 0 || finding.severity != findings[k - 1].severity)
      text += fmt::format("{}:\n", name_of(finding.severity));
    const std::size_t count = ++shown[{finding.id, finding.severity}];
    const std::size_t all = total[{finding.id, finding.severity}];
    if (count > kMostAlike) continue;
    text += fmt::format("  {}{}{} [{}]\n", place_of(finding), finding.thing.empty() ? "" : ": ",
                        finding.sentence, finding.id);
    if (count == kMostAlike && all > count)
      text += fmt::format("  and {} more like this [{}]\n", all - count, finding.id);
    text += fmt::format("    -> {}\n", advice_of(finding, "check"));
  }
  return text;
}

}  // namespace

void describe(ReportFields& fields, const CheckReport& report) {
  const Quality none;
  const Quality& quality = report.quality ? *report.quality : none;
  fields.say(report.output.empty() ? "{file}, profile {profile}\n" : "{output}, profile {profile}\n");
  fields.say_words([&] { return findings_text(report.findings); });
  fields.say_if(!report.quality, "skins: not bent, so their quality is not judged\n");
  fields.add("file", report.input, "the file, as given");
  fields.add_or_null("output", report.output, "the repaired file; null: no repair was requested");
  fields.add("profile", report.profile, "the target it was checked against");
  fields.add("errors", report.error_count, "findings that are errors", counted_as("error", "errors"));
  fields.add("warnings", report.warning_count, "findings that are warnings",
             counted_as("warning", "warnings"));
  fields.add("mended", report.mended_count, "repairs, each with a note");
  fields.add("findings", report.findings, "of the file, or of the written file; worst first");
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
  fields.say("{errors}, {warnings}\n");
}

}  // namespace dermis
