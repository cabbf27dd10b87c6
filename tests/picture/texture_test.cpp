// SPDX-License-Identifier: MIT
// Textures between pixels, beyond their edges and from far away.
#include "picture/texture.h"

#include <gtest/gtest.h>

#include <cmath>

#include "picture/colour.h"

namespace dermis {
namespace {

Pixels black_and_white(int width, int height) {
  Pixels pixels = blank_pixels(width, height, 0, 0, 0);
  for (int y = 0; y < height; ++y) {
    for (int x = y % 2; x < width; x += 2) std::fill_n(pixels.at(x, y), 3, std::uint8_t{255});
  }
  return pixels;
}

TEST(Texture, HalvesDownToOnePixel) {
  const Texture texture = make_texture(black_and_white(20, 5));
  ASSERT_EQ(texture.levels.size(), 5u);
  EXPECT_EQ(texture.levels.back().width, 1);
  EXPECT_EQ(texture.levels.back().height, 1);
  EXPECT_TRUE(make_texture({}).empty());
}

TEST(Texture, AveragesLightAndNotBytes) {
  const Texture texture = make_texture(black_and_white(16, 16));
  // Half of the light is byte 188 of sRGB.
  EXPECT_NEAR(texture.levels[1].at(3, 3)[0], 188, 1);
  EXPECT_NEAR(texture_at(texture, {0.3f, 0.7f}, 8).x, 0.5, 0.01);
}

TEST(Texture, IsItselfAtTheMiddleOfItsPixels) {
  const Texture texture = make_texture(black_and_white(4, 4));
  EXPECT_EQ(texture_at(texture, {0.125f, 0.125f}, 0).x, 1);
  EXPECT_EQ(texture_at(texture, {0.375f, 0.125f}, 0).x, 0);
  EXPECT_NEAR(texture_at(texture, {0.25f, 0.125f}, 0).x, 0.5, 1e-6);
}

TEST(Texture, RepeatsForAnyNumber) {
  const Texture texture = make_texture(black_and_white(4, 4));
  for (const float turns : {-3.0f, -1.0f, 2.0f, 100.0f}) {
    EXPECT_NEAR(texture_at(texture, {0.125f + turns, 0.375f - turns}, 0).x, 0, 1e-4);
    EXPECT_NEAR(texture_at(texture, {0.125f + turns, 0.125f - turns}, 0).x, 1, 1e-4);
  }
  for (const float odd : {NAN, INFINITY, -INFINITY, 1e30f, -1e-30f}) {
    EXPECT_TRUE(std::isfinite(texture_at(texture, {odd, odd}, odd).x));
  }
}

TEST(Texture, LetsInvisiblePixelsKeepTheirColourToThemselves) {
  Pixels pixels = blank_pixels(2, 1, 255, 0, 0);
  pixels.at(1, 0)[1] = 255;  // yellow, but not there
  pixels.at(1, 0)[3] = 0;
  const Vec4 between = texture_at(make_texture(pixels), {0.5f, 0.5f}, 0);
  EXPECT_EQ(between.xyz(), (Vec3{1, 0, 0}));
  EXPECT_NEAR(between.w, 0.5, 1e-6);
}

}  // namespace
}  // namespace dermis
