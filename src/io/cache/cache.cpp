// SPDX-License-Identifier: MIT
// Chooses the reader of a cache.
#include "io/cache/cache.h"

#include <fmt/format.h>

#include "io/file.h"
#include "io/still_character.h"

namespace dermis {
namespace {

using CacheReader = Result<CacheAsset> (*)(std::span<const std::byte>, const std::string&,
                                           const CacheOptions&);

CacheReader cache_reader(const std::string& path) {
  const std::string extension = extension_of(path);
  if (extension == ".pc2") return read_pc2;
  if (extension == ".mdd") return read_mdd;
  return extension == ".f32" ? read_f32 : nullptr;
}

Error unknown_cache(const std::string& path) {
  return {Errc::unsupported,
          fmt::format("{}: caches are read from .pc2, .mdd, .f32 and sequences such as walk_####.obj", path)};
}

Status check_fps(const CacheOptions& options) {
  if (!options.fps || (*options.fps > 0 && *options.fps <= kMaxFps)) return Done{};
  return Error{Errc::usage,
               fmt::format("{} frames per second; give a number above 0, up to {}", *options.fps, kMaxFps)};
}

// Rotated as `load` rotates the meshes that such frames move.
Result<CacheAsset> standing(Result<CacheAsset> asset, const CacheOptions& options) {
  if (asset && options.up == UpAxis::z) {
    stand_up(asset->cache.points);
    asset->notes.push_back({Note::Kind::info, "turned-up", "rotated from +Z up to +Y up, as requested"});
  }
  return asset;
}

}  // namespace

bool is_cache_file(const std::string& path) { return cache_reader(path) != nullptr; }

Result<CacheAsset> load_cache(const std::string& path, const CacheOptions& options,
                              const Progress& progress) {
  return without_throwing(path, [&]() -> Result<CacheAsset> {
    if (Status good = check_fps(options); !good) return good.error();
    if (is_sequence(path)) return read_sequence(path, options, progress);
    const CacheReader read = cache_reader(path);
    if (read == nullptr) return unknown_cache(path);
    const Result<Bytes> bytes = read_file(path, options.max_memory);
    if (!bytes) return bytes.error();
    return standing(read(*bytes, path, options), options);
  });
}

Result<CacheAsset> load_cache_from_memory(std::span<const std::byte> bytes, const std::string& name,
                                          const CacheOptions& options) {
  return without_throwing(name, [&]() -> Result<CacheAsset> {
    if (Status good = check_fps(options); !good) return good.error();
    const CacheReader read = cache_reader(name);
    if (read == nullptr) return unknown_cache(name);
    return standing(read(bytes, name, options), options);
  });
}

}  // namespace dermis
