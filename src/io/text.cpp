// SPDX-License-Identifier: MIT
// Parses the numbers of text formats: a short exact path for nearly all of them, std::from_chars for the
// rest.
#include "io/text.h"

#include <bit>
#include <cstdint>
#include <limits>

namespace dermis {
namespace {

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// Powers of ten that a double represents exactly.
constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr int kMostDigits = 18;  // always fit into 64 bits

// Digits as an integer, and how many of them followed the decimal point.
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

// True if a number outside the range of double is too small rather than too large.
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

// Clinger 1990: if the digits and the power of ten are exact in a double, their quotient is the correctly
// rounded number. It also rounds to the correct float, unless it lies halfway between two floats.
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
  // from_chars also handles "1.e" and letters after a number.
  return parse_slowly(at, end, value);
}

const char* parse_double(const char* at, const char* end, double& value) {
  return parse_slowly(at, end, value);
}

}  // namespace dermis
