// SPDX-License-Identifier: MIT
// Reads the listings of the teaching format, and restores what scanning lost.
#include "io/course/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/text.h"

namespace dermis {
namespace {

// Lines that are noted one by one before the rest is only counted.
constexpr std::size_t kMaxLineNotes = 32;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (std::string_view word = next_word(line); !word.empty(); word = next_word(line))
    words.emplace_back(word);
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// Repairs of single lines, noted one by one up to a readable number.
class LineNotes {
 public:
  explicit LineNotes(Notes& notes) : notes_(notes) {}
  void add(const char* id, std::string sentence) {
    if (count_++ < kMaxLineNotes) notes_.push_back({Note::Kind::repair, id, std::move(sentence)});
  }
  void close(const char* id) {
    if (count_ > kMaxLineNotes)
      notes_.push_back({Note::Kind::repair, id,
                        fmt::format("{} repaired likewise",
                                    counted(count_ - kMaxLineNotes, "more line was", "more lines were"))});
  }

 private:
  Notes& notes_;
  std::size_t count_ = 0;
};

// Splits fused numbers. A sign starts a number. A second decimal point does too, together with the one digit
// before it. Exponents have two digits, as printf gives them.
std::vector<std::string> split_numbers(std::string_view word) {
  std::vector<std::string> numbers(1);
  bool has_point = false;
  for (std::size_t k = 0; k < word.size(); ++k) {
    const char c = word[k];
    std::string& number = numbers.back();
    const bool is_exponent = (c == 'e' || c == 'E') && !number.empty();
    if ((c == '-' || c == '+') && !number.empty()) {
      numbers.emplace_back(1, c);
      has_point = false;
    } else if (c == '.' && has_point) {
      std::string whole;
      if (!number.empty() && is_digit(number.back())) {
        whole = number.back();
        number.pop_back();
      }
      numbers.push_back(whole + '.');
    } else if (is_exponent) {
      const std::size_t sign = k + 1 < word.size() && !is_digit(word[k + 1]) ? 1 : 0;
      number += word.substr(k, 3 + sign);
      k = std::min(k + 2 + sign, word.size());
      if (k + 1 < word.size()) numbers.emplace_back();
      has_point = false;
    } else {
      number += c;
      has_point = has_point || c == '.';
    }
  }
  return numbers;
}

// "0578372" was 0.578372: nobody writes a leading zero in a whole number.
bool restore_point(std::string& number) {
  const std::size_t start = number.starts_with('-') || number.starts_with('+') ? 1 : 0;
  const bool is_whole =
      number.size() > start + 1 &&
      std::all_of(number.begin() + static_cast<std::ptrdiff_t>(start), number.end(), is_digit);
  if (!is_whole || number[start] != '0') return false;
  number.insert(number.begin() + static_cast<std::ptrdiff_t>(start) + 1, '.');
  return true;
}

// ---- Joints -------------------------------------------------------------------------------------------

// A coordinate without a decimal point.
struct WholeNumber {
  std::size_t joint = 0;
  int axis = 0;
  std::string word;
  double size = 0;
};

class SkeletonParser {
 public:
  SkeletonParser(const std::string& path, MemoryBudget& budget, Notes& notes)
      : path_(path), budget_(budget), notes_(notes), repairs_(notes) {}

  Result<CourseSkeleton> parse(std::string_view text) {
    for (std::size_t line = 1; !text.empty(); ++line) {
      const std::string_view words = trimmed(next_line(text));
      if (words.empty()) continue;
      line_ = line;
      if (!budget_.take(1, sizeof(Node) + sizeof(Vec3d) + sizeof(Affine) + 64 + 3 * sizeof(WholeNumber)))
        return over_memory(fmt::format("{}: too many joints", path_));
      if (Status read = read_joint(words); !read) return read.error();
    }
    repairs_.close("joint-line-mended");
    note_lost_points();
    return checked();
  }

 private:
  template <class... Args>
  Error fail(fmt::format_string<Args...> format, Args&&... args) const {
    return {Errc::bad_file,
            fmt::format("{}: line {}: {}", path_, line_, fmt::format(format, std::forward<Args>(args)...))};
  }

