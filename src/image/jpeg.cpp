// SPDX-License-Identifier: MIT
// Reads and writes JPEG with libjpeg.
#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
// After cstdio, which it needs.
#include <jpeglib.h>

#include "image/formats.h"

namespace dermis {
namespace {

// As in png.cpp: calls that may jump are in functions that own nothing.
struct JpegFault {
  jpeg_error_mgr manager;  // must be first: libjpeg passes this address back
  std::jmp_buf jump;
  std::array<char, JMSG_LENGTH_MAX> words{};  // of libjpeg
};

[[noreturn]] void give_up(JpegFault& fault) {
  std::longjmp(fault.jump, 1);  // NOLINT(cert-err52-cpp): the only way out of libjpeg
}

void take_error(j_common_ptr codec) {
  auto* fault = reinterpret_cast<JpegFault*>(codec->err);
  codec->err->format_message(codec, fault->words.data());
  give_up(*fault);
}

void ignore_message(j_common_ptr, int) {}
void print_nothing(j_common_ptr) {}

void prepare_fault(JpegFault& fault) {
  jpeg_std_error(&fault.manager);
  fault.manager.error_exit = take_error;
  fault.manager.emit_message = ignore_message;
  fault.manager.output_message = print_nothing;
}

template <class Work>
bool survives(JpegFault& fault, Work work) {
  if (setjmp(fault.jump) != 0) return false;  // NOLINT(cert-err52-cpp)
  work();
  return true;
}

[[noreturn]] void give_up_with(j_decompress_ptr codec, const char* words) {
  auto* fault = reinterpret_cast<JpegFault*>(codec->err);
  std::snprintf(fault->words.data(), fault->words.size(), "%s", words);
  give_up(*fault);
}

// ---- Reading ----

struct JpegReader {
  JpegFault fault;
  jpeg_decompress_struct codec{};
  jpeg_source_mgr source{};
  jpeg_progress_mgr watch{};

  JpegReader() { prepare_fault(fault), codec.err = &fault.manager; }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;
  ~JpegReader() { jpeg_destroy_decompress(&codec); }
};

void start_source(j_decompress_ptr) {}
void end_source(j_decompress_ptr) {}

// libjpeg would invent the missing data.
boolean refuse_more(j_decompress_ptr codec) { give_up_with(codec, "it ends early"); }

void skip_bytes(j_decompress_ptr codec, long count) {
  if (count <= 0) return;
  if (static_cast<std::size_t>(count) > codec->src->bytes_in_buffer) refuse_more(codec);
  codec->src->next_input_byte += count;
  codec->src->bytes_in_buffer -= static_cast<std::size_t>(count);
}

// A scan costs time for every pixel but almost no bytes. Encoders write about ten.
constexpr int kMostScans = 200;
void count_scans(j_common_ptr codec) {
  const auto reader = reinterpret_cast<j_decompress_ptr>(codec);
  if (reader->input_scan_number > kMostScans) give_up_with(reader, "it has too many scans");
}

bool read_header(JpegReader& reader, std::span<const std::byte> bytes) {
  return survives(reader.fault, [&] {
    jpeg_create_decompress(&reader.codec);
    reader.source = {reinterpret_cast<const JOCTET*>(bytes.data()),
                     bytes.size(),
                     start_source,
                     refuse_more,
                     skip_bytes,
                     jpeg_resync_to_restart,
                     end_source};
    reader.codec.src = &reader.source;
    reader.watch.progress_monitor = count_scans;
    reader.codec.progress = &reader.watch;
    jpeg_read_header(&reader.codec, TRUE);
  });
}

// To RGB, or CMYK if there is black ink, whose conversion libjpeg leaves to us.
bool start_reading(JpegReader& reader) {
  return survives(reader.fault, [&] {
    const J_COLOR_SPACE space = reader.codec.jpeg_color_space;
    const bool has_black = space == JCS_CMYK || space == JCS_YCCK;
    reader.codec.out_color_space = has_black ? JCS_CMYK : JCS_RGB;
    jpeg_start_decompress(&reader.codec);
  });
}

bool read_row(JpegReader& reader, std::uint8_t* row) {
  return survives(reader.fault, [&] {
    JSAMPROW rows[] = {row};
    jpeg_read_scanlines(&reader.codec, rows, 1);
  });
}

// Adobe's programs write inverted inks: 255 means no ink.
std::array<std::uint8_t, 4> pixel_of(const std::uint8_t* sample, const jpeg_decompress_struct& codec) {
  if (codec.out_color_space != JCS_CMYK) return {sample[0], sample[1], sample[2], 255};
  const int flip = codec.saw_Adobe_marker != 0 ? 0 : 255;
  const auto light = [&](int ink) { return std::abs(flip - ink); };
  const auto mixed = [&](int ink) {
    return static_cast<std::uint8_t>((light(ink) * light(sample[3]) + 127) / 255);
  };
  return {mixed(sample[0]), mixed(sample[1]), mixed(sample[2]), 255};
}

void append_row(const std::vector<std::uint8_t>& row, const jpeg_decompress_struct& codec, Pixels& pixels) {
  const std::size_t width = static_cast<std::size_t>(codec.output_components);
  for (std::size_t k = 0; k + width <= row.size(); k += width) {
    const std::array<std::uint8_t, 4> pixel = pixel_of(&row[k], codec);
    pixels.rgba.insert(pixels.rgba.end(), pixel.begin(), pixel.end());
  }
}

Error jpeg_fault(const std::string& name, const JpegFault& fault) {
  return Error{Errc::bad_file, name + ": the JPEG cannot be read (" + fault.words.data() + ")"};
}

// ---- Writing ----

struct JpegWriter {
  JpegFault fault;
  jpeg_compress_struct codec{};
  unsigned char* bytes = nullptr;  // allocated by libjpeg with malloc
  unsigned long size = 0;

