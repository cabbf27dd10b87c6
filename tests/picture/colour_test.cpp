// SPDX-License-Identifier: MIT
// Colours of scales, bytes of light, painted meshes.
#include "picture/colour.h"

#include <gtest/gtest.h>

#include "drawings.h"

namespace dermis {
namespace {

double luminance(const Vec3& c) {
  return 0.2126 * static_cast<double>(c.x) + 0.7152 * static_cast<double>(c.y) +
         0.0722 * static_cast<double>(c.z);
}

TEST(ColourOf, GrowsBrighterAllAlongTheSequentialScale) {
  const ColourScale scale{"", -2, 6};
  double before = -1;
  for (int k = 0; k <= 100; ++k) {
    const double light = luminance(colour_of(scale, -2 + 0.08 * k));
    EXPECT_GT(light, before) << k;
    before = light;
  }
  const Vec3 low = colour_of(scale, -2), high = colour_of(scale, 6);
  EXPECT_GT(low.z, 2 * low.x);                      // blue
  EXPECT_GT(std::min(high.x, high.y), 2 * high.z);  // yellow
}

TEST(ColourOf, GoesFromBlueThroughGreyToRed) {
  const ColourScale scale{"", -1, 1, true};
  const Vec3 low = colour_of(scale, -1), middle = colour_of(scale, 0), high = colour_of(scale, 1);
  EXPECT_GT(low.z, 3 * low.x);
  EXPECT_GT(high.x, 3 * high.z);
  EXPECT_NEAR(middle.x, middle.y, 0.01);
  EXPECT_NEAR(middle.y, middle.z, 0.01);
  for (int k = 1; k <= 20; ++k) {
    EXPECT_NEAR(luminance(colour_of(scale, 0.05 * k)), luminance(colour_of(scale, -0.05 * k)), 0.08);
  }
}

TEST(ColourOf, ChangesInSmallSteps) {
  for (const bool is_diverging : {false, true}) {
    const ColourScale scale{"", 0, 1, is_diverging};
    for (int k = 0; k < 1000; ++k) {
      EXPECT_LT(length(colour_of(scale, k * 0.001) - colour_of(scale, (k + 1) * 0.001)), 0.006f) << k;
    }
  }
}

TEST(ColourOf, StaysAtTheEndsAndIsGreyForNoNumber) {
  const ColourScale scale{"", 0, 1};
  EXPECT_EQ(colour_of(scale, -5), colour_of(scale, 0));
  EXPECT_EQ(colour_of(scale, INFINITY), colour_of(scale, 1));
  const Vec3 none = colour_of(scale, NAN);
  EXPECT_EQ(none.x, none.y);
  EXPECT_EQ(none.y, none.z);
  EXPECT_EQ(colour_of({"", 3, 3}, 3), colour_of(scale, 0));
}

TEST(ByteOfLinear, UndoesTheTableForEveryByte) {
  for (int k = 0; k < 256; ++k) {
    EXPECT_EQ(byte_of_linear(linear_of_byte()[static_cast<std::size_t>(k)]), k);
  }
  EXPECT_EQ(byte_of_linear(-1), 0);
  EXPECT_EQ(byte_of_linear(NAN), 0);
  EXPECT_EQ(byte_of_linear(1e9f), 255);
}

TEST(Paint, GivesEachPointTheColourOfItsSource) {
  Drawing drawing = test::drawing_of(test::square());
  drawing.meshes[0].source = {2, 0, 1, 2};
  const ColourScale scale{"", 0, 1};
  paint(drawing, 0, scale, std::vector<float>{0, 0.5f, 1});
  ASSERT_EQ(drawing.meshes[0].colours.size(), 4u);
  EXPECT_EQ(drawing.meshes[0].colours[0].xyz(), colour_of(scale, 1));
  EXPECT_EQ(drawing.meshes[0].colours[1].xyz(), colour_of(scale, 0));
  EXPECT_EQ(drawing.meshes[0].colours[2].xyz(), colour_of(scale, 0.5));
  ASSERT_EQ(drawing.materials.size(), 2u);
  for (const Index m : drawing.meshes[0].material) EXPECT_EQ(m, 1);
}

}  // namespace
}  // namespace dermis
