// SPDX-License-Identifier: MIT
// A PNG or JPEG from anyone: pixels of the size they say, or an Error of one sentence.
#include "character_fuzz.h"
#include "dermis/image.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dermis;
  constexpr std::uint64_t kMostPixels = std::uint64_t{1} << 20;
  const Result<Pixels> pixels =
      decode_image({reinterpret_cast<const std::byte*>(data), size}, "fuzz.png", kMostPixels);
  if (!pixels) {
    fuzz::require_sentence(pixels.error());
    return 0;
  }
  const std::size_t count =
      static_cast<std::size_t>(pixels->width) * static_cast<std::size_t>(pixels->height);
  fuzz::require(count > 0 && count <= kMostPixels, "a picture has pixels, and no more than allowed");
  fuzz::require(pixels->rgba.size() == 4 * count, "there are four bytes for each pixel");
  const Result<std::vector<std::byte>> png = encode_png(*pixels);
  fuzz::require(png.ok(), "what was read can be written", png ? "" : png.error().sentence);
  const Result<Pixels> again = decode_image(*png, "again.png", kMostPixels);
  fuzz::require(again && again->rgba == pixels->rgba, "what was written is read again");
  return 0;
}
