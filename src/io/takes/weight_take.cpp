// SPDX-License-Identifier: MIT
// Reads weights over time from comma-separated values: recordings of Live Link Face, and plain tables.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

#include "dermis/io/tables.h"
#include "io/csv_records.h"
#include "io/file.h"
#include "io/utf8.h"

namespace dermis {
namespace {

constexpr std::uint64_t kMostTakeBytes = std::uint64_t{1} << 30;
// What a table without times, or with times of too few rows, is taken to have: that of Live Link Face.
constexpr double kGuessedTakeRate = 60;
constexpr double kTakeDay = 24 * 3600;

// What a column holds.
enum class TakeColumn : std::uint8_t { weight, timecode, seconds, frame, subframe, rate, ignored };

std::string lower_letters(std::string_view text) {
  std::string letters;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return letters;
}

TakeColumn column_kind(const std::string& name) {
  const std::string word = lower_letters(name);
  const auto is_one_of = [&](std::initializer_list<const char*> words) {
    return std::any_of(words.begin(), words.end(), [&](const char* one) { return word == one; });
  };
  if (is_one_of({"timecode"})) return TakeColumn::timecode;
  if (is_one_of({"time", "times", "seconds", "sec", "t", "timestamp", "timeseconds", "timesec"}))
    return TakeColumn::seconds;
  if (is_one_of({"frame", "framenumber", "frameindex"})) return TakeColumn::frame;
  if (is_one_of({"subframe"})) return TakeColumn::subframe;
  if (is_one_of({"fps", "framerate", "framespersecond"})) return TakeColumn::rate;
  if (is_one_of({"blendshapecount", "devicename", "subjectname"})) return TakeColumn::ignored;
  return TakeColumn::weight;
}

// The separator that occurs most in the first line.
char separator_of(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  char best = ',';
  for (const char c : {';', '\t'})
    if (std::count(line.begin(), line.end(), c) > std::count(line.begin(), line.end(), best)) best = c;
  return best;
}

std::optional<double> number_in(std::string_view cell) {
  cell = trimmed(cell);
  double number = 0;
  const char* const end = cell.data() + cell.size();
  if (cell.empty() || parse_double(cell.data(), end, number) != end || !std::isfinite(number))
    return std::nullopt;
  return number;
}

// "10:24:17:38.250" in whole seconds and frames.
struct Timecode {
  double seconds = 0, frame = 0;
};
std::optional<Timecode> timecode_in(std::string_view cell) {
  std::array<double, 4> parts{};
  cell = trimmed(cell);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const std::size_t colon = std::min(cell.find_first_of(":;"), cell.size());
    const std::optional<double> part = number_in(cell.substr(0, colon));
    if (!part || *part < 0 || (colon == cell.size()) != (k + 1 == parts.size())) return std::nullopt;
    parts[k] = *part;
    cell.remove_prefix(std::min(cell.size(), colon + 1));
  }
  return Timecode{(parts[0] * 60 + parts[1]) * 60 + parts[2], parts[3]};
}

class TakeReader {
 public:
  TakeReader(std::string_view text, const std::string& file, double fps)
      : records_(text, separator_of(text)), file_(file), asked_fps_(fps) {}

  Result<LoadedTake> read() {
    if (Status head = read_head(); !head) return head.error();
    if (Status rows = read_rows(); !rows) return rows.error();
    if (row_count_ == 0) return fault("has no row of numbers after its line of names");
    set_times();
    keep_advancing();
    say_repairs();
    loaded_.fps = usual_rate();
    return std::move(loaded_);
  }

 private:
  Error fault(const std::string& words) const {
    return {Errc::bad_file, fmt::format("{}: {}", file_, words)};
  }
  WeightTake& take() { return loaded_.take; }
  void note(Note::Kind kind, const char* id, const std::string& sentence, std::size_t count = 1) {
    loaded_.notes.push_back({kind, id, sentence, "", kNone, kNone, count});
  }

