// SPDX-License-Identifier: MIT
// Parses a C3D file: header, parameters, and points as integers or floats of three kinds of machine.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <map>

#include "io/markers/parse.h"
#include "io/text.h"
#include "io/utf8.h"

namespace dermis {
namespace {

constexpr std::size_t kBlock = 512;
constexpr unsigned kHeaderKey = 0x50;
constexpr std::size_t kMostDimensions = 7;

// The machine a file was made on, from byte 4 of its parameters.
enum class Processor : unsigned { intel = 84, dec = 85, sgi = 86 };

// Numbers at any position of the file; callers have checked has() first.
class Numbers {
 public:
  explicit Numbers(std::span<const std::byte> bytes) : bytes_(bytes) {}
  Processor processor = Processor::intel;

  std::size_t size() const { return bytes_.size(); }
  bool has(std::size_t at, std::size_t count) const {
    return at <= bytes_.size() && count <= bytes_.size() - at;
  }
  unsigned byte(std::size_t at) const { return std::to_integer<unsigned>(bytes_[at]); }
  std::uint16_t word(std::size_t at) const {
    const unsigned low = byte(processor == Processor::sgi ? at + 1 : at);
    const unsigned high = byte(processor == Processor::sgi ? at : at + 1);
    return static_cast<std::uint16_t>(low | (high << 8));
  }
  std::int16_t integer(std::size_t at) const { return static_cast<std::int16_t>(word(at)); }
  float real(std::size_t at) const {
    const std::uint32_t first = word(at), second = word(at + 2);
    if (processor == Processor::sgi) return std::bit_cast<float>((first << 16) | second);
    if (processor == Processor::intel) return std::bit_cast<float>((second << 16) | first);
    // A VAX float has its words swapped, its exponent two higher, and no infinities; an exponent of zero is
    // zero.
    const std::uint32_t bits = (first << 16) | second;
    return (bits & 0x7F800000u) == 0 ? 0.0f : std::bit_cast<float>(bits) / 4;
  }
  std::string_view text(std::size_t at, std::size_t count) const {
    return {reinterpret_cast<const char*>(bytes_.data()) + at, count};
  }

 private:
  std::span<const std::byte> bytes_;
};

// One parameter: the position and layout of its data.
struct Parameter {
  int type = 0;  // -1 characters, 1 bytes, 2 words, 4 floats
  std::vector<std::size_t> dimensions;
  std::size_t at = 0, count = 0;  // of all elements
};

// Memory of one parameter while all are sorted: itself with its dimensions and names, twice.
constexpr std::uint64_t kParameterBytes =
    2 * (sizeof(Parameter) + kMostDimensions * sizeof(std::size_t) + 2 * sizeof(std::string) + 128);

std::string upper_case(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return upper;
}

// What precedes the data; the file repeats some of it.
struct Header {
  std::size_t point_count = 0, analog_count = 0, data_start = 0;
  std::uint16_t first = 0, last = 0;
  float scale = 0, rate = 0;
};

class C3dParser {
 public:
  C3dParser(std::span<const std::byte> bytes, const std::string& path, MemoryBudget& budget)
      : numbers_(bytes), path_(path), budget_(budget) {}

