// SPDX-License-Identifier: MIT
// OFF from anyone.
#include "character_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return dermis::fuzz::load_pose_and_save(data, size, "fuzz.off");
}
