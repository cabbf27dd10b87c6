// SPDX-License-Identifier: MIT
// Legends show the whole scale at the right, and leave the picture alone.
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

TEST(WithLegend, ShowsTheColoursOfTheWholeScaleBesideThePictureAndCoversNothing) {
  for (const bool is_diverging : {false, true}) {
    const Pixels plain = blank_pixels(640, 480, 200, 200, 200);
    const ColourScale scale{"strain (%)", -4, 12, is_diverging};
    const Pixels pixels = with_legend(plain, scale);
    EXPECT_EQ(pixels.width, 640 + legend_width(scale, 480));
    EXPECT_EQ(pixels.height, 480);
    for (const double value : {-4.0, 0.0, 4.0, 8.0, 12.0})
      EXPECT_TRUE(has_colour(pixels, colour_of(scale, value))) << value;
    for (int y = 0; y < 480; ++y) {
      for (int x = 0; x < 640; ++x) ASSERT_EQ(test::brightness(pixels, x, y), 600);
    }
  }
}

TEST(WithLegend, WritesNumbersAndTitle) {
  const auto drawn = [](const ColourScale& scale) {
    return with_legend(blank_pixels(640, 480, 200, 200, 200), scale);
  };
  const ColourScale scale{"stretch", 0, 1};
  const Pixels pixels = drawn(scale);
  EXPECT_NE(pixels.rgba, drawn({"stretcx", 0, 1}).rgba);
  EXPECT_NE(pixels.rgba, drawn({"stretch", 0, 2}).rgba);
}

// Rounding is no picture.
TEST(WithLegend, SaysThatThereIsNoDifferenceInOneColour) {
  const ColourScale flat{"off", 0, 1, false, true};
  for (const double value : {0.0, 0.5, 1.0}) EXPECT_EQ(colour_of(flat, value), colour_of(flat, 0));
  EXPECT_NE(legend_svg(flat).find(">no difference</text>"), std::string::npos);
  EXPECT_FALSE(has_colour(with_legend(blank_pixels(64, 480, 200, 200, 200), flat), colour_of({"", 0, 1}, 1)));
}

TEST(LegendSvg, HasTitleAndNumbers) {
  const std::string svg = legend_svg({"off from <lbs> (%)", 0, 10});
  EXPECT_NE(svg.find("off from &lt;lbs&gt; (%)"), std::string::npos);
  for (const char* number : {">0<", ">4<", ">10<"}) EXPECT_NE(svg.find(number), std::string::npos) << number;
}

TEST(WithLegend, FitsPicturesOfAnySizeAndScalesOfAnyRange) {
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
      const Pixels pixels = with_legend(blank_pixels(width, height, 200, 200, 200), scale);
      EXPECT_EQ(pixels.height, height);
      EXPECT_EQ(pixels.width, width + legend_width(scale, height));
      EXPECT_FALSE(legend_svg(scale).empty());
    }
  }
  EXPECT_TRUE(with_legend(Pixels{}, scales[0]).empty());
}

}  // namespace
}  // namespace dermis
