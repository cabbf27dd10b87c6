// SPDX-License-Identifier: MIT
// Maps of motions from anyone: rows with joints on both sides or one sentence, and what loads comes back.
#include "character_fuzz.h"
#include "io/motion_map/motion_map.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dermis;
  using namespace dermis::fuzz;
  const Result<std::vector<MotionMapRow>> rows =
      load_motion_map_from_memory({reinterpret_cast<const std::byte*>(data), size}, "a.json");
  if (!rows) return require_sentence(rows.error()), 0;
  for (const MotionMapRow& row : *rows)
    require(!row.source.empty() && !row.target.empty(), "a row has joints on both sides");
  const std::string text = motion_map_json(*rows);
  const Result<std::vector<MotionMapRow>> again =
      load_motion_map_from_memory({reinterpret_cast<const std::byte*>(text.data()), text.size()}, "a.json");
  require(again.ok(), "what was written loads again", again ? "" : again.error().sentence);
  require(again->size() == rows->size(), "with as many rows");
  return 0;
}
