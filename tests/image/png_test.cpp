// SPDX-License-Identifier: MIT
// PNG: what is written comes back, all kinds are read, and broken files are refused.
#include <gtest/gtest.h>

#include "made_files.h"

namespace dermis {
namespace {

using test::Bytes;
using test::made_png;
using test::PngKind;

// The byte of a PNG that says what its pixels are.
int colour_type_of(const Bytes& png) { return static_cast<int>(png[25]); }

std::array<int, 4> pixel(const Pixels& pixels, int x, int y) {
  const std::uint8_t* p = pixels.at(x, y);
  return {p[0], p[1], p[2], p[3]};
}

TEST(BlankPixels, HaveOneOpaqueColour) {
  const Pixels pixels = blank_pixels(3, 2, 10, 20, 30);
  ASSERT_EQ(pixels.rgba.size(), 24u);
  for (int y = 0; y < 2; ++y) {
    for (int x = 0; x < 3; ++x) EXPECT_EQ(pixel(pixels, x, y), (std::array{10, 20, 30, 255}));
  }
  EXPECT_TRUE(blank_pixels(0, 5, 0, 0, 0).empty());
}

TEST(OneColour, IsThatOfEveryPixelInEveryChannel) {
  Pixels pixels = blank_pixels(3, 2, 10, 20, 30);
  EXPECT_TRUE(is_one_colour(pixels));
  EXPECT_TRUE(is_one_colour({}));
  for (const int channel : {0, 1, 2, 3}) {
    Pixels changed = pixels;
    ++changed.at(2, 1)[channel];
    EXPECT_FALSE(is_one_colour(changed)) << channel;
  }
}

TEST(EncodePng, GivesEveryPixelBack) {
  for (const bool is_opaque : {true, false}) {
    const Pixels pixels = test::random_pixels(7, 37, 21, is_opaque);
    const Result<Bytes> png = encode_png(pixels);
    ASSERT_TRUE(png) << png.error().sentence;
    EXPECT_EQ(colour_type_of(*png), is_opaque ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGBA);
    const Result<Pixels> back = decode_image(*png, "back.png");
    ASSERT_TRUE(back) << back.error().sentence;
    EXPECT_EQ(back->width, 37);
    EXPECT_EQ(back->height, 21);
    EXPECT_EQ(back->rgba, pixels.rgba);
  }
}

TEST(EncodePng, GivesTheSameBytesTwice) {
  const Pixels pixels = test::random_pixels(8, 64, 64, true);
  EXPECT_EQ(*encode_png(pixels), *encode_png(pixels));
}

TEST(EncodePng, RefusesAPictureWithoutPixels) {
  EXPECT_EQ(encode_png({}).error().code, Errc::bad_argument);
  EXPECT_EQ(encode_png({2, 2, {1, 2, 3}}).error().code, Errc::bad_argument);
}

TEST(DecodePng, SpreadsGreyOfAnyDepthOverTheWholeRange) {
  // Two pixels in the upper bits of a byte: the darkest and the brightest of each depth.
  const std::pair<int, std::uint8_t> kinds[] = {{1, 0b01000000}, {2, 0b00110000}, {4, 0b00001111}};
  for (const auto& [depth, row] : kinds) {
    SCOPED_TRACE(depth);
    const Result<Pixels> grey = decode_image(made_png({2, 1, depth, PNG_COLOR_TYPE_GRAY}, {row}), "grey.png");
    ASSERT_TRUE(grey) << grey.error().sentence;
    EXPECT_EQ(pixel(*grey, 0, 0), (std::array{0, 0, 0, 255}));
    EXPECT_EQ(pixel(*grey, 1, 0), (std::array{255, 255, 255, 255}));
  }
}

TEST(DecodePng, RoundsSixteenBitsToEight) {
  // 257 * 100 is exactly 100 of 255; 129 more is the nearest to 101.
  const std::vector<std::uint8_t> row{100, 100, 100, 229, 0, 0, 255, 255};
  const Result<Pixels> pixels =
      decode_image(made_png({2, 1, 16, PNG_COLOR_TYPE_GRAY_ALPHA}, row), "deep.png");
  ASSERT_TRUE(pixels) << pixels.error().sentence;
  EXPECT_EQ(pixel(*pixels, 0, 0), (std::array{100, 100, 100, 101}));
  EXPECT_EQ(pixel(*pixels, 1, 0), (std::array{0, 0, 0, 255}));
}

TEST(DecodePng, LooksUpPalettesWithTheirOpacity) {
  PngKind kind{2, 1, 8, PNG_COLOR_TYPE_PALETTE};
  kind.palette = {{10, 20, 30}, {200, 150, 100}};
  kind.palette_opacity = {40};
  const Result<Pixels> pixels = decode_image(made_png(kind, {1, 0}), "palette.png");
  ASSERT_TRUE(pixels) << pixels.error().sentence;
  EXPECT_EQ(pixel(*pixels, 0, 0), (std::array{200, 150, 100, 255}));
  EXPECT_EQ(pixel(*pixels, 1, 0), (std::array{10, 20, 30, 40}));
}

TEST(DecodePng, ReadsInterlacedFilesAsPlainOnes) {
  const Pixels pixels = test::random_pixels(9, 19, 13, false);
  const PngKind kind{19, 13, 8, PNG_COLOR_TYPE_RGBA, true};
  const Result<Pixels> back = decode_image(made_png(kind, pixels.rgba), "interlaced.png");
  ASSERT_TRUE(back) << back.error().sentence;
  EXPECT_EQ(back->rgba, pixels.rgba);
}

TEST(DecodePng, RefusesEveryBeginningOfAFile) {
  const PngKind kinds[] = {{9, 7, 8, PNG_COLOR_TYPE_RGBA, false}, {9, 7, 8, PNG_COLOR_TYPE_RGBA, true}};
  for (const PngKind& kind : kinds) {
    const Bytes png = made_png(kind, test::random_pixels(3, 9, 7, false).rgba);
    // The end of the data and the closing chunk hold no pixels.
    for (std::size_t size = 0; size + 32 < png.size(); ++size) {
      const Result<Pixels> part = decode_image(std::span(png).first(size), "cut.png");
      ASSERT_FALSE(part) << size << " of " << png.size() << " bytes";
      EXPECT_NE(part.error().sentence.find("cut.png"), std::string::npos);
    }
  }
}

TEST(DecodePng, RefusesAFlippedBitInItsPixels) {
  Bytes png = *encode_png(test::random_pixels(4, 20, 20, true));
  png[png.size() / 2] ^= std::byte{4};
  const Result<Pixels> broken = decode_image(png, "flipped.png");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, Errc::bad_file);
}

// A file that says it is larger than it is, with the checksum of its header put right.
Bytes with_side(std::uint32_t side) {
  Bytes png = made_png({1, 1, 8, PNG_COLOR_TYPE_RGB}, {1, 2, 3});
  std::uint32_t check = 0xffffffffu;
  const auto put = [&](std::size_t at, std::uint32_t number) {
    for (std::size_t k = 0; k < 4; ++k) png[at + k] = std::byte(number >> (24 - 8 * k));
  };
  put(16, side);
  put(20, side);
  for (std::size_t k = 12; k < 29; ++k) {
    check ^= static_cast<std::uint32_t>(png[k]);
    for (int bit = 0; bit < 8; ++bit) check = (check & 1u) != 0 ? check >> 1 ^ 0xedb88320u : check >> 1;
  }
  put(29, ~check);
  return png;
}

TEST(DecodePng, RefusesMorePixelsThanAllowedBeforeTakingMemory) {
  const Result<Pixels> huge = decode_image(with_side(0x7fffffff), "huge.png");
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.error().code, Errc::too_large) << huge.error().sentence;
  const Bytes small = *encode_png(test::random_pixels(5, 10, 10, true));
  EXPECT_TRUE(decode_image(small, "small.png", 100));
  EXPECT_EQ(decode_image(small, "small.png", 99).error().code, Errc::too_large);
}

TEST(DecodePng, RefusesADeclaredSizeThatItsBytesCannotHold) {
  const Result<Pixels> bomb = decode_image(with_side(16384), "bomb.png");
  ASSERT_FALSE(bomb);
  EXPECT_EQ(bomb.error().code, Errc::bad_file);
  EXPECT_NE(bomb.error().sentence.find("ends early"), std::string::npos) << bomb.error().sentence;
}

TEST(DecodeImage, RefusesWhatIsNoPicture) {
  EXPECT_EQ(decode_image({}, "empty.png").error().code, Errc::bad_file);
  const Bytes text(100, std::byte{'a'});
  EXPECT_EQ(decode_image(text, "text.png").error().code, Errc::unsupported);
}

}  // namespace
}  // namespace dermis
