// SPDX-License-Identifier: MIT
// A cache from anyone: frames that are whole and finite, or an Error of one sentence; what loads can be
// written and loads the same.
#pragma once

#include <algorithm>
#include <functional>

#include "character_fuzz.h"

namespace dermis::fuzz {

inline int load_and_save_cache(const std::uint8_t* data, std::size_t size, const std::string& extension) {
  static const OutputFile output(".mdd");
  CacheOptions options;
  options.max_memory = kMaxMemory;
  options.point_count = 2;  // for .f32, which does not say
  const Result<CacheAsset> asset =
      load_cache_from_memory({reinterpret_cast<const std::byte*>(data), size}, "fuzz" + extension, options);
  if (!asset) {
    require_sentence(asset.error());
    return 0;
  }
  const PointCache& cache = asset->cache;
  require(cache.point_count > 0 && cache.frame_count() > 0, "a cache has points and frames");
  require(cache.points.size() == cache.point_count * cache.frame_count(), "frames are whole");
  require(
      std::adjacent_find(cache.times.begin(), cache.times.end(), std::greater_equal{}) == cache.times.end(),
      "times rise");
  require(std::all_of(cache.points.begin(), cache.points.end(), [](const Vec3& p) { return is_finite(p); }),
          "points are finite");
  const Result<Notes> saved = save_cache(output.path, cache);
  require(saved.ok(), "what loads can be written", saved ? "" : saved.error().sentence);
  const Result<CacheAsset> again = load_cache(output.path, options);
  require(again.ok(), "what was written loads again", again ? "" : again.error().sentence);
  require(again->cache.points == cache.points && again->cache.times == cache.times, "and is the same");
  return 0;
}

}  // namespace dermis::fuzz
