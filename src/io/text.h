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

// Blanks inside a line. A carriage return counts, so that Windows line ends need no care.
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

// The whole word as a number, a leading '+' allowed; nothing when it is not one or does not fit. Infinities
// and "nan" are numbers here: whoever wants finite ones asks.
template <class Number>
std::optional<Number> parse_number(std::string_view word) {
  if (word.size() > 1 && word.front() == '+' && word[1] != '-') word.remove_prefix(1);
  Number number{};
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (fault != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return number;
}

// Cuts a number in decimal notation off the front of `text` into `out`, blanks before it skipped; false, and
// nothing cut, when there is none. The same float as from_chars gives, several times faster for the short
// numbers of mesh files (Clinger 1990: a mantissa below 2^53 and a power of ten up to 22 are exact in
// double).
inline bool take_float(std::string_view& text, float& out) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end && is_blank(*at)) ++at;
  const char* const start = at;
  const bool is_negative = at != end && *at == '-';
  if (at != end && (*at == '-' || *at == '+')) ++at;
  std::uint64_t mantissa = 0;
  int exponent = 0;
  const char* const digits = at;
  for (; at != end && *at >= '0' && *at <= '9'; ++at)
    mantissa = mantissa * 10 + static_cast<std::uint64_t>(*at - '0');
  std::ptrdiff_t digit_count = at - digits;
  if (at != end && *at == '.') {
    const char* const point = ++at;
    for (; at != end && *at >= '0' && *at <= '9'; ++at)
      mantissa = mantissa * 10 + static_cast<std::uint64_t>(*at - '0');
    exponent = static_cast<int>(point - at);
    digit_count += at - point;
  }
  constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const bool has_exponent = at != end && (*at == 'e' || *at == 'E');
  if (digit_count > 0 && digit_count <= 19 && !has_exponent && exponent >= -22 &&
      mantissa < (std::uint64_t{1} << 53)) {
    const double wide = static_cast<double>(mantissa) / kPowers[-exponent];
    // Rounding to double and then to float differs from rounding once only from exactly between two floats.
    constexpr std::uint64_t kLowBits = (std::uint64_t{1} << 29) - 1, kHalf = std::uint64_t{1} << 28;
    if ((std::bit_cast<std::uint64_t>(wide) & kLowBits) != kHalf) {
      out = static_cast<float>(is_negative ? -wide : wide);
      text.remove_prefix(static_cast<std::size_t>(at - text.data()));
      return true;
    }
  }
  const char* from = start != end && *start == '+' && start + 1 != end && start[1] != '-' ? start + 1 : start;
  const auto [stop, fault] = std::from_chars(from, end, out);
  if (fault == std::errc::invalid_argument) return false;
  // Too small for a float is zero, too large is infinite: the caller asks for finite numbers.
  if (fault == std::errc::result_out_of_range) {
    double wide = 0;
    const bool is_huge = std::from_chars(from, end, wide).ec == std::errc{} ? (wide > 1 || wide < -1) : false;
    out = is_huge ? static_cast<float>(wide) : 0.0f;
  }
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return true;
}

}  // namespace dermis
