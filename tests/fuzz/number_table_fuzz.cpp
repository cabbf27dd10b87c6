// SPDX-License-Identifier: MIT
// Matrices from anyone: as many numbers as they state, or one sentence, in memory bounded by the file.
#include "character_fuzz.h"
#include "dermis/io/tables.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dermis;
  using namespace dermis::fuzz;
  for (const char* name : {"a.npy", "a.csv"}) {
    const Result<NumberTable> table =
        load_number_table_from_memory({reinterpret_cast<const std::byte*>(data), size}, name);
    if (!table) {
      require_sentence(table.error());
      continue;
    }
    require(table->values.size() == table->row_count * table->column_count, "the matrix is full");
    require(table->values.size() <= size, "no number takes less than a byte of the file");
  }
  return 0;
}
