// SPDX-License-Identifier: MIT
// Pictures as pixels, and PNG and JPEG in and out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dermis/base.h"

namespace dermis {

// Red, green, blue and opacity of each pixel, a byte each: sRGB, opacity not multiplied in, the top row
// first.
struct Pixels {
  int width = 0, height = 0;       // at least 0
  std::vector<std::uint8_t> rgba;  // width * height * 4

  bool empty() const { return rgba.empty(); }
  std::uint8_t* at(int x, int y) { return rgba.data() + offset(x, y); }
  const std::uint8_t* at(int x, int y) const { return rgba.data() + offset(x, y); }

 private:
  std::size_t offset(int x, int y) const {
    return 4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x));
  }
};
// All of one colour.
Pixels blank_pixels(int width, int height, std::uint8_t red, std::uint8_t green, std::uint8_t blue);

// A PNG (any depth, palette, grey, interlaced) or JPEG (grey, YCbCr, CMYK), told apart by its first bytes.
// `name` stands in sentences. Refuses what is neither or broken, and more pixels than `max_pixels`, before
// they are allocated.
inline constexpr std::uint64_t kMaxPixels = std::uint64_t{1} << 28;
Result<Pixels> decode_image(std::span<const std::byte> bytes, const std::string& name,
                            std::uint64_t max_pixels = kMaxPixels);

// As RGB when every pixel is opaque, else as RGBA. Same pixels, same bytes.
Result<std::vector<std::byte>> encode_png(const Pixels& pixels);
// Without opacity; quality 1 to 100.
Result<std::vector<std::byte>> encode_jpeg(const Pixels& pixels, int quality = 90);

}  // namespace dermis
