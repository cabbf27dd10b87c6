// SPDX-License-Identifier: MIT
// Pictures as pixels; reading and writing PNG and JPEG.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dermis/base.h"

namespace dermis {

// Red, green, blue and opacity of each pixel, one byte each: sRGB, opacity not premultiplied, top row first.
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
// True if all pixels are equal; also true if there are none.
bool is_one_colour(const Pixels& pixels);
// Opaque pixels of one colour.
Pixels blank_pixels(int width, int height, std::uint8_t red, std::uint8_t green, std::uint8_t blue);

// A PNG (any depth, indexed colour, grey, interlaced) or JPEG (grey, YCbCr, CMYK), identified by its first
// bytes. `name` is used in error sentences. Refuses other or broken files, and images with more than
// `max_pixels` pixels before allocating them.
inline constexpr std::uint64_t kMaxPixels = std::uint64_t{1} << 28;
Result<Pixels> decode_image(std::span<const std::byte> bytes, const std::string& name,
                            std::uint64_t max_pixels = kMaxPixels);

// As RGB if every pixel is opaque, otherwise as RGBA. The same pixels give the same bytes.
Result<std::vector<std::byte>> encode_png(const Pixels& pixels);
// Without opacity; quality 1 to 100.
Result<std::vector<std::byte>> encode_jpeg(const Pixels& pixels, int quality = 90);

}  // namespace dermis
