// SPDX-License-Identifier: MIT
// PC2 caches from anyone.
#include "cache_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return dermis::fuzz::load_and_save_cache(data, size, ".pc2");
}