  Status read_joint(std::string_view line) {
    const std::string index = std::to_string(skeleton_.points.size());
    std::vector<std::string> words = words_of(line);
    const bool is_clean = words.size() == 5 && words[0] == index;
    if (!is_clean) {
      if (!line.starts_with(index))
        return fail(
            "joint {} should be here, but the line starts with {}; joints are numbered from 0 in order",
            index, quoted_name(words[0]));
      words = {index};
      for (const std::string& word : words_of(line.substr(index.size()))) {
        for (std::string& number : split_numbers(word)) words.push_back(std::move(number));
      }
    }
    bool is_restored = false;
    for (std::size_t k = 1; k + 1 < words.size(); ++k) is_restored |= restore_point(words[k]);
    if (words.size() != 5)
      return fail("joint {} has {} numbers, but x, y, z and the parent are needed", index, words.size() - 1);
    if (!is_clean || is_restored)
      repairs_.add("joint-line-mended",
                   fmt::format("joint {}: {} is read as {}{}", index, quoted_name(line), joined(words),
                               is_restored ? ", with a lost decimal point put back" : ""));
    return add_joint(words);
  }

  Status add_joint(const std::vector<std::string>& words) {
    Vec3d point;
    for (int axis = 0; axis < 3; ++axis) {
      const std::string& word = words[static_cast<std::size_t>(axis) + 1];
      const std::optional<double> number = parse_number<double>(word);
      if (!number || !std::isfinite(*number))
        return fail("{} of joint {} is not a finite number", quoted_name(word), words[0]);
      point[axis] = *number;
      const bool is_whole = word.find_first_of(".eE") == std::string::npos;
      has_fractions_[axis] = has_fractions_[axis] || !is_whole;
      if (is_whole) whole_.push_back({skeleton_.points.size(), axis, word, std::abs(*number)});
      if (!is_whole) largest_ = std::max(largest_, std::abs(*number));
    }
    const std::optional<Index> parent = parse_number<Index>(words[4]);
    if (!parent || *parent < -1)
      return fail("{} is not the index of joint {}'s parent", quoted_name(words[4]), words[0]);
    skeleton_.points.push_back(point);
    skeleton_.parents.push_back(*parent);
    return Done{};
  }

  // "1578372" may have been 1.578372: an integer among fractions, and far larger. The number of digits before
  // the point is unknown, so it stays.
  void note_lost_points() {
    constexpr double kFarBeyond = 10;
    std::erase_if(whole_, [&](const WholeNumber& number) {
      return !has_fractions_[number.axis] || number.size <= kFarBeyond * largest_;
    });
    if (whole_.empty()) return;
    notes_.push_back(
        {Note::Kind::guess, "joint-far-out",
         fmt::format("joint {}: {} is far larger than the other numbers and used as it is{}; was its decimal "
                     "point lost?",
                     whole_[0].joint, quoted_name(whole_[0].word),
                     whole_.size() == 1 ? "" : fmt::format(" (and {} more like it)", whole_.size() - 1))});
  }

  Result<CourseSkeleton> checked() {
    const std::size_t count = skeleton_.points.size();
    if (count == 0) return Error{Errc::bad_file, fmt::format("{}: has no joints", path_)};
    for (std::size_t j = 0; j < count; ++j) {
      const Index parent = skeleton_.parents[j];
      if (parent >= static_cast<Index>(count))
        return Error{Errc::bad_rig, fmt::format("{}: joint {} has parent {}, but there are {} joints", path_,
                                                j, parent, count)};
      if (parent == static_cast<Index>(j))
        return Error{Errc::bad_rig, fmt::format("{}: joint {} is its own parent", path_, j)};
    }
    return std::move(skeleton_);
  }

