// SPDX-License-Identifier: MIT
// Parses BVH text word by word: line ends, tabs and the position of line breaks do not matter, except for
// motion lines of a different length if each line is a frame.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "io/bvh/document.h"
#include "io/text.h"

namespace dermis {
namespace {

constexpr std::array<const char*, 9> kBvhChannelNames = {"Xposition", "Yposition", "Zposition",
                                                         "Xrotation", "Yrotation", "Zrotation",
                                                         "Xscale",    "Yscale",    "Zscale"};

// The most likely frame time of a file that states none.
constexpr double kUsualFrameTime = 1.0 / 30;
// A frame time outside these is an error; key times would coincide or overflow in float.
constexpr double kShortestFrameTime = 1e-5, kLongestFrameTime = 1e4;
// Exporters often count one frame too many; if more are missing, the file lost its end.
constexpr std::size_t kUncounted = 1;
// Key times are float: beyond this, neighbouring frames would get the same time.
constexpr std::size_t kMaxFrames = std::size_t{1} << 24;

bool is_space(char c) { return is_blank(c) || c == '\n'; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

bool is_word(std::string_view word, std::string_view lower_case) {
  return std::equal(word.begin(), word.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return lower(a) == b; });
}

std::optional<BvhChannel> channel_named(std::string_view word) {
  for (std::size_t c = 0; c < kBvhChannelNames.size(); ++c) {
    std::string name = kBvhChannelNames[c];
    std::transform(name.begin(), name.end(), name.begin(), lower);
    if (is_word(word, name)) return static_cast<BvhChannel>(c);
  }
  return std::nullopt;
}

// Words of the text: braces, and whatever is separated by blanks, line ends and braces.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  // Empty at the end.
  std::string_view word() {
    skip_space();
    last_ = at_;
    if (at_ < text_.size() && is_brace(text_[at_])) return text_.substr(at_++, 1);
    while (at_ < text_.size() && !is_space(text_[at_]) && !is_brace(text_[at_])) ++at_;
    return text_.substr(last_, at_ - last_);
  }
  std::string_view peek() {
    const std::size_t at = at_, last = last_;
    const std::string_view next = word();
    at_ = at, last_ = last;
    return next;
  }
  // Names may contain blanks and colons: everything up to the end of the line, or to the brace that opens the
  // joint.
  std::string_view name() {
    const std::size_t start = at_;
    while (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '\r' && text_[at_] != '{') ++at_;
    return trimmed(text_.substr(start, at_ - start));
  }
  // "frames" for "Frames:", "frametime" for "Frame Time:", however it is spelt: letters up to the number.
  std::string heading() {
    skip_space();
    last_ = at_;
    std::string letters;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_space(text_[at_]) || text_[at_] == ':')) {
      if (is_letter(text_[at_])) letters += lower(text_[at_]);
      ++at_;
    }
    return letters;
  }
  bool is_at_letter() {
    skip_space();
    return at_ < text_.size() && is_letter(text_[at_]);
  }
  std::string_view rest() const { return text_.substr(at_); }
  // Of the last word, from 1.
  std::size_t line() const {
    const std::string_view before = text_.substr(0, last_);
    const char end = text_.find('\n') == std::string_view::npos ? '\r' : '\n';
    return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), end));
  }

 private:
  static bool is_brace(char c) { return c == '{' || c == '}'; }
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0, last_ = 0;
};

// A line of the motion that is not blank.
struct Row {
  std::size_t line = 0;  // from 0, counted from where the text starts
  std::size_t count = 0;
};

std::vector<Row> rows_of(std::string_view text) {
  std::vector<Row> rows;
  for (std::size_t line = 0; !text.empty(); ++line) {
    std::string_view rest = next_line(text);
    Row row{line, 0};
    while (!next_word(rest).empty()) ++row.count;
    if (row.count > 0) rows.push_back(row);
  }
  return rows;
}

