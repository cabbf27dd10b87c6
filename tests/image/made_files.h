// SPDX-License-Identifier: MIT
// PNG and JPEG files of kinds that dermis does not write itself, and pictures to put into them.
#pragma once

#include <png.h>

#include <cstdio>
#include <cstdlib>
#include <vector>
// After cstdio, which it needs.
#include <jpeglib.h>

#include "characters.h"
#include "dermis/image.h"

namespace dermis::test {

using Bytes = std::vector<std::byte>;

inline Pixels random_pixels(unsigned seed, int width, int height, bool is_opaque) {
  Random random(seed);
  Pixels pixels = blank_pixels(width, height, 0, 0, 0);
  for (std::size_t k = 0; k < pixels.rgba.size(); ++k) {
    if (is_opaque && k % 4 == 3) continue;
    pixels.rgba[k] = static_cast<std::uint8_t>(random.below(256));
  }
  return pixels;
}

struct PngKind {
  int width = 1, height = 1, depth = 8;
  int colour_type = PNG_COLOR_TYPE_RGB;
  bool is_interlaced = false;
  std::vector<png_color> palette{};
  std::vector<std::uint8_t> palette_opacity{};
};

inline void append_png_bytes(png_structp png, png_bytep from, std::size_t count) {
  auto* bytes = static_cast<Bytes*>(png_get_io_ptr(png));
  const auto* first = reinterpret_cast<const std::byte*>(from);
  bytes->insert(bytes->end(), first, first + count);
}

// `rows` as libpng packs them, one after the other. Faults of libpng end the program.
inline Bytes made_png(const PngKind& kind, std::vector<std::uint8_t> rows) {
  Bytes bytes;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(png, &bytes, append_png_bytes, nullptr);
  png_set_IHDR(png, info, static_cast<png_uint_32>(kind.width), static_cast<png_uint_32>(kind.height),
               kind.depth, kind.colour_type, kind.is_interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (!kind.palette.empty())
    png_set_PLTE(png, info, kind.palette.data(), static_cast<int>(kind.palette.size()));
  if (!kind.palette_opacity.empty()) {
    png_set_tRNS(png, info, kind.palette_opacity.data(), static_cast<int>(kind.palette_opacity.size()),
                 nullptr);
  }
  png_write_info(png, info);
  const std::size_t row_bytes = rows.size() / static_cast<std::size_t>(kind.height);
  std::vector<png_bytep> pointers;
  for (int y = 0; y < kind.height; ++y) pointers.push_back(&rows[static_cast<std::size_t>(y) * row_bytes]);
  png_write_image(png, pointers.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return bytes;
}

// One colour all over, in samples of `space`.
inline Bytes made_jpeg(J_COLOR_SPACE space, std::vector<std::uint8_t> sample, int side, bool is_progressive,
                       bool has_adobe_marker) {
  jpeg_compress_struct codec;
  jpeg_error_mgr errors;
  codec.err = jpeg_std_error(&errors);
  jpeg_create_compress(&codec);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&codec, &memory, &size);
  codec.image_width = codec.image_height = static_cast<JDIMENSION>(side);
  codec.input_components = static_cast<int>(sample.size());
  codec.in_color_space = space;
  jpeg_set_defaults(&codec);
  jpeg_set_quality(&codec, 100, TRUE);
  codec.write_Adobe_marker = has_adobe_marker ? TRUE : FALSE;
  if (is_progressive) jpeg_simple_progression(&codec);
  jpeg_start_compress(&codec, TRUE);
  std::vector<std::uint8_t> row;
  for (int x = 0; x < side; ++x) row.insert(row.end(), sample.begin(), sample.end());
  for (int y = 0; y < side; ++y) {
    JSAMPROW rows[] = {row.data()};
    jpeg_write_scanlines(&codec, rows, 1);
  }
  jpeg_finish_compress(&codec);
  jpeg_destroy_compress(&codec);
  const auto* first = reinterpret_cast<const std::byte*>(memory);
  Bytes bytes(first, first + size);
  std::free(memory);
  return bytes;
}

}  // namespace dermis::test