  const std::string& path_;
  MemoryBudget& budget_;
  Notes& notes_;
  LineNotes repairs_;
  CourseSkeleton skeleton_;
  std::size_t line_ = 0;
  std::vector<WholeNumber> whole_;
  bool has_fractions_[3] = {};  // in x, y and z
  double largest_ = 0;          // of the numbers with a fraction
};

// ---- Weights ------------------------------------------------------------------------------------------

// Splits a fused word into weights. They were printed without trailing zeros, as streams do: a zero at the
// end of a fraction is a separate weight, and so is every 0 or 1 before a decimal point except the last
// digit.
void split_weights(std::string_view word, std::vector<std::string>& weights) {
  for (std::string number : split_numbers(word)) {
    const bool is_binary = number.find_first_not_of("01") == std::string::npos;
    if (!is_binary) restore_point(number);
    const std::size_t point = std::min(number.find('.'), number.size());
    const bool is_fused = number.find_first_not_of("01") >= point;
    const bool is_fraction = number.find_first_not_of("0123456789", point + 1) == std::string::npos;
    if (!is_fused || (!is_binary && !is_fraction)) {
      weights.push_back(std::move(number));
      continue;
    }
    const std::size_t whole = is_binary ? point : point - std::min<std::size_t>(point, 1);
    for (std::size_t k = 0; k < whole; ++k) weights.emplace_back(1, number[k]);
    if (is_binary) continue;
    const std::size_t end = number.find_last_not_of('0') + 1;
    weights.push_back(number.substr(whole, end - whole));
    weights.insert(weights.end(), number.size() - end, "0");
  }
}

class WeightParser {
 public:
  WeightParser(std::size_t bone_count, const std::string& path, MemoryBudget& budget, Notes& notes)
      : path_(path), budget_(budget), repairs_(notes) {
    weights_.bone_count = bone_count;
  }

  Result<CourseWeights> parse(std::string_view text) {
    for (std::size_t line = 1; !text.empty(); ++line) {
      const std::string_view words = trimmed(next_line(text));
      if (words.empty()) continue;
      line_ = line;
      // Stored as a dense number, and as an influence afterwards.
      if (!budget_.take(weights_.bone_count, sizeof(float) + sizeof(Influence)))
        return over_memory(fmt::format("{}: its weights need more than the allowed memory", path_));
      if (Status read = read_row(words); !read) return read.error();
    }
    repairs_.close("weight-line-mended");
    return std::move(weights_);
  }

 private:
  template <class... Args>
  Error fail(fmt::format_string<Args...> format, Args&&... args) const {
    return {Errc::bad_file,
            fmt::format("{}: line {}: {}", path_, line_, fmt::format(format, std::forward<Args>(args)...))};
  }

  Status read_row(std::string_view line) {
    if (read_clean(line)) return Done{};
    std::vector<std::string> words;
    for (const std::string& word : words_of(line)) split_weights(word, words);
    if (words.size() != weights_.bone_count)
      return fail("has {} weights, but there are {} bones (one fewer than joints)", words.size(),
                  weights_.bone_count);
    for (const std::string& word : words) {
      const std::optional<float> number = parse_number<float>(word);
      if (!number || !std::isfinite(*number))
        return fail("weight {} is not a finite number", quoted_name(word));
      weights_.values.push_back(*number);
    }
    repairs_.add("weight-line-mended",
                 fmt::format("the weights of point {} are fused; {} is read as {}", weights_.row_count() - 1,
                             quoted_name(line), joined(words)));
    return Done{};
  }

  // Reads the usual line, without copies; returns false and adds nothing if it is not one.
  bool read_clean(std::string_view line) {
    const std::size_t before = weights_.values.size();
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
      const std::optional<float> number = parse_number<float>(word);
      // A whole number with a leading zero, or above one, is several weights without their blanks.
      const bool is_fused = word.size() > 1 && std::all_of(word.begin(), word.end(), is_digit);
      if (number && std::isfinite(*number) && !is_fused &&
          weights_.values.size() - before < weights_.bone_count) {
        weights_.values.push_back(*number);
        continue;
      }
      weights_.values.resize(before);
      return false;
    }
    const bool is_whole = weights_.values.size() - before == weights_.bone_count;
    if (!is_whole) weights_.values.resize(before);
    return is_whole;
  }

  const std::string& path_;
  MemoryBudget& budget_;
  LineNotes repairs_;
  CourseWeights weights_;
  std::size_t line_ = 0;
};

}  // namespace

Result<CourseSkeleton> parse_course_skeleton(std::string_view text, const std::string& path,
                                             MemoryBudget& budget, Notes& notes) {
  return SkeletonParser(path, budget, notes).parse(text);
}

Result<CourseWeights> parse_course_weights(std::string_view text, std::size_t bone_count,
                                           const std::string& path, MemoryBudget& budget, Notes& notes) {
  return WeightParser(bone_count, path, budget, notes).parse(text);
}

}  // namespace dermis