// The end of the rows from `k` on that form whole frames: one row, or several that a frame was wrapped into;
// `k` itself if there are none.
std::size_t end_of_frames(std::span<const Row> rows, std::size_t k, std::size_t width) {
  if (rows[k].count % width == 0) return k + 1;
  std::size_t sum = 0;
  for (std::size_t end = k; end < rows.size() && sum < width; ++end) {
    sum += rows[end].count;
    if (sum == width) return end + 1;
  }
  return k;
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& path, MemoryBudget& budget, Notes& notes)
      : scanner_(text), path_(path), budget_(budget), notes_(notes) {}

  Result<BvhDocument> parse() {
    if (!is_word(scanner_.word(), "hierarchy"))
      return fail("does not start with HIERARCHY; is it a BVH file?");
    if (Status read = parse_hierarchy(); !read) return read.error();
    if (document_.joints.empty()) return fail("has no ROOT");
    note_miscounted_channels();
    note_miscounted_offsets();
    if (!document_.has_motion) {
      note(Note::Kind::info, "motion-missing", "the file has no MOTION; only its skeleton was read");
      return std::move(document_);
    }
    if (Status read = parse_motion(); !read) return read.error();
    return std::move(document_);
  }

 private:
  template <class... Args>
  Error fail(fmt::format_string<Args...> format, Args&&... args) const {
    return {Errc::bad_file, fmt::format("{}: {}", path_, fmt::format(format, std::forward<Args>(args)...))};
  }
  template <class... Args>
  Error fail_here(fmt::format_string<Args...> format, Args&&... args) const {
    return fail("line {}: {}", scanner_.line(), fmt::format(format, std::forward<Args>(args)...));
  }
  void note(Note::Kind kind, const char* id, std::string sentence) {
    notes_.push_back({kind, id, std::move(sentence)});
  }

  std::string label(std::size_t j) const {
    const BvhJoint& joint = document_.joints[j];
    if (!joint.is_end_site) return "joint " + quoted_name(joint.name);
    if (joint.parent == kNone) return "an End Site";
    return "the End Site of " + quoted_name(document_.joints[static_cast<std::size_t>(joint.parent)].name);
  }

  // ---- HIERARCHY --------------------------------------------------------------------------------------

  Status parse_hierarchy() {
    for (;;) {
      const std::string_view word = scanner_.word();
      const bool is_motion = is_word(word, "motion");
      if (word.empty() || is_motion) {
        document_.has_motion = is_motion;
        if (open_.empty()) return Done{};
        return fail_here("{} before the '}}' of {}", is_motion ? "MOTION comes" : "the file ends",
                         label(open_.back()));
      }
      if (Status read = parse_entry(word); !read) return read;
    }
  }

  Status parse_entry(std::string_view word) {
    if (is_word(word, "root") || is_word(word, "joint")) return open_joint(false);
    if (is_word(word, "endsite")) return open_joint(true);
    if (is_word(word, "end")) {
      if (is_word(scanner_.peek(), "site")) scanner_.word();
      return open_joint(true);
    }
    if (open_.empty()) return fail_here("{} is found where ROOT or MOTION is needed", quoted_name(word));
    if (word == "}") {
      open_.pop_back();
      return Done{};
    }
    if (is_word(word, "offset")) return parse_offset();
    if (is_word(word, "channels")) return parse_channels();
    return fail_here("{} is not known inside {}", quoted_name(word), label(open_.back()));
  }

  Status open_joint(bool is_end_site) {
    if (!budget_.take(1, sizeof(BvhJoint) + sizeof(Node)))
      return over_memory(fmt::format("{}: its joints need more than the allowed memory", path_));
    BvhJoint joint;
    joint.name = scanner_.name();
    joint.is_end_site = is_end_site;
    joint.parent = open_.empty() ? kNone : static_cast<Index>(open_.back());
    open_.push_back(document_.joints.size());
    document_.joints.push_back(std::move(joint));
    offset_counts_.push_back(0);
    if (scanner_.word() != "{") return fail_here("{} is not followed by a '{{'", label(open_.back()));
    return Done{};
  }

  Status parse_offset() {
    ++offset_counts_[open_.back()];
    for (int axis = 0; axis < 3; ++axis) {
      const std::string_view word = scanner_.word();
      const std::optional<double> number = parse_number<double>(word);
      if (!number || !std::isfinite(*number))
        return fail_here("{} in the OFFSET of {} is not a finite number", quoted_name(word),
                         label(open_.back()));
      document_.joints[open_.back()].offset[axis] = *number;
    }
    return Done{};
  }

  Status parse_channels() {
    BvhJoint& joint = document_.joints[open_.back()];
    const std::string_view word = scanner_.word();
    const std::optional<long> count = parse_number<long>(word);
    if (!count) return fail_here("{} is not a number of CHANNELS", quoted_name(word));
    joint.says_channels = true;
    const std::size_t before = joint.channels.size();
    for (std::optional<BvhChannel> next = channel_named(scanner_.peek()); next;
         next = channel_named(scanner_.peek())) {
      scanner_.word();
      if (!budget_.take(1, sizeof(BvhChannel)))
        return over_memory(fmt::format("{}: too many channels", path_));
      joint.channels.push_back(*next);
    }
    const auto found = static_cast<long>(joint.channels.size() - before);
    // A word in the place of a channel is an unknown channel.
    const std::string_view next = scanner_.peek();
    const bool is_other = next == "}" || next.empty() || is_word(next, "joint") || is_word(next, "end") ||
                          is_word(next, "endsite") || is_word(next, "offset") || is_word(next, "root") ||
                          is_word(next, "channels") || is_word(next, "motion");
    if (found < *count && !is_other) {
      scanner_.word();
      return fail_here("{} has channel {}; valid are Xposition, Xrotation, Xscale and so on",
                       label(open_.back()), quoted_name(next));
    }
    if (found != *count && miscounted_++ == 0) {
      first_miscounted_ =
          fmt::format("{} announces {} channels and names {}", label(open_.back()), *count, found);
    }
    return Done{};
  }

  void note_miscounted_channels() {
    if (miscounted_ == 0) return;
    note(Note::Kind::repair, "channels-miscounted",
         fmt::format("{}{}; the names are used", first_miscounted_,
                     miscounted_ == 1 ? "" : fmt::format(" (so do {} more)", miscounted_ - 1)));
  }

  void note_miscounted_offsets() {
    const auto say = [&](const char* id, const char* words, const auto& is_wrong) {
      const auto first = std::find_if(offset_counts_.begin(), offset_counts_.end(), is_wrong);
      if (first == offset_counts_.end()) return;
      const auto more = std::count_if(first + 1, offset_counts_.end(), is_wrong);
      note(Note::Kind::repair, id,
           fmt::format("{} has {}{}", label(static_cast<std::size_t>(first - offset_counts_.begin())), words,
                       more == 0 ? "" : fmt::format(" (so do {} more)", more)));
    };
    say("offset-missing", "no OFFSET; 0 0 0 is used", [](std::size_t count) { return count == 0; });
    say("offset-repeated", "several OFFSETs; the last is used", [](std::size_t count) { return count > 1; });
  }

  // ---- MOTION -----------------------------------------------------------------------------------------

  Status parse_motion() {
    std::optional<double> promised;
    std::optional<double> frame_time;
    while ((!promised || !frame_time) && scanner_.is_at_letter()) {
      const std::string heading = scanner_.heading();
      std::optional<double>* target = heading == "frames"      ? &promised
                                      : heading == "frametime" ? &frame_time
                                                               : nullptr;
      if (target == nullptr)
        return fail_here("{} is found where 'Frames:' or 'Frame Time:' is needed", quoted_name(heading));
      const std::string_view word = scanner_.word();
      *target = parse_number<double>(word);
      if (!*target)
        return fail_here("{} is not a number of {}", quoted_name(word),
                         heading == "frames" ? "frames" : "seconds");
    }
    set_frame_time(frame_time);
    if (Status read = parse_values(); !read) return read;
    return count_frames(promised);
  }

  void set_frame_time(std::optional<double> stated) {
    const bool is_good = stated && *stated >= kShortestFrameTime && *stated <= kLongestFrameTime;
    document_.frame_time = is_good ? *stated : kUsualFrameTime;
    if (is_good) return;
    if (!stated) {
      note(Note::Kind::guess, "frame-time-missing",
           "the file has no Frame Time; 30 frames per second are assumed");
    } else {
      note(Note::Kind::repair, "frame-time-unusable",
           fmt::format("a Frame Time of {:g} s is not usable; 30 frames per second are assumed", *stated));
    }
  }

  Status parse_values() {
    const std::size_t first_line = scanner_.line();
    const std::vector<Row> rows = rows_of(scanner_.rest());
    std::size_t count = 0;
    for (const Row& row : rows) count += row.count;
    // Each number is stored as read and as a key: at most five floats, a time and a quaternion, if a joint
    // has a single rotation channel.
    if (!budget_.take(count, sizeof(double) + 5 * sizeof(float)))
      return over_memory(fmt::format("{}: its {} numbers need more than the allowed memory", path_, count));
    document_.values.reserve(count);
    for (std::string_view word = scanner_.word(); !word.empty(); word = scanner_.word()) {
      const std::optional<double> number = parse_number<double>(word);
      if (!number || !std::isfinite(*number)) return fail_at_value(word);
      document_.values.push_back(*number);
    }
    mend_rows(rows, first_line);
    return Done{};
  }

  // If each frame is one line, a line of a different length would shift all that follow.
  void mend_rows(std::span<const Row> rows, std::size_t first_line) {
    const std::size_t width = document_.channel_count();
    const auto is_frame = [&](const Row& row) { return row.count == width; };
    const auto frames = static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), is_frame));
    if (width == 0 || frames == rows.size() || 2 * frames < rows.size()) return;
    std::vector<double> mended;
    std::vector<Row> bad;
    auto value = document_.values.cbegin();
    for (std::size_t k = 0, end = 0; k < rows.size(); k = end) {
      end = end_of_frames(rows, k, width);
      const bool is_cut_off = k + 1 == rows.size() && rows[k].count < width;  // count_frames notes it
      const bool is_bad = end == k && !is_cut_off;
      end = std::max(end, k + 1);
      std::size_t count = 0;
      for (const Row& row : rows.subspan(k, end - k)) count += row.count;
      if (is_bad) {
        bad.push_back(rows[k]);
        hold_pose(mended, width);
      } else {
        mended.insert(mended.end(), value, value + static_cast<std::ptrdiff_t>(count));
      }
      value += static_cast<std::ptrdiff_t>(count);
    }
    if (bad.empty()) return;
    document_.values = std::move(mended);
    note(Note::Kind::repair, "frame-line-miscounted",
         fmt::format("line {} has {} but a frame has {}{}; the previous frame is repeated there",
                     first_line + bad[0].line, counted(bad[0].count, "number", "numbers"), width,
                     bad.size() == 1 ? "" : fmt::format(" (and {} more like it)", bad.size() - 1)));
  }

  // Repeats the last frame, if there is one.
  static void hold_pose(std::vector<double>& values, std::size_t width) {
    if (values.size() < width) return;
    const std::vector<double> last(values.end() - static_cast<std::ptrdiff_t>(width), values.end());
    values.insert(values.end(), last.begin(), last.end());
  }

  Error fail_at_value(std::string_view word) const {
    const std::size_t channel_count = document_.channel_count();
    if (channel_count == 0)
      return fail_here("{} is in the motion of a skeleton without channels", quoted_name(word));
    const std::size_t frame = document_.values.size() / channel_count;
    std::size_t channel = document_.values.size() % channel_count, j = 0;
    while (channel >= document_.joints[j].channels.size()) channel -= document_.joints[j++].channels.size();
    return fail_here("frame {}, {} of {} is {}, which is not a finite number", frame,
                     name_of(document_.joints[j].channels[channel]), label(j), quoted_name(word));
  }

  Status count_frames(std::optional<double> promised) {
    const std::size_t channel_count = document_.channel_count();
    std::vector<double>& values = document_.values;
    if (channel_count == 0) {
      if (!values.empty())
        note(Note::Kind::loss, "motion-without-channels",
             fmt::format("{} numbers of motion belong to no channel and are left out", values.size()));
      values.clear();
      const double count = promised.value_or(0);
      document_.frame_count = count >= 0 && count <= double(kMaxFrames) ? static_cast<std::size_t>(count) : 0;
      return Done{};
    }
    document_.frame_count = values.size() / channel_count;
    const std::size_t spare = values.size() % channel_count;
    values.resize(values.size() - spare);
    if (document_.frame_count > kMaxFrames)
      return Error{Errc::too_large, fmt::format("{}: has {} frames, more than {}; cut it into pieces", path_,
                                                document_.frame_count, kMaxFrames)};
    note_wrong_frames(promised, spare);
    return Done{};
  }

  void note_wrong_frames(std::optional<double> promised, std::size_t spare) {
    const std::size_t count = document_.frame_count;
    if (!promised)
      note(Note::Kind::guess, "frames-not-stated",
           fmt::format("the file does not state its number of frames; its numbers make {}", count));
    else if (*promised > static_cast<double>(count + kUncounted))
      note(
          Note::Kind::loss, "frames-cut-off",
          fmt::format(
              "the file announces {:g} frames and has {}: it was probably cut short; copy or export it again",
              *promised, count));
    else if (*promised != static_cast<double>(count))
      note(Note::Kind::repair, "frames-miscounted",
           fmt::format("the file announces {:g} frames and has {}, which are all read", *promised, count));
    if (spare > 0)
      note(Note::Kind::loss, "frame-cut-off",
           fmt::format("the last frame has {} of its {} numbers and is left out", spare,
                       document_.channel_count()));
  }

  Scanner scanner_;
  const std::string& path_;
  MemoryBudget& budget_;
  Notes& notes_;
  BvhDocument document_;
  std::vector<std::size_t> open_;  // joints whose '}' has not been read yet
  std::size_t miscounted_ = 0;
  std::string first_miscounted_;
  std::vector<std::size_t> offset_counts_;  // of each joint
};

}  // namespace

const char* name_of(BvhChannel channel) { return kBvhChannelNames[static_cast<std::size_t>(channel)]; }

bool BvhJoint::has(BvhQuantity quantity) const {
  return std::any_of(channels.begin(), channels.end(),
                     [&](BvhChannel channel) { return quantity_of(channel) == quantity; });
}

std::size_t BvhDocument::channel_count() const {
  std::size_t count = 0;
  for (const BvhJoint& joint : joints) count += joint.channels.size();
  return count;
}

std::vector<std::size_t> BvhDocument::first_channels() const {
  std::vector<std::size_t> first;
  first.reserve(joints.size());
  std::size_t count = 0;
  for (const BvhJoint& joint : joints) {
    first.push_back(count);
    count += joint.channels.size();
  }
  return first;
}

Result<BvhDocument> parse_bvh(std::string_view text, const std::string& path, MemoryBudget& budget,
                              Notes& notes) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return Parser(text, path, budget, notes).parse();
}

}  // namespace dermis