  JpegWriter() { prepare_fault(fault), codec.err = &fault.manager; }
  JpegWriter(const JpegWriter&) = delete;
  JpegWriter& operator=(const JpegWriter&) = delete;
  ~JpegWriter() {
    jpeg_destroy_compress(&codec);
    std::free(bytes);  // NOLINT(cppcoreguidelines-no-malloc): as jpeg_mem_dest says
  }
};

bool start_writing(JpegWriter& writer, const Pixels& pixels, int quality) {
  return survives(writer.fault, [&] {
    jpeg_create_compress(&writer.codec);
    jpeg_mem_dest(&writer.codec, &writer.bytes, &writer.size);
    writer.codec.image_width = static_cast<JDIMENSION>(pixels.width);
    writer.codec.image_height = static_cast<JDIMENSION>(pixels.height);
    writer.codec.input_components = 3;
    writer.codec.in_color_space = JCS_RGB;
    jpeg_set_defaults(&writer.codec);
    jpeg_set_quality(&writer.codec, quality, TRUE);
    jpeg_start_compress(&writer.codec, TRUE);
  });
}

bool write_row(JpegWriter& writer, std::uint8_t* row) {
  return survives(writer.fault, [&] {
    JSAMPROW rows[] = {row};
    jpeg_write_scanlines(&writer.codec, rows, 1);
  });
}

bool finish_writing(JpegWriter& writer) {
  return survives(writer.fault, [&] { jpeg_finish_compress(&writer.codec); });
}

Error write_fault(const JpegFault& fault) {
  return Error{Errc::bad_argument, std::string("a JPEG cannot be written (") + fault.words.data() + ")"};
}

}  // namespace

Result<Pixels> decode_jpeg(std::span<const std::byte> bytes, const std::string& name,
                           std::uint64_t max_pixels) {
  JpegReader reader;
  if (!read_header(reader, bytes)) return jpeg_fault(name, reader.fault);
  const std::uint64_t width = reader.codec.image_width, height = reader.codec.image_height;
  if (width > max_pixels || height > max_pixels / width) {
    return too_many_pixels(name, width, height, max_pixels);
  }
  if (!start_reading(reader)) return jpeg_fault(name, reader.fault);
  Pixels pixels{static_cast<int>(width), static_cast<int>(height), {}};
  // Reserved memory is not touched before rows arrive, so a short file that declares a large picture costs
  // little.
  pixels.rgba.reserve(4 * width * height);
  std::vector<std::uint8_t> row(width * static_cast<std::size_t>(reader.codec.output_components));
  for (int y = 0; y < pixels.height; ++y) {
    if (!read_row(reader, row.data())) return jpeg_fault(name, reader.fault);
    append_row(row, reader.codec, pixels);
  }
  return pixels;
}

Result<std::vector<std::byte>> encode_jpeg(const Pixels& pixels, int quality) {
  return without_throwing("writing a JPEG", [&]() -> Result<std::vector<std::byte>> {
    if (const Status checked = check_pixels(pixels); !checked) return checked.error();
    if (quality < 1 || quality > 100) {
      return Error{Errc::bad_argument, "the quality of a JPEG is 1 to 100, not " + std::to_string(quality)};
    }
    JpegWriter writer;
    if (!start_writing(writer, pixels, quality)) return write_fault(writer.fault);
    std::vector<std::uint8_t> row(3 * static_cast<std::size_t>(pixels.width));
    for (int y = 0; y < pixels.height; ++y) {
      for (int x = 0; x < pixels.width; ++x) {
        std::copy_n(pixels.at(x, y), 3, &row[3 * static_cast<std::size_t>(x)]);
      }
      if (!write_row(writer, row.data())) return write_fault(writer.fault);
    }
    if (!finish_writing(writer)) return write_fault(writer.fault);
    const auto* first = reinterpret_cast<const std::byte*>(writer.bytes);
    return std::vector<std::byte>(first, first + writer.size);
  });
}

}  // namespace dermis
