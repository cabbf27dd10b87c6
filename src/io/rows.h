// SPDX-License-Identifier: MIT
// The rows of a text, which are its lines except blank ones and comments, numbered and read by several
// threads.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "dermis/base.h"
#include "io/text.h"

namespace dermis {

class TextRows {
 public:
  // `text` must outlive the rows. A row whose first character is `comment` is skipped; '\0': no comments.
  // Lines end with "\n", or with "\r" if the text has no "\n". Linear, on several threads.
  explicit TextRows(std::string_view text, char comment = '\0');

  std::size_t count() const { return first_row_.back(); }
  std::size_t chunk_count() const { return chunks_.size(); }

  // Calls body(chunk, row, line) for every row, in order within a chunk, chunks in parallel; a body that
  // returns false ends its chunk. `line` has no leading spaces.
  template <class Body>
  void walk(Body&& body) const {
    parallel_for(chunks_.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t chunk = begin; chunk < end; ++chunk) {
        std::string_view text = chunks_[chunk];
        std::size_t row = first_row_[chunk];
        while (const std::optional<std::string_view> line = next_row(text)) {
          if (!body(chunk, row++, *line)) break;
        }
      }
    });
  }

 private:
  std::optional<std::string_view> next_row(std::string_view& text) const;

  std::vector<std::string_view> chunks_;
  std::vector<std::size_t> first_row_;  // of each chunk, and the count
  char line_end_ = '\n', comment_ = '\0';
};

// The numbers of one row, from left to right.
class RowNumbers {
 public:
  explicit RowNumbers(std::string_view line) : at_(line.data()), end_(line.data() + line.size()) {}

  // False if there is no number.
  bool take(float& value) { return step_behind(parse_float(skip_blanks(), end_, value)); }
  bool take(double& value) { return step_behind(parse_double(skip_blanks(), end_, value)); }
  bool take(std::int64_t& value) {
    const auto [behind, fault] = std::from_chars(skip_blanks(), end_, value);
    return step_behind(fault == std::errc{} ? behind : nullptr);
  }
  // Skips any word.
  bool skip() {
    skip_blanks();
    const char* const first = at_;
    while (at_ < end_ && !is_blank(*at_)) ++at_;
    return at_ > first;
  }
  bool is_done() { return skip_blanks() == end_; }

 private:
  const char* skip_blanks() {
    while (at_ < end_ && is_blank(*at_)) ++at_;
    return at_;
  }
  // A number ends with its word.
  bool step_behind(const char* behind) {
    if (behind == nullptr || (behind < end_ && !is_blank(*behind))) return false;
    at_ = behind;
    return true;
  }

  const char* at_;
  const char* end_;
};

}  // namespace dermis
