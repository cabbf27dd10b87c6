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
  // Where it is fully transparent the colour does not matter.
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

// Into [0, 1]; numbers without a fraction, including infinities, become 0 if pictures repeat.
float wrapped(float x, Wrap wrap) {
  if (wrap == Wrap::clamp) return x > 0 ? std::min(x, 1.0f) : 0;
  const float rest = x - std::floor(x);
  if (!(rest >= 0 && rest < 1)) return 0;
  const bool is_mirrored = wrap == Wrap::mirror && std::fmod(std::floor(x), 2.0f) != 0;
  return is_mirrored ? 1 - rest : rest;
}

// Two neighbouring pixels, and the weight of the second.
struct Between {
  int first, second;
  float share;
};
Between pixels_at(float x, Wrap wrap, int size) {
  // Centres of pixels lie half a pixel in.
  const float place = wrapped(x, wrap) * static_cast<float>(size) - 0.5f;
  const int left = static_cast<int>(std::floor(place));
  // Beyond an edge lies the opposite one, or the edge itself if pictures mirror or clamp.
  const auto inside = [&](int k) {
    if (wrap != Wrap::repeat) return std::clamp(k, 0, size - 1);
    return k < 0 ? k + size : k >= size ? k - size : k;
  };
  return {inside(left), inside(left + 1), place - static_cast<float>(left)};
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

Vec4 texture_at(const Texture& texture, const std::array<Wrap, 2>& wrap, const Vec2& uv, float footprint) {
  const float last = static_cast<float>(texture.levels.size() - 1);
  const float level = footprint > 1 ? std::min(std::log2(footprint) + 0.5f, last) : 0;
  const Pixels& pixels = texture.levels[static_cast<std::size_t>(level)];
  const Between x = pixels_at(uv.x, wrap[0], pixels.width), y = pixels_at(uv.y, wrap[1], pixels.height);
  Sum sum;
  sum.add(pixels.at(x.first, y.first), (1 - x.share) * (1 - y.share));
  sum.add(pixels.at(x.second, y.first), x.share * (1 - y.share));
  sum.add(pixels.at(x.first, y.second), (1 - x.share) * y.share);
  sum.add(pixels.at(x.second, y.second), x.share * y.share);
  const Vec3 colour = sum.plain();
  return {colour.x, colour.y, colour.z, std::min(sum.opacity, 1.0f)};
}

}  // namespace dermis
