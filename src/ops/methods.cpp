// SPDX-License-Identifier: MIT
// The one table of stages, and stacks written with their names.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "dermis/ops/methods.h"

namespace dermis {

std::span<const StageRow> methods() {
  static const std::vector<StageRow> table = [] {
    std::vector<StageRow> rows;
    for (const std::span<const StageRow> room : {deform_stages()})
      rows.insert(rows.end(), room.begin(), room.end());
    std::stable_sort(rows.begin(), rows.end(),
                     [](const StageRow& a, const StageRow& b) { return a.phase < b.phase; });
    return rows;
  }();
  return table;
}

std::string method_names(StagePhase phase) {
  std::string names;
  for (const StageRow& row : methods()) {
    if (row.phase == phase) names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  }
  return names;
}

Result<Stack> parse_stack(std::string_view text) { return read_stack(text, methods()); }

std::vector<Stack> every_stack() {
  std::vector<Stack> stacks;
  for (const StageRow& row : methods()) {
    if (row.phase == StagePhase::skin) stacks.push_back({{{&row}}});
    if (row.phase != StagePhase::posed) continue;
    Stack after_lbs;
    after_lbs.stages.push_back({&row});
    stacks.push_back(std::move(after_lbs));
  }
  return stacks;
}

Result<NormalMode> parse_normal_mode(std::string_view name) {
  if (name == "shading") return NormalMode::shading;
  if (name == "inverse_transpose") return NormalMode::inverse_transpose;
  if (name == "exact") return NormalMode::exact;
  return Error{Errc::usage,
               fmt::format("normals '{}': known are shading, inverse_transpose and exact", name)};
}

const char* name_of(NormalMode mode) {
  switch (mode) {
    case NormalMode::shading:
      return "shading";
    case NormalMode::inverse_transpose:
      return "inverse_transpose";
    case NormalMode::exact:
      return "exact";
  }
  return "";
}

}  // namespace dermis
