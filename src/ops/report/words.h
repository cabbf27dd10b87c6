// SPDX-License-Identifier: MIT
// Words that several descriptions share, and descriptions of what lower rooms measure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "dermis/base.h"
#include "dermis/math.h"
#include "dermis/measure.h"
#include "dermis/ops/report.h"

namespace dermis {

// Of similar things, text shows the first few and how many more there are; JSON has all.
inline constexpr std::size_t kMostAlike = 4;

// "412 bytes", "31.2 KB", "4.05 MB"
std::string bytes_text(std::uint64_t bytes);
// "1.2 x 1.8 x 0.4 m"
std::string size_text(const Box& box, double metres_per_unit);
// "  1: 30.0 %  2: 70.0 %": the share of points that follow N joints.
std::string influences_text(std::span<const std::size_t> points_by_influences, std::size_t point_count);
// The text with '?' for control characters: names from files may contain anything, and a line must not end
// inside one.
std::string on_one_line(std::string_view text);
// A value of a described field as text shows it: "3 points", "12 ms", "none".
std::string value_text(const ReportForm& form, const ReportValue& value);
// Where a picture of a file might go, as a word for the shell: out/hero.glb becomes out/hero.png.
std::string picture_word(const std::string& path);
// The first `most`, separated by commas, and how many more there are.
std::string first_of(std::span<const std::string> words, std::size_t most);

inline constexpr ReportForm kAsPercent = scaled_as(100, "{:.2f} %");
inline constexpr ReportForm kAsClipSeconds = scaled_as(1, "{:.2f} s");

inline constexpr const char* kNotesMeaning = "notes from loading, the work and saving";
inline constexpr const char* kSecondsMeaning = "how long each step took, in seconds";

// A report from file to file starts with the files and ends with the seconds (its own steps are between
// loading and saving) and the notes.
void describe_files(ReportFields& fields, const FileReport& report);
// A verb that judges its own result says its doubt in the first line, and whether it counts as a failure.
void say_doubt(ReportFields& fields, const FileReport& report);
void describe_doubt(ReportFields& fields, const FileReport& report);
// "none", or the doubt and whether it was accepted.
std::string doubt_text(const FileReport& report);
template <class Steps>
void describe_end(ReportFields& fields, const FileReport& report, const Steps& steps) {
  fields.add_object("seconds", kSecondsMeaning, [&] {
    fields.add("loading", report.seconds_loading, "reading the files", kAsMilliseconds);
    steps();
    fields.add("saving", report.seconds_saving, "writing the file", kAsMilliseconds);
  });
  fields.add("notes", report.notes, kNotesMeaning);
}

void describe(ReportFields& fields, const Finding& finding);
void describe(ReportFields& fields, const Spread& spread);
void describe(ReportFields& fields, const Quality& quality);

}  // namespace dermis