  Status read_head() {
    std::vector<std::string> head;
    if (!records_.next(head)) return fault("is empty");
    const bool has_number = std::any_of(
        head.begin(), head.end(), [](const std::string& field) { return number_in(field).has_value(); });
    if (has_number)
      return fault("does not start with a line of names, such as 'time,jawOpen,mouthSmileLeft'");
    std::set<std::string> seen;
    std::vector<std::string> twice;
    for (const std::string& field : head) {
      const std::string clean = as_utf8(field), name(trimmed(clean));
      kinds_.push_back(name.empty() ? TakeColumn::ignored : column_kind(name));
      if (kinds_.back() != TakeColumn::weight) continue;
      if (seen.insert(name).second) {
        take().names.push_back(name);
      } else {
        kinds_.back() = TakeColumn::ignored;
        twice.push_back(name);
      }
    }
    if (!twice.empty())
      note(Note::Kind::repair, "take-column-twice",
           fmt::format("{} more than once; the first column counts",
                       twice.size() == 1 ? quoted_name(twice[0]) + " occurs"
                                         : fmt::format("{} names occur", twice.size())),
           twice.size());
    if (take().names.empty()) return fault("has no column of weights");
    return Done{};
  }

  Status read_rows() {
    std::vector<std::string> fields;
    std::vector<float> last(take().names.size(), 0);
    while (records_.next(fields)) {
      if (records_.is_quote_open())
        return fault(fmt::format("line {}: a quote is opened but not closed", records_.line()));
      if (fields.size() > kinds_.size()) ++long_rows_;
      std::size_t weight = 0;
      Stamp stamp;
      for (std::size_t k = 0; k < kinds_.size(); ++k) {
        const std::string_view cell = k < fields.size() ? std::string_view(fields[k]) : std::string_view();
        const std::optional<double> number = number_in(cell);
        switch (kinds_[k]) {
          case TakeColumn::weight:
            if (number && std::abs(*number) < 1e30)
              last[weight] = static_cast<float>(*number);
            else
              ++bad_cells_;
            ++weight;
            break;
          case TakeColumn::timecode:
            stamp.timecode = timecode_in(cell);
            break;
          case TakeColumn::seconds:
            stamp.seconds = number;
            break;
          case TakeColumn::frame:
            stamp.frame = number;
            break;
          case TakeColumn::subframe:
            stamp.subframe = number;
            break;
          case TakeColumn::rate:
            stamp.rate = number;
            break;
          case TakeColumn::ignored:
            break;
        }
      }
      take().values.insert(take().values.end(), last.begin(), last.end());
      stamps_.push_back(stamp);
      ++row_count_;
    }
    return Done{};
  }

  bool has(TakeColumn kind) const { return std::find(kinds_.begin(), kinds_.end(), kind) != kinds_.end(); }

  double stated_rate() const {
    for (const Stamp& stamp : stamps_)
      if (stamp.rate && *stamp.rate > 0) return *stamp.rate;
    return 0;
  }

  // Frames of a timecode count from zero to the rate: the smallest usual rate that has room for them.
  double rate_of_timecode() {
    double last = 0, seconds_first = INFINITY, seconds_last = -INFINITY;
    for (const Stamp& stamp : stamps_) {
      if (!stamp.timecode) continue;
      last = std::max(last, std::floor(stamp.timecode->frame));
      seconds_first = std::min(seconds_first, stamp.timecode->seconds);
      seconds_last = std::max(seconds_last, stamp.timecode->seconds);
    }
    const bool is_whole_second = seconds_last - seconds_first >= 2;
    for (const double rate : {24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 100.0, 120.0})
      if (is_whole_second && last < rate) return rate;
    const double guessed = std::max(kGuessedTakeRate, last + 1);
    note(Note::Kind::guess, "take-rate-guessed",
         fmt::format("its timecode is too short to show how many frames a second has; {:g} are assumed",
                     guessed));
    return guessed;
  }

  void set_times() {
    std::vector<std::optional<double>> times(row_count_);
    const bool has_frames = has(TakeColumn::frame);
    const auto any = [&](auto member) {
      return std::any_of(stamps_.begin(), stamps_.end(),
                         [&](const Stamp& stamp) { return (stamp.*member).has_value(); });
    };
    if (any(&Stamp::seconds)) {
      for (std::size_t k = 0; k < row_count_; ++k) times[k] = stamps_[k].seconds;
    } else if (any(&Stamp::timecode)) {
      const double rate = rate_of_timecode();
      for (std::size_t k = 0; k < row_count_; ++k)
        if (stamps_[k].timecode) times[k] = stamps_[k].timecode->seconds + stamps_[k].timecode->frame / rate;
      loaded_.fps = rate;
    } else {
      const double stated = stated_rate();
      double rate = stated > 0 ? stated : asked_fps_;
      if (!(rate > 0)) {
        rate = kGuessedTakeRate;
        note(Note::Kind::guess, "take-rate-guessed",
             fmt::format("states no times; {:g} rows a second are assumed", rate));
      }
      for (std::size_t k = 0; k < row_count_; ++k) {
        const Stamp& stamp = stamps_[k];
        times[k] = has_frames && stamp.frame ? (*stamp.frame + stamp.subframe.value_or(0)) / rate
                   : has_frames              ? std::nullopt
                                             : std::optional<double>(static_cast<double>(k) / rate);
      }
      loaded_.fps = rate;
    }
    double day = 0, before = -INFINITY;
    for (std::optional<double>& time : times) {
      // A timecode passes midnight.
      if (time && any(&Stamp::timecode) && *time + day < before - kTakeDay / 2) day += kTakeDay;
      if (time) before = *time += day;
    }
    times_ = std::move(times);
  }

