// SPDX-License-Identifier: MIT
// Reads .pc2, .mdd and raw float frames; checks every declared size against the available bytes.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "io/cache/cache.h"
#include "io/file.h"

namespace dermis {
namespace {

static_assert(std::endian::native == std::endian::little, "caches are read as little-endian memory");

constexpr char kPc2Mark[12] = "POINTCACHE2";
constexpr std::size_t kPc2HeaderBytes = 32, kMddHeaderBytes = 8;

Error fault(const std::string& path, const std::string& sentence) {
  return {Errc::bad_file, fmt::format("{}: {}", path, sentence)};
}

template <class Number>
Number load_number(std::span<const std::byte> bytes, std::size_t at) {
  Number number{};
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

std::uint32_t load_big(std::span<const std::byte> bytes, std::size_t at) {
  return __builtin_bswap32(load_number<std::uint32_t>(bytes, at));
}

// Copies frames out of `body`, which must contain them; notes leftover bytes.
Status copy_frames(std::span<const std::byte> body, std::size_t frames, const std::string& path,
                   const CacheOptions& options, CacheAsset& asset) {
  const std::size_t points = asset.cache.point_count, size = sizeof(Vec3);
  if (points == 0 || frames == 0) return fault(path, "has no points");
  if (points > std::size_t{std::numeric_limits<Index>::max()} || points > body.size() / size ||
      frames > body.size() / (points * size)) {
    return fault(path, fmt::format("cut short: {} frames of {} points are announced, {} bytes follow", frames,
                                   points, body.size()));
  }
  if (points * frames > options.max_memory / size) {
    return over_memory(
        fmt::format("{}: its {} frames of {} points need more memory than allowed", path, frames, points));
  }
  asset.cache.points.resize(points * frames);
  std::memcpy(asset.cache.points.data(), body.data(), points * frames * size);
  if (body.size() > points * frames * size) {
    asset.notes.push_back({Note::Kind::info, "rows-left-over",
                           fmt::format("{} ignored", counted(body.size() - points * frames * size,
                                                             "byte after the last frame was",
                                                             "bytes after the last frame were"))});
  }
  return Done{};
}

// Times that do not increase cannot be keys.
void mend_times(CacheAsset& asset, const CacheOptions& options) {
  std::vector<float>& times = asset.cache.times;
  bool is_rising = std::isfinite(times[0]);
  for (std::size_t k = 1; k < times.size(); ++k)
    is_rising = is_rising && std::isfinite(times[k]) && times[k] > times[k - 1];
  if (is_rising) return;
  asset.notes.push_back({Note::Kind::repair, "times-not-rising",
                         "the times of its frames do not increase; the frames were spaced evenly instead"});
  note_guessed_rate(options, asset.notes);
  times = frame_times(times.size(), 0, 1, options);
}

}  // namespace

void swap_bytes(std::span<float> numbers) {
  for (float& number : numbers)
    number = std::bit_cast<float>(__builtin_bswap32(std::bit_cast<std::uint32_t>(number)));
}

void note_guessed_rate(const CacheOptions& options, Notes& notes) {
  const auto is_said = [](const Note& note) { return note.id == "fps-guessed"; };
  if (options.fps || std::any_of(notes.begin(), notes.end(), is_said)) return;
  notes.push_back(
      Note{Note::Kind::guess, "fps-guessed",
           fmt::format("it counts frames and does not state a rate; {} per second are assumed", kDefaultFps)}
          .with_remedy("fps"));
}

std::vector<float> frame_times(std::size_t count, double first_frame, double step,
                               const CacheOptions& options) {
  const double fps = options.fps.value_or(kDefaultFps);
  std::vector<float> times(count);
  for (std::size_t k = 0; k < count; ++k)
    times[k] = static_cast<float>((first_frame + static_cast<double>(k) * step) / fps);
  return times;
}

Status check_frames(const PointCache& cache, const std::string& path) {
  const auto is_bad = [](const Vec3& point) { return !is_finite(point); };
  const auto bad = std::find_if(cache.points.begin(), cache.points.end(), is_bad);
  if (bad == cache.points.end()) return Done{};
  const auto at = static_cast<std::size_t>(bad - cache.points.begin());
  return fault(path, fmt::format("point {} of frame {} is not finite", at % cache.point_count,
                                 at / cache.point_count));
}

// "POINTCACHE2\0", version, points, first frame, frames between samples, samples; then float x, y, z.
Result<CacheAsset> read_pc2(std::span<const std::byte> bytes, const std::string& path,
                            const CacheOptions& options) {
  if (bytes.size() < kPc2HeaderBytes || std::memcmp(bytes.data(), kPc2Mark, sizeof kPc2Mark) != 0)
    return fault(path, "is not a PC2 file: it does not start with POINTCACHE2");
  const auto version = load_number<std::int32_t>(bytes, 12);
  if (version != 1)
    return Error{Errc::unsupported,
                 fmt::format("{}: is PC2 version {}; only version 1 can be read", path, version)};
  const auto points = load_number<std::int32_t>(bytes, 16), frames = load_number<std::int32_t>(bytes, 28);
  const auto first = load_number<float>(bytes, 20), step = load_number<float>(bytes, 24);
  if (points < 0 || frames < 0) return fault(path, "has a negative count");
  CacheAsset asset;
  asset.cache.point_count = static_cast<std::size_t>(points);
  const auto count = static_cast<std::size_t>(frames);
  if (Status good = copy_frames(bytes.subspan(kPc2HeaderBytes), count, path, options, asset); !good)
    return good.error();
  if (Status good = check_frames(asset.cache, path); !good) return good.error();
  note_guessed_rate(options, asset.notes);
  asset.cache.times = frame_times(count, static_cast<double>(first), static_cast<double>(step), options);
  mend_times(asset, options);
  return asset;
}

// Big endian: frames, points, a time in seconds for each frame; then float x, y, z.
Result<CacheAsset> read_mdd(std::span<const std::byte> bytes, const std::string& path,
                            const CacheOptions& options) {
  if (bytes.size() < kMddHeaderBytes) return fault(path, "is too short for an MDD file");
  const std::size_t frames = load_big(bytes, 0);
  CacheAsset asset;
  asset.cache.point_count = load_big(bytes, 4);
  const std::span<const std::byte> body = bytes.subspan(kMddHeaderBytes);
  if (frames > body.size() / sizeof(float))
    return fault(path, fmt::format("cut short: {} frames are announced (or it is not an MDD file)", frames));
  const std::size_t time_bytes = frames * sizeof(float);
  if (Status good = copy_frames(body.subspan(time_bytes), frames, path, options, asset); !good)
    return good.error();
  asset.cache.times.resize(frames);
  std::memcpy(asset.cache.times.data(), body.data(), time_bytes);
  swap_bytes(asset.cache.times);
  swap_bytes({&asset.cache.points[0].x, 3 * asset.cache.points.size()});
  if (Status good = check_frames(asset.cache, path); !good) return good.error();
  mend_times(asset, options);
  return asset;
}

Result<CacheAsset> read_f32(std::span<const std::byte> bytes, const std::string& path,
                            const CacheOptions& options) {
  if (options.point_count == 0) {
    return Error{
        Errc::usage,
        fmt::format("{}: does not state how many points a frame has; it needs the mesh it moves", path)}
        .with_remedy("cache", path);
  }
  const std::size_t frame_bytes = options.point_count * sizeof(Vec3);
  if (options.point_count > std::size_t{std::numeric_limits<Index>::max()} || bytes.empty() ||
      bytes.size() % frame_bytes != 0) {
    return fault(path, fmt::format("its {} bytes are not a whole number of frames of {} points; is it cut "
                                   "short, or for another mesh?",
                                   bytes.size(), options.point_count));
  }
  CacheAsset asset;
  asset.cache.point_count = options.point_count;
  const std::size_t frames = bytes.size() / frame_bytes;
  if (Status good = copy_frames(bytes, frames, path, options, asset); !good) return good.error();
  if (Status good = check_frames(asset.cache, path); !good) return good.error();
  note_guessed_rate(options, asset.notes);
  asset.cache.times = frame_times(frames, 0, 1, options);
  return asset;
}

}  // namespace dermis
