// SPDX-License-Identifier: MIT
// What bake reports, described.
#include "dermis/ops/pose.h"

#include <fmt/format.h>

#include "ops/report/words.h"

namespace dermis {
namespace {

// The files; for a long sequence, the first and the last.
std::string files_text(const std::vector<std::string>& files) {
  constexpr std::size_t kMostShown = 12;  // a sequence may have thousands
  if (files.size() > kMostShown)
    return fmt::format("  {} ... {}: {} files\n", files.front(), files.back(), files.size());
  std::string text;
  for (const std::string& file : files) text += fmt::format("  {}\n", file);
  return text;
}

}  // namespace

void describe(ReportFields& fields, const BakeReport& report) {
  fields.say(
      "{output}: {frames} of {points} in {method}, clip {clip} from {from} s to {to} s, {fps} frames per "
      "second "
      "(loaded in {seconds.loading}, baked in {seconds.baking})\n");
  fields.say_words([&] { return files_text(report.files); });
  fields.add("input", report.input, "the file that was read");
  fields.add("output", report.output, "the file, or pattern of files, that was written");
  fields.add("clip", report.clip, "the clip", kAsName);
  fields.add("method", report.method, "the stack of stages");
  fields.add("fps", report.fps, "frames per second");
  fields.add("from", report.from, "time of the first frame, in seconds");
  fields.add("to", report.to, "time of the last frame, in seconds");
  fields.add("frames", report.frame_count, "frames", counted_as("frame", "frames"));
  fields.add("instances", report.instance_count, "places that show a mesh");
  fields.add("points", report.point_count, "points per frame", counted_as("point", "points"));
  fields.add("files", report.files, "all files written");
  fields.add_object("seconds", kSecondsMeaning, [&] {
    fields.add("loading", report.seconds_loading, "reading the file", kAsMilliseconds);
    fields.add("baking", report.seconds_baking, "preparing, posing and writing", kAsMilliseconds);
  });
  fields.add("notes", report.notes, kNotesMeaning);
}

}  // namespace dermis