  // Drops rows without a time and those that are not later than all before them; the first is at 0.
  void keep_advancing() {
    const std::size_t width = take().names.size();
    std::size_t kept = 0;
    double first = 0, before = -INFINITY;
    for (std::size_t k = 0; k < row_count_; ++k) {
      // Keys are floats.
      if (!times_[k] || !(*times_[k] > before)) continue;
      if (kept == 0) first = *times_[k];
      const double time = *times_[k] - first;
      if (kept > 0 && static_cast<float>(time) <= static_cast<float>(take().times.back())) continue;
      before = *times_[k];
      take().times.push_back(time);
      std::copy_n(take().values.begin() + static_cast<std::ptrdiff_t>(k * width), width,
                  take().values.begin() + static_cast<std::ptrdiff_t>(kept * width));
      ++kept;
    }
    take().values.resize(kept * width);
    left_out_ = row_count_ - kept;
  }

  void say_repairs() {
    if (left_out_ > 0)
      note(Note::Kind::loss, "take-rows-left-out",
           fmt::format("{} not later than the row before, or {} no time, and {} left out",
                       counted(left_out_, "row is", "rows are"), left_out_ == 1 ? "has" : "have",
                       left_out_ == 1 ? "was" : "were"),
           left_out_);
    if (bad_cells_ > 0)
      note(Note::Kind::repair, "take-cells-missing",
           fmt::format("{} empty or not a number; the value of the row before is kept",
                       counted(bad_cells_, "cell is", "cells are")),
           bad_cells_);
    if (long_rows_ > 0)
      note(Note::Kind::loss, "take-cells-extra",
           fmt::format("{} more cells than there are names; the last ones are ignored",
                       counted(long_rows_, "row has", "rows have")),
           long_rows_);
  }

  // The median distance of rows; the stated rate if there are too few.
  double usual_rate() const {
    const std::vector<double>& times = loaded_.take.times;
    if (loaded_.fps > 0) return loaded_.fps;
    if (times.size() < 2) return kGuessedTakeRate;
    std::vector<double> steps;
    for (std::size_t k = 1; k < times.size(); ++k) steps.push_back(times[k] - times[k - 1]);
    std::nth_element(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2),
                     steps.end());
    return 1 / steps[steps.size() / 2];
  }

  struct Stamp {
    std::optional<Timecode> timecode;
    std::optional<double> seconds, frame, subframe, rate;
  };
  CsvReader records_;
  const std::string& file_;
  double asked_fps_;
  std::vector<TakeColumn> kinds_;
  std::vector<Stamp> stamps_;
  std::vector<std::optional<double>> times_;
  std::size_t row_count_ = 0, bad_cells_ = 0, long_rows_ = 0, left_out_ = 0;
  LoadedTake loaded_;
};

}  // namespace

Result<LoadedTake> load_weight_take_from_memory(std::span<const std::byte> bytes, const std::string& name,
                                                double fps) {
  return without_throwing(name, [&]() -> Result<LoadedTake> {
    std::string_view text = text_of(bytes);
    Result<LoadedTake> loaded = TakeReader(text, name, fps).read();
    if (loaded && loaded->take.times.empty())
      return Error{Errc::bad_file, fmt::format("{}: no row states a time", name)};
    return loaded;
  });
}

Result<LoadedTake> load_weight_take(const std::string& path, double fps) {
  return without_throwing(path, [&]() -> Result<LoadedTake> {
    const Result<Bytes> bytes = read_file(path, kMostTakeBytes);
    if (!bytes) return bytes.error();
    return load_weight_take_from_memory(*bytes, path, fps);
  });
}

}  // namespace dermis
