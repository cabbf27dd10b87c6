// SPDX-License-Identifier: MIT
// Takes of weights from anyone: rows that advance with finite numbers, or one sentence.
#include <cmath>

#include "character_fuzz.h"
#include "dermis/io/tables.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dermis;
  using namespace dermis::fuzz;
  const Result<LoadedTake> loaded =
      load_weight_take_from_memory({reinterpret_cast<const std::byte*>(data), size}, "a.csv");
  if (!loaded) return require_sentence(loaded.error()), 0;
  const WeightTake& take = loaded->take;
  require(!take.times.empty() && take.times[0] == 0, "a take starts at zero");
  require(take.values.size() == take.times.size() * take.names.size(), "each row has all columns");
  for (std::size_t k = 1; k < take.times.size(); ++k)
    require(static_cast<float>(take.times[k]) > static_cast<float>(take.times[k - 1]), "rows advance");
  for (const float value : take.values) require(std::isfinite(value), "weights are finite");
  return 0;
}
