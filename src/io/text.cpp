// SPDX-License-Identifier: MIT
// Parses the numbers of text formats: a short exact way for nearly all of them, std::from_chars for the rest.
#include "io/text.h"

#include <bit>
#include <cstdint>
#include <limits>

namespace dermis {
namespace {

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// Powers of ten that a double holds exactly.
constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr int kMostDigits = 18;  // what 64 bits hold for sure

// Digits as a whole number and how many of them stood behind the point.
struct Decimal {
  std::uint64_t digits = 0;
  int digit_count = 0, behind_point = 0;
  const char* end = nullptr;
};

Decimal scan_decimal(const char* at, const char* end) {
  Decimal decimal;
  const char* const first = at;
  for (; at < end && is_digit(*at); ++at)
    decimal.digits = decimal.digits * 10 + static_cast<std::uint64_t>(*at - '0');
  decimal.digit_count = static_cast<int>(at - first);
  if (at < end && *at == '.') {
    const char* const behind = ++at;
    for (; at < end && is_digit(*at); ++at)
      decimal.digits = decimal.digits * 10 + static_cast<std::uint64_t>(*at - '0');
    decimal.behind_point = static_cast<int>(at - behind);
    decimal.digit_count += decimal.behind_point;
  }
  decimal.end = at;
  return decimal;
}

// Whether a number that no double can hold is too small rather than too large.
bool is_tiny(std::string_view word) {
  const std::size_t exponent = word.find_first_of("eE");
  if (exponent != std::string_view::npos) return word.substr(exponent + 1).starts_with('-');
  return word.starts_with('0') || word.starts_with('.') || word.starts_with("-0") || word.starts_with("-.");
}

template <class Real>
const char* parse_slowly(const char* at, const char* end, Real& value) {
  if (end - at > 1 && *at == '+' && at[1] != '-') ++at;
  const auto [behind, fault] = std::from_chars(at, end, value);
  if (fault == std::errc{}) return behind;
  if (fault != std::errc::result_out_of_range) return nullptr;
  double wide = 0;
  if (std::from_chars(at, end, wide).ec != std::errc{}) {
    const bool is_small = is_tiny({at, static_cast<std::size_t>(behind - at)});
    wide = is_small ? 0 : std::numeric_limits<double>::infinity();
    if (*at == '-') wide = -wide;
  }
  value = static_cast<Real>(wide);
  return behind;
}

}  // namespace

// Clinger 1990: when the digits and the power of ten are exact in a double, their quotient is the rounded
// number. It rounds to the right float too, unless it fell on the middle between two floats.
const char* parse_float(const char* at, const char* end, float& value) {
  const bool is_negative = at < end && *at == '-';
  const Decimal decimal = scan_decimal(at + (is_negative ? 1 : 0), end);
  const bool has_exponent = decimal.end < end && (*decimal.end == 'e' || *decimal.end == 'E');
  const bool is_exact = decimal.digit_count > 0 && decimal.digit_count <= kMostDigits &&
                        decimal.digits < std::uint64_t{1} << 53 && !has_exponent;
  if (is_exact) {
    constexpr std::uint64_t kBelowFloat = (std::uint64_t{1} << 29) - 1, kMiddle = std::uint64_t{1} << 28;
    const double size = static_cast<double>(decimal.digits) / kPowersOfTen[decimal.behind_point];
    if ((std::bit_cast<std::uint64_t>(size) & kBelowFloat) != kMiddle) {
      value = static_cast<float>(is_negative ? -size : size);
      return decimal.end;
    }
  }
  // "1.e" and letters behind a number are for from_chars to judge as well.
  return parse_slowly(at, end, value);
}

const char* parse_double(const char* at, const char* end, double& value) {
  return parse_slowly(at, end, value);
}

}  // namespace dermis
