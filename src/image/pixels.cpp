// SPDX-License-Identifier: MIT
// Pixels of one colour, and the choice of decoder.
#include <algorithm>
#include <array>

#include "image/formats.h"

namespace dermis {
namespace {

bool starts_with(std::span<const std::byte> bytes, std::span<const std::uint8_t> mark) {
  return bytes.size() >= mark.size() &&
         std::equal(mark.begin(), mark.end(), bytes.begin(),
                    [](std::uint8_t a, std::byte b) { return std::byte{a} == b; });
}

constexpr std::array<std::uint8_t, 8> kPngMark{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
constexpr std::array<std::uint8_t, 3> kJpegMark{0xff, 0xd8, 0xff};

}  // namespace

bool is_one_colour(const Pixels& pixels) {
  for (std::size_t k = 4; k < pixels.rgba.size(); k += 4) {
    if (!std::equal(&pixels.rgba[k], &pixels.rgba[k] + 4, pixels.rgba.data())) return false;
  }
  return true;
}

Pixels blank_pixels(int width, int height, std::uint8_t red, std::uint8_t green, std::uint8_t blue) {
  assert(width >= 0 && height >= 0);
  Pixels pixels{width, height, {}};
  const std::size_t count = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  pixels.rgba.resize(4 * count);
  const std::array<std::uint8_t, 4> colour{red, green, blue, 255};
  for (std::size_t k = 0; k < count; ++k) std::copy(colour.begin(), colour.end(), &pixels.rgba[4 * k]);
  return pixels;
}

Result<Pixels> decode_image(std::span<const std::byte> bytes, const std::string& name,
                            std::uint64_t max_pixels) {
  return without_throwing(name, [&]() -> Result<Pixels> {
    if (starts_with(bytes, kPngMark)) return decode_png(bytes, name, max_pixels);
    if (starts_with(bytes, kJpegMark)) return decode_jpeg(bytes, name, max_pixels);
    if (bytes.empty()) return Error{Errc::bad_file, name + ": the picture is empty"};
    return Error{Errc::unsupported, name + ": neither PNG nor JPEG; convert the picture to one of them"};
  });
}

Error too_many_pixels(const std::string& name, std::uint64_t width, std::uint64_t height,
                      std::uint64_t max_pixels) {
  return Error{Errc::too_large, name + ": " + std::to_string(width) + " x " + std::to_string(height) +
                                    " pixels are more than the " + std::to_string(max_pixels) +
                                    " allowed; make the picture smaller"};
}

Status check_pixels(const Pixels& pixels) {
  const std::size_t count =
      4 * static_cast<std::size_t>(pixels.width) * static_cast<std::size_t>(pixels.height);
  if (pixels.width <= 0 || pixels.height <= 0 || pixels.rgba.size() != count) {
    return Error{Errc::bad_argument, "a picture without pixels cannot be written"};
  }
  return Done{};
}

}  // namespace dermis
