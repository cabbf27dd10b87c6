// SPDX-License-Identifier: MIT
// Writes .pc2 and .mdd, whole or frame by frame.
#include <fmt/format.h>
#include <unistd.h>

#include <bit>
#include <cassert>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <utility>

#include "io/cache/cache.h"
#include "io/file.h"

namespace dermis {
namespace {

template <class Number>
void append(std::string& out, Number number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}
void append_big(std::string& out, std::uint32_t number) { append(out, __builtin_bswap32(number)); }

bool is_mdd(const std::string& path) { return extension_of(path) == ".mdd"; }

// Both formats count with 32 bits, .pc2 with a sign.
Status check_counts(const std::string& path, std::size_t points, std::size_t frames) {
  constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();
  if (extension_of(path) != ".pc2" && !is_mdd(path))
    return Error{Errc::unsupported, fmt::format("{}: caches are written as .pc2 or .mdd", path)};
  if (points > 0 && points <= kMost && frames > 0 && frames <= kMost) return Done{};
  return Error{Errc::too_large,
               fmt::format("{}: {} frames of {} points are too many for this format", path, frames, points)};
}

std::string header_for(const std::string& path, std::size_t points, std::span<const float> times) {
  return is_mdd(path) ? mdd_header(points, times) : pc2_header(points, times);
}

// The bytes of one frame as the file stores them; `scratch` contains them if they must be swapped.
std::span<const std::byte> frame_bytes(std::span<const Vec3> frame, bool is_big, std::vector<Vec3>& scratch) {
  if (!is_big) return std::as_bytes(frame);
  scratch.assign(frame.begin(), frame.end());
  swap_bytes({&scratch[0].x, 3 * scratch.size()});
  return std::as_bytes(std::span<const Vec3>(scratch));
}

}  // namespace

FrameSpacing spacing_of(std::span<const float> times) {
  FrameSpacing spacing;
  if (times.size() > 1) {
    spacing.seconds = (static_cast<double>(times.back()) - static_cast<double>(times.front())) /
                      static_cast<double>(times.size() - 1);
  } else {
    spacing.seconds = 1 / kDefaultFps;
  }
  // Times are floats: if they deviate by more than rounding, they are not evenly spaced.
  const double rounding = 4e-7 * std::max(std::abs(static_cast<double>(times.front())),
                                          std::abs(static_cast<double>(times.back())));
  for (std::size_t k = 0; k < times.size(); ++k) {
    const double even = static_cast<double>(times.front()) + static_cast<double>(k) * spacing.seconds;
    spacing.is_even = spacing.is_even && std::abs(static_cast<double>(times[k]) - even) <= rounding;
  }
  spacing.first = static_cast<float>(static_cast<double>(times.front()) / spacing.seconds);
  return spacing;
}

std::string pc2_header(std::size_t point_count, std::span<const float> times) {
  std::string header("POINTCACHE2\0", 12);
  append(header, std::int32_t{1});
  append(header, static_cast<std::int32_t>(point_count));
  append(header, spacing_of(times).first);
  append(header, 1.0f);
  append(header, static_cast<std::int32_t>(times.size()));
  return header;
}

std::string mdd_header(std::size_t point_count, std::span<const float> times) {
  std::string header;
  append_big(header, static_cast<std::uint32_t>(times.size()));
  append_big(header, static_cast<std::uint32_t>(point_count));
  for (const float time : times) append_big(header, std::bit_cast<std::uint32_t>(time));
  return header;
}

Result<Notes> save_cache(const std::string& path, const PointCache& cache) {
  return without_throwing(path, [&]() -> Result<Notes> {
    if (Status good = check_counts(path, cache.point_count, cache.frame_count()); !good) return good.error();
    assert(cache.points.size() == cache.point_count * cache.frame_count());
    std::vector<Vec3> scratch;
    const std::string header = header_for(path, cache.point_count, cache.times);
    const std::span<const std::byte> pieces[] = {bytes_of(header),
                                                 frame_bytes(cache.points, is_mdd(path), scratch)};
    FileSet files;
    if (Status added = files.add(path, pieces); !added) return added.error();
    if (Status committed = files.commit(); !committed) return committed.error();
    return lost_times(path, cache.times);
  });
}

Notes lost_times(const std::string& path, std::span<const float> times) {
  if (is_mdd(path)) return {};
  const FrameSpacing spacing = spacing_of(times);
  if (!spacing.is_even) {
    return {{Note::Kind::loss, "times-uneven",
             fmt::format("{}: PC2 stores only evenly spaced frames; the times were lost (.mdd stores them)",
                         path)}};
  }
  constexpr double kSameRate = 1e-3;  // in frames per second: times are floats
  const double fps = 1 / spacing.seconds;
  if (times.size() < 2 || std::abs(fps - kDefaultFps) < kSameRate) return {};
  return {Note{Note::Kind::loss, "rate-dropped",
               fmt::format("{}: PC2 counts frames: these are {:g} per second", path, fps)}
              .with_remedy("fps_of_reader", fmt::format("{:g}", fps))};
}

// ---- Frame by frame -----------------------------------------------------------------------------------

// The file is open only while something is written: a scene may have more meshes than a program may open
// files.
struct CacheWriter::State {
  std::string path;
  std::size_t point_count = 0, frames_left = 0;
  std::vector<Vec3> scratch;

  Status write(std::span<const std::byte> bytes, const char* mode) const {
    std::FILE* const file = std::fopen(path.c_str(), mode);
    if (file == nullptr) return failed();
    bool is_written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    // Full disks and quotas of network folders are reported only here.
    is_written = is_written && std::fflush(file) == 0 &&
                 (frames_left > 0 || ::fsync(::fileno(file)) == 0 || errno == EINVAL);
    const int reason = errno;
    const bool is_closed = std::fclose(file) == 0;
    if (is_written && is_closed) return Done{};
    errno = is_written ? errno : reason;
    return failed();
  }

 private:
  Error failed() const {
    return {Errc::unreadable, fmt::format("{}: cannot write: {}", path, std::strerror(errno))};
  }
};

CacheWriter::CacheWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
CacheWriter::CacheWriter(CacheWriter&&) noexcept = default;
CacheWriter& CacheWriter::operator=(CacheWriter&&) noexcept = default;
CacheWriter::~CacheWriter() = default;

Result<CacheWriter> CacheWriter::create(const std::string& path, std::size_t point_count,
                                        std::span<const float> times) {
  return without_throwing(path, [&]() -> Result<CacheWriter> {
    if (Status good = check_counts(path, point_count, times.size()); !good) return good.error();
    auto state = std::make_unique<State>();
    state->path = path;
    state->point_count = point_count;
    state->frames_left = times.size();
    const std::string header = header_for(path, point_count, times);
    if (Status written = state->write(bytes_of(header), "wb"); !written) return written.error();
    return CacheWriter(std::move(state));
  });
}

Status CacheWriter::add(std::span<const Vec3> frame) {
  assert(frame.size() == state_->point_count && state_->frames_left > 0);
  --state_->frames_left;
  return without_throwing(state_->path, [&]() -> Status {
    return state_->write(frame_bytes(frame, is_mdd(state_->path), state_->scratch), "ab");
  });
}

Status CacheWriter::close() {
  assert(state_->frames_left == 0);
  return Done{};  // the last frame has reached the disk
}

}  // namespace dermis
