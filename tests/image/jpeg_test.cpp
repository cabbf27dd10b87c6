// SPDX-License-Identifier: MIT
// JPEG: colours come back within what the format keeps, inks become light, and broken files are refused.
#include <gtest/gtest.h>

#include <algorithm>

#include "made_files.h"

namespace dermis {
namespace {

using test::Bytes;
using test::made_jpeg;

// A gradient: what JPEG is good at.
Pixels gradient(int width, int height) {
  Pixels pixels = blank_pixels(width, height, 0, 0, 128);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      pixels.at(x, y)[0] = static_cast<std::uint8_t>(255 * x / width);
      pixels.at(x, y)[1] = static_cast<std::uint8_t>(255 * y / height);
    }
  }
  return pixels;
}

int largest_difference(const Pixels& a, const Pixels& b) {
  int largest = 0;
  for (std::size_t k = 0; k < a.rgba.size(); ++k)
    largest = std::max(largest, std::abs(a.rgba[k] - b.rgba[k]));
  return largest;
}

void expect_colour(const Bytes& jpeg, std::array<int, 3> colour) {
  const Result<Pixels> pixels = decode_image(jpeg, "plain.jpg");
  ASSERT_TRUE(pixels) << pixels.error().sentence;
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(pixels->at(5, 5)[k], colour[k], 2);
  EXPECT_EQ(pixels->at(5, 5)[3], 255);
}

TEST(EncodeJpeg, KeepsAGradientWithinFewSteps) {
  const Pixels pixels = gradient(75, 43);
  const Result<Bytes> jpeg = encode_jpeg(pixels, 95);
  ASSERT_TRUE(jpeg) << jpeg.error().sentence;
  const Result<Pixels> back = decode_image(*jpeg, "back.jpg");
  ASSERT_TRUE(back) << back.error().sentence;
  ASSERT_EQ(back->width, 75);
  ASSERT_EQ(back->height, 43);
  EXPECT_LE(largest_difference(pixels, *back), 16);
}

TEST(EncodeJpeg, TakesFewerBytesForLessQuality) {
  const Pixels pixels = test::random_pixels(1, 64, 64, true);
  EXPECT_LT(encode_jpeg(pixels, 20)->size(), encode_jpeg(pixels, 90)->size() / 2);
}

TEST(EncodeJpeg, RefusesQualitiesAndSizesThatDoNotExist) {
  const Pixels pixels = gradient(8, 8);
  EXPECT_EQ(encode_jpeg(pixels, 0).error().code, Errc::bad_argument);
  EXPECT_EQ(encode_jpeg(pixels, 101).error().code, Errc::bad_argument);
  EXPECT_EQ(encode_jpeg({}, 90).error().code, Errc::bad_argument);
  EXPECT_EQ(encode_jpeg(blank_pixels(70000, 1, 0, 0, 0), 90).error().code, Errc::bad_argument);
}

TEST(DecodeJpeg, ReadsGrey) { expect_colour(made_jpeg(JCS_GRAYSCALE, {77}, 16, false, false), {77, 77, 77}); }

TEST(DecodeJpeg, ReadsProgressiveFiles) {
  expect_colour(made_jpeg(JCS_RGB, {200, 100, 50}, 40, true, false), {200, 100, 50});
}

// Three quarters of cyan, a quarter of black ink: red is (1 - 3/4) (1 - 1/4), the rest 1 - 1/4.
TEST(DecodeJpeg, TurnsInksIntoLightBothWaysRound) {
  expect_colour(made_jpeg(JCS_CMYK, {191, 0, 0, 64}, 16, false, false), {48, 191, 191});
  expect_colour(made_jpeg(JCS_CMYK, {64, 255, 255, 191}, 16, false, true), {48, 191, 191});
}

TEST(DecodeJpeg, RefusesEveryBeginningOfAFile) {
  for (const bool is_progressive : {false, true}) {
    const Bytes jpeg = made_jpeg(JCS_RGB, {10, 20, 30}, 24, is_progressive, false);
    for (std::size_t size = 0; size + 4 < jpeg.size(); ++size) {
      const Result<Pixels> part = decode_image(std::span(jpeg).first(size), "cut.jpg");
      ASSERT_FALSE(part) << size << " of " << jpeg.size() << " bytes";
      EXPECT_NE(part.error().sentence.find("cut.jpg"), std::string::npos);
    }
  }
}

TEST(DecodeJpeg, RefusesMorePixelsThanAllowed) {
  const Bytes jpeg = made_jpeg(JCS_RGB, {10, 20, 30}, 24, false, false);
  EXPECT_EQ(decode_image(jpeg, "large.jpg", 575).error().code, Errc::too_large);
  EXPECT_TRUE(decode_image(jpeg, "large.jpg", 576));
}

}  // namespace
}  // namespace dermis
