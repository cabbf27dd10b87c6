// SPDX-License-Identifier: MIT
// BVH from anyone; what loads also goes back to BVH, as it came and resampled.
#include "character_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dermis;
  static const fuzz::OutputFile output(".bvh");
  LoadOptions options;
  options.max_memory = fuzz::kMaxMemory;
  const Result<Asset> asset =
      load_from_memory({reinterpret_cast<const std::byte*>(data), size}, "fuzz.bvh", options);
  if (asset) {
    fuzz::require_loads_again(save(output.path, *asset), output.path);
    const Index clip = asset->character.clips.empty() ? kNone : 0;
    const Result<OffsetSkeleton> skeleton = offset_skeleton(asset->character, {clip, 0});
    if (skeleton)
      fuzz::require_loads_again(save(output.path, Asset{skeleton->character, {}, nullptr}), output.path);
    else
      fuzz::require_sentence(skeleton.error());
  }
  return fuzz::load_pose_and_save(data, size, "fuzz.bvh");
}
