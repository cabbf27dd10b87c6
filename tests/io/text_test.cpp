// SPDX-License-Identifier: MIT
// Numbers of text formats: rounded as std::from_chars rounds them, and kind to those that do not fit.
#include "io/text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <string>

#include "io/rows.h"

namespace dermis {
namespace {

// The number when all of the word was taken.
std::optional<float> parsed_float(const std::string& word) {
  float value = 0;
  const char* const end = parse_float(word.data(), word.data() + word.size(), value);
  return end == word.data() + word.size() ? std::optional(value) : std::nullopt;
}

TEST(ParseFloat, RoundsAsFromCharsDoesForRandomFloatsInManyNotations) {
  std::mt19937 random(7);
  SCOPED_TRACE("seed 7");
  for (int k = 0; k < 200000; ++k) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isfinite(x)) continue;
    for (const std::string& word :
         {fmt::format("{}", x), fmt::format("{:.6f}", x), fmt::format("{:.3e}", x)}) {
      float expected = 0;
      if (std::from_chars(word.data(), word.data() + word.size(), expected).ec != std::errc{}) continue;
      const std::optional<float> value = parsed_float(word);
      ASSERT_TRUE(value) << word;
      ASSERT_EQ(std::bit_cast<std::uint32_t>(*value), std::bit_cast<std::uint32_t>(expected)) << word;
    }
  }
}

TEST(ParseFloat, RoundsTheMiddleBetweenTwoFloatsByWhatFollows) {
  EXPECT_EQ(parsed_float("16777217"), 16777216.0f);  // a tie goes to the even one
  EXPECT_EQ(parsed_float("16777217.0000001"), 16777218.0f);
  EXPECT_EQ(parsed_float("16777216.9999999"), 16777216.0f);
}

TEST(ParseFloat, TakesSignsTinyAndHugeNumbers) {
  EXPECT_EQ(parsed_float("+1.5"), 1.5f);
  EXPECT_EQ(parsed_float("-.5"), -0.5f);
  EXPECT_EQ(parsed_float("2."), 2.0f);
  EXPECT_EQ(parsed_float("1e-60"), 0.0f);
  EXPECT_EQ(parsed_float("1e-999"), 0.0f);
  EXPECT_EQ(parsed_float("-1e999"), -INFINITY);
  EXPECT_EQ(parsed_float("1e60"), INFINITY);
  EXPECT_EQ(parsed_float("0.00000000000000000000000000000000000000000000000000001"), 0.0f);
  for (const char* word : {"", "-", "+", ".", "e5", "x", "+-1", "--1", "1,5", "1.5x"})
    EXPECT_FALSE(parsed_float(word)) << word;
}

TEST(TextRows, NumbersLinesAcrossChunksWithoutBlankOnesAndComments) {
  std::string text;
  for (int k = 0; k < 300000; ++k) text += fmt::format("{}\r\n  # not {}\n\n", k, k);
  const TextRows rows(text, '#');
  ASSERT_EQ(rows.count(), 300000u);
  EXPECT_GT(rows.chunk_count(), 2u);
  std::atomic<int> wrong = 0;
  rows.walk([&](std::size_t, std::size_t row, std::string_view line) {
    RowNumbers numbers(line);
    std::int64_t number = -1;
    if (!numbers.take(number) || static_cast<std::size_t>(number) != row || !numbers.is_done()) ++wrong;
    return true;
  });
  EXPECT_EQ(wrong, 0);
}

TEST(TextRows, KnowTheLineEndsOfOldMacs) {
  EXPECT_EQ(TextRows("1\r2\r\r3").count(), 3u);
  EXPECT_EQ(TextRows("1\n2\n\n3\n").count(), 3u);
  EXPECT_EQ(TextRows("").count(), 0u);
}

}  // namespace
}  // namespace dermis
