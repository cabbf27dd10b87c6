// SPDX-License-Identifier: MIT
// Text lands where it was asked for, every letter is another, and nothing else changes.
#include <gtest/gtest.h>

#include <map>

#include "drawings.h"

namespace dermis {
namespace {

Pixels paper(int width, int height) { return blank_pixels(width, height, 255, 255, 255); }

struct Ink {
  int left = 1 << 20, right = -1, top = 1 << 20, bottom = -1;
  double amount = 0;
};

Ink ink_of(const Pixels& pixels) {
  Ink ink;
  for (int y = 0; y < pixels.height; ++y) {
    for (int x = 0; x < pixels.width; ++x) {
      const int dark = 765 - test::brightness(pixels, x, y);
      if (dark == 0) continue;
      ink.amount += dark;
      ink.left = std::min(ink.left, x), ink.right = std::max(ink.right, x);
      ink.top = std::min(ink.top, y), ink.bottom = std::max(ink.bottom, y);
    }
  }
  return ink;
}

TEST(DrawText, StandsOnItsLineAsHighAsItsStyleSays) {
  Pixels pixels = paper(200, 100);
  TextStyle style;
  style.size = 30;
  draw_text(pixels, 20, 60, "HELM", style);
  const Ink ink = ink_of(pixels);
  EXPECT_NEAR(ink.bottom, 60, 3);
  EXPECT_NEAR(ink.top, 30, 3);
  EXPECT_GE(ink.left, 20);
  EXPECT_LE(ink.right, 20 + text_width("HELM", style));
  EXPECT_GT(ink.right, 20 + 0.85 * text_width("HELM", style));
}

TEST(DrawText, GoesBelowTheLineOnlyForLettersThatDo) {
  for (const auto& [text, goes_below] : {std::pair{"acenz", false}, {"gpqy", true}}) {
    Pixels pixels = paper(150, 60);
    draw_text(pixels, 5, 40, text);
    EXPECT_EQ(ink_of(pixels).bottom > 43, goes_below) << text;
  }
}

TEST(DrawText, DrawsEveryLetterDifferently) {
  std::map<std::string, char> seen;
  for (char letter = 33; letter < 127; ++letter) {
    Pixels pixels = paper(40, 40);
    draw_text(pixels, 8, 28, std::string(1, letter));
    EXPECT_GT(ink_of(pixels).amount, 500) << letter;
    const auto [place, is_new] = seen.emplace(std::string(pixels.rgba.begin(), pixels.rgba.end()), letter);
    EXPECT_TRUE(is_new) << letter << " looks like " << place->second;
  }
  Pixels blank = paper(40, 40);
  draw_text(blank, 8, 28, " ");
  EXPECT_EQ(ink_of(blank).amount, 0);
}

TEST(DrawText, ShowsOneBoxForALetterBeyondLatin1) {
  Pixels three_bytes = paper(60, 40), control = paper(60, 40);
  draw_text(three_bytes, 5, 30, "\xe6\xad\xa9");
  draw_text(control, 5, 30, "\x01");
  EXPECT_EQ(three_bytes.rgba, control.rgba);
  EXPECT_EQ(text_width("\xe6\xad\xa9"), text_width("\x01"));
  EXPECT_FALSE(can_draw_text("walk \xe6\xad\xa9"));
  // A letter that was cut in two is one as well.
  EXPECT_EQ(text_width("\xc3"), text_width("\x01"));
}

// U+00C0 to U+00FF, each in a picture of its own.
TEST(DrawText, DrawsEveryLetterOfLatin1Differently) {
  std::map<std::string, int> seen;
  Pixels box = paper(60, 50);
  draw_text(box, 8, 36, "\x01");
  seen.emplace(std::string(box.rgba.begin(), box.rgba.end()), 0);
  for (int letter = 0x80; letter < 0xc0; ++letter) {
    const std::string text = {'\xc3', static_cast<char>(letter)};
    EXPECT_TRUE(can_draw_text(text)) << letter;
    Pixels pixels = paper(60, 50);
    draw_text(pixels, 8, 36, text);
    const auto [place, is_new] = seen.emplace(std::string(pixels.rgba.begin(), pixels.rgba.end()), letter);
    EXPECT_TRUE(is_new) << letter << " looks like " << place->second;
  }
}

TEST(DrawText, PutsMarksAboveTheirLetterAndKeepsItsWidth) {
  EXPECT_EQ(text_width("\xc3\xa4\xc3\x96"), text_width("aO"));
  Pixels plain = paper(60, 50), marked = paper(60, 50);
  draw_text(plain, 8, 36, "o");
  draw_text(marked, 8, 36, "\xc3\xb6");
  EXPECT_LT(ink_of(marked).top, ink_of(plain).top);
  EXPECT_EQ(ink_of(marked).bottom, ink_of(plain).bottom);
}

TEST(DrawText, IsHeavierAndWiderWhenBold) {
  TextStyle bold;
  bold.is_bold = true;
  Pixels plain_pixels = paper(120, 40), bold_pixels = paper(120, 40);
  draw_text(plain_pixels, 5, 30, "strain");
  draw_text(bold_pixels, 5, 30, "strain", bold);
  EXPECT_GT(ink_of(bold_pixels).amount, 1.3 * ink_of(plain_pixels).amount);
  EXPECT_GT(text_width("strain", bold), text_width("strain"));
}

TEST(DrawText, IsCutOffAtTheEdgesOfThePicture) {
  Pixels pixels = paper(30, 20);
  draw_text(pixels, -15, 25, "WWWWWWWW");
  draw_text(pixels, 1e9, 1e9, "far");
  draw_text(pixels, NAN, 5, "nowhere");
  EXPECT_GT(ink_of(pixels).amount, 0);
}

TEST(TextWidth, AddsUpAndGrowsWithTheSize) {
  TextStyle large;
  large.size = 40;
  EXPECT_NEAR(text_width("volume 12"), text_width("volume ") + text_width("12"), 1e-9);
  EXPECT_NEAR(text_width("volume", large), 2 * text_width("volume"), 1e-9);
  EXPECT_EQ(text_width("0"), text_width("1"));  // numbers in columns
}

}  // namespace
}  // namespace dermis
