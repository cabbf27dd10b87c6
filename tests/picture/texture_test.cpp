// SPDX-License-Identifier: MIT
// Textures between pixels, beyond their edges and from far away.
#include "picture/texture.h"

#include <gtest/gtest.h>

#include <cmath>

#include "picture/colour.h"

namespace dermis {
namespace {

constexpr std::array kRepeat{Wrap::repeat, Wrap::repeat};

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
  EXPECT_NEAR(texture_at(texture, kRepeat, {0.3f, 0.7f}, 8).x, 0.5, 0.01);
}

TEST(Texture, IsItselfAtTheMiddleOfItsPixels) {
  const Texture texture = make_texture(black_and_white(4, 4));
  EXPECT_EQ(texture_at(texture, kRepeat, {0.125f, 0.125f}, 0).x, 1);
  EXPECT_EQ(texture_at(texture, kRepeat, {0.375f, 0.125f}, 0).x, 0);
  EXPECT_NEAR(texture_at(texture, kRepeat, {0.25f, 0.125f}, 0).x, 0.5, 1e-6);
}

TEST(Texture, RepeatsForAnyNumber) {
  const Texture texture = make_texture(black_and_white(4, 4));
  for (const float turns : {-3.0f, -1.0f, 2.0f, 100.0f}) {
    EXPECT_NEAR(texture_at(texture, kRepeat, {0.125f + turns, 0.375f - turns}, 0).x, 0, 1e-4);
    EXPECT_NEAR(texture_at(texture, kRepeat, {0.125f + turns, 0.125f - turns}, 0).x, 1, 1e-4);
  }
  for (const float odd : {NAN, INFINITY, -INFINITY, 1e30f, -1e-30f}) {
    EXPECT_TRUE(std::isfinite(texture_at(texture, kRepeat, {odd, odd}, odd).x));
  }
}

TEST(Texture, EndsInItsEdgeWhereItIsClamped) {
  // Columns of light 0, 1/3, 2/3 and 1.
  Pixels pixels = blank_pixels(4, 1, 0, 0, 0);
  for (int x = 0; x < 4; ++x) std::fill_n(pixels.at(x, 0), 3, byte_of_linear(static_cast<float>(x) / 3));
  const Texture texture = make_texture(pixels);
  const auto at = [&](Wrap wrap, float u) {
    return texture_at(texture, {wrap, Wrap::repeat}, {u, 0.5f}, 0).x;
  };
  for (const float beyond : {1.0f, 1.01f, 7.3f, INFINITY}) EXPECT_EQ(at(Wrap::clamp, beyond), 1) << beyond;
  for (const float before : {0.0f, -0.01f, -7.3f, -INFINITY, NAN})
    EXPECT_EQ(at(Wrap::clamp, before), 0) << before;
  EXPECT_EQ(at(Wrap::clamp, 0.375f), at(Wrap::repeat, 0.375f));
}

TEST(Texture, GoesBackWhereItIsMirrored) {
  Pixels pixels = blank_pixels(4, 1, 0, 0, 0);
  for (int x = 0; x < 4; ++x) std::fill_n(pixels.at(x, 0), 3, byte_of_linear(static_cast<float>(x) / 3));
  const Texture texture = make_texture(pixels);
  const auto at = [&](float u) { return texture_at(texture, {Wrap::mirror, Wrap::repeat}, {u, 0.5f}, 0).x; };
  for (const float u : {0.125f, 0.3f, 0.875f}) {
    for (const float other : {-u, 2 - u, u + 2, u - 4}) EXPECT_NEAR(at(other), at(u), 1e-4) << u << other;
  }
  EXPECT_EQ(at(1), 1);  // the last column meets itself
  EXPECT_EQ(at(0), 0);
}

TEST(Texture, LetsInvisiblePixelsKeepTheirColourToThemselves) {
  Pixels pixels = blank_pixels(2, 1, 255, 0, 0);
  pixels.at(1, 0)[1] = 255;  // yellow, but not there
  pixels.at(1, 0)[3] = 0;
  const Vec4 between = texture_at(make_texture(pixels), kRepeat, {0.5f, 0.5f}, 0);
  EXPECT_EQ(between.xyz(), (Vec3{1, 0, 0}));
  EXPECT_NEAR(between.w, 0.5, 1e-6);
}

}  // namespace
}  // namespace dermis
