// SPDX-License-Identifier: MIT
// Weight tables from anyone, as CSV and as JSON: valid rows or one sentence, and what loads comes back.
#include "character_fuzz.h"
#include "io/weights/weight_tables.h"

namespace dermis::fuzz {
namespace {

void require_valid(const WeightTable& table) {
  require(table.rows.first.size() > 1, "a table has rows");
  for (std::size_t v = 0; v + 1 < table.rows.first.size(); ++v) {
    require(!table.rows.row(v).empty(), "a row has weight");
    double sum = 0;
    for (const Influence& one : table.rows.row(v)) {
      require(one.slot >= 0 && static_cast<std::size_t>(one.slot) < table.joints.size(), "joints are listed");
      require(one.weight > 0 && one.weight <= 1, "weights are shares");
      sum += static_cast<double>(one.weight);
    }
    require(sum > 1 - kWeightSumTolerance && sum < 1 + kWeightSumTolerance, "sums are one");
  }
}

void load_and_save(std::span<const std::byte> bytes, const std::string& name) {
  const Result<WeightTables> tables = load_weight_tables_from_memory(bytes, name);
  if (!tables) return require_sentence(tables.error());
  for (const WeightTable& table : tables->tables) require_valid(table);
  for (const std::string& text : {weight_csv(tables->tables), weight_json(tables->tables)}) {
    const std::string again_name = text.front() == '{' ? "a.json" : "a.csv";
    const Result<WeightTables> again = load_weight_tables_from_memory(
        {reinterpret_cast<const std::byte*>(text.data()), text.size()}, again_name);
    require(again.ok(), "what was written loads again", again ? "" : again.error().sentence);
    require(again->tables.size() == tables->tables.size(), "with as many tables");
  }
}

}  // namespace
}  // namespace dermis::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dermis::fuzz;
  const std::span<const std::byte> bytes{reinterpret_cast<const std::byte*>(data), size};
  load_and_save(bytes, "a.csv");
  load_and_save(bytes, "a.json");
  return 0;
}
