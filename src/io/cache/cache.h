// SPDX-License-Identifier: MIT
// What the readers and writers of vertex caches share.
#pragma once

#include <string>

#include "dermis/io.h"

namespace dermis {

// How a .pc2 places its frames in time.
struct FrameSpacing {
  float first = 0;     // in frames
  double seconds = 1;  // between frames
  bool is_even = true;
};
FrameSpacing spacing_of(std::span<const float> times);

// The bytes before the frames of a .pc2 or .mdd.
std::string pc2_header(std::size_t point_count, std::span<const float> times);
std::string mdd_header(std::size_t point_count, std::span<const float> times);
// Reverses the bytes of each number: .mdd is big endian.
void swap_bytes(std::span<float> numbers);

Result<CacheAsset> read_pc2(std::span<const std::byte> bytes, const std::string& path,
                            const CacheOptions& options);
Result<CacheAsset> read_mdd(std::span<const std::byte> bytes, const std::string& path,
                            const CacheOptions& options);
Result<CacheAsset> read_f32(std::span<const std::byte> bytes, const std::string& path,
                            const CacheOptions& options);
// The files of a sequence by number; none if there is no such file.
std::vector<std::string> files_of_sequence(const std::string& path);
Result<CacheAsset> read_sequence(const std::string& path, const CacheOptions& options,
                                 const Progress& progress);

// `count` times from `first_frame` on, at options.fps or kDefaultFps.
std::vector<float> frame_times(std::size_t count, double first_frame, double step,
                               const CacheOptions& options);
// Notes once that kDefaultFps is assumed, if no rate was given.
void note_guessed_rate(const CacheOptions& options, Notes& notes);
// The first number that is not finite, as an Error that names frame and point.
Status check_frames(const PointCache& cache, const std::string& path);

}  // namespace dermis
