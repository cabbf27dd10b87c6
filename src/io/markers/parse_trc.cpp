// SPDX-License-Identifier: MIT
// Parses a TRC file: cells between tabs, any of which may be missing.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/markers/parse.h"
#include "io/text.h"
#include "io/utf8.h"

namespace dermis {
namespace {

bool is_same_word(std::string_view a, std::string_view lower_case) {
  return std::equal(a.begin(), a.end(), lower_case.begin(), lower_case.end(),
                    [](char x, char y) { return (x >= 'A' && x <= 'Z' ? x - 'A' + 'a' : x) == y; });
}

// The cells of a line: between tabs, or between blanks in files that have no tabs.
std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  if (line.find('\t') == std::string_view::npos) {
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line))
      cells.push_back(word);
    return cells;
  }
  for (std::size_t end = line.find('\t'); end != std::string_view::npos; end = line.find('\t')) {
    cells.push_back(trimmed(line.substr(0, end)));
    line.remove_prefix(end + 1);
  }
  cells.push_back(trimmed(line));
  return cells;
}

class TrcParser {
 public:
  TrcParser(std::string_view text, const std::string& path, MemoryBudget& budget)
      : text_(text), path_(path), budget_(budget) {}

  Result<Markers> parse() {
    if (Status read = read_header(); !read) return read.error();
    while (!text_.empty()) {
      const std::string_view line = take_line();
      if (trimmed(line).empty()) continue;
      if (Status read = read_row(line); !read) return read.error();
    }
    finish();
    return std::move(markers_);
  }

 private:
  template <class... Args>
  Error fail(fmt::format_string<Args...> format, Args&&... args) const {
    return {Errc::bad_file, fmt::format("{}: {}", path_, fmt::format(format, std::forward<Args>(args)...))};
  }
  void note(Note::Kind kind, const char* id, std::string sentence) {
    markers_.notes.push_back({kind, id, std::move(sentence)});
  }
  std::string_view take_line() {
    ++line_;
    return next_line(text_);
  }

  // ---- Header -------------------------------------------------------------------------------------------

  // A line of names and a line of values below it, then the line of labels, which starts with "Frame#"; the
  // text before (PathFileType) is not needed.
  Status read_header() {
    std::vector<std::string_view> names;
    while (!text_.empty()) {
      const std::vector<std::string_view> cells = cells_of(take_line());
      if (cells.empty()) continue;
      if (is_same_word(cells[0].substr(0, 5), "frame")) {
        read_labels(cells);
        read_axis_names();
        return check_labels();
      }
      if (!names.empty()) read_values(names, cells);
      names =
          std::find_if(cells.begin(), cells.end(),
                       [](std::string_view cell) { return is_same_word(cell, "datarate"); }) != cells.end()
              ? cells
              : std::vector<std::string_view>{};
    }
    return fail("is not a TRC file: no line of labels starts with Frame#");
  }

  void read_values(const std::vector<std::string_view>& names, const std::vector<std::string_view>& cells) {
    for (std::size_t k = 0; k < std::min(names.size(), cells.size()); ++k) {
      const std::optional<double> number = parse_number<double>(cells[k]);
      if (is_same_word(names[k], "datarate") && number) markers_.rate = *number;
      if (is_same_word(names[k], "numframes") && number) promised_frames_ = *number;
      if (is_same_word(names[k], "nummarkers") && number) promised_markers_ = *number;
      if (is_same_word(names[k], "units")) markers_.units = as_utf8(cells[k]);
    }
  }

  // Each label spans three columns, so two empty cells follow it; some writers omit those.
  void read_labels(const std::vector<std::string_view>& cells) {
    std::size_t recoded = 0;
    for (std::size_t k = 2; k < cells.size(); ++k) {
      if (!cells[k].empty()) add_label(markers_, cells[k], recoded);
    }
    note_recoded(markers_, recoded);
  }

  // "X1 Y1 Z1 X2 ...": left out by some writers.
  void read_axis_names() {
    std::string_view ahead = text_;
    const std::vector<std::string_view> cells = cells_of(next_line(ahead));
    const auto first =
        std::find_if(cells.begin(), cells.end(), [](std::string_view c) { return !c.empty(); });
    if (first == cells.end() || ((*first)[0] != 'X' && (*first)[0] != 'x')) return;
    take_line();
    axis_count_ = static_cast<std::size_t>(
        std::count_if(cells.begin(), cells.end(), [](std::string_view c) { return !c.empty(); }));
  }

  Status check_labels() {
    const std::size_t found = markers_.labels.size();
    std::size_t count = found;
    if (axis_count_ % 3 == 0) count = std::max(count, axis_count_ / 3);
    if (count == 0) return fail("has no markers");
    if (!budget_.take(count, kMarkerBytes)) return over_memory(fmt::format("{}: too many markers", path_));
    markers_.labels.resize(count);
    name_unnamed(markers_);
    if (promised_markers_ && *promised_markers_ != static_cast<double>(count))
      note(Note::Kind::repair, "markers-miscounted",
           fmt::format("the file announces {:g} markers and names {}, which are used", *promised_markers_,
                       count));
    if (const std::optional<double> metres = metres_of_unit(markers_.units)) {
      markers_.metres_per_unit = *metres;
    } else {
      markers_.is_unit_guessed = true;
    }
    return Done{};
  }

