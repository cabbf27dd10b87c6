// SPDX-License-Identifier: MIT
// Legends show the whole scale at the right, and leave the left alone.
#include <gtest/gtest.h>

#include "drawings.h"
#include "picture/colour.h"

namespace dermis {
namespace {

bool has_colour(const Pixels& pixels, const Vec3& colour) {
  const std::array<int, 3> wanted{byte_of_linear(colour.x), byte_of_linear(colour.y),
                                  byte_of_linear(colour.z)};
  for (int y = 0; y < pixels.height; ++y) {
    for (int x = 0; x < pixels.width; ++x) {
      const std::array<int, 3> c = test::colour_at(pixels, x, y);
      if (std::abs(c[0] - wanted[0]) + std::abs(c[1] - wanted[1]) + std::abs(c[2] - wanted[2]) <= 12)
        return true;
    }
  }
  return false;
}

TEST(DrawLegend, ShowsTheColoursOfTheWholeScaleAtTheRight) {
  for (const bool is_diverging : {false, true}) {
    Pixels pixels = blank_pixels(640, 480, 200, 200, 200);
    const ColourScale scale{"strain (%)", -4, 12, is_diverging};
    draw_legend(pixels, scale);
    for (const double value : {-4.0, 0.0, 4.0, 8.0, 12.0})
      EXPECT_TRUE(has_colour(pixels, colour_of(scale, value))) << value;
    for (int x = 0; x < 400; ++x) EXPECT_EQ(test::brightness(pixels, x, 240), 600);
  }
}

TEST(DrawLegend, WritesNumbersAndTitle) {
  const auto drawn = [](const ColourScale& scale) {
    Pixels pixels = blank_pixels(640, 480, 200, 200, 200);
    draw_legend(pixels, scale);
    return pixels;
  };
  const ColourScale scale{"stretch", 0, 1};
  const Pixels pixels = drawn(scale);
  EXPECT_GT(test::count_different(pixels, drawn({"shear", 0, 1})), 50u);
  EXPECT_GT(test::count_different(pixels, drawn({"stretch", 0, 2})), 50u);
}

TEST(DrawLegend, FitsPicturesOfAnySizeAndScalesOfAnyRange) {
  const ColourScale scales[] = {{"a title that is far too long for a small picture", 0, 1},
                                {"", 5, 5},
                                {"tiny", -1e-12, 1e-12},
                                {"huge", -1e30, 1e30},
                                {"upside down", 1, 0},
                                {"none", NAN, 1},
                                {"endless", -INFINITY, INFINITY}};
  for (const auto& [width, height] : {std::pair{1, 1}, {30, 20}, {4000, 40}, {300, 300}}) {
    for (const ColourScale& scale : scales) {
      SCOPED_TRACE(scale.title);
      const Pixels blank = blank_pixels(width, height, 200, 200, 200);
      Pixels pixels = blank;
      draw_legend(pixels, scale);
      EXPECT_EQ(pixels.width, width);
      EXPECT_EQ(pixels.height, height);
      ASSERT_EQ(pixels.rgba.size(), blank.rgba.size());
      const std::size_t least = width == 300 ? 100 : 0;
      EXPECT_GE(test::count_different(pixels, blank), least);
    }
  }
  Pixels none;
  draw_legend(none, scales[0]);
  EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace dermis
