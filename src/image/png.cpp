// SPDX-License-Identifier: MIT
// Reads and writes PNG with libpng.
#include <png.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstring>

#include "image/formats.h"

namespace dermis {
namespace {

// libpng reports errors by longjmp. Every call into it is in a function that sets the jump and owns nothing
// that needs destruction; such objects live in the caller.
struct PngFault {
  std::jmp_buf jump;
  std::array<char, 80> words{};  // of libpng
};

void take_error(png_structp png, png_const_charp words) {
  auto* fault = static_cast<PngFault*>(png_get_error_ptr(png));
  std::strncpy(fault->words.data(), words, fault->words.size() - 1);
  std::longjmp(fault->jump, 1);  // NOLINT(cert-err52-cpp): the only way out of libpng
}

void ignore_warning(png_structp, png_const_charp) {}

// False if libpng gave up. `work` must not own anything.
template <class Work>
bool survives(PngFault& fault, Work work) {
  if (setjmp(fault.jump) != 0) return false;  // NOLINT(cert-err52-cpp)
  work();
  return true;
}

// ---- Reading ----

struct PngReader {
  PngFault fault;
  std::span<const std::byte> left;
  png_structp png = nullptr;
  png_infop info = nullptr;

  explicit PngReader(std::span<const std::byte> bytes) : left(bytes) {
    png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &fault, take_error, ignore_warning);
    if (png != nullptr) info = png_create_info_struct(png);
  }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
};

void read_bytes(png_structp png, png_bytep out, std::size_t count) {
  auto* reader = static_cast<PngReader*>(png_get_io_ptr(png));
  if (count > reader->left.size()) png_error(png, "it ends early");
  std::memcpy(out, reader->left.data(), count);
  reader->left = reader->left.subspan(count);
}

// Sides that fit into an int are checked by decode_png, which has the better error sentence.
constexpr png_uint_32 kMostSide = 0x7fffffff;

bool read_header(PngReader& reader) {
  return survives(reader.fault, [&] {
    png_set_read_fn(reader.png, &reader, read_bytes);
    png_set_user_limits(reader.png, kMostSide, kMostSide);
    png_read_info(reader.png, reader.info);
  });
}

// Converts any file to RGBA with eight bits each. Returns the number of interlacing passes, or 0.
int ask_for_rgba(PngReader& reader) {
  int passes = 0;
  const bool is_asked = survives(reader.fault, [&] {
    png_set_expand(reader.png);
    png_set_scale_16(reader.png);
    png_set_gray_to_rgb(reader.png);
    png_set_add_alpha(reader.png, 0xff, PNG_FILLER_AFTER);
    passes = png_set_interlace_handling(reader.png);
    png_read_update_info(reader.png, reader.info);
  });
  return is_asked ? passes : 0;
}

bool read_row(PngReader& reader, std::uint8_t* row) {
  return survives(reader.fault, [&] { png_read_row(reader.png, row, nullptr); });
}

// Deflate packs at most 1032 bytes into one: a file that declares more is truncated or was never complete,
// and is refused before memory is allocated for it.
constexpr std::uint64_t kMostDeflated = 1032;
bool can_hold(std::size_t file_size, std::uint64_t row_bytes, std::uint64_t rows) {
  return row_bytes * rows <= kMostDeflated * file_size;
}

Error png_fault(const std::string& name, const PngFault& fault) {
  return Error{Errc::bad_file, name + ": the PNG cannot be read (" + fault.words.data() + ")"};
}

// ---- Writing ----

struct PngWriter {
  PngFault fault;
  std::vector<std::byte> bytes;
  png_structp png = nullptr;
  png_infop info = nullptr;

  PngWriter() {
    png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &fault, take_error, ignore_warning);
    if (png != nullptr) info = png_create_info_struct(png);
  }
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;
  ~PngWriter() { png_destroy_write_struct(&png, &info); }
};

bool append(std::vector<std::byte>& bytes, const png_byte* from, std::size_t count) noexcept {
  try {
    const auto* first = reinterpret_cast<const std::byte*>(from);
    bytes.insert(bytes.end(), first, first + count);
    return true;
  } catch (...) {
    return false;
  }
}

void write_bytes(png_structp png, png_bytep from, std::size_t count) {
  auto* writer = static_cast<PngWriter*>(png_get_io_ptr(png));
  if (!append(writer->bytes, from, count)) png_error(png, "out of memory");
}

bool write_header(PngWriter& writer, const Pixels& pixels, bool is_opaque) {
  return survives(writer.fault, [&] {
    png_set_write_fn(writer.png, &writer, write_bytes, nullptr);
    png_set_user_limits(writer.png, kMostSide, kMostSide);
    png_set_IHDR(writer.png, writer.info, static_cast<png_uint_32>(pixels.width),
                 static_cast<png_uint_32>(pixels.height), 8,
                 is_opaque ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGBA, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB_gAMA_and_cHRM(writer.png, writer.info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(writer.png, writer.info);
    if (is_opaque) png_set_filler(writer.png, 0, PNG_FILLER_AFTER);
  });
}

bool write_rows(PngWriter& writer, const Pixels& pixels) {
  return survives(writer.fault, [&] {
    for (int y = 0; y < pixels.height; ++y) png_write_row(writer.png, pixels.at(0, y));
    png_write_end(writer.png, writer.info);
  });
}

bool is_opaque(const Pixels& pixels) {
  for (std::size_t k = 3; k < pixels.rgba.size(); k += 4) {
    if (pixels.rgba[k] != 255) return false;
  }
  return true;
}

}  // namespace

Result<Pixels> decode_png(std::span<const std::byte> bytes, const std::string& name,
                          std::uint64_t max_pixels) {
  PngReader reader(bytes);
  if (reader.info == nullptr) return Error{Errc::too_large, name + ": not enough memory to read the picture"};
  if (!read_header(reader)) return png_fault(name, reader.fault);
  const std::uint64_t width = png_get_image_width(reader.png, reader.info);
  const std::uint64_t height = png_get_image_height(reader.png, reader.info);
  if (width > max_pixels || height > max_pixels / width) {
    return too_many_pixels(name, width, height, max_pixels);
  }
  if (!can_hold(bytes.size(), png_get_rowbytes(reader.png, reader.info), height)) {
    return Error{Errc::bad_file, name + ": the PNG cannot be read (it ends early)"};
  }
  const int passes = ask_for_rgba(reader);
  if (passes == 0) return png_fault(name, reader.fault);
  Pixels pixels{static_cast<int>(width), static_cast<int>(height), {}};
  pixels.rgba.resize(4 * width * height);
  for (int pass = 0; pass < passes; ++pass) {
    for (int y = 0; y < pixels.height; ++y) {
      if (!read_row(reader, pixels.at(0, y))) return png_fault(name, reader.fault);
    }
  }
  return pixels;
}

Result<std::vector<std::byte>> encode_png(const Pixels& pixels) {
  return without_throwing("writing a PNG", [&]() -> Result<std::vector<std::byte>> {
    if (const Status checked = check_pixels(pixels); !checked) return checked.error();
    PngWriter writer;
    if (writer.info == nullptr) return Error{Errc::too_large, "not enough memory to write a PNG"};
    if (!write_header(writer, pixels, is_opaque(pixels)) || !write_rows(writer, pixels)) {
      return Error{Errc::too_large,
                   std::string("a PNG cannot be written (") + writer.fault.words.data() + ")"};
    }
    return std::move(writer.bytes);
  });
}

}  // namespace dermis
