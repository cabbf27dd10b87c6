// SPDX-License-Identifier: MIT
// Maps of shapes from anyone: rows with sources or one sentence, and what loads comes back.
#include "character_fuzz.h"
#include "dermis/io/tables.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dermis;
  using namespace dermis::fuzz;
  const Result<std::vector<ShapeMapRow>> rows =
      load_shape_map_from_memory({reinterpret_cast<const std::byte*>(data), size}, "a.txt");
  if (!rows) return require_sentence(rows.error()), 0;
  const std::string text = shape_map_text(*rows);
  const Result<std::vector<ShapeMapRow>> again =
      load_shape_map_from_memory(std::as_bytes(std::span(text)), "a.txt");
  require(again.ok(), "what was written loads again", again ? "" : again.error().sentence);
  require(again->size() == rows->size(), "with as many rows");
  for (std::size_t k = 0; k < rows->size(); ++k) {
    require((*again)[k].target == (*rows)[k].target, "with the same targets");
    require((*again)[k].sources.size() == (*rows)[k].sources.size(), "and as many sources");
  }
  return 0;
}
