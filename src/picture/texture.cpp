// SPDX-License-Identifier: MIT
// Textures: halving, and reading between pixels.
#include "picture/texture.h"

#include <algorithm>
#include <cmath>

#include "picture/colour.h"

namespace dermis {
namespace {

struct Sum {
  Vec3 colour;  // multiplied by opacity
  float opacity = 0;

  void add(const std::uint8_t* pixel, float weight) {
    const float share = weight * static_cast<float>(pixel[3]) * (1.0f / 255);
    colour += linear_of_bytes(pixel) * share;
    opacity += share;
  }
  // Where nothing shows the colour does not matter.
  Vec3 plain() const { return opacity > 0 ? colour * (1 / opacity) : Vec3{}; }
};

// The last row or column of odd sides is counted twice rather than dropped.
Pixels halved(const Pixels& from) {
  Pixels to = blank_pixels(std::max(from.width / 2, 1), std::max(from.height / 2, 1), 0, 0, 0);
  parallel_for(static_cast<std::size_t>(to.height), 64, [&](std::size_t begin, std::size_t end) {
    for (int y = static_cast<int>(begin); y < static_cast<int>(end); ++y) {
      for (int x = 0; x < to.width; ++x) {
        Sum sum;
        const int right = std::min(2 * x + 1, from.width - 1), below = std::min(2 * y + 1, from.height - 1);
        sum.add(from.at(2 * x, 2 * y), 0.25f);
        sum.add(from.at(right, 2 * y), 0.25f);
        sum.add(from.at(2 * x, below), 0.25f);
        sum.add(from.at(right, below), 0.25f);
        const Vec3 colour = sum.plain();
        std::uint8_t* pixel = to.at(x, y);
        pixel[0] = byte_of_linear(colour.x);
        pixel[1] = byte_of_linear(colour.y);
        pixel[2] = byte_of_linear(colour.z);
        pixel[3] = static_cast<std::uint8_t>(std::lround(255 * std::min(sum.opacity, 1.0f)));
      }
    }
  });
  return to;
}

// Into [0, 1); numbers without a fraction, infinities included, become 0.
float wrapped(float x) {
  const float rest = x - std::floor(x);
  return rest >= 0 && rest < 1 ? rest : 0;
}

}  // namespace

Texture make_texture(const Pixels& pixels) {
  Texture texture;
  if (pixels.empty()) return texture;
  texture.levels.push_back(pixels);
  while (texture.levels.back().width > 1 || texture.levels.back().height > 1) {
    texture.levels.push_back(halved(texture.levels.back()));
  }
  return texture;
}

Vec4 texture_at(const Texture& texture, const Vec2& uv, float footprint) {
  const float last = static_cast<float>(texture.levels.size() - 1);
  const float level = footprint > 1 ? std::min(std::log2(footprint) + 0.5f, last) : 0;
  const Pixels& pixels = texture.levels[static_cast<std::size_t>(level)];
  // Centres of pixels lie half a pixel in.
  const float x = wrapped(uv.x) * static_cast<float>(pixels.width) - 0.5f;
  const float y = wrapped(uv.y) * static_cast<float>(pixels.height) - 0.5f;
  const int left = static_cast<int>(std::floor(x)), top = static_cast<int>(std::floor(y));
  const float fx = x - static_cast<float>(left), fy = y - static_cast<float>(top);
  const auto around = [](int k, int size) { return k < 0 ? k + size : k >= size ? k - size : k; };
  const int x0 = around(left, pixels.width), x1 = around(left + 1, pixels.width);
  const int y0 = around(top, pixels.height), y1 = around(top + 1, pixels.height);
  Sum sum;
  sum.add(pixels.at(x0, y0), (1 - fx) * (1 - fy));
  sum.add(pixels.at(x1, y0), fx * (1 - fy));
  sum.add(pixels.at(x0, y1), (1 - fx) * fy);
  sum.add(pixels.at(x1, y1), fx * fy);
  const Vec3 colour = sum.plain();
  return {colour.x, colour.y, colour.z, std::min(sum.opacity, 1.0f)};
}

}  // namespace dermis