  Result<Markers> parse() {
    if (!numbers_.has(0, kBlock) || numbers_.byte(1) != kHeaderKey)
      return fail("is not a C3D file: it has no header");
    if (Status read = read_parameters(); !read) return read.error();
    read_header();
    if (Status read = read_layout(); !read) return read.error();
    read_labels();
    read_units();
    if (Status read = read_points(); !read) return read.error();
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

  // ---- Parameters -------------------------------------------------------------------------------------

  Status read_parameters() {
    const std::size_t block = numbers_.byte(0);
    const std::size_t start = block == 0 ? 0 : (block - 1) * kBlock;
    if (start == 0 || !numbers_.has(start, 4)) return fail("its parameters are beyond the end of the file");
    const unsigned processor = numbers_.byte(start + 3);
    if (processor < 84 || processor > 86)
      return fail("processor {} is not known; use 84 (Intel), 85 (DEC) or 86 (SGI)", processor);
    numbers_.processor = static_cast<Processor>(processor);
    // Groups and their parameters are in any order: parameters are stored by group number until all names are
    // known.
    std::map<unsigned, std::string> groups;
    std::vector<std::pair<unsigned, std::pair<std::string, Parameter>>> found;
    for (std::size_t at = start + 4; at != 0;) {
      if (!numbers_.has(at, 2)) return fail("its parameters are cut short");
      const auto size = static_cast<std::size_t>(std::abs(signed_byte(at)));
      const int group = signed_byte(at + 1);
      if (size == 0) break;
      const std::size_t next = at + 2 + size;
      if (!numbers_.has(at + 2, size + 2)) return fail("its parameters are cut short");
      const std::string name = upper_case(trimmed(numbers_.text(at + 2, size)));
      const std::size_t step = numbers_.word(next);
      if (group < 0) groups.emplace(static_cast<unsigned>(-group), name);
      if (group > 0) {
        const Result<Parameter> parameter = read_parameter(next + 2, name);
        if (!parameter) return parameter.error();
        if (!budget_.take(1, kParameterBytes))
          return over_memory(fmt::format("{}: its parameters need more than the allowed memory", path_));
        found.push_back({static_cast<unsigned>(group), {name, *parameter}});
      }
      at = step == 0 ? 0 : next + step;
    }
    for (auto& [group, named] : found) {
      if (const auto owner = groups.find(group); owner != groups.end())
        parameters_.emplace(owner->second + ":" + named.first, std::move(named.second));
    }
    return Done{};
  }

  int signed_byte(std::size_t at) const {
    const auto byte = static_cast<int>(numbers_.byte(at));
    return byte < 128 ? byte : byte - 256;
  }

  Result<Parameter> read_parameter(std::size_t at, const std::string& name) const {
    const Error cut = fail("parameter {} is cut short", quoted_name(as_utf8(name)));
    if (!numbers_.has(at, 2)) return cut;
    Parameter parameter;
    parameter.type = signed_byte(at);
    const std::size_t dimension_count = numbers_.byte(at + 1);
    if (dimension_count > kMostDimensions)
      return fail("parameter {} has {} dimensions; C3D allows {}", quoted_name(as_utf8(name)),
                  dimension_count, kMostDimensions);
    if (!numbers_.has(at + 2, dimension_count)) return cut;
    parameter.at = at + 2 + dimension_count;
    parameter.count = 1;
    for (std::size_t d = 0; d < dimension_count; ++d) {
      parameter.dimensions.push_back(numbers_.byte(at + 2 + d));
      parameter.count *= parameter.dimensions.back();
      if (parameter.count > numbers_.size()) return cut;
    }
    const auto width = static_cast<std::size_t>(std::abs(parameter.type));
    if (!numbers_.has(parameter.at, parameter.count * width)) return cut;
    return parameter;
  }

  const Parameter* find(const std::string& name) const {
    const auto found = parameters_.find(name);
    return found == parameters_.end() ? nullptr : &found->second;
  }
  // Element `k` as a number. Words are unsigned: counts beyond 32767 are not meant to be negative.
  std::optional<double> number(const std::string& name, std::size_t k = 0) const {
    const Parameter* parameter = find(name);
    if (parameter == nullptr || k >= parameter->count) return std::nullopt;
    if (parameter->type == 1) return numbers_.byte(parameter->at + k);
    if (parameter->type == 2) return numbers_.word(parameter->at + 2 * k);
    if (parameter->type == 4) return static_cast<double>(numbers_.real(parameter->at + 4 * k));
    return std::nullopt;
  }
  std::string text(const std::string& name) const {
    const Parameter* parameter = find(name);
    if (parameter == nullptr || parameter->type != -1) return {};
    const std::string_view raw = numbers_.text(parameter->at, parameter->count);
    return as_utf8(trimmed(raw.substr(0, raw.find('\0'))));
  }

  // ---- What the file states about itself ----------------------------------------------------------------

  void read_header() {
    header_.point_count = numbers_.word(2);
    header_.analog_count = numbers_.word(4);
    header_.first = numbers_.word(6);
    header_.last = numbers_.word(8);
    header_.scale = numbers_.real(12);
    header_.data_start = numbers_.word(16);
    header_.rate = numbers_.real(20);
  }

  // If the header and the parameters disagree, the parameters are used: programs edit those.
  Status read_layout() {
    marker_count_ = count_of("POINT:USED").value_or(header_.point_count);
    if (marker_count_ != header_.point_count)
      note(Note::Kind::repair, "points-miscounted",
           fmt::format("the header has {} points and POINT:USED {}, which is used", header_.point_count,
                       marker_count_));
    if (marker_count_ == 0) return fail("has no points; dermis reads the markers of a C3D file only");
    scale_ = static_cast<float>(number("POINT:SCALE").value_or(static_cast<double>(header_.scale)));
    if (!std::isfinite(scale_) || scale_ == 0)
      return fail("its POINT:SCALE of {} means neither integers nor floats", scale_);
    const std::size_t block =
        header_.data_start != 0 ? header_.data_start : count_of("POINT:DATA_START").value_or(0);
    if (block == 0 || !numbers_.has((block - 1) * kBlock, 0))
      return fail("its points would start at block {}, beyond the end of the file", block);
    data_at_ = (block - 1) * kBlock;
    const std::size_t width = scale_ < 0 ? sizeof(float) : sizeof(std::uint16_t);
    frame_bytes_ = (4 * marker_count_ + header_.analog_count) * width;
    read_rate();
    return read_frame_count();
  }

  std::optional<std::size_t> count_of(const std::string& name) const {
    const std::optional<double> value = number(name);
    if (!value || !(*value >= 0 && *value <= 4294967295.0)) return std::nullopt;
    return static_cast<std::size_t>(*value);
  }

  void read_rate() {
    markers_.rate = number("POINT:RATE").value_or(static_cast<double>(header_.rate));
    if (is_usable_rate(markers_.rate)) return;
    note(Note::Kind::guess, "rate-missing",
         fmt::format("a rate of {:g} frames per second is not usable; {:g} are assumed", markers_.rate,
                     kUsualRate));
    markers_.rate = kUsualRate;
  }

  // Two words, the lower one first: frame numbers that do not fit into one word.
  std::optional<std::int64_t> long_number(const std::string& name) const {
    const std::optional<double> low = number(name, 0), high = number(name, 1);
    if (!low || !(std::abs(*low) < 4e9)) return std::nullopt;
    const bool is_words = find(name)->type == 2 && high;
    return static_cast<std::int64_t>(*low) + (is_words ? static_cast<std::int64_t>(*high) * 65536 : 0);
  }

  Status read_frame_count() {
    const std::optional<std::int64_t> start = long_number("TRIAL:ACTUAL_START_FIELD");
    const std::optional<std::int64_t> end = long_number("TRIAL:ACTUAL_END_FIELD");
    std::size_t promised = header_.last >= header_.first ? std::size_t{1} + header_.last - header_.first : 0;
    markers_.first_frame = header_.first;
    if (const std::optional<std::size_t> frames = count_of("POINT:FRAMES"); frames && *frames > promised)
      promised = *frames;
    if (const std::optional<std::size_t> frames = count_of("POINT:LONG_FRAMES"); frames && *frames > 0)
      promised = *frames;
    if (start && end && *end >= *start) {
      promised = static_cast<std::size_t>(*end - *start + 1);
      markers_.first_frame = *start;
    }
    const std::size_t held = (numbers_.size() - data_at_) / frame_bytes_;
    markers_.frame_count = std::min(promised, held);
    if (held < promised)
      note(Note::Kind::repair, "frames-missing",
           fmt::format("the file announces {} frames and has {}, which are all read", promised, held));
    if (markers_.frame_count > kMaxMarkerFrames)
      return Error{Errc::too_large, fmt::format("{}: has {} frames, more than {}; cut it into pieces", path_,
                                                markers_.frame_count, kMaxMarkerFrames)};
    if (!budget_.take(marker_count_, kMarkerBytes) ||
        !budget_.take(markers_.frame_count * marker_count_, kMarkerSampleBytes))
      return over_memory(
          fmt::format("{}: {} frames of {} markers need more than the allowed "
                      "memory",
                      path_, markers_.frame_count, marker_count_));
    return Done{};
  }

  // LABELS has at most 255; LABELS2 and so on continue from there.
  void read_labels() {
    std::size_t recoded = 0;
    for (int part = 1; markers_.labels.size() < marker_count_; ++part) {
      const Parameter* labels = find(part == 1 ? "POINT:LABELS" : fmt::format("POINT:LABELS{}", part));
      if (labels == nullptr || labels->type != -1 || labels->dimensions.empty()) break;
      const std::size_t size = labels->dimensions[0], count = size == 0 ? 0 : labels->count / size;
      for (std::size_t k = 0; k < count && markers_.labels.size() < marker_count_; ++k) {
        const std::string_view raw = numbers_.text(labels->at + k * size, size);
        add_label(markers_, trimmed(raw.substr(0, raw.find('\0'))), recoded);
      }
    }
    markers_.labels.resize(marker_count_);
    note_recoded(markers_, recoded);
    name_unnamed(markers_);
  }

  void read_units() {
    markers_.units = text("POINT:UNITS");
    if (const std::optional<double> metres = metres_of_unit(markers_.units)) {
      markers_.metres_per_unit = *metres;
    } else {
      markers_.is_unit_guessed = true;
    }
    const std::string up = upper_case(text("POINT:Y_SCREEN"));
    if (up == "+Y" || up == "Y") markers_.up = UpAxis::y;
    if (up == "+Z" || up == "Z") markers_.up = UpAxis::z;
  }

  // ---- Points -------------------------------------------------------------------------------------------

  Status read_points() {
    const std::size_t count = markers_.frame_count * marker_count_;
    markers_.points.resize(count);
    markers_.is_seen.assign(count, false);
    std::size_t broken = 0;
    for (std::size_t frame = 0; frame < markers_.frame_count; ++frame) {
      const std::size_t row = data_at_ + frame * frame_bytes_;
      for (std::size_t m = 0; m < marker_count_; ++m) {
        const std::size_t k = markers_.index(frame, m);
        const bool is_seen = scale_ < 0 ? read_real(row + 16 * m, k) : read_integer(row + 8 * m, k);
        const bool is_good = is_finite(markers_.points[k]);
        broken += is_seen && !is_good ? 1 : 0;
        markers_.is_seen[k] = is_seen && is_good;
        if (!markers_.is_seen[k]) markers_.points[k] = {};
      }
    }
    if (broken > 0)
      note(Note::Kind::repair, "points-not-finite",
           fmt::format("{}", counted(broken, "point that is not finite is treated as a gap",
                                     "points that are not finite are treated as gaps")));
    return Done{};
  }

  // True if the marker was seen: the fourth number is negative if it was not.
  bool read_real(std::size_t at, std::size_t k) {
    markers_.points[k] = {numbers_.real(at), numbers_.real(at + 4), numbers_.real(at + 8)};
    return !(numbers_.real(at + 12) < 0);
  }
  bool read_integer(std::size_t at, std::size_t k) {
    markers_.points[k] =
        Vec3{static_cast<float>(numbers_.integer(at)), static_cast<float>(numbers_.integer(at + 2)),
             static_cast<float>(numbers_.integer(at + 4))} *
        scale_;
    return numbers_.integer(at + 6) >= 0;
  }

  Numbers numbers_;
  const std::string& path_;
  MemoryBudget& budget_;
  std::map<std::string, Parameter> parameters_;  // by "GROUP:NAME"
  Header header_;
  Markers markers_;
  std::size_t marker_count_ = 0, data_at_ = 0, frame_bytes_ = 1;
  float scale_ = 0;
};

}  // namespace

Result<Markers> parse_c3d(std::span<const std::byte> bytes, const std::string& path, MemoryBudget& budget) {
  return C3dParser(bytes, path, budget).parse();
}

}  // namespace dermis
