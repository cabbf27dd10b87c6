// SPDX-License-Identifier: MIT
// Keys by hand from anyone: keys in order or one sentence, and what loads comes back.
#include "character_fuzz.h"
#include "dermis/io/tables.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dermis;
  using namespace dermis::fuzz;
  const Result<KeyedPoses> keys =
      load_keys_from_memory({reinterpret_cast<const std::byte*>(data), size}, "a.json");
  if (!keys) return require_sentence(keys.error()), 0;
  require(!keys->keys.empty(), "there is a key");
  for (std::size_t k = 1; k < keys->keys.size(); ++k)
    require(keys->keys[k].time >= keys->keys[k - 1].time, "times never decrease");
  for (const KeyedPose& key : keys->keys)
    for (const NodePose& node : key.pose.nodes)
      if (node.turn) return 0;  // turns are written as rotations of a character, so not here
  const std::string text = keys_text(*keys);
  const Result<KeyedPoses> again = load_keys_from_memory(std::as_bytes(std::span(text)), "a.json");
  require(again.ok(), "what was written loads again", again ? "" : again.error().sentence);
  require(again->keys.size() == keys->keys.size(), "with as many keys");
  return 0;
}
