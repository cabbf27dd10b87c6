// SPDX-License-Identifier: MIT
// Raw float frames from anyone, for a mesh of two points.
#include "cache_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return dermis::fuzz::load_and_save_cache(data, size, ".f32");
}
