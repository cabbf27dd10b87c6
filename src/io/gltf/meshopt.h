// SPDX-License-Identifier: MIT
// EXT_meshopt_compression and KHR_meshopt_compression, as far as the packaged decoder supports them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "dermis/base.h"
#include "io/file.h"

namespace dermis {

// A compressed buffer view; bounds checked, sizes not.
struct MeshoptRange {
  std::span<const std::byte> bytes;
  std::uint64_t count = 0;
  std::uint64_t stride = 0;
  std::string mode;    // ATTRIBUTES, TRIANGLES, INDICES
  std::string filter;  // empty, NONE, OCTAHEDRAL, QUATERNION, EXPONENTIAL
};

// count * stride decoded bytes. Error sentences continue "buffer view 3 ".
Result<Bytes> decode_meshopt(const MeshoptRange& range);

}  // namespace dermis
