// SPDX-License-Identifier: MIT
// What dermis-import hands over, from anyone.
#include "character_fuzz.h"
#include "io/import/import.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* first = reinterpret_cast<const std::byte*>(data);
  return dermis::fuzz::pose_and_save(
      dermis::unpack_import({first, first + size}, "fuzz.fbx", dermis::fuzz::load_options(), {}));
}
