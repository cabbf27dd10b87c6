// SPDX-License-Identifier: MIT
// Weight tables as text: helpers shared by reading and writing.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "dermis/io.h"

namespace dermis {

Result<WeightTables> parse_weight_csv(std::string_view text, const std::string& file);
Result<WeightTables> parse_weight_json(std::span<const std::byte> bytes, const std::string& file);
std::string weight_csv(std::span<const WeightTable> tables);
std::string weight_json(std::span<const WeightTable> tables);

// Closes the rows of a table and notes the repairs; `file` and `mesh` are used in the sentences.
class WeightTableRows {
 public:
  void add(Index joint, float weight) { builder_.add(joint, weight); }
  void close_row();
  WeightRows take(const std::string& file, const std::string& mesh, Notes& notes);

 private:
  WeightRowBuilder builder_;
};

}  // namespace dermis
