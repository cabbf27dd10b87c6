// SPDX-License-Identifier: MIT
// Lines, words and numbers of text formats, without copies and without locales.
#pragma once

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dermis {

// Blanks inside a line. A carriage return is one, so that Windows line ends need no special case.
inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

// Cuts the next line off `text`, without its line end: "\n", "\r\n" or the bare "\r" of old Macs.
inline std::string_view next_line(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && text[end] != '\n' && text[end] != '\r') ++end;
  const std::string_view line = text.substr(0, end);
  const bool is_windows = end + 1 < text.size() && text[end] == '\r' && text[end + 1] == '\n';
  text.remove_prefix(std::min(text.size(), end + (is_windows ? 2 : 1)));
  return line;
}

// Cuts the next word off `line`; empty at its end.
inline std::string_view next_word(std::string_view& line) {
  std::size_t start = 0;
  while (start < line.size() && is_blank(line[start])) ++start;
  std::size_t end = start;
  while (end < line.size() && !is_blank(line[end])) ++end;
  const std::string_view word = line.substr(start, end - start);
  line.remove_prefix(end);
  return word;
}

// Without blanks at either end.
inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// The whole word as a number, a leading '+' allowed; nullopt if it is not a number or out of range.
// Infinities and "nan" are numbers here: callers check for finite values.
template <class Number>
std::optional<Number> parse_number(std::string_view word) {
  if (word.size() > 1 && word.front() == '+' && word[1] != '-') word.remove_prefix(1);
  Number number{};
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (fault != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return number;
}

// The float at [at, end), correctly rounded, a leading '+' allowed. Returns where it ends, or null if there
// is no number. A number that is too small is zero; one that is too large is infinite; "inf" and "nan" are
// returned as they are.
const char* parse_float(const char* at, const char* end, float& value);
// The same for a double.
const char* parse_double(const char* at, const char* end, double& value);
// Cuts a number off the front of `text` into `out`, skipping leading blanks; if there is none, returns false
// and cuts nothing.
inline bool take_float(std::string_view& text, float& out) {
  const char* const end = text.data() + text.size();
  const char* at = text.data();
  while (at != end && is_blank(*at)) ++at;
  const char* const behind = parse_float(at, end, out);
  if (behind == nullptr) return false;
  text.remove_prefix(static_cast<std::size_t>(behind - text.data()));
  return true;
}

}  // namespace dermis