  // ---- Rows ---------------------------------------------------------------------------------------------

  Status read_row(std::string_view line) {
    const std::vector<std::string_view> cells = cells_of(line);
    const std::optional<double> number = parse_number<double>(cells[0]);
    if (!number || !(std::abs(*number) < 1e15))
      return fail("line {}: {} is not a frame number", line_, quoted_name(cells[0]));
    if (!budget_.take(markers_.marker_count(), kMarkerSampleBytes) ||
        markers_.frame_count >= kMaxMarkerFrames)
      return over_memory(fmt::format("{}: has more frames than allowed; cut it into pieces", path_));
    keep_time(static_cast<std::int64_t>(*number), cells);
    const std::size_t wanted = 2 + 3 * markers_.marker_count();
    short_rows_ += cells.size() < wanted ? 1 : 0;
    const auto is_filled = [](std::string_view cell) { return !cell.empty(); };
    if (cells.size() > wanted)
      long_rows_ += std::any_of(cells.begin() + static_cast<std::ptrdiff_t>(wanted), cells.end(), is_filled);
    for (std::size_t m = 0; m < markers_.marker_count(); ++m) {
      if (Status read = read_point(cells, m); !read) return read;
    }
    ++markers_.frame_count;
    return Done{};
  }

  void keep_time(std::int64_t number, const std::vector<std::string_view>& cells) {
    if (markers_.frame_count == 0) markers_.first_frame = number;
    if (number != markers_.first_frame + static_cast<std::int64_t>(markers_.frame_count)) ++unordered_;
    const std::optional<double> time = cells.size() > 1 ? parse_number<double>(cells[1]) : std::nullopt;
    if (time && markers_.frame_count == 0) first_time_ = *time;
    if (time) last_time_ = *time;
  }

  // A cell that is empty or "nan" is a gap.
  Status read_point(const std::vector<std::string_view>& cells, std::size_t m) {
    Vec3 point;
    bool is_seen = true;
    for (int axis = 0; axis < 3; ++axis) {
      const std::size_t k = 2 + 3 * m + static_cast<std::size_t>(axis);
      if (k >= cells.size() || cells[k].empty()) {
        is_seen = false;
        continue;
      }
      const std::optional<double> number = parse_number<double>(cells[k]);
      if (!number)
        return fail("line {}: {} of marker {} is not a number", line_, quoted_name(cells[k]),
                    quoted_name(markers_.labels[m]));
      point[axis] = static_cast<float>(*number);
    }
    is_seen = is_seen && is_finite(point);
    markers_.points.push_back(is_seen ? point : Vec3{});
    markers_.is_seen.push_back(is_seen);
    return Done{};
  }

  void finish() {
    const std::size_t count = markers_.frame_count;
    if (promised_frames_ && *promised_frames_ != static_cast<double>(count))
      note(Note::Kind::repair, "frames-miscounted",
           fmt::format("the file announces {:g} frames and has {}, which are all read", *promised_frames_,
                       count));
    if (short_rows_ > 0)
      note(Note::Kind::repair, "rows-short",
           fmt::format("{}", counted(short_rows_, "row ends early; its missing markers are gaps",
                                     "rows end early; their missing markers are gaps")));
    if (long_rows_ > 0)
      note(Note::Kind::loss, "columns-left-over",
           fmt::format("{} columns after the last label's, which were left out",
                       counted(long_rows_, "row has", "rows have")));
    if (unordered_ > 0)
      note(Note::Kind::info, "frames-not-counted-through",
           fmt::format("{} not follow the previous one; frames are read row by row",
                       counted(unordered_, "frame number does", "frame numbers do")));
    if (is_usable_rate(markers_.rate)) return;
    const double span = last_time_ - first_time_;
    const double own = count > 1 && span > 0 ? static_cast<double>(count - 1) / span : 0;
    markers_.rate = is_usable_rate(own) ? own : kUsualRate;
    note(Note::Kind::guess, "rate-missing",
         fmt::format("the file has no usable DataRate; {:g} frames per second are assumed", markers_.rate));
  }

  std::string_view text_;
  const std::string& path_;
  MemoryBudget& budget_;
  Markers markers_;
  std::optional<double> promised_frames_, promised_markers_;
  std::size_t line_ = 0, axis_count_ = 0, short_rows_ = 0, long_rows_ = 0, unordered_ = 0;
  double first_time_ = 0, last_time_ = 0;
};

}  // namespace

Result<Markers> parse_trc(std::string_view text, const std::string& path, MemoryBudget& budget) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return TrcParser(text, path, budget).parse();
}

}  // namespace dermis
